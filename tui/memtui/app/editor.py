"""Opening a file in the person's editor while the app stands aside."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

_FALLBACKS = ("nano", "vim", "vi", "notepad")


def editor_command(env: Mapping[str, str] = os.environ) -> list[str]:
    """The editor's command line from VISUAL or EDITOR, else one that is there; empty when there is none."""
    for variable in ("VISUAL", "EDITOR"):
        if words := _words(env.get(variable, "")):
            return words
    found = next((name for name in _FALLBACKS if shutil.which(name, path=env.get("PATH"))), None)
    return [found] if found else []


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:  # an unbalanced quote
        return value.split()


def edit_file(app: App[Any], path: Path) -> str:
    """Suspend the app and edit `path`; return "" or what went wrong."""
    command = editor_command()
    if not command:
        return f"No editor found: set EDITOR. The file is {path}."
    try:
        with app.suspend():
            done = subprocess.run([*command, str(path)], check=False)
    except SuspendNotSupported:
        return f"This terminal cannot step aside for an editor. The file is {path}."
    except OSError as error:
        return f"{command[0]} does not start ({error.strerror}): set EDITOR. The file is {path}."
    return f"{command[0]} ended with status {done.returncode}." if done.returncode else ""
