"""Certain decisions: answers to questions, and plans that the user approved or refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memtui.documents.user_requests import user_requests
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import plan_title
from memtui.transcript.record_order import in_order
from memtui.transcript.records import Answer, Facts, PlanFact, Source
from memtui.transcript.short_text import one_line, shortened

_WIDTH = 320
_WORDS = 200


class RecordedDecision(NamedTuple):
    """A decision with its reason, as seed 000 writes them: ``decision: reasoning``."""

    decision: str
    reason: str
    source: Source


def recorded_decisions(facts: Facts) -> list[RecordedDecision]:
    """All of them, in the order of the session."""
    found = [
        RecordedDecision(_short(answer.answer), _answered(answer), answer.source) for answer in facts.answers
    ]
    found += _plans(facts)
    return in_order(found)


def _answered(answer: Answer) -> str:
    option = f'"{shortened(one_line(answer.option), _WORDS)}", ' if answer.option.strip() else ""
    return f'{option}the user\'s answer to "{_short(answer.question)}"'


def _plans(facts: Facts) -> Iterator[RecordedDecision]:
    """Approved and refused plans; of several with the same title and fate, only the last one."""
    last = {(plan_title(plan), plan.fate): plan for plan in facts.plans}
    for (title, fate), plan in last.items():
        if fate == "approved":
            yield RecordedDecision(
                _plan_with_fate(plan, "approved"), _words_on_plan(facts, plan, "comment"), plan.source
            )
        elif fate == "rejected" and (title, "approved") not in last:
            yield RecordedDecision(
                _plan_with_fate(plan, "refused"), _words_on_plan(facts, plan, "rejection"), plan.source
            )


def _plan_with_fate(plan: PlanFact, fate: str) -> str:
    where = f" ({shown_path(plan.path, None)})" if plan.path else ""
    return f'plan "{_short(plan_title(plan))}" {fate}{where}'


def _words_on_plan(facts: Facts, plan: PlanFact, kind: str) -> str:
    """The user's words on a plan, which open the next turn."""
    verdict = "the user approved it" if kind == "comment" else "the user refused it"
    after = [turn for turn in facts.turns if turn.source.line > plan.source.line]
    if plan.source.line and after and after[0].kind == kind:
        words = next((ask.line for ask in user_requests(facts) if ask.source == after[0].source), "")
        return f'{verdict}: "{shortened(words, _WORDS)}"' if words else verdict
    return verdict


def _short(text: str) -> str:
    return shortened(one_line(text), _WIDTH)
