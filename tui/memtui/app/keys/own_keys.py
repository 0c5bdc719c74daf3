"""The user's own keys: the table of commands, changed by ``[keys]`` in config.toml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.binding import Binding
from textual.keys import Keys

from memtui.app.keys.commands import COMMANDS, Command

_FIXED_COMMANDS = frozenset({"open", "app.copy_selection", "app.suspend_process", "app.command_palette"})
"""Actions whose keys are also bound by the lists or the app."""
_FIXED_KEYS = frozenset(
    [
        "down",
        "j",
        "up",
        "k",
        "home",
        "g",
        "end",
        "G",
        "pagedown",
        "pageup",
        "ctrl+d",
        "ctrl+u",
        "space",
        "enter",
        "ctrl+q",
        "ctrl+c",
        "super+c",
        "ctrl+p",
    ]
)
"""Navigation keys of lists and documents, and keys of every screen."""
_NAMED = frozenset(key.value for key in Keys if not key.value.startswith("<"))


class OwnKeyError(ValueError):
    """A key that cannot be used; the text continues “config.toml: [keys] ”."""


def with_own_keys(
    keys: Mapping[str, object], commands: tuple[Command, ...] = COMMANDS
) -> tuple[Command, ...]:
    """The commands with their keys changed.

    Args:
        keys: one key by the name of a command, see `Command.name`.
        commands: the table.

    Raises:
        OwnKeyError: a command or a key is unknown, or two commands of a pane share a key.
    """
    changeable = {command.name: command for command in commands if command.action not in _FIXED_COMMANDS}
    changed: dict[str, Command] = {}
    for name, key in keys.items():
        if name not in changeable:
            raise OwnKeyError(f"{name!r} is not a command. Commands: {', '.join(sorted(changeable))}.")
        canonical = _canonical(key)
        if not canonical:
            raise OwnKeyError(f"{name}: {key!r} is not a key. A key is one character, or like f5 or ctrl+x.")
        if canonical in _FIXED_KEYS:
            raise OwnKeyError(f"{name}: {key} moves in lists or works everywhere; choose another key.")
        changed[name] = changeable[name]._replace(keys=canonical, shown=str(key))
    own = tuple(changed.get(command.name, command) for command in commands)
    for name, command in changed.items():
        if other := _sharing(command, own):
            raise OwnKeyError(f"{name}: {command.shown} is the key of {other.name} in the same pane.")
    return own


def _canonical(key: object) -> str:
    """Textual's name of a key; "" if invalid."""
    if not isinstance(key, str):
        return ""
    if key == ",":
        return "comma"
    if len(key) == 1 and key.isprintable() and not key.isspace():
        return next(iter(Binding.make_bindings([Binding(key, "", "")]))).key
    return key if key in _NAMED else ""


def _sharing(command: Command, commands: Iterable[Command]) -> Command | None:
    """Another command with the same key in one of this command's panes."""
    return next(
        (
            other
            for other in commands
            if other is not command and command.panes & other.panes and command.keys in other.keys.split(",")
        ),
        None,
    )
