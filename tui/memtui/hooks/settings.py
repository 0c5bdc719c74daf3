"""The switches under ``[hooks]`` of config.toml, and hooks in Claude Code's settings that do our work."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from memtui.ground.files import FileProblem, existing_above, os_error_reason
from memtui.ground.project import Home, Project, config_sections, object_in, settings_paths
from memtui.hooks import CAPTURE, CLEARING, RULES
from memtui.hooks.records import Report


def switched(name: str, home: Home, report: Report, *, default: bool) -> bool:
    """Whether a switch is on: ``capture_manual``, ``session_states`` or ``typed_commands``."""
    try:
        value = config_sections(home).get("hooks", {}).get(name)
    except FileProblem as problem:
        report.problem(str(problem))
        return default
    return value if isinstance(value, bool) else default


ALL = "all"
"""The job of our own entries: all of an event."""

_SCRIPTS = {
    "precompact-capture.sh": CAPTURE,  # seed 001
    "precompact-context.sh": RULES,  # seed 002, AgileFlow
    "clear-active-command.js": CLEARING,
}
_SCRIPT = re.compile(rf"(?:^|[\s/\\'\"])({'|'.join(map(re.escape, _SCRIPTS))})\b")
_OURS = re.compile(r"memtui(?:-hook|\.hooks)['\"]?\s+[a-z][a-z-]+")


class Entry(NamedTuple):
    """A hook of a settings file."""

    path: Path
    event: str
    """Claude Code's: ``PreCompact``."""
    job: str
    command: str


def find_entries(claude: Path, root: Path) -> list[Entry]:
    """The entries of all settings; files that cannot be read are passed over."""
    found = []
    for path in settings_paths(claude, root):
        entries = split_settings(object_in(path))[1]
        found += [Entry(path, event, _job(each), _command(each)) for event, each in entries]
    return found


def split_settings(settings: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """Settings without those entries and what held nothing else, and the entries with their events."""
    hooks, kept, found = settings.get("hooks"), dict[str, Any](), list[tuple[str, Any]]()
    if not isinstance(hooks, dict) or not hooks:
        return settings, found
    for event, groups in hooks.items():
        left = [] if isinstance(groups, list) else groups
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks") if isinstance(group, dict) else None
            handlers = handlers if isinstance(handlers, list) else []
            others = [each for each in handlers if not _job(each)]
            found += [(event, each) for each in handlers if _job(each)]
            if len(others) == len(handlers):
                left.append(group)
            elif others:
                left.append({**group, "hooks": others})
        if left or not groups:
            kept[event] = left
    rest = {key: value for key, value in {**settings, "hooks": kept}.items() if kept or key != "hooks"}
    return rest, found


def _job(handler: Any) -> str:
    """What an entry of ours, of seed 001 or of AgileFlow does; "" for others."""
    command = _command(handler)
    if script := _SCRIPT.search(command):
        return _SCRIPTS[script[1]]
    return ALL if _OURS.search(command) else ""


def jobs_left(claude: Path, root: Path, event: str) -> dict[str, Path]:
    """The jobs of an event (``pre-compact``) that entries of the settings do, and their files."""
    name, entries = event.replace("-", ""), find_entries(claude, root)
    return {each.job: each.path for each in entries if each.event.lower() == name}


def _command(handler: Any) -> str:
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return ""
    words = handler.get("args")  # Claude Code's other form, without a shell
    more = [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
    return " ".join([command, *more])


def not_writable(project: Project, home: Home) -> FileProblem | None:
    """The problem of the first of the folders of captures, notes and states that cannot be written."""
    for folder in (project.compacts, home.state, home.data):
        place = existing_above(folder)
        if place != folder and os.path.lexists(place / folder.relative_to(place).parts[0]):
            return FileProblem(folder, "is not in a folder: a part of its path is a file or a link")
        if not os.access(place, os.W_OK | os.X_OK):
            read_only = os.statvfs(place).f_flag & os.ST_RDONLY
            advice = os_error_reason(OSError(errno.EROFS if read_only else errno.EACCES, ""))
            return FileProblem(folder, f"cannot be written: {advice}")
    return None
