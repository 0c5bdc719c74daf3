"""Two homes on one machine, side by side in tmux: a memory that one app shares appears in the other.

Once through a bare repository, once through PostgreSQL. Started by `make tmux`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.app.world import World
from tests.share.server import new_database, running
from tests.tmux_run import SIZES, Tmux, command

TITLE = "Ship the cart on Monday"


class Half:
    """One of two windows that stand side by side."""

    def __init__(self, tmux: Tmux, number: int) -> None:
        self._tmux = tmux
        self._target = f":0.{number}"

    def keys(self, *names: str) -> None:
        """Press keys."""
        self._tmux.run("send-keys", "-t", self._target, *names)

    @property
    def shown(self) -> str:
        """The window's text."""
        return " ".join(self._tmux.run("capture-pane", "-p", "-t", self._target).split())

    def until_shown(self, text: str) -> float:
        """Wait for a text; returns the seconds that it took."""
        started = time.monotonic()
        self._tmux.until(lambda: text in self.shown, f"{text!r} in {self._target}")
        return time.monotonic() - started


@contextmanager
def repository(folder: Path) -> Iterator[str]:
    """The address of a bare repository."""
    hub = folder / "hub.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(hub)], check=True, timeout=60)
    yield str(hub)


@contextmanager
def database(_: Path) -> Iterator[str]:
    """The address of a database of a server that ends with the block."""
    with running() as server:
        yield new_database(server)


def machine(folder: Path, name: str, url: str, *, minutes: float) -> World:
    """A home with the project and the remote, in which the app syncs by itself."""
    world = World(folder / name)
    world.branch("main")
    world.write(world.home.data / "machine", f"{name}\n")
    world.write(world.home.config / "config.toml", f"[sync]\nminutes = {minutes}\n")
    remote = [sys.executable, "-m", "memtui", "remote"]
    env = {**os.environ, **world.env}
    for words in (("add", "team", url), ("init", "team")):
        subprocess.run([*remote, *words], env=env, check=True, timeout=60, stdout=subprocess.DEVNULL)
    return world


def show(name: str, url: str, folder: Path, *, minutes: float, size: tuple[int, int] = SIZES[0]) -> float:
    """Share a memory in the left app; returns the seconds until the right one shows it."""
    left, right = (machine(folder, each, url, minutes=minutes) for each in ("laptop", "desk"))
    left.memory(1, TITLE, tags=("cart",))
    tmux = Tmux(f"memtui-{os.getpid()}-{name}", size, command(left.env, str(left.root)))
    try:
        tmux.run("split-window", "-h", "-t", ":0.0", command(right.env, str(right.root)))
        here, there = Half(tmux, 0), Half(tmux, 1)
        here.until_shown("⇅ now")
        there.until_shown("⇅ now")
        there.keys("2")
        here.keys("2", "+")
        here.until_shown("Others may read it")
        here.keys("Enter")
        here.until_shown("goes to team now")
        seconds = there.until_shown("Ship the cart")
        there.until_shown("⇅")
        if os.environ.get("MEMTUI_SHOW"):
            sys.stdout.write(tmux.run("capture-pane", "-p", "-t", ":0.0"))
            sys.stdout.write(tmux.run("capture-pane", "-p", "-t", ":0.1"))
        for half in (here, there):
            half.keys("q")
            half.until_shown("left with 0")
    finally:
        tmux.run("kill-server")
    return seconds


def main() -> None:
    """Run with both engines; the first thing that is wrong ends it with what the window shows."""
    if shutil.which("tmux") is None:
        raise SystemExit("tmux is not installed.")
    for name, engine, minutes in (("git", repository, 0.1), ("postgresql", database, 5)):
        with tempfile.TemporaryDirectory(prefix="memtui-tmux-") as folder, engine(Path(folder)) as url:
            seconds = show(name, url, Path(folder), minutes=minutes)
        sys.stdout.write(f"{name}: shown in the other app after {seconds:.1f} s\n")


if __name__ == "__main__":
    main()
