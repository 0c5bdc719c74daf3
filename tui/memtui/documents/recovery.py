"""The recovery text: fourteen sections that restore a session (seeds 000 and 004), and its draft.

The draft is made from facts alone: the same facts give the same text. It quotes with source lines, and claims
nothing without a record, neither that something is solved nor that something is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PureWindowsPath
from typing import Annotated

from pydantic import AfterValidator

from memtui.documents import events, markdown, work
from memtui.documents.events import COMMANDS_RUN, action_event, check_event, last_errors
from memtui.documents.markdown import Document, Section, fenced, heading, name_of
from memtui.documents.quotes import citation, quotes_section, with_source
from memtui.documents.record import Block, Item, Items, Line, Record, Verbatim
from memtui.documents.work import ONLY_CAPTURE, goal, open_work, plan_in_force, recorded_decisions
from memtui.ground.text import (
    FormatError,
    block,
    counted,
    file_text,
    one_line,
    without_backticks,
    without_blank_ends,
)
from memtui.secrets.secrets import masked
from memtui.transcript import paths
from memtui.transcript.checks import package_changes
from memtui.transcript.files import GONE, IN_PROGRAM, PUT_BACK
from memtui.transcript.paths import OTHER, Kind, Role, folder_of, path_identity, role_of, shown_path
from memtui.transcript.plans import OPEN, mark_of, was_done
from memtui.transcript.records import Facts, FileFact, PlanFact, Todo, is_after
from memtui.transcript.sentences import is_question
from memtui.transcript.short_text import capitalised, ends_of, shortened

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


_REFERENCES = 12  # maximum number of files that were only read; they save a search, and are no complete list

_FIRST = frozenset({"project instructions", "dependencies", "TypeScript configuration"})
"""Configuration that a new session reads first."""


def working_files(facts: Facts, root: str) -> tuple[RoleFile, ...]:
    """All files that the session changed, the most edited first; those only written by commands last."""
    files = facts.modified_files
    latest_first = reversed(files)
    ranked = sorted(latest_first, key=lambda file: _rank(file, role_of(file.path, root), root))
    named = [_named(file, _changed_role(file, root)) for file in ranked]
    for file in (*facts.shell_files, *filter(_is_gone, facts.read_files)):
        role = role_of(file.path, root)
        if role.kind is not Kind.SCRATCH:
            text = "path" if role.text == OTHER and _is_gone(file) else role.text  # possibly a folder
            how = f"{_fate(file) or 'written'} by a command"
            how = file.fate if file.fate in (IN_PROGRAM, GONE) else how
            named.append(_named(file, f"{text}, {how}"))
    return tuple(named)


def _rank(file: FileFact, role: Role, root: str) -> tuple[int, ...]:
    """Last come files outside the project, deleted and temporary ones; of equals, source comes first."""
    away = paths.inside_of(file.path, root) == file.path or _is_gone(file) or role.kind is Kind.SCRATCH
    return (away, file.subagent, -file.times, role.kind)


def _named(file: FileFact, role: str) -> RoleFile:
    """A file with its role and the line of its first change or read."""
    where = citation(file.source)
    return RoleFile(path=file.path, role=f"{role}, {where}" if where else role)


def _is_gone(file: FileFact) -> bool:
    return file.fate not in ("", PUT_BACK)


def _changed_role(file: FileFact, root: str) -> str:
    parts = [role_of(file.path, root).text, "created" if file.created else ""]
    edits = file.times - file.created
    parts.append(counted(edits, "edit") if edits > (not file.created) else "")
    parts.append("by a subagent" if file.subagent else "")
    parts.append(f"later {_fate(file)}" if file.fate else "")
    return ", ".join(part for part in parts if part)


def _fate(file: FileFact) -> str:
    """Fate of a file; a path that would break the syntax of roles is left out."""
    return "moved" if ")" in file.fate else file.fate


def reference_files(facts: Facts, root: str) -> tuple[RoleFile, ...]:
    """The files that were only read and that a new session would look for first."""
    changed = {path_identity(file.path) for file in (*facts.modified_files, *facts.shell_files)}
    folders = {folder_of(file.path) for file in facts.modified_files}
    rated, installed = [], bool(package_changes(facts))
    for file in facts.read_files:
        role = role_of(file.path, root)
        written = path_identity(file.path) in changed or (installed and role.text == "dependencies")
        if not written and role.kind is not Kind.SCRATCH and not _is_gone(file):
            priority, text = _priority(role, folder_of(file.path) in folders)
            away, *rank = _rank(file, role, root)
            rated.append(((away, priority, *rank), _named(file, text)))
    return tuple(file for _, file in sorted(rated, key=lambda pair: pair[0])[:_REFERENCES])


def _priority(role: Role, related: bool) -> tuple[int, str]:
    """The seed's priority of a file that was only read, 0 being the highest, and its role.

    First project instructions, dependencies and types, then modules beside changed ones, tests beside those
    and configuration, other code and documents, and the rest.
    """
    if role.kind is Kind.TYPES or role.text in _FIRST:
        return 0, role.text
    if role.kind is Kind.SOURCE and related:
        return 1, "related module"
    if role.kind is Kind.CONFIG or (role.kind is Kind.TEST and related):
        return 2, role.text
    return 4 if role.kind is Kind.ASSET else 3, role.text


def last_action(facts: Facts) -> str:
    """The last tool call with its result, and what stopped the last turn."""
    if facts.from_capture:
        return f"Unknown: {ONLY_CAPTURE}."
    action = facts.last_action
    done = action_event(facts, action, None) if action else "N/A: no tool call on record, result unknown."
    return "\n\n".join(filter(None, (done, capitalised(work.stopped(facts)))))


_APPROVED, _READ = (
    "inferred (written by Claude, approved by the user)",
    "inferred (a file that the command read)",
)
_WHOLE = 8_192  # maximum length of a plan quoted whole, in characters
_TITLE = re.compile(r"#{1,2}\s+\S")
_STEP, _LEAST = re.compile(r"^[ \t]{0,4}(?:\**\d{1,2}[.)）、．]|[-*•][ \t])[ \t]*\S", re.MULTILINE), 3


def choose_plan(facts: Facts, workflow: Plan | None) -> Plan:
    """The plan of a session, complete and word for word; `workflow` is that of an active workflow session."""
    parts: list[tuple[str, str, str]] = []
    approved, undecided = plan_in_force(facts), work.undecided_plan(facts)
    if workflow is not None and workflow.content.strip():
        parts.append(("workflow", "Workflow plan", workflow.content))
    if todos := work.listed_tasks(facts):
        source = "todo (TaskCreate)" if any(todo.details for todo in facts.todos) else "todo"
        listed = f"Ticks and texts are Claude's own words.\n\n{todo_list(todos)}"
        parts.append((source, "Todo list", listed))
    if approved:
        parts.append((_APPROVED, f"Approved plan{_where(approved)}", _quoted(facts, approved)))
    if undecided:
        title = f"Plan {work.plan_status(undecided)}".strip()
        parts.append(("inferred", f"{title}{_where(undecided)}", _quoted(facts, undecided)))
    written = {file.path for file in facts.modified_files}
    if (read := facts.plan_read) and read.path not in written and not (approved or undecided):
        parts.append((_READ, f"Plan that the command read{_where(read)}", _quoted(facts, read)))
    steps = (ask for ask in work.telling_requests(facts) if len(_STEP.findall(ask.text)) >= _LEAST)
    plain = (ask for ask in steps if not any(map(is_question, ask.text.split("\n"))))
    stated = None if approved else next(plain, None)
    if stated and not work.worked_since(facts, stated.source):
        parts.append(("user-stated", "In the user's words", stated.text.strip()))
    if not parts:
        parts.append(("inferred", "", f"- {_no_plan(facts)}"))
    source, title, content = parts[0]
    if source == "inferred" and title:
        content = f"## {title}\n\n{content}"
    below = (f"## {title}\n\n{text}" for _, title, text in parts[1:])
    return Plan(source=source, content="\n\n".join([content, *below]))


def _no_plan(facts: Facts) -> str:
    """In place of a plan, what was planned and is done; else that none is on record."""
    kept = (file for file in facts.modified_files if not file.fate)
    files = (file for file in kept if role_of(file.path, facts.cwd).text == "plan")
    known = [work.ticked(facts.todos), *(with_source(f"plan in {each.path}", each.source) for each in files)]
    below = "; what was asked stands below"
    none = _nothing(facts, f"no plan and no list of tasks on record{below}")[0]
    return f"{'; '.join(filter(None, known))}{below}" if any(known) else none


def todo_list(todos: Iterable[Todo]) -> str:
    """Todos with their boxes, as the seed writes them (see `mark_of`); open ones with their descriptions."""
    rows: list[str] = []
    for todo in todos:
        details = todo.details if todo.status in OPEN else ""
        text = "\n".join(dict.fromkeys((todo.content.strip(), details.strip()))).strip()
        rows += f"- [{mark_of(todo)}] {markdown.indented(text)}".split("\n")
    return "\n".join(row.rstrip() for row in rows)


def _where(plan: PlanFact) -> str:
    places = ", ".join(part for part in (shown_path(plan.path, None), citation(plan.source)) if part)
    return f" ({places})" if places else ""


def _quoted(facts: Facts, plan: PlanFact) -> str:
    """A plan word for word; of a long one the ends, where all of it stands, and its titles."""
    since = [todo for todo in (*facts.past_todos, *facts.todos) if is_after(todo.source, plan.source)]
    ticked = f"{work.ticked(since)}: it is done, and what followed may depart from it."
    begun = ticked if since and all(map(was_done, since)) else "Work on it has begun, and may depart from it."
    said = f"{begun}\n\n" if work.worked_since(facts, plan.source, plan.path) else ""
    content = plan.content.strip("\n")
    if len(content) <= _WHOLE:
        return said + content
    where = shown_path(plan.path, None) if plan.path else f"{citation(plan.source)} of the transcript"
    lines = zip(content.split("\n"), fenced(content.split("\n")), strict=True)
    titles = [f"- {line.lstrip('# ')}" for line, code in lines if not code and _TITLE.match(line)]
    listed = [f"The whole is {where}. Its titles:", "", *titles] if titles else [f"The whole is {where}."]
    return "\n".join([said + ends_of(content, _WHOLE), "", *listed])


_ERRORS = 5
_COMMANDS = 10


def recovery_notes(facts: Facts, root: Path, changed: Iterable[RoleFile]) -> str:
    """Everything that has no section of its own, under bold titles.

    `changed` are the files that Working Files has no room for.
    """
    failures = (events.error_event(facts, error, root) for error in last_errors(facts, _ERRORS))
    groups: dict[str, Iterable[str]] = {
        "Changed, too": (f"{file.path} (role: {file.role})" for file in changed),
        "Failures on record, newest first": failures,
        COMMANDS_RUN: events.commands_run(facts, _COMMANDS),
        events.SEEN: events.seen_addresses(facts),
        "Session": _session(facts),
    }
    listed = {title: list(lines) for title, lines in groups.items()}
    return "\n\n".join("\n- ".join((f"**{title}**", *lines)) for title, lines in listed.items() if lines)


def _session(facts: Facts) -> Iterator[str]:
    if facts.from_capture:
        yield f"{capitalised(ONLY_CAPTURE)}; nothing here says what was done"
    if facts.session_id:
        lines = f", {facts.lines:,} lines; L{facts.lines} names the last one" if facts.lines else ""
        yield f"Claude Code session {facts.session_id}{lines}"
    if branch := work.branch_named(facts):
        yield f"Branch {branch}"
    yield from events.repository(facts)
    if missing := events.missing_work(facts):
        yield missing
    yield from events.compacted(facts)


_COUNT = 25  # maximum number of items in lists that grow with a session; the last ones are kept


def draft_recovery(
    facts: Facts, root: Path, *, session_id: str = "", workflow: Plan | None = None
) -> Recovery:
    """The recovery text of a session: all fourteen sections, followed by quotes.

    `workflow` is the plan of the active workflow session, `session_id` its id (``WFS-...``), "" without one.
    """
    top, about = str(root), goal(facts)
    plan, changed = choose_plan(facts, workflow), working_files(facts, top)
    decided = (
        with_source(f"{each.decision}: {each.reason}", each.source) for each in recorded_decisions(facts)
    )
    return Recovery(
        session_id=session_id,
        project_root=top,
        objective=shortened(about, LONG_OBJECTIVE) or f"{UNKNOWN}: no words of the user on record",
        plan=plan,
        working_files=changed[:MOST_FILES] or _no_file(facts, "no edit by a tool on record"),
        reference_files=reference_files(facts, top)
        or _no_file(facts, "no Read of a file that stands unchanged"),
        last_action=last_action(facts),
        decisions=_last_unique(decided) or _nothing(facts, "none by a dialog; what was said stands below"),
        constraints=_nothing(facts, "none is read off sentences; the user's words stand in the last section"),
        dependencies=tuple(with_source(*change) for change in package_changes(facts).items())
        or _nothing(facts, "no command recognised as one that installs packages by name"),
        known_issues=_issues(facts),
        changes=_last_unique(events.changes(facts)) or _nothing(facts, "no commit or edit recognised"),
        pending=tuple(open_work(facts)[:_COUNT]) or _nothing(facts, NOTHING_OPEN),
        notes=recovery_notes(facts, root, changed[MOST_FILES:]),
        extra=quotes_section(facts),
    ).with_texts(masked)


def _nothing(facts: Facts, reason: str) -> tuple[str, ...]:
    """The only item of an empty list: nothing on record, which does not mean none."""
    return (f"{UNKNOWN}: {ONLY_CAPTURE if facts.from_capture else reason}",)


def _no_file(facts: Facts, reason: str) -> tuple[RoleFile, ...]:
    return (RoleFile(path=UNKNOWN, role=ONLY_CAPTURE if facts.from_capture else reason),)


def _last_unique(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(str.strip, lines)))[-_COUNT:]


def _issues(facts: Facts) -> tuple[str, ...]:
    """The last check if it failed; other failures are events, which stand in the notes."""
    check = check_event(facts)
    failed = f"last check: {check}" if check.startswith("FAIL") else ""
    if stands := [*filter(None, (work.halted(facts), events.pasted_failure(facts) or failed))]:
        return tuple(stands)
    noted = "failures stand in the notes" if last_errors(facts, 1) else ""
    reason = "; ".join(filter(None, (f"last check: {check}" if check else "", noted)))
    return _nothing(facts, reason) if reason or facts.from_capture else (UNKNOWN,)
