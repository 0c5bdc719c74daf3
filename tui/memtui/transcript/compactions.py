"""Compactions: each boundary with the summary that belongs to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from memtui.transcript.events import Boundary, Summary
from memtui.transcript.records import CompactionFact, Source

_LIMIT = 200
_SUMMARY_LIMIT = 100_000


class CompactionLog:
    """Pairs boundaries and summaries. The summary follows its boundary; either may be missing."""

    def __init__(self) -> None:
        self._compactions: deque[CompactionFact] = deque(maxlen=_LIMIT)
        self.awaits_summary = False
        """The last boundary has no summary yet."""

    def resume(self, compactions: Iterable[CompactionFact]) -> None:
        """Restore earlier compactions."""
        self._compactions.extend(compactions)
        last = self._compactions[-1] if self._compactions else None
        self.awaits_summary = last is not None and last.trigger != "" and not last.summary

    def boundary(self, event: Boundary, source: Source) -> None:
        """Record a boundary."""
        self._compactions.append(CompactionFact(event.trigger, event.pre_tokens, event.post_tokens, source))
        self.awaits_summary = True

    def summary(self, event: Summary, source: Source) -> None:
        """Record a summary."""
        text = event.text[:_SUMMARY_LIMIT]
        if self.awaits_summary:
            self._compactions[-1] = replace(self._compactions[-1], summary=text, summary_source=source)
        else:
            self._compactions.append(CompactionFact("", None, None, source, text, source))
        self.awaits_summary = False

    def finish(self) -> tuple[CompactionFact, ...]:
        """All compactions, first to last."""
        return tuple(self._compactions)
