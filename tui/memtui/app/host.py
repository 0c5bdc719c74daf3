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

from memtui.clean import clean
from memtui.failures import FailureLog, explain

Work = WorkType[None]
"""Makes the coroutine of a worker, when the worker starts."""


def always() -> bool:
    """A condition that always holds."""
    return True


class AftermathWanted(Message):
    """The app is asked to show what a compaction of one of the project's sessions lost."""

    def __init__(self, transcript: Path, since: datetime | None) -> None:
        super().__init__()
        self.transcript = transcript
        self.since = since


class PinWanted(Message):
    """The app is asked to pin a line."""

    def __init__(self, text: str, transcript: Path | None, line: int) -> None:
        """Make the message.

        Args:
            text: one line.
            transcript: where it comes from; None when that is not known.
            line: the transcript's line; 0 when it is not known.
        """
        super().__init__()
        self.text = text
        self.transcript = transcript
        self.line = line


class UndoWanted(Message):
    """The app is asked to take back the last change."""

    def __init__(self, then: Callable[[], object] | None = None) -> None:
        """Make the message; `then` is called when it is taken back."""
        super().__init__()
        self.then = then


class ResumeWanted(Message):
    """Claude Code is to go on with the session of a transcript, or with a copy of it (`fork`)."""

    def __init__(self, transcript: Path, *, fork: bool) -> None:
        super().__init__()
        self.transcript = transcript
        self.fork = fork


class Host(Protocol):
    """The screen that an action or a widget works for."""

    def say(self, text: str, *, warn: bool = False) -> None:
        """Show the person one line."""

    def explain(self, doing: str, error: Exception) -> str:
        """A sentence for what went wrong; an unknown error is logged."""

    def reporting(self, doing: str, *, wanted: Callable[[], bool] = always) -> AbstractContextManager[None]:
        """Catch and report what fails inside; see `HostApp.reporting`."""

    def copy_text(self, text: str, *, name: str = "", note: str = "") -> None:
        """Copy a text; see `HostApp.copy_text`."""

    def start(self, work: Work, *, group: str, exclusive: bool = False) -> None:
        """Run a coroutine as a worker of the screen; `exclusive` cancels earlier ones of its group."""

    def soon(self, callback: Callable[..., None], *arguments: object) -> None:
        """Call back on the screen's own thread, unless it is gone by then. Any thread may ask."""

    def hint(self, *names: str) -> None:
        """Have these targets compared with the disk soon."""


class HostApp(App[None]):
    """The app without its screens: messages, the clipboard, and the edge of every worker."""

    def __init__(self, log: FailureLog) -> None:
        super().__init__()
        self.log_file = log
        self.new_windows = False
        """Whether sessions are resumed in a new window of tmux."""

    def say(self, text: str, *, severity: SeverityLevel = "information") -> None:
        """Show the person one line. Only the last message shows: a pile would cover the screen."""
        self.clear_notifications()
        self.notify(clean(text), severity=severity, markup=False, timeout=10 if severity == "error" else 6)

    @work(group="copy", exit_on_error=False)
    async def copy_text(self, text: str, *, name: str = "", note: str = "") -> None:
        """Copy a text, and say by which road it went.

        Args:
            text: the text.
            name: what it is called unless it is short.
            note: what there is to know about it.
        """
        from memtui.clipboard import copy

        def send(osc52: str) -> None:
            self.call_from_thread(self.copy_to_clipboard, osc52)

        with self.reporting("copying"):
            copied = await asyncio.to_thread(copy, text, send, name=name)
            message = f"{note[:1].upper()}{note[1:]}. {copied.message}" if note else copied.message
            self.say(message, severity="information" if copied.sure and not note else "warning")

    def report(self, doing: str, error: Exception) -> None:
        """Say that something failed in a worker, and log errors that memtui has no explanation for."""
        self.say(explain(self.log_file, doing, error), severity="error")

    @contextmanager
    def reporting(self, doing: str, *, wanted: Callable[[], bool] = always) -> Iterator[None]:
        """The edge of a worker: an exception inside is reported, and ends here.

        Args:
            doing: completes the sentence “Failed …”, for example “copying”.
            wanted: asked after a failure; False keeps it quiet.
        """
        try:
            yield
        except NoMatches as error:
            if self._is_shown_yet() and wanted():  # a screen's widgets go before its workers do
                self.report(doing, error)
        except Exception as error:  # a worker's edge
            if self.is_running and wanted():
                self.report(doing, error)

    def _is_shown_yet(self) -> bool:
        """Whether the app runs, and the screen that the current worker belongs to is open."""
        worker = active_worker.get(None)
        left = worker and isinstance(worker.node, Screen) and worker.node not in self.screen_stack
        return self.is_running and not left
