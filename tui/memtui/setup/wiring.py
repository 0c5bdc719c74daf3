"""Checks of the wiring into Claude Code: settings can be read, each hook is there once, its command runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.files import FileOutside, FileProblem
from memtui.project import memtui_home
from memtui.setup.changes import read, text_of
from memtui.setup.findings import Finding, Level
from memtui.setup.places import Places, Scope
from memtui.setup.settings import (
    EVENTS,
    Hook,
    SettingsProblem,
    find_hooks,
    interpreter_of,
    read_settings,
)

BARE_PATH = "/usr/bin:/bin"
"""What a hook may count on: Claude Code is not always started from a shell (Claude Code fact)."""

_SECONDS = 5.0
_EVERYTHING = ("", "*")


@dataclass(frozen=True, slots=True)
class Wired:
    """One scope's settings as they are."""

    scope: Scope
    path: Path
    hooks: tuple[Hook, ...] = ()
    settings: Mapping[str, Any] | None = None
    """None when there is no such file, or none that can be used."""
    problem: str = ""
    """Why it cannot be used."""
    outside: bool = False
    """It is only memtui that does not follow the link to it."""


def look(places: Places) -> tuple[Wired, ...]:
    """The settings of all scopes. Never raises: a problem is told in its place."""
    return tuple(_look(places, scope) for scope in Scope)


def is_wired(places: Places) -> bool:
    """Whether every event starts memtui, from whatever scope."""
    hooks = [hook for wired in look(places) for hook in wired.hooks]
    return all(any(_fits(hook, event) for hook in hooks) for event in EVENTS)


def check_settings(all_wired: tuple[Wired, ...]) -> Iterator[Finding]:
    """Whether Claude Code can read the settings, and runs hooks at all."""
    sound = True
    for wired in all_wired:
        if wired.problem:
            sound = False
            level = Level.WARNING if wired.outside else Level.BROKEN
            advice = "" if wired.outside else "Claude Code skips such a file; correct it."
            yield Finding("settings", level, f"{wired.path} {wired.problem}", advice)
        elif wired.settings is not None and wired.settings.get("disableAllHooks") is True:
            sound = False
            yield Finding(
                "settings",
                Level.BROKEN,
                f"{wired.path} turns all hooks off",
                "Remove disableAllHooks from it.",
            )
    if sound:
        number = sum(wired.settings is not None for wired in all_wired)
        files = {0: "No settings file yet", 1: "The one settings file"}.get(
            number, f"All {number} settings files"
        )
        yield Finding("settings", Level.OK, files + (" can be read" if number else ""))


def check_hooks(all_wired: tuple[Wired, ...]) -> Iterator[Finding]:
    """Whether each event starts memtui once."""
    found = {
        event: {
            hook.command: (wired, hook) for wired in all_wired for hook in wired.hooks if _fits(hook, event)
        }
        for event in EVENTS
    }
    if not any(found.values()):
        yield Finding(
            "hooks",
            Level.WARNING,
            "memtui is not installed into Claude Code: compactions leave no captures",
            "Run `memtui init`.",
        )
        return
    once = [event for event, hooks in found.items() if len(hooks) == 1]
    if once:
        scopes = dict.fromkeys(str(wired.scope) for event in once for wired, _ in found[event].values())
        level = Level.OK
        yield Finding("hooks", level, f"{', '.join(once)}: memtui runs once ({', '.join(scopes)} settings)")
    for event, hooks in found.items():
        if not hooks:
            yield Finding(
                "hooks",
                Level.BROKEN,
                f"{event} does not start memtui",
                "Run `memtui init` for what is missing.",
            )
        elif len(hooks) > 1:
            places = " and ".join(dict.fromkeys(str(wired.path) for wired, _ in hooks.values()))
            advice = "Keep one: `memtui uninstall` takes --project, --shared or --user."
            yield Finding(
                "hooks", Level.WARNING, f"{event} starts memtui {len(hooks)} times: {places}", advice
            )
        for _, hook in hooks.values():
            if hook.matcher not in _EVERYTHING:
                message = f"{event} starts memtui only where '{hook.matcher}' matches"
                yield Finding("hooks", Level.NOTE, message, 'An empty matcher ("") takes all.')


def check_commands(
    all_wired: tuple[Wired, ...], places: Places, env: Mapping[str, str] = os.environ
) -> Iterator[Finding]:
    """Whether each hook's command runs, as Claude Code runs it."""
    for wired in all_wired:
        ours = {hook.command: hook for hook in wired.hooks if hook.ours}
        answers = {hook.runs: _try(hook, places, env) for hook in ours.values()}
        good = [name for name, finding in answers.items() if finding is None]
        if good:
            yield Finding(
                "commands", Level.OK, f"{', '.join(good)}: the {wired.scope} settings' commands run"
            )
        for finding in answers.values():
            if finding is not None:
                yield finding
        for hook in wired.hooks:
            if not hook.ours:
                message = (
                    f"{hook.event} in {wired.path} starts memtui in words of your own; they are not tried"
                )
                yield Finding("commands", Level.NOTE, message)


def probe(command: str, path: str) -> str:
    """Run a hook's command as Claude Code does, on an empty input and with folders of its own.

    Args:
        command: the command.
        path: its search path; of the environment nothing else is passed on.

    Returns:
        "" when it came to its end in time and has written its log, else why not.
    """
    with tempfile.TemporaryDirectory(prefix="memtui-doctor-") as folder:
        env = {"PATH": path, "HOME": folder, "MEMTUI_HOME": folder}
        with subprocess.Popen(
            ["/bin/sh", "-c", command],
            env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                _, errors = process.communicate(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return f"does not end within {_SECONDS:.0f} s"
        if process.returncode:
            said = errors.decode("utf-8", "replace").strip().splitlines()
            return f"ends with {process.returncode}" + (f": {said[-1]}" if said else "")
        return "" if memtui_home(env).hook_log.exists() else "does not start memtui"


def _look(places: Places, scope: Scope) -> Wired:
    try:
        target = places.settings(scope)
        data = read(target)
        text = text_of(data, target.path)
        settings = read_settings(text) if text.strip("\ufeff \t\r\n") else {}
        hooks = tuple(find_hooks(text))
    except FileProblem as problem:
        reason = problem.reason.removeprefix("is not edited: it ")
        return Wired(scope, problem.path, problem=reason, outside=isinstance(problem, FileOutside))
    except SettingsProblem as problem:
        return Wired(scope, target.path, problem=str(problem))
    return Wired(scope, target.path, hooks, None if data is None else settings)


def _fits(hook: Hook, event: str) -> bool:
    return hook.event == event and hook.runs == EVENTS[event]


def _try(hook: Hook, places: Places, env: Mapping[str, str]) -> Finding | None:
    """What is wrong with a hook's command; None when it runs."""
    interpreter = interpreter_of(hook.command)
    name = f"The command of {hook.event}"
    if interpreter and _is_planted(interpreter, places):
        advice = "If that is yours, run `memtui init` with it."
        message = f"{name} uses {interpreter}, which lies in the project; it was not tried"
        return Finding("commands", Level.WARNING, message, advice)
    why = probe(hook.command, BARE_PATH)
    if not why:
        return None
    if interpreter:
        return Finding(
            "commands", Level.BROKEN, f"{name} {why}", "Run `memtui init` again, from where memtui is."
        )
    if not probe(hook.command, env.get("PATH", "")):
        message = f"{name} runs with this shell's PATH, but not with a bare one ({BARE_PATH})"
        return Finding(
            "commands", Level.NOTE, message, "Start Claude Code from such a shell, or use `memtui init`."
        )
    advice = (
        "Put memtui-hook on the PATH, for instance with `pipx install memtui` or `uv tool install memtui`."
    )
    return Finding("commands", Level.BROKEN, f"{name} {why}", advice)


def _is_planted(interpreter: str, places: Places) -> bool:
    """Whether a cloned project may have brought this interpreter along; nothing from there is started."""
    if interpreter == sys.executable:
        return False
    root = os.path.realpath(places.project.root)
    return any(Path(each).is_relative_to(root) for each in (interpreter, os.path.realpath(interpreter)))
