"""A session as one document for reading or attaching, in HTML or Markdown, generated part by part."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import local_minute, parse_iso, to_local
from memtui.ground.text import counted
from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.blocks import FOLDED, Attached, Block, Folded, Typed, edit_rows
from memtui.transcript.events import Boundary, Call, Queue, Result, Said, error_text
from memtui.transcript.session import SessionSummary, worker_of
from memtui.transcript.shell import EDIT_TOOLS
from memtui.transcript.short_text import one_line, shortened

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererProtocol
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

_CSS = Path(__file__).with_name("page.css")
_LISTED = 5_000
_ASK = 120
_LONG_MARKDOWN = 200_000  # length in characters from which a text is shown as plain text, not as Markdown

Numbered = tuple[int, Block]  # the number of a line, and a block of it


@dataclass(frozen=True)
class Subagent:
    """A subagent with a transcript of its own."""

    task: str
    read: Callable[[], Iterable[Numbered]]


Subagents = dict[str, Subagent]  # subagents by id; a page removes each one after placing it


def about(session_id: str, summary: SessionSummary, subagents: int = 0) -> list[str]:
    times = [parse_iso(each) for each in (summary.started, summary.ended)]
    when = " – ".join(local_minute(each) for each in times if each is not None)
    turns = counted(summary.turns, "turn")
    compacted = f"compacted {counted(summary.compactions, 'time')}" if summary.compactions else ""
    with_them = f"with {counted(subagents, 'subagent')}" if subagents else ""
    where = " ⎇ ".join(filter(None, (summary.folder, summary.branch)))
    return [
        " · ".join(filter(None, (f"Claude Code session {session_id}", when, turns, compacted, with_them))),
        *([where] if where else []),
    ]


def session_markdown(
    name: str, notes: Iterable[str], found: Iterable[Numbered], subagents: Subagents | None = None
) -> Iterator[str]:
    """The session as Markdown, followed by its subagents; no text can break the structure around it."""
    yield f"# {plain(name)}\n\n"
    for note in notes:
        yield f"- {code_span(note)}\n"
    yield from _markdown(found)
    for agent, each in (subagents or {}).items():
        yield f"\n---\n\n# {plain(_head(agent, each))}\n"
        yield from _markdown(each.read())


def _markdown(found: Iterable[Numbered]) -> Iterator[str]:
    for _, block in found:
        if part := block_markdown(block):
            yield f"\n{part}\n"


def _head(agent: str, subagent: Subagent) -> str:
    task = shortened(one_line(clean_line(masked(subagent.task))), _ASK)
    return f"Subagent {clean_line(agent)}{f': {task}' if task else ''}"


def html_page(title: str, notes: Iterable[str], body: Iterable[str]) -> Iterator[str]:
    """A self-contained page, part by part: no scripts, nothing loaded. `body` is HTML, the rest is not."""
    name, css = escape(clean_line(title)), _CSS.read_text("utf-8")
    style = b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="memtui">\n'
        f"<title>{name}</title>\n<style>{css}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n"
    )
    for note in notes:
        yield f"<p>{escape(clean_line(note))}</p>\n"
    yield "</header>\n"
    yield from body
    yield "</body>\n</html>\n"


def session_html(
    name: str, notes: Iterable[str], found: Iterable[Numbered], subagents: Subagents | None = None
) -> Iterator[str]:
    """The session's Markdown as an HTML page; each subagent is folded where it worked, or at the end."""
    return html_page(name, notes, _body(found, subagents if subagents is not None else {}))


def _body(found: Iterable[Numbered], subagents: Subagents) -> Iterator[str]:
    asks: list[str] = []
    day, last = "", 0
    yield "<main>\n<section>\n"
    for number, block in found:
        made = _block_html(block, number if number != last else 0)
        if made:
            if block.is_ask:
                yield "</section>\n<section>\n"
                asks += [_listed(number, block)] if len(asks) < _LISTED else []
            moment = parse_iso(block.stamp) if block.stamp else None
            if moment is not None and (today := f"{to_local(moment):%a %d %b %Y}") != day:
                day = today
                yield f'<p class="day">{day}</p>\n'
            last = number
            yield made
        yield from _subagent_html(_worker(block), subagents)
    for agent in list(subagents):
        yield from _subagent_html(agent, subagents)
    yield "</section>\n</main>\n"
    if asks:  # at the end, as it is only known then; the page shows it first
        head = f"<summary>{counted(len(asks), 'ask')}</summary>"
        yield f"<nav><details>{head}<ol>\n{''.join(asks)}</ol></details></nav>\n"


def _block_html(block: Block, number: int) -> str:
    """A block, with an anchor if it has a number; "" if it is empty. Outputs and thoughts are folded."""
    part, event = block_markdown(block), block.event
    if not part:
        return ""
    if isinstance(event, Result | Folded):
        head, _, part = part.partition("\n\n")
        lines = part.count("\n") + 1 - 2 * isinstance(event, Result)  # without its fences
        head = f"{head.strip('*:')}, {counted(lines, 'line')}"
        inner = f"<details><summary>{escape(head)}</summary>{rendered(part)}</details>"
    else:
        inner = rendered(part)
    kind = f"{type(event).__name__.lower()}{' agent' if block.agent else ''}"
    if not number:
        return f'<div class="md {kind}">{inner}</div>\n'
    line = f"L{number}"
    return f'<div class="md {kind}" id="{line}"><a class="n" href="#{line}">{line}</a>{inner}</div>\n'


def rendered(text: str) -> str:
    """Markdown as HTML, without raw HTML and images, and with links only to pages and mail addresses."""
    if len(text) > _LONG_MARKDOWN:
        return f"<pre>{escape(clean(text))}</pre>"
    return str(_renderer().render(clean(text)))


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt  # slow to import

    made = MarkdownIt("commonmark", {"html": False, "breaks": True, "xhtmlOut": False})
    made.enable("table").disable("image").add_render_rule("fence", _fence)
    made.validateLink = lambda url: url.lower().startswith(("https://", "http://", "mailto:"))  # type: ignore[method-assign]
    return made


def _fence(
    _: RendererProtocol, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    if token.info != "diff":
        return f"<pre>{escape(token.content)}</pre>\n"
    signs = {"+": "add", "-": "del"}
    rows = (
        f'<span class="{signs.get(row[:1], "same")}">{escape(row)}\n</span>'
        for row in token.content.rstrip("\n").split("\n")
    )
    return f'<pre class="diff">{"".join(rows)}</pre>\n'


def _worker(block: Block) -> str:
    return worker_of(block.event) if isinstance(block.event, Result) else ""


def _subagent_html(agent: str, subagents: Subagents) -> Iterator[str]:
    subagent = subagents.pop(agent, None)
    if subagent is None:
        return
    yield f'<details class="subagent"><summary>{escape(_head(agent, subagent))}</summary>\n'
    for _, block in subagent.read():
        yield _block_html(block, 0)
        yield from _subagent_html(_worker(block), subagents)
    yield "</details>\n"


def _listed(number: int, block: Block) -> str:
    text = block.event.text if isinstance(block.event, Typed) else ""
    line = shortened(one_line(clean_line(masked(text))), _ASK)
    return f'<li dir="auto"><a href="#L{number}">{escape(line)}</a></li>\n'


_RUNS = re.compile("`+")
_MAY_SWALLOW = re.compile(r"```|~~~|<")
"""Fences and HTML whose opening in a text would swallow the text after it."""
_TAG_OR_CODE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}(?!`)|~{3,}(?!~)).*?^ {0,3}(?P=fence)"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)*?(?<!`)(?P=ticks)(?!`)|<(?=[A-Za-z/!?])",
    re.MULTILINE | re.DOTALL,
)
_END = "memtui-end"


def transcript_markdown(blocks: Iterable[Block]) -> str:
    """Blocks one below the other, with secrets masked."""
    return "\n\n".join(part for part in map(block_markdown, blocks) if part) + "\n"


def block_markdown(block: Block) -> str:
    """One block with secrets masked, without line breaks around it; "" if it is empty."""
    event = block.event
    if isinstance(event, Said):
        return contained(masked(event.text))
    if isinstance(event, Typed):
        moment = parse_iso(block.stamp) if block.stamp else None
        when = f", {local_minute(moment)}" if moment is not None else ""
        who = "Queued" if isinstance(event, Queue) else "User"
        return f"## {who}{when}\n\n{contained(masked(event.text))}"
    if isinstance(event, Call):
        return _call(event)
    if isinstance(event, Result):
        text = masked(error_text(event) if event.failed else event.text)
        return (f"{'Failed' if event.failed else 'Result'}:\n\n" + fenced(text)) if text.strip() else ""
    if isinstance(event, Boundary):
        return f"---\n\n*Compacted ({plain(event.trigger) or 'unknown'})*"
    if isinstance(event, Folded):
        rows = contained(masked(event.text)).split("\n")
        return f"*{FOLDED[type(event)]}:*\n\n" + "\n".join(f"> {row}".rstrip() for row in rows)
    if isinstance(event, Attached):
        return code_span(event.name)
    return f"*{plain(event.reason)}*"


def _call(call: Call) -> str:
    call = call._replace(input=masked_in(call.input))  # before a diff splits the texts
    path = call.input.get("file_path") or call.input.get("notebook_path")
    name = plain(call.name)
    if call.name in EDIT_TOOLS and (rows := edit_rows(call)):
        diff = "\n".join(f"{row.sign}{row.text}" for row in rows)
        return f"**{name}** {code_span(str(path))}\n\n{fenced(diff, 'diff')}"
    command = call.input.get("command")
    if call.name == "Bash" and isinstance(command, str):
        return f"**{name}**\n\n{fenced(masked(command), 'sh')}"
    given = json.dumps(call.input, ensure_ascii=False, indent=2) if call.input else ""
    return f"**{name}**" + (f"\n\n{fenced(masked(given), 'json')}" if given else "")


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

    # HTML is text for every reader: each `<` outside code that may open a tag is escaped.
    made = _TAG_OR_CODE.sub(lambda found: "\\<" if found[0] == "<" else found[0], text)
    tokens = MarkdownIt("commonmark").parse(f"{made}\n\n{_END}")
    ends = [(last.type, last.level, last.content) for last in tokens[-2:-1]] == [("inline", 1, _END)]
    inside = (each.type for token in tokens for each in (token, *(token.children or ())))
    return made if ends and not {"html_block", "html_inline"} & set(inside) else fenced(text)


def plain(line: str) -> str:
    """A line with its Markdown characters escaped."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|~&" else each for each in clean_line(line))
