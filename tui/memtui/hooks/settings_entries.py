"""Entries in Claude Code's settings that do a job of our plugin: our own, seed 001's and AgileFlow's.

Claude Code runs a plugin's hook beside the same one of the settings, so the plugin's leaves the job to the
entry it finds (`jobs_left`). `memtui init --replace` takes the entries out.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memtui.ground.files import FileMissing, FileProblem, read_within
from memtui.hooks import CAPTURE, CLEARING, RULES

ALL = "all"
"""The job of our own entries: all of an event."""

_SCRIPTS = {
    "precompact-capture.sh": CAPTURE,  # seed 001
    "precompact-context.sh": RULES,  # seed 002, AgileFlow
    "clear-active-command.js": CLEARING,
}
_SCRIPT = re.compile(rf"(?:^|[\s/\\'\"])({'|'.join(map(re.escape, _SCRIPTS))})\b")
_OURS = re.compile(r"memtui(?:-hook|\.hooks)['\"]?\s+[a-z][a-z-]+")
_LIMIT = 4 << 20


class Entry(NamedTuple):
    """A hook of a settings file."""

    path: Path
    event: str
    """Claude Code's: ``PreCompact``."""
    job: str
    command: str


def settings_paths(claude: Path, root: Path) -> tuple[Path, ...]:
    """The settings files of the user, of the project's team and of the project on this machine."""
    folder = root / ".claude"
    return claude / "settings.json", folder / "settings.json", folder / "settings.local.json"


def read_settings(path: Path) -> dict[str, Any]:
    """A settings file; a missing or empty one has no settings.

    Raises:
        FileProblem: it cannot be read, or is not what Claude Code accepts.
    """
    try:
        real = Path(os.path.realpath(path))  # often a link into a folder of dotfiles
        text = read_within(real, real.parent, limit=_LIMIT).decode("utf-8-sig")
        value = json.loads(text) if text.strip() else {}
    except FileMissing:
        return {}
    except (ValueError, RecursionError):
        raise FileProblem(path, "is not valid JSON") from None
    if not isinstance(value, dict):
        raise FileProblem(path, "is not a JSON object")
    return value


def find_entries(claude: Path, root: Path) -> list[Entry]:
    """The entries of all settings; files that cannot be read are passed over."""
    found = []
    for path in settings_paths(claude, root):
        try:
            settings = read_settings(path)
        except FileProblem:
            continue
        found += [Entry(path, event, job, command) for event, _, _, job, command in _entries(settings)]
    return found


def without_entries(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without those entries, nor groups and events that held nothing else."""
    hooks = settings.get("hooks")
    gone = {(event, group, place) for event, group, place, _, _ in _entries(settings)}
    if not gone:
        return settings
    kept: dict[str, Any] = {}
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        if not any(each[0] == event for each in gone):
            kept[event] = groups
            continue
        left = []
        for number, group in enumerate(groups):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(handlers, list):
                left.append(group)
                continue
            others = [each for place, each in enumerate(handlers) if (event, number, place) not in gone]
            if others or not handlers:
                left.append({**group, "hooks": others})
        if left:
            kept[event] = left
    if kept:
        return {**settings, "hooks": kept}
    return {key: value for key, value in settings.items() if key != "hooks"}


def jobs_left(claude: Path, root: Path, event: str) -> dict[str, Path]:
    """The jobs of an event that entries of the settings do, and their files.

    Args:
        claude: Claude Code's configuration folder.
        root: the project's.
        event: as on the command line: ``pre-compact``.
    """
    return {
        each.job: each.path
        for each in find_entries(claude, root)
        if each.event.lower() == event.replace("-", "")
    }


def _entries(settings: dict[str, Any]) -> Iterator[tuple[str, int, int, str, str]]:
    """Event, number of the group, place in it, job and command of each entry."""
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                command = _command(handler)
                if script := _SCRIPT.search(command):
                    yield event, number, place, _SCRIPTS[script[1]], command
                elif _OURS.search(command):
                    yield event, number, place, ALL, command


def _command(handler: Any) -> str:
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return ""
    words = handler.get("args")  # Claude Code's other form, without a shell
    more = [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
    return " ".join([command, *more])
