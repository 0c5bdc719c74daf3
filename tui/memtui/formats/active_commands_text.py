"""Changing the active commands in the text of session-state.json (seed 002), a file of other programs.

Only the text of entries is removed or inserted: order, number formats and white space of everything else
stay as they are. Standard library only, for the hook; `active_commands.py` has the records.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime

from memtui.formats.errors import FormatError
from memtui.formats.json_spans import Member, Span, items, members
from memtui.formats.json_text import add_member, cut_items, insert_item, member, put_member, root_of, style_of
from memtui.formats.text import normal
from memtui.ground.clock import parse_iso
from memtui.ground.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_KEY, _OLD_KEY = "active_commands", "active_command"


class CommandEntry(NamedTuple):
    """A usable entry of `active_commands`; its fields are those of `ActiveCommand`."""

    name: str
    activated_at: datetime | None
    state: dict[str, Any]
    raw: str
    place: int | None


def read_entries(text: str) -> tuple[list[CommandEntry], list[str]]:
    """The usable entries, including the `active_command` of old files, and a clause for each unusable one.

    Raises:
        FormatError: when the text is not JSON, or not an object.
    """
    file = _File(text)
    entries: list[CommandEntry] = []
    broken: list[str] = []
    if file.current:
        value = file.value(file.current.value)
        if isinstance(value, list):
            for index, (entry, span) in enumerate(zip(value, file.entries, strict=True)):
                _take(entry, file.raw(span), index, entries, broken)
        elif value is not None:
            broken.append(f"active_commands is {_kind(value)}, not a list")
    if file.old:
        value = file.value(file.old.value)
        name = _name(value)
        if name and all(entry.name != name for entry in entries):
            _take(value, file.raw(file.old.value), None, entries, broken)
    return entries, broken


def new_entry(name: str, activated_at: datetime, state: dict[str, Any], *, like: str = "") -> str:
    """The JSON text of an entry as a command's STEP 0 makes it (seed 002): in UTC, to the millisecond.

    Args:
        name: The command's name.
        activated_at: When it was called; aware.
        state: The command's own data.
        like: The file's text; a file of one line gets an entry without line breaks.
    """
    moment = activated_at.astimezone(UTC).replace(tzinfo=None)
    entry = {"name": name, "activated_at": f"{moment.isoformat(timespec='milliseconds')}Z", "state": state}
    if like.strip() and "\n" not in like.strip():
        return json.dumps(entry, ensure_ascii=False)
    return json.dumps(entry, ensure_ascii=False, indent=2).replace("\n", "\n    ")


def remove_commands(text: str, names: Collection[str] | None) -> str:
    """The text without the commands of these names; with None, without any entry, usable or not.

    An old file's `active_command` keeps its other members; its name becomes null.

    Raises:
        FormatError: see `read_entries`.
    """
    file = _File(text)
    if file.current:
        file = _File(_emptied(file, file.current.value, names))
    if file.old:
        return _edited(file.text, _old_cleared(file, file.old.value, names))
    return file.text


def add_command(text: str, entry_json: str, *, index: int | None = None) -> str:
    """The text with one more entry, unless it already has one of that name.

    Args:
        text: The file's text; an empty one becomes a file.
        entry_json: The entry as JSON, inserted unchanged, so that a removed entry can be restored exactly.
        index: Its place in the array, the end by default.

    Raises:
        FormatError: when the text is not a JSON object or the entry does not name a command.
    """
    entry_json = entry_json.strip(" \t\r\n")
    name = _name(_loads(entry_json))
    if not name:
        raise FormatError("the entry has no name")
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    file = _File(text)
    if file.is_list and any(_name(entry) == name for entry in file.value(file.listed.value)):
        return text
    style = style_of(text)
    if file.current is None:
        file = _File(add_member(text, file.start, _KEY, [], style))
    elif not file.is_list:
        file = _File(put_member(text, file.start, _KEY, [], style))
    return insert_item(file.text, file.listed.value.start, entry_json, index, style)


class _File:
    """A parsed session-state.json and the places of its two keys. Of a repeated key the last counts."""

    def __init__(self, text: str) -> None:
        if not isinstance(_loads(text.removeprefix("\ufeff")), dict):
            raise FormatError("it is not a JSON object")
        self.text = text
        self.start = root_of(text)
        self.members = list(members(text, self.start))
        self.current = member(text, self.start, _KEY)
        self.old = member(text, self.start, _OLD_KEY)
        self.is_list = self.current is not None and text[self.current.value.start] == "["
        self.entries = list(items(text, self.current.value.start)) if self.current and self.is_list else []

    @property
    def listed(self) -> Member:
        """The member `active_commands`."""
        assert self.current is not None
        return self.current

    def raw(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def value(self, span: Span) -> Any:
        return _loads(self.raw(span))


def _loads(text: str) -> Any:
    try:
        text.encode()
        return json.loads(text, parse_int=_integer)
    except UnicodeEncodeError:
        raise FormatError("it is not valid UTF-8") from None
    except RecursionError:
        raise FormatError("it is nested too deeply") from None
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise FormatError(f"it is not valid JSON{where}") from None


def _integer(digits: str) -> int | float:
    # Python refuses to convert very long numbers; JSON allows them.
    return int(digits) if len(digits) < 400 else float(digits)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a truth value"
    kinds = {str: "a text", dict: "an object", list: "a list", int: "a number", float: "a number"}
    return kinds.get(type(value), "null")


def _name(entry: Any) -> str:
    """The name of an entry, "" when it has none."""
    name = entry.get("name") if isinstance(entry, dict) else entry
    return normal(name) if isinstance(name, str) and name.strip() else ""


def _take(entry: Any, raw: str, index: int | None, entries: list[CommandEntry], broken: list[str]) -> None:
    name = _name(entry)
    if not name:
        which = "active_command" if index is None else f"entry {index + 1}"
        broken.append(f"{which} has no name" if isinstance(entry, dict) else f"{which} is {_kind(entry)}")
        return
    since = entry.get("activated_at") if isinstance(entry, dict) else None
    state = entry.get("state") if isinstance(entry, dict) else None
    entries.append(
        CommandEntry(
            name=name,
            activated_at=parse_iso(since) if isinstance(since, str) else None,
            state={normal(key): value for key, value in state.items()} if isinstance(state, dict) else {},
            raw=raw,
            place=index,
        )
    )


def _emptied(file: _File, value: Span, names: Collection[str] | None) -> str:
    """The text without these entries; with None, without any."""
    if not file.is_list:
        keep = names is not None or file.raw(value) == "null"
        return file.text if keep else _edited(file.text, [(value, "[]")])
    loaded = file.value(value)
    gone = {place for place, entry in enumerate(loaded) if names is None or _name(entry) in names}
    return cut_items(file.text, value.start, gone) if gone else file.text


def _old_cleared(file: _File, value: Span, names: Collection[str] | None) -> Iterator[tuple[Span, str]]:
    name = _name(file.value(value))
    if not name or (names is not None and name not in names):
        return
    if file.text[value.start] != "{":
        yield value, "null"
        return
    for each in members(file.text, value.start):
        if json.loads(each.key) in ("name", "activated_at"):
            yield each.value, "null"


def _edited(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    for span, new in sorted(edits, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text
