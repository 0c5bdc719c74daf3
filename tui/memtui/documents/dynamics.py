"""Conversation dynamics by structure alone: scripts, lengths and counts; N/A if unknown."""

from __future__ import annotations

import re

from memtui.documents.open_work import plan_in_force, unfinished_turn, waiting_for
from memtui.documents.sources import citation
from memtui.documents.user_requests import last_request, user_requests
from memtui.formats.session_state import Dynamics
from memtui.transcript.records import Facts, Turn

_WORDS = 20
"""Number of the user's last messages examined."""
_LEAST = 3
"""Minimum number of letters for a script to count."""
_SCRIPTS = (
    ("Japanese", re.compile(r"[\u3040-\u30ff]"), 0.05),
    ("Korean", re.compile(r"[\u1100-\u11ff\uac00-\ud7af]"), 0.05),
    ("Chinese", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"), 0.1),
    ("Cyrillic script", re.compile(r"[\u0400-\u04ff]"), 0.2),
    ("Greek script", re.compile(r"[\u0370-\u03ff]"), 0.2),
    ("Arabic script", re.compile(r"[\u0600-\u06ff]"), 0.2),
    ("Hebrew script", re.compile(r"[\u0590-\u05ff]"), 0.2),
    ("Devanagari", re.compile(r"[\u0900-\u097f]"), 0.2),
    ("Thai", re.compile(r"[\u0e00-\u0e7f]"), 0.2),
    ("Latin script", re.compile(r"[A-Za-z\u00c0-\u024f]"), 0.2),
)
"""Scripts with the share of letters that identifies a text; Latin words are often names."""
_NAMED = re.compile(r"`[^`]*`|https?://\S+|/?(?:[\w.@-]+/)+[\w.@-]*|\[pasted[^\]]*\]")
"""Code, addresses, paths and pasted blocks, which are not the user's own words."""


def dynamics(facts: Facts) -> Dynamics:
    """The section CONVERSATION DYNAMICS."""
    ask = last_request(facts)
    return Dynamics(
        language=language(facts),
        style=_style(facts),
        phase=_phase(facts),
        last_intent=ask.quoted("last asked") if ask else "",
    )


def language(facts: Facts) -> str:
    """The language of the user's own words if the script identifies it, else the script; "" if none."""
    words = _NAMED.sub(" ", " ".join(ask.text for ask in user_requests(facts)[:_WORDS]))
    letters = sum(map(str.isalpha, words))
    for name, script, share in _SCRIPTS:
        found = len(script.findall(words))
        if found >= _LEAST and found >= share * letters:
            return name
    return ""


def _style(facts: Facts) -> str:
    """The number of messages, their length, and how often the user intervened."""
    own = [ask for ask in user_requests(facts) if ask.text]
    if not own or not facts.turns:
        return ""
    lengths = sorted(len(ask.text) for ask in own)
    half = f"{len(own)} messages, half of them up to {lengths[(len(own) - 1) // 2]} characters"
    style = half if len(own) > 1 else f"1 message of {lengths[0]} characters"
    refused = sum(turn.kind == "rejection" for turn in facts.turns)
    stopped = sum(turn.end == "interrupted" for turn in facts.turns)
    style += f"; refused {refused} step{'s' if refused > 1 else ''} with words" if refused else ""
    return f"{style}; interrupted {stopped} turn{'s' if stopped > 1 else ''}" if stopped else style


def _phase(facts: Facts) -> str:
    """Planning in plan mode or with an undecided plan; execution in an unfinished turn with file changes."""
    mode = facts.permission_modes[-1] if facts.permission_modes else None
    approved = plan_in_force(facts)
    decided = mode is not None and approved is not None and approved.source.line > mode.source.line
    if mode is not None and mode.mode == "plan" and not decided:
        where = citation(mode.source)
        return f"planning (permission mode plan{f', {where}' if where else ''})"
    waits = waiting_for(facts)
    if waits is not None and facts.last_action is not None and facts.last_action.tool == "ExitPlanMode":
        return f"planning (waits for {waits.line})"
    turn = unfinished_turn(facts)
    return "execution" if turn is not None and _changed_files(facts, turn) else ""


def _changed_files(facts: Facts, turn: Turn) -> bool:
    return any(file.source.line >= turn.source.line > 0 for file in facts.modified_files)
