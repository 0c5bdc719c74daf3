"""Blocks of a transcript as Markdown, for copying, paging or exporting."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import local_minute, parse_iso
from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.blocks import Attached, Block, Thinking, edit_rows
from memtui.transcript.events import Boundary, Call, Queued, Result, Said, Summary, Words
from memtui.transcript.outcomes import error_text
from memtui.transcript.shell import EDIT_TOOLS

Safe = Callable[[str], str]
"""The filter for every text: `masked`, or `as_it_is`."""

_RUNS = re.compile("`+")
_MAY_SWALLOW = re.compile(r"```|~~~|<")
"""Fences and HTML whose opening in a text would swallow the text after it."""
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SPAN = re.compile(r"((?<!`)(?:`+)(?!`).*?(?<!`)`+(?!`))")
_END = "memtui-end"


def as_it_is(text: str) -> str:
    """The unchanged text, secrets included."""
    return text


def transcript_markdown(blocks: Iterable[Block]) -> str:
    """Blocks one below the other, with secrets masked."""
    return "\n\n".join(part for part in (block_markdown(each, masked) for each in blocks) if part) + "\n"


def block_markdown(block: Block, safe: Safe) -> str:
    """One block, without line breaks around it; "" if it is empty."""
    event = block.event
    if isinstance(event, Said):
        return contained(safe(event.text))
    if isinstance(event, (Words, Queued)):
        return f"## {_head(block)}\n\n{contained(safe(event.text))}"
    if isinstance(event, Call):
        return _call(event, safe)
    if isinstance(event, Result):
        text = safe(error_text(event) if event.failed else event.text)
        return (f"{'Failed' if event.failed else 'Result'}:\n\n" + fenced(text)) if text.strip() else ""
    if isinstance(event, Boundary):
        return f"---\n\n*Compacted ({plain(event.trigger) or 'unknown'})*"
    if isinstance(event, (Summary, Thinking)):
        name = "Summary" if isinstance(event, Summary) else "Thinking"
        return f"*{name}:*\n\n{_quoted(safe(event.text))}"
    if isinstance(event, Attached):
        return code_span(event.name)
    return f"*{plain(event.reason)}*"


def _head(block: Block) -> str:
    moment = parse_iso(block.stamp) if block.stamp else None
    return f"User, {local_minute(moment)}" if moment is not None else "User"


def _call(call: Call, safe: Safe) -> str:
    if safe is not as_it_is:
        call = call._replace(input=masked_in(call.input))  # before a diff splits the texts
    path = call.input.get("file_path") or call.input.get("notebook_path")
    name = plain(call.name)
    if call.name in EDIT_TOOLS and (rows := edit_rows(call)):
        diff = "\n".join("⋯" if row.sign == "@" else f"{row.sign}{row.text}" for row in rows)
        return f"**{name}** {code_span(str(path))}\n\n{fenced(diff, 'diff')}"
    command = call.input.get("command")
    if call.name == "Bash" and isinstance(command, str):
        return f"**{name}**\n\n{fenced(safe(command), 'sh')}"
    given = json.dumps(call.input, ensure_ascii=False, indent=2) if call.input else ""
    return f"**{name}**" + (f"\n\n{fenced(safe(given), 'json')}" if given else "")


def fenced(text: str, language: str = "") -> str:
    """A text between fences longer than any in it."""
    text = clean(text).strip("\n")
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def code_span(text: str) -> str:
    """A line as code, between more back-ticks than occur in it."""
    text = clean_line(text)
    ticks = "`" * (_longest(text) + 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"


def _longest(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)


def contained(text: str) -> str:
    """A Markdown text; fenced if it would swallow the text after it."""
    text = clean(text).strip("\n")
    if not _MAY_SWALLOW.search(text):
        return text
    from markdown_it import MarkdownIt  # slow to import, and rarely needed

    text = _without_html(text)
    last = MarkdownIt("commonmark").parse(f"{text}\n\n{_END}")[-2:]
    ends = last and (last[0].type, last[0].level, last[0].content) == ("inline", 1, _END)
    return text if ends else fenced(text)


def _without_html(text: str) -> str:
    """A Markdown text whose HTML is text for every reader: each ``<`` that may open a tag is escaped.

    Only code stays as it is: fenced or indented, or between back-ticks in a line.
    """
    if not _TAG.search(text):
        return text
    from markdown_it import MarkdownIt

    # HTML is off, as it will be once it is escaped: a comment then hides no fence.
    tokens = MarkdownIt("commonmark", {"html": False}).parse(text)
    code = {
        number
        for each in tokens
        if each.type in ("fence", "code_block") and each.map
        for number in range(*each.map)
    }
    rows = (row if number in code else _escaped(row) for number, row in enumerate(text.split("\n")))
    made = "\n".join(rows)
    return made if not _has_html(made) else fenced(text)


def _escaped(row: str) -> str:
    parts = _SPAN.split(row)  # every second one is code
    return "".join(part if at % 2 else _TAG.sub(r"\\<", part) for at, part in enumerate(parts))


def _has_html(text: str) -> bool:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    return any(
        each.type in ("html_block", "html_inline") for one in tokens for each in (one, *(one.children or ()))
    )


def plain(line: str) -> str:
    """A line with its Markdown characters escaped."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|~&" else each for each in clean_line(line))


def _quoted(text: str) -> str:
    return "\n".join(f"> {row}".rstrip() for row in contained(text).split("\n"))
