"""The rules for a model's session state, before `memtui.documents.compactor` merges it.

The model cannot change facts that are on record (project, branch, files, checks, the last error, finished
tasks). It may word the goal, order and add tasks, add decisions, and add to the technical state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memtui.documents.compactor_decisions import members
from memtui.documents.compactor_tasks import MOST, count_of, flat
from memtui.documents.state_tasks import NO_BLOCKER, task_key
from memtui.engines.citations import CitedLines
from memtui.engines.known_names import Known
from memtui.engines.rules import LINE
from memtui.engines.wording import is_covered, is_near, wording
from memtui.formats.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
)
from memtui.transcript.facts import Facts

_CONSIDERED = 200
"""The most items read from an answer; a good one has twenty."""
_DECISIONS = 20
"""The most decisions that one answer may add."""
_GOAL = 400
_FIELD = 200
_SUBS = 8
_STATE_LINES = 24
"""The most lines of the technical state with the model's additions."""
_NOTHING = ("", "none", "n/a", NO_BLOCKER.casefold())
_HANGING = (TaskKind.SUB, TaskKind.BLOCKER, TaskKind.NOTE)


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """A model's session state, for the draft in its prompt or for a later one."""

    answer: SessionState
    prompt: str
    """The prompt, which decides the known names."""
    lines: int
    """Number of the transcript's lines at that time."""
    cited: CitedLines = field(default_factory=CitedLines)
    """The cited lines of the transcript."""

    def into(self, draft: SessionState, facts: Facts) -> SessionState:
        """The part to merge with a draft; see `ruled_state`."""
        return ruled_state(
            self.answer, draft, Known(facts, self.prompt, self.cited), late=facts.lines != self.lines
        )


def ruled_state(
    answer: SessionState, draft: SessionState, known: Known, *, late: bool = False
) -> SessionState:
    """The part of a model's session state to merge with the draft.

    Args:
        answer: the model's state.
        draft: the next version made from facts.
        known: the known files and lines.
        late: the session has continued since the question, so that current work is taken from the draft.
    """
    return SessionState(
        version=draft.version,
        identity=draft.identity if late else _identity(answer.identity, draft.identity, known),
        tasks=_tasks(answer.tasks, draft.tasks, known, late=late),
        decisions=(*draft.decisions, *_new_decisions(answer.decisions, draft.decisions, known)),
        working=_working(answer.working, draft.working, known),
        dynamics=draft.dynamics if late else _dynamics(answer.dynamics, draft.dynamics, known),
        preamble=draft.preamble,
        extra=draft.extra,
    )


def _identity(answer: Identity, draft: Identity, known: Known) -> Identity:
    goal = known.item(answer.goal, _GOAL)
    stable = not goal or is_near(goal, draft.goal)
    return draft.replace(goal=draft.goal if stable else goal)


def _dynamics(answer: Dynamics, draft: Dynamics, known: Known) -> Dynamics:
    names = ("language", "style", "phase", "last_intent")
    values = {name: known.marked(getattr(answer, name), _FIELD) for name in names}
    return draft.replace(**{name: value for name, value in values.items() if value})


def _working(answer: WorkingContext, draft: WorkingContext, known: Known) -> WorkingContext:
    return draft.replace(
        last_error=draft.last_error or known.item(answer.last_error, LINE),
        technical_state=_technical(answer.technical_state, draft.technical_state, known),
        dependencies=draft.dependencies or known.item(answer.dependencies, LINE),
    )


def _technical(answer: str, draft: str, known: Known) -> str:
    """The draft's lines, then the model's additional ones, up to the limit."""
    lines = [line.removeprefix("- ") for line in draft.split("\n") if line.strip()]
    covered = [wording(line) for line in lines]
    for line in answer.split("\n")[:_CONSIDERED]:
        more = known.item(line.strip().removeprefix("- "), LINE)
        if len(lines) < _STATE_LINES and wording(more).words and not is_covered(more, covered):
            lines.append(more)
            covered.append(wording(more))
    return "\n".join(f"- {line}" for line in lines) if len(lines) > 1 else "".join(lines)


def _new_decisions(
    answer: Iterable[Decision], draft: Iterable[Decision], known: Known
) -> tuple[Decision, ...]:
    """The model's last decisions that the draft's do not cover; the draft's wording is kept."""
    covered = [wording(text) for decision in draft for text in members(decision)]
    new: list[Decision] = []
    texts = [(decision.kind, text) for decision in list(answer)[-_CONSIDERED:] for text in members(decision)]
    for kind, text in texts[-_CONSIDERED:]:
        text = known.item(text, LINE)
        if wording(text).words and not is_covered(text, covered):
            covered.append(wording(text))
            new.append(Decision(kind=kind, text=text))
    return tuple(new[-_DECISIONS:])


def _tasks(answer: Iterable[Task], draft: Iterable[Task], known: Known, *, late: bool) -> tuple[Task, ...]:
    """The model's tasks: those of the draft in the draft's words, and new open ones.

    Tasks stay open unless the facts show them done, and new ones are open. A late answer only adds tasks that
    are not in progress.
    """
    before = [task for task in flat(draft) if not count_of(task)]
    tasks = {task_key(task.text): task for task in before} if late else {}
    unknown = (TaskKind.DONE, TaskKind.IN_PROGRESS) if late else (TaskKind.DONE,)
    new = 0
    for task in flat(answer)[:_CONSIDERED]:
        if task.kind in _HANGING or count_of(task) or not any(map(str.isalnum, task.text)):
            continue
        own = _own(task, before)
        if own is not None:
            tasks.setdefault(task_key(own.text), _taken(own, task, known))
        elif task.kind not in unknown and new < MOST:
            new += 1
            text = known.item(task.text, LINE)
            fresh = Task(kind=task.kind, text=text, children=_children(task, (), known))
            tasks.setdefault(task_key(text), fresh)
    return tuple(tasks.values())


def _own(task: Task, before: list[Task]) -> Task | None:
    """The draft's task that equals a model's task."""
    exact = (each for each in before if task_key(each.text) == task_key(task.text))
    near = (each for each in before if is_near(each.text, task.text))
    return next(exact, None) or next(near, None)


def _taken(own: Task, task: Task, known: Known) -> Task:
    """A task of the draft with the model's additions: whether it is next, and its sub-items."""
    if own.kind is TaskKind.DONE:
        return own
    kind = own.kind if task.kind is TaskKind.DONE else task.kind
    return own.replace(kind=kind, children=_children(task, own.children, known))


def _children(task: Task, own: tuple[Task, ...], known: Known) -> tuple[Task, ...]:
    """A task's sub-items: the draft's, then open ones of the model, up to the limit."""
    blocked = any(_is_blocker(child) for child in own)
    kept = [child for child in own if child.kind is not TaskKind.BLOCKER or blocked]
    covered = [wording(child.text) for child in kept]
    for child in task.children[:_CONSIDERED]:
        text = known.item(child.text, LINE) if not _is_nothing(child) else NO_BLOCKER
        unwanted = child.kind is TaskKind.DONE or (child.kind is TaskKind.BLOCKER and blocked)
        if len(kept) >= _SUBS or unwanted or not wording(text).words or is_covered(text, covered):
            continue
        kind = child.kind if child.kind in _HANGING else TaskKind.SUB
        blocked = blocked or kind is TaskKind.BLOCKER
        kept.append(Task(kind=kind, text=text))
        covered.append(wording(text))
    return tuple(kept)


def _is_blocker(child: Task) -> bool:
    return child.kind is TaskKind.BLOCKER and not _is_nothing(child)


def _is_nothing(child: Task) -> bool:
    return child.kind is TaskKind.BLOCKER and child.text.casefold().strip(" .") in _NOTHING
