"""The task tree of a session state, by records: a task is only done if a record shows it.

A task is only in progress if a task tool says so, or if the turn has no end. Otherwise the tree has the last
request and answer as notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.documents.open_work import (
    awaited_plan,
    open_steps,
    open_tasks,
    turn_line,
    unfinished_turn,
    waiting_for,
)
from memtui.documents.quotes import last_said
from memtui.documents.sources import source_label, with_source, without_source
from memtui.documents.user_requests import UserRequest, last_request, plan_line
from memtui.formats.session_state import Task, TaskKind
from memtui.transcript.record_order import is_after
from memtui.transcript.records import Facts
from memtui.transcript.short_text import ends_of, key_of, one_line, shortened, telling_line
from memtui.transcript.tasks import was_done
from memtui.transcript.tools import SHELL_TOOLS

_WIDTH = 240
_BLOCKER = 160

ASKED, ANSWERED = "Last asked", "Claude said last"
NOTHING_OPEN = "No open task on record"
_OURS = re.compile(rf"(?:{ASKED}|{ANSWERED})(?: \(L[^)]*\))?:|Asked: |Answered: |{NOTHING_OPEN}$")
"""Beginnings of generated lines, also of earlier versions; other lines are a person's."""
NO_BLOCKER = "None on record"
DECISION_ON = "decision on the plan: "


def task_key(text: str) -> str:
    """Key by which two wordings of a task are equal, regardless of their source lines."""
    return key_of(without_source(text))


def is_ours(task: Task) -> bool:
    """Whether a line is generated anew for each version, not written by a person."""
    return task.kind in (TaskKind.SUB, TaskKind.NOTE) and _OURS.match(task.text) is not None


def task_tree(facts: Facts) -> tuple[Task, ...]:
    """All tasks: done, in progress and coming."""
    tasks = open_tasks(facts)
    doing = [task.line for task in tasks if task.doing]
    turn, ask = unfinished_turn(facts), last_request(facts)
    if not doing and turn is not None and ask is not None:
        doing = [_quoted(ask)]
    coming = [task.line for task in tasks if not task.doing] or [step.line for step in open_steps(facts)]
    if plan := awaited_plan(facts):
        coming.append(f"{DECISION_ON}{plan_line(plan)}")
    tree = [Task(kind=TaskKind.DONE, text=text) for text in done_tasks(facts)]
    if doing:
        tree.append(Task(kind=TaskKind.IN_PROGRESS, text=doing[0], children=_subs(facts, doing[0])))
    tree += [Task(kind=TaskKind.OPEN, text=text) for text in doing[1:]]
    kinds = (TaskKind.NEXT, *(TaskKind.LATER for _ in coming))
    tree += [Task(kind=kind, text=text) for kind, text in zip(kinds, coming, strict=False)]
    if not doing:
        tree += [Task(kind=TaskKind.NOTE, text=text) for text in _notes(facts, bool(coming))]
    return tuple(tree)


def done_tasks(facts: Facts) -> list[str]:
    """Finished tasks: ticked items, and commits made before the first list."""
    ticked = [todo for todo in (*facts.past_todos, *facts.todos) if was_done(todo)]
    listed = bool(ticked or facts.todos)
    commits = [mark for mark in facts.landmarks if mark.kind == "commit" and not mark.superseded]
    early = [mark for mark in commits if not listed or is_after(facts.todos_began, mark.source)]
    lines = [with_source(f"{_text(mark.text)} (committed)", mark.source) for mark in early]
    return lines + [with_source(_text(todo.content), todo.source) for todo in ticked]


def blocker(facts: Facts) -> str:
    """The blocker on record, "" for none."""
    if waits := waiting_for(facts):
        return with_source(shortened(f"waits for {waits.text}", _BLOCKER), waits.source)
    turn, last = unfinished_turn(facts), facts.last_action
    if turn is not None and turn.end in ("interrupted", "api error"):
        return turn_line(facts, turn)
    if turn is None or last is None or last.outcome != "failed":
        return ""
    line = telling_line(last.result) if last.tool in SHELL_TOOLS else last.result
    return with_source(shortened(one_line(line), _BLOCKER), last.source)


def _subs(facts: Facts, current: str) -> tuple[Task, ...]:
    ask = last_request(facts)
    own = ask is not None and current == _quoted(ask)
    subs = [Task(kind=TaskKind.SUB, text=text) for text in list(_last_words(facts))[own:]]
    return (*subs, Task(kind=TaskKind.BLOCKER, text=blocker(facts) or NO_BLOCKER))


def _quoted(ask: UserRequest) -> str:
    return with_source(ask.with_purpose, ask.source)


def _notes(facts: Facts, listed: bool) -> Iterator[str]:
    if not listed and (facts.todos or facts.turns):
        yield NOTHING_OPEN
    yield from _last_words(facts)


def _last_words(facts: Facts) -> Iterator[str]:
    if ask := last_request(facts):
        yield ask.quoted(ASKED)
    if said := last_said(facts):
        yield f'{source_label(ANSWERED, said.source)} "{ends_of(one_line(said.text), _WIDTH)}"'


def _text(text: str) -> str:
    return shortened(one_line(text), _WIDTH)
