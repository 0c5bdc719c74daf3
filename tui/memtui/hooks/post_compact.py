"""PostCompact: pins missing in the summary are given again with the next prompt.

Claude Code fact: it runs after SessionStart (``compact``) and its input has the summary. So the pins that
SessionStart left in the outbox, in case its notes do not arrive, are reduced to those the summary lacks.
"""

from __future__ import annotations

from datetime import datetime

from memtui.ground.project import Home, Project
from memtui.hooks.deliver import leave_pins
from memtui.hooks.payload import Payload
from memtui.hooks.pins import FOR_SESSION, pin_texts, titled_list
from memtui.hooks.report import Report

AGAIN = f"{FOR_SESSION}, and missing in the summary of the conversation"


def post_compact(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Leave the pins that the summary lacks for the next prompt. Its output would not reach the model."""
    if not payload.session_id or payload.agent_id:
        return ""
    pins = pin_texts(project, home, report)
    from memtui.lost.verdicts import Text

    summary = Text(payload.summary, ())
    missing = [pin for pin in pins if not summary.has(pin)]
    if pins:
        report.add_work(f"the summary kept {len(pins) - len(missing)} of {len(pins)} pins")
    text = titled_list(AGAIN, missing, report)
    leave_pins(payload.session_id, home, text, lambda known: known, now, report)
    return ""
