"""What all formats share: records and their text types, lists, and sections under ``##`` headings.

Reading respects code fences: a heading inside a closed fence is text. Writing puts a backslash before a line
of text that would be read as a heading or an unclosed fence, and reading removes it, so any text survives
unchanged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import accumulate
from operator import itemgetter
from typing import Annotated, Any, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict

from memtui.ground.text import block, item, one_line, without_blank_ends


class Record(BaseModel):
    """A frozen value of a format. Its texts are normalised on creation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, and checked like a new one (`model_copy` checks nothing)."""
        return type(self).model_validate({**dict(self), **changes})

    def with_texts(self, change: Callable[[str], str]) -> Self:
        """A copy with every text changed, at any depth, except in unknown sections."""

        def changed(value: Any) -> Any:
            if isinstance(value, str):
                return change(value)
            if isinstance(value, Section):
                return value
            if isinstance(value, Record):
                return value.with_texts(change)
            return tuple(map(changed, value)) if isinstance(value, tuple) else value

        return self.replace(**{name: changed(value) for name, value in self})


def _text(function: Callable[[str], str]) -> BeforeValidator:
    return BeforeValidator(lambda value: function(value) if isinstance(value, str) else value)


def _items(values: object) -> object:
    if not isinstance(values, list | tuple):
        return values
    items = (item(value) if isinstance(value, str) else value for value in values)
    return tuple(item for item in items if not (isinstance(item, str) and is_none(item)))


def is_none(text: str) -> bool:
    """Whether `text` stands for nothing: it is empty or ``(none)``."""
    return text.casefold() in ("", "(none)")


def _whole_seconds(moment: datetime) -> datetime:
    if type(moment.tzinfo) is timezone and not (moment.microsecond or moment.fold):  # most texts
        return moment
    # A fixed offset: two times of one zone compare unequal in the hour that a zone change repeats.
    return moment.replace(microsecond=0, tzinfo=timezone(moment.utcoffset() or timedelta()), fold=0)


Moment = Annotated[AwareDatetime, AfterValidator(_whole_seconds)]
"""A time to the second, with its offset."""

Line = Annotated[str, _text(one_line)]
"""A text of one line."""

Block = Annotated[str, _text(block)]
"""A text of any number of lines, without blank ones at its ends."""

Items = Annotated[tuple[str, ...], BeforeValidator(_items)]
"""List items of one or more lines each; empty ones and ``(none)`` are dropped."""


class Section(Record):
    """A section unknown to its format: kept, and written back to its place."""

    heading: Line
    text: Block = ""
    after: str | None = None
    """The heading, as written, of the known section before it; "" if there is none, None for the last."""


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


_BULLET = re.compile(r"[-*+•](?:[ \t]+(.*))?$")
_NUMBER = re.compile(r"[0-9]{1,9}[.)][ \t]")


def parse_items(lines: Sequence[str]) -> list[str]:
    """The items of a list. Text outside a list counts, too: a paragraph is an item, so no line is lost."""
    items: list[list[str]] = []
    inside = fenced(lines)
    for index, line in enumerate(lines):
        if not line.strip():
            if items:
                items[-1].append("")
            continue
        bullet = None if inside[index] else _BULLET.match(line)
        if bullet:
            items.append([bullet[1] or ""])
        elif items and _belongs(line, after_blank=not lines[index - 1].strip(), fenced=bool(inside[index])):
            items[-1].append(line if inside[index] else _unindented(line))
        else:
            items.append([line])
    return ["\n".join(item).strip() for item in items]


def _belongs(line: str, *, after_blank: bool, fenced: bool) -> bool:
    """Whether a line that starts no item continues the previous one."""
    if line.startswith(("  ", "\t")) or fenced:
        return True
    return not after_blank and not _NUMBER.match(line)


def _unindented(line: str) -> str:
    return line[2:] if line.startswith("  ") else line.removeprefix("\t")


def render_items(items: Iterable[str]) -> str:
    """Items in normal form as a list."""
    return "\n".join("- " + indented(item) for item in items)


def indented(text: str, by: str = "  ") -> str:
    """`text` with all lines but the first indented; blank ones stay empty."""
    if "\n" not in text:
        return text
    first, *rest = text.split("\n")
    return "\n".join([first, *(by + line if line else "" for line in rest)])
