"""Lists, and sections under ``##`` headings, of which all formats are made.

Reading respects code fences: a heading inside a closed fence is text. Writing puts a backslash before a line
of text that would be read as a heading or an unclosed fence, and reading removes it, so any text survives
unchanged. Standard library only, as the first paint reads captures; `record` has the types of most formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memtui.ground.text import block, one_line, without_blank_ends


def is_none(text: str) -> bool:
    """Whether `text` stands for nothing: it is empty or ``(none)``."""
    return text.casefold() in ("", "(none)")


@dataclass(frozen=True)
class Section:
    """A section unknown to its format: kept, and written below the known ones."""

    heading: str
    text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "heading", one_line(self.heading))
        object.__setattr__(self, "text", block(self.text))


_HEADING = re.compile(r"##(?:[ \t]+(.*))?$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")

LineTest = Callable[[str], bool]


def heading(line: str) -> str | None:
    found = _HEADING.match(line) if line.startswith("##") else None
    return (found[1] or "").strip() if found else None


def fenced(lines: Sequence[str]) -> bytearray:
    """For each line 1 when it belongs to a closed code fence, delimiters included, else 0.

    An unclosed fence does not count: it must not swallow the rest of a document.
    """
    marks = bytearray(len(lines))
    end = -1
    unclosed = {"`": 1 << 30, "~": 1 << 30}  # no later fence of that length is closed, either
    for index, line in enumerate(lines):
        opener = _FENCE.match(line) if index > end and line.startswith(("```", "~~~")) else None
        run = (opener[1] or opener[2]) if opener else ""
        if not run or len(run) >= unclosed[run[0]]:
            continue
        ends = (at for at in range(index + 1, len(lines)) if lines[at].startswith(run))
        found = next((at for at in ends if not lines[at].rstrip().strip(run[0])), None)
        if found is None:
            unclosed[run[0]] = len(run)
        else:
            end = found
            marks[index : end + 1] = b"\x01" * (end + 1 - index)
    return marks


def _never(_: str) -> bool:
    return False


def escape(text: str, always: LineTest = _never) -> str:
    """Put a backslash in front of the lines of a normalised text that would be read as structure.

    `always` recognises further lines that need one, even within fences.
    """
    return _each_special(text, always, lambda line: "\\" + line)


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


Layout = Mapping[str, str]  # the known sections of a format, by each of their names


def layout(*titles: str, aliases: Mapping[str, str] | None = None) -> Layout:
    """The layout of a format; aliases are further names of a section."""
    names = {title: title for title in titles} | dict(aliases or {})
    return {name_of(name): title for name, title in names.items()}


class Document:
    """A parsed text: the lines before the first heading, the known sections, the unknown ones."""

    def __init__(self, always: LineTest = _never) -> None:
        self.always = always
        self.preamble: list[str] = []
        self.bodies: dict[str, list[str]] = {}
        self.extra: list[Section] = []

    def lines(self, title: str) -> list[str]:
        """The lines of a known section, without blank ends; none when it is missing."""
        return without_blank_ends(self.bodies.get(title, []))

    def block(self, title: str) -> str:
        return self.text(self.lines(title))

    def text(self, lines: Sequence[str]) -> str:
        """The text of these lines of the document, unescaped, without blank lines at its ends."""
        text = "\n".join(without_blank_ends(list(lines)))
        return _each_special(text, self.always, lambda line: line.removeprefix("\\"))


def read(lines: Sequence[str], known: Layout, always: LineTest = _never) -> Document:
    """Split a text into sections. The parts of a repeated known section are joined."""
    document = Document(always)
    inside = fenced(lines)
    body, unknown = document.preamble, list[tuple[str, list[str]]]()
    for index, line in enumerate(lines):
        new = None if inside[index] else heading(line)
        if new is None:
            body.append(line)
        elif title := known.get(name_of(new)):
            body = document.bodies.setdefault(title, [])
            body.append("")
        else:
            body = []
            unknown.append((new, body))
    for new, body in unknown:
        document.extra.append(Section(heading=new, text=document.text(body)))
    return document


def render(
    bodies: Mapping[str, str],
    extra: Sequence[Section],
    *,
    gap: str = "\n",
    empty: str = "",
    always: LineTest = _never,
) -> str:
    """Known sections in the order of `bodies`, each a finished body by its heading, then the unknown ones.

    `gap` stands between a heading and its body, `empty` after the heading of an empty section; see `escape`
    for `always`.
    """
    parts = [f"## {title}{gap}{body}" if body else f"## {title}{empty}" for title, body in bodies.items()]
    for section in extra:
        text = escape(section.text, always)
        parts.append(f"## {section.heading}".rstrip() + (gap + text if text else ""))
    return "\n\n".join(parts)


_BULLET = r"[-*+•](?:[ \t]+(.*))?$"
_NUMBER = r"[0-9]{1,9}[.)][ \t]"


def parse_items(lines: Sequence[str]) -> list[str]:
    """The items of a list. Text outside a list counts, too: a paragraph is an item, so no line is lost."""
    items: list[list[str]] = []
    inside = fenced(lines)
    for index, line in enumerate(lines):
        if not line.strip():
            if items:
                items[-1].append("")
            continue
        bullet = None if inside[index] else re.match(_BULLET, line)
        goes_on = lines[index - 1].strip() and not re.match(_NUMBER, line)  # else a numbered list
        if bullet:
            items.append([bullet[1] or ""])
        elif items and (inside[index] or line.startswith(("  ", "\t")) or goes_on):
            items[-1].append(line if inside[index] else re.sub("^(?:  |\t)", "", line))
        else:
            items.append([line])
    return ["\n".join(item).strip() for item in items]


def render_items(items: Iterable[str]) -> str:
    return "\n".join("- " + indented(item) for item in items)


def indented(text: str, by: str = "  ") -> str:
    """`text` with all lines but the first indented; blank ones stay empty."""
    if "\n" not in text:
        return text
    first, *rest = text.split("\n")
    return "\n".join([first, *(by + line if line else "" for line in rest)])
