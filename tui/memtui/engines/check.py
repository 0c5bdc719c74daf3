"""Checking what a model said: its citations are looked up in the transcript, its files in the facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.ground.clock import parse_iso
from memtui.transcript.lines import Record, read_lines
from memtui.transcript.short_text import one_line, shortened

NO_SOURCE = "(no source)"
"""The mark of a model's statement without a valid citation."""
UNSEEN = "not in the transcript"
"""The mark of a file that only the model mentions."""

ITEMS = 25
"""The most items that a model may add to a list."""
LINE = 320
"""Maximum length of an item, in characters."""

_OPEN, _CLOSE = "\"“”„«「『'", "\"“”»」』'"
_CITATION = re.compile(
    rf"[ \t]*[(\[（]L(?P<line>\d{{1,9}})(?:[ ,:;：]+[{_OPEN}](?P<words>[^\n]{{1,600}}?)[{_CLOSE}])?[)\]）]"
)
_SOURCES = re.compile(r"(?: \((?:L\d{1,9}(?: \d\d:\d\d)?|no source)\)){1,9}$")
_PATH = re.compile(
    r"(?<![\w/.:@~-])(?:~|\.{1,2})?/?(?:[A-Za-z0-9_.@+-]{1,100}/){1,40}[A-Za-z0-9_.@+-]{1,100}?"
    rf"\.[A-Za-z]\w{{0,7}}\b(?![/-])(?! \({UNSEEN}\))"
)
_LEAST = 4
"""Minimum length of a meaningful quotation, in letters."""
_MOST = 500
"""The most lines that one answer may cite."""


class CitedLines:
    """The lines of a transcript that an answer cites.

    Args:
        texts: by line number from 1, in the form of `_folded`.
    """

    def __init__(self, texts: Mapping[int, str] | None = None) -> None:
        self._texts = texts or {}

    @classmethod
    def of(cls, transcript: Path | None, answer: str, until: datetime | None = None) -> CitedLines:
        """Read the cited lines; none if the transcript cannot be read.

        Args:
            transcript: the session's.
            answer: the model's answer.
            until: lines after this time were not shown to the model.
        """
        wanted = sorted({int(match["line"]) for match in _CITATION.finditer(answer)})[:_MOST]
        if transcript is None or not wanted:
            return cls()
        try:
            return cls(dict(_cited(transcript, frozenset(wanted), wanted[-1], until)))
        except OSError:
            return cls()

    def checked(self, text: str) -> str:
        """A statement with its valid citations as ``(L476)``, or with `NO_SOURCE`."""
        held: list[str] = []

        def check(match: re.Match[str]) -> str:
            quoted = _folded(match["words"] or "")
            if sum(map(str.isalnum, quoted)) >= _LEAST and quoted in self._texts.get(int(match["line"]), ""):
                held.append(match[0])
                return f" (L{match['line']})"
            return ""

        statement = _CITATION.sub(check, text.replace(NO_SOURCE, "")).strip()
        return statement if held or not statement else f"{statement} {NO_SOURCE}"


class Checked:
    """A model's statements: cited lines are checked, and files that were never seen are marked.

    Args:
        cited: the lines cited in the answer.
        shown: the whole prompt, which names what the model has seen.
    """

    def __init__(self, cited: CitedLines, shown: str) -> None:
        self._cited = cited
        self._shown = shown

    def is_seen(self, path: str) -> bool:
        """Whether the prompt names a file."""
        return path.strip("`") in self._shown

    def plain(self, text: str, width: int) -> str:
        """A text that needs no source, on one line."""
        return self._marked(shortened(one_line(text), width))

    def item(self, text: str, width: int = LINE) -> str:
        """A statement on one line, with its sources, or with `NO_SOURCE`."""
        checked = self._cited.checked(one_line(text))
        found = _SOURCES.search(checked)
        statement, sources = (checked[: found.start()], found[0]) if found else (checked, "")
        return self._marked(shortened(statement, width)) + sources

    def items(self, said: Iterable[str], drafted: Iterable[str]) -> tuple[str, ...]:
        """The model's statements, then those of the draft that none of them repeats or words anew.

        A statement of the draft is worded anew by one that cites the same lines; it stays as it is where the
        model has copied it.
        """
        own = {_bare(text): text for text in drafted}
        mine = [
            own.get(_bare(text)) or self.item(text)
            for text in list(said)[:ITEMS]
            if any(map(str.isalnum, text))
        ]
        known = {_bare(text) for text in mine}
        lines = {line for text in mine if not text.endswith(NO_SOURCE) for line in _lines(text)}
        left = [
            text
            for bare, text in own.items()
            if bare not in known and not (_lines(text) and _lines(text) <= lines)
        ]
        return tuple(dict.fromkeys((*mine, *left)))

    def _marked(self, text: str) -> str:
        return _PATH.sub(lambda match: match[0] if self.is_seen(match[0]) else f"{match[0]} ({UNSEEN})", text)


def _bare(text: str) -> str:
    """A statement without its sources, for comparison."""
    return _folded(_SOURCES.sub("", _CITATION.sub("", text)))


def _lines(text: str) -> set[str]:
    return set(re.findall(r"\(L(\d{1,9})\b", text))


def _folded(text: str) -> str:
    """A text in lower case with single spaces, for searching."""
    return " ".join(text.casefold().split())


def _cited(
    transcript: Path, wanted: frozenset[int], last: int, until: datetime | None
) -> Iterator[tuple[int, str]]:
    for line in read_lines(transcript):
        if line.number > last:
            return
        if line.number in wanted and not _is_later(line.records, until):
            yield line.number, _folded("\n".join(_strings(line.records)))


def _is_later(records: Iterable[Record], until: datetime | None) -> bool:
    moments = (parse_iso(str(record.get("timestamp", ""))) for record in records)
    return until is not None and any(moment is not None and moment > until for moment in moments)


def _strings(value: Any) -> Iterator[str]:
    """All strings in a record, at any depth."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
