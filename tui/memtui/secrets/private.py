"""Parts of a text marked as private: ``<private>...</private>``."""

from __future__ import annotations

import re
from typing import Any

from memtui.secrets.folding import (
    INVISIBLE,
    OPENERS,
    Folded,
    folded,
    holds_escape_marks,
    is_plain,
    without_controls,
)

MARK = "[private]"
"""The replacement of a private part."""

_TAG = re.compile(r"<\s*(?P<closing>/\s*)?private(?![\w-])(?P<end>[^<>]{0,2000}>)?")

_ESCAPES = r"[&\uff06\ufe60](?=amp|lt|la|ls|#)|\\(?=[ux\\])|%(?=25|3c|7|[46])"
_TYPE = re.compile(r"<Private[>,:\s]")
"""In type brackets, glued to a word, with this one capital: never used as a mark in prose."""
_IN_CODE = re.compile(r"\s*[&*]{0,2}\s*\w+\s*[;={]|\s*[;>]")
"""Text after a type parameter of that name: ``vector<Private> items;``."""
_BEFORE_TAG, _BEHIND_TAG = 40, 100
_WORD_BEFORE = re.compile(r"[\w:]+\Z")
_ESCAPE = re.compile(_ESCAPES, re.IGNORECASE)
_CANDIDATE = re.compile(
    rf"[<{OPENERS}&\uff06\ufe60\\%](?:(?<![&\uff06\ufe60\\%])"
    r"(?!\s{0,9}(?:[a-oA-Oq-zQ-Z0-9=!?|)\]\"'-]|/\s{0,9}[a-oA-Oq-zQ-Z0-9>*/]))"
    r"|(?<=[&\uff06\ufe60])(?i:(?=amp|lt|la|ls|#))|(?<=\\)(?=[uUxX\\])|(?<=%)(?=25|3[cC]|7|[46]))"
)
"""A possible beginning of a tag: a bracket not followed by a letter other than P."""
_LOOK, _LOOK_LONGER, _LOOK_BEHIND_PADDING = 16, 160, 1_000
_MOST_LOOKS = 500

_ODD_BYTE = rb"[&%\\\x00-\x1f\x7f-\xff]"


def _spelled(word: str) -> bytes:
    """Pattern for a word in any case, each letter possibly an escape or a non-ASCII character."""
    pattern = b""
    for letter in reversed(word.encode()):
        rest = b"(?:" + pattern + rb"|" + _ODD_BYTE + rb")" if pattern else b""
        pattern = b"[%c%c]%b" % (letter, letter - 32, rest)
    return pattern


_WRITTEN_TAG = re.compile(rb"<(?>(?:\s|\\[tnrf])*)(?:" + _spelled("private") + rb"|" + _ODD_BYTE + rb")")
_ENTITY_BRACKET = re.compile(rb"&(?:[lL][aAtTsS]|[aA][mM][pP]|#)")
_PERCENT_BRACKET = re.compile(rb"%(?:25)*3[cC]")
_ESCAPED_BRACKET = re.compile(rb"\\[uxUX](?!00[01])")
_OTHER_BRACKET = re.compile(f"[{OPENERS}\u226e\u2280\uff06\ufe60]")
"""Beginnings of a tag in a JSON line: ``<`` itself, as an entity, an escape or a look-alike."""
_ESCAPED = re.compile(rb"\\[buxUX]")
"""An escape that may encode a bracket, a letter, a colour code or a backspace; rare."""

_UNICODE_ESCAPE = re.compile(rb"\\u(?!00[01])|\\\\u")
_COLOUR = re.compile(
    rb"\\u00(?:1b\][^\"\\]{0,200}(?:\\u0007|\\u001b\\\\)|(?:1b|9b)\[?[0-9;?]{0,40}[A-Za-z]?)"
)
_BACKSPACE = re.compile(rb"[^\\](?:\\b|\\u0008)")
_MOST_BACKSPACES = 8
_PERCENT_ESCAPE = re.compile(rb"%[4-7]")
_ASCII = bytes(range(128))
_BYTES = re.compile(
    rb"\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\x85[\x9f\xa0]|\xe1\x9e[\xb4\xb5]|\xe1\xa0[\x8b-\x8f]|\xe2\x80[\x8b-\x8f\xaa-\xae]"
    rb"|\xe2\x81[\xa0-\xaf]|\xe3\x85\xa4|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf|\xef\xbe\xa0|\xef\xbf[\xb0-\xbb]|\xf3\xa0"
    rb"|[\xcc\xcd][\x80-\xbf]"  # combining marks
    rb"|[\xce-\xd7][\x80-\xbf]|\xc6[\x84\xbd]|\xc5\xbf|[\xc9\xca][\x80-\xbf]|\xcf[\x80-\xbf]|[\xc3-\xc8][\x80-\xbf]"
    rb"|\xe1[\xb0-\xbf]|\xe1\x8e|\xe1\x8f|\xe2[\x82\x84\x85\x92\x93\xb1\xb2]|\xea[\x99\x9c\x9e\xad\xae]|\xef\xbd|\xef\xbc[\xa1-\xba]"
    rb"|\xf0\x9d|\xf0\x9f[\x84\x85]"
)
"""Bytes of a JSON line in which the word may be spelled with other letters, entities, or gaps."""


def without_private(text: str) -> str:
    """The text with each private part replaced by `MARK`; "" if nothing else is left.

    Tags count in any case, with attributes, as entities, in look-alike letters and brackets. A nested part
    ends with the outer one, and an unclosed one reaches to the end.
    """
    rest, _ = split_private(text)
    return rest


def split_private(text: str, depth: int = 0) -> tuple[str, int]:
    """Remove private parts from one piece of a longer text.

    Args:
        text: the piece.
        depth: number of private parts open at its beginning.

    Returns:
        The rest, and the number of parts open at its end.
    """
    if not depth and not may_hold_private(text):
        return text, 0
    fold = folded(text)
    kept: list[str] = []
    begin = 0
    tags = list(_TAG.finditer(fold.text))
    last_closing = max((tag.start() for tag in tags if tag["closing"]), default=-1)
    for tag in tags:
        if tag["closing"]:
            if depth and tag["end"]:
                depth -= 1
                begin = fold.origin(tag.end())
        else:
            if not depth and tag.start() > last_closing and _is_code(text, fold, tag):
                continue
            if not depth:
                kept += [text[begin : fold.origin(tag.start())], MARK]
            depth += 1
    if not depth:
        kept.append(text[begin:])
    return ("" if all(part == MARK or not part.strip() for part in kept) else "".join(kept)), depth


def _is_code(text: str, fold: Folded, tag: re.Match[str]) -> bool:
    """Whether an unclosed opening tag is code: ``List<Private>`` or ``<Private/>``."""
    start, end = fold.origin(tag.start()), fold.origin(tag.end())
    if text[start:end].endswith("/>"):
        return True
    word = _WORD_BEFORE.search(text, max(0, start - _BEFORE_TAG), start)
    behind = text[end : end + _BEHIND_TAG]
    if word is None or len(word[0]) < 2 or not _TYPE.match(text, start) or behind[:1].isalnum():
        return False
    named = word[0][0].isupper() or "_" in word[0] or "::" in word[0]
    return named or _IN_CODE.match(behind) is not None


def may_hold_private(text: str) -> bool:
    """Whether a text contains a private part; almost free if the text has no trace of a tag."""
    if text.isascii() and not ("<" in text or holds_escape_marks(text)):
        return False
    text = without_controls(text)
    if not _may_begin_tag(text.encode("utf-8", "surrogatepass")):
        return False
    if is_plain(text):
        return any(not tag["closing"] for tag in _TAG.finditer(text.lower()))
    if text.isascii() and "private" not in text.lower() and not _ESCAPE.search(text):
        return False
    for number, candidate in enumerate(_CANDIDATE.finditer(text)):
        if number == _MOST_LOOKS:  # from here on it is cheaper to fold everything
            return any(not tag["closing"] for tag in _TAG.finditer(folded(text).text))
        if _begins(text, candidate.start()):
            return True
    return False


def _begins(text: str, at: int) -> bool:
    window = text[at : at + _LOOK]
    if INVISIBLE.search(window) or window.isspace() or "  " in window:
        window = re.sub(r"\s+", " ", INVISIBLE.sub("", text[at : at + _LOOK_BEHIND_PADDING]))[:_LOOK_LONGER]
    if _ESCAPE.search(window):
        window = text[at : at + _LOOK_LONGER]
    tag = _TAG.match(folded(window).text)
    return tag is not None and not tag["closing"]


def line_may_hold_private(line: bytes) -> bool:
    """Whether a line of JSON has to be searched for private parts."""
    if not _ESCAPED.search(line):
        return _may_hold_bracket(line) and _may_spell_word(line)
    if b"\\b" in line or b"\\u001b" in line or b"\\u0008" in line:
        line = _without_controls(line)
    return _may_begin_tag(line) and _may_spell_word(line)


def _without_controls(line: bytes) -> bytes:
    """A line of JSON as a terminal shows it: without colour codes and erased characters."""
    line = _COLOUR.sub(b"", line)
    for _ in range(_MOST_BACKSPACES):
        if b"\\b" not in line and b"\\u0008" not in line:
            break
        shorter = _BACKSPACE.sub(b"", line)
        if len(shorter) == len(line):
            break
        line = shorter
    return line


def _may_begin_tag(line: bytes) -> bool:
    """Whether a text, or a line of JSON, may contain an opening tag."""
    return (b"\\" in line and _ESCAPED_BRACKET.search(line) is not None) or _may_hold_bracket(line)


def _may_hold_bracket(line: bytes) -> bool:
    """The same for one without JSON escapes other than those of white space and quotation marks."""
    # Searches for single bytes come first because they are the cheapest: nearly every line ends here.
    if b"<" in line and _WRITTEN_TAG.search(line):
        return True
    if (b"&" in line and _ENTITY_BRACKET.search(line)) or (b"%" in line and _PERCENT_BRACKET.search(line)):
        return True
    return not line.isascii() and _OTHER_BRACKET.search(_other_text(line)) is not None


def _may_spell_word(line: bytes) -> bool:
    if b"private" in line.lower():
        return True
    if (b"&" in line and b"&#" in line) or (b"%" in line and _PERCENT_ESCAPE.search(line)):
        return True
    if (b"\\u" in line and _UNICODE_ESCAPE.search(line)) or b"\\\\x" in line:
        return True
    return not line.isascii() and _BYTES.search(line.translate(None, _ASCII)) is not None


def _other_text(line: bytes) -> str:
    return line.translate(None, _ASCII).decode("utf-8", "replace")


def without_private_in(value: Any) -> Any:
    """A JSON value without the private parts of its texts and names.

    A part that is not closed in its block of text reaches into the following blocks.
    """
    if isinstance(value, str):
        return without_private(value)
    if isinstance(value, dict):
        return {without_private(key): without_private_in(item) for key, item in value.items()}
    if isinstance(value, list):
        return _without_private_blocks(value)
    return value


def may_hold_private_in(value: Any) -> bool:
    """Whether a JSON value contains a private part in any text or name."""
    if type(value) is str:
        return may_hold_private(value)
    if type(value) is dict:
        value = ("\n".join(value), *value.values())  # Claude Code keys answers by the question
    elif not isinstance(value, (list, tuple)):
        return False
    for each in value:
        if type(each) is str:
            # Inlined from `may_hold_private`: nearly every text is passed here.
            plain = each.isascii() and not ("<" in each or "&" in each or "\\" in each or "%" in each)
            if not plain and may_hold_private(each):
                return True
        elif each and may_hold_private_in(each):
            return True
    return False


def _without_private_blocks(blocks: list[Any]) -> list[Any]:
    depth = 0
    kept: list[Any] = []
    for block in blocks:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            text, depth = split_private(block["text"], depth)
            kept.append({**without_private_in({**block, "text": ""}), "text": text})
        else:
            kept.append(without_private_in(block))
    return kept
