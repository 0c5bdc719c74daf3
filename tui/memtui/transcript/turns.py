"""The turns of a session: the opening words, the model's texts, and how each ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from memtui.transcript.command_purposes import description_of, plan_read
from memtui.transcript.pasted import without_pasted
from memtui.transcript.records import Pasted, Quote, Source, Turn, TurnEnd, TurnKind
from memtui.transcript.short_text import ends_of

CLOSING = 4_000
"""Maximum length of a closing message in characters; `OLD_CLOSING` in turns before the last `RECENT`."""
OLD_CLOSING = 800
TEXT = 1_500
TEXTS = 10
"""Number of other texts kept of a turn, and of turns that keep theirs."""
RECENT = 50
_ASK = 50_000
_OLD_ASK = 4_000
_COUNT_LIMIT = 5_000
_FIRST_CALLS = 15
"""Number of calls at the beginning of a command's turn in which it may read its plan."""


def quoted(text: str, source: Source, limit: int, length: int = 0) -> Quote:
    """A text as a quote: whole, or 60 % of `limit` from its head and 40 % from its tail."""
    return Quote(ends_of(text, limit), source, length or len(text))


class TurnLog:
    """Collects turns in file order; bounded, however long the session is."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget all turns."""
        self._closed: list[Turn] = []
        self._turn: Turn | None = None
        self._texts: deque[Quote] = deque(maxlen=TEXTS + 1)
        self._end: TurnEnd = "running"
        self._calls = 0
        self._planned = False

    def resume(self, turns: Iterable[Turn]) -> None:
        """Restore turns; the last one may still be open."""
        *self._closed, last = (*turns, None)
        if self._closed:
            last = self._turn = self._closed.pop()
            self._texts.extend((*last.texts, *([last.closing] if last.closing else [])))
            self._end, self._calls = last.end, last.calls

    def opened(self, kind: TurnKind, ask: str, source: Source, printed: Iterable[str] = ()) -> None:
        """Open a turn; `ask` has the words of the user, `printed` earlier output of tools."""
        number = 1
        if self._turn is not None:
            number = self._turn.number + 1
            self._closed.append(self._finished(source.line - 1))
            self._make_old()
        pasted: tuple[Pasted, ...] = ()
        if kind not in ("plan", "shell"):
            ask, pasted = without_pasted(ask, source, printed)
        self._turn = Turn(number, kind, source, ask[:_ASK], pasted=pasted)
        self._texts.clear()
        self._end, self._calls, self._planned = "running", 0, False

    def expanded(self, text: str) -> None:
        """Record a text inserted by Claude Code: the first one in a turn is that of the command."""
        turn = self._turn
        if turn is not None and turn.kind == "command" and not (turn.about or self._calls or self._texts):
            name = turn.ask.partition(" ")[0].lstrip("/")
            self._turn = replace(turn, about=description_of(text, name))

    def has_read(self, path: str, text: str) -> None:
        """Record a file that was read: a command may begin by reading the plan it is to carry out."""
        turn = self._turn
        if turn is None or self._calls > _FIRST_CALLS or self._planned:
            return
        before = self._closed[-1] if self._closed else None
        stopped = before is not None and before.kind == "command" and not before.calls
        if not (turn.kind == "command" or stopped) or not (plan := plan_read(path, text)):
            return
        self._planned = True
        if turn.kind == "command":
            self._turn = replace(turn, about=plan)
        elif before is not None:  # stopped at once: its work begins in the next turn
            self._closed[-1] = replace(before, about=plan)

    def said(self, text: str, source: Source) -> None:
        """Record a text of the model."""
        self._begun(source)
        self._texts.append(quoted(text, source, CLOSING))
        self._end = "answered"

    def called(self, source: Source) -> None:
        """Record a tool call of the model."""
        self._begun(source)
        self._calls += 1
        self._end = "running"

    def ended(self, end: TurnEnd) -> None:
        """Record that the user, or an error, ended the model's work; more may follow."""
        self._end = end

    def finish(self, last_line: int) -> tuple[Turn, ...]:
        """The turns, oldest first.

        Args:
            last_line: the last line that was read.
        """
        return (*self._closed, *([self._finished(last_line)] if self._turn else []))

    def _begun(self, source: Source) -> None:
        if self._turn is None:
            self.opened("start", "", source._replace(speaker="claude code"))

    def _finished(self, last_line: int) -> Turn:
        assert self._turn is not None
        texts = list(self._texts)
        closing = texts.pop() if texts else None
        return replace(
            self._turn,
            closing=closing,
            texts=tuple(quoted(each.text, each.source, TEXT, each.length) for each in texts),
            end=self._end,
            calls=self._calls,
            last_line=max(last_line, self._turn.source.line),
        )

    def _make_old(self) -> None:
        """Shorten the turn that has just become an old one."""
        closed = self._closed
        if len(closed) > TEXTS and closed[-TEXTS - 1].texts:
            closed[-TEXTS - 1] = replace(closed[-TEXTS - 1], texts=())
        if len(closed) > RECENT:
            old = closed[-RECENT - 1]
            closing = old.closing
            if closing is not None:
                closing = quoted(closing.text, closing.source, OLD_CLOSING, closing.length)
            closed[-RECENT - 1] = replace(old, ask=old.ask[:_OLD_ASK], closing=closing)
        if len(closed) > _COUNT_LIMIT:
            del closed[1]  # the first one states the purpose of the session
