"""The words of texts and questions: what a question asks for, and what to mark in a text.

Words in quotes and filters narrow: ``edited:``, ``read:``, ``file:`` and ``cmd:`` to turns that touched a
file or ran a command, ``in:`` to kinds, ``before:``, ``after:`` and ``project:``. Any text is a query.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from memtui.ground.clean import clean_line, without_surrogates
from memtui.ground.clock import system_clock
from memtui.ground.text import matcher
from memtui.transcript.messages import Role


class Kind(StrEnum):
    """The kinds of results, in the order in which they are shown."""

    SESSION = "session"
    MEMORY = "memory"
    CLAUDE = "Claude's memory"
    FILE = "memory file"
    CAPTURE = "capture"
    STATE = "state"
    PIN = "pin"


_NAMES = ("sessions", "memories", "claude", "files", "captures", "states", "pins")
KINDS = dict(zip(_NAMES, Kind, strict=True))  # by the words that ``in:`` accepts


# What the index has as the path of a document: FTS5 then ranks documents without ranking all sessions.
DOCUMENT_MARK = "memtuidocument"
_SNIPPET, _BEFORE = 200, 50
# The filters on what a turn touched, and the messages that show it.
TOUCHED = {"edited": [Role.EDIT], "read": [Role.READ], "file": [Role.EDIT, Role.READ], "cmd": [Role.COMMAND]}
_VERSION = re.compile(r"\b[vV](\d+)(?=\.\d)")  # the v0 of v0.3.0
_INNER = "[a-z0-9][A-Z]"
_IDENTIFIER = re.compile(r"\b[A-Za-z]*[a-z0-9][A-Z]\w*")
_PART_OF = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
# Chinese, Japanese or Korean text; compiled when there is some, as that takes long.
_CJK = (
    "[\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def words_of(text: str, *, asked: bool = False) -> str:
    """A text as it is indexed, or asked for: CJK in pairs, and at its end the parts of its identifiers."""
    text = _for_fts(text, asked=asked)
    if not (is_inner := matcher(_INNER))(text):  # quicker than looking for whole identifiers
        return text
    lines = " ".join(filter(is_inner, text.split("\n")))
    some = " ".join([each for each in dict.fromkeys(lines.split()) if not each.islower() and is_inner(each)])
    return f"{text}\n{' '.join(_PART_OF.findall(' '.join(_IDENTIFIER.findall(some))))}"


def _for_fts(text: str, *, asked: bool) -> str:
    """A text as FTS5 splits it into words: CJK as overlapping pairs, versions without their v.

    In the index also the last character of CJK, as each may begin a word, and the v0 of v0.3.0.
    """

    def pairs(run: re.Match[str]) -> str:
        return f" {' '.join(run[0][at : at + 2] for at in range(max(1, len(run[0]) - asked)))} "

    if not text.isascii():
        text = unicodedata.normalize("NFKC", without_surrogates(text))
        text = re.sub(_CJK, pairs, text) if matcher(_CJK)(text) else text
    if matcher(r"\b[vV]\d+\.\d")(text):
        majors = [] if asked else [each[0] for each in _VERSION.finditer(text)]
        text = " ".join((_VERSION.sub(r" \1", text), *majors))
    return text.replace("\0", " ")


def quoted(text: str) -> str:
    """A text as one phrase of a full-text query."""
    words = _for_fts(text, asked=True).replace('"', " ").strip()
    last = words.rpartition(" ")[2]
    return f'"{words}"*' if len(last) == 1 and re.fullmatch(_CJK, last) else f'"{words}"'


def _loosely(text: str) -> str:
    """A pattern of the words of a text, with anything between them."""
    return r"\W+".join(map(re.escape, re.findall(r"\w+", text)))


# English words that say nothing about what is asked for, and what an apostrophe leaves: `don` and `t`.
_STOP = """
a about after again all also am an and any are as at be because been before being but by can could did do does
doing done for from get gets got had has have he her here him his how i if in into is it its just let like
make many may me might more most much must my need no not now of on one only or other our out over please
really same she should so some such than that the their them then there these they thing things this those to
too up us use used using very want was way we were what when where which while who why will with would yes you
your aren couldn d didn doesn don hadn hasn haven isn ll m re s shouldn t ve wasn weren won wouldn
"""
_STOPPED = frozenset(_STOP.split())


class Search(NamedTuple):
    """A parsed question: what is asked for, and what to mark in a text."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    unfinished: bool = False  # the last word is still being typed: other words that begin so count, too
    filters: tuple[tuple[str, str], ...] = ()  # of `TOUCHED`, each with a part of a path or command
    kinds: tuple[str, ...] = tuple(KINDS)
    since: datetime | None = None
    until: datetime | None = None
    project: str = ""  # part of the path of a project; searches all projects
    unread: tuple[str, ...] = ()  # a sentence for each filter that is not understood: it counts as words

    @property
    def telling(self) -> tuple[str, ...]:
        """The words without those of the stop list, unless there are no others."""
        return tuple(word for word in self.words if word.lower() not in _STOPPED) or self.words

    @property
    def is_prefix(self) -> bool:
        """Whether other words that begin as the last one does count; few letters begin too many."""
        typed = self.unfinished and self.telling[-1] == self.words[-1]
        return typed and len(self.words[-1]) > (1 if len(self.words) == 1 else 3)

    def terms(self) -> dict[str, list[str]]:
        """The telling words, each with the full-text queries of its parts."""
        parts = {word: dict.fromkeys(_WORD.findall(words_of(word, asked=True))) for word in self.telling}
        found = {word: list(map(quoted, some)) for word, some in parts.items()}
        if self.is_prefix:
            last = found[self.words[-1]]
            last[-1] = last[-1].rstrip("*") + "*"
        return found

    def exact(self) -> str:
        """The full-text query for all words as they stand there, one after the other."""
        return quoted(" ".join(self.words)).rstrip("*") + ("*" if self.is_prefix else "")

    @property
    @lru_cache(maxsize=8)  # noqa: B019 - few, and small
    def pattern(self) -> re.Pattern[str]:
        """Finds a word, in any form, or a phrase in a text from `folded`."""
        parts = [_loosely(folded(each)) for each in self.phrases]
        number = "" if self.is_prefix else r"(?!\d)"
        stems = filter(None, (_loosely(_ENDING.sub("", folded(word))) for word in self.telling))
        parts += (stem + (number if stem[-1].isdigit() else "[a-z]*" * stem.isascii()) for stem in stems)
        return re.compile("|".join(sorted(filter(None, parts), key=len, reverse=True)) or r"(?!)")

    def marks(self, text: str) -> list[tuple[int, int]]:
        """The matches in a text, as character offsets (start, end), none of them inside a word."""
        found = (match.span() for match in self.pattern.finditer(folded(text)))
        return [(start, end) for start, end in found if not _is_inside(text, start)]

    def first(self, text: str) -> int:
        """Where the part of a text begins that holds most of the words; 0 without any."""
        found = [(start, folded(text[start:end])[:4]) for start, end in self.marks(text)]

        def words(at: int) -> int:
            near = found[at : at + _SNIPPET]
            return len({word for start, word in near if start < near[0][0] + _SNIPPET - _BEFORE})

        return found[max(range(len(found)), key=words)][0] if found else 0

    def snippet(self, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """One line of a text around its best part, with ``…`` where the text continues, and its marks."""
        start = max(0, self.first(text) - _BEFORE)
        if start and (blank := re.compile(r"\s\S").search(text, start, start + _BEFORE)):
            start = blank.start() + 1
        line = " ".join(text[start : start + _SNIPPET].replace("\x00", " ").split())
        line = ("…" if start else "") + line + ("…" if text[start + _SNIPPET :].strip() else "")
        return line, tuple(self.marks(line))


def _is_inside(text: str, at: int) -> bool:
    """Whether a word of a script with spaces goes on at a place; one begins at the capital of `userId`."""
    before, here = text[max(0, at - 1) : at], text[at : at + 1]
    # Thai, Chinese and other scripts without spaces, and few with them, are from U+0E00 on.
    goes_on = before.isalnum() and here.isalnum() and max(before, here) < "\u0e00"
    is_version = before.lower() == "v" and here.isdigit()
    return goes_on and not is_version and not (here.isupper() and not before.isupper())


_ENDING = re.compile(r"(?<=[a-z]{3})(?:ations?|ings?|edly|ed|ies|es|s|ly|e|y)$")


def folded(text: str) -> str:
    """A text without case and accents, character by character."""
    return text.lower() if text.isascii() else "".join(map(_plain, text))


@lru_cache(maxsize=10_000)
def _plain(char: str) -> str:
    return unicodedata.normalize("NFKD", char)[0].lower()[0]


_QUOTED = r'"([^"]*)(?:"|$)|“([^”]*)(?:”|$)|「([^」]*)(?:」|$)|『([^』]*)(?:』|$)'
_PART = re.compile(rf'(?:(?<=\s)|^)(?:(\w+):(?:"([^"]*)"|(\S+))|{_QUOTED})', re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:(?<=\d)[.:]\d[^\W_]*)*")  # v0.3.0 and 10:30 are one
_AGO = re.compile(r"(\d{1,4})([dw])", re.ASCII)
DAYS = "2026-02-23, 2026-02, today, yesterday, 7d or 2w"  # what `day` understands, by examples
_VALUES = {"in": ", ".join(KINDS), "before": DAYS, "after": DAYS}  # those that may not be understood


def parse_search(text: str, *, typing: bool = False) -> Search:
    """Parse any text, whose last word may be unfinished while `typing`."""
    phrases, filters, unread, found = list[str](), list[tuple[str, str]](), list[str](), dict[str, Any]()

    def take(match: re.Match[str]) -> str:
        name, value = (match[1] or "").lower(), match[2] if match[2] is not None else match[3]
        if not name:
            phrases.append(next(filter(None, match.groups()[3:]), ""))
        elif name in TOUCHED and _WORD.search(value):
            filters.append((name, value))
        elif name == "in" and (kinds := _kinds(value)):
            found["kinds"] = tuple(kind for kind in KINDS if kind in (*kinds, *found.get("kinds", ())))
        elif name in ("before", "after") and (moment := day(value)):
            found["until" if name == "before" else "since"] = moment
        elif name == "project":
            found["project"] = value
        else:
            if name in _VALUES:
                unread.append(f"“{clean_line(value)}” is searched as a word: {name}: takes {_VALUES[name]}.")
            return match[0]
        return " "

    words = _PART.sub(take, without_surrogates(text).replace("\x00", " "))
    unfinished = typing and text[-1:].isalnum() and words[-1:].isalnum()
    asked = tuple(_WORD.findall(words)), tuple(filter(_WORD.search, phrases)), unfinished
    return Search(*asked, tuple(filters), unread=tuple(unread), **found)


def day(text: str) -> datetime | None:
    """The beginning of a day, month or year in local time, as in `DAYS`; None if invalid."""
    ago = _AGO.fullmatch({"today": "0d", "yesterday": "1d"}.get(text.lower(), text.lower()))
    with suppress(ValueError, OverflowError, OSError):
        if ago:
            text = f"{system_clock() - int(ago[1]) * timedelta(7 if ago[2] == 'w' else 1):%Y-%m-%d}"
        if text.isascii() and text[:4].isdigit():
            return datetime.strptime(text, "%Y-%m-%d"[: 3 * text.count("-") + 2]).astimezone()
    return None


def _kinds(value: str) -> list[str]:
    """The kinds matching these prefixes; none if one is unknown."""
    named = [part.rstrip("s") for part in value.lower().split(",") if part]
    kinds = [next((kind for kind in KINDS if kind.startswith(part)), "") for part in named]
    return kinds if all(kinds) else []
