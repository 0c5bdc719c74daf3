"""Share of a session's facts that survive its compactions, per arm at equal size.

    python benchmarks/aftermath.py                       # the transcripts in $MEMTUI_SHARED/transcripts
    python benchmarks/aftermath.py --missing a.jsonl     # one, and what is not named with memtui's notes
    python benchmarks/aftermath.py --arm 'other=other-tool --session'

The truth comes from the raw records (`raw_session.py`), never from memtui's own reading. Every arm adds
a text of at most 9,000 characters to Claude Code's summary:

- `summary` adds nothing;
- `memtui` what the hook session-start hands over: the transcript is played up to each compaction in turn, and
  the code that the hooks run writes the state and the notes;
- `last words` the end of the conversation's texts, as long as memtui's notes;
- `random` facts of the session in random order, as long as memtui's notes;
- `NAME=COMMAND` whatever a command prints that gets the path of the transcript up to the compaction as its
  last argument, cut at the same length. A command that sees past the boundary is disqualified by the file.

Facts are matched by the rule of `naming.py`; of a user message the first 160 characters
count. A command counts when it ran before the compaction and again within the next 50 calls; for files this
share is printed in addition to the share of all files. `false` is the share of facts from another session
that the text matches by chance.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from memtui.ground.clock import system_clock
from memtui.ground.project import Places, Project, memtui_home
from memtui.hooks.notes import after_compaction
from memtui.hooks.records import Report
from memtui.hooks.sections import LIMIT, beginning
from memtui.store.state_updates import update_state
from naming import SearchedText, head_of, words
from raw_session import Compacted, Session, compactions

GOALS = {
    "modified files": 0.99,
    "files read": 0.94,
    "open tasks": 1.0,
    "messages": 0.97,
    "commands needed": 0.85,
}

_SHARED = Path(os.environ.get("MEMTUI_SHARED") or Path(__file__).resolve().parents[1] / ".." / "shared")
Arm = Callable[[Path, Compacted], str]
Test = Callable[[SearchedText], object]
"""Finds a fact in a text; a true value when it is there."""
Key = tuple[str, str]
"""An arm and a kind."""


def facts_of(compacted: Compacted) -> Iterator[tuple[str, str, Test]]:
    """Kind, text and test of every fact before a compaction."""
    before = compacted.before
    for kind, paths in (("modified files", before.modified), ("files read", before.read)):
        for path in paths:
            test = _file_test(before, path)
            yield kind, path, test
            if path in compacted.needed:
                yield f"{kind} needed", path, test
    for task in before.open_tasks:
        yield "open tasks", task, lambda text, task=task: text.find_text(task)  # type: ignore[misc]
    for message in dict.fromkeys(before.messages):
        head = head_of(message)
        if words(head):
            yield "messages", head, lambda text, head=head: text.find_text(head)  # type: ignore[misc]
    for command in before.commands:
        if command in compacted.needed:
            yield "commands needed", command, lambda text, it=command: text.command(it)  # type: ignore[misc]


def _file_test(before: Session, path: str) -> Test:
    relative, name = path.removeprefix(f"{before.root}/"), Path(path).name
    unique = sum(Path(each).name == name for each in (*before.modified, *before.read)) == 1
    return lambda text: text.file(relative, name if unique else "")


class Played:
    """Plays one transcript through the code of memtui's hooks, compaction by compaction."""

    def __init__(self, transcript: Path, root: str, base: Path) -> None:
        self._places = Places(
            Project(Path(root or "/")), memtui_home({"MEMTUI_HOME": str(base / "memtui")}), base / "claude"
        )
        self.prefix = base / "claude" / "projects" / "-" / transcript.name
        self.prefix.parent.mkdir(parents=True)
        self._data = transcript.read_bytes()

    def notes(self, compacted: Compacted) -> str:
        """Notes that session-start hands over; `prefix` holds the transcript up to the compaction."""
        self.prefix.write_bytes(self._data[: compacted.offset])
        update_state(self._places, transcript=self.prefix)
        project, home = self._places.project, self._places.home
        return after_compaction(self.prefix.stem, project, home, system_clock(), Report())


def last_words(compacted: Compacted, size: int) -> str:
    """The end of the conversation, including commands."""
    return "\n".join(compacted.before.spoken)[-size:] if size else ""


def random_facts(compacted: Compacted, size: int) -> str:
    """Facts in random order, one a line, until the size is reached."""
    before = compacted.before
    pool = [*before.messages, *before.commands, *before.modified, *before.read, *before.open_tasks]
    random.Random(compacted.offset).shuffle(pool)
    return "\n".join(" ".join(text.split()) for text in pool)[:size]


def by_command(command: str) -> Arm:
    """An arm that runs a program."""

    def text(prefix: Path, _: Compacted) -> str:
        ran = subprocess.run(
            [*shlex.split(command), str(prefix)], capture_output=True, text=True, timeout=300, check=True
        )
        return ran.stdout

    return text


def wilson(hits: int, number: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if not number:
        return 0.0, 1.0
    share = hits / number
    middle = share + z * z / (2 * number)
    spread = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    return tuple(max(0.0, min(1.0, (middle + s * spread) / (1 + z * z / number))) for s in (-1, 1))  # type: ignore[return-value]


class Counts:
    """Hits and totals by arm and kind, and the facts missing from memtui's notes."""

    def __init__(self) -> None:
        self.hits: Counter[Key] = Counter()
        self.totals: Counter[Key] = Counter()
        self.missing: list[str] = []

    def add(self, arm: str, text: SearchedText, facts: Iterable[tuple[str, str, Test]]) -> None:
        """Count the facts found in a text."""
        for kind, what, test in facts:
            named = test(text) is not None
            self.totals[arm, kind] += 1
            self.hits[arm, kind] += named
            if arm == "memtui" and not named:
                self.missing.append(f"{kind}: {what}")

    def lines(self, arms: Iterable[str], goals: dict[str, float]) -> Iterator[str]:
        """The lines of the table; `goals` are shown beside their kinds."""
        arms = list(arms)
        yield f"{'kind':<22}{'number':>7}" + "".join(f"{arm:>24}" for arm in arms)
        for kind in dict.fromkeys(kind for _, kind in self.totals):
            number = self.totals["summary", kind]
            cells = []
            for arm in arms:
                low, high = wilson(self.hits[arm, kind], number)
                share = self.hits[arm, kind] / number if number else 0
                cells.append(f"{share:>8.1%} [{low:>4.0%} - {high:>4.0%}]".rjust(24))
            goal = goals.get(kind)
            missed = goal is not None and self.hits["memtui", kind] < goal * number
            note = f"  goal {goal:.0%}{' MISSED' if missed else ''}" if goal else ""
            yield f"{kind:<22}{number:>7}" + "".join(cells) + note

    def missed(self) -> bool:
        """Whether a goal was missed."""
        return any(self.hits["memtui", k] < g * self.totals["memtui", k] for k, g in GOALS.items())


def measure(transcripts: Iterable[Path], others: dict[str, Arm]) -> tuple[Counts, Counts, int, int]:
    """Counts, counts of a foreign session's facts, the number of compactions, the longest notes."""
    counts, foreign = Counts(), Counts()
    number = longest = 0
    previous: Compacted | None = None
    for transcript in transcripts:
        for compacted, texts in _texts(transcript, others):
            longest = max(longest, len(texts["memtui"]))
            number += 1
            for arm, text in texts.items():
                whole = SearchedText(f"{compacted.summary}\n{text}")
                counts.add(arm, whole, facts_of(compacted))
                if previous is not None and previous.before.root != compacted.before.root:
                    foreign.add(arm, whole, facts_of(previous))
            last = compacted
        if number:
            previous = last
    return counts, foreign, number, longest


def _texts(transcript: Path, others: dict[str, Arm]) -> Iterator[tuple[Compacted, dict[str, str]]]:
    found = compactions(transcript)
    if not found:
        return
    with tempfile.TemporaryDirectory() as base:
        played = Played(transcript, found[0].before.root, Path(base))
        for compacted in found:
            notes = played.notes(compacted)
            texts = {
                "summary": "",
                "memtui": notes,
                "last words": last_words(compacted, len(notes)),
                "random": random_facts(compacted, len(notes)),
            }
            for name, arm in others.items():
                texts[name] = beginning(arm(played.prefix, compacted), LIMIT)
            yield compacted, texts


def main() -> int:
    """Print both tables; 1 when a goal is missed, 2 without compactions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("transcripts", nargs="*", type=Path)
    parser.add_argument("--missing", action="store_true", help="list the facts missing from memtui's notes")
    parser.add_argument("--arm", action="append", default=[], metavar="NAME=COMMAND")
    given = parser.parse_args()
    others = {name: by_command(command) for name, _, command in (arm.partition("=") for arm in given.arm)}
    transcripts = given.transcripts or sorted((_SHARED / "transcripts").glob("*.jsonl"))
    counts, foreign, number, longest = measure(transcripts, others)
    if not number:
        print("No compaction: name transcripts, or a folder by MEMTUI_SHARED.", file=sys.stderr)
        return 2
    arms = ("summary", "memtui", "last words", "random", *others)
    print(f"{number} compactions in {len(transcripts)} transcripts; notes of up to {longest:,} characters\n")
    print("\n".join(counts.lines(arms, GOALS)))
    print("\nfalse: facts of another session that the same texts seem to name")
    print("\n".join(foreign.lines(arms, {})))
    if given.missing:
        print("\n" + "\n".join(counts.missing))
    return 1 if counts.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
