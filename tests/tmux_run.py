"""The real thing: memtui in a tmux of its own, at three sizes, by keys alone. Started by `make tmux`.

Not a test of the suite, because a machine need not have tmux; `tests/app/test_terminal.py` does the same in a
plain pseudo-terminal. Uses a private socket and no configuration, so a tmux that is running is left alone.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from memtui.documents.capture import parse_capture, render_capture
from memtui.documents.memory_file import parse_memory
from tests.app.world import FIRST, World, captured_session, furnished, told_apart

SIZES = ((140, 45), (80, 24), (40, 12))
PATIENCE = 20.0


class Tmux:
    """A tmux server with one window of a given size."""

    def __init__(self, name: str, size: tuple[int, int], command: str) -> None:
        self._name = name
        width, height = map(str, size)
        self.run("new-session", "-d", "-x", width, "-y", height, command)
        self.run("set-option", "-g", "status", "off")
        self.run("resize-window", "-x", width, "-y", height)

    def run(self, *arguments: str) -> str:
        """Run a tmux command and return what it prints."""
        whole = ["tmux", "-L", self._name, "-f", "/dev/null", *arguments]
        return subprocess.run(whole, check=True, capture_output=True, text=True, timeout=60).stdout

    def keys(self, *names: str) -> None:
        """Press keys."""
        self.run("send-keys", *names)

    @property
    def shown(self) -> str:
        """The window's text, without the line breaks of a narrow one."""
        return " ".join(self.run("capture-pane", "-p").replace("│", " ").replace("▌", " ").split())

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Look again and again until it is so."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit(f"{what} did not happen:\n{self.run('capture-pane', '-p')}")
            time.sleep(0.02)

    def until_shown(self, text: str) -> None:
        """Wait for a text."""
        self.until(lambda: text in self.shown, repr(text))


def command(env: Mapping[str, str], *words: str, only: bool = False) -> str:
    """Memtui as a command of a shell, which says when memtui has given back the terminal, and stays.

    Args:
        env: variables to set.
        words: behind ``memtui``.
        only: it has no other variables.
    """
    given = shlex.join(f"{name}={value}" for name, value in {**env, "TZ": "UTC"}.items())
    memtui = shlex.join([sys.executable, "-m", "memtui", *words])
    return f"env {'-i ' if only else ''}{given} sh -c {shlex.quote(f'{memtui}; echo left with $?; exec cat')}"


def _session(world: World, size: tuple[int, int]) -> None:
    tmux = Tmux(f"memtui-{os.getpid()}-{size[0]}", size, command(world.env, str(world.root)))
    try:
        _walk(tmux, world)
    finally:
        tmux.run("kill-server")


def _walk(tmux: Tmux, world: World) -> None:
    tmux.until_shown("● live")
    tmux.until_shown(FIRST[:20])
    captured_session(world, "s-9", "Written by another process", minutes=60)
    path = world.capture_path(5)
    text = render_capture(world.capture_of(5, "Written by another process", session="s-9"))
    subprocess.run(["sh", "-c", 'cat > "$0"', str(path)], input=text, text=True, check=True, timeout=60)
    tmux.until_shown("Written by another")
    tmux.keys("g", "r")
    tmux.until_shown("Evidence")
    tmux.until_shown("src/tokens.py")
    tmux.keys("C-s")
    tmux.until_shown("takes it back")
    capture = parse_capture(path.read_text())
    text, recovery_id = told_apart((path.parent / capture.memory).read_text())
    assert (capture.status, parse_memory(text).title) == ("reviewed", "Written by another process")
    tmux.keys("2")
    # A row has the whole id or its time.
    row = f"({recovery_id}|{recovery_id[14:16]}:{recovery_id[16:18]}) Wri"
    tmux.until(lambda: re.search(row, tmux.shown), "the new row")
    tmux.keys("g", "y")
    tmux.until_shown("tmux buffer")
    stored = tmux.run("show-buffer")
    assert stored == recovery_id, stored
    states = world.project.session_state_json.read_bytes()
    tmux.keys("3", "x")
    tmux.until_shown("Cleared /babysit.")
    assert world.project.session_state_json.read_bytes() != states
    tmux.keys("u")
    tmux.until_shown("Undone: cleared /babysit, so")
    assert world.project.session_state_json.read_bytes() == states
    tmux.keys("q")
    tmux.until_shown("left with 0")
    assert tmux.shown == "left with 0", tmux.shown


def _demo(size: tuple[int, int]) -> None:
    """The demo, in which the session goes on by itself, and the app writes what it has come to."""
    tmux = Tmux(f"memtui-demo-{os.getpid()}-{size[0]}", size, command({}, "demo"))
    title = "Session state (v" if size[1] < 20 else "Session state v"  # in the strip of a short window
    try:
        tmux.until_shown("● live")
        tmux.keys("4")
        for version in range(7, 10):
            tmux.until_shown(f"{title}{version}")
        tmux.keys("v")
        tmux.until_shown("→ v9")
        tmux.keys("q")
        tmux.until_shown("● live")
        tmux.keys("]")
        tmux.until_shown(f"{title}3")
        tmux.keys("[")
        tmux.until_shown(f"{title}1")  # the tenth version, or one after it
        tmux.keys("q")
        tmux.until_shown("left with 0")
    finally:
        tmux.run("kill-server")


SESSION = "5e551011-0000-4000-8000-000000000001"
CLAUDE = """#!/bin/sh
echo "claude runs in $PWD with $*"
echo "finds $CLAUDE_CONFIG_DIR"
read -r status
exit "$status"
"""


def _resume(size: tuple[int, int]) -> None:
    """Sessions resumed and forked from the list and from the reader, by a stand-in for Claude Code."""
    with tempfile.TemporaryDirectory(prefix="memtui-tmux-") as folder:
        world = furnished(World(Path(folder)))
        (transcript,) = world.claude.rglob("s-1.jsonl")
        named = transcript.with_stem(SESSION)  # only such sessions are resumed
        named.write_text(transcript.read_text().replace('"s-1"', f'"{SESSION}"'))
        shutil.copystat(transcript, named)
        transcript.unlink()
        programs = world.base / "programs"
        world.write(programs / "claude", CLAUDE).chmod(0o755)
        env = {**world.env, "PATH": f"{programs}:{os.environ['PATH']}"}
        tmux = Tmux(f"memtui-resume-{os.getpid()}-{size[0]}", size, command(env, str(world.root)))
        try:
            tmux.until_shown("● live")
            tmux.keys("S")
            tmux.until_shown("Sessions")
            tmux.until_shown(FIRST[:12])
            for key, more in (("R", ""), ("F", " --fork-session")):
                _goes_on(tmux, world, key, more)
            tmux.keys("Enter")
            tmux.until_shown("100 %")
            _goes_on(tmux, world, "R", "", status="3")
            tmux.until_shown("100 %")
            (programs / "claude").unlink()
            tmux.keys("R")
            tmux.until(lambda: SESSION in tmux.run("list-buffers"), "the copied command")
            copied = tmux.run("show-buffer")
            assert copied == f"cd {world.root} && claude --resume {SESSION}", copied
        finally:
            tmux.run("kill-server")


def _goes_on(tmux: Tmux, world: World, key: str, more: str, *, status: str = "0") -> None:
    tmux.keys(key)
    tmux.until_shown(f"runs in {world.root}"[:24])
    shown = tmux.run("capture-pane", "-p", "-J")
    assert f"claude runs in {world.root} with --resume {SESSION}{more}\n" in shown, shown
    assert f"finds {world.claude}\n" in shown, shown
    tmux.keys(status, "Enter")
    tmux.until_shown("? help")


def main() -> None:
    """Run at every size; the first thing that is wrong ends it with what the window shows."""
    if shutil.which("tmux") is None:
        raise SystemExit("tmux is not installed.")
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="memtui-tmux-") as folder:
            world = furnished(World(Path(folder)))
            world.memory(1, "Newest of all")
            _session(world, size)
        _demo(size)
        _resume(size)
        sys.stdout.write(f"{size[0]}x{size[1]}: all as it should be\n")


if __name__ == "__main__":
    main()
