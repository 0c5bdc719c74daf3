"""Requests of the user, turn by turn, in their own words."""

from __future__ import annotations

import re
from typing import NamedTuple

from memtui.documents.sources import citation, source_label
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import plan_title
from memtui.transcript.records import NOWHERE, Facts, PlanFact, Source, Turn
from memtui.transcript.short_text import ends_of, one_line, shortened

_WIDTH = 240
_WITHOUT_WORDS = ("notification", "start")
_REPLY = 60
"""Longest reply that says little without its question, in characters."""
_QUESTION, _LOOKED_AT = 120, 500
_ASKS = re.compile(r"[?？؟][\s)\"'”*`]*\Z")
_SENTENCES = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？：])(?=.)|\n")
"""Ends of sentences."""


class UserRequest(NamedTuple):
    """The user's words that opened a turn."""

    text: str
    """The words, with pasted blocks replaced by their names."""
    source: Source
    about: str = ""
    """Purpose of a slash command, see `Turn.about`; not the user's words."""
    question: str = ""
    """Claude's preceding question, if the words are too short to be clear without it."""

    @property
    def line(self) -> str:
        """The words on one line; of a long message its beginning and its end, which often says what to do."""
        return ends_of(one_line(self.text), _WIDTH)

    def within(self, width: int) -> str:
        """The words in at most `width` characters, with the question before."""
        return f"{shortened(one_line(self.text), width)}{self._after}"

    @property
    def _after(self) -> str:
        return f' (after "{self.question}")' if self.question else ""

    def quoted(self, label: str, *, clock: bool = False) -> str:
        """``label (L476): "words"``."""
        return f"{source_label(label, self.source, clock=clock)} {self.with_purpose}"

    @property
    def with_purpose(self) -> str:
        """``"words"``, and in brackets the purpose of a slash command or the question before."""
        return f'"{self.line}"{f" ({self.about})" if self.about else self._after}'


def user_requests(facts: Facts) -> list[UserRequest]:
    """The user's requests, newest first; for a plan given to a fresh context only its title."""
    found: list[UserRequest] = []
    later = ""
    for at, turn in reversed(list(enumerate(facts.turns))):
        if turn.kind in _WITHOUT_WORDS or not turn.ask.strip():
            continue
        words = one_line(turn.ask)
        if not (later.startswith(words) and _was_taken_back(turn)):
            found.append(
                UserRequest(_words(turn, facts), turn.source, turn.about, _question(turn, facts.turns[:at]))
            )
        later = words
    # Of a capture only the first words are known; a subagent's transcript begins with its task.
    return found or ([UserRequest(facts.first_prompt, _start(facts))] if facts.first_prompt.strip() else [])


def _was_taken_back(turn: Turn) -> bool:
    """Whether the user took the words back: they follow once more, or with more of them."""
    return turn.end == "interrupted" or not (turn.calls or turn.closing)


def _question(turn: Turn, before: tuple[Turn, ...]) -> str:
    closing = before[-1].closing if before and before[-1].end == "answered" else None
    reply = turn.ask.strip()
    if closing is None or turn.kind != "typed" or len(reply) > _REPLY or _ASKS.search(reply):
        return ""
    last = _SENTENCES.split(closing.text.rstrip()[-_LOOKED_AT:])[-1]
    return ends_of(one_line(last), _QUESTION) if _ASKS.search(last) else ""


def _start(facts: Facts) -> Source:
    """The source of a subagent's task."""
    first = facts.turns[0] if facts.turns else None
    return first.source._replace(speaker="user") if first is not None and first.kind == "start" else NOWHERE


def last_request(facts: Facts) -> UserRequest | None:
    """The user's last request."""
    found = user_requests(facts)
    return found[0] if found else None


def _words(turn: Turn, facts: Facts) -> str:
    if turn.kind == "shell":
        return f"! {turn.ask}"
    if turn.kind != "plan":
        return turn.ask
    for plan in facts.plans:
        content = plan.content.strip()
        if content and content in turn.ask:
            before = turn.ask.partition(content)[0]
            return f"{before.rstrip()} [plan: {plan_title(plan)}]".lstrip()
    return turn.ask


def plan_line(plan: PlanFact) -> str:
    """A plan on one line: its title, its file, its line."""
    where = ", ".join(part for part in (shown_path(plan.path, None), citation(plan.source)) if part)
    return f"{shortened(one_line(plan_title(plan)), _WIDTH)}{f' ({where})' if where else ''}"
