"""Facts from the capture alone, used when the transcript cannot be read."""

from __future__ import annotations

from memtui.formats.capture import Capture
from memtui.transcript.facts import Facts


def facts_of_capture(capture: Capture) -> Facts:
    """The session's id, its first words, and when it was captured."""
    timestamp = capture.timestamp.isoformat()
    return Facts(
        from_capture=True,
        session_id=capture.session_id,
        first_prompt=capture.first_message,
        ended=timestamp,
    )
