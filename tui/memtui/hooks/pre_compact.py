"""PreCompact: the capture, then the context block for the summariser."""

from __future__ import annotations

from datetime import datetime

from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks import CAPTURE, RULES
from memtui.hooks.capture import capture, sweep_captures
from memtui.hooks.catch_up import catch_up
from memtui.hooks.context import context_block
from memtui.hooks.payload import Payload
from memtui.hooks.pins import FOR_SUMMARISER, pins_text
from memtui.hooks.report import Report
from memtui.hooks.settings import switched


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
    return text
