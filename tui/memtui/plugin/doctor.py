"""The doctor: what works, told by outcomes. Every check is one line, with what to do about it."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memtui import __version__
from memtui.documents.capture import Capture
from memtui.documents.capture_text import capture_name
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock, age, parse_iso
from memtui.ground.config import config_path
from memtui.ground.files import FileProblem, is_within
from memtui.ground.git import git_sees
from memtui.ground.machine import find_program, native_tools, silent_file_system
from memtui.ground.project import Places
from memtui.hooks.in_force import command_statuses
from memtui.hooks.records import Run, read_runs
from memtui.hooks.settings import ALL, find_entries, not_writable
from memtui.plugin.installing import FOLDER, has_all_hooks, hooks_off, installations, recorded_program
from memtui.plugin.receipts import receipts_of
from memtui.store.archive import Archive, is_private, sessions_text
from memtui.store.archive_settings import archive_settings
from memtui.store.backfill import coverage
from memtui.store.captures import CaptureProblem, CaptureStore
from memtui.store.commands_file import CommandsFile, normalised
from memtui.store.session_list import SessionList, size_text
from memtui.store.transcripts import TranscriptStore

SLOW_MS = 1_000
"""Milliseconds above which a hook is noticeably slow."""

_LONG = timedelta(days=7)
_SOON = 7
_SAMPLE = 3
_RECENT = 20
_SECONDS = 30.0
_SETTINGS = """
import sys
from pathlib import Path
from memtui.app.app import misread
from memtui.ground.project import Home, Places, Project

root, *folders = map(Path, sys.argv[1:])
print(misread(Places(Project(root), Home(*folders), root)))
"""
_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "memtui doctor", "version": __version__},
    },
}


class Level(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    NOTE = "note"
    """A remark."""
    WARNING = "warning"
    """Data is lost, or will be."""
    BROKEN = "broken"
    """An installed part does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    check: str
    """The name of the check, in one word."""
    level: Level
    message: str
    advice: str = ""


def diagnose(
    places: Places, clock: Clock, env: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> Iterator[Finding]:
    """Run all checks; yields each finding as soon as it is known. Nothing is changed."""
    now = clock()
    installed = has_all_hooks(places)
    with ThreadPoolExecutor(1) as pool:  # a server takes longer to start than all other checks together
        server = pool.submit(_check_server, env) if installed else None
        yield _check_installed(places, installed)
        yield from _check_entries(places)
        if installed:
            yield _check_program(places, env)
        yield _check_writable(places)
        checks = (_check_compactions, _check_receipts, _check_pending, _check_folders)
        for check in (_check_runs, *checks) if installed else checks:
            yield _guarded(check, places, now)
        yield from _check_active(places, installed)
        yield from check_archive(places, clock)
        yield from _check_settings(places)
        yield _check_clipboard(env, platform)
        yield _check_watching(places)
        if server is not None:
            yield server.result()


def _guarded(check: Callable[[Places, datetime], Finding], places: Places, now: datetime) -> Finding:
    try:
        return check(places, now)
    except FileProblem as problem:
        return Finding(check.__name__.removeprefix("_check_"), Level.BROKEN, str(problem))
    except OSError as error:
        message = f"{error.filename} cannot be read: {error.strerror}"
        return Finding(check.__name__.removeprefix("_check_"), Level.WARNING, message)


def _check_installed(places: Places, installed: bool) -> Finding:
    """Installed and enabled, by settings that Claude Code can read."""
    check = "installed"
    if problem := hooks_off(places):
        return Finding(check, Level.BROKEN, str(problem), "Correct it: without hooks nothing is captured.")
    found = installations(places)
    if any(each.enabled for each in found):
        scopes = ", ".join(each.scope for each in found if each.enabled)
        return Finding(check, Level.OK, f"The plugin is installed and enabled ({scopes})")
    if installed:
        return Finding(check, Level.OK, "The hooks are in Claude Code's settings")
    if found:
        advice = f"Run: claude plugin enable {found[0].plugin}"
        return Finding(check, Level.WARNING, "The plugin is installed, but not enabled", advice)
    message = "memtui is not installed into Claude Code: compactions leave no captures and lose all rules"
    return Finding(check, Level.WARNING, message, "Run `memtui init`.")


def _check_entries(places: Places) -> Iterator[Finding]:
    """Entries of the settings that do a job of the plugin's hooks."""
    if not any(each.enabled for each in installations(places)):
        return
    advice = "`memtui init --replace` takes it out; `memtui uninstall` puts it back."
    for each in find_entries(places.claude, places.project.root):
        job = "this event" if each.job == ALL else f"the {each.job}"
        message = f"{each.event} in {each.path} runs {each.command!r}: the plugin leaves {job} to it"
        yield Finding("entries", Level.NOTE, message, advice)


def _check_program(places: Places, env: Mapping[str, str]) -> Finding:
    found = find_program("memtui-hook", env.get("PATH")) or recorded_program(places.home)
    if found:
        return Finding("program", Level.OK, f"Claude Code starts {found}")
    message = "memtui-hook is not on the PATH, and `memtui init` has recorded none that is there"
    return Finding("program", Level.BROKEN, message, "Run `memtui init` again.")


def _check_runs(places: Places, now: datetime) -> Finding:
    """Whether hooks ran in the newest session, in time and without a problem."""
    check = "hooks"
    runs = [run for run in read_runs(places.home.hook_log) if run.project == str(places.project.root)]
    transcripts = TranscriptStore(places.project, places.claude).entries()
    if not runs:
        advice = "Start a session of Claude Code here, in a folder that it trusts."
        return Finding(check, Level.NOTE, "No hook has run in this project yet", advice)
    if transcripts and not any(run.session_id == transcripts[0].session_id for run in runs):
        message = f"No hook ran in the newest session, {transcripts[0].session_id[:8]}"
        return Finding(check, Level.WARNING, message, "Start Claude Code again; trust the folder if it asks.")
    last_runs = {run.event: run for run in runs}.values()
    if problem := next((each for each in map(_problem_of, last_runs) if each), None):
        return problem
    moment = parse_iso(runs[-1].at)
    when = age(moment, now) if moment else runs[-1].at
    events = ", ".join(dict.fromkeys(run.event for run in runs if run.session_id == runs[-1].session_id))
    return Finding(check, Level.OK, f"Hooks ran in the newest session ({events}), last {when}")


def _check_writable(places: Places) -> Finding:
    """Whether what a compaction leaves behind can be written."""
    problem = not_writable(places.project, places.home)
    if problem is None:
        return Finding("writable", Level.OK, "Captures, notes and states can be written")
    advice = "What compactions leave out is lost until it can. MEMTUI_HOME names another home for memtui."
    return Finding("writable", Level.BROKEN, str(problem), advice)


def _problem_of(run: Run) -> Finding | None:
    if run.outcome != "ok":
        level = Level.BROKEN if run.event == "pre-compact" else Level.WARNING
        return Finding("hooks", level, f"The last {run.event}: {run.outcome}", "Fix the cause if it repeats.")
    if run.ms > SLOW_MS:
        message = f"The last {run.event} took {run.ms} ms"
        return Finding("hooks", Level.WARNING, message, "Is one of the folders on a slow disk?")
    if "the plugin is of version" in run.detail:
        message = f"The plugin and memtui {__version__} are of different versions: {run.detail}"
        return Finding("hooks", Level.WARNING, message, "Run `claude plugin update memtui`, or update it.")
    return None


def _check_compactions(places: Places, now: datetime) -> Finding:
    """Whether every auto-compaction in the transcripts has a capture."""
    captures, unreadable = _captures(places)
    if unreadable:
        return Finding("compactions", Level.WARNING, unreadable[0], "Correct it, or move it away.")
    found = coverage(TranscriptStore(places.project, places.claude).entries(), captures)
    total, missing = len(found.compactions), len(found.missing)
    if not missing:
        message = f"{_count(total, 'auto-compaction')}, all captured" if total else "No auto-compaction yet"
        return Finding("compactions", Level.OK, message)
    message = f"{_count(total, 'auto-compaction')}, {_count(total - missing, 'capture')}"
    return Finding("compactions", Level.WARNING, message, "Run `memtui captures --backfill`.")


def _check_pending(places: Places, now: datetime) -> Finding:
    pending = [each.timestamp for each in _captures(places)[0] if each.status == "pending"]
    waiting = [moment for moment in pending if now - moment > _LONG]
    if not waiting:
        return Finding("pending", Level.OK, f"{_count(len(pending), 'capture')} pending")
    message = f"{_count(len(waiting), 'capture')} pending for more than 7 days"
    return Finding("pending", Level.NOTE, message, "Review in memtui, or with /review-compact.")


def _captures(places: Places) -> tuple[list[Capture], list[str]]:
    store = CaptureStore(places.project)
    loaded, problems = [], []
    for entry in store.entries():
        try:
            loaded.append(store.load(entry))
        except CaptureProblem as problem:
            problems.append(str(problem))
    return loaded, problems


def _check_receipts(places: Places, now: datetime) -> Finding:
    known = [each for each in receipts_of(places) if each.arrival != "unknown"]
    bad = [each for each in known if each.arrival != "whole"]
    if bad:
        message = f"{len(bad)} of the last {len(known)} hand-overs did not arrive whole: {bad[0].label}"
        return Finding("receipts", Level.WARNING, message, "`memtui doctor --receipts` lists them.")
    message = f"All of the last {len(known)} hand-overs arrived whole" if known else "Nothing handed over yet"
    return Finding("receipts", Level.OK, message)


def _check_folders(places: Places, now: datetime) -> Finding:
    """Whether captures, memories and states are private, and kept out of the repository."""
    compacts, root, home = places.project.compacts, places.project.root, places.home
    if not is_within(compacts, root):
        message = f"{compacts} leads out of the project through a symbolic link"
        return Finding("folders", Level.BROKEN, message, "Make it a folder: memtui does not follow the link.")
    for folder in (compacts, home.memories, home.states, home.state):
        if folder.is_dir() and stat.S_IMODE(folder.stat().st_mode) & 0o077:
            advice = f"Run: chmod 700 {shlex.quote(str(folder))}"
            return Finding("folders", Level.WARNING, f"Others can look into {folder}", advice)
    if compacts.is_dir() and git_sees(root, compacts / capture_name(now)):
        message = f"git may commit what is in {compacts}"
        return Finding("folders", Level.WARNING, message, "Put a .gitignore with one line, *, into it.")
    return Finding("folders", Level.OK, "Captures and memories are closed to others")


def _check_active(places: Places, installed: bool) -> Iterator[Finding]:
    """Whether every active command has a file with a compact summary."""
    commands = CommandsFile(places.project)
    try:
        statuses = command_statuses(commands, commands.entries())
    except FileProblem as problem:
        yield Finding("active", Level.WARNING, str(problem), "Correct it, or move it away.")
        return
    good = []
    for entry, _, why_not, shortage in statuses:
        plain = normalised(entry.name)
        if why_not:
            advice = f"Clear it with `memtui command clear {shlex.quote(plain)}`, or write that file."
            yield Finding("active", Level.WARNING, f"/{plain} is active, but {why_not}", advice)
        elif shortage:
            advice = "Put what matters most first, and under headings: every part keeps its first lines."
            yield Finding("active", Level.WARNING, f"The rules of /{plain} have {shortage}", advice)
        else:
            good.append(f"/{plain}")
    if good and installed:
        yield Finding("active", Level.OK, f"{', '.join(good)}: the rules outlive a compaction")


def check_archive(places: Places, clock: Clock) -> Iterator[Finding]:
    """Whether sessions are copied before Claude Code deletes them, and the last copies are whole."""
    check = "archive"
    try:
        settings = archive_settings(places.home)
    except FileProblem:
        return  # the settings' own check says it
    try:
        archive = Archive(places.home)
        entries = archive.entries()
        sessions = SessionList(places, clock).entries()
    except FileProblem as problem:
        yield Finding(check, Level.BROKEN, str(problem))
        return
    if not settings.keep:
        advice = "" if settings.keep is False else "i in the app asks, and so does `memtui init`."
        yield Finding(check, Level.NOTE, "Sessions are not kept beyond Claude Code's days", advice)
        if not entries:
            return
    sample = entries[:_SAMPLE]
    damaged = [
        (each, damage)
        for each in entries
        if (damage := each.problem or (archive.verify(each) if each in sample else ""))
    ]
    if damaged:
        (first, damage), more = damaged[0], f", and {len(damaged) - 1} more" if damaged[1:] else ""
        message = f"{first.session_id[:8]} is ✗ incomplete: {damage}{more}"
        advice = "Run `memtui archive`, which completes what Claude Code still has."
        yield Finding(check, Level.BROKEN, message, advice)
    ending = [each for each in sessions if each.days_left is not None and each.days_left <= _SOON]
    lost = [each for each in ending if not each.archived and not is_private(each.path, settings)]
    if lost and settings.keep:
        number = sessions_text(len(lost))
        message = f"Claude Code deletes {number} within {_SOON} days; there is no whole copy"
        yield Finding(check, Level.WARNING, message, "Run `memtui archive`.")
    if damaged or lost or not settings.keep:
        return
    total = sum(each.packed for each in entries)
    message = f"{sessions_text(len(entries))} kept, {size_text(total)}"
    if total > settings.budget:
        advice = "Run `memtui archive prune --max-size`, or raise [archive] budget_gb."
        yield Finding(check, Level.WARNING, f"{message}: more than {size_text(settings.budget)}", advice)
    else:
        yield Finding(check, Level.OK, message)


def _check_clipboard(env: Mapping[str, str], platform: str) -> Finding:
    tools = native_tools(env, platform)
    there = [tool.name for tool in tools if find_program(tool.argv[0], env.get("PATH"))]
    if there or env.get("TMUX"):
        how = there[0] if there else "the tmux buffer (paste with prefix ])"
        return Finding("clipboard", Level.OK, f"Copies with {how}")
    message = "Copies are sent to the terminal (OSC 52), which cannot confirm them"
    names = " or ".join(tool.name for tool in tools)
    return Finding("clipboard", Level.NOTE, message, f"Install {names} to be sure." if names else "")


def _check_watching(places: Places) -> Finding:
    if silent := silent_file_system(str(places.project.root)):
        message = f"The project lies on {silent}, which reports no changes: the app looks every 2 seconds"
        return Finding("watching", Level.NOTE, message)
    return Finding("watching", Level.OK, "The file system reports changes")


def _check_settings(places: Places) -> Iterator[Finding]:
    """Whether config.toml is understood by the archive, which keeps nothing else, and by the app.

    The app is a process of its own, as it takes long to import.
    """
    path = config_path(places.home)
    if not path.exists():
        return
    try:
        archive_settings(places.home)
    except FileProblem as problem:
        yield Finding("settings", Level.BROKEN, str(problem), "Correct it: until then no session is kept.")
        return
    command = [sys.executable, "-c", _SETTINGS, str(places.project.root), *map(str, places.home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if said := (done.stdout or done.stderr).strip():
        yield Finding("settings", Level.WARNING, said.splitlines()[-1], "Correct or remove it.")
    else:
        yield Finding("settings", Level.OK, f"{path} is understood")


def _check_server(env: Mapping[str, str]) -> Finding:
    """Whether the MCP server answers, started as Claude Code does, with folders of its own."""
    advice = "Run `memtui mcp` to see why."
    with tempfile.TemporaryDirectory(prefix="memtui-doctor-") as folder:
        try:
            done = subprocess.run(
                [str(FOLDER / "launch"), "mcp"], input=json.dumps(_HELLO) + "\n", text=True,
                env={**env, "MEMTUI_HOME": folder}, cwd=folder, capture_output=True, timeout=_SECONDS,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return Finding("mcp", Level.BROKEN, f"The MCP server does not answer: {error}", advice)
    try:
        server = json.loads(done.stdout.partition("\n")[0])["result"]["serverInfo"]
        version = server["version"]
    except (ValueError, KeyError, TypeError):
        said = done.stderr.strip().splitlines()
        why = f": {said[-1]}" if said else ""
        return Finding("mcp", Level.BROKEN, f"The MCP server does not answer{why}", advice)
    if version != __version__:
        message = f"Claude Code starts memtui {clean_line(str(version))}, this is {__version__}"
        return Finding("mcp", Level.WARNING, message, "Keep one of them on the PATH.")
    return Finding("mcp", Level.OK, "The MCP server answers")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
