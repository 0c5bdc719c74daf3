"""The parts of the app that screens, actions and widgets use: messages, clipboard, failure reports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from textual import work
from textual.app import App
from textual.css.query import NoMatches
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.worker import WorkType, active_worker

from memtui.ground.clean import clean
from memtui.ground.failures import FailureLog, explain

Work = WorkType[None]
"""Makes the coroutine of a worker, when the worker starts."""


def always() -> bool:
    """A condition that always holds."""
    return True


class AftermathWanted(Message):
    """Request to show what a compaction of one of the project's sessions lost."""

    def __init__(self, transcript: Path, since: datetime | None) -> None:
        super().__init__()
        self.transcript = transcript
        self.since = since


class PinWanted(Message):
    """Request to pin a line."""

    def __init__(self, text: str, transcript: Path | None, line: int) -> None:
        """Make the message.

        Args:
            text: one line.
            transcript: its source; None if unknown.
            line: the transcript's line; 0 if unknown.
        """
        super().__init__()
        self.text = text
        self.transcript = transcript
        self.line = line


class UndoWanted(Message):
    """Request to undo the last change, or to redo the last undone one."""

    def __init__(self, then: Callable[[], object] | None = None, *, redo: bool = False) -> None:
        """Make the message; `then` is called afterwards."""
        super().__init__()
        self.then = then
        self.redo = redo


class ResumeWanted(Message):
    """Request to resume the session of a transcript in Claude Code, or a copy of it (`fork`)."""

    def __init__(self, transcript: Path, *, fork: bool) -> None:
        super().__init__()
        self.transcript = transcript
        self.fork = fork


class Host(Protocol):
    """The screen that an action or a widget works for."""

    def say(self, text: str, *, warn: bool = False) -> None:
        """Show a one-line message."""

    def explain(self, doing: str, error: Exception) -> str:
        """The message for an error; unknown errors are logged."""

    def reporting(self, doing: str, *, wanted: Callable[[], bool] = always) -> AbstractContextManager[None]:
        """Catch and report errors inside; see `HostApp.reporting`."""

    def copy_text(self, text: str, *, name: str = "", note: str = "") -> None:
        """Copy a text; see `HostApp.copy_text`."""

    def start(self, work: Work, *, group: str, exclusive: bool = False) -> None:
        """Run a coroutine as a worker of the screen; `exclusive` cancels earlier ones of its group."""

    def soon(self, callback: Callable[..., None], *arguments: object) -> None:
        """Call back on the screen's own thread, unless it is closed by then. Thread-safe."""

    def hint(self, *names: str) -> None:
        """Request a comparison of these targets with the disk."""


class HostApp(App[None]):
    """The app without its screens: messages, the clipboard, and the boundary of every worker."""

    def __init__(self, log: FailureLog) -> None:
        super().__init__()
        self.log_file = log
        self.new_windows = False
        """Whether to resume sessions in a new window of tmux."""

    def say(self, text: str, *, severity: SeverityLevel = "information") -> None:
        """Show a one-line message. Only the last one is visible: a pile would cover the screen."""
        self.clear_notifications()
        self.notify(clean(text), severity=severity, markup=False, timeout=10 if severity == "error" else 6)

    @work(group="copy", exit_on_error=False)
    async def copy_text(self, text: str, *, name: str = "", note: str = "") -> None:
        """Copy a text, and report which way was used.

        Args:
            text: the text.
            name: its name, unless it is short.
            note: a remark about it.
        """
        from memtui.ground.clipboard import copy

        def send(osc52: str) -> None:
            self.call_from_thread(self.copy_to_clipboard, osc52)

        with self.reporting("copying"):
            copied = await asyncio.to_thread(copy, text, send, name=name)
            message = f"{note[:1].upper()}{note[1:]}. {copied.message}" if note else copied.message
            self.say(message, severity="information" if copied.sure and not note else "warning")

    def report(self, doing: str, error: Exception) -> None:
        """Report a failure in a worker; errors that memtui cannot explain are logged."""
        self.say(explain(self.log_file, doing, error), severity="error")

    @contextmanager
    def reporting(self, doing: str, *, wanted: Callable[[], bool] = always) -> Iterator[None]:
        """The boundary of a worker: an exception inside is reported, and goes no further.

        Args:
            doing: completes the sentence “Failed …”, for example “copying”.
            wanted: asked after a failure; False suppresses the report.
        """
        try:
            yield
        except NoMatches as error:
            if self._is_shown_yet() and wanted():  # a screen's widgets are removed before its workers end
                self.report(doing, error)
        except Exception as error:  # a worker's boundary
            if self.is_running and wanted():
                self.report(doing, error)

    def _is_shown_yet(self) -> bool:
        """Whether the app runs, and the screen of the current worker is still open."""
        worker = active_worker.get(None)
        left = worker and isinstance(worker.node, Screen) and worker.node not in self.screen_stack
        return self.is_running and not left
