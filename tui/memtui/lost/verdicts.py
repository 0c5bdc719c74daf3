"""Whether a summary still has a line: by its identifiers, and by the words that are rare in its session.

Published in CONTRIBUTING. A line is kept when the text has its identifiers (paths, numbers, flags, ids, words
of code, quoted words), or, without any, most of its rare words; of rules, refusals and open steps half of the
other words have to stand in one passage, too. It is lost when most of it is nowhere, else it is maybe.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from memtui.lost.records import PLAN, Row
from memtui.transcript.records import NOWHERE
from memtui.transcript.shell import programs_run
from memtui.transcript.text import IDENTIFIER, WIDE, Span, words

Fate = Literal["kept", "maybe", "lost"]

_WEIGHTY = frozenset({"pin", "active", "rule", "refused", "step", "task", "answer"})
_NAMED = frozenset({"check", "command", "file", "name"})
"""Kinds judged by their identifiers."""
_EXACT = _NAMED | {"pin", "active"}
"""Kinds for which the gist is not enough; nor is it for others that miss an identifier, except Claude's."""
_KEPT, _MAYBE = 0.62, 0.42
"""Shares of a line's words, by their rarity, in the whole text; or in one passage of it."""
_PASSAGE, _PASSAGE_MAYBE = 0.5, 0.44
_SCATTERED = 0.66
"""Least share of words, in no one passage, that may say the same."""
_GIST, _EVERYWHERE = 0.44, 0.75
"""Least shares for a *maybe* to count as kept: readers found the gist of four in five such lines."""
_NEAR = 0.34
"""Least share of a passage that counts as near."""
_STEM = 5
_SHORT = 4
"""Words with fewer letters say little: the, und, les."""
_FEW = 4
"""A passage with fewer words, such as a heading, goes with the line after it."""
_LETTER = re.compile(r"[^\W\d_]")
_EDGES = "`\"“”「」『』'.,:;()[]"


class Verdict(NamedTuple):
    """The fate of a line, with the passage of the text that is nearest to it."""

    fate: Fate
    nearest: Span | None
    missing: tuple[str, ...]
    """Its identifiers that the text lacks."""


class Text:
    """A text that may have lines: a summary with the messages that were kept beside it."""

    def __init__(self, text: str, session: Iterable[str]) -> None:
        """`text` is the summary, followed by further texts that may hold evidence.

        The rarity of words is counted in the lines of the `session`.
        """
        self.text = text
        self._folded = " ".join(text.casefold().split())
        self._times = Counter(word for line in session for word in stems(line))
        self._spans: list[Span] = []
        self._where: dict[str, list[int]] = {}
        """The passages with a word."""
        for at, (span, found) in enumerate(_passages(text)):
            self._spans.append(span)
            for word in found:
                self._where.setdefault(word, []).append(at)
        self._wide = _is_wide(text)

    def verdict(self, line: Row) -> Verdict:
        """The fate of a line in this text; of a failure or refusal that of the message or the reason."""
        told = line.text.partition(": ")[2] if line.kind in ("failure", "refused") else ""
        told = told or line.text
        own = stems(told)
        best, at = self._nearest(own)
        near = self._spans[at] if best > _NEAR else None
        command = line.kind == "step" and line.target not in ("", PLAN)  # to be run as it stands
        wanted = (line.target.casefold(),) if command else identifiers(told)
        missing = tuple(each for each in wanted if not self._names(each))
        if line.kind in _WEIGHTY and wanted and not missing:  # there have to be the other words, too
            others = own - stems(" ".join(wanted))
            best, _ = self._nearest(others)
        everywhere = self._weight(own & self._where.keys()) / (self._weight(own) or 1)
        if command:
            return Verdict("lost" if missing else "kept", near, missing)
        if line.kind in ("check", "command") and not any(map(self._names, programs_run(line.text.lower()))):
            return Verdict("lost", near, missing)  # a path that it was given proves nothing
        fate = self._fate(line, best, everywhere, len(wanted), len(missing))
        has_gist = line.kind not in _EXACT and (line.is_retold or not missing)
        known = has_gist and everywhere >= _EVERYWHERE
        if fate == "lost" and (line.is_retold or known or line.standing == "spent"):
            fate = "maybe"
        if fate == "maybe" and ((has_gist and best >= _GIST) or (known and line.kind not in _WEIGHTY)):
            fate = "kept"
        return Verdict(fate, near, missing)

    def _nearest(self, own: frozenset[str]) -> tuple[float, int]:
        """The greatest share of some words, by their weight, in one passage, and the first such passage."""
        if not self._spans:
            return 0.0, 0
        shares = [0] * len(self._spans)
        for word in own & self._where.keys():
            weight = self._weight((word,))
            for at in self._where[word]:
                shares[at] += weight
        most = max(shares)
        return (most / self._weight(own) if own else 1.0), shares.index(most)

    def lacks(self, line: str) -> frozenset[str]:
        return stems(line) - self._where.keys()

    def has(self, rule: str) -> bool:
        return self.verdict(Row("pin", rule, NOWHERE)).fate == "kept"

    def _fate(self, line: Row, best: float, everywhere: float, wanted: int, missing: int) -> Fate:
        if line.kind in _NAMED:
            if not missing and (wanted or best >= _KEPT):
                return "kept"
            return "lost" if missing == wanted or best < _KEPT else "maybe"
        weighty = line.kind in _WEIGHTY
        if best >= _KEPT and missing <= wanted // 3:
            return "kept"
        if _is_wide(line.text) != self._wide:
            return "lost" if wanted > 1 and missing == wanted else "maybe"
        if wanted and not missing:
            return "kept" if best >= _PASSAGE else "maybe"
        if not weighty and missing <= wanted // 2 and everywhere >= _KEPT:
            return "kept" if best >= _PASSAGE else "maybe"
        if weighty and missing and line.kind != "refused":
            near = 3 * missing <= wanted or (2 * missing <= wanted and best >= _KEPT)
            return "maybe" if near and everywhere >= _SCATTERED else "lost"
        if best < _PASSAGE_MAYBE and (2 * missing >= wanted if missing else everywhere < _SCATTERED):
            return "lost"
        if best >= _PASSAGE_MAYBE or everywhere >= (_KEPT if missing else _MAYBE):
            return "maybe"
        return "lost"

    def _names(self, identifier: str) -> bool:
        at = self._folded.find(identifier)
        while at >= 0:
            before, after = self._folded[at - 1 : at], self._folded[at + len(identifier) :][:1]
            if not (before.isalnum() and identifier[0].isalnum()) and not (
                after.isalnum() and identifier[-1].isalnum()
            ):
                return True
            at = self._folded.find(identifier, at + 1)
        name = identifier.rpartition("/")[2]
        if name.isdecimal() and name != identifier:  # the address of a pull request
            return self._names(f"#{name}")
        return len(name) > 3 and name != identifier and "." in name and self._names(name)

    def _weight(self, some: Iterable[str]) -> int:
        """Whole numbers, as the sum of fractions depends on their order."""
        return sum(
            round(
                1_000 / math.log2(2 + self._times[word]) / (2 if len(word) < _SHORT and word.isascii() else 1)
            )
            for word in some
        )


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers of a line, case-folded, without quotes."""
    found = (" ".join(match[0].strip(_EDGES).casefold().split()) for match in IDENTIFIER.finditer(text))
    return tuple(dict.fromkeys(each for each in found if len(each) > 1 and each != "/dev/null"))


def stems(text: str) -> frozenset[str]:
    """The words of a text by their beginnings, and pairs of characters of scripts without spaces."""
    return frozenset(word if WIDE.match(word) else word[:_STEM] for word in words(text) if len(word) > 1)


def _passages(text: str) -> Iterable[tuple[Span, frozenset[str]]]:
    """Each line of a text, long ones by sentence, with the one after it."""
    pieces: list[tuple[Span, frozenset[str]]] = []
    for match in re.finditer(r"[^\n]+", text):
        line, start = match[0], match.start()
        parts = re.finditer(r".{1,280}?(?:[.。！？!?]\s|$)|.{1,280}", line)
        pieces += [(Span(start + part.start(), start + part.end()), stems(part[0])) for part in parts]
    for at, (span, found) in enumerate(pieces):
        following, more = pieces[at + 1] if at + 1 < len(pieces) else (span, frozenset[str]())
        if found:
            yield Span(span.start, following.end if len(found) < _FEW else span.end), found | more


def _is_wide(text: str) -> bool:
    """Whether a text is written mostly in a script without spaces."""
    return 2 * len(WIDE.findall(text)) > len(_LETTER.findall(text))
