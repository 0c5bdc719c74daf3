"""Before a compaction: how near it is, by what Claude Code measures, and what it would take."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem, private_folder, read_within, write_atomic
from memtui.ground.project import Home, Project, session_key
from memtui.lost.context_gauge import PACE, Limit
from memtui.lost.notes import Comparison, compare
from memtui.lost.records import TITLES
from memtui.transcript.lines import read_lines

_LIMIT = 8 << 20


class Measured(NamedTuple):
    """What Claude Code has measured of a session's context, in tokens."""

    at: str = ""
    """Time of the last measurement, ISO 8601; "" without any."""
    window: int = 0
    """The model's."""
    sizes: tuple[int, ...] = ()
    """At the end of the last turns, oldest first."""
    limit: Limit = Limit()
    """The sizes at which it is compacted; zeros if none is on record."""

    @property
    def shrank(self) -> bool:
        """Whether it was compacted in between."""
        return len(self.sizes) > 1 and self.sizes[-1] < self.sizes[-2]

    def with_size(self, tokens: int, window: int, at: str) -> Measured:
        return self._replace(at=at, window=window, sizes=(*self.sizes[-PACE:], tokens))

    @property
    def line(self) -> str:
        """``compacts at 155-177k · ~4 turns left``, from the lower end on; "" before, and without a limit."""
        low, high = self.limit
        tokens = self.sizes[-1] if self.sizes else 0
        if not low or tokens < low:
            return ""
        ends = list(dict.fromkeys((round(low / 1000), round(high / 1000))))
        grown = [after - before for before, after in pairwise(self.sizes) if after > before]
        turns = int(max(0, high - tokens) * len(grown) / sum(grown)) if grown else 0
        soon = f"~{turns} turn{'s' * (turns != 1)} left" if turns else "any turn now"
        return f"compacts at {'-'.join(map(str, ends))}k · {soon}"


def read_measured(home: Home, session_id: str) -> Measured:
    """What was measured of a session; nothing if that cannot be read."""
    path = _path(home, session_id)
    try:
        fields = json.loads(read_within(path, path.parent, limit=_LIMIT))
        low, high = fields["limit"]
        sizes = tuple(int(size) for size in fields["sizes"])
        return Measured(str(fields["at"]), int(fields["window"]), sizes, Limit(int(low), int(high)))
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return Measured()


def write_measured(home: Home, session_id: str, measured: Measured) -> None:
    """Keep what was measured; a `FileProblem` if that fails."""
    path = _path(home, session_id)
    private_folder(path.parent)
    write_atomic(path, json.dumps(measured._asdict()).encode(), durable=False)


def _path(home: Home, session_id: str) -> Path:
    return home.state / "mod" / f"{session_key(session_id)}.fill"


class Ahead(NamedTuple):
    """Candidates of the next compaction."""

    compared: Comparison
    made: bool
    """Compared with a summary that Claude Code has made ahead; otherwise all that no summary has yet."""

    @property
    def line(self) -> str:
        """``a summary has to keep: rules 4, steps 3``."""
        number = Counter(self.compared.rows[each - 1].kind for each in self.compared.lost)
        if not number:
            return "the summary made ahead lacks nothing that counts" if self.made else "nothing would go"
        said = ", ".join(f"{title.lower()} {number[kind]}" for kind, title in TITLES.items() if number[kind])
        return f"{'the summary made ahead lacks' if self.made else 'a summary has to keep'}: {said}"


def what_would_go(transcript: Path, project: Project, kept: Sequence[str] = ()) -> Ahead:
    """The candidates of a session's next compaction; `kept` are texts that memtui hands over all the same.

    Claude Code fact (2.1.332): where a summary is made ahead, it lies beside the transcript in
    ``<session>.precompact.json`` or ``<session>/precompact.json`` until it counts. It has `summaryText`,
    `precomputedAtUuid`, the last message that it covers, and `preserveUuids`, those that stay.
    """
    made = _made_ahead(transcript)
    last, stay = _lines(transcript, made) if made else (0, frozenset[int]())
    compared = compare(
        transcript,
        project,
        made.get("summaryText", ""),
        kept,
        stays=lambda line: line in stay or 0 < last < line,
    )
    return Ahead(compared, bool(made))


def lines_of(ahead: Ahead, most: int) -> list[str]:
    """The lines that would go, those of most worth first: ``never push to main (L412)``."""
    lines = [ahead.compared.rows[number - 1] for number in ahead.compared.lost[:most]]
    return [clean_line(line.text) + (f" (L{line.source.line})" if line.source.line else "") for line in lines]


def _made_ahead(transcript: Path) -> dict[str, Any]:
    for path in (
        transcript.with_name(f"{transcript.stem}.precompact.json"),
        transcript.with_suffix("") / "precompact.json",
    ):
        with suppress(FileProblem, ValueError, RecursionError):
            found = json.loads(read_within(path, path.parent, limit=_LIMIT))
            if isinstance(found, dict) and isinstance(found.get("summaryText"), str) and found["summaryText"]:
                return found
    return {}


def _lines(transcript: Path, made: dict[str, Any]) -> tuple[int, frozenset[int]]:
    """The last line that a summary made ahead covers, 0 if unknown, and the lines before it that stay."""
    last, uuids = made.get("precomputedAtUuid"), made.get("preserveUuids")
    stay = [each for each in uuids if isinstance(each, str)] if isinstance(uuids, list) else []
    wanted = [each.encode() for each in (last, *stay) if isinstance(each, str)]
    numbers: dict[str, int] = {}
    for line in read_lines(transcript, skip=lambda data: not any(each in data for each in wanted)):
        numbers.update((str(record.get("uuid")), line.number) for record in line.records)
    return numbers.get(str(last), 0), frozenset(numbers[each] for each in stay if each in numbers)
