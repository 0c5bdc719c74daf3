"""The app's settings in config.toml, and choices made on the screen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from memtui.ground.files import FileProblem, private_parents, read_within, write_atomic
from memtui.ground.project import Home, config_path, config_sections

_CHOSEN = "theme"
"""The file in the state folder that holds the theme chosen on the screen, and in a second line that of
config.toml at that time."""


class Settings(NamedTuple):
    """What config.toml and the screen have set."""

    theme: str = ""
    """``[app] theme``; "" if it is not set."""
    chosen: str = ""
    """The theme that was chosen on the screen, unless config.toml has named another one since; else ""."""
    keys: dict[str, object] = {}  # noqa: RUF012 - a named tuple; nobody changes it
    """``[keys]``: keys by the id of what they do."""
    bell: bool = False
    """``[notify] bell``: whether the terminal's bell rings when a capture arrives."""
    warn_at: tuple[int, ...] = (90,)
    """``[warn] at``: the percents from which on the context line in the status bar warns."""
    warn_bell: bool = False
    """Whether the terminal's bell rings then, once; tmux marks the window, and decides about sound."""
    sync_seconds: float = 0.0
    """``[sync] minutes``: seconds between two automatic exchanges with the remotes; 0 means never."""


def load_settings(home: Home) -> Settings:
    """The settings; the defaults without config.toml, a FileProblem if it holds what cannot be used."""
    settings, sections = Settings(chosen=saved_theme(home)[0]), config_sections(home)
    if not sections:
        return settings

    def setting(section: str, name: str, default: object, wanted: str, fits: Callable[[Any], bool]) -> Any:
        value = sections.get(section, {}).get(name, default)
        if not fits(value):
            raise FileProblem(config_path(home), f"has a wrong [{section}] {name}: it must be {wanted}")
        return value

    def switch(section: str) -> bool:
        value: bool = setting(section, "bell", False, "true or false", lambda value: type(value) is bool)
        return value

    theme = setting("app", "theme", "", "a text", lambda value: isinstance(value, str))
    percent = lambda each: type(each) is int and 0 < each <= 100  # noqa: E731
    some = lambda value: isinstance(value, list) and bool(value) and all(map(percent, value))  # noqa: E731
    at = setting("warn", "at", [90], "a list of percents, such as [80, 95]", some)
    pause = lambda value: type(value) in (int, float) and (value == 0 or 0.1 <= value <= 1440)  # noqa: E731
    minutes = setting("sync", "minutes", 0, "a number from 0.1 to 1440, or 0", pause)
    over = "".join(saved_theme(home)[1:2])
    return settings._replace(
        theme=theme,
        chosen=settings.chosen if over == theme else "",
        keys=sections.get("keys", {}),
        bell=switch("notify"),
        warn_at=tuple(sorted(at)),
        warn_bell=switch("warn"),
        sync_seconds=60.0 * minutes,
    )


def save_theme(home: Home, name: str, over: str) -> None:
    """Store the theme for the next start, as long as config.toml says `over`."""
    with suppress(OSError):  # if this fails, writing the file reports why
        private_parents(home.state)
    write_atomic(home.state / _CHOSEN, f"{name}\n{over}\n".encode())


def saved_theme(home: Home) -> list[str]:
    """The theme chosen on the screen, and that of config.toml at that time."""
    with suppress(FileProblem):
        data = read_within(home.state / _CHOSEN, home.state, limit=1 << 10)
        return data.decode("utf-8", "replace").splitlines() or [""]
    return [""]
