"""Installing memtui into Claude Code, and taking it out again: first a plan to show, then its files."""

from __future__ import annotations

import os
import shlex
import shutil
import site
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import memtui
from memtui.clock import Clock
from memtui.files import FileUnreadable
from memtui.project import Places
from memtui.setup.changes import Change, delete, make_folders, read, text_of, write
from memtui.setup.commands import REVIEW_COMPACT, is_sealed, is_untouched, review_compact
from memtui.setup.git import git_sees
from memtui.setup.places import Scope, command_file, settings_file
from memtui.setup.records import Record, Records
from memtui.setup.settings import (
    EVENTS,
    SettingsProblem,
    install,
    own_command,
    read_settings,
    remove,
    shared_command,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What `apply` would do."""

    scope: Scope
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    """Sentences for the person."""
    kept: tuple[Path, ...] = ()
    """Files of memtui that were edited and therefore stay."""


def plan_init(places: Places, scope: Scope, *, python: str = "", which: str | None = None) -> Plan:
    """Plan to install the hooks and the slash command. An empty plan: all is there.

    Args:
        places: the project and the folders.
        scope: for whom.
        python: the interpreter to name; the one that runs this when "".
        which: where the shell finds `memtui`; looked up when None.

    Raises:
        FileProblem: a file cannot be edited as it is; nothing was changed.
    """
    python = python or sys.executable
    if scope is not Scope.SHARED and not os.path.isabs(python):  # noqa: PTH117 - may be ""
        raise FileUnreadable(python or "sys.executable", "is not the absolute path of a Python")
    records = Records(places.home)
    settings = _init_settings(places, scope, records, python)
    command, note = _init_command(places, scope, records, python, which)
    changes = [change for change in (command, settings) if change is not None]
    notes = [note] if note else []
    if settings is not None and scope is not Scope.SHARED and _is_passing(python):
        notes.append(f"{python} lies in a temporary folder: when that is emptied, the hooks stop working.")
    notes += _unignored(places, scope, changes)
    return Plan(scope, tuple(changes), tuple(notes))


def plan_uninstall(places: Places, scope: Scope, *, edited: bool = False) -> Plan:
    """Plan to take out the hooks and the slash command. An empty plan: nothing of memtui is there.

    Args:
        places: the project and the folders.
        scope: for whom it was installed.
        edited: remove the slash command even if a person has edited it.

    Raises:
        FileProblem: a file cannot be edited as it is; nothing was changed.
    """
    records = Records(places.home)
    changes = [change for change in (_uninstall_settings(places, scope, records),) if change is not None]
    target = command_file(places, scope, REVIEW_COMPACT)
    data = read(target)
    kept: tuple[Path, ...] = ()
    if data is not None and is_sealed(data):
        record = records.load(target.real)
        folders = record.folders if record else ()
        if edited or is_untouched(data):
            changes.append(Change(target, data, None, None, folders=folders))
        else:
            kept = (target.path,)
    return Plan(scope, tuple(changes), (), kept)


def apply(plan: Plan, places: Places, clock: Clock) -> list[Path]:
    """Do what a plan says, one file after the other, each whole or not at all; returns the backups made.

    Raises:
        FileChanged: a file is not as the plan has seen it; this one and those behind it were not changed.
        FileProblem: a file cannot be written.
    """
    records = Records(places.home)
    backups = []
    for change in plan.changes:
        real = change.target.real
        if change.before is not None and not is_untouched(change.before):
            backups.append(records.back_up(real, change.before, clock))
        if change.after is None:
            delete(change)
            records.forget(real)
            continue
        folders = make_folders(change.target)
        if change.record is None:
            write(change)
            records.forget(real)
            continue
        record = replace(change.record, folders=tuple(dict.fromkeys((*change.record.folders, *folders))))
        records.store(real, record)  # before the file: cut short, a record too many does no harm
        written = write(change)
        if written is not change:
            records.store(real, _with_written(record, written))
    return backups


def _init_settings(places: Places, scope: Scope, records: Records, python: str) -> Change | None:
    target = settings_file(places, scope)
    before = read(target)
    commands = _commands(scope, python)
    try:
        text = text_of(before, target.path)
        done = install(text, commands)
        if before is not None and done.text == text:
            return None
        after = done.text.encode()
        record = records.load(target.real)
        created = done.created
        if record is not None:
            created = tuple(dict.fromkeys((*record.created, *created)))
        if record is None or record.after != before:
            folders = record.folders if record else ()
            without = None if before is None else remove(text, created).encode()
            record = Record(without, after, created, folders)
        else:
            record = replace(record, after=after, created=created)
    except SettingsProblem as problem:
        raise FileUnreadable(target.path, f"is not edited: it {problem}") from problem
    except UnicodeEncodeError as error:
        raise FileUnreadable(target.path, "is not edited: the path of Python is not valid UTF-8") from error

    def again(data: bytes) -> bytes:
        return install(data.decode(), commands).text.encode()

    mode = 0o644 if scope is Scope.SHARED else 0o600
    return Change(target, before, after, record, mode, again)


def _commands(scope: Scope, python: str) -> dict[str, str]:
    if scope is Scope.SHARED:
        return {event: shared_command(name) for event, name in EVENTS.items()}
    return {event: own_command(python, name, _isolation()) for event, name in EVENTS.items()}


def _isolation() -> str:
    """``-I`` keeps a hook from what lies in its folder; but it hides the user's own packages, too."""
    own = Path(memtui.__file__).resolve()
    return "-P" if own.is_relative_to(Path(site.getusersitepackages()).resolve()) else "-I"


def _init_command(
    places: Places, scope: Scope, records: Records, python: str, which: str | None
) -> tuple[Change | None, str]:
    target = command_file(places, scope, REVIEW_COMPACT)
    before = read(target)
    on_path = review_compact()
    own = on_path if scope is Scope.SHARED else review_compact(shlex.join([python, "-m", "memtui"]))
    if before is not None and not is_untouched(before):
        what = "was edited; it stays as it is" if is_sealed(before) else "is not memtui's; it stays as it is"
        return None, f"{target.path} {what}."
    if before in (on_path, own):
        return None, ""
    found = shutil.which("memtui") if which is None else which
    after = on_path if found else own
    known = records.load(target.real)
    record = Record(None, after, (), known.folders if known else ())
    return Change(target, before, after, record, 0o644), ""


def _uninstall_settings(places: Places, scope: Scope, records: Records) -> Change | None:
    target = settings_file(places, scope)
    before = read(target)
    if before is None:
        return None
    record = records.load(target.real)
    folders = record.folders if record else ()
    if record is not None and record.after == before:
        return Change(target, before, record.before, None, folders=folders)
    created = record.created if record else None

    def without(data: bytes) -> bytes:
        return remove(text_of(data, target.path), created).encode()

    try:
        after = without(before)
    except SettingsProblem as problem:
        raise FileUnreadable(target.path, f"is not edited: it {problem}") from problem
    if after == before:
        return None
    made = record is not None and record.before is None and read_settings(after.decode()) == {}
    return Change(target, before, None if made else after, None, again=without, folders=folders)


def _with_written(record: Record, change: Change) -> Record:
    """A record of what was written in the end; the first content is gone, so it is told from this one."""
    assert change.after is not None
    before = remove(change.after.decode(), record.created).encode()
    return replace(record, before=before, after=change.after)


def _is_passing(python: str) -> bool:
    """Whether an interpreter lies where caches and temporary files are, as with `uvx`."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return any(Path(python).is_relative_to(folder) for folder in (cache, tempfile.gettempdir()))


def _unignored(places: Places, scope: Scope, changes: list[Change]) -> Iterator[str]:
    """For what is made in a repository for this machine alone, and would be committed."""
    if scope is not Scope.PROJECT:
        return
    for change in changes:
        if change.before is None and git_sees(places.project.root, change.target.path):
            yield (
                f"git does not ignore {change.target.path.relative_to(places.project.root)}: "
                "add it to .gitignore or .git/info/exclude."
            )
