"""Blocks of a transcript as Markdown: to be copied, read in a pager, or kept as a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from memtui.clean import clean
from memtui.clock import local_minute, parse_iso
from memtui.formats.transcript_events import Boundary, Call, Queued, Result, Said, Summary, Words
from memtui.reading.blocks import Attached, Block, Thinking
from memtui.reading.edits import EDITS, edit_rows
from memtui.reading.outcomes import error_text
from memtui.safety.secrets import masked

_FENCES = re.compile("`{3,}")


def transcript_markdown(blocks: Iterable[Block], *, mask: bool = True) -> str:
    """The blocks one below the other.

    Args:
        blocks: in the order in which they are to stand.
        mask: whether secrets are masked.
    """
    text = "\n\n".join(part for part in map(_block, blocks) if part) + "\n"
    return masked(text) if mask else text


def _block(block: Block) -> str:
    event = block.event
    if isinstance(event, Said):
        return clean(event.text).strip("\n")
    if isinstance(event, (Words, Queued)):
        return f"## {_head(block)}\n\n{clean(event.text).strip()}"
    if isinstance(event, Call):
        return _call(event)
    if isinstance(event, Result):
        text = error_text(event) if event.failed else event.text
        return (f"{'Failed' if event.failed else 'Result'}:\n\n" + _fenced(text)) if text.strip() else ""
    if isinstance(event, Boundary):
        return f"---\n\n*Compacted ({event.trigger or 'unknown'})*"
    if isinstance(event, (Summary, Thinking)):
        name = "Summary" if isinstance(event, Summary) else "Thinking"
        return f"*{name}:*\n\n{_quoted(event.text)}"
    if isinstance(event, Attached):
        return f"*{clean(event.name)}*"
    return f"*{event.reason}*"


def _head(block: Block) -> str:
    moment = parse_iso(block.stamp) if block.stamp else None
    return f"User, {local_minute(moment)}" if moment is not None else "User"


def _call(call: Call) -> str:
    path = call.input.get("file_path") or call.input.get("notebook_path")
    name = clean(call.name)
    if call.name in EDITS and (rows := edit_rows(call)):
        diff = "\n".join("⋯" if row.sign == "@" else f"{row.sign}{row.text}" for row in rows)
        return f"**{name}** `{clean(str(path))}`\n\n{_fenced(diff, 'diff')}"
    command = call.input.get("command")
    if call.name == "Bash" and isinstance(command, str):
        return f"**{name}**\n\n{_fenced(command, 'sh')}"
    given = json.dumps(call.input, ensure_ascii=False, indent=2) if call.input else ""
    return f"**{name}**" + (f"\n\n{_fenced(given, 'json')}" if given else "")


def _fenced(text: str, language: str = "") -> str:
    """A text between fences that are longer than any in it."""
    text = clean(text).strip("\n")
    longest = max((len(run) for run in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {row}".rstrip() for row in clean(text).strip("\n").split("\n"))
