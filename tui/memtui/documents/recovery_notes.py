"""The notes of a recovery text: the train of thought of a session, as far as a transcript shows it."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.documents.inferred import later_requests, request_line
from memtui.reading.checks import SENTENCE, error_line
from memtui.reading.facts import Facts
from memtui.reading.guesses import is_unsure
from memtui.reading.issues import solved_errors
from memtui.reading.plans import plan_title
from memtui.reading.records import Correction
from memtui.reading.short_text import one_line, says_something, shortened
from memtui.reading.user_plans import is_pasted

_LINE = 320
_TRAIL = 12
_SOLVED = 6
_GUESSES = 8
_REQUESTS = 25
_HANDED_OVER = "Implement the following plan"


def recovery_notes(facts: Facts, *, with_requests: bool) -> str:
    """Causes, corrections, solved errors, refused plans and where it all comes from, under bold titles.

    Args:
        facts: what the transcript says.
        with_requests: also what the user asked for after the first request; an inferred plan has that.
    """
    corrections = list(_corrections(facts.corrections))
    causes = [shortened(one_line(each.text), _LINE) for each in facts.causes]
    groups = (
        ("Causes found", [each for each in causes if not is_unsure(each)][-_TRAIL:]),
        ("Hypotheses along the way", _hypotheses(facts, causes)),
        ("The user's corrections", corrections),
        ("Errors met on the way, and solved", _solved(facts)),
        ("Plans that the user refused", list(_refused(facts))),
        ("What the user asked for later, in order", _requests(facts, corrections) if with_requests else []),
        ("Session", list(_session(facts))),
    )
    told = (f"**{title}**\n" + "\n".join(f"- {line}" for line in lines) for title, lines in groups if lines)
    return "\n\n".join(told)


def _hypotheses(facts: Facts, causes: list[str]) -> list[str]:
    """What was supposed and, as far as the words go, not found."""
    supposed = [shortened(one_line(each.text), _LINE) for each in facts.guesses]
    told = dict.fromkeys([*(each for each in causes if is_unsure(each)), *supposed])
    return [each for each in told if each not in causes or is_unsure(each)][-_GUESSES:]


def _corrections(corrections: tuple[Correction, ...]) -> Iterator[str]:
    for correction in corrections[-_TRAIL:]:
        text = one_line(correction.text)
        if says_something(text) and not is_pasted(correction.text) and not text.startswith(_HANDED_OVER):
            about = shortened(one_line(correction.about), 100)
            yield shortened(text, _LINE) + (f" (about {about})" if about else "")


def _solved(facts: Facts) -> list[str]:
    return list(dict.fromkeys(error_line(error, None) for error in solved_errors(facts)))[-_SOLVED:]


def _refused(facts: Facts) -> Iterator[str]:
    """Refused plans that did not come back under the same title."""
    accepted = {plan_title(plan) for plan in facts.plans if plan.fate != "rejected"}
    for title in dict.fromkeys(plan_title(plan) for plan in facts.plans if plan.fate == "rejected"):
        if title not in accepted:
            yield shortened(title, SENTENCE)


def _requests(facts: Facts, corrections: list[str]) -> list[str]:
    lines = [shortened(request_line(prompt), _LINE) for prompt in later_requests(facts)]
    told = {line.partition(" (about ")[0] for line in corrections}
    return [line for line in lines if line not in told][-_REQUESTS:]


def _session(facts: Facts) -> Iterator[str]:
    if facts.session_id:
        yield f"Claude Code session {facts.session_id}, from {facts.started} to {facts.ended}"
    if facts.branch:
        yield f"Branch {facts.branch}"
    if facts.compactions:
        yield f"{len(facts.compactions)} compaction{'s' if len(facts.compactions) > 1 else ''} so far"
