"""Every key of every screen in a real tmux, at three sizes: each changes the screen or says a sentence.

Started by `make tmux`; `python -m tests.tmux_keys 40x12 lost` walks over some screens at one size.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from textual.keys import key_to_character

from memtui.app.base import bindings_of
from memtui.app.keys import MOVING
from tests.app.world import World, furnished
from tests.tmux_run import SIZES, Tmux, command

PATIENCE, REST, TOAST = 2.0, 0.15, 11.0
"""Seconds to wait for an effect, for a still screen, and for the end of an earlier message."""
HOME = "Nothing to go back from"
SKIPPED = {"ctrl+q", "ctrl+z", "super+c"} | MOVING
"""They leave the app, are not sent by a terminal, or have no effect at the end of a list."""
NAMES = {
    "escape": "Escape",
    "shift+tab": "BTab",
    "pagedown": "PageDown",
    "pageup": "PageUp",
    "delete": "DC",
    "backspace": "BSpace",
}
EDITOR = "#!/bin/sh\necho the editor is open\nsleep 0.4\n"


class Place(NamedTuple):
    """A screen or pane: the keys that lead there, a text that shows there, and the owners of its keys."""

    way: tuple[str, ...]
    shows: str
    owners: tuple[str, ...]


BROWSER = "browser.BrowserScreen"
PLACES = {
    "pending": Place(("1",), "Pending", ("panes.pending.PendingPane", BROWSER)),
    "memories": Place(("2",), "Memories", ("panes.memories.MemoriesPane", BROWSER)),
    "commands": Place(("3",), "Commands", ("panes.commands.CommandsPane", BROWSER)),
    "state": Place(("4",), "Session state|State", ("panes.state.StatePane", BROWSER)),
    "detail": Place(("1", "Enter"), "r review|esc back", ("panes.pending.PendingPane", BROWSER)),
    "lost": Place(("1", "l"), "Lost [0-9]", ("screens.lost.LostScreen",)),
    "review": Place(("1", "r"), "Evidence|add", ("screens.review.ReviewScreen",)),
    "compact": Place(("1", "c"), "store", ("screens.compact.CompactScreen",)),
    "sessions": Place(("S",), "Sessions", ("screens.sessions.SessionsScreen",)),
    "transcript": Place(("1", "o"), "%", ("screens.transcript.TranscriptScreen",)),
    "search": Place(("s", "token", "BTab"), "search", ("screens.search.SearchScreen",)),
    "versions": Place(("4", "n", "v"), "Versions|the first", ("screens.versions.VersionsScreen",)),
    "help": Place(("?",), "Help for", ("screens.dialogs.HelpScreen",)),
    "question": Place(("3", "u", "X"), "Clear (all|the)", ("screens.dialogs.ConfirmScreen",)),
    "line": Place(("2", "t"), r"Leave \(esc", ("screens.dialogs.AskScreen",)),
}
PLACES |= {f"empty-{name}": PLACES[name] for name in ("pending", "memories", "commands", "state", "sessions")}


def keys_of(place: Place) -> Iterator[str]:
    """Every key bound there, each once; those of the app everywhere but in dialogs."""
    dialog = "dialogs" in place.owners[0]
    found: dict[str, None] = {}
    for owner in (*place.owners, *(() if dialog else ("app.MemtuiApp",))):
        module, _, name = owner.rpartition(".")
        for binding in bindings_of(getattr(import_module(f"memtui.app.{module}"), name)):
            found |= dict.fromkeys(binding.key.split(","))
    paging = {"space"} if "Enter" in place.way or dialog else set()
    leaves = {"q", *place.way} if BROWSER in place.owners and "Enter" not in place.way else set()
    yield from (key for key in found if key not in SKIPPED | leaves | paging)


def tmux_name(key: str) -> str:
    """What `tmux send-keys` calls a key of Textual's."""
    if key in NAMES:
        return NAMES[key]
    if key.startswith("ctrl+"):
        return f"C-{key.removeprefix('ctrl+')}"
    return key_to_character(key) or key.capitalize()


class Walk:
    """One app, walked over key by key."""

    def __init__(self, size: tuple[int, int], world: World, name: str) -> None:
        editor = world.write(world.base / "editor", EDITOR)
        editor.chmod(0o755)
        env = {**world.env, "EDITOR": str(editor), "PATH": "/usr/bin:/bin"}
        self.tmux = Tmux(f"memtui-{os.getpid()}-{name}", size, command(env, str(world.root)))
        self.tmux.until_shown("● live")

    def picture(self) -> str:
        """The window with its colours, and the cursor."""
        cursor = self.tmux.run("display-message", "-p", "#{cursor_x},#{cursor_y},#{cursor_flag}")
        return self.tmux.run("capture-pane", "-p", "-e") + cursor

    def still(self) -> str:
        """The window once nothing moves in it."""
        before = ""
        while (now := self.picture()) != before:
            before = now
            time.sleep(REST)
        return now

    def changes(self, before: str, patience: float = PATIENCE) -> bool:
        """Whether the window becomes another one."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if self.picture() != before:
                return True
            time.sleep(0.02)
        return False

    def go_home(self) -> None:
        """Back to the panes, from wherever a key has led."""
        for _ in range(9):
            before = self.still()
            self.tmux.keys(
                "y" if re.search(r"Leave the review\?|Leave\? Your", self.tmux.shown) else "Escape"
            )
            if self.still() == before and HOME in self.tmux.shown:
                return
        raise SystemExit(f"There is no way back:\n{self.tmux.run('capture-pane', '-p')}")

    def go(self, place: Place) -> str:
        """To a place; returns its picture. What an earlier key has begun may still come in between."""
        for _ in range(3):
            self.go_home()
            for key in place.way:
                self.tmux.keys(key)
                self.still()
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                if re.search(place.shows, self.tmux.shown):
                    return self.still()
        raise SystemExit(f"{place.way} do not lead to {place.shows}:\n{self.tmux.run('capture-pane', '-p')}")

    def does_nothing(self, place: Place, key: str) -> bool:
        """Whether a key has no effect; pressed again once an earlier message is gone: it may be its own."""
        before = self.go(place)
        self.tmux.keys(tmux_name(key))
        if self.changes(before):
            return False
        time.sleep(TOAST)
        before = self.still()
        self.tmux.keys(tmux_name(key))
        return not self.changes(before)


def compacted(world: World) -> None:
    """With a newer session whose compaction lost something."""
    session = world.session("s-2", minutes=9)
    session.prompt("Fix the token clock")
    session.edit(f"{world.root}/src/clock.py", "a", "b")
    session.prompt("Never push to main yourself.")
    session.bash("pytest -q", "Run the tests", "2 passed in 0.31s")
    session.compaction("The user wants the token clock fixed.")
    session.bash("pytest -q", "Run the tests", "2 passed in 0.31s")
    world.save(session, minutes=5)
    world.capture(10, "Fix the token clock", session="s-2")


def walk(size: tuple[int, int], names: Sequence[str]) -> list[str]:
    """The keys without an effect."""
    dead = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="memtui-keys-", ignore_cleanup_errors=True) as folder:
            world = World(Path(folder))
            if not name.startswith("empty"):
                compacted(furnished(world))
            walking = Walk(size, world, f"{size[0]}-{name}")
            try:
                for key in keys_of(PLACES[name]):
                    if walking.does_nothing(PLACES[name], key):
                        dead.append(f"{size[0]}x{size[1]} {name}: {key} does nothing and says nothing")
                        sys.stdout.write(f"{dead[-1]}\n")
                        sys.stdout.flush()
            finally:
                walking.tmux.run("kill-server")
    return dead


def main(size: str = "", *names: str) -> None:
    """Walk over all screens at all sizes, or over some."""
    sizes = [each for each in SIZES if size in ("", "x".join(map(str, each)))]
    if dead := [each for each_size in sizes for each in walk(each_size, names or list(PLACES))]:
        raise SystemExit(f"{len(dead)} keys do nothing and say nothing.")
    sys.stdout.write("every key does something\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
