"""Tool calls without a result, kept between two readings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memtui.transcript.events import Call
from memtui.transcript.records import Source

CARRIED = 50
"""The most calls kept, the last ones."""
_TEXT = 60_000


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call without its result, to be continued."""

    id: str
    name: str
    input: dict[str, Any]
    agent: str
    folder: str
    source: Source
    own: bool


def waiting_call(call: Call, folder: str, source: Source, own: bool) -> WaitingCall:
    """A call made in `folder` by the session itself (`own`) or by a subagent, its arguments shortened."""
    return WaitingCall(call.id, call.name, _light(call.input), call.agent, folder, source, own)


def _light(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call that its result may need, texts cut to the size of a plan."""
    light: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, str):
            light[name] = value[:_TEXT]
        elif isinstance(value, bool | int) or name in ("questions", "todos"):
            light[name] = value
    return light
