"""The user's approval of memtui's MCP server, in their local settings.

Claude Code fact: a server of a project's ``.mcp.json`` is not started before it is approved; ``-p`` and
remote runs never ask. ``enabledMcpjsonServers`` approves by name, which a repository cannot do for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from memtui.formats.json_text import add_item, add_member, cut_items, cut_member, member, root_of, style_of
from memtui.setup.hook_settings import Installed, SettingsProblem, read_settings
from memtui.setup.mcp_entry import NAME

APPROVED = "enabledMcpjsonServers"
_REFUSED = "disabledMcpjsonServers"
_ALL = "enableAllProjectMcpServers"
_OURS = f"{APPROVED}.{NAME}"
"""In `Installed.created`: the name was not in the list before."""


def is_approved(settings: Mapping[str, Any]) -> bool:
    """Whether these settings approve the server."""
    return settings.get(_ALL) is True or NAME in _listed(settings, APPROVED)


def is_refused(settings: Mapping[str, Any]) -> bool:
    """Whether these settings refuse the server."""
    return NAME in _listed(settings, _REFUSED)


def approve(text: str) -> Installed:
    """The text with our server approved; unchanged if it is already approved or refused.

    Raises:
        SettingsProblem: the text is not edited, because it is not what Claude Code accepts.
    """
    settings = read_settings(text)
    if is_approved(settings) or is_refused(settings):
        return Installed(text, ())
    found = member(text, root_of(text), APPROVED)
    if found is None:
        added = add_member(text, root_of(text), APPROVED, [NAME], style_of(text))
        return Installed(added, (APPROVED, _OURS))
    if not isinstance(settings[APPROVED], list):
        raise SettingsProblem(f"has '{APPROVED}' that are not a list")
    return Installed(add_item(text, found.value.start, NAME, style_of(text)), (_OURS,))


def withdraw(text: str, created: Collection[str] | None) -> str:
    """The text without the approval that `init` gave.

    Args:
        text: the settings.
        created: see `Installed.created`; None if unknown: then any approval of our server is removed.

    Raises:
        SettingsProblem: see `read_settings`.
    """
    listed = _listed(read_settings(text), APPROVED)
    if NAME not in listed or (created is not None and _OURS not in created):
        return text
    found = member(text, root_of(text), APPROVED)
    assert found is not None
    if len(listed) == 1 and (created is None or APPROVED in created):
        return cut_member(text, root_of(text), APPROVED)
    return cut_items(text, found.value.start, (listed.index(NAME),))


def _listed(settings: Mapping[str, Any], name: str) -> list[Any]:
    value = settings.get(name)
    return value if isinstance(value, list) else []
