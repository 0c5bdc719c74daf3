"""What the keys of the session state do, and the following of sessions while the app is open."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from memtui.app.browser import Browser
from memtui.app.commands import PaneId
from memtui.app.following import Keeper
from memtui.app.panes.state import StatePane
from memtui.app.screens.browser_view import Published
from memtui.app.screens.compact_actions import CompactActions
from memtui.app.views import DraftWanted, PaneView, StateView
from memtui.clean import clean_line
from memtui.failures import explain

if TYPE_CHECKING:
    from memtui.flows.follow import Followed
    from memtui.flows.state_model import Asked

_NO_SESSION = "There is no session yet: start Claude Code in this folder."
_ASKING = "asking claude · esc calls it off"
_NO_OTHERS = "This project has no other session."
_NO_TRANSCRIPT = "The transcript of this session is not there any more: nothing can be added to its state."


class Kept(Message):
    """A session was brought up to date in the background, or could not be."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class StateActions(CompactActions):
    """Sessions, their versions, notes to copy, and new versions by the facts or by a model."""

    def __init__(self, browser: Browser, *, note: str = "") -> None:
        super().__init__(browser, note=note)
        self.keeper = Keeper(browser, self._kept, self._not_kept)
        self._draft: DraftWanted | None = None
        self._drafting = False
        self._another_wanted = asyncio.Event()
        """The draft that is wanted is not the one that was made last."""
        self._asking: threading.Event | None = None
        """Set to call off the question to the model that is being answered."""

    @property
    def state(self) -> StatePane:
        """The pane of the session state."""
        pane = self.panes[PaneId.STATE]
        assert isinstance(pane, StatePane)
        return pane

    @property
    def offers(self) -> frozenset[str]:
        """What has something to do now: other sessions can only be switched to where there are some."""
        switching = {"newer_session", "older_session"} if self.state.place else set()
        return super().offers | switching

    def apply(self, view: PaneView) -> None:
        """Show a newer view; another session may be there to switch to."""
        super().apply(view)
        if isinstance(view, StateView):
            self.offer_keys()

    # -- drafts ---------------------------------------------------------------------------------------------

    @on(Published)
    def _state_published(self, message: Published) -> None:
        view = message.view
        if isinstance(view, StateView):
            self._draft = None  # whatever is being drafted has been overtaken
        elif isinstance(view, DraftWanted):
            self._want_draft(view)

    def _want_draft(self, wanted: DraftWanted) -> None:
        if wanted.meanwhile.session_id != self.state.view.session_id:
            self.apply(wanted.meanwhile)
        if not self._wants(wanted.transcript):
            self._another_wanted.set()
        self._draft = wanted
        if not self._drafting:
            self._drafting = True
            self._draft_states()

    def _wants(self, transcript: Path) -> bool:
        return self._draft is not None and self._draft.transcript == transcript

    @work(group="draft", exit_on_error=False)
    async def _draft_states(self) -> None:
        """Draft the state of the session that is shown, again and again while its transcript grows."""
        with self.app.reporting("drafting the session state", wanted=lambda: not self.browser.stopped):
            while self._draft is not None:
                draft = self._draft
                self._another_wanted.clear()
                started = time.monotonic()
                await self._draft_state(draft)
                # A long transcript that keeps growing must not be read all the time.
                rest = max(0.5, 6 * (time.monotonic() - started))
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._another_wanted.wait(), rest)
                if self._draft is draft:
                    self._draft = None
        self._draft = None
        self._drafting = False

    async def _draft_state(self, draft: DraftWanted) -> None:
        """Draft one state and show it, unless another one is wanted meanwhile."""
        from memtui.reading.facts import ReadingCancelledError

        def unwanted() -> bool:
            return not self._wants(draft.transcript)

        try:
            view = await asyncio.to_thread(self.browser.draft_state, draft, unwanted)
        except ReadingCancelledError:
            return
        if not unwanted():
            self.apply(view)

    # -- following ------------------------------------------------------------------------------------------

    def _painted(self) -> None:
        super()._painted()
        self.keeper.start()

    def on_unmount(self) -> None:
        """Nothing goes on when the screen is gone."""
        self.cancel_model()
        self.keeper.stop(timeout=0.2)

    def _kept(self, followed: Followed) -> None:
        if followed.problem or followed.stored is not None:
            self.tell(Kept(followed.problem and f"{followed.problem}."))

    def _not_kept(self, error: Exception) -> None:
        self.tell(Kept(explain(self.app.log_file, "following the sessions", error)))

    def on_kept(self, message: Kept) -> None:
        """Say once why no version could be written; the detail says it until one is."""
        if message.problem and message.problem != self.state.trouble:
            self.say(f"The session state is not kept: {message.problem}", warn=True)
        self.state.trouble = message.problem
        self.live.hint("states")
        if self.pane is self.state:
            self.show_detail()

    # -- sessions -------------------------------------------------------------------------------------------

    def do_newer_session(self) -> None:
        """Show the session before: the newer one."""
        self._switch(-1)

    def do_older_session(self) -> None:
        """Show the next session: the older one."""
        self._switch(1)

    def _switch(self, step: int) -> None:
        """Show another session. The newest one is followed by whichever is newer then."""
        pane = self.state
        session = pane.neighbour(step)
        if not session:
            self.say(_NO_OTHERS if pane.view.session_id else _NO_SESSION, warn=True)
            return
        sessions = pane.view.sessions
        self._draft = None
        self.browser.show_session("" if session == sessions[0] else session)
        self.apply(StateView(session_id=session, sessions=sessions, reading=True))
        self.live.hint("states")
        self.say(f"Session {pane.place}: {clean_line(session)[:8]}.")

    def do_versions(self) -> None:
        """Show the versions of the session that is shown, and what has changed between them."""
        view = self.state.view
        if not view.session_id:
            self.say(_NO_SESSION, warn=True)
        elif view.path is None:
            self.say("No version of this state is stored yet: n writes the first one.", warn=True)
        else:
            from memtui.app.screens.versions import VersionsScreen

            self.app.push_screen(VersionsScreen(self.browser, view.session_id))

    # -- notes ----------------------------------------------------------------------------------------------

    @work(group="copy", exit_on_error=False)
    async def do_copy_notes(self) -> None:
        """Copy what `memtui restore` prints: the notes on where this session stands."""
        from memtui.flows.restore import restore_session

        session = self.state.view.session_id
        if not session:
            self.say(_NO_SESSION, warn=True)
            return
        places, clock = self.browser.places, self.browser.clock
        with self.app.reporting("making the notes"):
            notes = await asyncio.to_thread(lambda: restore_session(places, clock, session=session))
            self.app.copy_text(notes.text, name=f"the text that restores session {clean_line(session)[:8]}")

    # -- new versions ---------------------------------------------------------------------------------------

    @work(group="update", exclusive=True, exit_on_error=False)
    async def do_update_state(self) -> None:
        """Write a new version of the session that is shown, from what was said since the last one."""
        transcript = self._transcript()
        if transcript is None:
            return
        from memtui.flows.states import update_state

        places, clock = self.browser.places, self.browser.clock
        self._show_doing("reading the transcript …")
        try:
            with self.app.reporting("updating the session state"):
                stored = await asyncio.to_thread(lambda: update_state(places, clock, transcript=transcript))
                self.live.hint("states")
                if stored is None:
                    self.say(f"Nothing new to say since {self.state.count()}.")
                else:
                    self.say(f"Version {stored.version} is written: v shows what has changed.")
        finally:
            self._show_doing("")

    @work(group="model", exit_on_error=False)
    async def do_ask_model(self) -> None:
        """Let `claude -p` word the next version; the facts' version is written when it cannot."""
        if self._asking is not None:
            self.say("Claude is at it already: esc calls it off.", warn=True)
            return
        transcript = self._transcript()
        if transcript is None:
            return
        from memtui.flows.state_model import update_by_claude

        places, clock = self.browser.places, self.browser.clock
        self._asking = called_off = threading.Event()
        self._show_doing(_ASKING)
        self.say("Asking claude for the next version: that may take some minutes. esc calls it off.")
        try:
            with self.app.reporting("asking claude"):
                asked = await asyncio.to_thread(
                    lambda: update_by_claude(
                        places, clock, transcript=transcript, cancelled=called_off.is_set
                    )
                )
                self.live.hint("states")
                self._say_asked(asked)
        finally:
            self._asking = None
            self._show_doing("")

    def _say_asked(self, asked: Asked) -> None:
        from memtui.app.screens.asking import why

        version = f"version {asked.stored.version}" if asked.stored else ""
        if not asked.problem:
            self.say(f"Claude wrote {version}." if version else "Claude had nothing to add.")
            return
        stands = f"{version} is made from the facts" if version else f"{self.state.count()} stands"
        self.say(f"{why(asked.problem)}: {stands}.", warn=True)

    def cancel_model(self) -> bool:
        """Call off the question that is being answered; False when there is none."""
        if self._asking is None or self._asking.is_set():
            return False
        self._asking.set()
        return True

    def _show_doing(self, text: str) -> None:
        self.state.doing = text or (_ASKING if self._asking is not None else "")
        if self.is_attached:
            self.state.show_rows()

    def _transcript(self) -> Path | None:
        """The transcript of the session that is shown; None, once it is said that there is none."""
        view = self.state.view
        if view.transcript is None:
            self.say(_NO_TRANSCRIPT if view.session_id else _NO_SESSION, warn=True)
        return view.transcript
