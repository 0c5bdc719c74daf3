"""A capture: the record of a compaction, before and after its review (seed 001).

Standard library only, as the first paint reads captures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, cast

from memtui.documents import markdown
from memtui.documents.markdown import Document, Section, escape, fenced
from memtui.ground.clock import parse_iso, whole_seconds
from memtui.ground.text import (
    FormatError,
    block,
    file_text,
    normal,
    one_line,
    without_backticks,
    without_blank_ends,
)

FIRST_MESSAGE_LIMIT = 500  # maximum length of the first message in a capture, in code points

TITLE = "Autocompact Capture"
PENDING = "_Not yet reviewed. Run `/review-compact` to process._"

Status = Literal["pending", "reviewed"]

_TRANSCRIPT, _FIRST, _SUMMARY, _MEMORY = "Transcript", "First Message", "Summary", "Memory"
_LAYOUT = markdown.layout(_TRANSCRIPT, _FIRST, _SUMMARY, _MEMORY)
_NO_MEMORY = "_No memory file._"

_META = r"(?i)\s*(?:[-*]\s+)?[*_]{0,2}(status|timestamp|session id)[*_]{0,2}\s*:[*_]{0,2}(.*)$"
_LINK = r"\[[^\]]*\]\(<?([^)>]*)>?\)$"


def _base_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1].strip()


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
    return render_capture(Capture("pending", timestamp, session_id, transcript, truncated(first_message)))


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


@dataclass(frozen=True)
class Capture:
    """One capture file. Its texts are normalised on creation."""

    status: Status
    timestamp: datetime
    session_id: str
    transcript: str
    """Path of the transcript, as written: untrusted."""
    first_message: str
    summary: str = ""
    """The subject of the conversation; set by the review."""
    memory: str = ""
    """File name of the memory file, "" before the review."""
    header: str = ""
    """Further lines under the title, such as another tool's ``**Trigger:** auto``."""
    transcript_note: str = ""
    memory_note: str = ""
    extra: tuple[Section, ...] = ()

    def __post_init__(self) -> None:
        blocks = ("first_message", "summary", "header", "transcript_note", "memory_note")
        normal = {name: block(getattr(self, name)) for name in blocks} | {
            "timestamp": whole_seconds(self.timestamp),
            "session_id": without_backticks(one_line(self.session_id)),
            "transcript": one_line(self.transcript),
            "memory": _base_name(one_line(self.memory)),
        }
        for name, value in normal.items():
            object.__setattr__(self, name, value)


def reviewed(capture: Capture, *, summary: str, memory: str) -> Capture:
    return replace(capture, status="reviewed", summary=summary, memory=memory)


def render_capture(capture: Capture) -> str:
    bodies = {
        _TRANSCRIPT: _paragraphs(fence(capture.transcript), escape(capture.transcript_note)),
        _FIRST: quote(capture.first_message),
    }
    if capture.summary or capture.status == "reviewed":
        bodies[_SUMMARY] = escape(capture.summary)
    memory = PENDING if capture.status == "pending" else _NO_MEMORY
    if capture.memory:
        memory = f"[{capture.memory}](./{capture.memory})"
    bodies[_MEMORY] = _paragraphs(memory, escape(capture.memory_note))
    meta = (
        f"**Status:** {capture.status}",
        f"**Timestamp:** {capture.timestamp.isoformat()}",
        f"**Session ID:** {capture.session_id}".rstrip(),
        *filter(None, (escape(capture.header),)),
    )
    parts = (f"# {TITLE}", "\n".join(meta), markdown.render(bodies, capture.extra, gap="\n\n"))
    return "\n\n".join(parts) + "\n"


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


def parse_capture(text: str) -> Capture:
    """Parse a capture, perhaps another tool's; its title or status and its time are needed."""
    document = markdown.read(file_text(text).split("\n"), _LAYOUT)
    meta, header, titled = _read_header(document.preamble)
    if not titled and "status" not in meta:
        raise FormatError(f"it has neither the title “{TITLE}” nor a Status line")
    memory, memory_note = _read_memory(document.lines(_MEMORY))
    transcript, transcript_note = _read_transcript(document.lines(_TRANSCRIPT))
    quoted = document.lines(_FIRST)  # a line that another tool did not quote stays as it is
    first = "\n".join(line[1:].removeprefix(" ") if line.startswith(">") else line for line in quoted)
    return Capture(
        status=_status(meta, document, memory),
        timestamp=_timestamp(meta),
        session_id=meta.get("session id", ""),
        transcript=transcript,
        first_message=first,
        summary=document.block(_SUMMARY),
        memory=memory,
        header=document.text(header),
        transcript_note=document.text(transcript_note),
        memory_note=document.text(memory_note),
        extra=tuple(document.extra),
    )


def _read_header(lines: list[str]) -> tuple[dict[str, str], list[str], bool]:
    """The three values under the title, the other lines, and whether the title is there."""
    meta: dict[str, str] = {}
    rest: list[str] = []
    titled = False
    for line in lines:
        found = re.match(_META, line)
        name = found[1].casefold() if found else ""
        if found and name not in meta:
            meta[name] = without_backticks(found[2].strip())
        elif not titled and line.startswith("# ") and markdown.name_of(line) == markdown.name_of(TITLE):
            titled = True
        else:
            rest.append(line)
    return meta, rest, titled


def _status(meta: dict[str, str], document: Document, memory: str) -> Status:
    status = meta.get("status", "").casefold().strip("*_ .")
    if status in ("pending", "reviewed"):
        return cast(Status, status)
    if status:
        raise FormatError(f"its status is {status[:40]!r}, neither pending nor reviewed")
    return "reviewed" if memory or _SUMMARY in document.bodies else "pending"


def _timestamp(meta: dict[str, str]) -> datetime:
    written = meta.get("timestamp")
    if written is None:
        raise FormatError("it has no Timestamp line")
    moment = parse_iso(written)
    if moment is None:
        raise FormatError(f"its timestamp {written[:40]!r} is not an ISO 8601 time")
    return moment


def _read_transcript(lines: Sequence[str]) -> tuple[str, list[str]]:
    """The path, and the section's other lines."""
    if not lines:
        return "", []
    inside = fenced(lines)
    if not inside[0]:
        return without_backticks(lines[0].strip()), list(lines[1:])
    stop = inside.find(0) if 0 in inside else len(lines)
    path, *others = without_blank_ends(list(lines[1 : stop - 1])) or [""]
    return path, [*others, *lines[stop:]]


def _read_memory(lines: Sequence[str]) -> tuple[str, list[str]]:
    """The name of the linked memory file, or of another link or bare name, and the section's other lines."""
    if not lines:
        return "", []
    first = lines[0].strip()
    rest = list(lines[1:])
    if first == _NO_MEMORY or first.casefold().startswith("_not yet reviewed"):
        return "", rest
    bare, link = first.strip("`"), re.match(_LINK, first)
    if link or (bare.endswith("-memory.md") and " " not in bare):
        bare = _base_name(link[1] if link else bare)
        return (bare, rest) if bare else ("", list(lines))
    return "", list(lines)
