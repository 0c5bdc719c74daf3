"""Delivering messages from a session's outbox: lines handed over, and pins that may not have arrived."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime
from functools import partial

from memtui.ground.files import FileProblem, lock, private_folder, tail_within
from memtui.ground.project import Home
from memtui.hooks.records import Payload, Report
from memtui.hooks.sections import LIMIT, beginning, size_of
from memtui.lost.handover_marks import mark_of, with_mark
from memtui.lost.outbox import PINS, Message, Outbox, what_of
from memtui.store.transcripts import check_transcript


def hand_over(event: str, payload: Payload, home: Home, report: Report) -> str:
    """The messages in the session's outbox in Claude Code's output format; "" if there are none.

    Those that do not fit wait for the next prompt; the report removes the others once they are printed.
    """
    outbox = Outbox(home, payload.session_id)
    text, taken = _claim_messages(outbox, payload, report)
    output = as_context(event, text, report)
    for message in taken:
        report.once_printed.append(partial(outbox.remove, outbox.note(message, mark_of(output))))
    return output


def _claim_messages(outbox: Outbox, payload: Payload, report: Report) -> tuple[str, list[Message]]:
    """The messages taken by this hook, and their text; the first one is cut if it is too long."""
    parts: list[str] = []
    messages: list[Message] = []
    room = LIMIT - 20  # for the mark and the lines around it
    for message in outbox.waiting():
        text = message.text
        if size_of(text) > room:
            if parts:
                break
            text = beginning(text, room)
        taken = outbox.take(message)
        if taken is None:
            continue  # another run of this hook was faster
        if _has_arrived(message, payload):
            outbox.remove(taken)
            report.add_work(f"the {'pins' if message.kind == PINS else 'chosen lines'} have arrived already")
            continue
        parts.append(text)
        messages.append(taken)
        room -= size_of(text) + 2
        report.add_work(what_of(message))
    return "\n\n".join(parts), messages


def as_context(event: str, text: str, report: Report) -> str:
    """A text as JSON for Claude Code, with its mark, which is logged, too; "" for no text."""
    if not text:
        return ""
    text = with_mark(text)
    report.add_work(f"{len(text)} characters of context, memtui:{mark_of(text)}")
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) + "\n"


def leave_pins(
    session_id: str, home: Home, text: str, now: datetime, report: Report, mark: str | None = None
) -> None:
    """Leave pins for the next prompt in place of the last, with the mark of what they repeat; "" for none."""
    if not text and not os.path.lexists(home.handover):
        return
    outbox = Outbox(home, session_id)
    try:
        private_folder(home.state)
        # Of two concurrent runs, the later one has to see the earlier one's message.
        with lock(home.state / "pins", timeout=0.9):
            before = [each.unless for each in outbox.waiting() if each.kind == PINS and outbox.remove(each)]
            if text:
                mark = mark if mark is not None else (before or [""])[-1]
                outbox.put(Message(PINS, text, unless=mark, at=now.isoformat()))
    except FileProblem as problem:
        report.problem(problem)


def _has_arrived(message: Message, payload: Payload) -> bool:
    """Whether the hand-over that a message repeats, or the message itself, has arrived in the transcript."""
    marks = [f"memtui:{mark}".encode() for mark in (message.unless, *message.printed) if mark]
    if not marks:
        return False
    # The raw output of a hook is recorded, too, whether or not it was accepted (Claude Code fact).
    added = (b'"hook_additional_context"', b'"plugin_note"')
    with suppress(FileProblem):
        path = check_transcript(payload.transcript_path)
        tail = tail_within(path, path.parent, size=8 << 20)
        lines = [line for line in tail.split(b"\n") if any(kind in line for kind in added)]
        return any(mark in line for line in lines for mark in marks)
    return False
