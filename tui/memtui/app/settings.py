"""The app's settings in config.toml (theme, keys, bell), and choices made on the screen."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from memtui.app.keys.commands import Command
from memtui.app.keys.own_keys import OwnKeyError, with_own_keys
from memtui.ground.files import FileMissing, FileProblem, private_parents, read_within, write_atomic
from memtui.ground.named import NamedTuple
from memtui.ground.project import Home

_LIMIT = 64 << 10
_FILE = "config.toml"
_CHOSEN = "theme"
"""The file in the state folder that holds the name of the theme."""
_SPLIT = "split"
"""The file there that holds the width of the panes in columns."""


class SettingsError(ValueError):
    """A setting that cannot be used: one sentence naming file and key."""


def read_settings(home: Home) -> dict[str, Any]:
    """The settings of config.toml; the defaults without it.

    Raises:
        SettingsError: it cannot be read.
    """
    path = home.config / _FILE
    try:
        text = read_within(path, home.config, limit=_LIMIT).decode()
        import tomllib  # most people have no such file, and the first paint waits for this

        return tomllib.loads(text)
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


def bell_enabled(home: Home) -> bool:
    """Whether the terminal's bell rings when a capture arrives: ``[notify] bell``.

    Raises:
        SettingsError: config.toml cannot be read, or the value is not true or false.
    """
    return _switch(home, "notify", "bell")


def in_windows(home: Home) -> bool:
    """Whether sessions are resumed in a new window within tmux: ``[resume] tmux``.

    Raises:
        SettingsError: config.toml cannot be read, or the value is not true or false.
    """
    return _switch(home, "resume", "tmux")


def _switch(home: Home, section: str, name: str) -> bool:
    values = read_settings(home).get(section, {})
    value = values.get(name, False) if isinstance(values, dict) else None
    if not isinstance(value, bool):
        raise SettingsError(f"{home.config / _FILE}: [{section}] {name} must be true or false.")
    return value


def sync_minutes(home: Home) -> float:
    """Minutes between two automatic exchanges: ``[sync] minutes``; 0 means never.

    Raises:
        SettingsError: config.toml cannot be read, or the value is not such a number.
    """
    values = read_settings(home).get("sync", {})
    minutes = values.get("minutes", 0) if isinstance(values, dict) else -1
    number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if not number or not (minutes == 0 or 0.1 <= minutes <= 1440):
        raise SettingsError(f"{home.config / _FILE}: [sync] minutes must be a number from 0.1 to 1440, or 0.")
    return float(minutes)


class Warn(NamedTuple):
    """The warnings of the context line in the status bar."""

    at: tuple[int, ...] = (90,)
    """Percentages of the context, in order."""
    bell: bool = False
    """Whether the terminal's bell rings then, once."""
    tmux: bool = False
    """Whether the window is marked then, once; only within tmux."""

    def sends_bell(self, *, in_tmux: bool) -> bool:
        """Whether to send the bell: it makes tmux mark the window, and `bell-action` decides about sound."""
        return self.bell or (self.tmux and in_tmux)


def warn_of(home: Home) -> Warn:
    """The warnings of the context line: ``[warn] at``, ``bell`` and ``tmux``.

    Raises:
        SettingsError: config.toml cannot be read, or a value is not a percentage or not true or false.
    """
    section = read_settings(home).get("warn", {})
    path = home.config / _FILE
    if not isinstance(section, dict):
        raise SettingsError(f"{path}: warn must be a section: [warn], then lines like at = [80, 95].")
    at, bell, tmux = section.get("at", [90]), section.get("bell", False), section.get("tmux", False)
    if not isinstance(at, list) or not all(type(each) is int and 0 < each <= 100 for each in at) or not at:
        raise SettingsError(f"{path}: [warn] at must be a list of percents, such as [80, 95].")
    if not isinstance(bell, bool) or not isinstance(tmux, bool):
        raise SettingsError(f"{path}: [warn] bell and tmux must be true or false.")
    return Warn(tuple(sorted(at)), bell, tmux)


class Preferences(NamedTuple):
    """The settings of the browser's screen."""

    columns: int = 0
    """Width of the panes; 0 uses that of the style sheet."""
    bell: bool = False
    """Whether the terminal's bell rings when a capture arrives."""
    warn: Warn = Warn()
    sync_seconds: float = 0.0
    """Seconds between two automatic exchanges with the remotes; 0 means never."""


DEFAULTS = Preferences()


def preferences(home: Home) -> Preferences:
    """The settings of config.toml, and the width chosen on the screen.

    Raises:
        SettingsError: config.toml cannot be read, or holds a value that cannot be used.
    """
    return Preferences(saved_split(home), bell_enabled(home), warn_of(home), 60.0 * sync_minutes(home))


def theme_of(home: Home, known: Collection[str]) -> str:
    """The theme of ``[app] theme``, else the last one chosen; "" without either.

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
    name = _saved(home, _CHOSEN)
    return name if name in known else ""


def save_theme(home: Home, name: str) -> None:
    """Store the theme for the next start.

    Raises:
        FileProblem: it cannot be written.
    """
    _save(home, _CHOSEN, name)


def saved_split(home: Home) -> int:
    """The width of the panes in columns; 0 if it was never changed."""
    columns = _saved(home, _SPLIT)
    return int(columns) if columns.isascii() and columns.isdecimal() and len(columns) < 5 else 0


def save_split(home: Home, columns: int) -> None:
    """Store the width of the panes.

    Raises:
        FileProblem: it cannot be written.
    """
    _save(home, _SPLIT, str(columns))


def _saved(home: Home, name: str) -> str:
    try:
        return read_within(home.state / name, home.state, limit=200).decode("utf-8", "replace").strip()
    except FileProblem:
        return ""


def _save(home: Home, name: str, value: str) -> None:
    with suppress(OSError):  # if this fails, writing the file reports why
        private_parents(home.state)
    write_atomic(home.state / name, f"{value}\n".encode())
