"""Pane 1: the captures, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.content import Content

from memtui.app.commands import PaneId
from memtui.app.details import capture_document
from memtui.app.facts import FactsReader
from memtui.app.panes.pane import Detail, Pane, Progress, Subject, row
from memtui.app.views import CaptureRow, CapturesView
from memtui.app.widgets.document import Document
from memtui.clean import clean_line
from memtui.clock import Clock, age, short_time
from memtui.store.transcripts import TranscriptProblem

_WAITING = """Nothing waits for a review.

When Claude Code compacts a conversation
by itself, what it covered arrives here."""
_TIME_WIDTH = 7


class PendingPane(Pane):
    """Captures that wait for a review; reviewed ones too when asked for."""

    pane_id = PaneId.PENDING
    number = 1

    def __init__(self, clock: Clock, facts: FactsReader, check_transcript: Callable[[str], Path]) -> None:
        super().__init__(clock)
        self.empty = _WAITING
        self.view = CapturesView()
        self.reviewed_too = False
        self._facts = facts
        self._check_transcript = check_transcript

    def apply(self, view: CapturesView) -> None:
        """Show a newer listing."""
        self.view = view
        self.empty = view.problem or _WAITING
        self.show_rows()

    def capture_row(self, key: str | None) -> CaptureRow | None:
        """The capture behind a row."""
        return self.view.rows.get(key) if key is not None else None

    def all_keys(self) -> Sequence[str]:
        return self.view.keys(reviewed_too=self.reviewed_too)

    def count(self) -> str:
        pending = sum(1 for item in self.view.rows.values() if item.pending)
        if self.view.unread:
            return f"{pending}…"
        if self.reviewed_too:
            return f"{pending} of {len(self.view.rows)}"
        return str(pending) if pending else ""

    def text_of(self, key: str) -> str:
        item = self.view.rows[key]
        return f"{key} {item.problem} {item.capture.first_message if item.capture else ''}"

    def draw_row(self, key: str, width: int) -> Content:
        item = self.view.rows.get(key)
        if item is None:
            return Content("")
        if item.capture is None:
            problem = item.problem or "…"
            return row([(clean_line(key), "$text-muted"), " ", (problem, "$error")], "", width)
        capture = item.capture
        now = self.clock()
        when = f"{short_time(capture.timestamp, now):<{_TIME_WIDTH}}"
        ago = age(capture.timestamp, now)
        if capture.status == "reviewed":
            return row([(f"{when}✓ {title_of(capture.first_message)}", "$text-muted")], ago, width)
        trigger = "auto · " if width >= 44 else ""
        return row([(when, "$accent"), title_of(capture.first_message)], trigger + ago, width)

    def detail(self, key: str | None) -> Detail:
        item = self.capture_row(key)
        if item is None or key is None:
            return Detail("", "Capture", Document.plain(_WAITING))
        if item.capture is None:
            return Detail(key, "Capture", capture_document(item, self.clock(), None))

        def work(progress: Progress) -> Document:
            return capture_document(item, self.clock(), self._evidence(item, progress))

        title = f"Capture {short_time(item.capture.timestamp, self.clock())}"
        return Detail(key, title, capture_document(item, self.clock(), None), work)

    def subject(self, key: str | None) -> Subject:
        item = self.capture_row(key)
        if item is None:
            return Subject()
        transcript, why_not = None, "A broken capture names no transcript."
        if item.capture is not None:
            try:
                transcript = self._check_transcript(item.capture.transcript)
            except TranscriptProblem as problem:
                why_not = str(problem)
        return Subject(
            no_recovery_id="A capture has no Recovery ID.",
            file=item.entry.path,
            transcript=transcript,
            no_transcript=why_not,
        )


def title_of(first_message: str) -> str:
    """The first line of a message that says something, as one safe line."""
    lines = (clean_line(line) for line in first_message.split("\n"))
    return next((line for line in lines if line), "(no first message)")
