"""Checking that the lines cited by a model exist and contain the quoted words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.ground.clock import parse_iso
from memtui.transcript.lines import Record, read_lines

NO_SOURCE = "(no source)"
"""The mark of a model's statement without a valid citation."""

_OPEN, _CLOSE = "\"“”„«「『'", "\"“”»」』'"
_CITATION = re.compile(
    rf"[ \t]*[(\[（]L(?P<line>\d{{1,9}})(?:[ ,:;：]+[{_OPEN}](?P<words>[^\n]{{1,600}}?)[{_CLOSE}])?[)\]）]"
)
_PLAIN = re.compile(r"[ \t]*\((?:L\d{1,9}(?: \d\d:\d\d)?|no source)\)")
_AT_END = re.compile(r"(?: \((?:L\d{1,9}|no source)\)){1,9}$")
_LEAST = 4
"""Minimum length of a meaningful quotation, in letters."""
_MOST = 500
"""The most lines that one answer may cite."""


def without_citations(text: str) -> str:
    """A text without its citations, for comparison."""
    return _PLAIN.sub("", _CITATION.sub("", text))


def split_sources(text: str) -> tuple[str, str]:
    """A checked statement, and the citations at its end, which shortening must keep."""
    found = _AT_END.search(text)
    return (text[: found.start()], found[0]) if found else (text, "")


class CitedLines:
    """The lines of a transcript that an answer cites.

    Args:
        texts: by line number from 1, in the form of `folded`.
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
            return cls(dict(_read(transcript, frozenset(wanted), wanted[-1], until)))
        except OSError:
            return cls()

    def checked(self, text: str) -> str:
        """A statement with its valid citations as ``(L476)``, or with `NO_SOURCE`."""
        held: list[str] = []

        def check(match: re.Match[str]) -> str:
            if self._holds(int(match["line"]), match["words"] or ""):
                held.append(match[0])
                return f" (L{match['line']})"
            return ""

        statement = _CITATION.sub(check, text.replace(NO_SOURCE, "")).strip()
        return statement if held or not statement else f"{statement} {NO_SOURCE}"

    def _holds(self, line: int, words: str) -> bool:
        quoted = folded(words)
        return sum(map(str.isalnum, quoted)) >= _LEAST and quoted in self._texts.get(line, "")


def folded(text: str) -> str:
    """A text in lower case with single spaces, for searching."""
    return " ".join(text.casefold().split())


def _read(
    transcript: Path, wanted: frozenset[int], last: int, until: datetime | None
) -> Iterator[tuple[int, str]]:
    for line in read_lines(transcript):
        if line.number > last:
            return
        if line.number in wanted and not _is_later(line.records, until):
            yield line.number, folded("\n".join(_strings(line.records)))


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
