"""The recovery text: fourteen sections that restore a session (seeds 000 and 004)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath
from typing import Annotated

from pydantic import AfterValidator

from memtui.documents import markdown
from memtui.documents.markdown import Document, Section, fenced, heading, name_of
from memtui.documents.record import Block, Item, Items, Line, Record, Verbatim
from memtui.ground.text import (
    FormatError,
    block,
    file_text,
    one_line,
    without_backticks,
    without_blank_ends,
)

NONE = "(none)"
UNKNOWN = "N/A"  # prefix of an item without a record, which does not mean none
MOST_FILES = 8  # maximum number of working files (the seed: 3-8)
NOTHING_OPEN = "no open task in a list on record; what was said last, see below, may leave something open"
LONG_OBJECTIVE = 800  # maximum length of an objective in characters

REVIEWED = "- **From the review**"  # begins what a person has added, the first item of the notes
_REVIEW = re.compile(rf"(?<=^## Notes\n){re.escape(REVIEWED)}\n(?:(?:  .*)?\n)*(?:  .*)?", re.MULTILINE)

_SESSION, _ROOT, _OBJECTIVE, _PLAN = "Session ID", "Project Root", "Objective", "Execution Plan"
_WORKING, _REFERENCE = "Working Files (Modified)", "Reference Files (Read-Only)"
_LAST, _NOTES = "Last Action", "Notes"
_LISTS = {
    "decisions": "Decisions",
    "constraints": "Constraints",
    "dependencies": "Dependencies",
    "known_issues": "Known Issues",
    "changes": "Changes Made",
    "pending": "Pending",
}
_LAYOUT = markdown.layout(
    _SESSION, _ROOT, _OBJECTIVE, _PLAN, _WORKING, _REFERENCE, _LAST, *_LISTS.values(), _NOTES
)

_SOURCES = {"workflow": "workflow (IMPL_PLAN.md)", "todo": "todo (TodoWrite)"}
_NAMES = {written: name for name, written in _SOURCES.items()}
_SOURCE = re.compile(r"(?:#{2,4}\s*|\*\*)Source\s*(?:\*\*:|:\*\*|:)(.*)$", re.IGNORECASE)
_DETAILS = re.compile(r"<details\b[^>]*>\s*$", re.IGNORECASE)
_DETAILS_END = re.compile(r"\s*</details>\s*$", re.IGNORECASE)
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>\s*$", re.IGNORECASE)

_ROLE = " (role: "
_FILE = re.compile(r"(\S*\.\w{1,8}) \(([^()]+)\)")
_TICKED_FILE = re.compile(r"`([^`\n]+)` \(([^\n]+)\)")


def _is_working_heading(line: str) -> bool:
    """Whether a line is the heading after the plan; in other texts it is always escaped."""
    found = heading(line)
    return found is not None and name_of(found) == name_of(_WORKING)


Text = Annotated[Block, AfterValidator(lambda text: "" if markdown.is_none(text) else text)]
"""A text of any number of lines; ``(none)`` is empty."""


class Plan(Record):
    """The execution plan."""

    source: Annotated[Line, AfterValidator(lambda label: _NAMES.get(label, label))] = ""
    """``workflow``, ``todo``, ``user-stated``, ``inferred`` or whatever was written."""
    content: Verbatim = ""
    """The whole plan, which may hold headings, fences and ``</details>``."""


class RoleFile(Record):
    """A file and its role in the session."""

    path: Line
    role: Item = ""


def is_unknown(item: str) -> bool:
    """Whether an item or a file's path only says that nothing is on record."""
    return item.upper() == UNKNOWN or item.upper().startswith((f"{UNKNOWN}:", f"{UNKNOWN} ("))


Files = Annotated[
    tuple[RoleFile, ...],
    AfterValidator(lambda files: tuple(file for file in files if not markdown.is_none(file.path))),
]


class Recovery(Record):
    """One recovery text."""

    session_id: Text = ""
    project_root: Text = ""
    objective: Text = ""
    plan: Plan = Plan()
    working_files: Files = ()
    reference_files: Files = ()
    last_action: Text = ""
    decisions: Items = ()
    """Each with its reasoning after a colon."""
    constraints: Items = ()
    dependencies: Items = ()
    known_issues: Items = ()
    changes: Items = ()
    pending: Items = ()
    notes: Text = ""
    preamble: Annotated[Block, AfterValidator(lambda text: block(text.replace("\ufeff", "")))] = ""
    extra: tuple[Section, ...] = ()


def render_recovery(recovery: Recovery) -> str:
    """The text, to the character as seed 000 makes it: without a line feed at its end."""
    bodies = {
        _SESSION: _escaped(recovery.session_id) or NONE,
        _ROOT: _escaped(recovery.project_root),
        _OBJECTIVE: _escaped(recovery.objective),
        _PLAN: _render_plan(recovery.plan),
        _WORKING: _render_files(recovery.working_files),
        _REFERENCE: _render_files(recovery.reference_files),
        _LAST: _escaped(recovery.last_action),
        **{title: markdown.render_items(getattr(recovery, name)) or NONE for name, title in _LISTS.items()},
        _NOTES: _escaped(recovery.notes) or NONE,
    }
    preamble = _escaped(recovery.preamble)
    text = markdown.render(bodies, recovery.extra, empty="\n", always=_is_working_heading)
    return f"{preamble}\n\n{text}" if preamble else text


def _escaped(text: str) -> str:
    return markdown.escape(text, _is_working_heading)


def _render_plan(plan: Plan) -> str:
    source = f"### Source: {_SOURCES.get(plan.source, plan.source)}".rstrip()
    summary = "<summary>Full Execution Plan (Click to expand)</summary>"
    return f"{source}\n\n<details>\n{summary}\n\n{plan.content}\n\n</details>"


def _render_files(files: Sequence[RoleFile]) -> str:
    return markdown.render_items(f"{f.path}{_ROLE}{f.role})" if f.role else f.path for f in files) or NONE


def parse_recovery(text: str) -> Recovery:
    """Parse a recovery text, even with a preamble, free text for lists or a plan without ``<details>``.

    A text with none of the fourteen sections is a `FormatError`.
    """
    plan, document = read_document(text)
    return Recovery(
        session_id=document.block(_SESSION),
        project_root=document.block(_ROOT),
        objective=document.block(_OBJECTIVE),
        plan=_read_plan(plan, document.lines(_PLAN)),
        working_files=_files(document, _WORKING),
        reference_files=_files(document, _REFERENCE),
        last_action=document.block(_LAST),
        **{name: tuple(markdown.parse_items(document.lines(title))) for name, title in _LISTS.items()},
        notes=document.block(_NOTES),
        preamble=document.text(document.preamble),
        extra=tuple(document.extra),
    )


def review_first(text: str) -> str:
    """A recovery text for reading: what a person wrote in its review stands first, not in the notes."""
    found = _REVIEW.search(text)
    return f"{found[0].rstrip()}\n\n{text[: found.start()]}{text[found.end() :]}" if found else text


def read_document(text: str) -> tuple[list[str], Document]:
    """The lines of the plan, and the sections without it."""
    lines = file_text(text).split("\n")
    start, stop = plan_span(lines)
    document = markdown.read(lines[:start] + lines[stop:], _LAYOUT, _is_working_heading)
    if not document.bodies:
        raise FormatError("it holds none of the sections of a recovery text")
    return lines[start:stop], document


def _files(document: Document, title: str) -> tuple[RoleFile, ...]:
    return tuple(role_file(entry) for entry in markdown.parse_items(document.lines(title)) if entry)


def role_file(entry: str) -> RoleFile:
    """The file of ``path (role: r)``, of a back-ticked path with ``(r)`` and of ``file.ext (r)``."""
    path, mark, role = entry.partition(_ROLE)
    remark = _TICKED_FILE.fullmatch(entry) or _FILE.fullmatch(entry)
    if mark and entry.endswith(")"):
        path, role = path, role[:-1]
    elif remark and remark[1].strip():
        path, role = remark[1], remark[2].strip().removeprefix("role:")
    else:
        path, role = entry, ""
    path = without_backticks(one_line(path))
    return RoleFile(path=path, role=role) if role.strip() or path == entry else role_file(path)


def plan_span(lines: list[str]) -> tuple[int, int]:
    """The lines of the plan, from below its heading to the next section; empty without a plan."""
    inside = fenced(lines)
    for index, line in enumerate(lines):
        if not inside[index] and section_of(line) == _PLAN:
            return index + 1, _plan_end(lines, index + 1)
    return len(lines), len(lines)


def section_of(line: str) -> str | None:
    found = heading(line)
    return None if found is None else _LAYOUT.get(name_of(found))


def _plan_end(lines: list[str], start: int) -> int:
    """The heading that ends the plan: a known one, or any below the ``</details>`` of the plan.

    A plan may hold headings and ``</details>``, but nothing below the working files is its own.
    """
    texts = (line.strip() for line in lines[start:])
    first = next((line for line in texts if line and not _SOURCE.match(line)), "")
    working = [index for index in range(start, len(lines)) if _is_working_heading(lines[index])]
    stop = working[-1] if working else len(lines)
    ends = [index for index in range(start, stop) if _DETAILS_END.match(lines[index])]
    wrapped = bool(ends and _DETAILS.match(first))
    start = ends[-1] + 1 if wrapped else start
    inside = fenced(lines[start:])
    for index, line in enumerate(lines[start:]):
        if not inside[index] and (heading(line) is not None if wrapped else section_of(line)):
            return start + index
    return len(lines)


def _read_plan(lines: list[str], more: list[str]) -> Plan:
    """The plan of its section's lines, and of those of a second such section."""
    lines = without_blank_ends(lines)
    source = ""
    if lines and (found := _SOURCE.match(lines[0])):
        source, lines = found[1], without_blank_ends(lines[1:])
    content = _content(lines)
    if more:
        content = f"{content}\n\n" + "\n".join(more)
    return Plan(source=source, content=content)


def _content(lines: list[str]) -> str:
    """The content of ``<details>`` and the lines after it; everything if there is no such element."""
    if not lines or not _DETAILS.match(lines[0].strip()):
        return "\n".join(lines)
    end = max((index for index, line in enumerate(lines) if _DETAILS_END.match(line)), default=len(lines))
    inner = lines[1:end]
    if inner and _SUMMARY.match(inner[0]):
        del inner[0]
    if inner and not inner[0].strip():
        del inner[0]
    if inner and not inner[-1].strip():
        del inner[-1]
    rest = without_blank_ends(lines[end + 1 :])
    return "\n".join([*inner, "", *rest] if rest else inner)


_END = r"(?=[\\/]|[\s\"'`)\],;:]|$)"


def is_elsewhere(root: str, here: Path) -> bool:
    """Whether a root in a text is this project's on another machine: same folder name, missing here."""
    if not root.strip() or root == str(here):
        return False
    name = PureWindowsPath(root).name  # splits at both kinds of slashes
    return name == here.name and not Path(root).exists()


def mapped(text: str, root: str, here: Path) -> str:
    r"""The text with every path below `root` moved below `here`; ``\`` in those paths becomes ``/``."""
    stem = root.rstrip("\\/")
    windows = "\\" in stem or re.match(r"[A-Za-z]:", stem) is not None
    pattern = re.compile(
        rf"(?<![\w/\\.-]){re.escape(stem)}{_END}([\\/][^\s\"'`)\],;:]*)?", re.IGNORECASE if windows else 0
    )

    slash = "\\" if windows else "/"
    return pattern.sub(lambda found: f"{here}{(found[1] or '').replace(slash, '/')}", text)
