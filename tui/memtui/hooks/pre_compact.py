"""PreCompact: the capture, then the context block for the summariser."""

from __future__ import annotations

import mmap
from datetime import datetime
from pathlib import Path

from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks import CAPTURE, RULES
from memtui.hooks.capture import capture, sweep_captures
from memtui.hooks.catch_up import catch_up
from memtui.hooks.context import SUMMARISER_LIMIT, context_block
from memtui.hooks.payload import Payload
from memtui.hooks.pins import FOR_SUMMARISER, pins_text
from memtui.hooks.report import Report
from memtui.hooks.sections import Section, fitting, joined
from memtui.hooks.settings import switched
from memtui.secrets.quoting import fenced
from memtui.store.transcripts import TranscriptProblem, check_transcript


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
    return joined(
        fitting([Section(text, 0), Section(in_force(payload, project, report), 1)], SUMMARISER_LIMIT)
    )


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
