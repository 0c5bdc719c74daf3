"""Copying by every available way, and reporting accurately which one was used.

A terminal never confirms OSC 52, tmux swallows it by default, and over SSH a native tool fills the wrong
machine's clipboard. So the ways are tried in order, and the message claims no more than is known.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from memtui.ground.machine import find_program


class Copied(NamedTuple):
    """The result of a copy: `message` names the way; `sure` if it was confirmed."""

    message: str
    sure: bool


def osc52(text: str) -> str:
    """The escape sequence that asks a terminal to put `text` on the clipboard."""
    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\a"


def copy(
    text: str,
    send_osc52: Callable[[str], None],
    *,
    name: str = "",
    env: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> Copied:
    """Copy `text` by every suitable way, and report which; some terminals cut OSC 52 at 4 KB.

    `send_osc52` writes the escape sequence to the terminal unless a native tool confirmed. `name` stands for
    the text in the message, and `env` decides what is tried (TMUX, SSH_CONNECTION, WAYLAND_DISPLAY, DISPLAY).
    """
    # -w also passes it to the outer terminal; tmux before 3.2 lacks it.
    ways = (("tmux", "load-buffer", "-w", "-"), ("tmux", "load-buffer", "-")) if env.get("TMUX") else ()
    in_tmux = any(_run(words, text, env) for words in ways)
    name = name or text
    for words in native_tools(env, platform):
        if _run(words, text, env):
            return Copied(f"Copied {name} with {words[0]}", sure=True)
    send_osc52(text)
    if in_tmux:
        return Copied(f"Copied {name} into the tmux buffer: paste with prefix ]", sure=True)
    return Copied(f"Sent {name} to the terminal (it cannot confirm)", sure=False)


def native_tools(env: Mapping[str, str], platform: str) -> list[tuple[str, ...]]:
    """The command lines that fill the user's own clipboard from standard input: none over SSH."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return []
    if platform == "darwin":
        return [("pbcopy",)]
    if platform == "win32" or env.get("WSL_DISTRO_NAME"):
        return [("clip.exe",)]
    tools: list[tuple[str, ...]] = [("wl-copy",)] if env.get("WAYLAND_DISPLAY") else []
    if env.get("DISPLAY"):
        tools += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    return tools


def _run(argv: tuple[str, ...], text: str, env: Mapping[str, str]) -> bool:
    program = find_program(argv[0], env.get("PATH"))
    if program is None:
        return False
    try:
        done = subprocess.run(
            (program, *argv[1:]),
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            timeout=2.0,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
