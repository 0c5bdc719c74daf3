"""Pane 1: the captures, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.app.details.rows import capture_document, facts_document
from memtui.app.keys.commands import PaneId
from memtui.app.model.project_model import Browser
from memtui.app.model.views import CaptureRow, CapturesView, HealthView, View
from memtui.app.panes.pane import Detail, Pane, Progress, Subject, row, when_of
from memtui.app.widgets.document import Document, plain
from memtui.formats.capture_text import opening
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute
from memtui.ground.files import FileProblem
from memtui.transcript.cancelled import ReadingCancelledError

if TYPE_CHECKING:
    from memtui.formats.capture import Capture
    from memtui.formats.capture_text import PendingText
    from memtui.lost.records import Aftermath

_WAITING = "Nothing waits for a review.\n\nWhat an auto-compaction took away arrives here."
_INSTALL = "\n\ni installs the hooks · memtui demo shows how it looks"
_READING = "…"
_ROOMY = 56
"""Width in columns from which a row also shows the size after the compaction."""


class PendingPane(Pane):
    """Pending captures; reviewed ones, too, on request."""

    pane_id = PaneId.PENDING
    number = 1

    def __init__(self, browser: Browser) -> None:
        super().__init__(browser, empty=_WAITING)
        self.view = CapturesView()
        self.reviewed_too = False
        self._health: HealthView | None = None
        self.losses: dict[str, tuple[int, int] | None] = {}
        """Number of losses that count, and of tokens left, for each capture's compaction; None if no
        transcript has it."""
        self._unfolded: set[str] = set()
        self._texts: dict[str, tuple[CaptureRow, str]] = {}

    def apply(self, view: View) -> None:
        """Show a newer listing."""
        if isinstance(view, CapturesView):
            self.view = view
            self.say_when_empty(self._nothing())
            self.show_rows()
            self.highlight_new(view.rows, whole=not view.unread)

    def apply_health(self, health: HealthView) -> None:
        """In an empty pane, explain how captures get here."""
        sized = self._health is not None and self._health.sizes == health.sizes
        self._health = health
        self.say_when_empty(self._nothing())
        if not self.rows:
            self.show_rows()
        elif not sized:
            self.refresh_rows()

    def _nothing(self) -> str:
        if self.view.unread:
            return _READING
        missing = len(self._health.missing) if self._health else 0
        if missing:
            compactions = "1 compaction has" if missing == 1 else f"{missing} compactions have"
            nothing = f"{compactions} no capture yet.\n\nb captures {'it' if missing == 1 else 'them'} now"
            return nothing if self._installed else f"{nothing} · i installs the hooks for the next ones"
        return _WAITING if self._installed else _WAITING + _INSTALL

    @property
    def _installed(self) -> bool:
        return self._health is None or self._health.installed

    def reveal(self, key: str) -> bool:
        """Select a capture and show it if hidden; False if there is none."""
        if key not in self.view.rows:
            return False
        if not self.select(key):
            self.filter_text = ""
            self.reviewed_too = self.reviewed_too or not self.view.rows[key].pending
            self.show_rows()
            return self.select(key)
        return True

    @property
    def has_new_captures(self) -> bool:
        """Whether new captures are waiting for a review."""
        return any(self.view.rows[key].pending for key in self.newcomers if key in self.view.rows)

    def capture_row(self, key: str | None) -> CaptureRow | None:
        """The capture behind a row."""
        return self.view.rows.get(key) if key is not None else None

    def all_keys(self) -> Sequence[str]:
        """Every key, in the order shown."""
        return self.view.keys(reviewed_too=self.reviewed_too)

    def count(self) -> str:
        """The numbers of pending and of broken captures."""
        broken = self.view.broken
        pending = len(self.view.pending) - broken
        parts = [f"{pending}…" if self.view.unread else str(pending) if pending or broken else ""]
        parts += [f"⚠{broken}"] if broken else []
        return " ".join(part for part in parts if part)

    def count_in_border(self) -> str:
        """The same, and the number of reviewed ones shown."""
        done = len(self.view.rows) - len(self.view.pending)
        reviewed = f"{done} reviewed" if self.reviewed_too and done else ""
        return " · ".join(part for part in (self.count(), reviewed) if part)

    def text_of(self, key: str) -> str:
        """The text that the filter searches; cached, as it is needed for every page read meanwhile."""
        item = self.view.rows[key]
        known, text = self._texts.get(key, (None, ""))
        if known is not item:
            made = item.entry.time
            when = day_and_minute(made) if made else ""
            text = f"{key} {when} {item.problem} {item.capture.first_message if item.capture else ''}"
            self._texts[key] = (item, text)
        return text

    def draw_row(self, key: str, width: int) -> Content:
        """One row."""
        item = self.view.rows.get(key)
        if item is None:
            return Content("")
        now = self.clock()
        capture = item.shown
        if capture is None:
            made = item.entry.time
            when = when_of(made, now, width) if made else clean_line(key) + " "
            return row([(when, "$quiet"), _unreadable(item)], "", width)
        exact = capture.first_message in self.view.alike
        when = when_of(capture.timestamp, now, width, exact=exact)
        fill = self._fill_of(key, capture, width)
        if capture.status == "reviewed":
            return row([(f"{when}✓ {title_of(capture)}", "$quiet")], fill, width)
        return row([(when, "$accent"), title_of(capture)], fill, width)

    def _fill_of(self, key: str, capture: Capture | PendingText, width: int) -> str:
        """The context's size in thousands of tokens, and the number of losses: ``155k -> 42k  ✗ 7``.

        Unknown values are left out; ``✓`` means that no loss counts.
        """
        sizes = self._health.sizes if self._health else {}
        before = sizes.get((capture.session_id, capture.timestamp), 0)
        losses, after = self.losses.get(key) or (-1, 0)
        size = f"{round(before / 1000)}k" if before else ""
        size += f" -> {round(after / 1000)}k" if before and after and width >= _ROOMY else ""
        lost = "" if losses < 0 else f"✗ {losses}" if losses else "✓"
        return "  ".join(part for part in (size, lost) if part)

    def read_losses(self, item: CaptureRow, cancelled: Callable[[], bool]) -> Aftermath | None:
        """Read and store the losses of a compaction, in a thread; None if no transcript has it."""
        assert item.capture is not None
        try:
            transcript = self.browser.check_transcript(item.capture.transcript)
            found = self.browser.aftermaths.read(transcript, item.capture.timestamp, cancelled)
        except ReadingCancelledError:
            return None
        except (FileProblem, OSError):
            self.losses[item.entry.name] = None
            return None
        losses = (len(found.counted_losses), found.compaction.post_tokens or 0)
        if self.losses.get(item.entry.name) != losses:
            self.losses[item.entry.name] = losses
            self.call_later(self.refresh_rows)  # posted as a message, as it may come from any thread
        return found

    def unfold(self, name: str) -> None:
        """Toggle a fold of the detail."""
        self._unfolded ^= {name}

    def detail(self, key: str | None) -> Detail:
        """The detail of a row."""
        item = self.capture_row(key)
        if item is None or key is None:
            return Detail("", "Capture", plain(self.empty, "dim"))
        if item.shown is None:
            return Detail(key, "Capture", capture_document(item, self.clock(), None))

        def work(progress: Progress) -> Document:
            return self._whole(item, progress)

        title = f"Capture {day_and_minute(item.shown.timestamp)}"
        document = capture_document(item, self.clock(), None)
        return Detail(key, title, document, work if item.capture is not None else None)

    def _whole(self, item: CaptureRow, progress: Progress) -> Document:
        """A capture, the losses of its compaction, and the facts up to it."""
        from memtui.app.details.aftermath import lost_document

        found = self.read_losses(item, progress.cancelled)
        lost = None
        if found is not None:
            receipts = self.browser.aftermaths.receipts(found.session_id)
            lost = lost_document(found, receipts, frozenset(self._unfolded))
        return capture_document(item, self.clock(), self._facts(item, progress), lost)

    def _facts(self, item: CaptureRow, progress: Progress) -> Document:
        """The facts from before the compaction."""
        from memtui.documents.evidence import evidence

        assert item.capture is not None
        try:
            transcript = self.browser.check_transcript(item.capture.transcript)
            facts = self.browser.facts.read(
                transcript, item.capture.timestamp, progress.tell, progress.cancelled
            )
        except FileProblem as problem:
            return plain(f"\nNo facts: {problem}.", "warn")
        except OSError as error:
            return plain(f"\nNo facts: {item.capture.transcript} cannot be read ({error.strerror}).", "warn")
        return facts_document(facts, evidence(facts, self.browser.project.root))

    def subject(self, key: str | None) -> Subject:
        """The subject for keys."""
        item = self.capture_row(key)
        if item is None:
            return Subject()
        transcript, why_not = None, "A capture that cannot be read names no transcript."
        if item.capture is not None:
            try:
                transcript = self.browser.check_transcript(item.capture.transcript)
            except FileProblem as problem:
                why_not = f"{problem}."
        return Subject(file=item.entry.path, transcript=transcript, no_transcript=why_not)


def _unreadable(item: CaptureRow) -> Content:
    return Content.styled(f"⚠ {clean_line(item.problem)}", "$error") if item.problem else Content("…")


def title_of(capture: Capture | PendingText) -> str:
    """The title of a capture, as one clean line."""
    return clean_line(opening(capture.first_message)) or "(no first message)"
