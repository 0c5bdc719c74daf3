"""A table of a screen's commands: source of its bindings, bottom line, help and palette."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from memtui.ground.named import NamedTuple

BarKeys = tuple[tuple[str, str, str], ...]
"""(key, label, action) of a bottom line."""


class ScreenCommand(NamedTuple):
    """A command of a screen.

    Attributes:
        keys: Textual's key names, comma separated.
        shown: the key as written for people.
        label: one or two words for the bottom line.
        help: what it does, as a phrase for help and palette.
        action: the Textual action, with its namespace.
        where: the focused parts of the screen for which the bottom line shows it; empty: any.
        bar: whether the bottom line shows it at all.
        priority: takes precedence over the focused widget.
        bound: the screen binds it; otherwise the widget with the focus does.
    """

    keys: str
    shown: str
    label: str
    help: str
    action: str
    where: frozenset[str] = frozenset()
    bar: bool = True
    priority: bool = False
    bound: bool = True


class CommandTable(NamedTuple):
    """The commands of one screen, in the order of its bottom line, which always shows the last two."""

    title: str
    about: str
    commands: tuple[ScreenCommand, ...]

    def bindings(self) -> list[BindingType]:
        """Textual's bindings for the screen."""
        return [
            Binding(each.keys, each.action, each.label, show=False, priority=each.priority, tooltip=each.help)
            for each in self.commands
            if each.bound
        ]

    def bar(self, where: str = "") -> BarKeys:
        """The bottom line while `where` has the focus."""
        return tuple(
            ("f1" if each is HELP and where in _TYPING else each.shown, each.label, each.action)
            for each in self.commands
            if each.bar and (not each.where or where in each.where)
        )

    def rows(self) -> list[tuple[str, str]]:
        """(key, what it does) for the help."""
        return [(each.shown, each.help) for each in self.commands]


_TYPING = frozenset({"form", "query"})
"""Parts of a screen in which a question mark is text."""
HELP = ScreenCommand("question_mark,f1", "?", "help", "these keys; f1 while typing", "app.help", bound=False)
REDO = ScreenCommand("ctrl+r", "ctrl+r", "redo", "redo the last undone change", "app.redo", bar=False)
DOWN = ScreenCommand("space", "space", "page down", "page down", "focused.page(1)", bound=False)
START = ScreenCommand("g", "g", "start", "go to the start", "focused.first", bound=False)
END = ScreenCommand("G", "G", "end", "go to the end", "focused.last", bound=False)
