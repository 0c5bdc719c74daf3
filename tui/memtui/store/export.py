"""A session as one file, for reading or attaching."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from memtui.documents import session_page
from memtui.ground.clock import local_minute
from memtui.ground.files import FileProblem, create_exclusive, reading, write_atomic
from memtui.store.session_list import size_text
from memtui.transcript.blocks import blocks
from memtui.transcript.lines import read_lines
from memtui.transcript.session import agent_transcripts, first_words, summarize
from memtui.transcript.short_text import one_line

Form = Literal["html", "md"]  # the format, and the extension of its files


def form_of(name: str) -> Form:
    """The form for a file name: Markdown by its extension, else HTML."""
    return "md" if name.casefold().endswith((".md", ".markdown")) else "html"


def session_file(transcript: Path, form: Form = "html") -> str:
    return f"session-{transcript.stem[:8]}.{form}"


def session_parts(transcript: Path, form: Form, now: datetime) -> Iterator[str]:
    """A session without secrets and private parts, part by part."""
    with reading(transcript):
        summary = summarize(transcript)
        found = _blocks(transcript)
        first = next(found, None)
        if first is None:
            raise FileProblem(transcript, "has nothing to read")
        name = one_line(summary.name) or f"Session {transcript.stem[:8]}"
        subagents = _subagents(transcript)
        exported = f"Exported by memtui {local_minute(now)}: secrets masked, private parts left out"
        notes = [*session_page.about(transcript.stem, summary, len(subagents)), exported]
        make = session_page.session_html if form == "html" else session_page.session_markdown
        yield from make(name, notes, chain([first], found), subagents)


def _subagents(transcript: Path) -> session_page.Subagents:
    """The subagents of a session; their transcripts may be deleted at any time, and are skipped then."""

    def read(path: Path) -> Iterator[session_page.Numbered]:
        with suppress(OSError):
            yield from _blocks(path)

    found: session_page.Subagents = {}
    for agent, path in agent_transcripts(transcript, ()):
        with suppress(OSError):
            found[agent] = session_page.Subagent(first_words(path), partial(read, path))
    return found


def _blocks(transcript: Path) -> Iterator[session_page.Numbered]:
    for line in read_lines(transcript):
        yield from ((line.number, block) for block in blocks(line))


def export_parts(target: Path, parts: Iterator[str], *, replace: bool = False) -> str:
    """Write the parts of a page to a file; returns a sentence that names the file."""
    data = (part.encode("utf-8", "replace") for part in parts)
    if replace:
        write_atomic(target, data)
    elif not create_exclusive(target, data):
        raise FileProblem(target, "already exists: name another file")
    return f"Wrote {target.absolute()}, {size_text(target.stat().st_size)}, secrets masked."
