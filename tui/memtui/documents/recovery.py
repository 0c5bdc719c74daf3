"""The recovery text: fourteen sections that restore a session (seeds 000 and 004)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BeforeValidator, field_validator, model_validator

from memtui.documents.format import (
    Block,
    Document,
    Items,
    Layout,
    Line,
    LineTest,
    Record,
    Section,
    escape,
    fenced,
    heading,
    is_none,
    name_of,
    parse_items,
    placed,
    read,
    render,
    render_items,
    unescape,
)
from memtui.ground.text import (
    FormatError,
    file_text,
    item,
    normal,
    one_line,
    without_backticks,
    without_blank_ends,
)

NONE = "(none)"
UNKNOWN = "N/A"
"""Prefix of an item without a record, which does not mean none."""

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
_LAYOUT = Layout(_SESSION, _ROOT, _OBJECTIVE, _PLAN, _WORKING, _REFERENCE, _LAST, *_LISTS.values(), _NOTES)

_SOURCES = {"workflow": "workflow (IMPL_PLAN.md)", "todo": "todo (TodoWrite)"}
_SOURCE = re.compile(r"(?:#{2,4}\s*|\*\*)Source\s*(?:\*\*:|:\*\*|:)(.*)$", re.IGNORECASE)
_DETAILS = re.compile(r"<details\b[^>]*>\s*$", re.IGNORECASE)
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>\s*$", re.IGNORECASE)

_ROLE = " (role: "
_FILE = re.compile(r"(\S*\.\w{1,8}) \(([^()]+)\)")
_TICKED_FILE = re.compile(r"`([^`\n]+)` \(([^\n]+)\)")


def _is_working_heading(line: str) -> bool:
    """Whether a line is the heading after the plan; in other texts it is always escaped."""
    found = heading(line)
    return found is not None and name_of(found) == name_of(_WORKING)


def _said(text: str) -> str:
    return "" if is_none(text) else text


def _source_name(label: str) -> str:
    return next((name for name, written in _SOURCES.items() if written == label), label)


def _bare_preamble(text: str) -> str:
    return text.lstrip("\ufeff")


Text = Annotated[Block, AfterValidator(_said)]
"""A text of any number of lines; ``(none)`` is empty."""


Verbatim = Annotated[str, BeforeValidator(lambda value: normal(value) if isinstance(value, str) else value)]
"""A text that keeps its blank ends."""


class Plan(Record):
    """The execution plan."""

    source: Annotated[Line, AfterValidator(_source_name)] = ""
    """``workflow``, ``todo``, ``user-stated``, ``inferred`` or whatever was written."""
    content: Verbatim = ""
    """The whole plan, line for line: it may hold headings, fences and ``</details>``."""


class RoleFile(Record):
    """A file and its role in the session."""

    path: str
    role: str = ""

    @model_validator(mode="before")
    @classmethod
    def _as_read(cls, values: object) -> object:
        if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
            return values
        if not values.keys() <= {"path", "role"} or "path" not in values:
            return values
        path, role = one_line(values["path"]), item(values.get("role", ""))
        if not path:
            path, role = one_line(role), ""
        while (found := _path_and_role(_file_item(path, role).strip())) != (path, role):
            path, role = found
        return {"path": path, "role": role}


def is_unknown(item: str) -> bool:
    """Whether an item or a file's path only says that nothing is on record."""
    return item.upper() == UNKNOWN or item.upper().startswith((f"{UNKNOWN}:", f"{UNKNOWN} ("))


class Recovery(Record):
    """One recovery text."""

    session_id: Text = ""
    project_root: Text = ""
    objective: Text = ""
    plan: Plan = Plan()
    working_files: tuple[RoleFile, ...] = ()
    reference_files: tuple[RoleFile, ...] = ()
    last_action: Text = ""
    decisions: Items = ()
    """Each with its reasoning after a colon."""
    constraints: Items = ()
    dependencies: Items = ()
    known_issues: Items = ()
    changes: Items = ()
    pending: Items = ()
    notes: Text = ""
    preamble: Annotated[Block, AfterValidator(_bare_preamble)] = ""
    """Text before the first section."""
    extra: tuple[Section, ...] = ()
    """Unknown sections."""

    @field_validator("working_files", "reference_files")
    @classmethod
    def _named(cls, value: tuple[RoleFile, ...]) -> tuple[RoleFile, ...]:
        return tuple(file for file in value if not is_none(file.path))

    @field_validator("extra")
    @classmethod
    def _placed(cls, value: tuple[Section, ...]) -> tuple[Section, ...]:
        # Reading ends the plan at the last `</details>` above Working Files: nothing else there may hold one.
        return placed((_clear_of_plan(section) for section in value), _LAYOUT)


class NamedFiles(NamedTuple):
    """The files named in a recovery text."""

    project_root: str
    files: tuple[RoleFile, ...]
    """Modified ones, then those that were only read."""


def _clear_of_plan(section: Section) -> Section:
    if section.after == _PLAN and any(_is_details_end(line) for line in section.text.split("\n")):
        return section.replace(after=_WORKING)
    return section


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
        **{title: render_items(getattr(recovery, name)) or NONE for name, title in _LISTS.items()},
        _NOTES: _escaped(recovery.notes) or NONE,
    }
    preamble = _escaped(recovery.preamble)
    text = render(bodies, recovery.extra, empty="\n", always=_is_working_heading)
    return f"{preamble}\n\n{text}" if preamble else text


def _escaped(text: str) -> str:
    return escape(text, _is_working_heading)


def _render_plan(plan: Plan) -> str:
    source = f"### Source: {_SOURCES.get(plan.source, plan.source)}".rstrip()
    summary = "<summary>Full Execution Plan (Click to expand)</summary>"
    return f"{source}\n\n<details>\n{summary}\n\n{plan.content}\n\n</details>"


def _render_files(files: Sequence[RoleFile]) -> str:
    return render_items(_file_item(file.path, file.role) for file in files) or NONE


def _file_item(path: str, role: str) -> str:
    return f"{path}{_ROLE}{role})" if role else path


def parse_recovery(text: str) -> Recovery:
    """Parse a recovery text, even with a preamble, free text for lists or a plan without ``<details>``.

    Raises:
        FormatError: when it holds none of the fourteen sections.
    """
    plan, document = _read_document(text)
    return Recovery(
        session_id=_text(document, _SESSION),
        project_root=_text(document, _ROOT),
        objective=_text(document, _OBJECTIVE),
        plan=_read_plan(plan, document.lines(_PLAN)),
        working_files=_files(document, _WORKING),
        reference_files=_files(document, _REFERENCE),
        last_action=_text(document, _LAST),
        decisions=_list(document, "decisions"),
        constraints=_list(document, "constraints"),
        dependencies=_list(document, "dependencies"),
        known_issues=_list(document, "known_issues"),
        changes=_list(document, "changes"),
        pending=_list(document, "pending"),
        notes=_text(document, _NOTES),
        preamble=unescape("\n".join(without_blank_ends(document.preamble)), _is_working_heading),
        extra=tuple(document.extra),
    )


def named_files(text: str) -> NamedFiles:
    """The files of a recovery text, as `parse_recovery` reads them, in half of its time.

    Raises:
        FormatError: when it holds none of the fourteen sections.
    """
    _, document = _read_document(text)
    found = (*_files(document, _WORKING), *_files(document, _REFERENCE))
    files = tuple(file for file in found if not is_none(file.path))
    return NamedFiles(Recovery(project_root=_text(document, _ROOT)).project_root, files)


def _read_document(text: str) -> tuple[list[str], Document]:
    """The lines of the plan, and the sections without it."""
    lines = file_text(text).split("\n")
    start, stop = _plan_span(lines)
    document = read(lines[:start] + lines[stop:], _LAYOUT, _is_working_heading)
    if not document.bodies:
        raise FormatError("it holds none of the sections of a recovery text")
    return lines[start:stop], document


def section_lines(text: str) -> dict[str, list[tuple[int, str]]]:
    """The lines of each known section that a text has, by its title, with their numbers from 1."""
    lines = file_text(text).split("\n")
    start, stop = _plan_span(lines)
    outside = lines[:start] + [""] * (stop - start) + lines[stop:]
    inside = fenced(outside)
    found: dict[str, list[tuple[int, str]]] = {}
    body: list[tuple[int, str]] = []
    for index, line in enumerate(outside):
        if start <= index < stop:
            body.append((index + 1, lines[index]))
            continue
        new = None if inside[index] else heading(line)
        if new is None:
            body.append((index + 1, line))
        else:
            known = _LAYOUT.find(new)
            body = found.setdefault(known, []) if known else []
    return found


def _text(document: Document, title: str) -> str:
    return document.block(title, _is_working_heading)


def _list(document: Document, name: str) -> tuple[str, ...]:
    return tuple(parse_items(document.lines(_LISTS[name])))


def _files(document: Document, title: str) -> tuple[RoleFile, ...]:
    pairs = (_path_and_role(entry) for entry in parse_items(document.lines(title)) if entry)
    return tuple(RoleFile(path=path, role=role) for path, role in pairs)


def _path_and_role(entry: str) -> tuple[str, str]:
    """Path and role of ``path (role: r)``, of a back-ticked path with ``(r)`` and of ``file.ext (r)``."""
    path, mark, role = entry.partition(_ROLE)
    if mark and entry.endswith(")"):
        return without_backticks(path.strip()), role[:-1].strip()
    remark = _TICKED_FILE.fullmatch(entry) or _FILE.fullmatch(entry)
    if remark and remark[1].strip():
        return remark[1].strip(), remark[2].strip().removeprefix("role:").strip()
    return without_backticks(entry), ""


def _plan_span(lines: list[str]) -> tuple[int, int]:
    """The lines of the plan, from below its heading to the next section; empty without a plan."""
    inside = fenced(lines)
    for index, line in enumerate(lines):
        if not inside[index] and _section_of(line) == _PLAN:
            return index + 1, _plan_end(lines, index + 1)
    return len(lines), len(lines)


def _section_of(line: str) -> str | None:
    found = heading(line)
    return None if found is None else _LAYOUT.find(found)


def _plan_end(lines: list[str], start: int) -> int:
    below = range(len(lines) - 1, start - 1, -1)
    working = next((index for index in below if _is_working_heading(lines[index])), None)
    limit = len(lines) if working is None else working
    wrapped = _opens_details(lines, start, limit)
    ends = [index for index in range(start, limit) if _is_details_end(lines[index])] if wrapped else []
    if not ends:
        # Below a heading that opens no <details>, only a known section ends the plan: it may have headings.
        return _next_heading(lines, start, lambda line: _section_of(line) is not None)
    end = _end_before_section(lines, ends) if working is None else ends[-1]
    return _next_heading(lines, end + 1, lambda line: heading(line) is not None)


def _opens_details(lines: Sequence[str], start: int, stop: int) -> bool:
    for index in range(start, stop):
        line = lines[index].strip()
        if line and not _SOURCE.match(line):
            return _DETAILS.match(line) is not None
    return False


def _is_details_end(line: str) -> bool:
    return line.strip().casefold() == "</details>"


def _end_before_section(lines: list[str], ends: list[int]) -> int:
    """In a text without Working Files: the first that a known section or nothing follows, else the last."""
    for end in ends:
        below = next((index for index in range(end + 1, len(lines)) if lines[index].strip()), None)
        if below is None or _section_of(lines[below]):
            return end
    return ends[-1]


def _next_heading(lines: list[str], start: int, ends: LineTest) -> int:
    rest = lines[start:]
    inside = fenced(rest)
    found = (index for index, line in enumerate(rest) if not inside[index] and ends(line))
    return start + next(found, len(rest))


def _read_plan(lines: list[str], more: list[str]) -> Plan:
    """The plan of its section's lines, and of those of a second such section."""
    lines = without_blank_ends(lines)
    source = ""
    found = _SOURCE.match(lines[0]) if lines else None
    if found:
        source, lines = found[1], without_blank_ends(lines[1:])
    content = _content(lines)
    if more:
        content = f"{content}\n\n" + "\n".join(more)
    return Plan(source=source, content=content)


def _content(lines: list[str]) -> str:
    """The content of ``<details>`` and the lines after it; everything if there is no such element."""
    if not lines or not _DETAILS.match(lines[0].strip()):
        return "\n".join(lines)
    end = max((index for index, line in enumerate(lines) if _is_details_end(line)), default=len(lines))
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

    def there(match: re.Match[str]) -> str:
        rest = match[1] or ""
        return str(here) + (rest.replace("\\", "/") if windows else rest)

    return pattern.sub(there, text)
