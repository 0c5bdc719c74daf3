"""Cleaning untrusted text: the one way for all text from files and transcripts to the screen.

Control characters are replaced by a visible picture, never removed: a filter that removes escape sequences
can be made to swallow the text after an unterminated one. Invisible code points (Unicode's
Default_Ignorable_Code_Point and the interlinear marks) stay only where emoji, Han, Arabic, Indic or Mongolian
text needs them to look right. Elsewhere those that occur in ordinary text are dropped, with no visible
change, and those that only serve to hide something become U+FFFD.
"""

from __future__ import annotations

import re
from functools import cache

_REPLACEMENT = 0xFFFD

# Made on first use: most text needs none of them, and they take most of a hook's time.


@cache
def _table() -> dict[int, int | str | None]:
    return {
        **{code: 0x2400 + code for code in range(0x20)},  # C0 controls have pictures at U+2400
        0x0A: 0x0A,
        0x7F: 0x2421,  # the symbol for DELETE
        **dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT),  # C1 controls
        **dict.fromkeys((0x115F, 0x1160, 0x3164, 0xFFA0), _REPLACEMENT),  # Hangul fillers
        **dict.fromkeys(range(0x202A, 0x202F), _REPLACEMENT),  # bidirectional embedding and override
        **dict.fromkeys(range(0x2061, 0x2070), _REPLACEMENT),  # mathematics, isolates, deprecated
        **dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT),  # lone surrogates cannot be encoded
        **dict.fromkeys(range(0xFFF0, 0xFFFC), _REPLACEMENT),  # unassigned, interlinear annotation
        **dict.fromkeys(range(0x1BCA0, 0x1BCA4), _REPLACEMENT),  # shorthand
        **dict.fromkeys(range(0x1D173, 0x1D17B), _REPLACEMENT),  # musical
        **dict.fromkeys(range(0xE0000, 0xE0100), _REPLACEMENT),  # tag characters: invisible text
        **dict.fromkeys(range(0xE01F0, 0xE1000), _REPLACEMENT),
        0x2028: " ",
        0x2029: " ",
        **dict.fromkeys((0xAD, 0x34F, 0x61C, 0x17B4, 0x17B5, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF)),
    }


_EMOJI = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_STYLED = (
    f"{_EMOJI}\xa9\xae\u203c\u2049\u2122\u2139\u231a-\u23ff\u24c2\u25aa-\u25fe\u2934\u2935\u3030\u303d\u3297"
    "\u3299"
)
"""Characters to which a variation selector may apply."""
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_JOINING = (
    "\u0600-\u061b\u061d-\u074f\u0750-\u077f\u08a0-\u08ff\u0900-\u0dff"
    "\u1000-\u109f\u1820-\u18aa\ufb50-\ufdff\ufe70-\ufefc"
)
"""Letters of Arabic, Indic and similar scripts, between which a non-joiner has an effect."""

# A joiner between letters is dropped, too: the width of the character after it would be taken as 0.
_OUT_OF_PLACE = (
    f"\u200d(?:(?<![{_EMOJI}]\u200d)(?<![{_EMOJI}]\ufe0f\u200d)|(?![{_EMOJI}]))"
    f"|\u200c(?:(?<![{_JOINING}]\u200c)|(?![{_JOINING}]))"
    f"|[\ufe0e\ufe0f](?<![{_STYLED}]\ufe0e)(?<![{_STYLED}]\ufe0f)(?!(?<=[#*0-9]\ufe0f)\u20e3)"
    f"|[\ufe03-\ufe0d]|[\ufe00-\ufe02](?<![{_HAN}][\ufe00-\ufe02])"
    "|[\u180b-\u180f](?<![\u1820-\u18aa][\u180b-\u180f])"
)
_LONE_SELECTOR = f"[\U000e0100-\U000e01ef](?<![{_HAN}][\U000e0100-\U000e01ef])"
# Most text needs nothing: one search is many times faster than a translation. Written as ranges, because a
# class of single characters beyond ASCII is 25 times slower; a test compares it with the table.
_NEEDS_CLEANING = (
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f-\u034f\u061c-\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164-\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff-\ufeff\uffa0-\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def clean(text: str) -> str:
    """Return `text` safe to show on a terminal, line feeds kept, tabs expanded to 4 columns.

    The result holds no C0 control but LF, no C1 control, no bidirectional override, nothing invisible that
    its neighbours do not need, and can be encoded.
    """
    if text.isascii():
        if text.replace("\n", "").isprintable():
            return text
    else:
        if not _compiled(_NEEDS_CLEANING).search(text):
            return text
        text = _compiled(_LONE_SELECTOR).sub("\ufffd", _compiled(_OUT_OF_PLACE).sub("", text))
    return text.replace("\r\n", "\n").expandtabs(4).translate(_table())


def clean_line(text: str) -> str:
    """Return `text` as one safe line: runs of white space become one space."""
    return " ".join(clean(text).split())


def without_surrogates(text: str) -> str:
    """Surrogates joined or, if lone, replaced by U+FFFD: JSON may hold them, and nothing can encode them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
