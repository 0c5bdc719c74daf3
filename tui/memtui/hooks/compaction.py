"""PreCompact and PostCompact: the capture, the context block for the summariser, what the summary lacks."""

from __future__ import annotations

import json
import mmap
import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memtui.documents.capture_text import capture_name, render_pending
from memtui.ground.clock import parse_iso
from memtui.ground.files import (
    FileMissing,
    FileProblem,
    create_exclusive,
    existing_above,
    lock,
    private_folder,
    read_within,
    remove,
    sweep_temps,
    write_atomic,
)
from memtui.ground.project import Home, Places, Project, claude_config, project_key, session_key
from memtui.hooks import CAPTURE, RULES
from memtui.hooks.context import SUMMARISER_LIMIT, context_block
from memtui.hooks.deliver import leave_pins
from memtui.hooks.in_force import FOR_SESSION, FOR_SUMMARISER, pin_texts, pins_text, titled_list
from memtui.hooks.records import Payload, Report, describe
from memtui.hooks.sections import Section, fitting, joined
from memtui.hooks.settings import switched
from memtui.lost.asked import note_asked
from memtui.secrets.quoting import fenced
from memtui.secrets.secrets import masked
from memtui.store.state_files import newest_version, read_notes
from memtui.store.transcripts import TranscriptProblem, check_transcript
from memtui.transcript import ReadingCancelledError
from memtui.transcript.lines import read_lines
from memtui.transcript.words import user_words


def pre_compact(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Capture an automatic compaction, write the session's state; returns the context block.

    A manual one is the person's own decision and is captured only on request (seed 001: "Only triggered on
    auto").
    """
    if CAPTURE in report.left:
        report.add_work(f"left the capture to {report.left[CAPTURE]}")
    elif payload.trigger == "auto" or (
        payload.trigger == "manual" and switched("capture_manual", home.config, report, default=False)
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
        text = context_block(project, home, report=report)
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
_EARLIER_ROOM = 1_500


def in_force(payload: Payload, project: Project, report: Report) -> str:
    """The request for a last section, with what an earlier compaction lost of it."""
    lines: list[str] = []
    try:
        transcript = check_transcript(payload.transcript_path)
        if _was_compacted(transcript):
            from memtui.lost.notes import lost_before

            lines = lost_before(transcript, project, _EARLIER_ROOM)
    except (FileProblem, OSError) as problem:
        if not isinstance(problem, TranscriptProblem):
            report.problem(str(problem))
    return "\n\n".join((IN_FORCE, _EARLIER, fenced("\n".join(lines)))) if lines else IN_FORCE


def _was_compacted(transcript: Path) -> bool:
    if not transcript.stat().st_size:
        return False
    with transcript.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(b'"compact_boundary"') >= 0


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
            keys = tuple(compared.rows[number - 1].key for number in note.numbers)
            outbox.put(Message(NOTE, note.text, rows=len(keys), keys=keys, at=now.isoformat()))
            report.add_work(f"left {len(note.numbers)} lines that the summary left out for the next prompt")
    except TranscriptProblem:
        return  # nothing to compare with
    except (FileProblem, OSError) as problem:
        report.problem(str(problem))


LOCK_SECONDS = 0.9
"""Seconds to wait for a lock; a hook's work is not worth a longer delay of Claude Code."""

_SAME = timedelta(minutes=10)
"""Two calls within this time and without a compaction in between report the same compaction."""

_SAME_BLIND = timedelta(minutes=1)
"""The same if the transcript cannot be read."""

_NAMES = 600
"""Number of seconds tried for a free name, as many sessions may be compacted at once."""

_BOUNDARY = b'"compact_boundary"'
_BLOCK = 1 << 20
_GROWN = 64 << 20
"""The most bytes of the transcript that are searched for compactions since the last capture."""

_NOTES_SECONDS = 40 * 86400
"""Longer than Claude Code keeps transcripts."""

_NOTE_LIMIT = 64 << 10


class Note(NamedTuple):
    """A note on a session's last capture."""

    name: str
    """The capture's file name."""
    project: str
    transcript: str
    size: int
    """The transcript's size at the capture; -1 if unknown."""
    at: datetime
    digest: str = ""
    """Of the capture as it was written."""


def capture(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Write the pending capture; returns its file name, or "" when this compaction has one already.

    Claude Code may run the hook several times for one compaction, in parallel too (Claude Code fact). So the
    transcript's size is noted for each session: until the text added since then contains a compaction, it is
    the same one. A compaction that was made ahead and thrown away is announced again, perhaps much later: the
    newer capture then replaces the one that nobody has touched.

    Raises:
        FileProblem: the capture cannot be written.
    """
    transcript = _transcript(payload, report)
    path = _note_path(home, payload.session_id, project)
    with ExitStack() as held:
        try:
            private_folder(path.parent, within=existing_above(home.state))
            held.enter_context(lock(path, timeout=LOCK_SECONDS))
        except FileProblem as problem:
            # Without the lock a second capture is possible; without a capture something is lost for good.
            report.problem(problem)
        note = _read_note(path)
        if note is not None and _is_same(note, payload, project, transcript, now):
            return ""
        unfinished = note if note is not None and _is_unfinished(note, payload, project, transcript) else None
        note = Note("", str(project.root), payload.transcript_path, _size(transcript), now)
        # Noted first: if the hook is killed in between, the note of a missing capture is ignored; the other
        # way round, the next run would make a second capture.

        def named(text: str, name: str) -> None:
            _remember(path, note, text, name, report)

        name = _write(payload, project, transcript, now, named)
        # A hook that was killed may have noted this very name.
        if unfinished is not None and unfinished.name != name:
            _withdraw(unfinished, project, report)
        return name


def last_capture(session_id: str, project: Project, home: Home) -> str:
    """The file name of the capture of a compaction that has just ended, or "".

    It is the session's last one, unless there was more than one compaction since.
    """
    note = _read_note(_note_path(home, session_id, project))
    if note is None or note.project != str(project.root):
        return ""
    try:
        if compactions_since(check_transcript(note.transcript), note.size) > 1:
            return ""
    except TranscriptProblem:
        pass  # it may be that very compaction
    return note.name if os.path.isfile(project.compacts / note.name) else ""  # noqa: PTH113 - never raises


def compactions_since(transcript: Path, size: int) -> int:
    """The number of compactions in a transcript after its first `size` bytes; 2 means two or more."""
    found = 0
    left = _GROWN
    try:
        with transcript.open("rb") as file:
            file.seek(max(0, size - len(_BOUNDARY)))
            end = b""
            while found < 2 and left > 0 and (block := file.read(_BLOCK)):
                left -= len(block)
                block = end + block
                found += block.count(_BOUNDARY)
                end = block[-len(_BOUNDARY) + 1 :]
    except (OSError, ValueError):
        return 0
    return found


def _is_same(note: Note, payload: Payload, project: Project, transcript: Path | None, now: datetime) -> bool:
    """Whether the compaction of a note is the current one."""
    if (note.project, note.transcript) != (str(project.root), payload.transcript_path):
        return False
    if not os.path.lexists(project.compacts / note.name):
        return False
    if transcript is None or note.size < 0:
        return abs(now - note.at) < _SAME_BLIND
    return abs(now - note.at) < _SAME and _is_unfinished(note, payload, project, transcript)


def _is_unfinished(note: Note, payload: Payload, project: Project, transcript: Path | None) -> bool:
    """Whether the compaction of a note has not taken place."""
    if (note.project, note.transcript) != (str(project.root), payload.transcript_path):
        return False
    if transcript is None or note.size < 0 or not 0 <= _size(transcript) - note.size < _GROWN:
        return False
    return compactions_since(transcript, note.size) == 0


def _withdraw(note: Note, project: Project, report: Report) -> None:
    """Remove a capture that is as it was written: neither reviewed nor edited."""
    path = project.compacts / note.name
    try:
        data = read_within(path, project.root, limit=_NOTE_LIMIT, follow=False)
        if sha256(data).hexdigest() != note.digest:
            return
        remove(path, within=project.root)
    except FileProblem as problem:
        if not isinstance(problem, FileMissing):
            report.problem(problem)
        return
    report.add_work(f"replaced {note.name}, whose compaction never took place")


def _write(
    payload: Payload,
    project: Project,
    transcript: Path | None,
    now: datetime,
    named: Callable[[str, str], None],
) -> str:
    text = render_pending(
        timestamp=now,
        session_id=payload.session_id,
        transcript=payload.transcript_path,
        first_message=_first_message(transcript),
    )
    private_folder(project.compacts, within=project.root)
    for second in range(_NAMES):
        name = capture_name(now + timedelta(seconds=second))
        if os.path.lexists(project.compacts / name):
            continue  # looking is cheaper than noting
        named(text, name)
        if create_exclusive(project.compacts / name, text.encode(), within=project.root):
            return name
    raise FileProblem(project.compacts, "has captures for every second of the next minutes already")


def _transcript(payload: Payload, report: Report) -> Path | None:
    try:
        return check_transcript(payload.transcript_path)
    except TranscriptProblem as problem:
        report.problem(f"no first message: {problem}")
        return None


def _first_message(transcript: Path | None) -> str:
    try:
        text = first_prompt(transcript) if transcript else ""
    except (OSError, ValueError):
        return ""
    return masked(text)


def _remember(path: Path, note: Note, text: str, name: str, report: Report) -> None:
    digest = sha256(text.encode()).hexdigest()
    fields = note._asdict() | {"at": note.at.isoformat(), "name": name, "digest": digest}
    try:
        write_atomic(path, json.dumps(fields).encode(), durable=False)
    except FileProblem as problem:
        report.problem(problem)


def _read_note(path: Path) -> Note | None:
    try:
        fields = json.loads(read_within(path, path.parent, limit=_NOTE_LIMIT, follow=False))
        at = parse_iso(str(fields["at"]))
        name = str(fields["name"])
        if at is None or not name or "/" in name:
            return None
        return Note(
            name,
            str(fields["project"]),
            str(fields["transcript"]),
            int(fields["size"]),
            at,
            str(fields.get("digest", "")),
        )
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None


def sweep_captures(project: Project, home: Home) -> None:
    """Remove the notes of expired sessions, and files left by killed hooks."""
    sweep_temps(project.compacts, within=project.root)
    folder = home.state / "captured"
    sweep_temps(folder)
    oldest = time.time() - _NOTES_SECONDS
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


def _note_path(home: Home, session_id: str, project: Project) -> Path:
    name = session_key(session_id) if session_id else project_key(project.root)
    return home.state / "captured" / f"{name}.json"


SECONDS = 1.5
"""Limit for reading: 4 MB take a fifth of a second. The app reads what is larger."""


def catch_up(session_id: str, transcript: str, project: Project, home: Home, report: Report) -> bool:
    """Write the next version of a session's state, and archive its transcript; False if there was no time.

    Whatever goes wrong is reported, as it must not cost what the hook prints.
    """
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
        if switched("session_states", home.config, report, default=True):
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


_SEARCHED = 16 << 20
"""Bytes of a transcript searched for the first words, which are near its beginning."""


def first_prompt(transcript: Path) -> str:
    """The first real words of the user, or "".

    Raises:
        OSError: the transcript cannot be read.
    """
    held = ""
    for line in read_lines(transcript, stop=_SEARCHED):
        for record in line.records:
            foreign = record.get("isSidechain") or record.get("isCompactSummary")
            if foreign or record.get("type") != "user" or not isinstance(record.get("message"), dict):
                continue
            kind, text = user_words(record)
            if held and kind != "output":
                return held
            if kind in ("typed", "command", "plan") and text:
                return text
            # A local command is the user's, unless Claude Code's own output follows.
            held = text if kind == "local command" else ""
    return held
