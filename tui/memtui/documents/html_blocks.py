"""Blocks of a transcript as HTML, with nothing but elements and text, readable anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from memtui.documents.transcript_markdown import Safe, as_it_is
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import parse_iso, to_local
from memtui.secrets.secrets import masked_in
from memtui.transcript.actions import target_of
from memtui.transcript.blocks import Attached, Block, Skipped, Thinking
from memtui.transcript.call_pairs import Pair
from memtui.transcript.edits import Row, diff_counts, edit_rows
from memtui.transcript.events import Boundary, Call, Queued, Result, Said, Summary, Words
from memtui.transcript.outcomes import error_text, exit_code, outcome_of
from memtui.transcript.short_text import shortened
from memtui.transcript.tools import EDIT_TOOLS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_OPEN_ROWS = 40
"""Maximum rows of a diff, or of an ask, that is initially unfolded."""
_HEAD = 20
"""Number of visible rows of a longer ask."""
_LONG_MARKDOWN = 200_000
"""Length in characters from which a text is shown as plain text, not as Markdown."""
_TARGET = 160
_SIGNS = {"+": "add", "-": "del", "@": "gap", " ": "same"}


def pair_html(pair: Pair, safe: Safe, *, linked: bool) -> str:
    """A block with its result; "" if it is empty.

    Args:
        pair: the block.
        safe: the filter applied to each text.
        linked: whether it gets an anchor with the number of its line.
    """
    block = pair.block
    inner = _inner(pair, safe)
    if not inner:
        return ""
    name = type(block.event).__name__.lower()
    agent = " agent" if block.agent else ""
    if not linked:
        return f'<div class="{name}{agent}">{inner}</div>\n'
    line = f"L{pair.number}"
    return f'<div class="{name}{agent}" id="{line}"><a class="n" href="#{line}">{line}</a>{inner}</div>\n'


def _inner(pair: Pair, safe: Safe) -> str:
    event = pair.block.event
    if isinstance(event, Said):
        return markdown_html(safe(event.text))
    if isinstance(event, Words | Queued):
        return _ask(pair.block, safe(event.text))
    if isinstance(event, Call):
        return _call(event, pair.result, pair.block.folder, safe)
    if isinstance(event, Result):
        return _result_alone(event, safe)
    if isinstance(event, Boundary):
        known = (size for size in (event.pre_tokens, event.post_tokens) if size is not None)
        sizes = (f"{round(size / 1000)}k" for size in known)
        return _text(f"▼ Compacted {clean_line(event.trigger)} {' → '.join(sizes)}")
    if isinstance(event, Summary | Thinking):
        name = type(event).__name__
        return folded(f"{name}, {len(event.text):,} characters", markdown_html(safe(event.text)))
    if isinstance(event, Attached):
        size = f", {event.size * 3 // 4 / 1000:,.0f} kB" if event.size else ""
        return _text(f"▣ {clean_line(event.name)}{size}")
    assert isinstance(event, Skipped)
    return _text(f"… {event.reason} skipped")


def _text(text: str) -> str:
    return escape(clean(text))


def folded(head: str, body: str, *, is_open: bool = False, html_head: bool = False) -> str:
    """A part that the reader can unfold."""
    opened = " open" if is_open else ""
    return f"<details{opened}><summary>{head if html_head else _text(head)}</summary>{body}</details>"


def pre(text: str, kind: str = "") -> str:
    """A plain text, each line with its own writing direction."""
    name = f' class="{kind}"' if kind else ""
    return f'<pre{name} dir="auto">{_text(text.strip(chr(10)))}</pre>'


def markdown_html(text: str) -> str:
    """Markdown as HTML, without raw HTML and images, and with links only to pages and mail addresses."""
    if len(text) > _LONG_MARKDOWN:
        return pre(text)
    return f'<div class="md" dir="auto">{_markdown().render(clean(text))}</div>'


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # slow to import

    options = {"html": False, "breaks": True, "xhtmlOut": False}
    made = MarkdownIt("commonmark", options).enable("table").disable("image")
    made.validateLink = _leads_out  # type: ignore[method-assign]
    return made


def _leads_out(url: str) -> bool:
    return url.lower().startswith(("https://", "http://", "mailto:"))


def _ask(block: Block, text: str) -> str:
    moment = parse_iso(block.stamp) if block.stamp else None
    time = f"<time>{to_local(moment):%H:%M}</time> " if moment is not None else ""
    rows = clean(text).strip("\n").split("\n")
    lead = f'<span class="who">{time}❯</span>'
    if len(rows) <= _OPEN_ROWS:
        return lead + pre(text, "words")
    rest = folded(
        f"{len(rows) - _OPEN_ROWS // 2:,} more lines", pre("\n".join(rows[_OPEN_ROWS // 2 :]), "words")
    )
    return lead + pre("\n".join(rows[: _OPEN_ROWS // 2]), "words") + rest


def _call(call: Call, result: Result | None, folder: str, safe: Safe) -> str:
    if safe is not as_it_is:
        call = call._replace(input=masked_in(call.input))  # before a diff splits the texts
    rows = edit_rows(call) if call.name in EDIT_TOOLS else []
    target = clean_line(safe(target_of(call)))
    shown = shortened(target.removeprefix(f"{folder}/") if folder else target, _TARGET)
    head = [f"<b>{_text(clean_line(call.name))}</b> <code>{_text(shown)}</code>"]
    if rows:
        added, removed = diff_counts(rows)
        head.append(f'<span class="good">+{added}</span> <span class="bad">−{removed}</span>')
    body = _diff(rows) if rows else _given(call, target, safe)
    if result is not None:
        head.append(_outcome(result))
        text = safe(error_text(result) if result.failed else result.text).strip("\n")
        if text.strip():
            number = text.count("\n") + 1
            head.append(f'<span class="dim">{number:,} {"line" if number == 1 else "lines"}</span>')
            body += pre(text, "bad" if result.failed else "out")
    line = " ".join(filter(None, head))
    if not body:
        return f'<p class="call-head">{line}</p>'
    return folded(line, body, is_open=0 < len(rows) <= _OPEN_ROWS, html_head=True)


def _outcome(result: Result) -> str:
    outcome = outcome_of(result)
    if outcome == "failed":
        code = exit_code(result)
        return f'<span class="bad">✗ {f"exit {code}" if code is not None else "failed"}</span>'
    return f'<span class="bad">✗ {outcome}</span>' if outcome in ("rejected", "interrupted") else ""


def _result_alone(result: Result, safe: Safe) -> str:
    text = safe(error_text(result) if result.failed else result.text).strip("\n")
    if not text.strip():
        return ""
    head = "Failed" if result.failed else "Result"
    return folded(f"{head}, {text.count(chr(10)) + 1:,} lines", pre(text, "bad" if result.failed else "out"))


def _given(call: Call, target: str, safe: Safe) -> str:
    """The input of a call that its heading does not show."""
    command = call.input.get("command")
    if isinstance(command, str):
        return pre(safe(command), "in") if clean_line(command) != command or len(target) > _TARGET else ""
    if not call.input or (len(call.input) == 1 and len(target) <= _TARGET):
        return ""
    return pre(safe(json.dumps(call.input, ensure_ascii=False, indent=2)), "in")


def _diff(rows: list[Row]) -> str:
    return f'<pre class="diff" dir="auto">{"".join(map(_row, rows))}</pre>'


def _row(row: Row) -> str:
    text = clean(row.text).replace("\n", " ")
    # Cleaning may move characters: then changed parts are not highlighted.
    marked = "".join(_marked(text, row.changed)) if text == row.text else escape(text)
    sign = "⋯" if row.sign == "@" else row.sign
    return f'<span class="{_SIGNS[row.sign]}">{sign}{marked}\n</span>'


def _marked(text: str, parts: tuple[tuple[int, int], ...]) -> Iterator[str]:
    at = 0
    for start, stop in parts:
        yield f"{escape(text[at:start])}<mark>{escape(text[start:stop])}</mark>"
        at = stop
    yield escape(text[at:])
