"""Untrusted text to safe text: the one border that everything from a file or a transcript crosses.

Control characters are replaced by a visible picture, never removed: a filter that removes escape sequences
can be made to swallow the text behind an unterminated one.
"""

from __future__ import annotations

import re

_REPLACEMENT = 0xFFFD
_SYMBOL_FOR_DELETE = 0x2421

_TABLE: dict[int, int | str | None] = {
    **{code: 0x2400 + code for code in range(0x20)},  # C0 controls have pictures at U+2400
    0x0A: 0x0A,
    0x7F: _SYMBOL_FOR_DELETE,
    **dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT),  # C1 controls
    **dict.fromkeys(range(0x202A, 0x202F), _REPLACEMENT),  # bidirectional embedding and override
    **dict.fromkeys(range(0x2066, 0x206A), _REPLACEMENT),  # bidirectional isolates
    **dict.fromkeys(range(0xE0000, 0xE0080), _REPLACEMENT),  # tag characters: invisible text
    **dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT),  # lone surrogates cannot be encoded
    0x2028: " ",
    0x2029: " ",
    0xAD: None,  # soft hyphen: terminals disagree about its width
    0xFEFF: None,
}

# Most text needs nothing: one search is many times faster than a translation. Written as ranges, because a
# class of single characters beyond ASCII is 25 times slower; a test compares it with the table.
_NEEDS_CLEANING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\U000e0000-\U000e007f\u200d]"
)

# A joiner elsewhere than between emoji is invisible, and the character after it would be measured as nothing.
_EMOJI = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_LONE_JOINER = re.compile(f"(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])")


def clean(text: str) -> str:
    """Return `text` safe to show on a terminal, line feeds kept, tabs expanded to 4 columns.

    The result holds no C0 control but LF, no C1 control, no bidirectional override, and can be encoded.
    """
    if not _NEEDS_CLEANING.search(text):
        return text
    if "\u200d" in text:
        text = _LONE_JOINER.sub("", text)
    return text.replace("\r\n", "\n").expandtabs(4).translate(_TABLE)


def clean_line(text: str) -> str:
    """Return `text` as one safe line: runs of white space become one space."""
    return " ".join(clean(text).split())


def without_surrogates(text: str) -> str:
    """Surrogates joined or, if lone, replaced by U+FFFD: JSON may hold them, and nothing can encode them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
