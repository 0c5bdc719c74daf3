"""The base of the app and of its screens: messages, the clipboard, the boundary of workers, key bindings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from textual import getters, work
from textual.app import App
from textual.binding import Binding
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.events import ScreenResume
from textual.geometry import Offset
from textual.keys import format_key
from textual.notifications import SeverityLevel
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget
from textual.worker import Worker, active_worker

from memtui.ground.clean import clean
from memtui.ground.logs import FailureLog, explain

if TYPE_CHECKING:
    from memtui.app.app import MemtuiApp
    from memtui.app.project import ProjectModel
else:
    MemtuiApp = App  # it imports all that asks for it

P = ParamSpec("P")
own_app: getters.app[MemtuiApp] = getters.app(MemtuiApp)
"""The property `app` of panes and screens, with the type of ours."""
PROMPT = "Please import memory {id}"
"""The prompt that restores a memory in Claude Code (seed 000, step 4)."""
RESTORES = "copy the text that restores it"
PINS = "pin this line: no compaction may lose it"
READING = 1.0
"""Seconds in which a message is being read; what is said later than that after a key is not of it."""
_REST = "… memtui doctor says the rest."
_TOAST = 300
"""Characters of a message: three lines of 100 columns; `memtui doctor` has the rest."""
# The meaning of signs that several screens draw, for help.
FATE_SIGNS = {
    "✗": "lost: neither the summary nor a note has it",
    "×": "lost, of less weight: not counted",
    "?": "not in its own words: the summary may say it in others",
    "✓": "kept by the summary",
    "↺": "handed over by memtui",
    "⏳": "waits for the next prompt",
    "⚠": "said by the summary alone",
    "↻": "needed again after the compaction",
}
TASK_SIGNS = {"▸": "a task in progress", "○": "an open task", "✓": "done"}
FOLD_SIGNS = {"▸": "folded: enter opens it", "▾": "open: enter folds it"}
hidden = partial(Binding, show=False)
"""A binding that help lists and the footer does not."""


def moving(rows: str, *, first: str = "home,g", last: str = "end,G") -> list[Binding]:
    """The keys by which people move in lists and documents; `rows` is the action that moves by some rows."""
    return [
        hidden("down,j", f"{rows}(1)"),
        hidden("up,k", f"{rows}(-1)"),
        hidden(first, "first"),
        hidden(last, "last"),
        hidden("pagedown", "page(1.0)"),
        hidden("pageup", "page(-1.0)"),
        hidden("ctrl+d", "page(0.5)"),
        hidden("ctrl+u", "page(-0.5)"),
    ]


def reported(
    doing: str, *, group: str, exclusive: bool = False
) -> Callable[[Callable[P, Coroutine[Any, Any, None]]], Callable[P, Worker[None]]]:
    """A method that runs as a worker, within `BaseApp.reporting`."""

    def made(method: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, Worker[None]]:
        @work(group=group, exclusive=exclusive, exit_on_error=False)
        @wraps(method)
        async def run(*args: P.args, **kwargs: P.kwargs) -> None:
            node: Any = args[0]
            with node.app.reporting(doing):
                await method(*args, **kwargs)

        return run

    return made


class BaseApp(App[None]):
    """Messages, the clipboard, and the boundary of workers; `memtui.app.app` adds the rest."""

    def __init__(self, model: ProjectModel, log: FailureLog) -> None:
        super().__init__()
        self.model = model
        self.log_file = log
        self.keymap: dict[str, str] = {}
        """The user's own keys, by the ids of bindings."""
        self.painted = asyncio.Event()
        """Set after the first paint, which slow work and imports wait for."""
        self.typed_at = self.said_at = 0.0
        """When the last key or click came, and the message that shows."""
        self.stays = False
        """Whether keys leave the message: it is an error, or none of them has caused it."""

    def say(self, text: str, *, severity: SeverityLevel = "information") -> None:
        """Show a message. Only the last one is visible: a pile would cover the screen."""
        self.clear_notifications()
        self.said_at = time.monotonic()
        self.stays = severity == "error" or self.said_at - self.typed_at > READING
        text = clean(text)
        text = text if len(text) <= _TOAST else f"{text[: _TOAST - len(_REST)]}{_REST}"
        self.notify(text, severity=severity, markup=False, timeout=10 if severity == "error" else 4)

    def warn(self, text: str) -> None:
        self.say(text, severity="warning")

    @reported("copying", group="copy")
    async def copy_text(self, text: str, *, name: str = "", note: str = "") -> None:
        """Copy a text, and say by which way; a long one by its name, with a remark about it."""
        from memtui.ground.clipboard import copy

        def send(osc52: str) -> None:
            self.call_from_thread(self.copy_to_clipboard, osc52)

        copied = await asyncio.to_thread(copy, text, send, name=name)
        message = f"{note[:1].upper()}{note[1:]}. {copied.message}" if note else copied.message
        self.say(message, severity="information" if copied.sure and not note else "warning")

    @reported("copying", group="copy")
    async def copy_restoring(self, memory_id: str, *, note: str = "") -> None:
        """Copy what restores a memory: the prompt, or the text where no plugin would follow the prompt."""
        from memtui.flows.restore import restore_memory

        text, name = PROMPT.format(id=memory_id), ""
        if await asyncio.to_thread(self.model.lacks_hooks):
            places, clock = self.model.places, self.model.clock
            text = (await asyncio.to_thread(restore_memory, places, clock, memory_id)).text
            name = f"the text of {memory_id}"
            note = "the plugin is not installed (i), so Claude needs the whole text"
        self.copy_text(text, name=name, note=note)

    def explain(self, doing: str, error: Exception) -> str:
        """The message for an error; one that memtui cannot explain is logged."""
        return explain(self.log_file, doing, error)

    @contextmanager
    def reporting(self, doing: str, *, wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """The boundary of a worker: an exception inside is reported, if `wanted`, and goes no further.

        `doing` completes the sentence “Failed …”, for example “copying”.
        """
        try:
            yield
        except Exception as error:  # a worker's boundary
            worker, left = active_worker.get(None), False
            if isinstance(error, NoMatches) and worker and isinstance(worker.node, Screen):
                left = worker.node not in self.screen_stack  # its widgets are removed before its workers end
            if self.is_running and not left and wanted():
                self.say(self.explain(doing, error), severity="error")


class OwnScreen(Screen[ScreenResultType]):
    """A screen of memtui's, with what the app asks of it."""

    app = own_app
    about = ""
    """The description in help; "" if the screen has no help."""
    elsewhere = ""
    """The message for keys that only work on other screens; "" for the usual one, which names the screen."""

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """What is under the pointer; lists and documents know which of their text that is, or is nearest.

        Textual 8.2.8 takes a press on a row without text for one on all of the widget.
        """
        widget, offset = super().get_widget_and_offset_at(x, y)
        text_at: Callable[[Offset], Offset | None] | None = getattr(widget, "text_at", None)
        return widget, text_at(Offset(x, y) - widget.content_region.offset) if widget and text_at else offset

    @property
    def unsaved(self) -> bool:
        """Whether leaving now would lose what takes long to make again."""
        return False


class StyledOnce(OwnScreen[None]):
    """A screen whose widgets are styled as they are mounted, and not again before the first paint.

    Textual 8.2.8 styles, lays out and paints a new screen twice: once more with the classes for its size.
    """

    def on_screen_resume(self, event: ScreenResume) -> None:
        event.refresh_styles = event.refresh_styles and self.stack_updates > 0


def add_size_classes(screen: Screen[Any], app: App[Any]) -> None:
    """Add the classes for the window's size before the first paint, not after it."""
    across = screen.HORIZONTAL_BREAKPOINTS or app.HORIZONTAL_BREAKPOINTS
    down = screen.VERTICAL_BREAKPOINTS or app.VERTICAL_BREAKPOINTS
    for length, points in zip(app.size, (across, down), strict=True):
        if reached := [point for point in points or () if point[0] <= length]:
            screen.add_class(max(reached)[1], update=False)


def bindings_of(owner: type[DOMNode]) -> Iterator[Binding]:
    """The bindings that a class itself declares, with Textual's names of their keys."""
    for each in owner.__dict__.get("BINDINGS", ()):
        yield replace(each, key=",".join(made.key for made in Binding.make_bindings([each])))


def shown(keys: str) -> str:
    """Keys as written for people: `[`, `ctrl+r`, `?`."""
    return " ".join(
        "esc" if key == "escape" else "+".join(map(format_key, key.split("+"))) for key in keys.split(",")
    )
