"""Pane 1: compactions and their captures, newest first; reviewing those, what was lost, and missed ones."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.app.base import FATE_SIGNS, TASK_SIGNS, hidden, reported
from memtui.app.details.capture import BY_COMPACT, capture_document, facts_document
from memtui.app.listings import CaptureRow, CaptureRows, CapturesView, HealthView, View, WaitsView
from memtui.app.panes.pane import Detail, Pane, PaneId, Progress, Subject
from memtui.app.project import ProjectModel
from memtui.app.widgets.document import Document, concat, plain, styled
from memtui.app.widgets.row_list import row, when_of
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute
from memtui.ground.files import FileProblem
from memtui.ground.text import counted, opening
from memtui.transcript import ReadingCancelledError

if TYPE_CHECKING:
    from memtui.documents.capture import Capture
    from memtui.lost.records import Aftermath
    from memtui.store.compact import Reviewed

_WAITING = "Nothing waits for a review."
_NO_CAPTURE = "This compaction has no capture yet: b captures all that were missed."


class PendingPane(Pane):
    """Pending captures; reviewed ones, too, on request."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "review", "review", id="review", tooltip="review this capture"),
        Binding("l", "lost", "lost", id="lost", tooltip="what this compaction lost, to give it back"),
        Binding("b", "backfill", "capture", id="backfill", tooltip="capture compactions that were missed"),
        hidden("A", "all", "all", id="all", tooltip="show everything, or the usual part"),
    ]
    pane_id = PaneId.PENDING
    number = 1
    title = "Pending"
    views = (CapturesView, HealthView, WaitsView)
    signs: ClassVar[Mapping[str, str]] = {
        "✗": "lines that neither the summary nor a note has",
        "k": "thousand tokens in the context, -> after the compaction",
        "/compact": BY_COMPACT,
        "∅": "no hook captured this compaction: b captures all such",
        "✓": "reviewed; at the end of a row: nothing lost",
        "⚠": "cannot be read; the detail says why",
    }
    detail_signs: ClassVar[Mapping[str, str]] = {
        **FATE_SIGNS,
        **TASK_SIGNS,
        "✓": "kept; before a task: done",
        "⊘": "refused, stopped or left undone",
        "▸": "folded: enter opens it; before a task: in progress",
        "▾": "open: enter folds it",
    }
    about = "What compactions took away; captures wait for a review. A number counts those of one session."

    def __init__(self, model: ProjectModel) -> None:
        super().__init__(model)
        self.view = self._captures = CapturesView(unread=1)
        self.has_new_captures = False
        """Whether the last view has captures to review that the one before had not."""
        self.reviewed_too = self._capturing = False
        self._health: HealthView | None = None
        self._names: dict[str, str] = {}
        self.losses: dict[str, tuple[int, int] | None] = {}
        """Number of losses that count, and of tokens left, for each capture's compaction; None if no
        transcript has it."""

    def apply(self, view: View) -> None:
        if isinstance(view, CapturesView):
            arrived = () if self._captures.unread else view.rows.keys() - self._captures.rows.keys()
            self.has_new_captures = any(view.rows[key].pending for key in arrived)
            self._captures = view
        elif isinstance(view, HealthView):
            before, self._health = self._health, view
            known = before and (before.missing, before.manual, before.sizes)
            if known == (view.missing, view.manual, view.sizes):
                return
            # A capture is there before its compaction ends: count its losses now.
            self.losses = {key: losses for key, losses in self.losses.items() if losses}
        else:
            return
        alone = not self._captures.rows and self.model.transcripts.folder().is_dir()
        if alone and self._health is None and self.unread:
            return  # there may be compactions without a capture
        self.view = self._captures
        reading = self._capturing or self._captures.unread > 0 or self._health is None
        self.unread = self.unread and reading
        if self._health is not None and (self._health.missing or self._health.manual):
            rows = self._health.rows(self.model.project, self._captures.rows)
            self.view = CapturesView.of(rows, unread=self._captures.unread)
        self.show_rows()

    def give_up(self) -> None:
        self.view = self._captures
        super().give_up()

    @property
    def idle_keys(self) -> frozenset[str]:
        missing = self._health is None or self._health.missing
        item = self.capture_row(self.selected)
        idle = [] if missing else ["backfill"]
        idle += [] if item else ["lost"]
        return frozenset(idle if item and not item.missing else [*idle, "review"])

    @property
    def nothing(self) -> str:
        if self.unread:
            return "Reading …"
        health = self._health
        ways = [] if health is None or health.installed else ["i installs the hooks that capture it"]
        ways += ["S, then A, lists the sessions of other projects"] if health and health.elsewhere else []
        first = "; ".join(["What a compaction took away arrives here", *ways, "`memtui demo` shows how."])
        beside = self.view.rows or self.screen.has_class("-wide")  # the detail says the rest
        return f"{_WAITING}\n\n{first}" if beside else f"{_WAITING} {first}"

    def reveal(self, key: str) -> bool:
        if key not in self.view.rows:
            return False
        self.reviewed_too |= not self.view.rows[key].pending
        return super().reveal(key)

    def capture_row(self, key: str | None) -> CaptureRow | None:
        return self.view.rows.get(key or "")

    def all_keys(self) -> Sequence[str]:
        return tuple(self.view.rows) if self.reviewed_too else self.view.pending

    def count(self) -> str:
        broken = self.view.broken
        pending = len(self.view.pending) - broken - sum(1 for each in self.view.rows.values() if each.missing)
        parts = [f"{pending}…" if self.view.unread else str(pending) if pending or broken else ""]
        parts += [f"⚠{broken}"] if broken else []
        return " ".join(part for part in parts if part)

    def count_in_border(self) -> str:
        """The same, and how many of them have no capture, and how many reviewed ones are shown."""
        done = len(self.view.rows) - len(self.view.pending)
        manual = sum(1 for each in self.view.rows.values() if each.manual)
        missing = sum(1 for each in self.view.rows.values() if each.missing) - manual
        parts = [self.count()]
        parts += [f"{missing} without a capture"] if missing else []
        parts += [f"{manual} by /compact"] if manual else []
        parts += [f"{done} reviewed"] if self.reviewed_too and done else []
        return " · ".join(part for part in parts if part)

    def text_of(self, key: str) -> str:
        item = self.view.rows[key]
        when = day_and_minute(item.entry.time) if item.entry.time else ""
        said = f"{item.capture.first_message} {self._subject(key, item.capture)}" if item.capture else ""
        return f"{key} {when} {item.problem} {'/compact' * item.manual} {said}"

    def prepare_filter(self) -> bool:
        """Read the names of compactions without a capture."""
        until = time.monotonic() + 1
        for key, item in self.view.rows.items():
            if item.missing and key not in self._names:
                if time.monotonic() > until:
                    return False
                self._names[key] = ""  # unless it can be read
                with suppress(FileProblem, OSError):
                    self._read_name(item)
        return True

    def draw_row(self, key: str, width: int) -> Content:
        item = self.view.rows[key]
        now, capture = self.clock(), item.capture
        if capture is None:
            made = item.entry.time
            when = when_of(made, now, width, exact=bool(self.view.numbers)) if made else clean_line(key) + " "
            why = (f"⚠ {clean_line(item.problem)}", "$error") if item.problem else "…"
            return row([(when, "$quiet"), why], "", width)
        when = when_of(capture.timestamp, now, width, exact=bool(self.view.numbers))
        title = self._subject(key, capture)
        fill = self._fill_of(key, capture, width)
        if capture.status == "reviewed":
            return row([(f"{when}✓ {title}", "$quiet")], fill, width)
        if item.missing:
            mark = "/compact" if item.manual else "∅"
            return row([(f"{when}{mark} ", "$quiet"), title], fill, width)
        return row([(when, "$accent"), title], fill, width)

    def _subject(self, key: str, capture: Capture) -> str:
        """What it is about, after its number among the captures of its session if there are several."""
        message = capture.first_message
        if self.app.painted.is_set():
            from memtui.transcript.short_text import without_persona

            message = without_persona(message)
        unread = self.view.rows[key].missing and key not in self.losses
        none = "…" if unread else "(no first message)"
        title = clean_line(self._names.get(key) or opening(message)) or none
        number = self.view.numbers.get(key)
        return f"{number} · {title}" if number else title

    def _label(self, key: str, capture: Capture) -> str:
        return f"{day_and_minute(capture.timestamp)} {self._subject(key, capture)}"

    def _fill_of(self, key: str, capture: Capture, width: int) -> str:
        """The context's size in thousands of tokens, and the number of losses: ``155k -> 42k  ✗ 7``.

        ``…`` stands for losses that are being counted; ``✓`` means that no loss counts.
        """
        sizes = self._health.sizes if self._health else {}
        before = sizes.get((capture.session_id, capture.timestamp), 0)
        losses, after = self.losses.get(key) or (-1, 0)
        size = f"{round(before / 1000)}k" if before else ""
        if width >= 56 and any(each and each[1] for each in self.losses.values()):
            size += f"{f' -> {round(after / 1000)}k' if before and after else '':7}"
        lost = f"✗ {losses}" if losses > 0 else "✓" if not losses else "" if key in self.losses else "…"
        return f"{size} {lost:>4}"

    def look_at(self, keys: Sequence[str]) -> None:
        rows = [self.capture_row(key) for key in keys if key not in self.losses]
        if wanted := [item for item in rows if item is not None and item.capture is not None]:
            self._count_losses(wanted)

    @work(group="losses", exclusive=True, exit_on_error=False)
    async def _count_losses(self, rows: Sequence[CaptureRow]) -> None:
        await self.app.painted.wait()
        for item in rows:
            with suppress(FileProblem, OSError):
                await asyncio.to_thread(self._read_name, item)
        for item in rows:
            await asyncio.to_thread(self._read_losses, item, lambda: self.model.stopped)

    def _read_name(self, item: CaptureRow) -> Path:
        """Read and store the name of a compaction's session, in a thread; returns its transcript."""
        assert item.capture is not None
        transcript = self.model.check_transcript(item.capture.transcript)
        name = self.model.readings.name(transcript)
        if self._names.get(item.entry.name) != name:
            self._names[item.entry.name] = name
            self.call_later(self.refresh_rows)
            self.call_later(self.post_message, self.Changed(self))  # the detail is called by it, too
        return transcript

    def _read_losses(self, item: CaptureRow, cancelled: Callable[[], bool]) -> Aftermath | None:
        """Read and store the losses of a compaction, in a thread; None if no transcript has it."""
        assert item.capture is not None
        try:
            transcript = self._read_name(item)
            found = self.model.readings.aftermath(transcript, item.capture.timestamp, cancelled)
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

    def detail_of(self, key: str) -> Detail:
        item = self.view.rows[key]
        document = capture_document(item, self.clock(), None)
        if item.capture is None:
            return Detail(key, "Capture", document)
        title = f"{'Compaction' if item.missing else 'Capture'} {self._label(key, item.capture)}"
        return Detail(key, title, document, lambda progress: self._whole(item, progress))

    def _whole(self, item: CaptureRow, progress: Progress) -> Document:
        from memtui.app.details.lost import lost_document
        from memtui.lost.outbox import rows_waiting

        found, lost = self._read_losses(item, progress.cancelled), None
        if found is not None:
            receipts = self.model.readings.receipts(found.session_id)
            waiting = rows_waiting(self.model.places.home, found.session_id)
            lost = lost_document(found, receipts, frozenset(self.toggled), waiting)
            if says := self.app.browser.bar.waiting(sum(each.rows for each in waiting)):
                lost = concat(styled((says, "warn"), (" (l, then w takes them back)", "dim")), lost)
        return capture_document(item, self.clock(), self._facts(item, progress), lost)

    def _facts(self, item: CaptureRow, progress: Progress) -> Document:
        from memtui.documents.events import evidence

        assert item.capture is not None
        try:
            transcript = self.model.check_transcript(item.capture.transcript)
            facts = self.model.readings.facts(transcript, item.capture.timestamp, progress.cancelled)
        except FileProblem as problem:
            return plain(f"\nNo facts: {problem}.", "warn")
        except OSError as error:
            return plain(f"\nNo facts: {item.capture.transcript} cannot be read ({error.strerror}).", "warn")
        keys = "o" if item.manual else "b captures it, then r" if item.missing else "r"
        return facts_document(facts, evidence(facts, self.model.project.root), keys)

    def subject_of(self, key: str) -> Subject:
        item = self.view.rows[key]
        file = f"/compact {BY_COMPACT}." if item.manual else _NO_CAPTURE if item.missing else item.entry.path
        if item.capture is None:
            return Subject(file=file, transcript="A capture that cannot be read names no transcript.")
        transcript: Path | str
        try:
            transcript = self.model.check_transcript(item.capture.transcript)
        except FileProblem as problem:
            transcript = f"{problem}."
        return Subject(file=file, transcript=transcript, compacted=item.capture.timestamp)

    def action_all(self) -> None:
        if not any(each.capture and each.capture.status == "reviewed" for each in self.view.rows.values()):
            self.app.warn("No capture has been reviewed yet.")
            return
        self.reviewed_too = not self.reviewed_too
        self.show_rows()
        self.post_message(self.Changed(self))
        every = "Reviewed captures are shown, too."
        self.app.say(every if self.reviewed_too else "Only pending captures are shown.")

    @property
    def _none(self) -> str:
        return "No capture is selected." if self.view.rows else "There is no compaction here yet."

    def action_lost(self) -> None:
        item, subject = self.capture_row(self.selected), self.subject
        if item is None or item.capture is None:
            self.app.warn(self._none if item is None else "This capture cannot be read.")
        elif isinstance(subject.transcript, str):
            self.app.warn(subject.transcript)
        else:
            name = self._label(item.entry.name, item.capture)
            self.app.open_lost(subject.transcript, item.capture.timestamp, name)

    def action_review(self) -> None:
        from memtui.app.screens.review import ReviewScreen

        item = self.capture_row(self.selected)
        if item is None:
            self.app.warn(self._none)
        elif item.capture is None:
            self.app.warn(f"This capture cannot be reviewed: it {item.problem}.")
        elif item.missing:
            self.app.say(f"/compact {BY_COMPACT}." if item.manual else _NO_CAPTURE)
        elif item.capture.status == "reviewed":
            memory = item.capture.memory
            self.app.say(f"This capture is already reviewed: its memory is {memory}. e edits the file.")
        else:
            label = self._label(item.entry.name, item.capture)
            self.app.push_screen(ReviewScreen(self.model, item, label), self._reviewed)

    def _reviewed(self, review: Reviewed | None) -> None:
        if review is not None:
            self.app.hint("compacts", "memories")
            self.app.say(f"Reviewed: {review.recovery_id} is in Memories (2); u takes it back.")

    @reported("capturing what was missed", group="backfill", exclusive=True)
    async def action_backfill(self) -> None:
        """Write captures for compactions without one, after counting them and asking."""
        from memtui.store.captures import CaptureStore, find_missing, write_missing

        def write() -> int:
            with self.model.changes.of_files("captured what was missed") as making:
                written = [write_missing(self.model.project, each) for each in missing]
                making.files += [path for path in written if path is not None]
            return len(making.files)

        # Asked at once where the rows tell.
        missing = self._health.missing if self._health else ()
        missing = missing or await asyncio.to_thread(find_missing, self.model.places)
        if not missing:
            self.app.say("Nothing was missed: no auto-compaction without a capture was found.")
            return
        what = counted(len(missing), "capture")
        where = clean_line(str(self.model.project.compacts))
        question = f"Make {what}, of all compactions that nothing captured, in {where}?"
        self._capturing = self.unread = True  # what is typed ahead is for the captures
        try:
            if await self.app.confirmed(question, yes="Capture", no="Not now", safe=True):
                written = await asyncio.to_thread(write)
                rows = CaptureRows(CaptureStore(self.model.project))
                if view := await asyncio.to_thread(rows.read):
                    self._captures = view
                self.app.hint("compacts")
                self.app.say(f"Captured {written} of {len(missing)}; they wait for a review.")
        finally:
            self._capturing = False
            self.apply(self._captures)
