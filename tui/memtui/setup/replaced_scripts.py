"""The scripts that memtui's hooks replace, in Claude Code's settings.

Seed 001 captures with ``precompact-capture.sh``; seed 002 has ``precompact-context.sh`` and
``clear-active-command.js``. Run in addition to memtui's hooks, each of them repeats their work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from memtui.formats.json_spans import items
from memtui.formats.json_text import add_item, add_member, cut_items, member, root_of, style_of
from memtui.setup.hook_settings import Installed, read_settings

_NAMES = r"precompact-capture\.sh|precompact-context\.sh|clear-active-command\.js"
_SCRIPT = re.compile(rf"(?:^|[\s/\\'\"])({_NAMES})\b")
_WAS = "was:"
"""Prefix of an entry of `Installed.created`: an event and a removed group of hooks, as JSON."""


class Original(NamedTuple):
    """An entry that starts one of the scripts."""

    event: str
    script: str
    group: int
    place: int


def find_originals(text: str) -> list[Original]:
    """The entries that start one of the scripts, in order.

    Raises:
        SettingsProblem: see `read_settings`.
    """
    hooks = read_settings(text).get("hooks") if text.strip("\ufeff \t\r\n") else None
    found = []
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if script := _script(handler):
                    found.append(Original(event, script, number, place))
    return found


def replace_scripts(text: str) -> Installed:
    """The text without those entries; `Installed.created` has the data to restore them.

    Raises:
        SettingsProblem: see `read_settings`.
    """
    was = []
    for each in reversed(find_originals(text)):
        group = read_settings(text)["hooks"][each.event][each.group]
        kept = {**group, "hooks": [group["hooks"][each.place]]}
        was.append(_WAS + json.dumps([each.event, kept]))
        at = _groups(text, each.event)
        handlers = member(text, list(items(text, at))[each.group].start, "hooks")
        assert handlers is not None
        if len(group["hooks"]) > 1:
            text = cut_items(text, handlers.value.start, (each.place,))
        else:
            text = cut_items(text, at, (each.group,))
    return Installed(text, tuple(reversed(was)))


def restore_scripts(text: str, created: Collection[str] | None) -> str:
    """The text with the entries removed by `replace_scripts`, except for those added again meanwhile."""
    there = {(each.event, each.script) for each in find_originals(text)}
    for each in created or ():
        if not each.startswith(_WAS):
            continue
        event, group = json.loads(each.removeprefix(_WAS))
        if (event, _script(group["hooks"][0])) in there:
            continue
        style = style_of(text)
        hooks = member(text, root_of(text), "hooks")
        if hooks is None:
            text = add_member(text, root_of(text), "hooks", {event: [group]}, style)
        elif member(text, hooks.value.start, event) is None:
            text = add_member(text, hooks.value.start, event, [group], style)
        else:
            text = add_item(text, _groups(text, event), group, style)
    return text


def _groups(text: str, event: str) -> int:
    hooks = member(text, root_of(text), "hooks")
    assert hooks is not None
    groups = member(text, hooks.value.start, event)
    assert groups is not None
    return groups.value.start


def _script(handler: Any) -> str:
    command = handler.get("command") if isinstance(handler, dict) else None
    words = handler.get("args") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return ""
    if isinstance(words, list):
        command = " ".join([command, *(word for word in words if isinstance(word, str))])
    found = _SCRIPT.search(command)
    return found[1] if found else ""
