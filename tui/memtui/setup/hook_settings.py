"""memtui's hooks in the text of a Claude Code settings file: finding, adding, removing them.

Claude Code fact: settings are strict JSON; hooks are in ``hooks.<Event>[].hooks[]``, the lists of all
scopes add up. Only the text of our own entries is changed: order, indentation, line ends, byte order mark,
number formats and other hooks stay byte for byte.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from memtui.formats.json_spans import Span, items
from memtui.formats.json_text import (
    add_item,
    add_member,
    cut_items,
    cut_member,
    member,
    replace,
    root_of,
    style_of,
)
from memtui.hooks.time_limit import GRANTED_FOR_CAPTURE, GRANTED_SECONDS

EVENTS: Mapping[str, str] = {
    "PreCompact": "pre-compact",
    "PostCompact": "post-compact",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "UserPromptSubmit": "user-prompt-submit",
}
"""Claude Code's events that memtui handles, and their names on `memtui-hook`'s command line."""

PURPOSES: Mapping[str, str] = {
    "PreCompact": "before a compaction: writes the capture, gives the summariser pins and rules",
    "PostCompact": "after it: sees which pins the summary kept",
    "SessionStart": "after a compaction and /clear: hands notes, pins and rules to the session",
    "SessionEnd": "asks for the last version of the session's state",
    "UserPromptSubmit": "with a prompt: hands over what you rescued; registers a typed command",
}
"""The purpose of each hook, shown before the installation."""

ISOLATIONS = ("-I", "-P")
"""Options that shield the interpreter from modules in its folder: see `install`."""

# `exec`, so that the hook's parent is Claude Code and not a shell.
_SHARED = "if command -v memtui-hook >/dev/null 2>&1; then exec memtui-hook {event}; fi"
_MENTION = re.compile(rf"memtui(?:-hook|\.hooks)['\"]?\s+({'|'.join(EVENTS.values())})(?![\w-])")
_DEPTH = "is nested too deeply"


class SettingsProblem(ValueError):  # noqa: N818 - as FileProblem: a person's problem, not a bug
    """A text cannot be edited. The message is one clause without a subject, and names no file."""


class Hook(NamedTuple):
    """A hook command of a settings file that starts memtui."""

    event: str
    """Claude Code's event."""
    runs: str
    """The event on its command line: a value of `EVENTS`."""
    matcher: str
    command: str
    ours: bool
    """Whether `memtui init` wrote it; otherwise it is a custom command."""
    group: int
    place: int
    timeout: str = ""
    """The number as written, or ""."""

    @property
    def has_old_timeout(self) -> bool:
        """Whether it is ours, and still has the shorter limit of an earlier `init`."""
        return self.ours and self.timeout == str(GRANTED_SECONDS) != str(_granted(self.event))


class Installed(NamedTuple):
    """A text with our hooks in it."""

    text: str
    created: tuple[str, ...]
    """The objects made for them: ``hooks``, ``hooks.PreCompact``."""


def own_command(python: str, event: str, isolation: str = "-I") -> str:
    """The hook command with an absolute interpreter, for this machine."""
    return shlex.join([python, isolation, "-m", "memtui.hooks", event])


def shared_command(event: str) -> str:
    """The hook command for a team, which does nothing for members without memtui."""
    return _SHARED.format(event=event)


@lru_cache(maxsize=64)  # every change of a text asks anew for all of its hooks
def interpreter_of(command: str) -> str:
    """The interpreter of an `own_command`; "" for anything else."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    fits = len(words) == 5 and words[1] in ISOLATIONS and words[2:4] == ["-m", "memtui.hooks"]
    # A command with shell syntax is not ours.
    return words[0] if fits and words[0].startswith("/") and shlex.join(words) == command else ""


def read_settings(text: str) -> dict[str, Any]:
    """The settings as JSON.

    Raises:
        SettingsProblem: it is not strict JSON, or not an object.
    """
    try:
        # Numbers stay texts: Python refuses very long ones, and none is needed here.
        value = json.loads(text.removeprefix("\ufeff"), parse_int=str, parse_constant=_refuse)
    except RecursionError:
        raise SettingsProblem(_DEPTH) from None
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise SettingsProblem(f"is not valid JSON{where}") from None
    if not isinstance(value, dict):
        raise SettingsProblem("is not a JSON object")
    return value


def find_hooks(text: str) -> list[Hook]:
    """All hooks that start memtui, in order. Malformed entries are skipped.

    Raises:
        SettingsProblem: see `read_settings`.
    """
    if not text.strip("\ufeff \t\r\n"):
        return []
    groups = read_settings(text).get("hooks")
    return [
        hook
        for event, listed in (groups.items() if isinstance(groups, dict) else ())
        for hook in _hooks_of(event, listed)
    ]


def install(text: str, commands: Mapping[str, str]) -> Installed:
    """The text with our hooks, each once; unchanged if it already has them.

    An entry of an earlier `init` gets the new command and time limit; a custom one is left as it is.

    Args:
        text: the settings; an empty one becomes a file.
        commands: the command of each of Claude Code's events.

    Raises:
        SettingsProblem: the text is not edited, because it is not what Claude Code accepts.
    """
    created: list[str] = []
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    _check(read_settings(text), commands)
    for event, command in commands.items():
        mine = [hook for hook in find_hooks(text) if hook.event == event and hook.runs == EVENTS.get(event)]
        ours = [hook for hook in mine if hook.ours]
        for double in reversed(ours[1:]):
            text = _cut(text, double, keep=("hooks", f"hooks.{event}"))
        if ours:
            text = _updated(text, ours[0], command)
        elif not mine:
            text = _added(text, event, command, created)
    return Installed(text, tuple(created))


def remove(text: str, created: Collection[str] | None = None) -> str:
    """The text without the hooks that `init` wrote, and without objects made for them that are now empty.

    Args:
        text: the settings.
        created: see `Installed.created`; None if unknown: then all empty ones are removed.

    Raises:
        SettingsProblem: see `read_settings`.
    """
    while hook := next((hook for hook in reversed(find_hooks(text)) if hook.ours), None):
        names = ("hooks", f"hooks.{hook.event}")
        text = _cut(text, hook, keep=() if created is None else set(names).difference(created))
    return text


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _check(settings: dict[str, Any], events: Collection[str]) -> None:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise SettingsProblem("has 'hooks' that are not an object")
    for event in events:
        if not isinstance(hooks.get(event, []), list):
            raise SettingsProblem(f"has hooks of {event} that are not a list")


def _hooks_of(event: str, listed: Any) -> list[Hook]:
    found = []
    for number, group in enumerate(listed if isinstance(listed, list) else ()):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            if hook := _hook(event, group.get("matcher"), handler, number, place):
                found.append(hook)
    return found


def _hook(event: str, matcher: Any, handler: Any, group: int, place: int) -> Hook | None:
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return None
    words = handler.get("args")
    if isinstance(words, list):  # Claude Code's other form, without a shell
        command = " ".join([command, *(word for word in words if isinstance(word, str))])
    mention = _MENTION.search(command)
    if mention is None:
        return None
    ours = command == shared_command(mention[1]) or bool(interpreter_of(command))
    matcher = matcher if isinstance(matcher, str) else ""
    timeout = handler.get("timeout")
    timeout = timeout if isinstance(timeout, str) else ""
    return Hook(event, mention[1], matcher, command, ours and words is None, group, place, timeout)


def _granted(event: str) -> int:
    """The `timeout` for the hook of an event; any value lifts SessionEnd's 1.5 s (Claude Code fact)."""
    return GRANTED_FOR_CAPTURE if event == "PreCompact" else GRANTED_SECONDS


def _added(text: str, event: str, command: str, created: list[str]) -> str:
    style = style_of(text)
    handler = {"type": "command", "command": command, "timeout": _granted(event)}
    for_event = [{"matcher": "", "hooks": [handler]}]
    root = root_of(text)
    hooks = member(text, root, "hooks")
    if hooks is None:
        created += ["hooks", f"hooks.{event}"]
        return add_member(text, root, "hooks", {event: for_event}, style)
    groups = member(text, hooks.value.start, event)
    if groups is None:
        created.append(f"hooks.{event}")
        return add_member(text, hooks.value.start, event, for_event, style)
    return add_item(text, groups.value.start, for_event[0], style)


class _Where(NamedTuple):
    """The offsets of a hook and of the values around it."""

    root: int
    hooks: int
    groups: int
    handlers: int
    handler: Span


def _where(text: str, hook: Hook) -> _Where:
    root = root_of(text)
    hooks = _value(text, root, "hooks")
    groups = _value(text, hooks, hook.event)
    group = list(items(text, groups))[hook.group]
    handlers = _value(text, group.start, "hooks")
    return _Where(root, hooks, groups, handlers, list(items(text, handlers))[hook.place])


def _value(text: str, at: int, key: str) -> int:
    found = member(text, at, key)
    assert found is not None
    return found.value.start


def _updated(text: str, hook: Hook, command: str) -> str:
    handler = _where(text, hook).handler.start
    wanted: dict[str, Any] = {} if hook.command == command else {"command": command}
    if hook.has_old_timeout:
        wanted["timeout"] = _granted(hook.event)
    # The last one first, so that the places of the others stay.
    found = [(place, value) for key, value in wanted.items() if (place := member(text, handler, key))]
    for place, value in sorted(found, key=lambda each: each[0].value, reverse=True):
        text = replace(text, place.value, value)
    return text


def _cut(text: str, hook: Hook, *, keep: Collection[str]) -> str:
    """The text without a hook, and without objects that become empty, except for `keep`."""
    where = _where(text, hook)
    if len(list(items(text, where.handlers))) > 1:
        return cut_items(text, where.handlers, (hook.place,))
    if len(list(items(text, where.groups))) > 1 or f"hooks.{hook.event}" in keep:
        return cut_items(text, where.groups, (hook.group,))
    text = cut_member(text, where.hooks, hook.event)
    if read_settings(text).get("hooks") == {} and "hooks" not in keep:
        return cut_member(text, where.root, "hooks")
    return text
