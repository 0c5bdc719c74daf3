"""Requests of the user, turn by turn, in their own words."""

from __future__ import annotations

from typing import NamedTuple

from memtui.documents.sources import cited, named
from memtui.reading.plans import plan_title
from memtui.reading.records import NOWHERE, Facts, PlanFact, Source, Turn
from memtui.reading.short_text import one_line, shortened

_WIDTH = 240
_WITHOUT_WORDS = ("notification", "start")


class Ask(NamedTuple):
    """The user's words that opened a turn."""

    text: str
    """The words, with pasted blocks replaced by their names."""
    source: Source
    about: str = ""
    """Purpose of a slash command, see `Turn.about`; not the user's words."""

    @property
    def line(self) -> str:
        """The words on one line."""
        return shortened(one_line(self.text), _WIDTH)

    def quoted(self, label: str, *, clock: bool = False) -> str:
        """``label (L476): "words"``."""
        return f"{named(label, self.source, clock=clock)} {self.with_purpose}"

    @property
    def with_purpose(self) -> str:
        """``"words"``, and the purpose of a slash command in brackets."""
        return f'"{self.line}"{f" ({self.about})" if self.about else ""}'


def asks(facts: Facts) -> list[Ask]:
    """The user's requests, newest first; for a plan given to a fresh context only its title."""
    found = [
        Ask(_words(turn, facts), turn.source, turn.about)
        for turn in reversed(facts.turns)
        if turn.kind not in _WITHOUT_WORDS and turn.ask.strip()
    ]
    # Of a capture only the first words are known; a subagent's transcript begins with its task.
    return found or ([Ask(facts.first_prompt, NOWHERE)] if facts.first_prompt.strip() else [])


def last_asked(facts: Facts) -> Ask | None:
    """The user's last request."""
    found = asks(facts)
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
    where = ", ".join(part for part in (plan.path, cited(plan.source)) if part)
    return f"{shortened(one_line(plan_title(plan)), _WIDTH)}{f' ({where})' if where else ''}"
