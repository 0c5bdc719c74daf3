"""Breaking and cutting text and segments to screen lines: by cells, at words, never within a grapheme."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style

from memtui.ground.clean import clean


class Piece(NamedTuple):
    """One screen line of a text: the half-open range of its characters."""

    start: int
    end: int


# Characters of one cell that do not combine, so that counting characters counts cells.
_ONE_CELL = (
    "\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u203b\u2190-\u2193"
    "\u2500-\u25f7\u2713-\u2718\u2800-\u28ff"
)
_PLAIN = re.compile(f"[{_ONE_CELL}]*")
# Spacing vowel signs that Unicode keeps with the previous letter: Thai and Lao AM.
_SPACING_MARKS = frozenset("\u0e33\u0eb3")
HOMES = r"(?<![\w.~/-])(?:/home|/Users|[A-Z]:\\Users)[/\\][^/\\\s\"']+(?=[/\\])|(?<!\w)/root(?=/)"
SOURCE = re.compile(r"\bL([1-9]\d{0,7})\b", re.ASCII)
_AGENT = r"(?a)\bagent-[\w-]+ L\d"
_LONG = r"(?<![^\s`\"'])[~/][^\s`]{84,}"


def source_line(text: str) -> int:
    """The line of the transcript that a text names as its source; 0 for none, or a subagent's."""
    found = SOURCE.search(text, text.rfind("(") + 1) or SOURCE.search(text)  # a task may speak of an L12
    return int(found[1]) if found and not re.search(_AGENT, text) else 0


def is_plain(text: str) -> bool:
    """Whether every character takes one cell and does not combine."""
    return text.isascii() or _PLAIN.fullmatch(text) is not None


def graphemes(text: str) -> list[tuple[int, int, int]]:
    """The user-perceived characters of `text` as (start, end, cells), covering it without gaps."""
    if is_plain(text):
        return [(at, at + 1, 1) for at in range(len(text))]
    spans: list[tuple[int, int, int]] = []
    half_flag = False
    for start, end, cells in split_graphemes(text)[0]:
        first = text[start]
        indicator = "\U0001f1e6" <= first <= "\U0001f1ff"
        if spans and ((indicator and half_flag) or first in _SPACING_MARKS):
            before = spans[-1]
            spans[-1] = (before[0], end, before[2] + cells)
            half_flag = False
        else:
            spans.append((start, end, cells))
            half_flag = indicator
    return spans


def wrap(text: str, width: int, hang: int = 0) -> tuple[Piece, ...]:
    """Break one line of text into pieces of at most `width` cells.

    Breaks are at spaces, which belong to no piece, or next to wide characters. A word longer than a line is
    cut, if possible after a slash, even after a bullet, as no break is made within the hanging indent. A
    grapheme wider than `width` gets a piece of its own.

    Tabs are expanded, and there are no control characters. The caller indents every piece but the first by
    `hang`, limited to half the width. Leading spaces stay in the first piece unless they alone fill it.
    """
    if len(text) <= width and is_plain(text):
        return (Piece(0, len(text)),)
    end = len(text.rstrip(" "))
    if not end:
        return (Piece(0, 0),)
    width = max(1, width)
    lead = hang_for(width, hang)
    spans = graphemes(text[:end])
    first = 0
    while _is_space(text, spans[first]):
        first += 1
    index = first if first >= width else 0
    pieces: list[Piece] = []
    room = width
    while True:
        stop = _fill(text, spans, index, max(index, first, lead), room)
        if stop == len(spans):
            pieces.append(Piece(spans[index][0], end))
            return tuple(pieces)
        if index < stop <= first:  # nothing fits after the indent: do without it
            index = first
            continue
        following = stop
        while _is_space(text, spans[following]):
            following += 1
        while _is_space(text, spans[stop - 1]):
            stop -= 1
        pieces.append(Piece(spans[index][0], spans[stop - 1][1]))
        index, room = following, max(1, width - lead)


def hang_for(width: int, hang: int) -> int:
    """The hanging indent used at this width: a narrow screen keeps at least half for the text."""
    return min(hang, max(0, width // 2))


def _fill(text: str, spans: list[tuple[int, int, int]], index: int, first: int, room: int) -> int:
    """The end of the line that begins at span `index`; no break at or before span `first`."""
    used, best, before, slash = 0, -1, 0, -1
    for at in range(index, len(spans)):
        cells = spans[at][2]
        if _is_space(text, spans[at]):
            if at > first:
                best = at
            used, before = used + cells, 0
            continue
        if at > first and (cells == 2 or before == 2) and used <= room:
            best = at
        used, before = used + cells, cells
        if used > room and at > index:
            return best if best > 0 else max(slash, 0) or at
        if at > first and text[spans[at][0]] == "/":
            slash = at + 1
    return len(spans)


def _is_space(text: str, span: tuple[int, int, int]) -> bool:
    return text[span[0]] == " " and span[1] - span[0] == 1


def cut(text: str, width: int) -> str:
    """The text in at most `width` cells, cut with ``…``."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[: max(0, width)]
    return head(text, width - 1) + "…"


def cut_left(text: str, width: int) -> str:
    """The end of the text in at most `width` cells, cut with ``…``: paths differ at their ends."""
    if cell_len(text) <= width:
        return text
    used, start = 1, len(text)
    for begin, _, cells in reversed(graphemes(text)):
        used += cells
        if used > width:
            break
        start = begin
    return "…" + text[start:] if width > 0 else ""


def cut_path(path: str, width: int = 72) -> str:
    """A path in at most `width` cells, with ~ for anybody's home folder: its beginning and its end."""
    if cell_len(text := re.sub(HOMES, "~", path)) <= width:
        return text
    first = head(text, width // 3)
    return first + cut_left(text, width - cell_len(first))


def short_paths(text: str, root: str = "") -> str:
    """A text with short paths (see `without_root`), long ones cut in the middle.

    Lines that name their source are as they are, as they can be pinned.
    """
    return "\n".join(
        row if SOURCE.search(row) else re.sub(_LONG, lambda path: cut_path(path[0]), without_root(row, root))
        for row in text.split("\n")
    )


def without_root(text: str, root: Path | str) -> str:
    """A text with paths as from the project's `root`, and ~ for anybody's home folder."""
    return re.sub(HOMES, "~", re.sub(rf"(?<![\w.~/-]){re.escape(str(root))}/", "", text) if root else text)


def head(text: str, width: int) -> str:
    if is_plain(text):
        return text[: max(0, width)]
    used = 0
    for start, _, cells in graphemes(text):
        used += cells
        if used > width:
            return text[:start]
    return text


def segment(text: str, style: Style) -> Segment:
    """A segment of one screen line, cleaned: line breaks are spaces."""
    return Segment(clean(text).replace("\n", " "), style)


def blank(width: int, style: Style) -> Segment:
    """`width` blank cells; the line API does not fill backgrounds by itself."""
    return Segment(" " * max(0, width), style)


def short_tokens(tokens: int) -> str:
    """A number of tokens in at most five characters: ``950``, ``12k``, ``1.2M``."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_500:
        return f"{round(tokens / 1_000)}k"
    return f"{tokens / 1_000_000:.1f}M"
