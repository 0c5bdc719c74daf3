"""What a person sets for the app in config.toml: theme and keys; and the theme chosen last."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from memtui.app.keys.commands import Command
from memtui.app.keys.own_keys import OwnKeyError, with_own_keys
from memtui.files import FileMissing, FileProblem, read_within, write_atomic
from memtui.project import Home

_LIMIT = 64 << 10
_FILE = "config.toml"
_CHOSEN = "theme"
"""The file in the state folder that holds the name of the theme."""


class SettingsError(ValueError):
    """A setting that cannot be used: one sentence naming file and key."""


def read_settings(home: Home) -> dict[str, Any]:
    """What config.toml says; nothing when it is not there.

    Raises:
        SettingsError: it cannot be read.
    """
    path = home.config / _FILE
    try:
        return tomllib.loads(read_within(path, home.config, limit=_LIMIT).decode())
    except FileMissing:
        return {}
    except FileProblem as problem:
        raise SettingsError(f"{problem}.") from problem
    except (ValueError, RecursionError) as problem:
        raise SettingsError(f"{path} is not valid TOML: {problem}. Correct or remove it.") from problem


def commands_of(home: Home) -> tuple[Command, ...]:
    """The commands with the keys of ``[keys]``.

    Raises:
        SettingsError: config.toml cannot be read, or a key cannot be used.
    """
    section = read_settings(home).get("keys", {})
    path = home.config / _FILE
    if not isinstance(section, dict):
        raise SettingsError(f'{path}: keys must be a section: [keys], then lines like review = "v".')
    try:
        return with_own_keys(section)
    except OwnKeyError as problem:
        raise SettingsError(f"{path}: [keys] {problem}") from problem


def theme_of(home: Home, known: Collection[str]) -> str:
    """The theme of ``[app] theme``, else the one chosen last; "" when there is neither.

    Raises:
        SettingsError: config.toml cannot be read, or names no theme.
    """
    return _set_theme(home, known) or _chosen_theme(home, known)


def _set_theme(home: Home, known: Collection[str]) -> str:
    path = home.config / _FILE
    section = read_settings(home).get("app", {})
    theme = section.get("theme", "") if isinstance(section, dict) else section
    if theme != "" and (not isinstance(theme, str) or theme not in known):
        names = ", ".join(sorted(known))
        raise SettingsError(f"{path}: [app] theme: {theme!r} is not a theme. Themes: {names}.")
    return str(theme)


def _chosen_theme(home: Home, known: Collection[str]) -> str:
    try:
        name = read_within(home.state / _CHOSEN, home.state, limit=200).decode("utf-8", "replace").strip()
    except FileProblem:
        return ""
    return name if name in known else ""


def keep_theme(home: Home, name: str) -> None:
    """Remember a theme for the next start.

    Raises:
        FileProblem: it cannot be written.
    """
    with suppress(OSError):  # if it cannot be made, writing the file says why
        home.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomic(home.state / _CHOSEN, f"{name}\n".encode())
