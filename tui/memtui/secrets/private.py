"""Parts of a text that its writer marked as private: ``<private>...</private>``."""

from __future__ import annotations

import re
from typing import Any

from memtui.ground.text import matcher

MARK = "[private]"
"""The replacement of a private part."""

# The full-width brackets are those of Chinese and Japanese keyboards.
_TAG = re.compile(
    r"[<＜]\s*(?P<closing>/\s*)?private(?![\w-])(?P<end>[^<>＜＞]{0,2000}[>＞])?", re.IGNORECASE
)


def without_private(text: str) -> str:
    """The text with each private part replaced by `MARK`; "" if nothing else is left.

    Tags count in any case and with attributes. A nested part ends with the outer one, and an unclosed one
    reaches to the end.
    """
    return split_private(text)[0]


def split_private(text: str, depth: int = 0) -> tuple[str, int]:
    """A piece of a text without private parts, and the number open at its end, given that before it."""
    tags = list(_TAG.finditer(text))
    if not depth and not tags:
        return text, 0
    kept: list[str] = []
    begin = 0
    last_closing = max((tag.start() for tag in tags if tag["closing"]), default=-1)
    for tag in tags:
        if tag["closing"]:
            if depth and tag["end"]:
                depth -= 1
                begin = tag.end()
        elif depth or tag.start() < last_closing or not _is_code(text, tag):
            if not depth:
                kept += [text[begin : tag.start()], MARK]
            depth += 1
    if not depth:
        kept.append(text[begin:])
    return ("" if all(part == MARK or not part.strip() for part in kept) else "".join(kept)), depth


def _is_code(text: str, tag: re.Match[str]) -> bool:
    """Whether an opening tag that nothing closes is code: ``List<Private>`` or ``<Private/>``."""
    glued = tag.start() > 0 and (text[tag.start() - 1].isalnum() or text[tag.start() - 1] == "_")
    return tag[0].endswith("/>") or (glued and tag[0].startswith("<Private"))


def line_may_hold_private(line: bytes) -> bool:
    """Whether a line of JSON in valid UTF-8 has to be searched for private parts."""
    return bool(matcher("(?i)private", lambda line: b"private" in line.lower())(line))


def without_private_in(value: Any) -> Any:
    """A JSON value without private parts; one that a block does not close reaches into the next ones."""
    if isinstance(value, str):
        return without_private(value)
    if isinstance(value, dict):
        return {without_private(key): without_private_in(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    depth = 0
    kept: list[Any] = []
    for block in value:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            text, depth = split_private(block["text"], depth)
            kept.append({**without_private_in({**block, "text": ""}), "text": text})
        else:
            kept.append(without_private_in(block))
    return kept
