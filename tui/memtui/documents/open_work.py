"""Unfinished work by the record: tasks, steps of a plan, a question, the last turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtui.documents.quotes import last_said
from memtui.documents.sources import source_label, with_source
from memtui.documents.user_requests import UserRequest, last_request, plan_line
from memtui.transcript.record_order import is_after
from memtui.transcript.records import Facts, PlanFact, Source, Turn
from memtui.transcript.short_text import ends_of, one_line, shortened
from memtui.transcript.tasks import OPEN

_WIDTH = 240
_STEPS = 8

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_UNTICKED = re.compile(r"^[ \t]*[-*+][ \t]+\[ \][ \t]+(\S.*)$", re.MULTILINE)
_BOX = re.compile(r"^[ \t]*[-*+][ \t]+\[([ xX>])\][ \t]+(\S.*)$", re.MULTILINE)
_TICKED = re.compile(r"^[ \t]*[-*+][ \t]+\[[xX]\][ \t]", re.MULTILINE)
_NUMBERED = re.compile(r"^(?:#{2,4}[ \t]+\D{0,12})?[(（]?(\d{1,2})[.)）．:：、][ \t]*(\S.*)$", re.MULTILINE)

_ENDED = {
    "interrupted": "was interrupted",
    "api error": "ended with an API error",
    "running": "has no closing message yet",
}


_UNDECIDED = {
    "unknown": "neither approved nor refused on record",
    "dismissed": "whose call was rejected without words",
}
"""By fate."""


class OpenWork(NamedTuple):
    """Unfinished work on record."""

    text: str
    source: Source
    doing: bool = False
    """Whether it is in progress: by a task tool, or as a turn without an end."""

    @property
    def line(self) -> str:
        """The text with its source."""
        return self.at(clock=False)

    def at(self, *, clock: bool) -> str:
        """The text with its source and, for people, the time."""
        return with_source(self.text, self.source, clock=clock)


def open_tasks(facts: Facts) -> list[OpenWork]:
    """Tasks of the last list that are not ticked off, those in progress first."""
    found = [
        OpenWork(_short(todo.content), todo.source, todo.status == "in_progress")
        for todo in facts.todos
        if todo.status in OPEN
    ]
    return sorted(found, key=lambda work: not work.doing)


def open_steps(facts: Facts) -> list[OpenWork]:
    """Unticked steps of the plan in force; without boxes, all of them if no work was done since."""
    plan = plan_in_force(facts)
    if plan is None or facts.todos or facts.past_todos:
        return []
    text = _FENCED.sub("", plan.content)
    steps = _UNTICKED.findall(text)
    if not steps and not _TICKED.search(text) and not _worked_since(facts, plan):
        steps = numbered_steps(text)
    return [OpenWork(_step(step), plan.source) for step in steps[:_STEPS]]


def steps_of(plan: PlanFact) -> list[str]:
    """Every step of a plan that `open_steps` may name."""
    text = _FENCED.sub("", plan.content)
    ticked = [line for _, line in _BOX.findall(text)]
    return [_step(step) for step in (*ticked, *numbered_steps(text))]


def numbered_steps(text: str) -> list[str]:
    """The items of the first unindented list numbered from 1, or headings numbered in this way."""
    steps: list[str] = []
    for number, step in _NUMBERED.findall(text):
        if int(number) == len(steps) + 1:
            steps.append(step)
        elif steps and int(number) == 1 and len(steps) > 1:
            break
    return steps if len(steps) > 1 else []


def plan_in_force(facts: Facts) -> PlanFact | None:
    """The last plan approved by the user."""
    return next((plan for plan in reversed(facts.plans) if plan.fate == "approved"), None)


def undecided_plan(facts: Facts) -> PlanFact | None:
    """A later plan without a decision."""
    plan = facts.plans[-1] if facts.plans else None
    return plan if plan is not None and plan.fate in _UNDECIDED else None


def plan_status(plan: PlanFact) -> str:
    """The status of a plan, to follow the word "plan"."""
    return _UNDECIDED.get(plan.fate, plan.fate)


def awaited_plan(facts: Facts) -> PlanFact | None:
    """An undecided plan with no request or change after it."""
    plan = undecided_plan(facts)
    if plan is None or plan.fate == "dismissed" or _worked_since(facts, plan):
        return None
    asked = any(
        turn.source.line > plan.source.line > 0 for turn in facts.turns if turn.kind != "notification"
    )
    return None if asked else plan


def unfinished_turn(facts: Facts) -> Turn | None:
    """The last turn if it was interrupted, ended with an error, or has no closing message."""
    last = facts.turns[-1] if facts.turns else None
    return last if last is not None and last.end != "answered" else None


def turn_line(facts: Facts, turn: Turn, *, clock: bool = False) -> str:
    """An unfinished last turn: ``the last turn was interrupted (L476)``, at its API error if any."""
    where = facts.api_errors[-1].source if facts.api_errors and turn.end == "api error" else turn.source
    where = where if is_after(where, turn.source) else turn.source
    return with_source(f"the last turn {_ENDED[turn.end]}", where, clock=clock)


def waiting_for(facts: Facts) -> OpenWork | None:
    """A question, or a plan, that the user has not answered: the last call has no result."""
    last = facts.last_action
    if last is None or last.outcome != "unknown":
        return None
    if last.tool == "AskUserQuestion":
        return OpenWork(f'the user\'s answer to: "{_short(last.target)}"', last.source)
    if last.tool == "ExitPlanMode":
        return OpenWork("the user's decision on the plan", last.source)
    return None


def pending(facts: Facts, *, clock: bool = False) -> list[str]:
    """Open work, most urgent first; without any on record, Claude's last message."""
    return open_work(facts, clock=clock) or [nothing_open(facts, clock=clock)]


def open_work(facts: Facts, *, clock: bool = False) -> list[str]:
    """Open work on record, most urgent first."""
    return list(dict.fromkeys(_pending(facts, clock=clock)))


def nothing_open(facts: Facts, *, clock: bool = False) -> str:
    """The text for no open work on record, which does not mean none: quotes the last message."""
    said = last_said(facts)
    label = source_label("Claude said last", said.source, clock=clock) if said else ""
    quote = f'; {label} "{ends_of(one_line(said.text), _WIDTH)}"' if said else ""
    return f"no open task on record{quote}"


def _pending(facts: Facts, *, clock: bool) -> Iterator[str]:
    if waits := waiting_for(facts):
        yield f"waits for {waits.at(clock=clock)}"
    if (turn := unfinished_turn(facts)) and (ask := last_request(facts)):
        yield f"{_the_turn(turn, ask, clock=clock)} {_ENDED[turn.end]}"
    for task in open_tasks(facts):
        line = f"{task.text} (in progress)" if task.doing else task.text
        yield with_source(line, task.source, clock=clock)
    if plan := awaited_plan(facts):
        yield f"plan {plan_status(plan)}: {plan_line(plan)}"
    yield from (step.at(clock=clock) for step in open_steps(facts))


def _the_turn(turn: Turn, ask: UserRequest, *, clock: bool) -> str:
    if turn.kind in ("notification", "start"):
        return with_source("the last turn", turn.source, clock=clock)
    return ask.quoted("the turn", clock=clock)


def _worked_since(facts: Facts, plan: PlanFact) -> bool:
    """Whether a file was changed or committed after the plan."""
    moments = [mark.source for mark in facts.landmarks]
    moments += [file.source for file in facts.modified_files if file.path != plan.path]
    return any(is_after(source, plan.source) for source in moments)


def _step(text: str) -> str:
    return _short(text.replace("**", ""))


def _short(text: str) -> str:
    return shortened(one_line(text), _WIDTH)
