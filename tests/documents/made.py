"""Facts made by hand, each with its line."""

from __future__ import annotations

from typing import Literal

from memtui.transcript.records import (
    Answer,
    Command,
    ErrorFact,
    Fate,
    FileFact,
    Landmark,
    Outcome,
    PlanFact,
    Quote,
    Source,
    Speaker,
    Todo,
    Turn,
    TurnEnd,
    TurnKind,
)

Superseded = Literal["", "amend", "rebase", "reset"]


def at(line: int, speaker: Speaker = "model") -> Source:
    """A line of the transcript, one second a line."""
    return Source(
        line, line * 100, f"2026-01-02T{9 + line // 3600:02}:{line // 60 % 60:02}:{line % 60:02}Z", speaker
    )


def said(text: str, line: int) -> Quote:
    """Words of the model."""
    return Quote(text, at(line), len(text))


def turn(
    line: int, ask: str, closing: str = "", *between: str, kind: TurnKind = "typed", end: TurnEnd = "answered"
) -> Turn:
    """A turn: the ask at `line`, then the texts between, then the closing message, a line each."""
    texts = tuple(said(text, line + 1 + number) for number, text in enumerate(between))
    last = line + 1 + len(between)
    quote = said(closing, last) if closing else None
    return Turn(1, kind, at(line, "user"), ask, closing=quote, texts=texts, end=end, last_line=last)


def ran(text: str, line: int, outcome: Outcome = "ok", output: str = "") -> Command:
    """A command."""
    return Command(text, "", outcome, None, output, source=at(line))


def failed(text: str, line: int, message: str = "Error: duplicate key") -> ErrorFact:
    """A failed command."""
    return ErrorFact("Bash", text, message, at(line))


def todo(content: str, status: str, line: int = 0, details: str = "") -> Todo:
    """A task of a list."""
    return Todo(content, status, details, source=at(line) if line else Source())


def plan(content: str, fate: Fate, line: int, path: str = "") -> PlanFact:
    """A plan that was put before the user."""
    return PlanFact("ExitPlanMode", content, fate, path, source=at(line))


def changed(path: str, line: int = 0, times: int = 1, fate: str = "") -> FileFact:
    """A changed file."""
    return FileFact(path, times, subagent=False, source=at(line) if line else Source(), fate=fate)


def commit(text: str, line: int, identity: str = "abc1234", superseded: Superseded = "") -> Landmark:
    """A commit."""
    return Landmark("commit", text, identity, source=at(line), superseded=superseded)


def answer(question: str, chosen: str, line: int) -> Answer:
    """An answer to a question of the model."""
    return Answer(question, chosen, source=at(line, "user"))
