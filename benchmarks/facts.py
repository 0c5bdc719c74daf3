"""Time to read the facts of transcripts, compared with parsing their lines; and its memory at two sizes.

Measured on the real transcripts in ``$MEMTUI_SHARED/transcripts`` (default: ``../shared``) when they are
there, else on a generated one with the line lengths of real ones. The reference reads the same files line by
line and hands each line to `pydantic_core.from_json`; both are done in turn, file by file, in one process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic_core import from_json, to_json

from data import Data, data, make_transcript
from memtui.transcript.facts import read_facts
from report import Figure, compared, show

ROUNDS = 7
BUDGET = 1.5
MEMORY_BUDGET = 1.2
SIZES = (10, 200)
"""Megabytes of the two transcripts whose peak memory is compared."""
REAL = 1_000
"""Maximum number of real transcripts; the smallest number that is enough."""
QUICK = {"ROUNDS": 1, "SIZES": (2, 20), "REAL": 3}

_SHARED = Path(os.environ.get("MEMTUI_SHARED") or Path(__file__).resolve().parents[1] / ".." / "shared")

_PEAK = """
import resource, sys
from pathlib import Path
from memtui.transcript.facts import read_facts
read_facts(Path(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def parse(path: Path) -> None:
    """Parse a transcript's lines, and nothing else."""
    with path.open("rb") as file:
        for line in file:
            try:
                from_json(line)
            except ValueError:
                continue


def times(paths: Sequence[Path]) -> tuple[list[float], list[float]]:
    """Seconds of processor time for reading the facts, and for parsing, of all files in each round."""
    facts, parsing = [], []
    for _ in range(ROUNDS):
        spent = [0.0, 0.0]
        for path in paths:
            started = time.process_time()
            parse(path)
            between = time.process_time()
            read_facts(path)
            spent[0] += between - started
            spent[1] += time.process_time() - between
        parsing.append(spent[0])
        facts.append(spent[1])
    return facts, parsing


def peak_megabytes(path: Path) -> float:
    """Peak memory of a process that reads the facts of one transcript."""
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path)], check=True, capture_output=True, text=True
    )
    unit = 1 if sys.platform == "darwin" else 1024
    return int(done.stdout) * unit / 1e6


def with_notes(source: Path, target: Path) -> Path:
    """Copy a generated transcript, adding the notes that make up two fifths of a real one.

    Claude Code repeats what was read, and the whole file that was edited, beside each result.
    """
    whole = "\n".join(
        f"    value_{number} = client.refresh(account, token={number})" for number in range(300)
    )
    with source.open("rb") as lines, target.open("wb") as copy:
        for line in lines:
            record = from_json(line)
            note = record.get("toolUseResult")
            if isinstance(note, dict) and "file" in note:
                note["file"]["content"] = whole
            elif isinstance(note, dict) and "oldString" in note:
                note["originalFile"] = whole
                note["structuredPatch"] = [{"oldStart": 1, "newStart": 1, "lines": whole.splitlines()[:8]}]
            copy.write(to_json(record) + b"\n")
    return target


def measure(made: Data) -> Iterator[Figure]:
    """The facts of transcripts against parsing them, and of a large one against a small one."""
    place = made.place(captures=10, memories=10)
    paths = sorted((_SHARED / "transcripts").glob("*.jsonl"), key=lambda path: path.stat().st_size)[:REAL]
    size = sum(path.stat().st_size for path in paths) / 1e6
    what = f"facts of {len(paths)} real transcripts, {size:.0f} MB"
    if not paths:
        make_transcript(place, megabytes=30)
        paths = [with_notes(place.transcript, place.root / "with-notes.jsonl")]
        what = f"facts of a generated transcript, {paths[0].stat().st_size / 1e6:.0f} MB"
    yield compared(what, *_with_reference(paths), BUDGET)
    peaks = []
    for megabytes in SIZES:
        make_transcript(place, megabytes=megabytes)
        peaks.append(peak_megabytes(place.transcript))
    small, large = peaks
    yield Figure(
        f"peak memory of facts, {SIZES[1]} MB transcript",
        f"{large:.0f} MB",
        f"{SIZES[0]} MB transcript: {small:.0f} MB",
        large / small,
        f"<= {MEMORY_BUDGET:g} x",
        large <= MEMORY_BUDGET * small,
    )


def _with_reference(paths: Sequence[Path]) -> tuple[list[float], str, list[float]]:
    facts, parsing = times(paths)
    return facts, "from_json of each line", parsing


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
