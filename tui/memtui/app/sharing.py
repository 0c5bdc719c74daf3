"""Sharing memories from within the app: remotes, exchanges, and their outcomes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memtui.app.listings import RemoteState
from memtui.ground.clock import Clock, age, parse_iso, short_age
from memtui.ground.files import FileProblem
from memtui.ground.project import Home

if TYPE_CHECKING:
    from memtui.share.sync import Sharing, Synced


NO_REMOTE = (
    "There is no remote yet. In a shell: memtui remote add NAME URL (git or PostgreSQL), then,"
    " where it is new, memtui remote init NAME."
)


class SyncStatus(NamedTuple):
    """All remotes as one mark."""

    long: str = ""
    short: str = ""
    colour: str = ""

    @property
    def sign(self) -> str:
        """The shortest form of the mark; ctrl+s gives the reason."""
        return "" if not self.long else "⇅! " if self.colour == "$error" else "⇅ "


class Shared(NamedTuple):
    """The outcome of sharing memories."""

    ids: tuple[str, ...]
    problems: tuple[str, ...]

    def outcome(self, name: str, *, soon: bool) -> str:
        """What was shared with a remote, and what was not; `soon`: an exchange follows by itself."""
        others = len(self.problems) - 1
        more = f" And {others} more." if others > 0 else ""
        if not self.ids:
            return self.problems[0] + more
        goes = f"{self.ids[0]} goes" if len(self.ids) == 1 else f"{len(self.ids)} memories go"
        when = "now" if soon else "with the next sync: ctrl+s"
        kept = f" Not shared: {self.problems[0]}{more}" if self.problems else ""
        return f"{goes} to {name} {when}.{kept}"


class Exchange:
    """The user's remotes. Every method may be called from any thread."""

    def __init__(self, home: Home, clock: Clock, stopped: threading.Event) -> None:
        self._home = home
        self._clock = clock
        self._stopped = stopped
        self._syncing: dict[str, threading.Lock] = {}
        self._doing: dict[str, str] = {}

    def names(self) -> list[str]:
        from memtui.share.remotes import Remotes

        return sorted(Remotes(self._home).all())

    def states(self) -> list[RemoteState]:
        """The state of each remote; an unreadable list counts as one remote with a problem."""
        states = []
        try:
            for name in self.names():
                sharing = self._open(name)
                known = sharing.state()
                shared = frozenset(sharing.here(key) for key, each in known.memories.items() if each.is_there)
                synced, doing = parse_iso(known.synced), self._doing.get(name, "")
                states.append(RemoteState(name, synced, known.problem, known.trouble, doing, shared))
        except FileProblem as problem:
            states.append(RemoteState(problem.path.name, problem=str(problem)))
        return states

    def share(self, ids: Iterable[str], name: str) -> Shared:
        sharing = self._open(name)
        shared, problems = [], []
        for each in ids:
            try:
                if sharing.share(each):
                    shared.append(each)
                else:
                    problems.append(f"{each} is shared with {name} already, as it is.")
            except FileProblem as problem:
                problems.append(f"{problem}.")
        return Shared(tuple(shared), tuple(problems))

    def sync(self, name: str, changed: Callable[[], None] = lambda: None) -> Synced:
        """Exchange with a remote; `changed` is called whenever its state has changed."""
        return self._sync(self._open(name), changed)

    def _sync(self, sharing: Sharing, changed: Callable[[], None]) -> Synced:
        name = sharing.name
        with self._syncing.setdefault(name, threading.Lock()):
            self._doing[name] = "…"
            changed()
            try:
                return sharing.sync()
            finally:
                del self._doing[name]
                changed()

    def keep_syncing(
        self, name: str, seconds: float, changed: Callable[[], None], say: Callable[[str], object]
    ) -> None:
        """Exchange with a remote until the model is stopped; see `memtui.share.sync`. `say` gets its news."""
        from memtui.share.sync import keep_syncing

        sharing, last = self._open(name), ""

        def sync() -> None:
            nonlocal last
            before, last = last, self._sync(sharing, changed).news
            if last not in ("", before):  # what lasts comes with every exchange
                say(f"{name}: {last}")

        keep_syncing(sync, sharing.remote.wait, seconds, lambda _: changed(), self._stopped)

    def _open(self, name: str) -> Sharing:
        from memtui.share.sync import open_sharing

        return open_sharing(self._home, self._clock, name)


def sync_status(states: Sequence[RemoteState], now: datetime) -> SyncStatus:
    """The mark in the status line: ``⇅ team 2 m ago``, or the problem: ``⇅ team: unreachable``."""
    if not states:
        return SyncStatus()
    busy = [each for each in states if each.doing]
    failed = [each for each in states if each.problem]
    if busy:
        return SyncStatus(f"⇅ {busy[0].name} {busy[0].doing}", f"⇅ {busy[0].doing}", "$accent")
    if failed:
        more = f" +{len(failed) - 1}" if len(failed) > 1 else ""
        reason = f"⇅ {failed[0].name}: {failed[0].trouble or 'failed'}{more}"
        return SyncStatus(reason, reason, "$error")
    name = states[0].name if len(states) == 1 else f"{len(states)} remotes"
    times = [each.synced for each in states if each.synced is not None]
    if len(times) < len(states):
        return SyncStatus(f"⇅ {name}: not synced yet", "⇅ not synced", "$quiet")
    oldest = min(times)
    return SyncStatus(f"⇅ {name} {age(oldest, now)}", f"⇅ {short_age(oldest, now)}", "$quiet")
