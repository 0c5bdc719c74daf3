"""Reading in threads after the first paint: transcripts, sessions, health of captures, search index."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from memtui.app.listings import CaptureRow, HealthView, LightsView, StateView
from memtui.documents.capture import Capture
from memtui.flows.aftermath import aftermaths, standing_rules
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock, parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places
from memtui.hooks.records import Run, read_runs
from memtui.hooks.settings import not_writable
from memtui.lost import context_gauge
from memtui.lost.ahead import Ahead, read_measured, what_would_go
from memtui.lost.context_gauge import Gauge
from memtui.lost.outbox import PINS, Outbox
from memtui.lost.pin_fates import fates_at_last_compaction
from memtui.lost.receipts import Receipt
from memtui.lost.records import Aftermath
from memtui.lost.traces import Trace, traces
from memtui.plugin.installing import has_all_hooks
from memtui.plugin.receipts import receipt_since, receipts_of
from memtui.store.archive_settings import archive_settings
from memtui.store.captures import Compaction, compactions_in, coverage
from memtui.store.listing import Entry
from memtui.store.states import StateStore, StoredState, read_progress, version_of
from memtui.store.transcripts import TranscriptStore, all_transcripts
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts
from memtui.transcript.session import summarize

K = TypeVar("K")
V = TypeVar("V")
Cancelled = Callable[[], bool]
"""Polled while reading; True stops it with a ReadingCancelledError."""


class Kept(dict[K, V]):
    """The values that were read last, as many as this."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._lock = threading.Lock()

    def put(self, key: K, value: V) -> V:
        with self._lock:
            self[key] = value
            while len(self) > self._most:
                del self[next(iter(self))]
        return value

    def known(self, key: K, read: Callable[[], V]) -> V:
        """The kept value, or the one that is read now."""
        found = self.get(key)
        return self.put(key, read()) if found is None else found


_File = tuple[str, int, int]
"""Path, size and time in ns of a transcript."""


def _file(transcript: Path) -> _File:
    status = transcript.stat()
    return str(transcript), status.st_size, status.st_mtime_ns


class ContextState(NamedTuple):
    """The context of a session, and what to know about its last compaction."""

    gauge: Gauge
    alarms: tuple[str, ...] = ()
    lights: LightsView = LightsView()
    receipt: Receipt | None = None


class Readings:
    """Reads transcripts, and remembers what was read last while they are unchanged. Thread-safe.

    Every reading raises OSError if the transcript cannot be read, and ReadingCancelledError once `cancelled`
    answers True.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._facts: Kept[tuple[Path, datetime | None], tuple[_File, Facts]] = Kept(16)
        self._aftermaths: Kept[tuple[_File, datetime | None], Aftermath] = Kept(64)
        self._traces: Kept[_File, list[Trace]] = Kept(8)
        self._ahead: Kept[_File, Ahead] = Kept(2)
        self._names: Kept[_File, str] = Kept(64)
        self._locks: dict[str, threading.Lock] = {}
        self._compacted: dict[tuple[Path, int], tuple[bool, frozenset[str]]] = {}
        """By a session's last compaction, whether it is one of a loop, and the tasks finished before it."""
        self._watching = threading.Lock()

    def facts(self, transcript: Path, until: datetime | None, cancelled: Cancelled) -> Facts:
        """The facts of a transcript up to the compaction of a capture at this time; all of them if None."""
        file, key = _file(transcript), (transcript, until)
        # Threads may ask at the same time; of a transcript that grows only the last facts are kept.
        with self._locks.setdefault(file[0], threading.Lock()):
            known = self._facts.get(key)
            if known is None or known[0] != file:
                facts = read_facts(transcript, until=until, cancelled=cancelled)
                known = self._facts.put(key, (file, facts))
            return known[1]

    def aftermath(self, transcript: Path, since: datetime | None, cancelled: Cancelled) -> Aftermath:
        """The aftermath of the first compaction at or after a time, if there is one; None: of the newest."""
        file = _file(transcript)
        if known := self._aftermaths.get((file, since)):
            return known

        def read(path: Path, until: datetime | None) -> Facts:
            return self.facts(path, until, cancelled)

        # Threads may ask at the same time for captures of the same session.
        with self._locks.setdefault(file[0], threading.Lock()):
            traced = self._traces.known(file, lambda: traces(transcript, cancelled))
        (found,) = aftermaths(self._places, transcript, since, traced=traced, read=read, cancelled=cancelled)
        return self._aftermaths.put((file, since), found)

    def ahead(self, transcript: Path) -> Ahead:
        standing = [each.text for each in standing_rules(self._places)]
        read = partial(what_would_go, transcript, self._places.project, standing)
        return self._ahead.known(_file(transcript), read)

    def forget_aftermaths(self) -> None:
        self._aftermaths.clear()

    def name(self, transcript: Path) -> str:
        """The name of its session, on one line and masked, as in the list of sessions."""
        return self._names.known(_file(transcript), lambda: summarize(transcript).name)

    def receipts(self, session_id: str) -> list[Receipt]:
        with suppress(OSError, FileProblem):
            return receipts_of(self._places, session=session_id)
        return []

    def context(self, transcript: Path, limits: Collection[int], cancelled: Cancelled) -> ContextState:
        """The context of a session; `limits` are tokens before automatic compactions of the project."""
        with self._watching:  # a check may take long, and the next one may begin meanwhile
            facts = self.facts(transcript, None, cancelled)
            turns = [turn.source.timestamp for turn in facts.turns[-12:]]  # by these the pace is measured
            measured = read_measured(self._places.home, transcript.stem)
            limit = context_gauge.limit_of(facts.compactions, limits, facts.models, measured.window)
            gauge = context_gauge.measure(facts.context_sizes, turns, limit)
            if not facts.compactions:
                return ContextState(gauge)
            alarms = tuple(self._alarms(transcript, facts, cancelled))
            last = facts.compactions[-1]
            receipt, lights = None, LightsView()
            with suppress(OSError):
                receipt = receipt_since(self._places, transcript, last)
            with suppress(OSError, FileProblem):
                fates = fates_at_last_compaction(self._places, transcript, last)
                messages = Outbox(self._places.home, transcript.stem).waiting()
                waiting = any(each.kind == PINS for each in messages)
                lights = LightsView(fates, parse_iso(last.source.timestamp), waiting)
            return ContextState(gauge, alarms, lights, receipt)

    def _alarms(self, transcript: Path, facts: Facts, cancelled: Cancelled) -> Iterator[str]:
        last = facts.compactions[-1].source
        key = (transcript, last.line)
        if key not in self._compacted:
            may_loop = context_gauge.may_loop(facts.compactions)
            loops = may_loop and context_gauge.is_looping(traces(transcript, cancelled))
            before = read_facts(transcript, until=parse_iso(last.timestamp), cancelled=cancelled)
            self._compacted[key] = loops, context_gauge.finished_tasks(before)
        loops, finished = self._compacted[key]
        if loops:
            yield "compaction loop: 3 within 10 minutes, no file changed"
        if again := context_gauge.reopened_tasks(finished, facts.todos, last.line):
            yield f"done before, open again: {clean_line(again[0])}"


class Session(NamedTuple):
    """A session with its transcript, its stored document, or both."""

    session_id: str
    active: datetime
    """Time of the last write to its transcript; without one, to its document."""
    newest: Entry | None = None
    """Its current version."""
    transcript: Entry | None = None


class Sessions:
    """Lists the sessions, and makes the view of the current one.

    That is the newest one, unless the user has chosen another. `current_view` is called by one thread,
    `choose` is thread-safe.
    """

    def __init__(self, states: StateStore, transcripts: TranscriptStore, home: Home, clock: Clock) -> None:
        self._states = states
        self._transcripts = transcripts
        self._home = home
        self._clock = clock
        self.chosen = ""
        """The session that the user has chosen; "" follows the newest one."""
        self._shown = ""
        self._loaded: Kept[Entry, StoredState] = Kept(1)

    def choose(self, session_id: str) -> None:
        self.chosen = session_id
        self._shown = ""

    def sessions(self) -> list[Session]:
        transcripts = {each.session_id: each for each in reversed(self._transcripts.entries())}
        stored = self._states.sessions(transcripts.keys())
        active = {name: newest.written for name, newest in stored.items()}
        for name, each in transcripts.items():
            active[name] = self._transcripts.written(each)
        found = [Session(name, at, stored.get(name), transcripts.get(name)) for name, at in active.items()]
        return sorted(found, key=lambda each: (each.active, each.session_id), reverse=True)

    def current_view(self) -> StateView:
        """The view of the current session; `reading` if it has no stored version, and is to be drafted."""
        chosen = self.chosen
        sessions = self.sessions()
        if not sessions:
            return StateView(chosen=chosen)
        shown = self._current(sessions, chosen)
        transcript = shown.transcript
        view = StateView(
            session_id=shown.session_id,
            transcript=transcript.path if transcript else None,
            sessions=tuple(each.session_id for each in sessions),
            active=shown.active.replace(second=0, microsecond=0),
            chosen=chosen,
        )
        if shown.newest is None:
            return view._replace(reading=True)
        stored = self._loaded.known(shown.newest, partial(self._states.load, shown.newest))
        return view._replace(
            state=stored.state,
            text=stored.text,
            written=stored.written,
            path=stored.path,
            problem=stored.problem and f"{stored.path.name} {stored.problem}",
            since=self._since(shown.newest, transcript),
        )

    def _current(self, sessions: list[Session], chosen: str) -> Session:
        known = {each.session_id: each for each in sessions}
        if chosen in known:
            return known[chosen]
        newest, before = sessions[0], known.get(self._shown)
        # Two sessions that work at the same time must not alternate.
        stays = before is not None and self._clock() - before.active < timedelta(seconds=20)
        shown = before if before is not None and stays else newest
        self._shown = shown.session_id
        return shown

    def _since(self, entry: Entry, transcript: Entry | None) -> int:
        """Thousands of tokens added to the transcript since the document; 0 if unknown."""
        if transcript is None:
            return 0
        progress = read_progress(self._home, entry.path.parent.name)
        if progress is None or progress[0] != version_of(entry):
            return 0
        # As in `memtui.store.state_updates`, a token of context is 13 bytes of transcript.
        return int(max(0, transcript.size - progress[1]) / 13 / 1000)


_REST = 5.0  # seconds between two checks: nothing here changes quickly


class Health:
    """Checks settings, hook log and transcripts; results for a transcript are cached until it changes."""

    def __init__(self, places: Places, transcripts: TranscriptStore) -> None:
        self.places = places
        self._transcripts = transcripts
        self._known: Kept[Entry, tuple[Compaction, ...]] = Kept(10_000)
        self._due = 0.0
        self._captures: tuple[str, ...] = ()

    def expire(self) -> None:
        self._due = 0.0

    def check(self, rows: Iterable[CaptureRow]) -> HealthView | None:
        """The current health of the captures; None if it is too early to check again."""
        captures = [row.capture for row in rows if isinstance(row.capture, Capture)]
        names = tuple(capture.session_id for capture in captures)
        now = time.monotonic()
        if now < self._due and names == self._captures:
            return None
        self._due, self._captures = now + _REST, names
        entries, elsewhere = list[Entry](), False
        with suppress(FileProblem):  # the list of sessions says why
            entries = self._transcripts.entries()
            elsewhere = not entries and any(all_transcripts(self.places.claude))
        found = coverage(entries, captures, self._compactions)
        project, home, _ = self.places
        undecided, runs = False, list[Run]()
        with suppress(FileProblem):  # config.toml is broken; the app has said so
            undecided = archive_settings(home).keep is None
        with suppress(OSError):
            runs = read_runs(home.hook_log, project.root)
        return HealthView(
            installed=has_all_hooks(self.places),
            problem=str(not_writable(project, home) or ""),
            last=runs[-1] if runs else None,
            missing=found.missing,
            manual=found.manual,
            elsewhere=elsewhere,
            undecided=undecided,
            sizes=found.sizes,
        )

    def _compactions(self, transcript: Entry) -> tuple[Compaction, ...]:
        return self._known.known(transcript, lambda: compactions_in(transcript))


_CODE = """
import os, sys
from pathlib import Path
from memtui.ground.project import Home, Places, Project
from memtui.store.search_index import SearchIndex
if hasattr(os, "nice"):  # not SCHED_IDLE: on busy cores searches would wait for its commits for seconds
    os.nice(19)
root, claude, *home = map(Path, sys.argv[1:])
SearchIndex(Places(Project(root), Home(*home), claude)).update()
"""


class Indexer:
    """At most one process, which ends when the index is complete; it may be killed at any moment."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.process: subprocess.Popen[bytes] | None = None
        self._started = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Update the index, once per run of the app: later changes are few at a time."""
        with self._lock, suppress(OSError):  # if no process can be started, searching updates it
            if self._started:
                return
            self._started = True
            project, home, claude = self._places
            command = [sys.executable, "-P", "-c", _CODE, *map(str, (project.root, claude, *home))]
            nothing = subprocess.DEVNULL
            self.process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)

    def start_for_transcripts(self) -> None:
        """Update the index if there are many unread transcripts: few are indexed in a moment."""
        with suppress(FileProblem):
            if sum(each.size for each in all_transcripts(self._places.claude)) >= 4 << 20:
                self.start()

    def stop(self) -> None:
        """End the process, and start no more; finished work is kept."""
        with self._lock:
            self._started = True
            if self.process is not None and self.process.poll() is None:
                self.process.kill()
                self.process.wait()
