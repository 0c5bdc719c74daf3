"""The compactor (seed 003): the next version of a session's state.

`merge` has the rules of each section, for drafts from facts and from a model. `next_state` is the compactor
without a model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from memtui.documents import quotes, session_state, state_draft
from memtui.documents.quotes import (
    TICKED,
    is_quotes,
    plan_line,
    user_requests,
    with_new_quotes,
    without_source,
)
from memtui.documents.session_state import Decision, Dynamics, Identity, SessionState, Task, TaskKind
from memtui.documents.state_draft import is_ours, task_key
from memtui.documents.work import STANDING, goal_words, steps_of
from memtui.ground.project import Project
from memtui.secrets.secrets import masked
from memtui.transcript.plans import was_done
from memtui.transcript.records import Facts
from memtui.transcript.short_text import one_line, shortened, tokens

MOST_DECISIONS = 20
_SINGLE = 8  # number of the latest decisions that keep an entry of their own

_WORD = re.compile(r"[^\W_]{4,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}")
_CUT = 40  # length in characters at which the beginning of a decision is enough to recognise it


def members(decision: Decision) -> list[str]:
    """The decisions in an entry; for a single one, the entry's own text."""
    lines = decision.text.split("\n")
    if len(lines) > 1 and all(line.startswith("- ") and line[2:].strip() for line in lines):
        return [line[2:].strip() for line in lines]
    return [decision.text]


def merged_decisions(previous: Iterable[Decision], drafted: Iterable[Decision]) -> tuple[Decision, ...]:
    """All decisions of the previous version unchanged, followed by the new ones, without repetitions."""
    entries = [_Entry(decision, members(decision), _words(decision.text)) for decision in previous]
    known = {task_key(text) for entry in entries for text in entry.texts}
    for decision in drafted:
        for text in members(decision):
            key = task_key(text)
            cut = text.endswith(("…", "...")) and len(key) >= _CUT
            if key in known or (cut and any(each.startswith(key) for each in known)):
                continue
            known.add(key)
            entries.append(_Entry(Decision(kind=decision.kind, text=text), [text], _words(text)))
            if len(entries) > MOST_DECISIONS:
                _join_one(entries)
    while len(entries) > MOST_DECISIONS and _join_one(entries):
        pass
    return tuple(each.whole for each in entries)


class _Entry(NamedTuple):
    """A decision, or several joined: read once, as the joined ones may be hundreds."""

    first: Decision
    texts: list[str]
    words: set[str]
    joined: bool = False

    @property
    def whole(self) -> Decision:
        if not self.joined:
            return self.first
        return Decision(kind=self.first.kind, text="\n".join(f"- {text}" for text in self.texts))


def _join_one(entries: list[_Entry]) -> bool:
    """Join the oldest single decision, or else group, into the most related entry of its kind.

    The latest entries, and those that a person wrote in several lines, keep an entry of their own.
    """
    early = [(each.texts, index) for index, each in enumerate(entries[:-_SINGLE])]
    joinable = [index for texts, index in early if len(texts) == 1 and "\n" not in texts[0]]
    joinable += [index for texts, index in early if len(texts) > 1]
    for index in joinable:
        entry = entries[index]
        # The share of words that two entries have in common.
        share = {
            each: len(entry.words & entries[each].words)
            / (min(len(entry.words), len(entries[each].words)) or 1)
            for each in joinable
            if each != index and entries[each].first.kind == entry.first.kind
        }
        if share:
            best = max(share, key=lambda each: (share[each], -abs(each - index)))
            older, newer = entries[min(index, best)], entries[max(index, best)]
            entries[best] = _Entry(older.first, older.texts + newer.texts, older.words | newer.words, True)
            del entries[index]
            return True
    return False


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


MOST_TASKS = 15
_DONE_STAY = 3
_NAMED = 3
_NAME = 60

_EARLIER = re.compile(r"Earlier: completed (\d{1,6}) tasks?(?: including (.*))?", re.DOTALL)
_FURTHER = re.compile(r"\d+ further tasks?")
UNDONE = (TaskKind.OPEN, TaskKind.NEXT, TaskKind.LATER, TaskKind.IN_PROGRESS)


def merged_tasks(
    previous: Sequence[Task], drafted: Sequence[Task], *, gone: Collection[str] = ()
) -> tuple[Task, ...]:
    """The tree of the next version, of any size (see `collapsed`); `gone` are keys of open tasks to drop."""
    after = flat(drafted)
    before = [_with_full_text(task, after) for task in flat(previous) if not is_ours(task)]
    keys = {task_key(task.text) for task in before}
    # Of two tasks with the same words, the done one counts, as it does in a first version.
    latest = {
        task_key(task.text): task for task in sorted(after, key=lambda task: task.kind is TaskKind.DONE)
    }
    done: list[Task] = []
    for task in before:
        now = latest.get(task_key(task.text), task)
        if now.kind is TaskKind.DONE:
            done.append(_as(TaskKind.DONE, task.replace(text=now.text)))
    counted = any(_EARLIER.fullmatch(task.text) for task in before)
    new = [_with_additions(task, before) for task in after if not (counted and _EARLIER.fullmatch(task.text))]
    fresh = (task for task in new if task.kind is TaskKind.DONE and task_key(task.text) not in keys)
    done += [_as(TaskKind.DONE, task) for task in fresh]
    listed = {task_key(task.text) for task in done}
    coming = [task for task in new if task.kind is not TaskKind.DONE and task_key(task.text) not in listed]
    listed |= {task_key(task.text) for task in coming}
    coming += [
        # No longer in progress if another task is.
        _as(TaskKind.OPEN, task) if coming and task.kind is TaskKind.IN_PROGRESS else task
        for task in before
        if task_key(task.text) not in listed and not (task.kind in UNDONE and task_key(task.text) in gone)
    ]
    return _one_in_progress([*done, *coming])


def collapsed(tasks: Sequence[Task], most: int = MOST_TASKS) -> tuple[Task, ...]:
    """At most `most` tasks: old done ones become one line that counts them, the last open ones one task."""
    earlier = next((task for task in tasks if _EARLIER.fullmatch(task.text)), None)
    rest = [task for task in tasks if task is not earlier]
    counted = [task for task in rest if task.kind is not TaskKind.NOTE]
    notes = [task for task in rest if task.kind is TaskKind.NOTE]
    done = [task for task in counted if task.kind is TaskKind.DONE]
    coming = [task for task in counted if task.kind is not TaskKind.DONE]
    if len(counted) + (earlier is not None) > most:
        stay = min(len(done), max(_DONE_STAY, most - 1 - len(coming)))
        earlier = _earlier(earlier, done[: len(done) - stay])
        done = done[len(done) - stay :]
    coming = _further_tasks(coming, most - len(done) - (earlier is not None))
    return (*([earlier] if earlier else []), *done, *coming, *notes)


def count_of(task: Task) -> int:
    """Number of tasks in the counting line; 0 for any other line."""
    match = _EARLIER.fullmatch(task.text) if task.kind is TaskKind.DONE else None
    return int(match[1]) if match else 0


def flat(tasks: Iterable[Task]) -> list[Task]:
    """The tasks, with those collected under "further tasks" separated again."""
    found: list[Task] = []
    for task in tasks:
        if task.kind in UNDONE and _FURTHER.fullmatch(task.text) and task.children:
            found += [child.replace(kind=TaskKind.LATER) for child in task.children]
        else:
            found.append(task)
    return found


def _with_full_text(task: Task, drafted: Sequence[Task]) -> Task:
    """A task with its full text, if it was cut to save room."""
    if not task.text.endswith("…"):
        return task
    cut = task.text[:-1].rstrip()
    found = {each.text for each in drafted if each.text.startswith(cut)}
    return task.replace(text=found.pop()) if len(found) == 1 else task


def _with_additions(task: Task, before: Sequence[Task]) -> Task:
    """A task with the additions of a person in the previous version."""
    known = next((each for each in before if task_key(each.text) == task_key(task.text)), None)
    if known is None:
        return task
    there = {task_key(child.text) for child in task.children}
    theirs = [child for child in known.children if not _is_ours(child) and task_key(child.text) not in there]
    return task.replace(children=(*theirs, *task.children))


def _is_ours(child: Task) -> bool:
    return child.kind is TaskKind.BLOCKER or is_ours(child)


def _as(kind: TaskKind, task: Task) -> Task:
    """A task of another kind, without its generated lines."""
    return task.replace(kind=kind, children=tuple(child for child in task.children if not _is_ours(child)))


def _one_in_progress(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Keep one task in progress, the first, and give it a blocker line."""
    found = False
    result = []
    for task in tasks:
        if task.kind is TaskKind.IN_PROGRESS:
            if found:
                task = task.replace(kind=TaskKind.OPEN)
            elif not any(child.kind is TaskKind.BLOCKER for child in task.children):
                blocker = Task(kind=TaskKind.BLOCKER, text=state_draft.NO_BLOCKER)
                task = task.replace(children=(*task.children, blocker))
            found = True
        result.append(task)
    return tuple(result)


def _earlier(line: Task | None, done: Sequence[Task]) -> Task | None:
    """The counting line, increased by further tasks."""
    if not done:
        return line
    match = _EARLIER.fullmatch(line.text) if line is not None else None
    number = (int(match[1]) if match else 0) + len(done)
    named = [*(match[2] or "").split("; ")] if match else []
    for task in done:
        name = shortened(one_line(without_source(task.text)).replace("; ", ", "), _NAME)
        named.append(f"{name} ({TICKED})" if f"({TICKED}, " in task.text else name)
    names = "; ".join([name for name in named if name][-_NAMED:])
    plural = "task" if number == 1 else "tasks"
    return Task(kind=TaskKind.DONE, text=f"Earlier: completed {number} {plural} including {names}")


def _further_tasks(coming: list[Task], room: int) -> list[Task]:
    """Open tasks, the last of them collected under one task if there are more than `room`."""
    if len(coming) <= max(room, 2):
        return coming
    first, rest = coming[: max(room, 2) - 1], coming[max(room, 2) - 1 :]
    children = tuple(task.replace(kind=TaskKind.OPEN, children=()) for task in rest)
    return [*first, Task(kind=TaskKind.LATER, text=f"{len(rest)} further tasks", children=children)]


TARGET = 5_000  # tokens of a document; a smaller one is not filled up
_SHORT, _NARROW = 200, 60
_FILES = 1_500
_FEW = 8


def size_of(state: SessionState) -> int:
    return tokens(session_state.render_session_state(state))


def fitted(state: SessionState) -> SessionState:
    """The state, shortened to `TARGET` tokens as far as possible."""
    for smaller in _smaller(state):
        if size_of(state) <= TARGET:
            return state
        state = smaller
    return state


def _smaller(state: SessionState) -> Iterator[SessionState]:
    """Smaller and smaller states: what is missed least is left out first."""
    for room in (6_000, 3_000, 1_000):
        fewer = [quotes.with_fewer_quotes(section, room) for section in state.extra if is_quotes(section)]
        yield (state := state.replace(extra=with_new_quotes(state.extra, fewer)))
    for width, most in ((_SHORT, MOST_TASKS), (_NARROW, _FEW)):
        cut = partial(shortened, width=width)
        files = state.working.files_modified
        state = state.replace(
            identity=state.identity.with_texts(cut),
            tasks=tuple(_fewer(task.with_texts(cut)) for task in collapsed(state.tasks, most)),
            working=state.working.with_texts(cut).replace(files_modified=files),
            dynamics=state.dynamics.with_texts(cut),
        )
        yield state
    for room in (_FILES, _NARROW):
        files = shortened(state.working.files_modified, room)
        yield state.replace(working=state.working.replace(files_modified=files))


def _fewer(task: Task) -> Task:
    if len(task.children) <= _FEW:
        return task
    more = Task(kind=TaskKind.NOTE, text=f"and {len(task.children) - _FEW} more")
    return task.replace(children=(*task.children[:_FEW], more))


_Part = TypeVar("_Part", Identity, Dynamics)


def draft_session_state(facts: Facts, project: Project) -> SessionState:
    """The first version of a session's state."""
    return _merged(SessionState(version=0), state_draft.raw_state(facts, project))


def next_state(previous: SessionState | None, facts: Facts, project: Project) -> SessionState | None:
    """The next version of a session's state, from all facts up to now; None if nothing would change."""
    if previous is None:
        return draft_session_state(facts, project)
    drafted = state_draft.raw_state(facts, project)
    was = previous.identity.goal
    if was and goal_words(was) == was:  # a person's or a model's wording
        drafted = drafted.replace(identity=drafted.identity.replace(goal=was))
    # A task that a person ticked off has the line of its last change there: a new list has another one.
    done = {task.text for task in flat(previous.tasks) if task.kind is TaskKind.DONE}
    ticked = (task.replace(kind=TaskKind.DONE) if task.text in done else task for task in drafted.tasks)
    drafted = drafted.replace(tasks=_news(previous, tuple(ticked)))
    return merge(previous, drafted, gone=_dropped_tasks(facts, drafted))


def merge(
    previous: SessionState | None, drafted: SessionState, *, gone: frozenset[str] = frozenset()
) -> SessionState | None:
    """The next version from any draft, by the rules of seed 003; None if nothing would change.

    IDENTITY, except for the project's name, and CONVERSATION DYNAMICS take the values that the draft fills;
    the TASK TREE keeps finished and unmentioned tasks, and open ones unless their keys are `gone`; KEY
    DECISIONS only grow; WORKING CONTEXT is the draft's. Lines and sections added by a person stay.
    """
    merged = _merged(previous or SessionState(version=0), drafted, gone)
    return None if previous is not None and merged.replace(version=previous.version) == previous else merged


def _merged(before: SessionState, drafted: SessionState, gone: Collection[str] = ()) -> SessionState:
    drafted = drafted.with_texts(masked)
    others = [section for section in before.extra if not is_quotes(section)] or drafted.extra
    quoted = [section for section in (*drafted.extra, *before.extra) if is_quotes(section)]
    # A phase that was drafted may be over, which no draft says.
    phase = "" if before.dynamics.phase.startswith(state_draft.PHASES) else before.dynamics.phase
    state = SessionState(
        version=min(before.version + 1, session_state.LATEST),
        identity=_updated(before.identity, drafted.identity).replace(
            project=before.identity.project or drafted.identity.project
        ),
        tasks=collapsed(merged_tasks(before.tasks, drafted.tasks, gone=gone)),
        decisions=merged_decisions(before.decisions, drafted.decisions),
        working=drafted.working.replace(
            extra=tuple(dict.fromkeys((*before.working.extra, *drafted.working.extra)))
        ),
        dynamics=_updated(before.dynamics.replace(phase=phase), drafted.dynamics),
        preamble=before.preamble or drafted.preamble,
        extra=with_new_quotes(others, quoted[:1]),
    )
    return fitted(state)


def _updated(before: _Part, drafted: _Part) -> _Part:
    """`before` with the fields that the draft fills."""
    filled = {name: value for name, value in dict(drafted).items() if value and name != "extra"}
    return before.replace(**filled)


def _news(previous: SessionState, drafted: tuple[Task, ...]) -> tuple[Task, ...]:
    """The drafted tasks without the done ones already counted in the previous version, the oldest ones.

    Open ones with the same words are dropped, too, as the done one counts.
    """
    counted = sum(map(count_of, previous.tasks))
    shown = {task_key(task.text) for task in previous.tasks}
    done = [task for task in drafted if task.kind is TaskKind.DONE and task_key(task.text) not in shown]
    counting = {task_key(task.text) for task in done[:counted]}
    return tuple(task for task in drafted if task_key(task.text) not in counting)


def _dropped_tasks(facts: Facts, drafted: SessionState) -> frozenset[str]:
    """Open tasks no longer wanted: removed from the list, replaced by a list, or earlier requests."""
    texts = [todo.content for todo in facts.past_todos if todo.status != "completed"]
    texts += [todo.content for todo in facts.todos if todo.status == "completed" and not was_done(todo)]
    texts += [text for ask in user_requests(facts) for text in (ask.line, ask.with_purpose)]
    for plan in facts.plans:
        texts += [*steps_of(plan), *(f"{each}: {plan_line(plan)}" for each in STANDING)]
    wanted = {task_key(task.text) for task in drafted.tasks}
    return frozenset(task_key(text) for text in texts) - wanted
