"""The keys of a pane or a screen, from the tables of commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from memtui.app.keys.commands import PANE_TITLES, Command, PaneId, key_table
from memtui.app.keys.screen_table import CommandTable
from memtui.app.stylesheets import stylesheet
from memtui.app.widgets.document import Document, Line, line, styled
from memtui.app.widgets.document_view import DocumentView

_ABOUT = {
    PaneId.PENDING: "What auto-compactions took away, waiting for your review.",
    PaneId.MEMORIES: "What reviews have kept, and memories stored under a Recovery ID.",
    PaneId.COMMANDS: "Commands whose rules must survive a compaction.",
    PaneId.STATE: "Where the newest session stands: goal, tasks, decisions, errors.",
}
_KEY_WIDTH = 14
_MOVING = (("j k ↑ ↓ g G", "move where nothing is typed; page up and page down work too"),)
_PALETTE = ("ctrl+p", "every command by name")


class HelpScreen(ModalScreen[None]):
    """Closes with the key that opened it, with escape or q."""

    DEFAULT_CSS = stylesheet("help")
    SCOPED_CSS = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q,enter", "dismiss", "close", show=False)
    ]

    def __init__(self, title: str, document: Document) -> None:
        """Make the screen; `title` names the place where the keys work."""
        super().__init__()
        self._title = title
        self._document = document

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with Vertical(id="help"):
            yield DocumentView(id="help-text")

    def on_mount(self) -> None:
        """Fill it."""
        box = self.query_one("#help")
        box.border_title = Content(f"Keys in {self._title}")
        box.border_subtitle = Content("esc closes")
        view = self.query_one(DocumentView)
        view.show(self._document)
        view.focus()


def pane_help(pane: PaneId, commands: Iterable[Command]) -> HelpScreen:
    """The keys of the browser in a pane."""
    commands = tuple(commands)
    here = [command for command in commands if pane in command.panes and len(command.panes) < len(PaneId)]
    everywhere = [command for command in commands if len(command.panes) == len(PaneId)]
    lines: list[Line] = [line(_ABOUT[pane], "strong")]
    if here:
        lines += [Line(""), line("Here", "heading"), *map(_command, here)]
    lines += [Line(""), line("Everywhere", "heading"), *(_row(*row) for row in key_table(everywhere))]
    return HelpScreen(PANE_TITLES[pane], Document(lines))


def screen_help(table: CommandTable) -> HelpScreen:
    """The keys of another screen."""
    rows = [*_MOVING, *table.rows(), _PALETTE]
    return HelpScreen(
        table.title, Document([line(table.about, "strong"), Line(""), *(_row(*row) for row in rows)])
    )


def _command(command: Command) -> Line:
    if command.shown:
        return _row(command.shown, command.help)
    return _row(_PALETTE[0], f"{command.title}: {command.help}")


def _row(key: str, text: str) -> Line:
    return styled((f"{key:<{_KEY_WIDTH}}", "accent"), text, hang=_KEY_WIDTH)
