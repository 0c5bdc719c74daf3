"""Edits of JSON files that others own, planned so that they can be reverted byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from memtui.ground.files import FileUnreadable
from memtui.setup.change_records import Record, Records
from memtui.setup.claude_files import ClaudeFile
from memtui.setup.file_change import Change, read, text_of
from memtui.setup.hook_settings import Installed, SettingsProblem, read_settings


@dataclass(frozen=True, slots=True)
class Edit:
    """memtui's part in one file. Both functions raise `SettingsProblem` for a text they cannot edit."""

    target: ClaudeFile
    put_in: Callable[[str], Installed]
    """The text with our part; unchanged if it already has it."""
    take_out: Callable[[str, Collection[str] | None], str]
    """The text without our part; takes `Installed.created`, or None if unknown."""
    mode: int
    """Of a file that is made."""


def plan_putting_in(edit: Edit, records: Records) -> Change | None:
    """The change that inserts our part; None if it is already there.

    Raises:
        FileProblem: the file cannot be edited as it is.
    """
    target = edit.target
    before = read(target)
    try:
        text = text_of(before, target.path)
        done = edit.put_in(text)
        if before is not None and done.text == text:
            return None
        after = done.text.encode()
        record = records.load(target.real)
        created = done.created
        if record is not None:
            created = tuple(dict.fromkeys((*record.created, *created)))
        if record is None or record.after != before:
            folders = record.folders if record else ()
            without = None if before is None else edit.take_out(text, created).encode()
            record = Record(without, after, created, folders)
        else:
            record = replace(record, after=after, created=created)
    except SettingsProblem as problem:
        raise FileUnreadable(target.path, f"is not edited: it {problem}") from problem
    except UnicodeEncodeError as error:
        raise FileUnreadable(target.path, "is not edited: the path of Python is not valid UTF-8") from error

    def again(data: bytes) -> bytes:
        return edit.put_in(data.decode()).text.encode()

    def without_ours(data: bytes) -> bytes:
        return edit.take_out(data.decode(), created).encode()

    return Change(target, before, after, record, edit.mode, again, without=without_ours)


def plan_taking_out(edit: Edit, records: Records) -> Change | None:
    """The change that removes our part; None if it is not there.

    Raises:
        FileProblem: the file cannot be edited as it is.
    """
    target = edit.target
    before = read(target)
    if before is None:
        return None
    record = records.load(target.real)
    created = record.created if record else None

    def without(data: bytes) -> bytes:
        return edit.take_out(text_of(data, target.path), created).encode()

    try:
        after = without(before)
    except SettingsProblem as problem:
        raise FileUnreadable(target.path, f"is not edited: it {problem}") from problem
    if after == before:
        return None
    folders = record.folders if record else ()
    if record is not None and record.after == before:
        return Change(target, before, record.before, None, folders=folders)
    made = record is not None and record.before is None and read_settings(after.decode()) == {}
    return Change(target, before, None if made else after, None, again=without, folders=folders)
