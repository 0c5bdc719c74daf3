"""The notes of a recovery text: requests, failures, and the session they come from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memtui.documents import commands_run
from memtui.documents.events import error_event, last_errors, missing_work
from memtui.documents.goal import ONLY_CAPTURE
from memtui.documents.quotes import users_words
from memtui.documents.sources import citation, with_source
from memtui.documents.state_working import SEEN, seen_addresses
from memtui.documents.user_requests import user_requests
from memtui.transcript.facts import Facts

_ASKED = 20
_LINE = 240
_ERRORS = 5
_COMMANDS = 10


def recovery_notes(facts: Facts, root: Path, *, with_requests: bool) -> str:
    """Everything that has no section of its own, under bold titles.

    Args:
        facts: the facts of the transcript.
        root: the project's root.
        with_requests: include the user's requests, unless an inferred plan has them.
    """
    failures = [error_event(facts, error, root) for error in last_errors(facts, _ERRORS)]
    groups = (
        (
            "Asked before what is quoted below, newest first",
            list(_older_requests(facts)) if with_requests else [],
        ),
        ("Failures on record, newest first", failures),
        (commands_run.TITLE, list(commands_run.commands_run(facts, _COMMANDS))),
        (SEEN, seen_addresses(facts)),
        ("Session", list(_session(facts))),
    )
    sections = (
        f"**{title}**\n" + "\n".join(f"- {line}" for line in lines) for title, lines in groups if lines
    )
    return "\n\n".join(sections)


def _older_requests(facts: Facts) -> Iterator[str]:
    """Requests older than those quoted in full."""
    quoted = {said.source for said in users_words(facts)}
    older = [ask for ask in user_requests(facts) if ask.source not in quoted]
    for ask in older[:_ASKED]:
        yield with_source(ask.within(_LINE), ask.source)
    if more := older[_ASKED:]:
        yield f"and {len(more)} earlier message{'s' if len(more) > 1 else ''}"


def _session(facts: Facts) -> Iterator[str]:
    if facts.from_capture:
        yield f"{ONLY_CAPTURE[0].upper()}{ONLY_CAPTURE[1:]}; nothing here says what was done"
    if facts.session_id:
        span = f", from {facts.started} to {facts.ended}" if facts.started else ""
        lines = f", {facts.lines:,} lines; L{facts.lines} names the last one" if facts.lines else ""
        yield f"Claude Code session {facts.session_id}{span}{lines}"
    if facts.branch:
        yield f"Branch {facts.branch}"
    if missing := missing_work(facts):
        yield missing
    for compaction in facts.compactions[-1:]:
        number = len(facts.compactions)
        where, summary = citation(compaction.source), citation(compaction.summary_source)
        counted = f"{number} compaction{'s' if number > 1 else ''} so far"
        counted += f", the last one at {where}" if where else ""
        yield f"{counted}; its summary is at {summary}" if summary else counted
