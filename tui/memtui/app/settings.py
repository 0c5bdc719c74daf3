"""The app's settings in config.toml, and choices made on the screen."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from memtui.ground.files import FileMissing, FileProblem, private_parents, read_within, write_atomic
from memtui.ground.project import Home

_LIMIT = 64 << 10
FILE = "config.toml"
_CHOSEN = "theme"
"""The file in the state folder that holds the name of the theme."""
_SPLIT = "split"
"""The file there that holds the width of the panes in columns."""


class SettingsError(ValueError):
    """A setting that cannot be used: one sentence naming file and key."""


class Warn(NamedTuple):
    """The warnings of the context line in the status bar."""

    at: tuple[int, ...] = (90,)
    """Percentages of the context, in order."""
    bell: bool = False
    """Whether the terminal's bell rings then, once; tmux marks the window, and decides about sound."""


class Settings(NamedTuple):
    """What config.toml and the screen have set."""

    theme: str = ""
    """``[app] theme``, else the last one chosen; "" without either."""
    chosen: bool = False
    """Whether the theme was chosen on the screen."""
    keys: dict[str, object] = {}  # noqa: RUF012 - a named tuple; nobody changes it
    """``[keys]``: keys by the id of what they do."""
    columns: int = 0
    """Width of the panes; 0 uses that of the style sheet."""
    bell: bool = False
    """``[notify] bell``: whether the terminal's bell rings when a capture arrives."""
    warn: Warn = Warn()
    sync_seconds: float = 0.0
    """``[sync] minutes``: seconds between two automatic exchanges with the remotes; 0 means never."""


def load_settings(home: Home) -> Settings:
    """The settings; the defaults without config.toml.

    Raises:
        SettingsError: config.toml cannot be read, or holds a value that cannot be used.
    """
    columns = _saved(home, _SPLIT)
    width = int(columns) if columns.isascii() and columns.isdecimal() and len(columns) < 5 else 0
    theme = _saved(home, _CHOSEN)
    given = _Sections(home)
    if not given.values:
        return Settings(theme, chosen=True, columns=width)
    named = given.text("app", "theme")
    return Settings(
        named or theme,
        not named,
        given.keys(),
        width,
        given.switch("notify", "bell"),
        given.warn(),
        60.0 * given.minutes(),
    )


class _Sections:
    """The sections of config.toml, checked as they are read."""

    def __init__(self, home: Home) -> None:
        self._path = home.config / FILE
        self.values: dict[str, Any] = {}
        try:
            text = read_within(self._path, home.config, limit=_LIMIT).decode()
            import tomllib  # most people have no such file, and the first paint waits for this

            self.values = tomllib.loads(text)
        except FileMissing:
            pass
        except FileProblem as problem:
            raise SettingsError(f"{problem}.") from problem
        except (ValueError, RecursionError) as problem:
            raise SettingsError(
                f"{self._path} is not valid TOML: {problem}. Correct or remove it."
            ) from problem

    def _get(self, section: str, name: str, default: object) -> Any:
        values = self.values.get(section, {})
        return values.get(name, default) if isinstance(values, dict) else None

    def _wrong(self, rest: str) -> SettingsError:
        return SettingsError(f"{self._path}: {rest}")

    def text(self, section: str, name: str) -> str:
        value = self._get(section, name, "")
        if not isinstance(value, str):
            raise self._wrong(f"[{section}] {name} must be a text.")
        return value

    def keys(self) -> dict[str, object]:
        section = self.values.get("keys", {})
        if not isinstance(section, dict):
            raise self._wrong('keys must be a section: [keys], then lines like review = "v".')
        return section

    def switch(self, section: str, name: str) -> bool:
        value = self._get(section, name, False)
        if not isinstance(value, bool):
            raise self._wrong(f"[{section}] {name} must be true or false.")
        return value

    def warn(self) -> Warn:
        if not isinstance(self.values.get("warn", {}), dict):
            raise self._wrong("warn must be a section: [warn], then lines like at = [80, 95].")
        at = self._get("warn", "at", [90])
        if (
            not isinstance(at, list)
            or not all(type(each) is int and 0 < each <= 100 for each in at)
            or not at
        ):
            raise self._wrong("[warn] at must be a list of percents, such as [80, 95].")
        return Warn(tuple(sorted(at)), self.switch("warn", "bell"))

    def minutes(self) -> float:
        minutes = self._get("sync", "minutes", 0)
        number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
        if not number or not (minutes == 0 or 0.1 <= minutes <= 1440):
            raise self._wrong("[sync] minutes must be a number from 0.1 to 1440, or 0.")
        return float(minutes)


def save_theme(home: Home, name: str) -> None:
    """Store the theme for the next start; raises FileProblem if it cannot be written."""
    _save(home, _CHOSEN, name)


def save_split(home: Home, columns: int) -> None:
    """Store the width of the panes; raises FileProblem if it cannot be written."""
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
