"""The size of a session state: 3,000 to 5,000 tokens as the target (seed 003), for any session.

Parts are shortened in this order, as far as necessary: all but the newest quotes; the last lines of the
technical state; questions and answers under tasks; done tasks, which move to the counting line; more quotes;
the ends of long texts; the last tasks; the names of files. Decisions and lines added by a person outside the
known fields always stay, so only they can make a document larger than its target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memtui.documents.compactor_tasks import collapsed
from memtui.documents.quotes import is_quotes, with_fewer_quotes, with_new_quotes, with_shorter_quotes
from memtui.formats.model import Section
from memtui.formats.session_state import SessionState, Task, TaskKind, render_session_state
from memtui.transcript.short_text import shortened, tokens

TARGET = 5_000
"""Tokens of a document; a smaller one is not filled up."""
FLOOR = 2_000
"""Minimum size reserved for everything but decisions and a person's additions, in tokens."""

_STATE_LINES = 3
_SHORT = 100
_NARROW = 60
_FILES = 1_500
_FEW = 8


def size_of(state: SessionState) -> int:
    """Tokens of the document."""
    return tokens(render_session_state(state))


def fitted(state: SessionState, target: int = TARGET) -> SessionState:
    """The state, shortened to `target` tokens as far as possible."""
    for step in _STEPS:
        for smaller in step(state):
            if size_of(state) <= target:
                return state
            state = smaller
    return state


def _fewer_quotes(state: SessionState) -> Iterator[SessionState]:
    yield from _quoting(state, lambda section: with_fewer_quotes(section, closings=3, asks=4))


def _few_quotes(state: SessionState) -> Iterator[SessionState]:
    yield from _quoting(state, lambda section: with_fewer_quotes(section, closings=2, asks=2))


def _short_quotes(state: SessionState) -> Iterator[SessionState]:
    yield from _quoting(state, with_shorter_quotes)


def _quoting(state: SessionState, smaller: Callable[[Section], Iterator[Section]]) -> Iterator[SessionState]:
    for section in filter(is_quotes, state.extra):
        for less in smaller(section):
            yield state.replace(extra=with_new_quotes(state.extra, (less,)))


def _without_state_lines(state: SessionState) -> Iterator[SessionState]:
    lines = state.working.technical_state.split("\n")
    while len(lines) > _STATE_LINES:
        lines = lines[:-1]
        yield _working(state, technical_state="\n".join(lines))


def _without_subs(state: SessionState) -> Iterator[SessionState]:
    tasks = [
        task.replace(children=tuple(child for child in task.children if child.kind is TaskKind.BLOCKER))
        if not task.text.endswith("further tasks")
        else task
        for task in state.tasks
    ]
    yield state.replace(tasks=tuple(tasks))


def _without_done(state: SessionState) -> Iterator[SessionState]:
    done = sum(task.kind is TaskKind.DONE for task in state.tasks)
    if done > 2:
        yield state.replace(tasks=collapsed(state.tasks, max(3, len(state.tasks) - done + 3)))


def _short_texts(state: SessionState) -> Iterator[SessionState]:
    working = {
        name: shortened(getattr(state.working, name), _SHORT * (3 if name == "technical_state" else 1))
        for name in ("last_compile", "last_error", "technical_state", "dependencies")
    }
    yield _working(state, **working)
    state = _working(state, **working)
    names = ("language", "style", "phase", "last_intent")
    dynamics = {name: shortened(getattr(state.dynamics, name), _SHORT) for name in names}
    identity = {
        name: shortened(getattr(state.identity, name), _SHORT * 2) for name in ("project", "branch", "goal")
    }
    yield state.replace(
        dynamics=state.dynamics.replace(**dynamics), identity=state.identity.replace(**identity)
    ).replace(tasks=tuple(_shorter(task, _SHORT) for task in state.tasks))


def _few_tasks(state: SessionState) -> Iterator[SessionState]:
    tasks = tuple(_shorter(task, _NARROW) for task in state.tasks)
    yield state.replace(tasks=tasks)
    yield state.replace(tasks=tuple(_fewer(task) for task in collapsed(tasks, _FEW)))


def _few_files(state: SessionState) -> Iterator[SessionState]:
    yield _working(state, files_modified=shortened(state.working.files_modified, _FILES))
    yield _working(state, files_modified=shortened(state.working.files_modified, _SHORT))


def _shorter(task: Task, width: int) -> Task:
    return task.replace(
        text=shortened(task.text, width), children=tuple(_shorter(child, width) for child in task.children)
    )


def _fewer(task: Task) -> Task:
    if len(task.children) <= _FEW:
        return task
    more = Task(kind=TaskKind.NOTE, text=f"and {len(task.children) - _FEW} more")
    return task.replace(children=(*task.children[:_FEW], more))


def _working(state: SessionState, **changes: str) -> SessionState:
    return state.replace(working=state.working.replace(**changes))


_STEPS = (
    _fewer_quotes,
    _without_state_lines,
    _without_subs,
    _without_done,
    _few_quotes,
    _short_quotes,
    _short_texts,
    _few_tasks,
    _few_files,
)
