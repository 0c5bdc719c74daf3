"""Small screens over another one: a question, a line to type, a Recovery ID, a document, help."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual import events, getters, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Button, Digits, Input, Static

from memtui.app.base import RESTORES, OwnScreen, hidden
from memtui.app.widgets.document import ASIDE, Document, Line, line, styled
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import TypedLine
from memtui.app.widgets.row_list import RowList
from memtui.ground.clean import clean_line

_KEY_WIDTH = 14
_MOVING = ("j k ↑ ↓ g G", "move where nothing is typed; page up, page down too")


class _Dialog(ModalScreen[ScreenResultType], OwnScreen[ScreenResultType]):
    """A box over a screen; a click beside it or on its last word, `esc closes`, is as escape."""

    HORIZONTAL_BREAKPOINTS = [(0, "-tight"), (48, "-narrow"), (100, "-wide")]  # noqa: RUF012 - see the app

    async def on_click(self, event: events.Click) -> None:
        box = self.query_one(Vertical)
        clicked, _ = self.get_widget_at(*event.screen_offset)
        on_border = clicked is box and event.screen_y == box.region.bottom - 1
        if clicked is self or (on_border and box.border_subtitle):
            await self.run_action(self.active_bindings["escape"].binding.action)


def _answers(yes: str, no: str) -> Horizontal:
    buttons = (Button(Content(yes), id="yes", compact=True), Button(Content(no), id="no", compact=True))
    return Horizontal(*buttons, id="answers")


class ConfirmScreen(_Dialog[bool]):
    """Asks a question; y and n answer, enter presses the highlighted button, escape means no.

    Only the button with the focus is highlighted. If yes destroys nothing, it is `safe` and has the focus, so
    that enter confirms.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "yes", tooltip="do it"),
        Binding("n,escape,q", "dismiss(False)", "no", tooltip="leave everything as it is"),
        hidden("?,f1", "app.help", "help", tooltip="the keys here"),
        hidden("left,right", "app.focus_next", "other", tooltip="go to the other answer"),
        hidden("down,j", "read(1, False)"),
        hidden("up,k", "read(-1, False)"),
        hidden("pagedown,space", "read(1, True)"),
        hidden("pageup", "read(-1, True)"),
    ]

    TITLE = "a question"
    about = "Answer with y or n first: nothing is done before."

    def __init__(
        self, question: str, *, yes: str, no: str, document: Document | None = None, safe: bool = False
    ) -> None:
        super().__init__()
        self._question, self._yes, self._no = question, yes, no
        self._document, self._safe = document, safe

    def compose(self) -> ComposeResult:
        with Vertical(id="confirm"):
            yield Static(Content(self._question), id="question")
            if self._document is not None:
                view = DocumentView(self._document, id="asked-about")
                view.can_focus = False
                yield view
            yield _answers(f"{self._yes} (y)", f"{self._no} (n)")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Focus the answer that loses nothing, as enter is easily pressed by habit."""
        self.set_class(self._document is not None, "-large")
        self.query_one("#yes" if self._safe else "#no").focus()
        for view in self.query(DocumentView):
            self.watch(view, "show_vertical_scrollbar", self._say_more)

    def on_resize(self, event: events.Resize) -> None:
        """Leave room for question and answers: Textual 8.2.8 applies no share of the window to such a box."""
        for view in self.query(DocumentView):
            view.styles.max_height = max(event.size.height - 12, 10)

    def _say_more(self, more: bool) -> None:
        self.query_one("#confirm").border_title = "j reads on" if more else ""

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_read(self, step: int, pages: bool) -> None:
        for view in self.query(DocumentView):
            view.action_page(step) if pages else view.action_lines(step)


class _Answer(TypedLine):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "accept", key_display="enter")]


class AskScreen(_Dialog[str | None]):
    """Asks for one line; enter returns it, escape None, after asking if there are more than a few words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", tooltip="leave everything as it is")
    ]

    def __init__(self, question: str, *, yes: str, value: str = "", hint: str = "") -> None:
        """Make the question; all texts are clean."""
        super().__init__()
        self._question, self._yes, self._value, self._hint = question, yes, value, hint

    def compose(self) -> ComposeResult:
        with Vertical(id="ask"):
            yield Static(Content(self._question), id="asked")
            yield _Answer(self._value, id="answer", compact=True, select_on_focus=False)
            yield Static(Content(self._hint), id="ask-hint")
            yield _answers(f"{self._yes} (enter)", "Leave (esc)")
        yield KeyFooter()

    def action_leave(self) -> None:
        typed = self.query_one(Input).value
        wide = cell_len(typed) - len(typed)  # Chinese has no spaces: two characters count as a word
        if typed == self._value or len(typed.split()) + wide // 2 < 5:
            self.dismiss(None)
        else:
            question = ConfirmScreen("Leave? What you typed is lost.", yes="Leave", no="Stay")
            self.app.push_screen(question, lambda yes: self.dismiss(None) if yes else None)

    @on(Input.Submitted)
    @on(Button.Pressed)
    def _answered(self, event: Input.Submitted | Button.Pressed) -> None:
        event.stop()
        if event.control.id == "no":
            self.action_leave()
        else:
            self.dismiss(self.query_one(Input).value)


class _LeftBySearch(_Dialog[None]):
    BINDINGS: ClassVar[list[BindingType]] = [hidden("s", "search", "search")]

    async def action_search(self) -> None:
        await self.dismiss()
        await self.app.run_action("search")


class StoredScreen(_LeftBySearch):
    """Shows a new Recovery ID in large letters, and copies it; y and Y copy again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "copy", tooltip="copy the Recovery ID"),
        Binding("Y", "copy_prompt", "restores", tooltip=RESTORES),
        Binding("escape,enter,q,space", "dismiss", "closes", tooltip="back to where you were"),
    ]
    about = "y copies the Recovery ID, Y the restore prompt; esc closes."

    def __init__(self, memory_id: str, file: Path) -> None:
        super().__init__()
        self._memory_id, self._file = memory_id, file

    def compose(self) -> ComposeResult:
        with Vertical(id="stored"):
            yield Digits(self._memory_id.removeprefix("CMEM-"), id="stored-large")
            yield Static(Content.styled(self._memory_id, "bold $accent"), id="stored-id")
            yield Static(Content(f"kept in {clean_line(str(self._file))}"), id="stored-file")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Copy it at once, as that is usually what it is for."""
        box = self.query_one("#stored")
        box.border_title = Content("Recovery ID")
        box.border_subtitle = Content("y id · Y restores · esc closes")
        self.action_copy()

    def action_copy(self) -> None:
        self.app.copy_text(self._memory_id)

    def action_copy_prompt(self) -> None:
        self.app.copy_restoring(self._memory_id)


class ReadingScreen(OwnScreen[None]):
    """Shows a document until it is left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "back", tooltip="back to where you were")
    ]
    about = "A document."
    view = getters.query_one("#reading", DocumentView)

    def __init__(self, title: str, document: Document, *, at: int = 0) -> None:
        """Make the screen; `title` is clean, and `at` is the first line to show."""
        super().__init__()
        self._title, self._document, self._at = title, document, at

    def compose(self) -> ComposeResult:
        yield DocumentView(self._document, id="reading")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view.border_title = Content(self._title)
        self.view.reveal(self._at)
        self.view.focus()


class HelpScreen(_LeftBySearch):
    """The signs and keys of a screen; a click on a key's line presses it. ?, f1, escape and q close."""

    BINDINGS: ClassVar[list[BindingType]] = [hidden("escape,?,f1,q,enter", "dismiss", "close", priority=True)]

    def __init__(self, title: str, about: str, of: Screen[object]) -> None:
        """Make the screen; `of` is the one in front, whose keys work, and `about` says what it shows."""
        super().__init__()
        self._title = title
        self._document = help_document(title, about, of)

    def compose(self) -> ComposeResult:
        with Vertical(id="help"):
            yield DocumentView(self._document, id="help-text")

    def on_mount(self) -> None:
        box = self.query_one("#help")
        box.border_title = Content(f"Help for {self._title}")
        box.border_subtitle = Content("a click does it · esc closes")
        self.query_one(DocumentView).focus()

    @on(DocumentView.Followed)
    def _do(self, message: DocumentView.Followed) -> None:
        self.dismiss()
        self.app.simulate_key(message.link.removeprefix(ASIDE))


def help_document(title: str, about: str, of: Screen[object]) -> Document:
    """The legend of the signs that are on a screen now, and its keys; the signs of other panes come last."""
    here = ("", title, "the detail", "the first line")
    parts: list[tuple[int, str, Iterable[tuple[str, ...]]]] = [
        (2 * (place not in here), f"Signs in {place or title}", found.items())
        for place, found in legend(of).items()
    ]
    parts += [(1, place, rows) for place, rows in _keys(title, of).items()]
    lines = [line(about, "strong")]
    for _, heading, rows in sorted(parts, key=lambda part: (part[0], part[1].endswith("first line"))):
        lines += [Line(""), line(heading, "heading"), *(_row(*each) for each in rows)]
    return Document(lines)


def legend(screen: Screen[object]) -> dict[str, dict[str, str]]:
    """The signs on a screen and what they mean by their places, as declared by what draws them."""
    found: dict[str, dict[str, str]] = {}
    for node in (screen, *screen.walk_children(Widget)):
        signs: dict[str, str] = {**getattr(node, "signs", {})}
        if isinstance(node, RowList):
            signs["✕"] = "a click on it drops the filter"
            if node.marked:
                signs["●"] = f"ticked; {signs['●']}" if "●" in signs else "ticked"
            if not node.rows:  # a sentence in place of rows
                continue
        painted = _painted(node) if signs else ""
        every = getattr(node, "every_sign", False)
        if shown := {sign: text for sign, text in signs.items() if every or _stands_in(sign, painted)}:
            found.setdefault(getattr(node, "title", None) or "", {}).update(shown)
    return found


def _stands_in(sign: str, painted: str) -> bool:
    """Whether one of these signs is in a text; of ASCII only alone or at a number, else it is text."""
    if sign.isascii():
        return bool(re.search(rf"(?<![^\s▌●│\d]){re.escape(sign)}\d*(?!\S)", painted))
    return any(each in painted for each in sign)


def _painted(node: Widget) -> str:
    widgets = [
        each for each in node.walk_children(Widget, with_self=True) if each.region and not each.children
    ]
    strips = (strip for each in widgets for strip in each.render_lines(Region(0, 0, *each.outer_size)))
    return "\n".join(strip.text for strip in strips)


def _keys(title: str, screen: Screen[object]) -> dict[str, list[tuple[str, ...]]]:
    """The keys of what has the focus, of its screen, and of the app: each action once, with all its keys."""
    own, around, everywhere = f"Keys in {title}", "Keys of this screen", "Keys everywhere"
    places: dict[str, dict[str, list[str]]] = {own: {}, around: {}, everywhere: {}}
    texts: dict[str, tuple[str, str]] = {}
    for node, binding, _, tooltip in screen.active_bindings.values():
        if tooltip:
            place = everywhere if isinstance(node, App) else around if isinstance(node, Screen) else own
            places[place].setdefault(binding.action, []).append(screen.app.get_key_display(binding))
            leaves = binding.description in ("quit", "suspend")  # too much for a stray click
            texts[binding.action] = tooltip, "" if leaves else binding.key
    found: dict[str, list[tuple[str, ...]]] = {
        place: [(" ".join(keys), *texts[action]) for action, keys in actions.items()]
        for place, actions in places.items()
        if actions
    }
    first = next(iter(found))
    return {**found, first: [_MOVING, *found[first]]}


def _row(sign: str, text: str, key: str = "") -> Line:
    lead = sign + " " * (_KEY_WIDTH - cell_len(sign))
    return styled((lead, "accent"), text, hang=_KEY_WIDTH, link=key and ASIDE + key)
