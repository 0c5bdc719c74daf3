"""A draft of the recovery text (seeds 000 and 004), made from facts alone.

The same facts give the same text. It quotes with source lines, and claims nothing without a record, neither
that something is solved nor that something is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import log2
from pathlib import Path

from memtui.documents.checklist import LONG_OBJECTIVE, MOST_FILES
from memtui.documents.events import (
    COMMANDS_RUN,
    HIDDEN,
    NOT_PASSED,
    check_event,
    commands_run,
    error_event,
    failed_checks,
    file_line,
    inferred_plan,
    landmark_line,
    last_errors,
    missing_work,
    outcome_of_action,
    output,
)
from memtui.documents.format import fenced, indented
from memtui.documents.quotes import (
    citation,
    quotes_section,
    said_last,
    user_requests,
    users_words,
    with_source,
)
from memtui.documents.recovery import UNKNOWN, Plan, Recovery, RoleFile
from memtui.documents.state_draft import SEEN, seen_addresses
from memtui.documents.work import (
    ONLY_CAPTURE,
    goal_parts,
    pending,
    plan_in_force,
    plan_status,
    recorded_decisions,
    turn_line,
    undecided_plan,
    unfinished_turn,
)
from memtui.secrets.secrets import MASK, masked
from memtui.transcript.checks import bare_command, last_check, package_changes
from memtui.transcript.files import IN_PROGRAM, PUT_BACK, moved_to
from memtui.transcript.paths import (
    OTHER,
    Kind,
    Role,
    folder_of,
    inside_of,
    name_of,
    name_under_test,
    path_identity,
    role_of,
    shown_path,
    stem_of,
)
from memtui.transcript.plans import mark_of, stated_plan, was_done
from memtui.transcript.records import Action, Facts, FileFact, PlanFact, Todo
from memtui.transcript.shell import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS
from memtui.transcript.short_text import capitalised, command_line, one_line, shortened, telling_line

_REFERENCES = 12
"""Maximum number of files that were only read; they save a search, and are no complete list."""

_CHANGED = {
    Kind.SOURCE: 6.0,
    Kind.TYPES: 5.0,
    Kind.CONFIG: 3.5,
    Kind.TEST: 3.0,
    Kind.DOCS: 1.5,
    Kind.ASSET: 0.0,
    Kind.SCRATCH: -6.0,
}
"""Source before types, configuration, tests, documents."""
_NO_CODE = frozenset({"styles", "web page", "page template"})
_LOOKS = 4.0
"""Penalty for styles and pages, next to code."""
_OUTSIDE = 4.0
"""Penalty for files outside the project."""
_GONE = 8.0
"""Penalty for files that were deleted or moved."""
_BY_SUBAGENT = 1.5
_RECENT = 2.0
"""Bonus for the file whose first change was the latest."""

_MANY = 2
"""Minimum number of edits for a file to be called the most edited one."""

_FIRST = frozenset({"project instructions", "dependencies", "TypeScript configuration"})
"""Configuration that a new session reads first."""

_HIGH, _MEDIUM, _LOW, _LOWEST = 9.0, 6.0, 4.0, 2.0
"""The seed's priorities: project configuration and types; related modules and tests; documents; the rest."""


def working_files(facts: Facts, root: str) -> tuple[RoleFile, ...]:
    """All files that the session changed, the most important first; those only written by commands last."""
    files = facts.modified_files
    weights = {file.path: _weight(file, index, len(files), root) for index, file in enumerate(files)}
    ranked = sorted(files, key=lambda file: -weights[file.path])
    top = _most_edited(files)
    named = [_named(file, _changed_role(file, files, root, top)) for file in ranked]
    for file in facts.shell_files:
        role = role_of(file.path, root)
        if role.kind is not Kind.SCRATCH:
            text = "path" if role.text == OTHER and _is_gone(file) else role.text  # possibly a folder
            named.append(_named(file, f"{text}, {_by_a_command(file)}"))
    return tuple(named)


def _most_edited(files: Sequence[FileFact]) -> str:
    """The path with the most edits, "" if there is a tie; the purpose of a file is not on record."""
    most, *others = sorted((file.times for file in files), reverse=True) or (0,)
    if most < _MANY or most in others:
        return ""
    return next(file.path for file in files if file.times == most)


def _named(file: FileFact, role: str) -> RoleFile:
    """A file with its role and the line of its first change or read."""
    where = citation(file.source)
    return RoleFile(path=file.path, role=f"{role}, {where}" if where else role)


def _is_code(role: Role) -> bool:
    return role.kind is Kind.SOURCE and role.text not in _NO_CODE


def _weight(file: FileFact, index: int, number: int, root: str) -> float:
    role = role_of(file.path, root)
    weight = _CHANGED[role.kind] if role.kind is not Kind.SOURCE or _is_code(role) else _LOOKS
    weight += 1.5 * log2(1 + file.times)
    weight += _RECENT * index / max(1, number - 1)
    if inside_of(file.path, root) == file.path:
        weight -= _OUTSIDE
    if _is_gone(file):
        weight -= _GONE
    return weight - _BY_SUBAGENT if file.subagent else weight


def _is_gone(file: FileFact) -> bool:
    """Whether the file was deleted or moved."""
    return file.fate not in ("", PUT_BACK)


def _changed_role(file: FileFact, files: Sequence[FileFact], root: str, top: str) -> str:
    parts = [_with_subject(role_of(file.path, root), file.path, files)]
    parts.append("most edited" if file.path == top else "")
    parts.append("created" if file.created else "")
    parts.append(f"{file.times} edits" if file.times > 1 else "")
    parts.append("by a subagent" if file.subagent else "")
    parts.append(f"later {_fate(file)}" if file.fate else "")
    return ", ".join(part for part in parts if part)


def _by_a_command(file: FileFact) -> str:
    if file.fate == IN_PROGRAM:
        return IN_PROGRAM
    return f"{_fate(file) or 'written'} by a command"


def _fate(file: FileFact) -> str:
    """Fate of a file; a path that would break the syntax of roles is left out."""
    return "moved" if ")" in file.fate else file.fate


def _with_subject(role: Role, path: str, files: Sequence[FileFact]) -> str:
    """A role; for tests including the tested file, if that was changed, too."""
    stem = name_under_test(path)
    if role.kind is not Kind.TEST or stem == stem_of(path):
        return role.text
    tested = next((f.path for f in files if f.path != path and stem_of(f.path) == stem), "")
    return f"{role.text} of {name_of(tested)}" if tested else role.text


def reference_files(facts: Facts, root: str) -> tuple[RoleFile, ...]:
    """The files that were only read and that a new session would look for first."""
    changed = {path_identity(file.path) for file in facts.modified_files}
    changed |= {path_identity(file.path) for file in facts.shell_files}
    folders = {folder_of(file.path) for file in facts.modified_files}
    unsure = ", changes by subagents unknown" if facts.missing_agents else ""
    rated = []
    for file in map(_where_it_is, facts.read_files):
        role = role_of(file.path, root)
        if path_identity(file.path) not in changed and role.kind is not Kind.SCRATCH and not _is_gone(file):
            weight, text = _rated(file, role, facts.modified_files, folders)
            weight += log2(1 + min(file.times, 8)) - (1.5 if file.subagent else 0.0)
            weight -= _OUTSIDE if inside_of(file.path, root) == file.path else 0.0
            rated.append((weight, _named(file, f"{text}{unsure}")))
    rated.sort(key=lambda pair: -pair[0])
    return tuple(file for _, file in rated[:_REFERENCES])


def _where_it_is(file: FileFact) -> FileFact:
    """A moved file with its new path."""
    return replace(file, path=moved_to(file.fate), fate="") if moved_to(file.fate) else file


def _rated(file: FileFact, role: Role, changed: Sequence[FileFact], folders: set[str]) -> tuple[float, str]:
    """Weight and role of a file that was only read."""
    related = folder_of(file.path) in folders
    if role.kind is Kind.TYPES or role.text in _FIRST:
        return _HIGH, role.text
    if role.kind is Kind.CONFIG:
        return _MEDIUM, role.text
    if role.kind is Kind.TEST:
        text = _with_subject(role, file.path, changed)
        return (_MEDIUM if related or text != role.text else _LOW), text
    if role.kind is Kind.SOURCE:
        generic = role.text == "implementation"
        if related:
            return _MEDIUM + 1, "related module" if generic else f"{role.text}, related module"
        return _LOW, role.text
    return (_LOW if role.kind is Kind.DOCS else _LOWEST), role.text


_CUT = 590
"""Length of a result in facts, in characters; the end of longer ones is unknown."""
_TARGET = 200

_ENDS = {
    "ok": "succeeded",
    HIDDEN: "ended, its exit status is hidden",
    "failed": "failed",
    "rejected": "was rejected by the user",
    "interrupted": "was interrupted",
    "background": "was started in the background",
    "unknown": "has no result in the transcript (unknown)",
}
_SAYS = re.compile(r"\w\w|\d")


def last_action(facts: Facts) -> str:
    """The last tool call with its result, the last check, and how the last turn ended."""
    if facts.from_capture:
        return f"Unknown: {ONLY_CAPTURE}."
    action, check = facts.last_action, last_check(facts)
    parts = [_described(facts, action) if action else "N/A: no tool call on record, result unknown."]
    if check is not None and (action is None or action.target != command_line(check.text)):
        parts.append(f"Last check: {check_event(facts)}")
    if turn := unfinished_turn(facts):
        parts.append(capitalised(turn_line(facts, turn)))
    return "\n\n".join(each for each in (*parts, said_last(facts)) if each)


def action_line(action: Action) -> str:
    """A tool call on one line: the tool and its target."""
    shell = action.tool in SHELL_TOOLS
    target = shortened(bare_command(action.target) if shell else one_line(action.target), _TARGET)
    return f"{action.tool} `{target}`" if target else action.tool


def _described(facts: Facts, action: Action) -> str:
    described = with_source(f"{action_line(action)} {_ENDS[outcome_of_action(facts, action)]}", action.source)
    result = _result(action)
    return f"{described}: {output(result)}" if result else described


def _result(action: Action) -> str:
    """The most informative line of a result."""
    text = action.result.strip()
    if action.outcome in ("rejected", "interrupted", "background"):
        return ""  # Claude Code's instructions to the model
    if action.outcome != "ok":
        return one_line(telling_line(text))
    if action.tool in EDIT_TOOLS | READ_TOOLS or text.endswith("completed with no output)"):
        return ""
    lines = [line for line in text.split("\n") if _SAYS.search(line)]
    shell = action.tool in SHELL_TOOLS
    if not lines or (shell and len(text) >= _CUT):
        return ""  # a program's last line sums up, but of a long output only the head is known
    return one_line(lines[-1 if shell else 0])


_WHOLE = 8_192
"""Maximum length of a plan quoted whole, in characters."""
_HEADING = re.compile(r"#{1,6}\s+\S")
_BOX = re.compile(r"\s*[-*+]\s+\[[ xX>]\]\s")
_OUTLINED = 120
_PLAN_LINE = 200


def choose_plan(facts: Facts, workflow: Plan | None) -> Plan:
    """The plan of a session, complete and word for word.

    Args:
        facts: the facts of the transcript.
        workflow: the plan of the active workflow session; None without one.
    """
    parts: list[tuple[str, str, str]] = []
    if workflow is not None and workflow.content.strip():
        parts.append(("workflow", "Workflow plan", workflow.content))
    if facts.todos:
        parts.append(("todo", "Todo list", todo_list(facts.todos)))
    parts += _put_before_user(facts)
    if not any(source == "user-stated" for source, _, _ in parts) and (said := stated_plan(facts.asked)):
        parts.append(("user-stated", "In the user's words", said))
    if not parts:
        parts.append(("inferred", "", inferred_plan(facts)))
    source, _, content = parts[0]
    below = (f"## {title}\n\n{text}" for _, title, text in parts[1:])
    return Plan(source=source, content="\n\n".join([content, *below]))


def todo_list(todos: Iterable[Todo]) -> str:
    """Todos with their boxes, as the seed writes them: ``- [x]``, see `mark_of`.

    Details follow each item, indented.
    """
    return "\n".join(f"- [{mark_of(todo)}] {_task_text(todo)}" for todo in todos)


def _task_text(todo: Todo) -> str:
    details = todo.details.strip() if todo.details.strip() != todo.content.strip() else ""
    text = f"{todo.content.strip()}\n{details}" if details else todo.content.strip()
    return "\n".join(line.rstrip() for line in indented(text).split("\n"))


def _put_before_user(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """The last approved plan, and a later one without a decision."""
    if plan := plan_in_force(facts):
        yield "user-stated", f"Approved plan{_where(plan)}", _quoted(plan)
    if plan := undecided_plan(facts):
        yield "inferred", f"Plan {plan_status(plan)}{_where(plan)}", _quoted(plan)


def _where(plan: PlanFact) -> str:
    places = ", ".join(part for part in (shown_path(plan.path, None), citation(plan.source)) if part)
    return f" ({places})" if places else ""


def _quoted(plan: PlanFact) -> str:
    """A plan word for word; a long one by its headings and boxes, each with its line."""
    content = plan.content.strip("\n")
    if len(content) <= _WHOLE:
        return content
    lines = content.split("\n")
    inside = fenced(lines)
    outline = [
        f"{number}: {shortened(line, _PLAN_LINE)}"
        for number, line in enumerate(lines, 1)
        if not inside[number - 1] and (_HEADING.match(line) or _BOX.match(line))
    ]
    where = (
        f"read it in {shown_path(plan.path, None)}"
        if plan.path
        else f"it stands at {citation(plan.source)} of the transcript"
    )
    head = f"{len(content):,} characters, {len(lines):,} lines; {where}. Its headings by line number:"
    more = len(outline) - _OUTLINED
    rest = [f"and {more} more headings and boxes"] if more > 0 else []
    return "\n".join([head, "", *outline[:_OUTLINED], *rest])


_ASKED = 20
_LINE = 240
_ERRORS = 5
_COMMANDS = 10


def recovery_notes(facts: Facts, root: Path, changed: Iterable[RoleFile], *, with_requests: bool) -> str:
    """Everything that has no section of its own, under bold titles.

    Args:
        facts: the facts of the transcript.
        root: the project's root.
        changed: the changed files that the section Working Files has no room for.
        with_requests: include the user's requests, unless an inferred plan has them.
    """
    failures = [error_event(facts, error, root) for error in last_errors(facts, _ERRORS)]
    groups = (
        (
            "Asked before what is quoted below, newest first",
            list(_older_requests(facts)) if with_requests else [],
        ),
        ("Changed, too", [f"{file.path} (role: {file.role})" for file in changed]),
        ("Failures on record, newest first", failures),
        (COMMANDS_RUN, list(commands_run(facts, _COMMANDS))),
        (SEEN, seen_addresses(facts)),
        ("Session", list(_session(facts))),
    )
    sections = (
        f"**{title}**\n" + "\n".join(f"- {line}" for line in lines) for title, lines in groups if lines
    )
    return "\n\n".join(sections)


def _older_requests(facts: Facts) -> Iterator[str]:
    """Requests older than those quoted in full."""
    quoted = {said.source for said in users_words(facts)}
    older = [ask for ask in user_requests(facts) if ask.source not in quoted]
    for ask in older[:_ASKED]:
        yield with_source(ask.within(_LINE), ask.source)
    if more := older[_ASKED:]:
        yield f"and {len(more)} earlier message{'s' if len(more) > 1 else ''}"


def _session(facts: Facts) -> Iterator[str]:
    if facts.from_capture:
        yield f"{ONLY_CAPTURE[0].upper()}{ONLY_CAPTURE[1:]}; nothing here says what was done"
    if facts.session_id:
        span = f", from {facts.started} to {facts.ended}" if facts.started else ""
        lines = f", {facts.lines:,} lines; L{facts.lines} names the last one" if facts.lines else ""
        yield f"Claude Code session {facts.session_id}{span}{lines}"
    if facts.branch:
        yield f"Branch {facts.branch}"
    if missing := missing_work(facts):
        yield missing
    for compaction in facts.compactions[-1:]:
        number = len(facts.compactions)
        where, summary = citation(compaction.source), citation(compaction.summary_source)
        counted = f"{number} compaction{'s' if number > 1 else ''} so far"
        counted += f", the last one at {where}" if where else ""
        yield f"{counted}; its summary is at {summary}" if summary else counted


_COUNT = 25
"""Maximum number of items in lists that grow with a session; the last ones are kept."""
_FEW = 3
_NO_REFERENCE = "only changed, removed or temporary files among those read by tools"
_FILES = 12


def _objective(facts: Facts) -> str:
    """The goal in as many characters as the checklist allows; what it leaves out is quoted further below."""
    parts = goal_parts(facts)
    while len(parts) > 1 and len("\n".join(parts)) > LONG_OBJECTIVE:
        del parts[1]  # the plan or the newest request stays, and the first request as long as possible
    return shortened("\n".join(parts), LONG_OBJECTIVE)


def draft_recovery(
    facts: Facts, root: Path, *, session_id: str = "", workflow: Plan | None = None
) -> Recovery:
    """The recovery text of a session: all fourteen sections, followed by quotes.

    Args:
        facts: the facts of the transcript.
        root: the project's root.
        session_id: the active workflow session (``WFS-...``), "" without one.
        workflow: that session's plan.
    """
    top = str(root)
    plan = choose_plan(facts, workflow)
    changed = working_files(facts, top)
    recovery = Recovery(
        session_id=session_id,
        project_root=top,
        objective=_objective(facts) or f"{UNKNOWN}: no words of the user on record",
        plan=plan,
        working_files=changed[:MOST_FILES] or _no_file(facts, "no edit by a tool on record"),
        reference_files=reference_files(facts, top)
        or _no_file(
            facts,
            _NO_REFERENCE if facts.read_files else "no file on record that a tool read, beside those changed",
        ),
        last_action=last_action(facts),
        decisions=_last_unique(_decisions(facts))
        or _nothing(facts, "no answer and no decided plan on record"),
        constraints=_nothing(facts, "none is read off sentences; the user's words stand in the last section"),
        dependencies=tuple(_dependencies(facts))
        or _nothing(facts, "no command recognised as one that installs packages by name"),
        known_issues=_issues(facts),
        changes=_last_unique(_changes(facts))
        or _nothing(facts, "no commit, finished task or edit recognised"),
        pending=tuple(pending(facts)[:_COUNT]) or _nothing(facts, "no open task on record"),
        notes=recovery_notes(facts, root, changed[MOST_FILES:], with_requests=plan.source != "inferred"),
        extra=quotes_section(facts),
    )
    return _without_secrets(recovery)


def _nothing(facts: Facts, reason: str) -> tuple[str, ...]:
    """The only item of an empty list: nothing on record, which does not mean none."""
    return (f"{UNKNOWN}: {ONLY_CAPTURE if facts.from_capture else reason}",)


def _no_file(facts: Facts, reason: str) -> tuple[RoleFile, ...]:
    return (RoleFile(path=UNKNOWN, role=ONLY_CAPTURE if facts.from_capture else reason),)


def _last_unique(lines: Iterable[str]) -> tuple[str, ...]:
    unique = tuple(dict.fromkeys(line for line in lines if line.strip()))
    return unique[-_COUNT:]


def _decisions(facts: Facts) -> Iterator[str]:
    for each in recorded_decisions(facts):
        yield with_source(f"{each.decision}: {each.reason}", each.source)


def _dependencies(facts: Facts) -> Iterator[str]:
    for text, source in package_changes(facts).items():
        yield with_source(text, source)


def _issues(facts: Facts) -> tuple[str, ...]:
    """Checks that failed and did not pass since; other failures are events, which stand in the notes."""
    check = check_event(facts)
    failed = tuple(f"{NOT_PASSED}: {each}" for each in failed_checks(facts))
    if check.startswith("FAILURE"):
        return (f"last check: {check}", *failed)
    if failed:
        return failed
    reason = f"last check: {check}" if check else "no command recognised as a check"
    return _nothing(facts, f"{reason}; failures stand in the notes" if last_errors(facts, 1) else reason)


def _changes(facts: Facts) -> Iterator[str]:
    lines = [landmark_line(mark) for mark in facts.landmarks]
    todos = (todo for todo in (*facts.past_todos, *facts.todos) if was_done(todo))
    lines += [with_source(one_line(todo.content), todo.source) for todo in todos]
    yield from lines
    if len(lines) < _FEW:
        files = facts.modified_files
        yield from map(file_line, files[-_FILES:])
        if more := files[:-_FILES]:
            which = "1 other file" if len(more) == 1 else f"{len(more)} other files, all"
            yield f"{which} named under Working Files and in the notes"


def _without_secrets(recovery: Recovery) -> Recovery:
    """The recovery text with all secrets masked, in paths too."""
    number = 0

    def mask(text: str) -> str:
        nonlocal number
        text = masked(text)
        number += text.count(MASK)
        return text

    changes: dict[str, object] = {
        name: tuple(mask(item) for item in getattr(recovery, name))
        for name in ("decisions", "constraints", "known_issues", "changes", "pending", "dependencies")
    }
    changes |= {name: mask(getattr(recovery, name)) for name in ("objective", "last_action", "notes")}
    changes |= {
        name: tuple(each.replace(path=mask(each.path), role=mask(each.role)) for each in files)
        for name, files in (
            ("working_files", recovery.working_files),
            ("reference_files", recovery.reference_files),
        )
    }
    changes["plan"] = recovery.plan.replace(content=mask(recovery.plan.content))
    if not number:
        return recovery
    line = f"- Masked: {number} secret{'s' if number > 1 else ''} of the transcript"
    changes["notes"] = f"{changes['notes']}\n{line}".strip()
    return recovery.replace(**changes)
