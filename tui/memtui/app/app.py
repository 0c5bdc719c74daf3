"""The app: its look, its command palette, and its start."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import sys
from collections import deque
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import Widget

from memtui.app.background import DaemonThreads
from memtui.app.ending import end_with_terminal
from memtui.app.host import AftermathWanted, HostApp, PinWanted, ResumeWanted, UndoWanted
from memtui.app.keys.screen_table import CommandTable
from memtui.app.model.project_model import Browser
from memtui.app.screens.browser import BrowserScreen
from memtui.app.screens.single_layout import add_size_classes
from memtui.app.settings import (
    SettingsError,
    commands_of,
    in_windows,
    preferences,
    save_theme,
    theme_of,
)
from memtui.app.themes import COLOUR_BLIND, MEMTUI, legible
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import Clock, system_clock
from memtui.ground.failures import FailureLog, explain
from memtui.ground.project import Home, Places, Project

_LOAD_AFTER = 1.0
"""Seconds after the first paint until the reader is imported."""
_KEEP_AFTER = 5.0
"""Seconds until the app archives sessions that end soon: the screen comes first."""


class MemtuiApp(HostApp):
    """The session-memory browser."""

    TITLE = "memtui"
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "styles/app.tcss",
        "styles/browser.tcss",
    ]
    # Panes and detail are side by side from 100 columns, all four panes show from 20 rows.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - not a class variable in Textual
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012 - not a class variable in Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", show=False, priority=True),
        Binding("ctrl+c,super+c", "copy_selection", "copy", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "suspend", show=False, priority=True),
        Binding("question_mark,f1", "help", "help", show=False),
    ]

    def __init__(self, browser: Browser, log: FailureLog, *, note: str = "") -> None:
        super().__init__(log)
        self.browser = browser
        self.note = note
        self.commands = commands_of(browser.places.home)
        self._settings = preferences(browser.places.home)
        self.new_windows = "TMUX" in os.environ and in_windows(browser.places.home)
        self._sent: deque[tuple[events.Key, Widget | None]] = deque(maxlen=64)
        self.register_theme(MEMTUI)
        self.register_theme(COLOUR_BLIND)
        if "TEXTUAL_THEME" not in os.environ:
            # Not by assignment: changing the theme parses all stylesheets and styles all widgets again.
            chosen = theme_of(browser.places.home, self.available_themes)
            self.set_reactive(App.theme, chosen or MEMTUI.name)
            self.stylesheet.set_variables(self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """The variables of the theme, made legible."""
        self.theme_variables = legible(self.current_theme, super().get_css_variables())
        return self.theme_variables

    def get_default_screen(self) -> Screen[None]:
        """The browser."""
        screen = BrowserScreen(self.browser, self.commands, note=self.note, settings=self._settings)
        add_size_classes(screen, self)
        return screen

    async def on_event(self, event: events.Event) -> None:
        """Send a key typed ahead to the widget that has the focus after the previous keys.

        Textual sends a key to the widget that has the focus when the key is read, even if an earlier key is
        about to move the focus. Without this, the x of a quick `/x` would clear a command instead of
        filtering.
        """
        if isinstance(event, events.Key):
            if not event.is_forwarded:
                self._sent.append((event, self.focused))
            elif any(event is sent and widget is not self.focused for sent, widget in self._sent):
                await self.on_event(events.Key(event.key, event.character))
                return
        elif isinstance(event, events.Paste):
            # Pasted text is untrusted, too; terminals send the enter key between its lines.
            event.text = clean("\n".join(re.split("\r\n?", event.text)))
        await super().on_event(event)

    def on_load(self) -> None:
        """Use daemon threads, so that no work delays the end, and restore the terminal at every end."""
        asyncio.get_running_loop().set_default_executor(DaemonThreads())
        if not self.is_headless:
            end_with_terminal(self)

    def on_ready(self) -> None:
        """After the first paint, resume garbage collection, without the objects loaded for good."""
        self.theme_changed_signal.subscribe(self, self._keep_theme)
        self.set_timer(_KEEP_AFTER, self._keep_sessions)
        self.set_timer(_LOAD_AFTER, self._load_reader)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    def _load_reader(self) -> None:
        """Import the reader before a transcript is opened: it takes half as long as opening one."""
        load = partial(import_module, "memtui.app.screens.transcript")
        self.run_worker(load, thread=True, group="imports", exit_on_error=False)

    def _keep_sessions(self) -> None:
        """Archive the sessions that Claude Code will delete soon, in the background."""
        self.run_worker(self._keep_ending, thread=True, group="archive", exit_on_error=False)

    def _keep_ending(self) -> None:
        from memtui.store.session_list import archive_ending_sessions

        try:
            archive_ending_sessions(self.browser.places, self.browser.clock)
        except Exception as error:  # a worker's boundary
            explain(self.log_file, "keeping sessions", error)

    def _keep_theme(self, theme: Theme) -> None:
        with self.reporting("keeping the theme"):
            save_theme(self.browser.places.home, theme.name)

    async def action_quit(self) -> None:
        """Quit; a screen with unsaved work asks first."""
        from memtui.app.screens.compact import CompactScreen
        from memtui.app.screens.review import ReviewScreen

        if isinstance(self.screen, ReviewScreen | CompactScreen) and self.screen.unsaved:
            self.screen.action_leave()
        else:
            await super().action_quit()

    def action_copy_selection(self) -> None:
        """Copy the selected text; ctrl+c never quits."""
        from textual.widgets import Input, TextArea  # not needed for the first paint

        from memtui.secrets.secrets import masked

        focused = self.focused
        typed = focused.selected_text if isinstance(focused, Input | TextArea) else ""

        if text := typed or masked(self.screen.get_selected_text() or ""):
            self.copy_text(text, name="the selection")
        else:
            way = "q quits" if isinstance(self.screen, BrowserScreen) else "esc goes back"
            self.say(f"No text is selected: ctrl+c copies, {way}.")

    def action_help(self) -> None:
        """Show the keys of the top screen."""
        from memtui.app.screens.help import screen_help

        if table := _table(self.screen):
            self.push_screen(screen_help(table))

    def on_aftermath_wanted(self, message: AftermathWanted) -> None:
        """Show an aftermath over the top screen."""
        browser = self.screen_stack[0]
        if isinstance(browser, BrowserScreen):
            browser.actions.aftermaths.open(message.transcript, message.since)

    def on_pin_wanted(self, message: PinWanted) -> None:
        """Pin a line of the top screen."""
        browser = self.screen_stack[0]
        if isinstance(browser, BrowserScreen):
            browser.actions.pins.pin(message.text, message.transcript, message.line)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave ctrl+z to a field that undoes typing with it."""
        if action == "suspend_process" and hasattr(self.focused, "action_undo"):
            return False
        return super().check_action(action, parameters)

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell until `fg`."""
        from memtui.app.job_control import step_down

        step_down(self)

    def action_undo(self) -> None:
        """Undo the last change."""
        self.post_message(UndoWanted())

    def action_redo(self) -> None:
        """Redo the last undone change."""
        self.post_message(UndoWanted(redo=True))

    def on_undo_wanted(self, message: UndoWanted) -> None:
        """Undo or redo a change, requested by the top screen."""
        browser = self.screen_stack[0]
        if isinstance(browser, BrowserScreen):
            undos = browser.actions.undos
            (undos.redo if message.redo else undos.undo)(message.then)

    def on_resume_wanted(self, message: ResumeWanted) -> None:
        """Resume a session, requested by a screen."""
        from memtui.app.screens.resuming import resume
        from memtui.store.resuming import resumable

        home, clock = self.browser.places.home, self.browser.clock
        resume(self, self.browser, resumable(home, clock, message.transcript), fork=message.fork)

    def deliver_screenshot(
        self, filename: str | None = None, path: str | None = None, time_format: str | None = None
    ) -> str | None:
        """Save a screenshot in Downloads, else in the home folder, and say where (Textual does not)."""
        folder = Path(path) if path else Path.home() / "Downloads"
        folder = folder if path or folder.is_dir() else Path.home()
        try:
            saved = self.save_screenshot(filename, str(folder), time_format)
        except OSError as error:
            self.say(f"No screenshot: {folder} cannot be written ({error.strerror}).", severity="warning")
            return None
        self.say(f"Screenshot: {saved}")
        return saved

    def action_command_palette(self) -> None:
        """Open the palette."""
        from memtui.app.keys.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The commands of the screen's table, then Textual's own."""
        listed = [(each.title, each.help, each.binding_action) for each in self.commands if each.palette]
        if not isinstance(screen, BrowserScreen):
            table = _table(screen)
            commands = table.commands if table else ()
            listed = [
                (f"{each.label.capitalize()} ({each.shown})", each.help, each.action) for each in commands
            ]
        for title, text, action in listed:
            yield SystemCommand(title, text, partial(screen.run_action, action))
        yield from super().get_system_commands(screen)


def _table(screen: Screen[object]) -> CommandTable | None:
    table = getattr(screen, "TABLE", None)
    return table if isinstance(table, CommandTable) else None


def run_app(
    project: Project, home: Home, claude: Path, *, clock: Clock = system_clock, demo: bool = False
) -> None:
    """Open the app on a project and return when the user quits; exit with 1 after an unexpected error.

    Args:
        project: the project to show.
        home: memtui's own folders.
        claude: Claude Code's configuration folder.
        clock: gives the current time.
        demo: whether this is the demo: noted in the status line, with quick updates of session states.
    """
    browser = Browser(Places(project, home, claude), clock, lively=demo)
    log = FailureLog(home.failure_log, clock)
    try:
        app = MemtuiApp(browser, log, note="demo" if demo else "")
    except SettingsError as error:
        sys.exit(f"memtui: {clean_line(str(error))}")
    app.run()
    if app.return_code:
        sys.exit(app.return_code)
