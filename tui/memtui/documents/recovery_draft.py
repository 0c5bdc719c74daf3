"""The draft of a recovery text, made from facts alone: the same facts give the same text.

It quotes with source lines, and claims nothing without a record, neither that something is solved nor that
something is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.documents import events, markdown, work
from memtui.documents.events import COMMANDS_RUN, action_event, check_event, last_errors
from memtui.documents.markdown import fenced
from memtui.documents.quotes import citation, quotes_section, with_source
from memtui.documents.recovery import (
    LONG_OBJECTIVE,
    MOST_FILES,
    NOTHING_OPEN,
    UNKNOWN,
    Plan,
    Recovery,
    RoleFile,
)
from memtui.documents.work import ONLY_CAPTURE, goal, open_work, plan_in_force, recorded_decisions
from memtui.ground.text import (
    counted,
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


_APPROVED = "inferred (written by Claude, approved by the user)"
_READ = "inferred (a file that the command read)"
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
