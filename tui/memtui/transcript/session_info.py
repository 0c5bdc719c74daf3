"""Place, time and versions of a session: fields that nearly every record repeats."""

from __future__ import annotations

import re
from typing import Any

from memtui.secrets.private import without_private
from memtui.transcript.events import Request
from memtui.transcript.lines import Record
from memtui.transcript.records import ContextSize, Facts

_DISTINCT_LIMIT = 500
_SERIES_LIMIT = 400
_PLAIN_TIME = re.compile(r"[0-9TZ:.+-]+")
"""A time in which no private part can begin."""


def time_of(record: Record) -> str:
    """A record's timestamp, "" when it has none."""
    value = record.get("timestamp")
    if not isinstance(value, str):
        return ""
    return value if _PLAIN_TIME.fullmatch(value) else without_private(value)


class Setting:
    """Tracks the fields that records repeat. The last non-empty value wins."""

    def __init__(self) -> None:
        self.versions: dict[str, None] = {}
        self.models: dict[str, None] = {}
        self.folders: dict[str, None] = {}
        self.branches: dict[str, None] = {}
        self.folder = self.branch = self.started = self.ended = ""
        self._session = self._model = ""
        self._repeated: tuple[Any, ...] = ()
        self._sessions: dict[str, None] = {}
        self._series: list[tuple[str, int]] = []
        self._latest: tuple[str, int] | None = None
        self._stride = 1
        self._requests = 0

    def resume(self, facts: Facts) -> None:
        """Restore the fields."""
        for seen, values in (
            (self.versions, facts.versions),
            (self.models, facts.models),
            (self.folders, facts.cwds),
            (self.branches, facts.branches),
        ):
            seen.update(dict.fromkeys(values))
        self.folder, self.branch = facts.cwd, facts.branch
        self.started, self.ended = facts.started, facts.ended
        if facts.session_id:
            self._session = facts.session_id
            self._sessions[facts.session_id] = None

    def take(self, record: Record) -> str:
        """Record the fields of a record; returns its timestamp, "" when it has none."""
        repeated = record.get("sessionId"), record.get("cwd"), record.get("gitBranch"), record.get("version")
        if repeated != self._repeated:
            self._repeated = repeated
            self._changed(*(without_private(value) if isinstance(value, str) else "" for value in repeated))
        value = time_of(record)
        if not value:
            return ""
        # Records are not always in chronological order.
        if value > self.ended:
            self.ended = value
        if value < self.started or not self.started:
            self.started = value
        return value

    def _changed(self, session: str, folder: str, branch: str, version: str) -> None:
        self._session, self.folder = session or self._session, folder or self.folder
        self.branch = branch or self.branch
        for seen, value in (
            (self._sessions, session),
            (self.folders, folder),
            (self.branches, branch),
            (self.versions, version),
        ):
            if value and len(seen) < _DISTINCT_LIMIT:
                seen[value] = None

    def request(self, request: Request, timestamp: str) -> None:
        """Record a request to the model."""
        if request.model not in ("", self._model) and len(self.models) < _DISTINCT_LIMIT:
            self._model = request.model
            self.models[without_private(request.model)] = None
        if request.tokens:
            self._latest = (timestamp, request.tokens)
            if self._requests % self._stride == 0:
                self._series.append(self._latest)
                if len(self._series) >= _SERIES_LIMIT:
                    del self._series[1::2]
                    self._stride *= 2
            self._requests += 1

    def context_sizes(self) -> tuple[ContextSize, ...]:
        """The context's size over time: evenly thinned for a long session, always with the last one."""
        series = list(self._series)
        if self._latest is not None and series[-1:] != [self._latest]:
            series.append(self._latest)
        return tuple(ContextSize(*size) for size in series)

    def session(self, stem: str) -> str:
        """The session's id.

        The records of a resumed or forked session may carry its parent's id, too: the file is named after its
        own. If no record has that one, the last id counts.
        """
        return stem if stem in self._sessions else self._session or stem
