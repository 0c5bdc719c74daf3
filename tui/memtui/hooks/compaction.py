"""PreCompact and PostCompact: the capture, the context block for the summariser, what the summary lacks."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path

from memtui.documents.capture import Capture
from memtui.ground import files
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places, Project, claude_config, session_key
from memtui.hooks import CAPTURE, RULES
from memtui.hooks.context import SUMMARISER_LIMIT, context_block
from memtui.hooks.deliver import leave_pins
from memtui.hooks.in_force import FOR_SESSION, FOR_SUMMARISER, pin_texts, pins_text, titled_list
from memtui.hooks.records import Payload, Report, describe
from memtui.hooks.sections import Section, fitting, joined
from memtui.hooks.settings import switched
from memtui.lost.asked import note_asked
from memtui.secrets.quoting import fenced
from memtui.store.captures import CaptureStore, compactions_in
from memtui.store.listing import Entry
from memtui.store.states import newest_version, read_notes
from memtui.store.transcripts import TranscriptProblem, check_transcript
from memtui.transcript import ReadingCancelledError
from memtui.transcript.messages import Role, read_messages


def pre_compact(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Capture an automatic compaction, write the session's state; returns the context block.

    A manual one is the person's own decision and is captured only on request (seed 001: "Only triggered on
    auto").
    """
    if CAPTURE in report.left:
        report.add_work(f"left the capture to {report.left[CAPTURE]}")
    elif payload.trigger == "auto" or (
        payload.trigger == "manual" and switched("capture_manual", home, report, default=False)
    ):
        try:
            name = capture(payload, project, now, report)
            report.add_work(f"captured {name}" if name else "this compaction is captured already")
            files.sweep_temps(project.compacts, within=project.root)
        except FileProblem as problem:
            report.problem(problem)
    if RULES in report.left:
        report.add_work(f"left the rules to {report.left[RULES]}")
        text = pins_text(project, home, FOR_SUMMARISER, report)
    else:
        text = context_block(project, home, report)
    if not payload.agent_id:
        catch_up(payload.session_id, payload.transcript_path, project, home, report)
    sections = [Section(text, 0), Section(in_force(payload, project, report), 1)]
    asked = joined(fitting(sections, SUMMARISER_LIMIT))
    if payload.session_id and not payload.agent_id:
        try:
            note_asked(home, payload.session_id, asked, now)
        except FileProblem as problem:
            report.problem(problem)
    return asked


IN_FORCE = """\
## The summary's last section: Still in force

End the summary with a section "Still in force". In exact words, and only what is neither done nor overtaken,
list under these headings: Rules still in force - Steps still due (exact commands, conditions) - Refused or
failed (with the person's words) - Commands that work here - Names and numbers - Open findings."""

_EARLIER = """\
An earlier compaction lost these lines, which the conversation holds no more; keep those still true:"""


def in_force(payload: Payload, project: Project, report: Report) -> str:
    """The request for a last section, with what an earlier compaction lost of it."""
    lines: list[str] = []
    try:
        transcript = check_transcript(payload.transcript_path)
        if compaction_times(transcript):
            from memtui.lost.notes import lost_before

            lines = lost_before(transcript, project)
    except (FileProblem, OSError) as problem:
        if not isinstance(problem, TranscriptProblem):
            report.problem(str(problem))
    return "\n\n".join((IN_FORCE, _EARLIER, fenced("\n".join(lines)))) if lines else IN_FORCE


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
    text = titled_list(f"{FOR_SESSION}, and missing in the summary of the conversation", missing, report)
    leave_pins(payload.session_id, home, text, now, report)
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
            keys = tuple(compared.rows[number - 1].key for number in note.numbers)
            outbox.put(Message(NOTE, note.text, rows=len(keys), keys=keys, at=now.isoformat()))
            report.add_work(f"left {len(note.numbers)} lines that the summary left out for the next prompt")
    except TranscriptProblem:
        return  # nothing to compare with
    except (FileProblem, OSError) as problem:
        report.problem(str(problem))


LOCK_SECONDS = 0.9
"""Seconds to wait for a lock; a hook's work is not worth a longer delay of Claude Code."""


def capture(payload: Payload, project: Project, now: datetime, report: Report) -> str:
    """Write the pending capture; returns its file name, or "" when this compaction has one already.

    Claude Code may run the hook several times for one compaction, in parallel too, and again, perhaps much
    later, if a summary that was made ahead is thrown away (Claude Code facts).
    """
    try:
        transcript = check_transcript(payload.transcript_path)
    except TranscriptProblem as problem:
        report.problem(f"no first message: {problem}")
        transcript = None
    files.private_folder(project.compacts, within=project.root)
    with ExitStack() as held:
        try:
            path = project.compacts / session_key(payload.session_id)
            held.enter_context(files.lock(path, timeout=LOCK_SECONDS, within=project.root))
        except FileProblem as problem:
            # Without the lock a second capture is possible; without a capture something is lost for good.
            report.problem(problem)
        if _is_captured(payload, project, transcript, now):
            return ""
        first, named = first_prompt(transcript) if transcript else "", payload.transcript_path
        made = CaptureStore(project).create(now, payload.session_id, named, first)
        return made.name if made else ""


def _is_captured(payload: Payload, project: Project, transcript: Path | None, now: datetime) -> bool:
    """Whether the session's last pending capture is of this compaction: none has ended since."""
    found = _pending_capture(payload.session_id, project)
    if found is None or found[1].transcript != payload.transcript_path:
        return False
    if transcript is None:  # it cannot be read: soon after it, it is probably the same
        return abs(now - found[1].timestamp) < timedelta(minutes=1)
    return not _since(found[1], transcript)


def _pending_capture(session_id: str, project: Project) -> tuple[Entry, Capture] | None:
    store = CaptureStore(project)
    with suppress(FileProblem):  # there is no such folder
        if entry := store.newest_pending(session_id):
            return entry, store.load(entry)
    return None


def last_capture(session_id: str, project: Project) -> str:
    """The file name of the capture of a compaction that has just ended, the session's last one, or ""."""
    if (found := _pending_capture(session_id, project)) is None:
        return ""
    entry, captured = found
    with suppress(TranscriptProblem):  # else it may be that very compaction
        if _since(captured, check_transcript(captured.transcript)) > 1:
            return ""
    return entry.name


def _since(captured: Capture, transcript: Path) -> int:
    """The number of compactions that ended after a capture was made."""
    return sum(moment >= captured.timestamp for moment in compaction_times(transcript))


def compaction_times(transcript: Path) -> list[datetime]:
    """When the compactions of a transcript ended."""
    with suppress(OSError):
        return [each.at for each in compactions_in(Entry.of(transcript))]
    return []


def first_prompt(transcript: Path) -> str:
    """The first real words of the user, masked, or ""."""
    with suppress(OSError):
        said = (each for reading in read_messages(transcript) for each in reading.messages)
        return next((each.text.strip() for each in said if each.role is Role.ASK), "")
    return ""


SECONDS = 1.5
"""Limit for reading: 4 MB take a fifth of a second. The app reads what is larger."""


def catch_up(session_id: str, transcript: str, project: Project, home: Home, report: Report) -> bool:
    """Write a session's next version, and archive it; False without time. All problems are reported."""
    if session_key(session_id) != session_id:  # not an id under which a state could be stored
        return True
    try:
        path = check_transcript(transcript)
    except TranscriptProblem:  # a session without messages has no state
        return True
    places = Places(project, home, claude_config())
    until = time.monotonic() + SECONDS
    try:
        # Imported here: they are heavy, and a broken library must not cost the rest.
        if switched("session_states", home, report, default=True):
            from memtui.store.state_updates import update_state

            stored = update_state(places, transcript=path, cancelled=lambda: time.monotonic() > until)
            report.add_work(f"wrote version {stored.version}" if stored else "the state has not changed")
        from memtui.store.archive_settings import archive_settings

        if (settings := archive_settings(home)).keep:
            from memtui.store.archive import Archive

            if (added := Archive(home).keep(path, settings)) > 0:
                report.add_work(f"archived {added} bytes")
    except ReadingCancelledError:
        report.add_work("had no time for the session's last version")
        return False
    except FileProblem as problem:
        report.problem(problem)
    except Exception as error:  # a worker's edge, see above
        report.problem(describe(error))
    return True
