"""Changing a JSON text in its own style, keeping the rest byte for byte.

Works on texts that `json.loads` has accepted. Places are offsets of an object's or array's first bracket.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence

from memtui.formats.json_spans import Member, Span, items, members, skip_space, value_end
from memtui.ground.named import TYPE_CHECKING, NamedTuple
from memtui.ground.patterns import deferred

if TYPE_CHECKING:
    from typing import Any

_BLANK = deferred(r"[ \t]*")


class Style(NamedTuple):
    """The formatting of a text."""

    pretty: bool
    """Each member of the outer object is on its own line."""
    unit: str
    """One step of indentation."""
    newline: str
    comma: str
    """Between two values on one line, with the space that follows it."""
    colon: str


def root_of(text: str) -> int:
    """The offset of the outer value."""
    return skip_space(text, 1 if text.startswith("\ufeff") else 0)


def style_of(text: str) -> Style:
    """The style of a text whose outer value is an object; an empty one is taken to be indented by 2."""
    newline = "\r\n" if "\r\n" in text else "\n"
    found = list(members(text, root_of(text)))
    if not found:
        return Style(True, "  ", newline, ", ", ": ")
    first = found[0]
    colon = _short(text[first.start + len(first.key) : first.value.start], ": ")
    comma = ", " if colon.endswith(" ") else ","
    if len(found) > 1:
        comma = _short(text[first.value.end : found[1].start], comma)
    margin = line_indent(text, first.start)
    if margin is None:
        return Style(False, "  ", newline, comma, colon)
    unit = margin.removeprefix(_line_margin(text, root_of(text)))
    return Style(True, unit, newline, ", ", colon)


def _short(gap: str, otherwise: str) -> str:
    return otherwise if "\n" in gap or "\r" in gap else gap


def member(text: str, at: int, key: str) -> Member | None:
    """The member of an object by its key; of several the last, which is the effective one."""
    return next((each for each in reversed(list(members(text, at))) if json.loads(each.key) == key), None)


def line_indent(text: str, at: int) -> str | None:
    """The indentation of the value at `at`; None if it is not the first on its line."""
    begin = text.rfind("\n", 0, at) + 1
    gap = text[begin:at]
    return gap if begin and not gap.strip(" \t\r") else None


def add_member(text: str, at: int, key: str, value: Any, style: Style) -> str:
    """The text with another member at the end of the object at `at`."""
    children = [Span(each.start, each.value.end) for each in members(text, at)]
    prefix = json.dumps(key, ensure_ascii=False) + style.colon
    return _add(text, at, children, lambda margin: prefix + _rendered(value, style, margin), style)


def add_item(text: str, at: int, value: Any, style: Style) -> str:
    """The text with another item at the end of the array at `at`."""
    return _add(text, at, list(items(text, at)), lambda margin: _rendered(value, style, margin), style)


def insert_item(text: str, at: int, item: str, index: int | None, style: Style) -> str:
    """The text with another item in the array at `at`.

    Args:
        text: see `add_item`.
        at: see `add_item`.
        item: the item's JSON, inserted unchanged.
        index: its index; None for the end.
        style: see `add_item`.
    """
    return _add(text, at, list(items(text, at)), lambda margin: item, style, index)


def cut_member(text: str, at: int, key: str) -> str:
    """The text without a member. A repeated key is emptied instead, as removing it would expose the other."""
    found = list(members(text, at))
    keys = [json.loads(each.key) for each in found]
    index = len(keys) - 1 - keys[::-1].index(key)
    if keys.count(key) > 1:
        value = found[index].value
        return text[: value.start + 1] + text[value.end - 1 :]
    return _cut(text, at, [Span(each.start, each.value.end) for each in found], (index,))


def cut_items(text: str, at: int, gone: Collection[int]) -> str:
    """The text without some items of the array at `at`, given by their indices."""
    return _cut(text, at, list(items(text, at)), gone)


def put_member(text: str, at: int, key: str, value: Any, style: Style) -> str:
    """The text with another value for an existing member, formatted like a new one."""
    found = member(text, at, key)
    assert found is not None
    new = _rendered(value, style, line_indent(text, found.start))
    return text[: found.value.start] + new + text[found.value.end :]


def replace(text: str, span: Span, value: Any) -> str:
    """The text with a one-line value replaced by another."""
    return text[: span.start] + json.dumps(value, ensure_ascii=False) + text[span.end :]


def _add(
    text: str,
    at: int,
    children: Sequence[Span],
    write: Callable[[str | None], str],
    style: Style,
    index: int | None = None,
) -> str:
    """The text with another child, which `write` returns for an indentation (None: on one line)."""
    if not children:
        return _fill(text, at, write, style)
    place = len(children) if index is None else min(max(index, 0), len(children))
    margin = line_indent(text, children[-1].start)
    gap = style.comma if margin is None else f",{style.newline}{margin}"
    if len(children) > 1:
        gap = text[children[-2].end : children[-1].start]
    if place == 0:
        first = children[0].start
        return text[:first] + write(margin) + gap + text[first:]
    before = children[place - 1].end
    return text[:before] + gap + write(margin) + text[before:]


def _fill(text: str, at: int, write: Callable[[str | None], str], style: Style) -> str:
    """The text with a first child in an empty object or array."""
    end = value_end(text, at)
    if style.pretty:
        outer = _line_margin(text, at)
        inner = outer + style.unit
        new = f"{style.newline}{inner}{write(inner)}{style.newline}{outer}"
    else:
        new = write(None)
    return text[: at + 1] + new + text[end - 1 :]


def _rendered(value: Any, style: Style, margin: str | None) -> str:
    """A value as JSON: on one line when `margin` is None, else with its further lines indented by it."""
    if margin is None:
        return json.dumps(value, ensure_ascii=False, separators=(style.comma, style.colon))
    lines = json.dumps(value, ensure_ascii=False, indent=style.unit, separators=(",", style.colon))
    return lines.replace("\n", style.newline + margin)


def _cut(text: str, at: int, children: Sequence[Span], gone: Collection[int]) -> str:
    """Cut children with the separator in front of each; those at the beginning with the one behind."""
    kept = [number for number in range(len(children)) if number not in gone]
    if not kept:
        return text[: at + 1] + text[value_end(text, at) - 1 :]
    first = children[kept[0]]
    parts = [text[: children[0].start], text[first.start : first.end]]
    parts += [text[children[number - 1].end : children[number].end] for number in kept[1:]]
    return "".join([*parts, text[children[-1].end :]])


def _line_margin(text: str, at: int) -> str:
    """The blanks at the beginning of the line that `at` is in."""
    found = _BLANK.match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""
