"""Small screens over another one: a question, a line to type, a Recovery ID, a document, help."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import ClassVar

from textual import getters, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Button, Digits, Input, Static

from memtui.app.base import PROMPT, BaseApp
from memtui.app.widgets.document import Document, Line, line, styled
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import TypedLine

_KEY_WIDTH = 14
_MOVING = ("j k ↑ ↓ g G", "move where nothing is typed; page up and page down work too")
SIGNS = {
    "✗": "lost: neither the summary nor a note has it",
    "?": "not in its own words: the summary may say it in others",
    "✓": "kept, done, or nothing lost",
    "↺": "handed over by memtui",
    "⏳": "waits for the next prompt",
    "▼": "a compaction",
    "▸": "in progress, or folded: enter opens it",
    "○": "open, or new",
    "◐": "the disk is looked at every two seconds: no events come",
    "●": "live; before a row: ticked; behind a memory of Claude's: new or changed",
    "▣": "ticked",
    "△": "names files that have changed or are gone, or something else is wrong with it",
    "⇅": "shared with a remote, or by somebody",
    "✎": "a review's memory file, without a Recovery ID",
    "⚠": "cannot be used as it is; the detail says why",
    "◆": "marked: the others are compared with it",
    "⑂": "a subagent",
    "≡": "the index of Claude's memories",
}
"""The meaning of each sign, in the order of the legend."""
_MAYBE = re.compile(r"^│? {2,}\? |[▢▣] \? ", re.MULTILINE)
"""The sign before a row that may be kept; elsewhere a question mark is text."""
_CLAUDES = {
    "u": "about you, as Claude noted it",
    "f": "your feedback",
    "p": "about the project",
    "r": "where to look things up",
}
"""The letters before memories of Claude's, which stand for their types."""


class ConfirmScreen(ModalScreen[bool | None]):
    """Asks a question; y and n answer, enter presses the highlighted button, escape means no.

    Only the button with the focus is highlighted. If yes destroys nothing, it is `safe` and has the focus, so
    that enter confirms. A question that takes time to put opens at once, and keeps an early answer.
    """

    app = getters.app(BaseApp)
    HORIZONTAL_BREAKPOINTS = [(0, "-tight"), (40, "-narrow"), (100, "-wide")]  # noqa: RUF012 - see the app
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False, tooltip="do it"),
        Binding("n,escape,q", "answer(False)", "no", show=False, tooltip="leave everything as it is"),
        Binding("left,right", "app.focus_next", "other", show=False, tooltip="go to the other answer"),
        Binding("down,j", "read(1, False)", show=False),
        Binding("up,k", "read(-1, False)", show=False),
        Binding("pagedown,space", "read(1, True)", show=False),
        Binding("pageup", "read(-1, True)", show=False),
    ]

    def __init__(
        self,
        question: str,
        *,
        yes: str,
        no: str,
        document: Document | None = None,
        safe: bool = False,
        prepare: Callable[[], str] | None = None,
    ) -> None:
        """Make the question.

        Args:
            question: one sentence.
            yes: label of the first answer, a word.
            no: label of the other one.
            document: text to read before answering.
            safe: whether yes loses nothing.
            prepare: finds the question, in a thread; `question` is shown meanwhile. "" means that there is
                nothing to ask, and the answer None.
        """
        super().__init__()
        self._document = document
        self._question = question
        self._yes = yes
        self._no = no
        self._safe = safe
        self._prepare = prepare
        self._early = False
        """Whether yes was answered before the question was put."""

    def compose(self) -> ComposeResult:
        with Vertical(id="confirm"):
            yield Static(Content(self._question), id="question")
            if self._document is not None:
                view = DocumentView(self._document, id="asked-about")
                view.can_focus = False
                yield view
            with Horizontal(id="answers"):
                yield Button(Content(f"{self._yes} (y)"), id="yes", compact=True)
                yield Button(Content(f"{self._no} (n)"), id="no", compact=True)

    def on_mount(self) -> None:
        """Focus the answer that loses nothing, as enter is easily pressed by habit."""
        self.set_class(self._document is not None, "-large")
        self.query_one("#yes" if self._safe else "#no").focus()
        if self._prepare is not None:
            self._put(self._prepare)

    @work(group="question", exit_on_error=False)
    async def _put(self, prepare: Callable[[], str]) -> None:
        question = ""
        with self.app.reporting(self._question.rstrip(" …").lower(), wanted=lambda: self.is_current):
            question = await asyncio.to_thread(prepare)
            self._prepare = None
        if not self.is_current:
            return
        if self._prepare is not None:  # it failed, and that is said
            self.dismiss(False)
        elif not question:
            self.dismiss(None)
        elif self._early:
            self.dismiss(True)
        else:
            self.query_one("#question", Static).update(Content(question))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_answer(event.button.id == "yes")

    def action_read(self, step: int, pages: bool) -> None:
        for view in self.query(DocumentView):
            view.action_page(step) if pages else view.action_lines(step)

    def action_answer(self, answer: bool) -> None:
        if answer and self._prepare is not None:
            self._early = True
        else:
            self.dismiss(answer)


class AskScreen(ModalScreen[str | None]):
    """Asks for one line; enter returns it, escape returns None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "leave", show=False, tooltip="leave everything as it is")
    ]

    def __init__(self, question: str, *, value: str = "", hint: str = "") -> None:
        """Make the question; all three texts are clean."""
        super().__init__()
        self._question = question
        self._value = value
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(id="ask"):
            yield Static(Content(self._question), id="asked")
            yield TypedLine(self._value, id="answer", compact=True, select_on_focus=False)
            yield Static(Content(self._hint), id="ask-hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)


class _LeftBySearch(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "search", "search", show=False)]

    async def action_search(self) -> None:
        await self.dismiss()
        await self.app.run_action("search")


class StoredScreen(_LeftBySearch):
    """Shows a new Recovery ID in large letters, and copies it; y and Y copy again."""

    app = getters.app(BaseApp)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy('{id}')", "copy id", show=False, tooltip="copy the Recovery ID"),
        Binding("Y", f"copy('{PROMPT}')", "copy prompt", show=False, tooltip="copy the restore prompt"),
        Binding("escape,enter,q,space", "dismiss", "close", show=False, tooltip="back to where you were"),
    ]

    def __init__(self, memory_id: str) -> None:
        super().__init__()
        self._memory_id = memory_id

    def compose(self) -> ComposeResult:
        with Vertical(id="stored"):
            yield Digits(self._memory_id.removeprefix("CMEM-"), id="stored-large")
            yield Static(Content.styled(self._memory_id, "bold $accent"), id="stored-id")
            yield Static(Content(PROMPT.format(id=self._memory_id)), id="stored-prompt")

    def on_mount(self) -> None:
        """Copy it at once, as that is usually what it is for."""
        box = self.query_one("#stored")
        box.border_title = Content("Recovery ID")
        box.border_subtitle = Content("y id · Y prompt · esc closes")
        self.action_copy("{id}")

    def action_copy(self, form: str) -> None:
        self.app.copy_text(form.format(id=self._memory_id))


class ReadingScreen(Screen[None]):
    """Shows a document until it is left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "back", tooltip="back to where you were")
    ]
    about = "A document."
    view = getters.query_one("#reading", DocumentView)

    def __init__(self, title: str, document: Document, *, at: int = 0) -> None:
        """Make the screen; `title` is clean, and `at` is the first line to show."""
        super().__init__()
        self._at = at
        self._title = title
        self._document = document

    def compose(self) -> ComposeResult:
        yield DocumentView(self._document, id="reading")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view.border_title = Content(self._title)
        self.view.reveal(self._at)
        self.view.focus()


class HelpScreen(_LeftBySearch):
    """The signs and keys of a screen; closes with the key that opened it, with escape or q."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q,enter", "dismiss", "close", show=False)
    ]

    def __init__(self, title: str, about: str, of: Screen[object]) -> None:
        """Make the screen; `of` is the one in front, whose keys work, and `about` says what it shows."""
        super().__init__()
        self._title = title
        self._document = help_document(about, of)

    def compose(self) -> ComposeResult:
        with Vertical(id="help"):
            yield DocumentView(self._document, id="help-text")

    def on_mount(self) -> None:
        box = self.query_one("#help")
        box.border_title = Content(f"Help for {self._title}")
        box.border_subtitle = Content("esc closes")
        self.query_one(DocumentView).focus()


def help_document(about: str, of: Screen[object]) -> Document:
    """The legend of the signs that are on a screen now, then its keys."""
    lines = [line(about, "strong")]
    painted = _painted(of)
    signs = [
        _row(sign, meaning)
        for sign, meaning in SIGNS.items()
        if (_MAYBE.search(painted) if sign == "?" else f"{sign} " in painted)
    ]
    if re.search(r"Claude \d", painted):  # the heading of the pane with its memories
        signs += [_row(*each) for each in _CLAUDES.items()]
    if signs:
        lines += [Line(""), line("Signs", "heading"), *signs]
    here, everywhere = list(_keys(of, of.app, here=True)), list(_keys(of, of.app, here=False))
    lines += [Line(""), line("Keys here", "heading"), *(_row(*each) for each in (_MOVING, *here))]
    return Document([*lines, Line(""), line("Everywhere", "heading"), *(_row(*each) for each in everywhere)])


def _painted(screen: Screen[object]) -> str:
    widgets = [each for each in screen.walk_children(Widget) if each.region and not each.children]
    strips = (strip for each in widgets for strip in each.render_lines(Region(0, 0, *each.size)))
    return "\n".join(strip.text for strip in strips)


def _keys(screen: Screen[object], app: object, *, here: bool) -> Iterator[tuple[str, str]]:
    """The keys of a screen or, if not `here`, of the app: each action once, with all its keys."""
    keys: dict[tuple[int, str], list[str]] = {}
    texts: dict[tuple[int, str], str] = {}
    for node, binding, _, tooltip in screen.active_bindings.values():
        if tooltip and (node is not app) is here:
            action = (id(node), binding.action)
            keys.setdefault(action, []).append(screen.app.get_key_display(binding))
            texts[action] = tooltip
    yield from ((" ".join(keys[action]), text) for action, text in texts.items())


def _row(key: str, text: str) -> Line:
    return styled((f"{key:<{_KEY_WIDTH}}", "accent"), text, hang=_KEY_WIDTH)
