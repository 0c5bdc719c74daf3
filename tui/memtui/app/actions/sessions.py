"""Sessions: switching between them, their versions and notes, and storing them as memories."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.actions.drafts import Drafts
from memtui.app.actions.place import Place, Windows
from memtui.app.model.project_model import Browser
from memtui.app.model.views import StateView
from memtui.app.model_question import BUSY, ModelQuestion, reason_not_used
from memtui.app.panes.state import StatePane
from memtui.ground.clean import clean_line

if TYPE_CHECKING:
    from memtui.flows.state_model import Asked

_NO_SESSION = "There is no session yet: start Claude Code in this folder."
_ASKING = "asking claude · esc cancels"
_NO_OTHERS = "This project has no other session."
_NO_TRANSCRIPT = "The transcript of this session no longer exists: nothing can be added to its state."


class SessionActions:
    """Actions on the current session, and switching to another."""

    def __init__(
        self,
        place: Place,
        browser: Browser,
        pane: StatePane,
        windows: Windows,
        drafts: Drafts,
    ) -> None:
        self._place = place
        self._host = place.host
        self._browser = browser
        self._pane = pane
        self._windows = windows
        self._drafts = drafts
        self.model = ModelQuestion()
        """The question to the model for the next version."""

    @property
    def offers(self) -> frozenset[str]:
        """The actions that are possible now: switching needs other sessions."""
        return frozenset(("newer_session", "older_session") if self._pane.place else ())

    def kept(self, problem: str) -> None:
        """Handle a background update of a session; a problem is reported once."""
        if problem and problem != self._pane.trouble:
            self._host.say(f"The session state is not kept: {problem}", warn=True)
        self._pane.trouble = problem
        self._host.hint("states")
        if self._place.pane is self._pane:
            self._place.show_detail()

    def open_list(self) -> None:
        """Show all sessions."""
        self._windows.sessions()

    # -- which session --------------------------------------------------------------------------------------

    def newer(self) -> None:
        """Show the previous session: the newer one."""
        self._switch(-1)

    def older(self) -> None:
        """Show the next session: the older one."""
        self._switch(1)

    def _switch(self, step: int) -> None:
        """Show another session. At the newest one, always follow the newest."""
        session = self._pane.neighbour(step)
        if not session:
            self._host.say(_NO_OTHERS if self._pane.view.session_id else _NO_SESSION, warn=True)
            return
        sessions = self._pane.view.sessions
        self._drafts.drop()
        chosen = "" if session == sessions[0] else session
        self._browser.show_session(chosen)
        self._place.apply(StateView(session_id=session, sessions=sessions, reading=True, chosen=chosen))
        self._host.hint("states")
        self._host.say(f"Session {self._pane.place}: {clean_line(session)[:8]}.")

    # -- reading --------------------------------------------------------------------------------------------

    def versions(self) -> None:
        """Show the versions of the current session, and the changes between them."""
        view = self._pane.view
        if not view.session_id:
            self._host.say(_NO_SESSION, warn=True)
        elif view.path is None:
            self._host.say("No version of this state is stored yet: n writes the first one.", warn=True)
        else:
            self._windows.versions(view.session_id)

    def copy_notes(self) -> None:
        """Copy the output of `memtui restore`: notes on the state of this session."""
        self._host.start(self._copy_notes, group="copy")

    async def _copy_notes(self) -> None:
        from memtui.flows.restore import restore_session

        session = self._pane.view.session_id
        if not session:
            self._host.say(_NO_SESSION, warn=True)
            return
        places, clock = self._browser.places, self._browser.clock
        with self._host.reporting("making the notes"):
            notes = await asyncio.to_thread(lambda: restore_session(places, clock, session=session))
            name = f"the text that restores session {clean_line(session)[:8]}"
            self._host.copy_text(notes.text, name=name)

    # -- writing --------------------------------------------------------------------------------------------

    def compact(self) -> None:
        """Draft the recovery text of the newest session, for reading, editing and storing."""
        self._windows.compact(self._compacted)

    def _compacted(self, memory_id: str | None) -> None:
        if memory_id:
            self._host.hint("memories")
            self._windows.stored(memory_id)

    def update(self) -> None:
        """Write a new version of the current session, from the words said since the last one."""
        self._host.start(self._update, group="update", exclusive=True)

    async def _update(self) -> None:
        transcript = self._transcript()
        if transcript is None:
            return
        from memtui.store.state_updates import update_state

        places, clock = self._browser.places, self._browser.clock
        self._show_doing("reading the transcript …")
        try:
            with self._host.reporting("updating the session state"):
                stored = await asyncio.to_thread(lambda: update_state(places, clock, transcript=transcript))
                self._host.hint("states")
                if stored is None:
                    self._host.say(f"Nothing new to say since {self._pane.count()}.")
                else:
                    self._host.say(f"Version {stored.version} is written: v shows what has changed.")
        finally:
            self._show_doing("")

    def ask_model(self) -> None:
        """Let `claude -p` word the next version; if that fails, the facts-only version is written."""
        self._host.start(self._ask_model, group="model")

    async def _ask_model(self) -> None:
        if self.model.is_open:
            self._host.say(BUSY, warn=True)
            return
        transcript = self._transcript()
        if transcript is None:
            return
        from memtui.flows.state_model import update_by_claude

        places, clock = self._browser.places, self._browser.clock
        self.model.begin()
        self._show_doing(_ASKING)
        self._host.say("Asking claude for the next version: that may take some minutes. esc cancels.")
        try:
            with self._host.reporting("asking claude"):
                asked = await self.model.ask(
                    lambda cancelled: update_by_claude(
                        places, clock, transcript=transcript, cancelled=cancelled
                    )
                )
                self._host.hint("states")
                self._say_asked(asked)
        finally:
            self._show_doing("")

    def _say_asked(self, asked: Asked) -> None:
        version = f"version {asked.stored.version}" if asked.stored else ""
        if not asked.problem:
            self._host.say(f"Claude wrote {version}." if version else "Claude had nothing to add.")
            return
        stands = f"{version} is made from the facts" if version else f"{self._pane.count()} stands"
        self._host.say(f"{reason_not_used(asked.problem)}: {stands}.", warn=True)

    def _show_doing(self, text: str) -> None:
        self._pane.doing = text or (_ASKING if self.model.is_open else "")
        if self._pane.is_attached:
            self._pane.show_rows()

    def _transcript(self) -> Path | None:
        """The transcript of the current session; None, after a message, if there is none."""
        view = self._pane.view
        if view.transcript is None:
            self._host.say(_NO_TRANSCRIPT if view.session_id else _NO_SESSION, warn=True)
        return view.transcript
