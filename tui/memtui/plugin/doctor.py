"""The doctor: what works, told by outcomes. Every check is one line, with what to do about it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from memtui import __version__
from memtui.documents.capture import capture_name
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock, age, parse_iso
from memtui.ground.files import FileProblem, is_within
from memtui.ground.machine import find_program, git_sees
from memtui.ground.project import Places, config_path
from memtui.ground.text import counted
from memtui.hooks.records import Run, read_runs
from memtui.hooks.settings import ALL, find_entries, not_writable
from memtui.lost.outbox import lines_wait
from memtui.plugin import installing
from memtui.plugin.receipts import receipts_of, waiting_here
from memtui.store.archive import Archive, is_private
from memtui.store.archive_settings import archive_settings
from memtui.store.captures import CaptureStore, coverage
from memtui.store.session_list import SessionList, size_text
from memtui.store.sessions import SeveralProjects, refuse_several
from memtui.store.transcripts import TranscriptStore

SLOW_MS = 1_000

_SOON = 7
_SECONDS = 30.0
_SETTINGS = """
import sys
from pathlib import Path
from memtui.app.app import misread
from memtui.ground.project import Home, Places, Project

root, *folders = map(Path, sys.argv[1:])
print(*misread(Places(Project(root), Home(*folders), root)), sep="\\n")
"""
_CLIENT = {"name": "memtui doctor", "version": __version__}
_PARAMETERS = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _CLIENT}
_HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _PARAMETERS}


Level = Literal["ok", "note", "warning", "broken"]
"""The severity: a warning if data is lost or will be, broken if an installed part does not work."""


class Finding(NamedTuple):
    """The outcome of one check."""

    check: str
    level: Level
    message: str
    advice: str = ""


Said = partial(Finding, "")
"""A finding whose check gets its name by `diagnose`."""


def diagnose(places: Places, clock: Clock, env: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Run all checks; yields each finding as soon as it is known. Nothing is changed."""
    now, installed = clock(), installing.has_all_hooks(places)
    with ThreadPoolExecutor(1) as pool:  # a server takes longer to start than all other checks together
        server = pool.submit(_check_server, env, installing.record_in(places.home)) if installed else None
        checks: dict[str, Iterator[Finding]] = {
            "installed": _check_installed(places, installed),
            "entries": _check_entries(places),
            "program": _check_program(places, env),
            "writable": _check_writable(places),
            "hooks": _check_runs(places, now),
            "compactions": _check_compactions(places),
            "receipts": _check_receipts(places),
            "folders": _check_folders(places, now),
            "archive": check_archive(places, clock),
            "settings": _check_settings(places),
        }
        for name, check in checks.items():
            if installed or name not in ("program", "hooks"):
                for said in _guarded(check):
                    yield said._replace(check=name)
        if server is not None:
            yield server.result()._replace(check="mcp")


def _guarded(check: Iterator[Finding]) -> Iterator[Finding]:
    try:
        yield from check
    except SeveralProjects as problem:
        yield Said("note", str(problem))
    except FileProblem as problem:
        yield Said("broken", str(problem), "Correct it, or move it away.")
    except OSError as error:
        yield Said("warning", f"{error.filename} cannot be read: {error.strerror}")


def _check_installed(places: Places, installed: bool) -> Iterator[Finding]:
    found = installing.installations(places)
    scopes = ", ".join(each.scope for each in found if each.enabled)
    if problem := installing.hooks_off(places):
        yield Said("broken", str(problem), "Correct it: without hooks nothing is captured.")
    elif scopes:
        yield Said("ok", f"The plugin is installed and enabled ({scopes})")
    elif installed:
        yield Said("ok", "The hooks are in Claude Code's settings")
    elif found:
        advice = f"Run: claude plugin enable {found[0].plugin}"
        yield Said("warning", "The plugin is installed, but not enabled", advice)
    else:
        recorded, advice = installing.recorded_program(places.home), "Run `memtui init`."
        with suppress(FileProblem):
            if recorded and (typed := installing.typed_lines(installing.plan_init(places))):
                advice = f"`memtui init` did its part. Type at Claude Code's prompt: {', then '.join(typed)}"
        message = "memtui is not installed into Claude Code: compactions leave no captures and lose all rules"
        yield Said("warning", message, advice)


def _check_entries(places: Places) -> Iterator[Finding]:
    if not any(each.enabled for each in installing.installations(places)):
        return
    advice = "`memtui init --replace` takes it out; `memtui uninstall` puts it back."
    for each in find_entries(places.claude, places.project.root):
        job = "this event" if each.job == ALL else f"the {each.job}"
        message = f"{each.event} in {each.path} runs {each.command!r}: the plugin leaves {job} to it"
        yield Said("note", message, advice)


def _check_program(places: Places, env: Mapping[str, str]) -> Iterator[Finding]:
    if found := find_program("memtui-hook", env.get("PATH")) or installing.recorded_program(places.home):
        yield Said("ok", f"Claude Code starts {found}")
    else:
        message = "memtui-hook is not on the PATH, and `memtui init` has recorded none that is there"
        yield Said("broken", message, "Run `memtui init` again.")


def _check_runs(places: Places, now: datetime) -> Iterator[Finding]:
    """Whether hooks ran in the newest session, in time and without a problem."""
    runs = read_runs(places.home.hook_log, places.project.root)
    newest = [each.session_id for each in TranscriptStore(places.project, places.claude).entries()[:1]]
    problems = [said for run in {run.event: run for run in runs}.values() if (said := _problem_of(run))]
    if not runs:
        advice = "Start a session of Claude Code here, in a folder that it trusts."
        yield Said("note", "No hook has run in this project yet", advice)
    elif newest and not any(run.session_id == newest[0] for run in runs):
        message = f"No hook ran in the newest session, {newest[0][:8]}"
        yield Said("warning", message, "Start Claude Code again; trust the folder if it asks.")
    elif problems:
        yield problems[0]
    else:
        moment, session = parse_iso(runs[-1].at), runs[-1].session_id
        when = age(moment, now) if moment else runs[-1].at
        events = ", ".join(dict.fromkeys(run.event for run in runs if run.session_id == session))
        yield Said("ok", f"Hooks ran in the newest session ({events}), last {when}")


def _problem_of(run: Run) -> Finding | None:
    if run.outcome != "ok":
        level: Level = "broken" if run.event == "pre-compact" else "warning"
        return Said(level, f"The last {run.event}: {run.outcome}", "Fix the cause if it repeats.")
    if run.ms > SLOW_MS:
        message = f"The last {run.event} took {run.ms} ms"
        return Said("warning", message, "Is one of the folders on a slow disk?")
    if "the plugin is of version" in run.detail:
        message = f"The plugin and memtui {__version__} are of different versions: {run.detail}"
        return Said("warning", message, "Run `claude plugin update memtui`, or update it.")
    return None


def _check_writable(places: Places) -> Iterator[Finding]:
    if problem := not_writable(places.project, places.home):
        advice = "What compactions leave out is lost until it can. MEMTUI_HOME names another home for memtui."
        yield Said("broken", str(problem), advice)
    else:
        yield Said("ok", "Captures, notes and states can be written")


def _check_compactions(places: Places) -> Iterator[Finding]:
    """Whether every auto-compaction in the transcripts has a capture."""
    refuse_several(places)
    captures, unreadable = CaptureStore(places.project).readable()
    found = coverage(TranscriptStore(places.project, places.claude).entries(), captures)
    total, missing = counted(len(found.compactions), "auto-compaction"), len(found.missing)
    if unreadable:
        yield Said("warning", str(unreadable[0]), "Correct it, or move it away.")
    elif missing:
        message = f"{total}, {counted(len(found.compactions) - missing, 'capture')}"
        yield Said("warning", message, "Run `memtui captures --backfill`.")
    else:
        yield Said("ok", f"{total}, all captured" if found.compactions else "No auto-compaction yet")


def _check_receipts(places: Places) -> Iterator[Finding]:
    known = [each for each in receipts_of(places) if each.arrival != "unknown"]
    if bad := [each for each in known if each.arrival != "whole"]:
        message = f"{len(bad)} of the last {len(known)} hand-overs did not arrive whole: {bad[0].label}"
        yield Said("warning", message, "`memtui doctor --receipts` lists them.")
    elif waiting := sum(waiting_here(places).values()):
        advice = "" if installing.has_all_hooks(places) else "No hook delivers them: run `memtui init`."
        yield Said("warning" if advice else "ok", lines_wait(waiting), advice)
    else:
        whole = f"All of the last {len(known)} hand-overs arrived whole"
        yield Said("ok", whole if known else "Nothing handed over yet")


def _check_folders(places: Places, now: datetime) -> Iterator[Finding]:
    """Whether captures, memories and states are private, and kept out of the repository."""
    compacts, root, home = places.project.compacts, places.project.root, places.home
    folders = (compacts, home.memories, home.states, home.state)
    seen = [each for each in folders if each.is_dir() and stat.S_IMODE(each.stat().st_mode) & 0o077]
    if not is_within(compacts, root):
        message = f"{compacts} leads out of the project through a symbolic link"
        yield Said("broken", message, "Make it a folder: memtui does not follow the link.")
    elif seen:
        advice = f"Run: chmod 700 {shlex.quote(str(seen[0]))}"
        yield Said("warning", f"Others can look into {seen[0]}", advice)
    elif compacts.is_dir() and git_sees(root, compacts / capture_name(now)):
        message = f"git may commit what is in {compacts}"
        yield Said("warning", message, "Put a .gitignore with one line, *, into it.")
    else:
        yield Said("ok", "Captures and memories are closed to others")


def check_archive(places: Places, clock: Clock) -> Iterator[Finding]:
    """Whether sessions are copied before Claude Code deletes them, and the last copies are whole."""
    try:
        settings = archive_settings(places.home)
    except FileProblem:
        return  # the settings' own check says it
    archive = Archive(places.home)
    entries, sessions = archive.entries(), SessionList(places, clock).entries()
    if not settings.keep:
        advice = "" if settings.keep is False else "i in the app asks, and so does `memtui init` without -y."
        yield Said("note", "Sessions are not kept automatically beyond Claude Code's days", advice)
        if not entries:
            return
    sample = entries[:3]
    damaged = [
        (each, damage)
        for each in entries
        if (damage := each.problem or (archive.verify(each) if each in sample else ""))
    ]
    if damaged:
        (first, damage), more = damaged[0], f", and {len(damaged) - 1} more" if damaged[1:] else ""
        message = f"{first.session_id[:8]} is ✗ incomplete: {damage}{more}"
        advice = "Run `memtui archive`, which completes what Claude Code still has."
        yield Said("broken", message, advice)
    ending = [each for each in sessions if each.days_left is not None and each.days_left <= _SOON]
    lost = [each for each in ending if not each.archived and not is_private(each.path, settings)]
    if lost and settings.keep:
        number = counted(len(lost), "session")
        message = f"Claude Code deletes {number} within {_SOON} days; there is no whole copy"
        yield Said("warning", message, "Run `memtui archive`.")
    if damaged or lost or not settings.keep:
        return
    total = sum(each.packed for each in entries)
    yield Said("ok", f"{counted(len(entries), 'session')} kept, {size_text(total)}")


def _check_settings(places: Places) -> Iterator[Finding]:
    """Whether the archive and the app can use config.toml; the app is asked in a child process."""
    path = config_path(places.home)
    if not path.exists():
        return
    archive_settings(places.home)
    command = [sys.executable, "-c", _SETTINGS, str(places.project.root), *map(str, places.home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    said = done.stdout.split("\n")[:-1] or done.stderr.strip().splitlines()[-1:]
    for each in filter(None, said):
        yield Said("warning", each, "Correct or remove it.")
    if not any(said):
        yield Said("ok", f"{path} is understood")


def _check_server(env: Mapping[str, str], record: Path) -> Finding:
    """Whether the MCP server answers, started as Claude Code does, with folders of its own."""
    advice = "Run `memtui mcp` to see why."
    with tempfile.TemporaryDirectory(prefix="memtui-doctor-") as folder:
        with suppress(OSError):  # the launcher reads it from these folders, too
            Path(folder, "data").mkdir()
            shutil.copy(record, f"{folder}/data")
        try:
            done = subprocess.run(
                [str(installing.FOLDER / "launch"), "mcp"],
                input=json.dumps(_HELLO) + "\n",
                text=True,
                env={**env, "MEMTUI_HOME": folder},
                cwd=folder,
                capture_output=True,
                timeout=_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Said("broken", f"The MCP server does not answer: {error}", advice)
    try:
        version = json.loads(done.stdout.partition("\n")[0])["result"]["serverInfo"]["version"]
    except (ValueError, KeyError, TypeError):
        why = "".join(f": {line}" for line in done.stderr.strip().splitlines()[-1:])
        return Said("broken", f"The MCP server does not answer{why}", advice)
    if version != __version__:
        message = f"Claude Code starts memtui {clean_line(str(version))}, this is {__version__}"
        return Said("warning", message, "Keep one of them on the PATH.")
    return Said("ok", "The MCP server answers")
