"""Following the project's sessions while the app is open: a thread that writes versions of their states."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.model.project_model import Browser

if TYPE_CHECKING:
    from memtui.ground.clock import Clock
    from memtui.ground.project import Places
    from memtui.store.follow import Followed, Follower, Following
    from memtui.store.states import StoredState

INTERVAL = 2.0
"""Seconds between two checks of the transcripts' sizes."""
BEGIN = 1.0
"""Seconds before the first check: the screen comes first."""
FRESH = timedelta(hours=1)
"""Seconds of silence after which a session is not updated any more: only running sessions get versions."""

_LIVELY = 0.5
_LIVELY_GROWTH, _LIVELY_PAUSE = 16 << 10, 0.4


class StateWriter:
    """Keeps the state documents of the project up to date, in a separate thread.

    Separate from the listing thread, as reading a long transcript would delay the screen.
    """

    def __init__(
        self, browser: Browser, tell: Callable[[Followed], None], fail: Callable[[Exception], None]
    ) -> None:
        """Make the keeper.

        Args:
            browser: the project.
            tell: called in the thread with each session that was due.
            fail: called in the thread with other errors; the thread goes on.
        """
        self._browser = browser
        self._tell = tell
        self._fail = fail
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memtui-following", daemon=True)

    def start(self) -> None:
        """Start, after a moment."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Stop, and wait a limited time; a running write is atomic."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        lively = self._browser.lively
        if self._stopped.wait(_LIVELY if lively else BEGIN):
            return
        following = following_of(self._browser)
        while not self._stopped.is_set():
            try:
                for followed in following.step(time.monotonic(), self._stopped.is_set):
                    self._tell(followed)
            except Exception as error:  # a thread's boundary: the next check may succeed
                if not self._stopped.is_set():
                    self._fail(error)
            self._stopped.wait(_LIVELY if lively else INTERVAL)


def following_of(browser: Browser) -> Following:
    """The project to follow, at the right pace."""
    from memtui.store.follow import Follower, Following

    pace: Follower | None = None
    if browser.lively:
        pace = Follower(growth=_LIVELY_GROWTH, pause=_LIVELY_PAUSE)
    return Following(browser.places, browser.clock, follower=pace, update=update_fresh)


def update_fresh(
    places: Places, clock: Clock, *, transcript: Path, cancelled: Callable[[], bool] | None
) -> StoredState | None:
    """Write the next version of a running session; nothing for one that ended long ago.

    Raises:
        FileProblem: see `memtui.store.state_updates.update_state`.
    """
    from memtui.ground.files import FileUnreadable
    from memtui.store.state_updates import update_state

    try:
        written = datetime.fromtimestamp(transcript.stat().st_mtime).astimezone()
    except OSError as error:
        raise FileUnreadable(transcript, f"cannot be read: {error.strerror}") from error
    if clock() - written > FRESH:
        return None
    return update_state(places, clock, transcript=transcript, cancelled=cancelled)
