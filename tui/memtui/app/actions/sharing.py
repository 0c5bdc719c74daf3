"""Sharing memories, and syncing with remotes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial

from memtui.app.actions.memories import MemoryActions
from memtui.app.actions.place import Place, Windows
from memtui.app.model.sharing import Exchange, RemoteState, Shared
from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem

_NO_REMOTE = (
    "There is no remote yet. In a shell: memtui remote add NAME URL; a git repository or PostgreSQL serves."
)


class SharingActions:
    """Shares the chosen memories, syncs, and updates the mark in the status line."""

    def __init__(
        self,
        place: Place,
        exchange: Exchange,
        memories: MemoryActions,
        windows: Windows,
        show: Callable[[Sequence[RemoteState]], None],
    ) -> None:
        """Make the actions.

        Args:
            place: the screen.
            exchange: the remotes.
            memories: the pane's actions, which know the chosen memories.
            windows: asks questions.
            show: shows the states of the remotes.
        """
        self._place = place
        self._host = place.host
        self._exchange = exchange
        self._memories = memories
        self._windows = windows
        self._show = show
        self._states: Sequence[RemoteState] = ()
        self._seconds = 0.0
        self._kept: set[str] = set()
        """Remotes with a background thread."""

    @property
    def offers(self) -> frozenset[str]:
        """The actions that are possible now: both need a remote."""
        return frozenset({"share", "sync"}) if self._states else frozenset()

    # -- in the background -----------------------------------------------------------------------------------

    def start(self, seconds: float) -> None:
        """Show the states of the remotes, and sync automatically.

        Args:
            seconds: maximum time between two exchanges; 0 disables automatic ones.
        """
        self._seconds = seconds
        self.refresh()

    def stop(self) -> None:
        """Stop the exchanges in the background."""
        self._exchange.stopped.set()

    def refresh(self) -> None:
        """Check the remotes again."""
        self._host.start(self._refresh, group="remotes", exclusive=True)

    async def _refresh(self) -> None:
        with self._host.reporting("looking at the remotes"):
            states = await asyncio.to_thread(self._exchange.states)
            before, self._states = self._states, states
            self._show(states)
            self._memories.pane.show_held(states)
            if bool(before) is not bool(states):
                self._place.offer_keys()
            if self._seconds:
                self._keep([state.name for state in states])

    def _keep(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self._kept:
                self._kept.add(name)
                keep = partial(self._keep_one, name)
                threading.Thread(target=keep, name=f"memtui-sync-{name}", daemon=True).start()

    def _keep_one(self, name: str) -> None:
        try:
            self._exchange.keep_syncing(name, self._seconds, self._refresh_soon)
        except FileProblem:  # the list of remotes is broken: the status line says so until it is fixed
            self._host.soon(self._kept.discard, name)
        except Exception as error:  # a worker's boundary; logged, and not retried
            message = self._host.explain(f"syncing with {name}", error)
            self._host.soon(partial(self._host.say, message, warn=True))

    def _refresh_soon(self) -> None:
        self._host.soon(self._renew)

    def _renew(self) -> None:
        self.refresh()
        self._host.hint("memories")

    # -- by a key -------------------------------------------------------------------------------------------

    def share(self) -> None:
        """Share the chosen memories."""
        if ids := self._memories.stored("shared"):
            self._host.start(partial(self._share, ids), group="share", exclusive=True)

    async def _share(self, ids: Sequence[str]) -> None:
        with self._host.reporting("sharing"):
            names = await asyncio.to_thread(self._exchange.names)
            if not names:
                self._host.say(_NO_REMOTE, warn=True)
                return
            which = clean_line(ids[0]) if len(ids) == 1 else f"{len(ids)} memories"
            name = await self._ask(which, names)
            if not name:
                return
            shared = await asyncio.to_thread(self._exchange.share, ids, name)
            self._memories.unmark(shared.ids)
            self._host.say(self._outcome(shared, name), warn=bool(shared.problems))
            if shared.ids and self._seconds:
                await self._sync_each([name], say=False)

    async def _ask(self, which: str, names: Sequence[str]) -> str:
        """The remote to share with; "" if cancelled."""
        if len(names) == 1:
            question = f"Share {which} with {names[0]}? What was sent cannot be taken back."
            sure = await self._windows.confirm(question, yes="share", no="keep here", safe=True)
            return names[0] if sure else ""
        question, value = f"Share {which} with which remote?", ""
        while True:
            answer = await self._windows.ask(
                question, value=value, hint=f"{', '.join(names)} · enter shares · esc leaves"
            )
            if answer is None or answer.strip() in names:
                return (answer or "").strip()
            question, value = f"There is no remote {clean_line(answer)!r}. Share {which} with which one?", ""

    def versions(self) -> None:
        """Show the versions of the selected memory."""
        self._host.start(self._versions, group="sharing", exclusive=True)

    async def _versions(self) -> None:
        subject = self._memories.pane.subject(self._memories.pane.selected)
        if not subject.recovery_id:
            self._host.say(subject.no_recovery_id, warn=True)
            return
        with self._host.reporting("reading the versions"):
            versions = await asyncio.to_thread(self._exchange.versions, subject.recovery_id)
            if len(versions) > 1:
                self._windows.memory_versions(subject.recovery_id)
            else:
                self._host.say(f"{subject.recovery_id} has one text only: no machine has written another.")

    def _outcome(self, shared: Shared, name: str) -> str:
        if not shared.ids:
            return shared.problems[0] + _more(shared)
        goes = f"{shared.ids[0]} goes" if len(shared.ids) == 1 else f"{len(shared.ids)} memories go"
        when = "now" if self._seconds else "with the next sync: ctrl+s"
        kept = f" Not shared: {shared.problems[0]}{_more(shared)}" if shared.problems else ""
        return f"{goes} to {name} {when}.{kept}"

    def sync(self) -> None:
        """Exchange with every remote."""
        self._host.start(self._sync, group="sync")

    async def _sync(self) -> None:
        with self._host.reporting("syncing"):
            names = await asyncio.to_thread(self._exchange.names)
            if names:
                await self._sync_each(names, say=True)
            else:
                self._host.say(_NO_REMOTE, warn=True)

    async def _sync_each(self, names: Sequence[str], *, say: bool) -> None:
        said, failed = [], False
        for name in names:
            try:
                done = await asyncio.to_thread(self._exchange.sync, name, self._refresh_soon)
            except FileProblem as problem:
                failed = True
                said.append(f"{name}: {problem}.")
            else:
                note = f" {done.notes[0]}" if done.notes else ""
                more = f" And {len(done.notes) - 1} more." if len(done.notes) > 1 else ""
                failed = failed or bool(note)
                said.append(f"{name}: {done.summary}.{note}{more}")
        self._renew()
        if say or failed:
            self._host.say(" ".join(said), warn=failed)


def _more(shared: Shared) -> str:
    others = len(shared.problems) - 1
    return f" And {others} more." if others > 0 else ""
