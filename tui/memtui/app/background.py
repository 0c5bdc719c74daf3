"""Sessions, the health of captures and the search index: read after the first paint."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtui.app.listings import CaptureRow, DraftWanted, HealthView, StateView
from memtui.ground.clock import Clock, age, parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.patterns import deferred
from memtui.ground.project import Home, Places, Project
from memtui.hooks.log import Run, read_runs
from memtui.hooks.writable import not_writable
from memtui.plugin.installing import has_all_hooks
from memtui.store.backfill import Compaction, compactions_in, coverage
from memtui.store.listing import Entry, scan
from memtui.store.state_files import version_of, written_at
from memtui.store.state_progress import NAME as PROGRESS
from memtui.store.state_progress import read_progress
from memtui.store.states import StateStore, StoredState
from memtui.store.transcripts import Transcript, TranscriptStore

if TYPE_CHECKING:
    from memtui.ground.clock import Clock
    from memtui.ground.project import Places
    from memtui.store.states import StoredState


_STAYS = timedelta(seconds=20)
"""Seconds of silence after which the pane may leave a session for a newer one: two sessions that work at the
same time must not alternate."""
_TOKEN = 13
"""Bytes of transcript per token of context, as in `memtui.flows.follow`."""


class Session(NamedTuple):
    """A session with its transcript, its stored document, or both."""

    session_id: str
    active: datetime
    """Time of the last write to its transcript; without one, to its document."""
    newest: Entry | None = None
    """Its current version."""
    transcript: Transcript | None = None


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
        self._chosen = ""
        self._shown = ""
        self._loaded: tuple[Entry, StoredState] | None = None
        self._covered: tuple[tuple[Entry, int], int | None] | None = None
        """Bytes of the transcript covered by the document, with the key of this cached value."""

    def choose(self, session_id: str) -> None:
        """Show this session from now on; "" follows the newest one."""
        self._chosen = session_id
        self._shown = ""

    def sessions(self) -> list[Session]:
        """All sessions, most recently active first.

        Raises:
            FileProblem: the transcripts or the states cannot be listed.
        """
        transcripts = {each.session_id: each for each in reversed(self._transcripts.entries())}
        stored = {each.session_id: each.newest for each in self._states.sessions(transcripts.keys())}
        found = [
            Session(
                name,
                _active(stored.get(name), transcripts.get(name)),
                stored.get(name),
                transcripts.get(name),
            )
            for name in transcripts.keys() | stored.keys()
        ]
        return sorted(found, key=lambda each: (each.active, each.session_id), reverse=True)

    def current_view(self) -> StateView | DraftWanted:
        """The view of the current session; a draft is needed if it has no stored version.

        Raises:
            FileProblem: see `sessions`.
        """
        chosen = self._chosen
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
        if shown.newest is not None:
            stored = self._load(shown.newest)
            return view._replace(
                state=stored.state,
                text=stored.text,
                written=stored.written,
                path=stored.path,
                problem=stored.problem and f"{stored.path.name} {stored.problem}",
                since=self._since(shown.newest, transcript),
            )
        assert transcript is not None
        return DraftWanted(transcript.path, transcript.signature, view._replace(reading=True))

    def _current(self, sessions: list[Session], chosen: str) -> Session:
        known = {each.session_id: each for each in sessions}
        if chosen in known:
            return known[chosen]
        newest, before = sessions[0], known.get(self._shown)
        stays = before is not None and self._clock() - before.active < _STAYS
        shown = before if before is not None and stays else newest
        self._shown = shown.session_id
        return shown

    def _load(self, entry: Entry) -> StoredState:
        if self._loaded is None or self._loaded[0] != entry:
            self._loaded = (entry, self._states.load(entry))
        return self._loaded[1]

    def _since(self, entry: Entry, transcript: Transcript | None) -> int:
        """Thousands of tokens added to the transcript since the document; 0 if unknown."""
        if transcript is None:
            return 0
        folder = entry.path.parent
        try:
            written = (folder / PROGRESS).stat().st_mtime_ns
        except OSError:
            return 0
        if self._covered is None or self._covered[0] != (entry, written):
            progress = read_progress(self._home, folder.name)
            known = progress is not None and progress.version == version_of(entry)
            self._covered = ((entry, written), progress.offset if progress and known else None)
        offset = self._covered[1]
        return 0 if offset is None else int(max(0, transcript.signature[1] - offset) / _TOKEN / 1000)


def _active(newest: Entry | None, transcript: Transcript | None) -> datetime:
    if transcript is not None:
        return datetime.fromtimestamp(transcript.mtime_ns / 1e9).astimezone()
    assert newest is not None
    return written_at(newest)


_REST = 5.0
"""Seconds between two checks: nothing here changes quickly."""


class Health:
    """Checks settings, hook log and transcripts; results for a transcript are cached until it changes."""

    def __init__(self, places: Places, transcripts: TranscriptStore) -> None:
        self.places = places
        self._transcripts = transcripts
        self._known: dict[Path, tuple[tuple[int, int, int], tuple[Compaction, ...]]] = {}
        self._due = 0.0
        self._captures: tuple[str, ...] = ()

    def check(self, rows: Iterable[CaptureRow]) -> HealthView | None:
        """The current health of the captures; None if it is too early to check again.

        Raises:
            FileProblem: Claude Code's folder cannot be listed.
        """
        captures = [row.capture for row in rows if row.capture is not None]
        names = tuple(capture.session_id for capture in captures)
        now = time.monotonic()
        if now < self._due and names == self._captures:
            return None
        self._due, self._captures = now + _REST, names
        found = coverage(self._transcripts.entries(), captures, self._compactions)
        return HealthView(
            installed=has_all_hooks(self.places),
            problem=str(not_writable(self.places.project, self.places.home) or ""),
            last=last_run(self.places.home, self.places.project),
            missing=found.missing,
            sizes=found.sizes,
        )

    def _compactions(self, transcript: Transcript) -> tuple[Compaction, ...]:
        known = self._known.get(transcript.path)
        if known is None or known[0] != transcript.signature:
            known = (transcript.signature, compactions_in(transcript))
            self._known[transcript.path] = known
        return known[1]


def last_run(home: Home, project: Project) -> Run | None:
    """The last run of a hook for this project, or None."""
    try:
        runs = read_runs(home.hook_log)
    except OSError:
        return None
    mine = (run for run in reversed(runs) if run.project == str(project.root))
    return next(mine, None)


def status_line(view: HealthView, now: datetime) -> tuple[str, str]:
    """A short text for the status bar, and its colour."""
    if view.missing:
        number = len(view.missing)
        return f"{number} compaction{'s' if number > 1 else ''} without a capture: b", "$warning"
    if not view.installed:
        return "hooks not installed: i", "$quiet"
    if view.last is None:
        return "hooks installed", "$quiet"
    if view.last.outcome != "ok":
        return "last hook failed: see memtui doctor", "$error"
    at = parse_iso(view.last.at)
    return f"hooks ✓{f' last ran {age(at, now)}' if at else ''}", "$quiet"


MANY = 200
"""Number of memories from which indexing is left to a process; fewer are indexed in a moment."""
MANY_BYTES = 4 << 20
"""The same for transcripts, in bytes."""
_ANY = deferred(r"[^.].*", re.DOTALL)
_TRANSCRIPT = deferred(r"[^.].*\.jsonl")

_CODE = """
import os, sys
from pathlib import Path
from memtui.ground.project import Home, Places, Project
from memtui.store.search_index import SearchIndex
if hasattr(os, "SCHED_IDLE"):  # lowest priority
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
elif hasattr(os, "nice"):
    os.nice(19)
root, claude, *home = map(Path, sys.argv[1:])
SearchIndex(Places(Project(root), Home(*home), claude)).update()
"""


class Indexer:
    """At most one process, which ends when the index is complete; it may be killed at any moment."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._process: subprocess.Popen[bytes] | None = None
        self._started = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Update the index, once per run of the app: later changes are few at a time."""
        with self._lock, suppress(OSError):  # if no process can be started, searching updates it
            if self._started:
                return
            self._started = True
            project, home, claude = self._places
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _CODE, *map(str, (project.root, claude, *home))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def start_for_transcripts(self) -> None:
        """Update the index if there are many unread transcripts."""
        size = 0
        with suppress(FileProblem):
            for folder in scan(self._places.claude / "projects", _ANY):
                with suppress(FileProblem):
                    size += sum(entry.size for entry in scan(folder.path, _TRANSCRIPT))
        if size >= MANY_BYTES:
            self.start()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End the process, and start no more; finished work is kept."""
        with self._lock:
            self._started = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
                self._process.wait()
