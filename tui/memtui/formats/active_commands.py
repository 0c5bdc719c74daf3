"""The active commands in a project's session-state.json (seed 002) as records."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from memtui.formats.active_commands_text import read_entries
from memtui.formats.model import Record


class ActiveCommand(Record):
    """A command whose rules outlive a compaction."""

    name: str
    """As in the file: untrusted, and possibly with slashes."""
    activated_at: datetime | None = None
    state: dict[str, Any] = Field(default_factory=dict)
    raw: str = ""
    """The entry's own JSON text."""
    place: int | None = None
    """Its place in the array; None for the single `active_command` of old files."""


class ActiveCommands(Record):
    """The active commands of a session-state.json."""

    commands: tuple[ActiveCommand, ...] = ()
    broken: tuple[str, ...] = ()
    """One clause per unusable entry, with its problem."""


def parse_active_commands(text: str) -> ActiveCommands:
    """Parse the active commands, including the single `active_command` of old files.

    Raises:
        FormatError: when the text is not JSON, or not an object.
    """
    entries, broken = read_entries(text)
    commands = tuple(ActiveCommand(**entry._asdict()) for entry in entries)
    return ActiveCommands(commands=commands, broken=tuple(broken))
