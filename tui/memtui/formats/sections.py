r"""Markdown-like texts as sections under ``##`` headings, in both directions.

Reading respects code fences: a heading inside a closed fence is text. Writing puts a backslash before a line
of text that would be read as a heading or an unclosed fence, and reading removes it, so any text survives
unchanged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter

from memtui.formats.model import Section
from memtui.formats.text import without_blank_ends

_HEADING = re.compile(r"##(?:[ \t]+(.*))?$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")

LineTest = Callable[[str], bool]


def heading(line: str) -> str | None:
    """The text of a second-level heading, or None for any other line."""
    found = _HEADING.match(line) if line.startswith("##") else None
    return (found[1] or "").strip() if found else None


def fenced(lines: Sequence[str]) -> bytearray:
    """For each line 1 when it belongs to a closed code fence, delimiters included, else 0.

    An unclosed fence does not count: it must not swallow the rest of a document.
    """
    marks = bytearray(len(lines))
    places = [index for index, line in enumerate(lines) if line.startswith(("```", "~~~"))]
    closers = _Closers(lines, places)
    end = -1
    for index in places:
        if index > end:
            found = closers.after(index, lines[index])
            if found is not None:
                end = found
                marks[index : end + 1] = b"\x01" * (end + 1 - index)
    return marks


class _Closers:
    """The lines that can close a fence. One pass at the start keeps the whole search linear."""

    def __init__(self, lines: Sequence[str], fences: Iterable[int]) -> None:
        self._at: dict[str, list[tuple[int, int]]] = {"`": [], "~": []}
        self._longest: dict[str, list[int]] = {}
        for index in fences:
            bare = lines[index].rstrip()
            mark = bare[:1]
            if bare.count(mark) == len(bare):
                self._at[mark].append((index, len(bare)))
        for mark, places in self._at.items():
            self._longest[mark] = [*accumulate((size for _, size in reversed(places)), max)][::-1]

    def after(self, index: int, line: str) -> int | None:
        """The line that closes the fence opened by `line` at `index`; None when it stays open."""
        opener = _FENCE.match(line)
        if opener is None:
            return None
        run = opener[1] or opener[2]
        mark = run[:1]
        places = self._at[mark]
        place = bisect_right(places, index, key=itemgetter(0))
        if place == len(places) or self._longest[mark][place] < len(run):
            return None
        while places[place][1] < len(run):
            place += 1
        return places[place][0]


def _never(_: str) -> bool:
    return False


def escape(text: str, always: LineTest = _never) -> str:
    """Put a backslash in front of lines that would be read as structure.

    Args:
        text: A text in normal form.
        always: Tells further lines that need one, even within fences.
    """
    return _each_special(text, always, lambda line: "\\" + line)


def unescape(text: str, always: LineTest = _never) -> str:
    """Undo `escape`."""
    return _each_special(text, always, lambda line: line.removeprefix("\\"))


def _each_special(text: str, always: LineTest, change: Callable[[str], str]) -> str:
    if "##" not in text and "```" not in text and "~~~" not in text and always is _never:
        return text
    lines = text.split("\n")
    inside = fenced(lines)
    for index, line in enumerate(lines):
        bare = line.lstrip("\\")
        if always(bare) or (not inside[index] and (_HEADING.match(bare) or _FENCE.match(bare))):
            lines[index] = change(line)
    return "\n".join(lines)


def name_of(title: str) -> str:
    """A heading without its variable parts: case, trailing bracketed text, a colon, emphasis."""
    name = title.strip(" \t#:*_")
    if name.endswith((")", "]", "）")):
        name = re.split(r"[(\[（]", name, maxsplit=1)[0].strip(" \t#:*_")
    return " ".join(name.casefold().split())


class Layout:
    """The known sections of a format, in order, with their accepted names."""

    def __init__(self, *titles: str, aliases: Mapping[str, str] | None = None) -> None:
        self.titles = titles
        self._by_name = {name_of(title): title for title in titles}
        self._by_name.update({name_of(alias): title for alias, title in (aliases or {}).items()})

    def find(self, title: str) -> str | None:
        """The known section that a heading means, in its spelling there; None for an unknown one."""
        return self._by_name.get(name_of(title))


@dataclass(slots=True)
class Document:
    """A parsed text: the lines before the first heading, the known sections, the unknown ones."""

    preamble: list[str] = field(default_factory=list)
    bodies: dict[str, list[str]] = field(default_factory=dict)
    extra: list[Section] = field(default_factory=list)

    def lines(self, title: str) -> list[str]:
        """The lines of a known section, without blank ends; none when it is missing."""
        return without_blank_ends(self.bodies.get(title, []))

    def block(self, title: str, always: LineTest = _never) -> str:
        """The text of a known section."""
        return unescape("\n".join(self.lines(title)), always)


def read(lines: Sequence[str], layout: Layout, always: LineTest = _never) -> Document:
    """Split a text into sections. The parts of a repeated known section are joined."""
    document = Document()
    inside = fenced(lines)
    title, body, after = None, document.preamble, ""
    for index, line in enumerate(lines):
        new = None if inside[index] else heading(line)
        if new is None:
            body.append(line)
            continue
        _keep(document, title, body, after, always)
        known = layout.find(new)
        if known is None:
            title, body = new, []
        else:
            body = document.bodies.setdefault(known, [])
            body.append("")
            title, after = None, known
    _keep(document, title, body, after, always)
    return document


def _keep(document: Document, title: str | None, body: list[str], after: str, always: LineTest) -> None:
    if title is not None:
        text = unescape("\n".join(without_blank_ends(body)), always)
        document.extra.append(Section(heading=title, text=text, after=after))


def placed(extra: Iterable[Section], layout: Layout, without: Iterable[str] = ()) -> tuple[Section, ...]:
    """Unknown sections in the order in which they are written; `without` names the known ones left out.

    Raises:
        ValueError: when one has the heading of a known section.
    """
    missing = set(without)
    written: list[str] = [""]
    place: dict[str | None, str] = {"": ""}
    for title in layout.titles:
        if title not in missing:
            written.append(title)
        place[title] = written[-1]
    result = []
    for section in extra:
        if layout.find(section.heading):
            raise ValueError(f"an unknown section cannot be called {section.heading!r}")
        after = place.get(section.after, written[-1])
        result.append(section if section.after == after else section.replace(after=after))
    order = {title: index for index, title in enumerate(written)}
    return tuple(sorted(result, key=lambda section: order[section.after or ""]))


def render(
    bodies: Mapping[str, str],
    extra: Sequence[Section],
    *,
    gap: str = "\n",
    empty: str = "",
    always: LineTest = _never,
) -> str:
    """Known sections in the order of `bodies`, each followed by its unknown ones.

    Args:
        bodies: Heading to finished body.
        extra: Unknown sections, as `placed` orders them.
        gap: Text between a heading and its body.
        empty: Text after the heading of an empty section.
        always: See `escape`.
    """
    parts: list[str] = []
    for title in ("", *bodies):
        if title:
            body = bodies[title]
            parts.append(f"## {title}{gap}{body}" if body else f"## {title}{empty}")
        for section in extra:
            if section.after == title:
                text = escape(section.text, always)
                parts.append(f"## {section.heading}".rstrip() + (gap + text if text else ""))
    return "\n\n".join(parts)
