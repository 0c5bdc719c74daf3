"""PreCompact and PostCompact: the capture, the context block for the summariser, what the summary lacks."""

from __future__ import annotations

import json
import mmap
import os
import time
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from memtui.documents.capture import capture_name, render_pending
from memtui.ground import files
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places, Project, claude_config, session_key
from memtui.hooks import CAPTURE, RULES
from memtui.hooks.context import SUMMARISER_LIMIT, context_block
from memtui.hooks.deliver import leave_pins
from memtui.hooks.in_force import FOR_SESSION, FOR_SUMMARISER, pin_texts, pins_text, titled_list
from memtui.hooks.records import Payload, Report, describe, read_fields
from memtui.hooks.sections import Section, fitting, joined
from memtui.hooks.settings import switched
from memtui.lost.asked import note_asked
from memtui.secrets.quoting import fenced
from memtui.store.state_files import newest_version, read_notes
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
            name = capture(payload, project, home, now, report)
            report.add_work(f"captured {name}" if name else "this compaction is captured already")
            if name:
                sweep_captures(project, home)
        except FileProblem as problem:
            report.problem(problem)
    if RULES in report.left:
        report.add_work(f"left the rules to {report.left[RULES]}")
        text = pins_text(project, home, FOR_SUMMARISER, report)
    else:
        text = context_block(project, home, report)
    if not payload.agent_id:
        catch_up(payload.session_id, payload.transcript_path, project, home, report)
    asked = joined(
        fitting([Section(text, 0), Section(in_force(payload, project, report), 1)], SUMMARISER_LIMIT)
    )
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
        if compactions_since(transcript, 0):
            from memtui.lost.notes import lost_before

            lines = lost_before(transcript, project, 1_500)
    except (FileProblem, OSError) as problem:
        if not isinstance(problem, TranscriptProblem):
            report.problem(str(problem))
    return "\n\n".join((IN_FORCE, _EARLIER, fenced("\n".join(lines)))) if lines else IN_FORCE


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

_BOUNDARY = b'"compact_boundary"'


def capture(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Write the pending capture; returns its file name, or "" when this compaction has one already.

    Claude Code may run the hook several times for one compaction, in parallel too, and again, perhaps much
    later, if a summary that was made ahead is thrown away (Claude Code facts). So the transcript's size is
    noted for each session: until the text added since then contains a compaction, it is the same one.
    """
    try:
        transcript = check_transcript(payload.transcript_path)
    except TranscriptProblem as problem:
        report.problem(f"no first message: {problem}")
        transcript = None
    path = _note_path(home, payload.session_id)
    with ExitStack() as held:
        try:
            files.private_folder(path.parent, within=files.existing_above(home.state))
            held.enter_context(files.lock(path, timeout=LOCK_SECONDS))
        except FileProblem as problem:
            # Without the lock a second capture is possible; without a capture something is lost for good.
            report.problem(problem)
        if _is_captured(path, payload, project, transcript, now):
            return ""
        text = render_pending(
            timestamp=now,
            session_id=payload.session_id,
            transcript=payload.transcript_path,
            first_message=first_prompt(transcript) if transcript else "",
        ).encode()
        note = {
            "project": str(project.root),
            "transcript": payload.transcript_path,
            "size": _size(transcript),
            "at": now.isoformat(),
            "digest": sha256(text).hexdigest(),
        }
        files.private_folder(project.compacts, within=project.root)
        for second in range(600):  # many sessions may be compacted at once
            name = capture_name(now + timedelta(seconds=second))
            if os.path.lexists(project.compacts / name):
                continue  # looking is cheaper than noting
            # Noted first: if the hook is killed in between, the note of a missing capture is ignored; the
            # other way round, the next run would make a second capture.
            try:
                files.write_atomic(path, json.dumps(note | {"name": name}).encode(), durable=False)
            except FileProblem as problem:
                report.problem(problem)
            if files.create_exclusive(project.compacts / name, text, within=project.root):
                return name
        raise FileProblem(project.compacts, "has captures for every second of the next minutes already")


def _is_captured(
    path: Path, payload: Payload, project: Project, transcript: Path | None, now: datetime
) -> bool:
    """Whether a note is of the same compaction, and its capture is as it was written: not reviewed yet."""
    note = read_fields(path)
    if (note.get("project"), note.get("transcript")) != (str(project.root), payload.transcript_path):
        return False
    try:
        data = files.read_within(project.compacts / note["name"], project.root, limit=64 << 10, follow=False)
        at, size = parse_iso(note["at"]), int(note["size"])
    except (FileProblem, LookupError, TypeError, ValueError):
        return False
    if at is None or note.get("digest") != sha256(data).hexdigest():
        return False
    if transcript is None or size < 0:
        return abs(now - at) < timedelta(minutes=1)  # it cannot be read: probably the same
    return size <= _size(transcript) and not compactions_since(transcript, size)


def last_capture(session_id: str, project: Project, home: Home) -> str:
    """The file name of the capture of a compaction that has just ended, the session's last one, or ""."""
    note = read_fields(_note_path(home, session_id))
    name, size = note.get("name"), note.get("size")
    if note.get("project") != str(project.root) or not isinstance(name, str) or not isinstance(size, int):
        return ""
    with suppress(TranscriptProblem):  # else it may be that very compaction
        if compactions_since(check_transcript(str(note.get("transcript"))), size) > 1:
            return ""
    return name if os.path.isfile(project.compacts / name) else ""  # noqa: PTH113 - never raises


def compactions_since(transcript: Path, size: int) -> int:
    """The number of compactions in a transcript after its first `size` bytes; 2 means two or more."""
    with (
        suppress(OSError, ValueError),  # it is gone, or empty
        transcript.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        first = data.find(_BOUNDARY, max(0, size - len(_BOUNDARY)))
        return 0 if first < 0 else 1 + (data.find(_BOUNDARY, first + 1) >= 0)
    return 0


def first_prompt(transcript: Path) -> str:
    """The first real words of the user, masked, or ""."""
    with suppress(OSError):
        said = (each for reading in read_messages(transcript) for each in reading.messages)
        return next((each.text.strip() for each in said if each.role is Role.ASK), "")
    return ""


def sweep_captures(project: Project, home: Home) -> None:
    """Remove the notes of expired sessions, and files left by killed hooks."""
    files.sweep_temps(project.compacts, within=project.root)
    folder = home.state / "captured"
    files.sweep_temps(folder)
    oldest = time.time() - 40 * 86_400  # longer than Claude Code keeps transcripts
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if (
                entry.name.endswith((".json", ".lock"))
                and entry.stat(follow_symlinks=False).st_mtime < oldest
            ):
                Path(entry.path).unlink()


def _size(transcript: Path | None) -> int:
    try:
        return transcript.stat().st_size if transcript else -1
    except OSError:
        return -1


def _note_path(home: Home, session_id: str) -> Path:
    return home.state / "captured" / f"{session_key(session_id)}.json"


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
