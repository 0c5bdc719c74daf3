"""Pane 3: the active commands, whose rules must survive a compaction (seed 002), and the pins under them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.app.base import reported
from memtui.app.changes import Change
from memtui.app.listings import CommandsView, LightsView, PinsView, View
from memtui.app.panes.pane import Detail, Pane, PaneId, Subject
from memtui.app.project import ProjectModel
from memtui.app.widgets.document import Document, Line, concat, from_markdown, line, styled
from memtui.app.widgets.document_view import LOOKS
from memtui.app.widgets.row_list import row
from memtui.app.widgets.wrap import cut_left
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, local_minute, short_age
from memtui.ground.files import FileProblem
from memtui.ground.text import counted

if TYPE_CHECKING:
    from memtui.documents.commands import ActiveCommand
    from memtui.lost.pin_fates import PinFate, PinRow

_NONE = "No command is active; ! types a pin.\n\nCommands that register themselves show here, and pins."
_BROKEN = "broken:"
_PIN, _EVERYWHERE = "pin:", "everywhere:"
_RED = "not delivered"
_MARKS: dict[PinFate | None, tuple[str, str]] = {
    "kept": ("✓", "good"),
    "handed over": ("↺", "good"),
    "not delivered": ("✗", "bad"),
    "new": ("▷", "dim"),
    None: ("▷", "dim"),
}
"""The mark and role of a light; None: nothing was compacted yet."""

_UNCONFIRMED = ("?", "warn")
_FROM_REPOSITORY = "from the repository"
_OFF = f"{_FROM_REPOSITORY}, and off: you have neither pinned it with memtui nor confirmed it; ! confirms it"


class CommandsPane(Pane):
    """The pane of active commands and, under them, of pins: undelivered pins first.

    Unusable entries are listed with their problem.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "clear", "clear", id="clear", tooltip="clear this active command or this pin"),
        Binding("X", "clear_all", "clear all", id="clear_all", tooltip="clear all active commands (asks)"),
        Binding("!", "pin", "type a pin", tooltip="type a line that no compaction may lose"),
    ]
    pane_id = PaneId.COMMANDS
    number = 3
    title = "Commands"
    views = (CommandsView, PinsView, LightsView)
    changed = ("commands", "pins", "userpins")
    signs: ClassVar[Mapping[str, str]] = {
        "✓": "a pin that the summary has",
        "↺": "a pin that memtui handed over",
        "✗": "a pin that neither the summary nor a note has",
        "▷": "a pin that no compaction has met yet",
        "?": "a pin from the repository, off until ! confirms it",
        "⚠": "a command whose rules cannot be read; the detail says why",
    }
    detail_signs = signs
    about = "Commands whose rules must survive a compaction, and lines that no compaction may lose."

    def __init__(self, model: ProjectModel) -> None:
        super().__init__(model)
        self.view = CommandsView()
        self._by_name: dict[str, ActiveCommand] = {}
        self._pins: dict[str, PinRow] = {}
        self._pins_problem = ""
        self.lights = LightsView()

    def apply(self, view: View) -> None:
        if isinstance(view, CommandsView):
            self.view = view
            self._by_name = {command.name: command for command in view.commands}
        elif isinstance(view, PinsView):
            self._pins = {
                f"{_EVERYWHERE if pin.everywhere else _PIN}{pin.pin.text}": pin for pin in view.pins
            }
            self._pins_problem = view.problem
            self.unread = False  # commands are listed before
        elif isinstance(view, LightsView):
            self.lights = view
        self.show_rows()

    def command(self, key: str | None) -> ActiveCommand | None:
        return self._by_name.get(key or "")

    @property
    def nothing(self) -> str:
        return "Reading …" if self.unread else _NONE

    @property
    def _problems(self) -> Mapping[str, str]:
        """Sentences on what cannot be used, by the keys of their rows."""
        broken = {f"{_BROKEN}{number}": each for number, each in enumerate(self.view.broken)}
        files = {"broken file": self.view.problem, "broken pins": self._pins_problem}
        return broken | {key: problem for key, problem in files.items() if problem}

    def await_pin(self, text: str) -> None:
        """Select a pin that was just made, so that `x` is for it; a filter that would hide it is dropped."""
        if not self.passes(text):
            self.filter_text = ""
            self.show_rows()
        self.await_back([f"{_PIN}{text}"])

    def pin(self, key: str | None) -> PinRow | None:
        return self._pins.get(key or "")

    def all_keys(self) -> Sequence[str]:
        red = [key for key in self._pins if self._light(key) == _RED]
        return (*self._by_name, *self._problems, *red, *(key for key in self._pins if key not in red))

    def count(self) -> str:
        """The text after the title: `2 · 3 pins, 1 ✗`."""
        number, red = len(self._pins), sum(self._light(key) == _RED for key in self._pins)
        off = sum(not pin.confirmed for pin in self._pins.values())
        notes = f"{f', {red} ✗' if red else ''}{f', {off} off' if off else ''}"
        pins = f"{counted(number, 'pin')}{notes}" if number else ""
        return " · ".join(part for part in (str(len(self._by_name) or ""), pins) if part)

    def _light(self, key: str) -> PinFate | None:
        if not self._pins[key].confirmed:
            return None
        return self.lights.lights.get(self._pins[key].pin.text)

    def text_of(self, key: str) -> str:
        pin = self.pin(key)
        return pin.pin.text if pin is not None else key

    def draw_row(self, key: str, width: int) -> Content:
        command, pin = self.command(key), self.pin(key)
        if pin is not None:
            sign, role = _MARKS[self._light(key)] if pin.confirmed else _UNCONFIRMED
            source = f"L{pin.pin.line}" if pin.pin.line else ""
            source = source if pin.confirmed else _FROM_REPOSITORY
            from memtui.secrets.secrets import masked  # the first paint does without its patterns

            return row([(f"{sign} ", LOOKS[role]), clean_line(masked(pin.pin.text))], source, width)
        if command is None:
            # A sentence on a file: its path is what can be spared.
            return row([(cut_left(clean_line(self._problems[key]), width), "$error")], "", width)
        ago = short_age(command.activated_at, self.clock()) if command.activated_at else ""
        lack = self.view.lacking.get(key, "")
        mark = (f" ⚠ {lack}" if lack else "", "$warning")
        return row([("/", "$quiet"), clean_line(command.name).removeprefix("/"), mark], ago, width)

    def detail_of(self, key: str) -> Detail:
        command, pin = self.command(key), self.pin(key)
        if pin is not None:
            alone = self.model.lacks_hooks()
            name = f"{key} {self._light(key)} {pin.confirmed} {alone}"
            return Detail(name, "Pin", _pin_document(pin, self.lights, alone))
        if command is None:
            way = line("x clears active commands; e opens the file.", "dim")
            return Detail(key, "Command", Document([line(clean_line(self._problems[key]), "bad"), way]))
        name = clean_line(command.name).removeprefix("/")
        return Detail(key, f"Command /{name}", None, lambda _: self._document(command))

    def _document(self, command: ActiveCommand) -> Document:
        since, lack = command.activated_at, self.view.lacking.get(command.name)
        head: list[Line] = [
            styled(
                (f"⚠ active, {lack}", "warn") if lack else ("active", "good"),
                (f" · since {local_minute(since)} · {age(since, self.clock())}" if since else "", "dim"),
            )
        ]
        if command.state:
            import json  # not needed by Textual, nor by the first paint

            head.append(styled(("state ", "label"), json.dumps(command.state, ensure_ascii=False)))
        from memtui.store.commands_file import NoCommandFile  # the first paint does without its writer

        try:
            summary = self.model.commands.summary(command.name)
        except NoCommandFile as problem:
            said = styled(("There is no command file of that name: ", "warn"), f"{problem}.")
            return concat(*head, Line(""), said)
        except FileProblem as problem:
            return concat(*head, Line(""), styled(("No compact summary: ", "warn"), f"{problem}."))
        note, alone = self.view.notes.get(command.name), self.model.lacks_hooks()
        return concat(
            *head,
            styled((clean_line(summary.shown), "dim")),
            *((line(note, "warn"),) if note else ()),
            *((line("No hook hands its rules over: i installs the plugin.", "warn"),) if alone else ()),
            Line(""),
            line("Compact summary", "heading"),
            from_markdown(summary.text),
        )

    def subject_of(self, key: str) -> Subject:
        command, pin = self.command(key), self.pin(key)
        if pin is not None:
            gone = "The session of this pin is not known, or its transcript no longer exists."
            return Subject(file=pin.file, transcript=pin.transcript or gone)
        state_file = self.model.project.session_state_json
        if command is None:
            return Subject(file=state_file) if state_file.exists() else Subject()
        try:
            file = self.model.commands.summary(command.name).path
        except FileProblem:
            file = state_file
        return Subject(file=file, transcript="An active command names no transcript.")

    @property
    def idle_keys(self) -> frozenset[str]:
        return frozenset([*([] if self.selected else ["clear"]), *([] if self._by_name else ["clear_all"])])

    def action_clear(self) -> None:
        command, pin = self.command(self.selected), self.pin(self.selected)
        if pin is not None:
            self._change("clearing the pin", partial(self._remove, pin))
        elif command is None:
            self.app.warn("No active command and no pin is selected.")
        else:
            self._change("clearing", partial(self._clear, command.name))

    @reported("clearing", group="ask", exclusive=True)
    async def action_clear_all(self) -> None:
        number = len(self._by_name) + len(self.view.broken)
        if not number:
            self.app.warn(f"No command is active.{' x clears the selected pin.' * bool(self._pins)}")
            return
        question = f"Clear all {number} active commands?"
        if self._by_name and number == 1:
            question = f"Clear the active command /{clean_line(next(iter(self._by_name))).removeprefix('/')}?"
        if await self.app.confirmed(question, yes="Clear", no="Keep"):
            self._change("clearing", partial(self._clear, None))

    def action_pin(self) -> None:
        """Type a pin; confirm the selected one, if it is from the repository."""
        pin = self.pin(self.selected)
        if pin is not None and not pin.confirmed:
            self._change("confirming the pin", partial(self._confirm, pin.pin.text))
            return
        from memtui.app.screens.dialogs import AskScreen

        lacks = self.model.lacks_hooks()
        hint = "No summary gets it until the hooks are installed (i)." if lacks else "Every summary gets it."
        asked = AskScreen("A line that no compaction may lose", yes="Pin it", hint=hint)

        def answered(text: str | None) -> None:
            if text and text.strip():
                self.app.pin(text)
            elif text is not None:
                self.app.warn("Nothing is pinned: the line is empty.")

        self.app.push_screen(asked, answered)

    def _confirm(self, text: str) -> str:
        self.model.pins.confirm([text])
        self.model.readings.forget_aftermaths()
        return f"Confirmed “{short_pin(text)}”: it is for every summary from now on."

    def _clear(self, name: str | None) -> str:
        commands = self.model.commands
        gone = commands.remove(None if name is None else frozenset((name,)))
        what = "all commands" if name is None else f"/{clean_line(name).removeprefix('/')}"
        again = frozenset(each.name for each in gone)
        undo, redo = partial(commands.put_back, gone), partial(commands.remove, again)
        back = f"{'they are' if name is None else 'it is'} active again"
        self.model.changes.add(Change(f"cleared {what}", undo, redo, tuple(again), undone=back))
        return f"Cleared {what}. u brings it back."

    def _remove(self, item: PinRow) -> str:
        name = f"the pin “{short_pin(item.pin.text)}”"
        with self.model.changes.of_files(f"cleared {name}", [item.file], "it is back"):
            self.model.pins.remove(item.pin.text, everywhere=item.everywhere)
        self.model.readings.forget_aftermaths()
        return f"Cleared {name}. u brings it back."


def short_pin(text: str) -> str:
    text = clean_line(text)
    return text if len(text) <= 40 else f"{text[:39].rstrip()}…"


def _pin_document(row: PinRow, view: LightsView, alone: bool) -> Document:
    light = view.lights.get(row.pin.text) if row.confirmed else None
    mark, role = _MARKS[light] if row.confirmed else _UNCONFIRMED
    says = _in_words(light, view) if row.confirmed else _OFF
    if alone and row.confirmed and light in (None, "new"):
        says = "no summary gets it: the hooks are not installed (i)"
    where = "for all projects" if row.everywhere else "for this project"
    source = f"{row.pin.session} L{row.pin.line}".strip() if row.pin.line else ""
    head = styled((f"{mark} ", role), (says, role), hang=2)
    lines = [head, Line(""), line(clean_line(row.pin.text), "strong"), Line("")]
    if source:
        lines.append(styled(("from ", "label"), clean_line(source)))
    kept = styled(("kept in ", "label"), clean_line(str(row.file)), (f" · {where}", "dim"))
    return Document([*lines, kept, Line(""), line("x clears it, e edits the file.", "dim")])


def _in_words(light: PinFate | None, view: LightsView) -> str:
    of = f" of {local_minute(view.at)}" if view.at else ""
    if light == "kept":
        return f"kept by the summary{of}"
    if light == "handed over":
        return f"handed over by memtui after the compaction{of}"
    if light == "not delivered":
        way = "nothing waits for the next prompt: `memtui doctor` says whether the hooks run"
        way = "it comes with the next prompt by itself" if view.waiting else way
        return f"not delivered: neither the summary{of} nor the notes after it have it; {way}"
    return "goes into the next summary" + ("" if light is None else f"; it was pinned after the one{of}")
