"""The active commands in a project's session-state.json (seed 002), and their compact summaries.

The file is other programs', too: it is read, changed and written again with its own indentation, line ends
and byte order mark. Standard library only, for the hook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, NamedTuple

from memtui.ground.clock import parse_iso
from memtui.ground.text import FormatError, block, file_text, normal

_START = re.compile(r"^[ \t]*<!--[ \t]*COMPACT_SUMMARY_START\b", re.MULTILINE)
_END = re.compile(r"<!--\s*COMPACT_SUMMARY_END\b")


def compact_summary(text: str) -> str | None:
    """The text between ``<!-- COMPACT_SUMMARY_START -->`` and ``<!-- COMPACT_SUMMARY_END -->``.

    The markers may hold a remark of one or more lines. None when either is missing.
    """
    text = file_text(text)
    start = _START.search(text)
    inside = text[start.end() :].partition("-->")[2] if start else ""
    end = _END.search(inside)
    return block(inside[: end.start()]) if end else None


_KEY, _OLD_KEY = "active_commands", "active_command"
_BOM = "\ufeff"
_INDENT = re.compile(r"\n([ \t]+)\S")


class ActiveCommand(NamedTuple):
    """A command whose rules outlive a compaction."""

    name: str
    """As in the file: untrusted, and possibly with slashes."""
    activated_at: datetime | None
    state: dict[str, Any]
    entry: Any
    place: int | None
    """Its place in the array; None for the single `active_command` of old files."""


class ActiveCommands(NamedTuple):
    """The active commands of a session-state.json."""

    commands: tuple[ActiveCommand, ...] = ()
    broken: tuple[str, ...] = ()
    """One clause per unusable entry, with its problem."""


def parse_active_commands(text: str) -> ActiveCommands:
    file = _load(text)
    commands: list[ActiveCommand] = []
    broken: list[str] = []
    value = file.get(_KEY)
    if isinstance(value, list):
        for index, entry in enumerate(value):
            if name := _name(entry):
                commands.append(_command(name, entry, index))
            else:
                broken.append(f"entry {index + 1} has no name")
    elif value is not None:
        broken.append(f"{_KEY} is not a list")
    old = file.get(_OLD_KEY)
    if (name := _name(old)) and all(command.name != name for command in commands):
        commands.append(_command(name, old, None))
    return ActiveCommands(tuple(commands), tuple(broken))


def new_entry(name: str, activated_at: datetime, state: dict[str, Any]) -> dict[str, Any]:
    """An entry as a command's STEP 0 makes it (seed 002): in UTC, to the millisecond."""
    moment = activated_at.astimezone(UTC).replace(tzinfo=None)
    return {"name": name, "activated_at": f"{moment.isoformat(timespec='milliseconds')}Z", "state": state}


def remove_commands(text: str, names: Collection[str] | None) -> str:
    """The text without the commands of these names; with None, without any entry, usable or not.

    An old file's `active_command` keeps its other members; its name becomes null.
    """
    file, before = _load(text), _load(text)
    value, old = file.get(_KEY), file.get(_OLD_KEY)
    if isinstance(value, list):
        file[_KEY] = [entry for entry in value if names is not None and _name(entry) not in names]
    elif names is None and value is not None:
        file[_KEY] = []
    if (name := _name(old)) and (names is None or name in names):
        file[_OLD_KEY] = None
        if isinstance(old, dict):
            gone = dict.fromkeys(("name", "activated_at"))
            file[_OLD_KEY] = {key: gone.get(key, member) for key, member in old.items()}
    return text if file == before else _dump(file, text)


def add_command(text: str, entry: Any, *, index: int | None = None) -> str:
    """The text with one more entry, by default at the end, unless it already has one of that name."""
    file = _load(text) if text.strip(f"{_BOM} \t\r\n") else {}
    value = file.get(_KEY)
    entries = list(value) if isinstance(value, list) else []
    if _name(entry) in map(_name, entries):
        return text
    entries.insert(len(entries) if index is None else index, entry)
    return _dump({**file, _KEY: entries}, text)


def _load(text: str) -> dict[str, Any]:
    try:
        text.encode()
        value = json.loads(text.removeprefix(_BOM))
    except UnicodeEncodeError:
        raise FormatError("it is not valid UTF-8") from None
    except RecursionError:
        raise FormatError("it is nested too deeply") from None
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise FormatError(f"it is not valid JSON{where}") from None
    if not isinstance(value, dict):
        raise FormatError("it is not a JSON object")
    return value


def _dump(file: dict[str, Any], like: str) -> str:
    """The text of a file in the style of its former text."""
    body = like.removeprefix(_BOM)
    plain = body.strip()
    if "\n" in plain or plain in ("", "{}"):
        found = _INDENT.search(body)
        text = _json(file, indent=found[1] if found else "  ", separators=(",", ": "))
    else:
        text = _json(file, indent=None, separators=(", ", ": ") if '": ' in plain else (",", ":"))
    text += "\n" if not plain or body.endswith("\n") else ""
    bom = _BOM if like.startswith(_BOM) else ""
    return bom + (text.replace("\n", "\r\n") if "\r\n" in body else text)


def _json(file: dict[str, Any], *, indent: str | None, separators: tuple[str, str]) -> str:
    text = json.dumps(file, ensure_ascii=False, indent=indent, separators=separators)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, which only an escape can carry
        text = json.dumps(file, indent=indent, separators=separators)
    return text


def _name(entry: Any) -> str:
    name = entry.get("name") if isinstance(entry, dict) else entry
    return normal(name) if isinstance(name, str) and name.strip() else ""


def _command(name: str, entry: Any, index: int | None) -> ActiveCommand:
    members = entry if isinstance(entry, dict) else {}
    since, state = members.get("activated_at"), members.get("state")
    return ActiveCommand(
        name=name,
        activated_at=parse_iso(since) if isinstance(since, str) else None,
        state={normal(key): value for key, value in state.items()} if isinstance(state, dict) else {},
        entry=entry,
        place=index,
    )
