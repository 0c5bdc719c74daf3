"""Goal of a session: its plan, its tasks and the user's requests, each labelled."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.documents.open_work import plan_in_force, plan_status, undecided_plan
from memtui.documents.sources import citation
from memtui.documents.user_requests import UserRequest, plan_line, user_requests
from memtui.transcript.command_purposes import title_in
from memtui.transcript.plans import plan_title
from memtui.transcript.records import Facts
from memtui.transcript.short_text import one_line, shortened
from memtui.transcript.tasks import dropped_among, was_done

_ASKED = 2
_TASKS = 240
_TITLE = 80

_PLAN, _LIST = "Approved plan", "Task list"
_OTHER_PLAN = r"Plan (?:neither|whose|without) [a-z ]+"
"""Labels of plans without a decision, including those of earlier versions."""
_LAST, _BEFORE, _FIRST = "last asked", "before that", "first asked"
_LABELS = "|".join((_PLAN, _OTHER_PLAN, _LIST, _LAST, _FIRST))
_DRAFTED = re.compile(rf"(?:{_LABELS})(?: \([^)]*\))?: ")

ONLY_CAPTURE = "only the capture is known: its transcript is gone"
"""Sentence in all documents of a session whose transcript is deleted."""


def goal_parts(facts: Facts, *, clock: bool = False) -> list[str]:
    """The plan, or else the task list; then the requests, newest first, down to the first one."""
    return [*_written_down(facts, clock=clock), *_quoted_requests(user_requests(facts), clock=clock)]


def goal(facts: Facts) -> str:
    """The parts on one line."""
    return "; ".join(goal_parts(facts))


def is_drafted(text: str) -> bool:
    """Whether a goal is worded by `goal`, not by a person or a model."""
    return _DRAFTED.match(text) is not None


def title_of(facts: Facts) -> str:
    """A short name for a session: its plan's title, Claude Code's own title, else the first request."""
    plan = plan_in_force(facts)
    found = user_requests(facts)
    candidates = (
        plan_title(plan) if plan else "",
        facts.title,
        *(_work_of(ask) for ask in reversed(found)),
    )
    lines = [one_line(text) for text in candidates if text.strip()]
    # A bare command is no goal: any words are better.
    return shortened(next((line for line in lines if not _is_bare(line)), (lines or [""])[0]), _TITLE)


def _work_of(ask: UserRequest) -> str:
    """The request in a message; for a slash command its arguments, else its description."""
    _, _, words = ask.text.strip().partition(" ")
    return words if ask.about and " " in words.strip() else title_in(ask.about) or ask.text


def _written_down(facts: Facts, *, clock: bool) -> Iterator[str]:
    if plan := plan_in_force(facts):
        yield f"{_PLAN}: {plan_line(plan)}"
    elif undecided := undecided_plan(facts):
        yield f"Plan {plan_status(undecided)}: {plan_line(undecided)}"
    elif facts.todos:
        done = f"{sum(map(was_done, facts.todos))} of {len(facts.todos)} done{dropped_among(facts.todos)}"
        where = citation(max(todo.source for todo in facts.todos), clock=clock)
        names = "; ".join(one_line(todo.content) for todo in facts.todos)
        counts = ", ".join(part for part in (where, done) if part)
        yield f"{_LIST} ({counts}): {shortened(names, _TASKS)}"


def _quoted_requests(found: list[UserRequest], *, clock: bool) -> Iterator[str]:
    later = [ask for ask in found[:-1] if _names_work(ask)][:_ASKED]
    for at, ask in enumerate(later):
        yield ask.quoted(_BEFORE if at else _LAST, clock=clock)
    if found:
        yield found[-1].quoted(_FIRST, clock=clock)


def _names_work(ask: UserRequest) -> bool:
    return bool(ask.about) or (not _is_bare(ask.line) and _has_words(ask.line))


def _has_words(text: str) -> bool:
    """Whether a text is more than a number or sign typed to choose from a list."""
    return sum(map(str.isalpha, text)) > 1


def _is_bare(text: str) -> bool:
    """Whether a text is a slash command without arguments."""
    return text.startswith("/") and " " not in text
