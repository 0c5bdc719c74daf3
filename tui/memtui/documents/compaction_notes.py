"""Notes for a session whose conversation was just compacted: the facts that summaries lose, newest first.

Measured on real compactions, Claude Code's summary still names most changed files, a third of the open tasks,
half of the user's messages and hardly a command. So the notes quote the user's and the model's own words and
list tasks, files and commands; they conclude nothing. Every line is one item, the most important first, so
that the hook can shorten a section by leaving out its last lines.
"""

from __future__ import annotations

from pathlib import Path

from memtui.documents.compactor import flat
from memtui.documents.events import COMMANDS_RUN, commands_run, landmark_line, missing_work, unsaved_work
from memtui.documents.quotes import (
    UserRequest,
    citation,
    reports,
    told_turns,
    user_requests,
    with_source,
    without_source,
)
from memtui.documents.session_state import SessionState, TaskKind
from memtui.documents.state_draft import SEEN, gone_files, grouped, seen_addresses
from memtui.documents.work import plan_status, turn_line, unfinished_turn, waiting_for
from memtui.secrets.secrets import masked
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import OPEN
from memtui.transcript.records import Facts, Source
from memtui.transcript.short_text import capitalised, ends_of, key_of, one_line, shortened

_GONE = "Files that commands deleted, moved, put back or name"
_PATHS = 1_400
"""Maximum length of a list of files, in characters."""
_ROOM = 7_300
"""Target for the total length in characters, reached by leaving out closing messages; a hook's hand-over has
9,000."""
_CLOSINGS = "What Claude said last in each turn, newest first; what is newer holds"
_CLOSING, _LEAST_CLOSING = 600, 240
_REPORTS = "What subagents reported last"
_SPARE = 2_000
"""Minimum spare room in characters for including subagents' reports."""
_MESSAGES = 4_400
"""Maximum length of the user's messages together, in characters."""
_CAPS = (600, 400, 300, 240, 200, 190, 180, 170, 160, 120)
"""Maximum lengths of one message, tried in turn until all messages fit."""
_COMMANDS, _LEAST_COMMANDS = 24, 12
"""Number of commands; with many messages, the latest mere lookups are dropped."""
_MARKS_KEPT, _MARK = 5, 160
_REPORT = 250
_STEP = 200
_OPEN = (TaskKind.OPEN, TaskKind.NEXT, TaskKind.LATER, TaskKind.IN_PROGRESS)


def compaction_notes(facts: Facts, state: SessionState, root: Path) -> str:
    """The notes as Markdown, with a ``##`` section for each kind of fact in the session.

    Args:
        facts: the facts of the transcript.
        state: the session's current document: its decisions and open steps may come from a person or a model.
        root: the project's folder, to which paths become relative.
    """
    changed = [shown_path(file.path, root) for file in facts.modified_files]
    read = [shown_path(file.path, root) for file in facts.read_files]
    gone = gone_files((*facts.modified_files, *facts.shell_files), root)
    missing = [f"- {missing_work(facts)}"] if facts.missing_agents else []
    sections = {
        "Goal and plan": _goal(facts, state, root),
        "Open tasks": [f"- {task}" for task in known_open_tasks(facts, state)],
        "Decisions and constraints on record": _decisions(state),
        "Commits and pull requests": _on_record(facts, root),
        "The user's messages, newest first": _messages(facts),
        _CLOSINGS: [],
        _REPORTS: [],
        COMMANDS_RUN: [f"- {line}" for line in commands_run(facts, _COMMANDS)],
        "Files changed": [f"- {grouped(reversed(changed), _PATHS)}"] if changed else [],
        _GONE: [f"- {gone}"] if gone else [],
        "Files read": [f"- {grouped(reversed(read), _PATHS)}", *missing] if read else missing,
    }
    used = sum(len(line) + 1 for title, lines in sections.items() for line in (title, *lines))
    commands = sections[COMMANDS_RUN]
    while used > _ROOM - _LEAST_CLOSING and len(commands) > _LEAST_COMMANDS:
        used -= len(commands.pop()) + 1
    if _ROOM - used > _SPARE:
        sections[_REPORTS] = [
            named_line(said.source, ends_of(one_line(said.text), _REPORT)) for said in reports(facts)
        ]
        used += sum(len(line) + 1 for line in sections[_REPORTS])
    sections[_CLOSINGS] = _closings(facts, _ROOM - used)
    parts = ["\n".join((f"## {title}", *lines)) for title, lines in sections.items() if lines]
    return masked("\n\n".join(parts) + "\n")


def _goal(facts: Facts, state: SessionState, root: Path) -> list[str]:
    lines = [f"- Goal: {one_line(state.identity.goal)}"] if state.identity.goal else []
    turn = unfinished_turn(facts)
    if turn is not None and turn.end != "running":
        lines.append(f"- {capitalised(turn_line(facts, turn))}")
    if waits := waiting_for(facts):
        lines.append(f"- Waits for {waits.line}")
    plan = facts.plans[-1] if facts.plans else None
    if plan is not None and plan.fate != "rejected":
        where = shown_path(plan.path, root) if plan.path else "in the transcript"
        where = with_source(where, plan.source)
        lines.append(f"- Plan ({plan_status(plan)}): {where}")
        steps = (line.strip() for line in plan.content.split("\n"))
        lines += [f"  {shortened(step, _STEP)}" for step in steps if step.startswith(("- [ ]", "* [ ]"))]
    return lines


def known_open_tasks(facts: Facts | None, state: SessionState | None) -> list[str]:
    """Open tasks: those of the session's list, then those of the document, which a person may have added."""
    known: dict[str, str] = {}
    for todo in sorted(facts.todos if facts else (), key=lambda todo: todo.status != "in_progress"):
        doing = " (in progress)" if todo.status == "in_progress" else ""
        if todo.status in OPEN:
            known.setdefault(
                key_of(todo.content), with_source(f"{one_line(todo.content)}{doing}", todo.source)
            )
    for task in flat(state.tasks) if state else ():
        # Requests are quoted elsewhere; the tasks of the list are above.
        if task.kind in _OPEN and not task.text.startswith('"'):
            doing = " (in progress)" if task.kind is TaskKind.IN_PROGRESS else ""
            known.setdefault(key_of(without_source(task.text)), f"{one_line(task.text)}{doing}")
    return list(known.values())


def _on_record(facts: Facts, root: Path) -> list[str]:
    marks = reversed(facts.landmarks[-_MARKS_KEPT:])
    lines = [f"- {shortened(landmark_line(mark), _MARK)}" for mark in marks]
    lines += [f"- {line}" for line in unsaved_work(facts, root)]
    seen = seen_addresses(facts)
    return [*lines, f"- {SEEN}: {', '.join(seen)}"] if seen else lines


def _decisions(state: SessionState) -> list[str]:
    return [f"- {one_line(each.text)}" for each in reversed(state.decisions)]


def _messages(facts: Facts) -> list[str]:
    last: dict[str, UserRequest] = {}
    for ask in user_requests(facts):
        last.setdefault(ask.within(_MESSAGES), ask)
    for cap in _CAPS:
        lines = [named_line(ask.source, ask.within(cap)) for ask in last.values()]
        if sum(map(len, lines)) <= _MESSAGES:
            break
    return lines


def _closings(facts: Facts, room: int) -> list[str]:
    """Closing messages that fit; always including the last one, shortened if necessary."""
    spoken = [turn.closing for turn in told_turns(facts) if turn.closing]
    lines: list[str] = []
    for quote in spoken:
        width = _CLOSING if lines else min(_CLOSING, max(_LEAST_CLOSING, room))
        line = named_line(quote.source, ends_of(one_line(quote.text), width))
        room -= len(line) + 1
        if lines and room < 0:
            break
        lines.append(line)
    return lines


def named_line(source: Source, text: str) -> str:
    """``- L476: text``, or the text alone if its line is unknown."""
    where = citation(source)
    return f"- {where}: {text}" if where else f"- {text}"
