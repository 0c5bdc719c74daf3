"""The app: its look, its keys, its command palette, and what every screen can ask of it."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.theme import Theme
from textual.timer import Timer

from memtui.app.base import READING, BaseApp, OwnScreen, add_size_classes, hidden, reported, shown
from memtui.app.browser import BrowserScreen
from memtui.app.panes.pane import Pane
from memtui.app.project import ProjectModel
from memtui.app.settings import Settings, load_settings, save_theme, saved_theme
from memtui.app.terminal import DaemonThreads, edit_file, end_with_terminal, step_down
from memtui.app.themes import COLOUR_BLIND, MEMTUI, legible
from memtui.app.widgets.row_list import RowList
from memtui.ground.clean import clean
from memtui.ground.clock import Clock, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.logs import FailureLog
from memtui.ground.project import Home, Places, Project, config_path, downloads

if TYPE_CHECKING:
    from memtui.app.changes import Change
    from memtui.store.search import Result
    from memtui.transcript.line_index import Query

_KEEP_AFTER = 5.0
"""Seconds until the app archives sessions that end soon: the screen comes first."""
_PATIENCE = 5.0
"""Seconds for which a key waits at most, for the rows that it is for or behind a key that does."""
_AT_ONCE = frozenset(["pane", "next_pane", "filter", "install", "zoom", "back", "leave", "dismiss"])
"""Actions of screens that do not depend on rows."""
_OLD = 10
_SCREENS_CSS = Path(__file__).with_name("screens") / "screens.tcss"


def _load_screens() -> None:
    from memtui.app.keys import identified

    identified()  # imports most of them
    import_module("memtui.app.screens.compact")


class MemtuiApp(BaseApp):
    """The session-memory browser."""

    TITLE = "memtui"
    CSS_PATH: ClassVar[list[str | PurePath]] = ["app.tcss"]
    COMMAND_PALETTE_BINDING = "question_mark"  # the key that the footer keeps in sight: help
    # Panes and detail are side by side from 100 columns, all four panes show from 20 rows.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - not a class variable in Textual
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012 - not a class variable in Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "search", "search", id="search", tooltip="search everything"),
        Binding("S", "sessions", "sessions", id="sessions", tooltip="every session: read, resume or fork it"),
        Binding("u", "undo", "undo", id="undo", tooltip="undo the last change"),
        hidden("ctrl+r", "undo(True)", "redo", id="redo", tooltip="redo the last undone change"),
        Binding("ctrl+p", "command_palette", "palette", tooltip="every command by name"),
        hidden("?", "help", "help", id="help", tooltip="the signs and keys here"),
        hidden("f1", "help", "help", tooltip="the signs and keys here"),
        hidden("ctrl+c,super+c", "copy_selection", "copy", priority=True, tooltip="copy the selection"),
        hidden("ctrl+z", "suspend_process", "suspend", priority=True, tooltip="back to the shell"),
        hidden("ctrl+q", "quit", "quit", priority=True, tooltip="quit from anywhere"),
    ]

    def __init__(self, model: ProjectModel, log: FailureLog, *, note: str = "") -> None:
        super().__init__(model, log)
        self.note = note
        """A word on this run, for example that it is the demo."""
        self.next_project: Project | None = None
        """The project to open once this one is left; None ends the program."""
        self._typed: deque[events.Key | events.Paste] = deque()
        """What was typed: the first is on its way, those behind it wait."""
        self._waiting: Timer | None = None
        """Runs while the first waits for the rows that it is for."""
        self._undoing = asyncio.Lock()
        self._last_query = ""
        self.register_theme(MEMTUI)
        self.register_theme(COLOUR_BLIND)
        self.problems: list[str] = []
        """The settings in config.toml that cannot be used, a sentence each."""
        self.settings = self._load_settings()
        if "TEXTUAL_THEME" not in os.environ:
            # Not by assignment: changing the theme parses all stylesheets and styles all widgets again.
            self.set_reactive(App.theme, self._theme_of(self.settings))
            self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())

    def _load_settings(self, before: Settings | None = None) -> Settings:
        """The settings, those before if config.toml is broken; `problems` are found anew."""
        home = self.model.places.home
        try:
            settings = load_settings(home)
        except FileProblem as problem:
            self.problems = [f"{problem}. It is ignored until it is corrected."]
            return before or Settings(chosen=saved_theme(home)[0])
        self.keymap, problems = {}, list[str]()
        if settings.keys:
            from memtui.app.keys import checked

            self.keymap, problems = checked(settings.keys)
            problems = [f"[keys] {each}" for each in problems]
        if settings.theme and settings.theme not in self.available_themes:
            from difflib import get_close_matches

            near = get_close_matches(settings.theme, self.available_themes, 1)
            meant = f"did you mean {near[0]}?" if near else "the palette (ctrl+p) shows all."
            problems.append(f"[app] theme: {settings.theme!r} is not a theme; {meant}")
        self.problems = [f"{config_path(home)}: {each}" for each in problems]
        self.set_keymap(self.keymap)
        self.model.syncs = bool(settings.sync_seconds)
        return settings

    def reload_settings(self) -> None:
        """Use a changed config.toml, if it can be read: theme and keys now, the rest from the next start."""
        before = self.settings
        self.settings = self._load_settings(before)
        if self.settings.theme != before.theme:
            self.theme = self._theme_of(self.settings)
        self._say_problems()

    def _say_problems(self) -> None:
        if self.problems:
            more = f" (and {len(self.problems) - 1} more: memtui doctor)" if self.problems[1:] else ""
            self.warn(f"{self.problems[0]}{more}")

    def _theme_of(self, settings: Settings) -> str:
        wanted = (settings.chosen, settings.theme)
        return next((name for name in wanted if name in self.available_themes), MEMTUI.name)

    def get_css_variables(self) -> dict[str, str]:
        if MEMTUI.name not in self.available_themes:
            return {}  # Textual asks before the theme is known
        self.theme_variables = legible(self.current_theme, super().get_css_variables())
        return self.theme_variables

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        """Read what other screens than the browser look like with the first of them: it takes 5 ms."""
        if not self.stylesheet.has_source(str(_SCREENS_CSS), ""):
            self.stylesheet.read(_SCREENS_CSS)
        add_size_classes(screen, self)
        return super().push_screen(screen, *arguments, **options)

    def get_default_screen(self) -> Screen[None]:
        screen = BrowserScreen(self.model, self.settings)
        add_size_classes(screen, self)
        return screen

    @property
    def browser(self) -> BrowserScreen:
        screen = self.screen_stack[0]
        assert isinstance(screen, BrowserScreen)
        return screen

    def on_load(self) -> None:
        """Use daemon threads, so that no work delays the end, and restore the terminal at every end."""
        asyncio.get_running_loop().set_default_executor(DaemonThreads())
        if not self.is_headless:
            end_with_terminal(self)

    def on_ready(self) -> None:
        """After the first paint, resume garbage collection, without the objects loaded for good."""
        self.theme_changed_signal.subscribe(self, self._keep_theme)
        self.screen_change_signal.subscribe(self, self._leave_message, immediate=True)
        self._say_problems()
        self.set_timer(_KEEP_AFTER, self._keep_ending)
        self.set_timer(1.0, partial(self.run_worker, _load_screens, thread=True, group="imports"))
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    @reported("keeping sessions", group="archive")
    async def _keep_ending(self) -> None:
        """Archive the sessions that Claude Code will delete soon, and say which cannot be."""

        def keep() -> list[FileProblem]:
            from memtui.store.session_list import archive_ending_sessions

            return archive_ending_sessions(self.model.places, self.model.clock)

        if failed := await asyncio.to_thread(keep):
            more = f" (and {len(failed) - 1} more)" if failed[1:] else ""
            said = f"Claude Code deletes a session soon, and it is not archived: {failed[0]}{more}."
            self.say(said, severity="warning")

    def _leave_message(self, screen: Screen[Any]) -> None:
        """Remove a message of the screen before: it would cover the one that a key has opened."""
        if self.said_at < self.typed_at and not self.stays:
            self.clear_notifications()

    def _keep_theme(self, theme: Theme) -> None:
        from memtui.app.palette import ThemePalette

        if isinstance(self.screen, ThemePalette):
            return  # a preview
        with self.reporting("keeping the theme"):
            save_theme(self.model.places.home, theme.name, self.settings.theme)

    async def on_event(self, event: events.Event) -> None:
        """Send what is typed one after the other.

        Textual sends a key to the widget that has the focus when the key is read, even if an earlier key is
        about to move the focus: the x of a quick `/x` would clear a command instead of filtering.
        """
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._typed.append(event)
            if len(self._typed) == 1 or self._waiting:
                await self._send_typed()
        else:
            if isinstance(event, events.MouseDown):
                self.typed_at = time.monotonic()
            await super().on_event(event)

    async def _send_typed(self) -> None:
        """Send what was typed first, unless it waits for rows: then what was typed behind it waits, too."""
        if self._waiting:
            self._waiting.stop()
            self._waiting = None
        event, target = self._typed[0], self.focused or self.screen
        if getattr(event, "key", "") == "ctrl+j" and "ctrl+j" not in self.screen.active_bindings:
            # What enter sends until the terminal is in raw mode.
            event = self._typed[0] = events.Key("enter", "\r")
        left = event.time + _PATIENCE - time.monotonic()
        if left > 0 and isinstance(event, events.Key) and self._is_early(event.key, target):
            # Not in the timer's task, which stopping the timer would cancel.
            self._waiting = self.set_timer(left, partial(self.call_later, self.on_row_list_arrived))
            return
        self.typed_at = time.monotonic()
        if isinstance(event, events.Paste):
            # Pasted text is untrusted, too; terminals send the enter key between its lines.
            event.text = clean("\n".join(re.split("\r\n?", event.text)))
        elif self.typed_at - self.said_at > READING and not self.stays:  # it covers what comes next
            self.clear_notifications()
        await super().on_event(event)
        self._follow(target)

    async def on_row_list_arrived(self) -> None:
        if self._waiting:
            await self._send_typed()

    def _is_early(self, key: str, target: DOMNode) -> bool:
        """Whether a key is for rows that are still being read: it waits for them."""
        if key in getattr(self.screen, "early_keys", ()):
            return True
        if not (self.painted.is_set() and isinstance(target, RowList) and target.unread):
            return not self.painted.is_set()  # nothing has the focus yet
        bound = self.screen.active_bindings
        typed = [bound.get(each.key) for each in self._typed if isinstance(each, events.Key)]
        urgent = any(each and each.binding.priority for each in typed)
        found = bound.get(key)
        if urgent or found is None or found.node not in (target, self.screen):
            return False
        return found.binding.action.partition("(")[0] not in _AT_ONCE

    def _follow(self, node: DOMNode) -> None:
        """Follow a key that bubbles up from `node`, in the queues of the same widgets."""
        above = node.parent or self
        if node is self or not node.call_later(self._follow, above):
            self.call_later(self._acted)

    def _acted(self) -> None:
        """Wait until a screen that the key may have opened has its focus, then go on with the next key."""
        self.screen.call_later(self.call_later, self._next_typed)

    async def _next_typed(self) -> None:
        self._typed.popleft()
        if self._typed:
            await self._send_typed()

    async def on_key(self, event: events.Key) -> None:
        """Say where a key works that does nothing here."""
        if event.key not in self.screen.active_bindings:
            from memtui.app.keys import where_it_works

            here = (self.screen, self.browser.pane) if self.screen is self.browser else (self.screen,)
            own = self.screen if isinstance(self.screen, OwnScreen) else None  # else a palette
            answer_first = own.about if own and own.is_modal else ""
            if text := answer_first or where_it_works(event.key, self.keymap, here):
                self.warn((own.elsewhere if own else "") or text)

    async def confirmed(self, question: str, **options: Any) -> bool:
        from memtui.app.screens.dialogs import ConfirmScreen

        return await self.push_screen_wait(ConfirmScreen(question, **options))

    def hint(self, *names: str) -> None:
        for name in names:
            self.browser.live.hint(name)
        self.call_later(lambda: self.screen.refresh_bindings())  # there may be something to undo now

    def open_transcript(self, path: Path, line: int = 0, *, find: Query | None = None) -> None:
        from memtui.app.screens.transcript import TranscriptScreen

        self.push_screen(TranscriptScreen(path, line, find=find))

    def open_lost(self, transcript: Path, since: datetime | None, name: str = "") -> None:
        from memtui.app.screens.lost import LostScreen

        if transcript.stem in {entry.session_id for entry in self.model.transcripts.entries()}:
            screen = LostScreen(self.model, transcript, since, name)
            self.push_screen(screen, lambda _: self.browser.show_detail())
        else:
            self.warn("Only a session of this project can be given back what it lost.")

    @reported("pinning", group="update")
    async def pin(self, text: str, transcript: Path | None = None, line: int = 0) -> None:
        from memtui.app.panes.commands import short_pin
        from memtui.documents.pins import Pin

        model = self.model
        if transcript is not None and not await asyncio.to_thread(model.is_own, transcript):
            self.warn("Only lines of this project's sessions can be pinned here.")
            return
        session = transcript.stem if transcript is not None else ""
        # A subagent's transcript has line numbers of its own.
        known = session != "" and not session.startswith("agent-")
        pin = Pin(text, session[:8] if known else "", line if known else 0)

        def add() -> str:
            path = model.pins.path(everywhere=False)
            with model.changes.of_files(f"pinned “{short_pin(text)}”", [path], "the pin is gone"):
                return model.pins.add(pin).text

        words = short_pin(added := await asyncio.to_thread(add))
        self.browser.commands.await_pin(added)
        model.readings.forget_aftermaths()
        self.hint("pins", "userpins")
        if await asyncio.to_thread(model.lacks_hooks):
            lacks = "but no summary gets it: the hooks are not installed (i)."
            self.warn(f"Pinned “{words}”, {lacks} u takes it back.")
        else:
            self.say(f"Pinned “{words}”: it goes into every summary from now on; u takes it back.")

    @work(group="undo", exit_on_error=False)
    async def action_undo(self, undone: bool = False, then: Callable[[], object] | None = None) -> None:
        """Undo the last change, or redo the last one that was `undone`; `then` shows what has changed."""
        async with self._undoing:
            with self.reporting("redoing" if undone else "undoing"):
                changes = self.model.changes
                if not await self._is_meant(changes.last(undone=undone), undone=undone):
                    return
                change = await asyncio.to_thread(changes.revert, undone=undone)
                if change is None:
                    nothing = "Nothing to undo: memtui undoes changes of this run."
                    self.warn("Nothing to redo." if undone else nothing)
                    return
                self.model.readings.forget_aftermaths()  # a pin may have appeared or disappeared
                for pane in self.browser.panes.values():
                    pane.await_back({*change.names, *pane.gone})
                    pane.resync()
                self.hint("commands", "compacts", "memories", "pins", "userpins", "branch", "handover")
                if then is not None:
                    then()
                now = f", so {change.undone}" if change.undone else ""
                back = f"Undone: {change.what}{now}. ctrl+r does it again."
                self.say(f"Redone: {change.what}." if undone else back)

    async def _is_meant(self, change: Change | None, *, undone: bool) -> bool:
        """Whether to undo or redo a change: that is asked if it is old, or deletes what others use."""
        if change is None:
            return True
        minutes = 0 if undone else int((time.monotonic() - change.at) / 60)
        shared = self.browser.memories.gone_for_all(change.deleted if undone else change.stored)
        if minutes < _OLD and not shared:
            return True
        verb, ago = "Redo" if undone else "Undo", f" what was done {minutes} minutes ago" * (minutes >= _OLD)
        return await self.confirmed(f"{verb}{ago}: {change.what}? {shared}".rstrip(), yes=verb, no="Keep it")

    def action_search(self) -> None:
        from memtui.app.screens.search import SearchScreen

        under = (each.query_text for each in self.screen_stack if isinstance(each, SearchScreen))
        query = next(under, self._last_query)
        screen = SearchScreen(self.model, query=query, session=self.browser.state.view.transcript)

        def closed(found: Result | None) -> None:
            self._last_query = screen.query_text
            if found is not None:
                self.browser.open_result(found)

        self.push_screen(screen, closed)

    def action_sessions(self) -> None:
        from memtui.app.screens.sessions import SessionsScreen

        self.push_screen(SessionsScreen(self.model))

    async def action_quit(self) -> None:
        if isinstance(self.screen, OwnScreen) and self.screen.unsaved:
            await self.screen.run_action("leave")
        else:
            await super().action_quit()

    def action_help(self) -> None:
        from memtui.app.screens.dialogs import HelpScreen

        screen = self.screen
        place = self.browser.pane if screen is self.browser else screen
        if isinstance(place, Pane | OwnScreen) and (about := place.about):
            title = getattr(place, "title", None) or type(screen).__name__.removesuffix("Screen")
            self.push_screen(HelpScreen(str(title), about, screen))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave ctrl+z to a field that undoes typing with it."""
        if action == "suspend_process" and hasattr(self.focused, "action_undo"):
            return False
        return super().check_action(action, parameters)

    def action_suspend_process(self) -> None:
        step_down(self)

    def action_copy_selection(self) -> None:
        """Copy the selected text; ctrl+c never quits."""
        from textual.widgets import Input, TextArea  # not needed for the first paint

        from memtui.secrets.secrets import masked

        focused = self.focused
        typed = focused.selected_text if isinstance(focused, Input | TextArea) else ""
        if text := typed or masked(self.screen.get_selected_text() or ""):
            self.copy_text(text, name="the selection")
        else:
            way = "q quits" if self.screen is self.browser else "esc goes back"
            self.say(f"No text is selected: ctrl+c copies, {way}.")

    def deliver_screenshot(
        self, filename: str | None = None, path: str | None = None, time_format: str | None = None
    ) -> str | None:
        """Save a screenshot where the user's downloads are."""
        return super().deliver_screenshot(filename, path or str(downloads()), time_format)

    def search_themes(self) -> None:
        from memtui.app.palette import ThemePalette, Themes

        before = self.theme

        def closed(_: object) -> None:
            if palette.chosen:
                self._keep_theme(self.current_theme)
            else:
                self.theme = before

        palette = ThemePalette(providers=[Themes], placeholder="Themes")
        self.push_screen(palette, closed)

    def action_command_palette(self) -> None:
        from textual.command import CommandPalette

        from memtui.app.palette import Commands, Palette

        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(providers=[Commands], id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        listed: set[str] = set()
        for node, binding, _, tooltip in screen.active_bindings.values():
            title = f"{binding.description[:1].upper()}{binding.description[1:]} ({shown(binding.key)})"
            if tooltip and tooltip not in listed:
                listed.add(tooltip)
                yield SystemCommand(title, tooltip, partial(self.run_action, binding.action, node))
        browser, keeping = self.browser, "ask again whether they outlive Claude Code's days"
        yield SystemCommand("Undelete", "take a memory out of the trash", browser.memories.action_undelete)
        yield SystemCommand("Sync", "exchange shared memories with the remotes", browser.memories.action_sync)
        yield SystemCommand("Uninstall", "take the plugin out of Claude Code", browser.action_uninstall)
        yield SystemCommand("Keep transcripts", keeping, browser.action_keep)
        yield SystemCommand("Settings", "edit config.toml: theme, keys, bell", self._edit_settings)
        own = ("Keys", "Maximize", "Minimize")  # `?` and `z` are memtui's
        yield from (each for each in super().get_system_commands(screen) if each.title not in own)

    def _edit_settings(self) -> None:
        path = config_path(self.model.places.home)
        with self.reporting("opening config.toml"):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        edit_file(self, path)
        self.hint("config")


def misread(places: Places) -> list[str]:
    """The settings in config.toml that the app cannot use, a sentence each."""
    log = FailureLog(places.home.failure_log, system_clock)
    return MemtuiApp(ProjectModel(places, system_clock), log).problems


def run_app(
    project: Project, home: Home, claude: Path, *, clock: Clock = system_clock, demo: bool = False
) -> None:
    """Open the app on a project and return when the user quits; exit with 1 after an unexpected error."""
    log = FailureLog(home.failure_log, clock)
    shown: Project | None = project
    while shown is not None:
        model = ProjectModel(Places(shown, home, claude), clock, lively=demo)
        app = MemtuiApp(model, log, note="demo" if demo else "")
        app.run()
        if app.return_code:
            sys.exit(app.return_code)
        shown = app.next_project
