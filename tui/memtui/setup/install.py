"""Installing memtui into Claude Code and removing it: first a plan, then its changes."""

from __future__ import annotations

import os
import shlex
import shutil
import site
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import memtui
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem, FileUnreadable, sweep_temps
from memtui.ground.git import git_sees
from memtui.ground.project import Places
from memtui.setup.change_records import Record, Records
from memtui.setup.claude_files import ClaudeFile, Scope, command_file, servers_file, settings_file
from memtui.setup.file_change import (
    Change,
    delete,
    make_folders,
    missing_folders,
    read,
    remove_folders,
    write,
)
from memtui.setup.hook_settings import EVENTS, Installed, install, own_command, remove, shared_command
from memtui.setup.hooks_check import read_all_settings
from memtui.setup.json_edits import Edit, plan_putting_in, plan_taking_out
from memtui.setup.mcp_approval import approve, withdraw
from memtui.setup.mcp_registration import is_own, registering, server_edit, server_note
from memtui.setup.replaced_scripts import replace_scripts, restore_scripts
from memtui.setup.slash_commands import COMMANDS, is_sealed, is_untouched, slash_command
from memtui.store.changes import unrecorded

if TYPE_CHECKING:
    from memtui.store.changes import Wrote

_FOR = {Scope.PROJECT: "this project", Scope.SHARED: "this project's team", Scope.USER: "all projects"}
_DID = "changed Claude Code's settings"


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes for `apply`."""

    scope: Scope
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    """Sentences for the user."""
    kept: tuple[Path, ...] = ()
    """Edited files of memtui, which are kept."""

    @property
    def what(self) -> str:
        """A description of the plan."""
        done = "installed" if any(change.record is not None for change in self.changes) else "uninstalled"
        return f"{done} memtui for {_FOR[self.scope]}"


def plan_init(
    places: Places,
    scope: Scope,
    *,
    python: str = "",
    which: str | None = None,
    approving: bool = True,
    replacing: bool = False,
) -> Plan:
    """Plan to install the hooks, the slash commands and the MCP server; empty if all are installed.

    Args:
        places: the project and the folders.
        scope: the scope.
        python: the interpreter for the hooks; "" for the current one.
        which: the path of `memtui` in a shell; by default looked up.
        approving: approve the MCP server in the user's local settings, if `.mcp.json` is theirs, too.
        replacing: replace the scripts of `replaced_scripts`, in all settings.

    Raises:
        FileProblem: a file cannot be edited as it is; nothing was changed.
    """
    python = python or sys.executable
    if scope is not Scope.SHARED and not os.path.isabs(python):  # noqa: PTH117 - may be ""
        raise FileUnreadable(python or "sys.executable", "is not the absolute path of a Python")
    records = Records(places.home)
    isolation = _isolation()
    server, server_says = registering(places, scope, python, isolation, records)
    approving = approving and scope is Scope.PROJECT and (server is not None or is_own(places, python))
    settings = plan_putting_in(_settings(places, scope, python, isolation, approving, replacing), records)
    changes: list[Change] = []
    notes: list[str] = []
    for name in COMMANDS:
        target = command_file(places, scope, name)
        change, note = _init_command(target, name, _starts(scope, python, isolation, which), records)
        changes += [change] if change else []
        notes += [note] if note else []
    changes += [settings] if settings else []
    others = _others(places, scope) if replacing else []
    changes += [change for edit in others if (change := plan_putting_in(edit, records)) is not None]
    changes += [server] if server else []
    notes += [server_says] if server_says else []
    if settings or server:
        notes += _passing(scope, python)
    notes += _unignored(places, scope, changes)
    return Plan(scope, tuple(changes), tuple(notes))


def plan_uninstall(places: Places, scope: Scope, *, edited: Collection[Path] = ()) -> Plan:
    """Plan to remove everything that `plan_init` installs; empty if nothing is installed.

    Args:
        places: the project and the folders.
        scope: the scope of the installation.
        edited: edited slash commands to remove.

    Raises:
        FileProblem: a file cannot be edited as it is; nothing was changed.
    """
    records = Records(places.home)
    server = server_edit(places, scope)
    main = _settings(places, scope, sys.executable, "-I")
    edits = [*([server] if server else []), *_others(places, scope), main]
    changes = [change for edit in edits if (change := plan_taking_out(edit, records)) is not None]
    kept = []
    # The last one first: folders of earlier ones contain those of later ones.
    for name in reversed(COMMANDS):
        target = command_file(places, scope, name)
        data = read(target)
        if data is None or not is_sealed(data):
            continue
        if target.path in edited or is_untouched(data):
            record = records.load(target.real)
            changes.append(Change(target, data, None, None, folders=record.folders if record else ()))
        else:
            kept.append(target.path)
    note = server_note(places, scope)
    return Plan(scope, tuple(changes), (note,) if note else (), tuple(kept))


def apply(plan: Plan, places: Places, clock: Clock, wrote: Wrote = unrecorded) -> list[Path]:
    """Carry out a plan, file by file, each whole or not at all; returns the backups made.

    Args:
        plan: the plan.
        places: the project and the folders.
        clock: gives the time of the backups.
        wrote: records each write.

    Raises:
        FileChanged: a file has changed since the plan; this one and the later ones were not changed.
        FileProblem: a file cannot be written.
    """
    records = Records(places.home, wrote)
    backups = []
    for change in plan.changes:
        real = change.target.real
        if change.before is not None and not is_untouched(change.before):
            backups.append(records.back_up(real, change.before, clock))
        if change.after is None:
            delete(change)
            wrote(_DID, real, change.before, None)
            records.forget(real)
            continue
        if change.record is None:
            make_folders(change.target)
            _recorded(write(change), wrote)
            records.forget(real)
            continue
        folders = missing_folders(change.target)
        record = replace(change.record, folders=tuple(dict.fromkeys((*change.record.folders, *folders))))
        records.store(real, record)  # before the file, so that `tidy` can clean up after a kill
        make_folders(change.target)
        written = _recorded(write(change), wrote)
        if written is not change:
            records.store(real, _with_written(record, written))
    tidy(places, plan.scope)
    return backups


def _recorded(written: Change, wrote: Wrote) -> Change:
    wrote(_DID, written.target.real, written.before, written.after)
    return written


def _settings(
    places: Places,
    scope: Scope,
    python: str,
    isolation: str,
    approving: bool = False,
    replacing: bool = False,
) -> Edit:
    """The edit of a scope's settings: the hooks, and the approval of the MCP server."""
    if scope is Scope.SHARED:
        commands = {event: shared_command(name) for event, name in EVENTS.items()}
    else:
        commands = {event: own_command(python, name, isolation) for event, name in EVENTS.items()}
    mode = 0o644 if scope is Scope.SHARED else 0o600

    def put_in(text: str) -> Installed:
        done = install(text, commands)
        for more in (*([approve] if approving else []), *([replace_scripts] if replacing else [])):
            text, created = more(done.text)
            done = Installed(text, (*done.created, *created))
        return done

    def take_out(text: str, created: Collection[str] | None) -> str:
        text = remove(withdraw(text, created) if scope is Scope.PROJECT else text, created)
        return restore_scripts(text, created)

    return Edit(settings_file(places, scope), put_in, take_out, mode)


def _others(places: Places, scope: Scope) -> list[Edit]:
    """The edits of other scopes' settings that start the scripts replaced by memtui."""
    # Settings with our hooks are restored by their own scope.
    free = [each for each in read_all_settings(places) if not any(hook.ours for hook in each.hooks)]
    return [
        Edit(settings_file(places, each.scope), replace_scripts, restore_scripts, 0o600)
        for each in free
        if each.scope is not scope and each.content is not None
    ]


def tidy(places: Places, scope: Scope) -> None:
    """Remove files left by a killed `init` or `uninstall`. Never raises."""
    records = Records(places.home)
    records.sweep()
    with suppress(FileProblem):
        # The last one first: folders of earlier ones contain those of later ones.
        servers = [] if scope is Scope.USER else [servers_file(places)]
        commands = [command_file(places, scope, name) for name in reversed(COMMANDS)]
        for target in (*servers, settings_file(places, scope), *commands):
            sweep_temps(target.real.parent, within=target.root)
            record = records.load(target.real)
            if record is not None and not os.path.lexists(target.real):
                remove_folders(record.folders)
                if not any(map(os.path.isdir, record.folders)):  # otherwise they have other content
                    records.forget(target.real)


def _isolation() -> str:
    """``-I`` shields a process from modules in its folder; but it hides the user's own packages, too."""
    own = Path(memtui.__file__).resolve()
    return "-P" if own.is_relative_to(Path(site.getusersitepackages()).resolve()) else "-I"


def _starts(scope: Scope, python: str, isolation: str, which: str | None) -> tuple[str, ...]:
    """The ways for a slash command to start memtui, the best first."""
    own = shlex.join([python, isolation, "-m", "memtui"])
    if scope is Scope.SHARED:
        return ("memtui",)
    found = shutil.which("memtui") if which is None else which
    return ("memtui", own) if found else (own, "memtui")


def _init_command(
    target: ClaudeFile, name: str, starts: Sequence[str], records: Records
) -> tuple[Change | None, str]:
    before = read(target)
    wanted = [slash_command(name, memtui) for memtui in starts]
    if before is not None and not is_untouched(before):
        what = "was edited; it stays as it is" if is_sealed(before) else "is not memtui's; it stays as it is"
        return None, f"{target.path} {what}."
    if before in wanted:
        return None, ""
    known = records.load(target.real)
    record = Record(None, wanted[0], (), known.folders if known else ())
    return Change(target, before, wanted[0], record, 0o644), ""


def _with_written(record: Record, change: Change) -> Record:
    """A record for the content written in the end; the original is derived from it."""
    assert change.after is not None and change.without is not None
    return replace(record, before=change.without(change.after), after=change.after)


def _passing(scope: Scope, python: str) -> Iterator[str]:
    """A note for an interpreter in a cache or temporary folder, as with `uvx`."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    passing = any(Path(python).is_relative_to(folder) for folder in (cache, tempfile.gettempdir()))
    if passing and scope is not Scope.SHARED:
        yield f"{python} lies in a temporary folder: when that is emptied, the hooks stop working."


def _unignored(places: Places, scope: Scope, changes: Sequence[Change]) -> Iterator[str]:
    """A note for files made for this machine alone that git would commit."""
    if scope is not Scope.PROJECT:
        return
    for change in changes:
        if change.before is None and git_sees(places.project.root, change.target.path):
            yield (
                f"git does not ignore {change.target.path.relative_to(places.project.root)}: "
                "add it to .gitignore or .git/info/exclude."
            )
