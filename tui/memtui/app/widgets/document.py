"""Displayable text: logical lines with roles, and their layout in a width, which a view colours."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from memtui.app.widgets.wrap import Piece, graphemes, wrap
from memtui.ground.clean import clean

LINE_LIMIT = 2000
"""Maximum length of a displayed logical line in characters; longer ones are visibly cut."""

ASIDE = "source:"
"""The prefix of links that tab skips, as there may be one on every line."""


class Span(NamedTuple):
    """A range of characters of a line with a role of its own."""

    start: int
    end: int
    role: str


class Line(NamedTuple):
    """One logical line. Use `line` or `styled` for text that may not be clean."""

    text: str
    role: str = ""
    """One of `LOOKS`, or "" for plain text."""
    spans: tuple[Span, ...] = ()
    hang: int = 0
    """Columns by which the screen lines after the first are indented."""
    link: str = ""
    """The target of this line, interpreted by its owner; empty for plain text."""


class Document:
    """An immutable sequence of lines."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self.lines = tuple(lines)

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def links(self) -> tuple[int, ...]:
        return tuple([number for number in self.followed if not self.lines[number][4].startswith(ASIDE)])

    @cached_property
    def followed(self) -> tuple[int, ...]:
        return tuple([number for number, line in enumerate(self.lines) if line[4]])

    @property
    def text(self) -> str:
        return "\n".join([line[0] for line in self.lines])


BLANK, EMPTY = Line(""), Document()


def line(text: str, role: str = "", *, hang: int = 0, spans: tuple[Span, ...] = ()) -> Line:
    """A line of untrusted text: cleaned, line breaks turned to spaces, cut at `LINE_LIMIT`."""
    return _capped(Line(clean(text).replace("\n", " "), role, spans, hang))


def styled(*parts: str | tuple[str, str], role: str = "", hang: int = 0, link: str = "") -> Line:
    """A line of several parts, each a text or a (text, role)."""
    text, spans = "", []
    for part in parts:
        piece, piece_role = (part, "") if isinstance(part, str) else part
        safe = clean(piece).replace("\n", " ")
        if piece_role and safe:
            spans.append(Span(len(text), len(text) + len(safe), piece_role))
        text += safe
    return _capped(Line(text, role, tuple(spans), hang, link))


def led(lead: str, role: str, made: Line) -> Line:
    """A line behind a lead with a role of its own."""
    by = len(lead)
    spans = (Span(0, by, role), *(Span(start + by, end + by, kind) for start, end, kind in made.spans))
    return made._replace(text=lead + made.text, spans=spans)


def rule(text: str = "", role: str = "rule") -> Line:
    return line(f"──── {text} " if text else "", role)


def plain(text: str, role: str = "") -> Document:
    return Document([_capped(Line(row, role)) for row in clean(text).split("\n")])


def concat(*parts: Document | Line) -> Document:
    lines: list[Line] = []
    for part in parts:
        lines.extend(part.lines if isinstance(part, Document) else (part,))
    return Document(lines)


def _capped(made: Line) -> Line:
    text = made.text
    if len(text) <= LINE_LIMIT:
        return made
    # The cut must not split a grapheme; the last of these few may be incomplete.
    tail = graphemes(text[LINE_LIMIT - 40 : LINE_LIMIT + 1])
    end = LINE_LIMIT - 40 + tail[-1][0]
    note = f"… ({len(text) - end:,} more characters)"
    spans = [Span(start, min(stop, end), role) for start, stop, role in made.spans if start < end]
    spans.append(Span(end, end + len(note), "dim"))
    return made._replace(text=text[:end] + note, spans=tuple(spans))


class Place(NamedTuple):
    """A place in a document that is independent of the width: a line and a character of it."""

    line: int
    char: int = 0


class Layout:
    """The screen rows of a document's lines."""

    def __init__(self, document: Document, width: int) -> None:
        self.document = document
        self.width = width
        self._tops = tops = [0]
        self._pieces: dict[int, tuple[Piece, ...]] = {}
        """Those of the lines that are not shown as one whole piece."""
        top = 0
        for number, (text, role, _, hang, _) in enumerate(document.lines):
            if role == "rule" or (len(text) <= width and text.isascii()):
                top += 1
            else:
                pieces = wrap(text, width, hang)
                if pieces != ((0, len(text)),):
                    self._pieces[number] = pieces
                top += len(pieces)
            tops.append(top)

    @property
    def rows(self) -> int:
        return self._tops[-1]

    def row(self, row: int) -> tuple[int, int, Piece]:
        """The line number at a screen row, the index of its piece there, and the piece."""
        if not 0 <= row < self.rows:
            raise IndexError(row)
        number = bisect_right(self._tops, row) - 1
        index = row - self._tops[number]
        return number, index, self._pieces_of(number)[index]

    def _pieces_of(self, number: int) -> tuple[Piece, ...]:
        return self._pieces.get(number) or (Piece(0, len(self.document.lines[number].text)),)

    def place(self, row: int) -> Place:
        if not self.rows:
            return Place(0)
        number, _, piece = self.row(min(max(0, row), self.rows - 1))
        return Place(number, piece.start)

    def row_of(self, place: Place) -> int:
        """The screen row that shows `place`, or the nearest."""
        if place.line >= len(self.document):
            return self.rows
        starts = [piece.start for piece in self._pieces_of(place.line)]
        return self._tops[place.line] + max(0, bisect_right(starts, place.char) - 1)


_BULLET = r"( *)([-*+]|\d{1,9}[.)])( +)(?=\S)"
_FENCE = r" {0,3}(`{3,}|~{3,})"
_HEADING = r" {0,3}(#{1,6})(?: +|$)"
_QUOTE = r" {0,3}((?:> ?)+)"
_CODE = r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)"
# Stricter than CommonMark, so that the `**` of glob patterns (src/**/*.py) is kept.
_STRONG = r"(?<![A-Za-z0-9_/*])\*\*(?![ *]).+?(?<![ *])\*\*(?![A-Za-z0-9_/*])"


def from_markdown(text: str) -> Document:
    """Read Markdown lightly: headings, bullets, quotes, fences, bold and code spans.

    Every source line stays one line; tables and everything unknown stay unchanged. Never fails, and takes
    linear time.
    """
    lines: list[Line] = []
    fence = ""
    for row in clean(text).split("\n"):
        if fence:
            closes = row.strip()
            if closes.startswith(fence) and not closes.strip(fence[0]):
                fence = ""
                lines.append(_capped(Line(row, "dim")))
            else:
                lines.append(_capped(Line(row, "code", (), _indent(row))))
            continue
        opens = re.match(_FENCE, row) if "```" in row or "~~~" in row else None
        if opens and not (opens[1][0] == "`" and "`" in row[opens.end() :]):
            fence = opens[1]
            lines.append(_capped(Line(row, "dim")))
        else:
            lines.append(_markdown_line(row))
    return Document(lines)


def markdown_lines(rows: list[str]) -> tuple[Line, ...]:
    return from_markdown("\n".join(rows)).lines if rows else ()


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip(" "))


def _markdown_line(row: str) -> Line:
    first = row.lstrip(" ")[:1]
    if not first or first not in "#>-*+_0123456789":
        return _inline(row, "", _indent(row))
    if first == "#" and (match := re.match(_HEADING, row)):
        caption = row[match.end() :].strip()
        bare = caption.rstrip("#")
        caption = bare.rstrip() if bare.endswith(" ") else caption
        return _inline(caption, "title" if len(match[1]) == 1 else "heading", 0)
    if first == ">" and (match := re.match(_QUOTE, row)):
        depth = match[1].count(">")
        return _inline(row[match.end() :], "quote", 2 * depth, lead="▎ " * depth, lead_role="quote")
    marks = row.replace(" ", "")
    if len(marks) >= 3 and first in "-*_" and not marks.strip(first):
        return Line("", "rule")
    if match := re.match(_BULLET, row):
        marker = "•" if len(match[2]) == 1 else match[2]
        lead = f"{match[1]}{marker} "
        return _inline(row[match.end() :], "", len(lead), lead=lead, lead_role="bullet")
    return _inline(row, "", _indent(row))


def _inline(row: str, role: str, hang: int, *, lead: str = "", lead_role: str = "") -> Line:
    # A line that will be cut stays unparsed: parsing a megabyte of invisible text takes time.
    marked = len(row) <= LINE_LIMIT and ("`" in row or "**" in row)
    text, spans = _marks(row) if marked else (row, ())
    made = Line(text, role, spans, hang)
    return _capped(led(lead, lead_role, made) if lead else made)


def _marks(row: str) -> tuple[str, tuple[Span, ...]]:
    found = [(*match.span(), len(match[1]), "code") for match in re.finditer(_CODE, row)]
    outside = re.sub(_CODE, lambda match: "`" * len(match[0]), row)
    found += [(*match.span(), 2, "strong") for match in re.finditer(_STRONG, outside)]
    edges = [edge for start, end, size, _ in found for edge in ((start, start + size), (end - size, end))]
    marks = sorted(at for edge in edges for at in range(*edge))
    hidden = set(marks)
    text = "".join(char for at, char in enumerate(row) if at not in hidden)

    def moved(at: int) -> int:
        return at - bisect_left(marks, at)

    spans = (Span(moved(start + size), moved(end - size), role) for start, end, size, role in found)
    return text, tuple(sorted(spans))
