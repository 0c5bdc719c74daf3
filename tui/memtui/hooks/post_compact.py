"""PostCompact: what the summary lacks of what is in force is given with the next prompt.

Claude Code fact: it runs after SessionStart (``compact``) and its input has the summary. So the pins that
SessionStart left in the outbox, in case its notes do not arrive, are reduced to those the summary lacks; and
rules, steps due and refusals that neither the summary nor those notes have wait for the next prompt, unless
the mod of the plugin has handed them over already.
"""

from __future__ import annotations

from datetime import datetime

from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks.deliver import leave_pins
from memtui.hooks.payload import Payload
from memtui.hooks.pins import FOR_SESSION, pin_texts, titled_list
from memtui.hooks.report import Report
from memtui.store.state_files import newest_version, read_notes
from memtui.store.transcripts import TranscriptProblem, check_transcript

AGAIN = f"{FOR_SESSION}, and missing in the summary of the conversation"


def post_compact(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Leave what the summary lacks for the next prompt. Its output would not reach the model."""
    if not payload.session_id or payload.agent_id:
        return ""
    from memtui.lost.verdicts import Text

    pins = pin_texts(project, home, report)
    summary = Text(payload.summary, ())
    missing = [pin for pin in pins if not summary.has(pin)]
    if pins:
        report.add_work(f"the summary kept {len(pins) - len(missing)} of {len(pins)} pins")
    text = titled_list(AGAIN, missing, report)
    leave_pins(payload.session_id, home, text, lambda known: known, now, report)
    if payload.summary:
        _leave_note(payload, project, home, now, report)
    return ""


def _leave_note(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> None:
    from memtui.lost.notes import compare, note_of
    from memtui.lost.outbox import NOTE, Message, Outbox, has_delivery, has_mod

    if has_delivery(home, payload.session_id, now):
        report.add_work("the mod has handed over what the summary left out")
        return
    try:
        transcript = check_transcript(payload.transcript_path)
        entry = newest_version(home, payload.session_id)
        # The notes of SessionStart, which leaves them to the mod where that is at work.
        given = [read_notes(home, entry)] if entry and not has_mod(home, payload.session_id) else []
        compared = compare(transcript, project, payload.summary, given)
        note = note_of(compared, compared.in_force())
        outbox = Outbox(home, payload.session_id)
        for message in outbox.waiting():
            if message.kind == NOTE:  # of the compaction before
                outbox.remove(message)
        if note.text:
            outbox.put(Message(NOTE, note.text, rows=len(note.numbers), at=now.isoformat()))
            report.add_work(f"left {len(note.numbers)} lines that the summary left out for the next prompt")
    except TranscriptProblem:
        return  # nothing to compare with
    except (FileProblem, OSError) as problem:
        report.problem(str(problem))
