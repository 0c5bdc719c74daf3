"""Time from the first paint to the rows of Claude's own memories, in a project with 120 transcripts.

Started in turn with and without the memories, each a whole process in a terminal: the first paint must not
become slower, nor the rows of Pending, which come with it.
"""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

from data import Data, Place, capture_title, data, make_transcript
from report import Figure, bounded, compared, show
from terminal import Terminal

RUNS = 11
MEMORIES, TRANSCRIPTS = 300, 120
BUDGET, SLOWER = 0.150, 1.2
QUICK = {"RUNS": 3}
_WORDS, _LENGTH = 3_000, 180


def write_claudes(folder: Path, number: int) -> None:
    """Write so many memories of Claude's, of different words each, and their index."""
    chance = random.Random(1)
    words = [f"word{each}" for each in range(_WORDS)]
    folder.mkdir()
    for each in range(number):
        head = f"---\nname: note{each}\ndescription: Note {each}\nmetadata:\n  type: project\n---\n\n"
        (folder / f"note{each}.md").write_text(head + " ".join(chance.choices(words, k=_LENGTH)) + "\n")
    lines = (f"- [note{each}](note{each}.md) - Note {each}\n" for each in range(number))
    (folder / "MEMORY.md").write_text("".join(lines))


def started(place: Place, *, claudes: bool) -> tuple[float, float]:
    """Seconds until the newest capture is painted, and from then until Claude's memories are counted."""
    with Terminal(place.command, cwd=place.project, env=place.environment) as terminal:
        painted = terminal.wait_for(capture_title(0))
        filled = terminal.wait_for(f"Claude {MEMORIES}") if claudes else painted
        return painted - terminal.started, filled - painted


def measure(made: Data) -> list[Figure]:
    """300 memories of Claude's beside 120 transcripts."""
    place = made.place(captures=5, memories=5)
    make_transcript(place, megabytes=0)
    for number in range(TRANSCRIPTS - 1):
        shutil.copy(place.transcript, place.transcripts / f"00000000-0000-4000-8000-{number:012d}.jsonl")
    folder, aside = place.transcripts / "memory", place.root / "memory"
    write_claudes(aside, MEMORIES)
    without, with_them, filling = [], [], []
    for run in range(RUNS + 1):
        painted, _ = started(place, claudes=False)
        aside.rename(folder)
        painted_too, filled = started(place, claudes=True)
        folder.rename(aside)
        if run:  # the first one writes byte code
            without.append(painted)
            with_them.append(painted_too)
            filling.append(filled)
    what = f"{MEMORIES} memories of Claude's, {TRANSCRIPTS} transcripts"
    return [
        compared(f"first paint: {what}", with_them, "without them", without, SLOWER),
        bounded(f"first paint -> their rows: {what}", filling, BUDGET),
    ]


if __name__ == "__main__":
    with data() as made:
        sys.exit(show(measure(made)))
