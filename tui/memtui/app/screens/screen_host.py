"""The host that a screen gives to its actions and widgets."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import cast

from textual.screen import Screen

from memtui.app.host import HostApp, Work, always
from memtui.ground.failures import explain


class ScreenHost:
    """Works for one screen; see `memtui.app.host.Host`."""

    def __init__(self, screen: Screen[None], hint: Callable[[str], None]) -> None:
        """Make the host; `hint` receives the targets that may have changed."""
        self._screen = screen
        self._hint = hint

    @property
    def _app(self) -> HostApp:
        return cast(HostApp, self._screen.app)

    def say(self, text: str, *, warn: bool = False) -> None:
        """Show a one-line message."""
        self._app.say(text, severity="warning" if warn else "information")

    def reporting(self, doing: str, *, wanted: Callable[[], bool] = always) -> AbstractContextManager[None]:
        """Catch and report errors inside."""
        return self._app.reporting(doing, wanted=wanted)

    def explain(self, doing: str, error: Exception) -> str:
        """The message for an error; unknown errors are logged."""
        return explain(self._app.log_file, doing, error)

    def copy_text(self, text: str, *, name: str = "", note: str = "") -> None:
        """Copy a text, and report which way was used."""
        self._app.copy_text(text, name=name, note=note)

    def start(self, work: Work, *, group: str, exclusive: bool = False) -> None:
        """Run a coroutine as a worker of the screen."""
        self._screen.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

    def soon(self, callback: Callable[..., None], *arguments: object) -> None:
        """Call back on the screen's own thread. Thread-safe."""
        if self._screen.is_attached:
            self._screen.call_later(callback, *arguments)

    def hint(self, *names: str) -> None:
        """Request a comparison of these targets with the disk."""
        for name in names:
            self._hint(name)
