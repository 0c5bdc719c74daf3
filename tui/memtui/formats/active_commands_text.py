"""The text of session-state.json (seed 002), a file that other programs own: its active commands, changed.

Only the text of an entry is ever taken out or put in: the order, the numbers' spelling and the white space of
everything else stay as they are. Standard library only, for the hook; `active_commands.py` has the records.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime

from memtui.clock import parse_iso
from memtui.formats.errors import FormatError
from memtui.formats.json_spans import Member, Span, items, members, value_end
from memtui.formats.json_text import cut_items, member, root_of
from memtui.formats.text import normal
from memtui.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_KEY, _OLD_KEY = "active_commands", "active_command"


class CommandEntry(NamedTuple):
    """An entry of `active_commands`, as far as it can be used; the fields are those of `ActiveCommand`."""

    name: str
    activated_at: datetime | None
    state: dict[str, Any]
    raw: str
    place: int | None


def read_entries(text: str) -> tuple[list[CommandEntry], list[str]]:
    """The usable entries, also the single `active_command` of old files, and why others are not.

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
        state: What the command wants to remember.
        like: The text of the file it is for; one of a single line gets an entry without line breaks.
    """
    moment = activated_at.astimezone(UTC).replace(tzinfo=None)
    entry = {"name": name, "activated_at": f"{moment.isoformat(timespec='milliseconds')}Z", "state": state}
    if like.strip() and "\n" not in like.strip():
        return json.dumps(entry, ensure_ascii=False)
    return json.dumps(entry, ensure_ascii=False, indent=2).replace("\n", "\n    ")


def remove_commands(text: str, names: Collection[str] | None) -> str:
    """The text without the commands of these names; with None without any entry, usable or not.

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
    """The text with an entry more, unless one of its name is there.

    Args:
        text: The file's text; an empty one becomes a file.
        entry_json: The entry as JSON; it goes in as it is, so that a removed one comes back as it was.
        index: Its place in the array, the end by default.

    Raises:
        FormatError: when the text is not a JSON object or the entry is none of a command.
    """
    entry_json = entry_json.strip(" \t\r\n")
    name = _name(_loads(entry_json))
    if not name:
        raise FormatError("the entry has no name")
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    file = _File(text)
    if file.current is None:
        return _edited(text, [_new_member(file, entry_json)])
    if not file.is_list:
        new = _new_list(file.key_indent(file.current.start), entry_json)
        return _edited(text, [(file.current.value, new)])
    if any(_name(entry) == name for entry in file.value(file.current.value)):
        return text
    return _edited(text, [_insertion(file, file.current, entry_json, index)])


class _File:
    """A parsed session-state.json and where its two keys are. Of a key that comes twice the last counts."""

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

    def raw(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def value(self, span: Span) -> Any:
        return _loads(self.raw(span))

    def key_indent(self, at: int) -> str | None:
        """The line break and indentation in front of a key; None when it is not the first of its line."""
        gap = self.text[:at]
        bare = gap.rstrip(" \t\r\n")
        gap = gap[len(bare) :]
        return gap if "\n" in gap else None


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
    """The text without these entries; with None without any."""
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


def _insertion(file: _File, listed: Member, entry: str, index: int | None) -> tuple[Span, str]:
    entries = file.entries
    if not entries:
        return listed.value, _new_list(file.key_indent(listed.start), entry)
    place = len(entries) if index is None else min(max(index, 0), len(entries))
    separator = _separator(file, listed)
    if place == 0:
        return Span(entries[0].start, entries[0].start), entry + separator
    return Span(entries[place - 1].end, entries[place - 1].end), separator + entry


def _separator(file: _File, listed: Member) -> str:
    """What stands between two entries of the array."""
    entries = file.entries
    if len(entries) > 1:
        return file.text[entries[0].end : entries[1].start]
    opening = file.text[listed.value.start + 1 : entries[0].start]
    return f",{opening}" if "\n" in opening else f",{_blank(file)}"


def _blank(file: _File) -> str:
    """A space if the file has one behind its colons."""
    first = file.members[0]
    return " " if file.text[first.value.start - 1] in " \t\r\n" else ""


def _new_list(key_indent: str | None, entry: str) -> str:
    """An array of one entry in the file's style."""
    if key_indent is None:
        return f"[{entry}]"
    margin = key_indent[key_indent.rindex("\n") + 1 :]
    line_break = "\r\n" if "\r\n" in key_indent else "\n"
    return f"[{line_break}{margin * 2}{entry}{line_break}{margin}]"


def _new_member(file: _File, entry: str) -> tuple[Span, str]:
    """The key with an array of one entry behind the object's last member."""
    if not file.members:
        end = value_end(file.text, file.start)
        value = _new_list("\n  ", entry)
        return Span(file.start, end), f'{{\n  "{_KEY}": {value}\n}}'
    last = file.members[-1]
    indent = file.key_indent(last.start)
    gap = _blank(file) if indent is None else indent
    colon = f":{_blank(file)}"
    return Span(last.value.end, last.value.end), f',{gap}"{_KEY}"{colon}{_new_list(indent, entry)}'
