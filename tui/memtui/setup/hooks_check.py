"""Checks of the settings and hooks: settings are readable, each hook exists once, its command runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.ground.files import FileOutside, FileProblem
from memtui.ground.project import Places
from memtui.setup.claude_files import Scope, settings_file
from memtui.setup.command_probe import BARE_PATH, is_this_python, is_this_script, probe, why_not_tried
from memtui.setup.file_change import read, text_of
from memtui.setup.findings import Finding, broken, note, ok, warning
from memtui.setup.hook_settings import (
    EVENTS,
    Hook,
    SettingsProblem,
    find_hooks,
    interpreter_of,
    read_settings,
)
from memtui.setup.replaced_scripts import Original, find_originals

_EVERYTHING = ("", "*")


@dataclass(frozen=True, slots=True)
class HookSettings:
    """The settings of one scope."""

    scope: Scope
    path: Path
    hooks: tuple[Hook, ...] = ()
    originals: tuple[Original, ...] = ()
    """Entries that start the scripts replaced by memtui."""
    content: Mapping[str, Any] | None = None
    """None if the file is missing or unusable."""
    problem: str = ""
    """Why it cannot be used."""
    outside: bool = False
    """The file is behind a link that memtui does not follow."""


def read_all_settings(places: Places) -> tuple[HookSettings, ...]:
    """The settings of all scopes. Never raises: problems are in `HookSettings.problem`."""
    return tuple(_read_settings(places, scope) for scope in Scope)


def has_all_hooks(places: Places) -> bool:
    """Whether every event starts memtui, in any scope."""
    hooks = [hook for settings in read_all_settings(places) for hook in settings.hooks]
    return all(any(_fits(hook, event) for hook in hooks) for event in EVENTS)


def check_settings(all_settings: tuple[HookSettings, ...]) -> Iterator[Finding]:
    """Whether Claude Code can read the settings, and runs hooks at all."""
    sound = True
    for settings in all_settings:
        if settings.problem:
            sound = False
            message = f"{settings.path} {settings.problem}"
            advice = "Claude Code skips such a file; correct it."
            yield warning("settings", message) if settings.outside else broken("settings", message, advice)
        elif settings.content is not None and settings.content.get("disableAllHooks") is True:
            sound = False
            message = f"{settings.path} turns all hooks off"
            yield broken("settings", message, "Remove disableAllHooks from it.")
    if sound:
        number = sum(settings.content is not None for settings in all_settings)
        files = "The one settings file" if number == 1 else f"All {number} settings files"
        yield ok("settings", f"{files} can be read" if number else "There is no settings file yet")


def check_hooks(all_settings: tuple[HookSettings, ...]) -> Iterator[Finding]:
    """Whether each event starts memtui once."""
    found = {event: _starting(event, all_settings) for event in EVENTS}
    if not any(found.values()):
        message = "memtui is not installed into Claude Code: compactions leave no captures"
        yield warning("hooks", message, "Run `memtui init`.")
        return
    once = [event for event, hooks in found.items() if len(hooks) == 1]
    if once:
        scopes = dict.fromkeys(str(settings.scope) for event in once for settings, _ in found[event])
        yield ok("hooks", f"{', '.join(once)}: memtui runs once ({', '.join(scopes)} settings)")
    for event, hooks in found.items():
        if not hooks:
            message = f"{event} does not start memtui"
            yield broken("hooks", message, "Run `memtui init` for what is missing.")
        elif len(hooks) > 1:
            files = " and ".join(dict.fromkeys(str(settings.path) for settings, _ in hooks))
            advice = "Keep one: `memtui uninstall` takes --project, --shared or --user."
            yield warning("hooks", f"{event} starts memtui {len(hooks)} times: {files}", advice)
        for _, hook in hooks:
            if hook.matcher not in _EVERYTHING:
                message = f"{event} starts memtui only where '{hook.matcher}' matches"
                yield note("hooks", message, 'An empty matcher ("") takes all.')
            if hook.has_old_timeout:
                message = f"{event} has the time limit of an older memtui: {hook.timeout} seconds"
                yield note("hooks", message, "`memtui init` raises it, so that a busy machine loses nothing.")


def check_originals(all_settings: tuple[HookSettings, ...]) -> Iterator[Finding]:
    """Whether the scripts replaced by memtui's hooks still run."""
    if not any(settings.hooks for settings in all_settings):
        return
    for settings in all_settings:
        for event, script in dict.fromkeys((each.event, each.script) for each in settings.originals):
            message = f"{event} in {settings.path} starts {script}, too: what memtui does there is done twice"
            advice = "`memtui init` can take its place; `memtui uninstall` puts it back."
            yield warning("hooks", message, advice)


def check_commands(
    all_settings: tuple[HookSettings, ...], places: Places, env: Mapping[str, str] = os.environ
) -> Iterator[Finding]:
    """Whether each hook's command runs, as Claude Code runs it."""
    for settings in all_settings:
        ours = {hook.command: hook for hook in settings.hooks if hook.ours}
        with ThreadPoolExecutor() as pool:
            tried = pool.map(lambda hook: _try(hook, places, env), ours.values())
            answers = list(zip(ours.values(), tried, strict=True))
        good = [hook.runs for hook, finding in answers if finding is None]
        if good:
            yield ok("commands", f"{', '.join(good)}: the commands of the {settings.scope} settings run")
        yield from (finding for _, finding in answers if finding is not None)
        for hook in settings.hooks:
            if not hook.ours:
                message = f"{hook.event} in {settings.path} starts memtui by a custom command"
                yield note("commands", f"{message}, which was not tried")


def _read_settings(places: Places, scope: Scope) -> HookSettings:
    try:
        target = settings_file(places, scope)
        data = read(target)
        text = text_of(data, target.path)
        settings = read_settings(text) if text.strip("\ufeff \t\r\n") else {}
        hooks = tuple(find_hooks(text))
        originals = tuple(find_originals(text))
    except FileProblem as problem:
        reason = problem.reason.removeprefix("is not edited: it ")
        return HookSettings(scope, problem.path, problem=reason, outside=isinstance(problem, FileOutside))
    except SettingsProblem as problem:
        return HookSettings(scope, target.path, problem=str(problem))
    return HookSettings(scope, target.path, hooks, originals, None if data is None else settings)


def _fits(hook: Hook, event: str) -> bool:
    return hook.event == event and hook.runs == EVENTS[event]


def _starting(event: str, all_settings: tuple[HookSettings, ...]) -> list[tuple[HookSettings, Hook]]:
    """The hooks that start memtui at an event; Claude Code runs the same command in several files once."""
    found = {
        hook.command: (settings, hook)
        for settings in all_settings
        for hook in settings.hooks
        if _fits(hook, event)
    }
    return list(found.values())


def _try(hook: Hook, places: Places, env: Mapping[str, str]) -> Finding | None:
    """The problem with a hook's command; None if it runs."""
    name = f"The command of {hook.event}"
    interpreter = interpreter_of(hook.command)
    if not interpreter:
        return _try_shared(hook, name, env)
    if not os.path.lexists(interpreter):
        return broken(
            "commands", f"{name} uses {interpreter}, which does not exist", "Run `memtui init` again."
        )
    if not is_this_python(interpreter):
        message = f"{name} {why_not_tried(interpreter, places)}"
        return warning("commands", message, "If that is yours, run `memtui init` with it.")
    why = probe(hook.command, BARE_PATH)
    return broken("commands", f"{name} {why}", "Run `memtui init` again.") if why else None


def _try_shared(hook: Hook, name: str, env: Mapping[str, str]) -> Finding | None:
    """The same for a team's command, which finds `memtui-hook` on the search path."""
    path = env.get("PATH", "")
    advice = "Put memtui-hook on the PATH, for instance with `pipx install` or `uv tool install`."
    if is_this_script("memtui-hook", BARE_PATH):
        path = BARE_PATH
    elif not is_this_script("memtui-hook", path):
        found = shutil.which("memtui-hook", path=path)
        if found is None:
            return broken("commands", f"{name} finds no memtui-hook on the PATH", advice)
        return warning(
            "commands", f"{name} finds {found}, which is not this memtui's; it was not tried", advice
        )
    why = probe(hook.command, path)
    if why:
        return broken("commands", f"{name} {why}", advice)
    if path == BARE_PATH:
        return None
    message = f"{name} runs with this shell's PATH, but not with a bare one ({BARE_PATH})"
    advice = "Start Claude Code from such a shell, or run `memtui init` for yourself."
    return note("commands", message, advice)
