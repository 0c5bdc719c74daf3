"""The pending capture as the hook writes it (seed 001). Standard library only; `capture.py` does the rest."""

from __future__ import annotations

from datetime import datetime

from memtui.ground.text import normal, one_line, without_backticks

FIRST_MESSAGE_LIMIT = 500  # maximum length of the first message in a capture, in code points

TITLE = "Autocompact Capture"
PENDING = "_Not yet reviewed. Run `/review-compact` to process._"


def capture_name(moment: datetime) -> str:
    """The file name of a capture, in `moment`'s own wall time: ``20251225_081500-autocompact.md``."""
    # Not strftime: it does not pad the year on every platform.
    day = f"{moment.year:04d}{moment.month:02d}{moment.day:02d}"
    return f"{day}_{moment.hour:02d}{moment.minute:02d}{moment.second:02d}-autocompact.md"


def capture_time(name: str) -> str:
    """The time in the file name of a capture: ``20251225_081500``."""
    return name.removesuffix(".md").removesuffix("-autocompact")


def memory_name(capture_name: str) -> str:
    """The file name of the memory file that belongs to a capture's: ``20251225_081500-memory.md``."""
    return f"{capture_time(capture_name)}-memory.md"


def render_pending(*, timestamp: datetime, session_id: str, transcript: str, first_message: str) -> str:
    """The text of a new capture; `timestamp`, when the compaction began, is aware."""
    return (
        head("pending", timestamp, without_backticks(one_line(session_id)))
        + f"\n## Transcript\n\n{fence(one_line(transcript))}\n"
        + f"\n## First Message\n\n{quote(truncated(first_message))}\n"
        + f"\n## Memory\n\n{PENDING}\n"
    )


def head(status: str, timestamp: datetime, session_id: str) -> str:
    return (
        f"# {TITLE}\n\n**Status:** {status}\n**Timestamp:** {timestamp.isoformat(timespec='seconds')}\n"
        f"**Session ID:** {session_id}".rstrip()
        + "\n"
    )


def fence(line: str) -> str:
    """`line` in a code fence that it cannot close."""
    marks = "`" * max(3, len(line) - len(line.lstrip("`")) + 1)
    return f"{marks}\n{line}\n{marks}"


def quote(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def truncated(message: str) -> str:
    """`message` without blank ends, cut to `FIRST_MESSAGE_LIMIT` code points and ``...``."""
    message = normal(message).strip()
    return message if len(message) <= FIRST_MESSAGE_LIMIT else f"{message[:FIRST_MESSAGE_LIMIT]}..."
