"""How often search answers a question: the right session among the first 1, 5 and 10, and an answering line.

    python benchmarks/questions.py FILE.tsv [FOLDER]    questions about transcripts
    python benchmarks/questions.py locomo10.json        LoCoMo's public questions, retrieval only

A line of FILE.tsv is ``session<TAB>answering lines, with commas<TAB>question``; FOLDER has the transcripts,
``$MEMTUI_SHARED/transcripts`` by default. LoCoMo's conversations become a transcript each of their sessions,
and each question its evidence. Questions about other people's transcripts are not part of the project.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memtui.ground.project import Home, Places, Project
from memtui.store.search import ROWS, Scope, Searcher
from memtui.store.search_query import parse_search

LOCOMO = 100
"""Questions of LoCoMo that are asked."""


class Question(NamedTuple):
    """A question, and where its answer is."""

    text: str
    answers: dict[str, set[int]]
    """Lines by session."""


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a file with tabs."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            session, lines, text = line.split("\t")
            yield Question(text, {session: set(map(int, lines.split(",")))})


def locomo(path: Path, folder: Path) -> Iterator[Question]:
    """LoCoMo's questions, after its conversations are written as transcripts."""
    questions: list[Question] = []
    for number, sample in enumerate(json.loads(path.read_text("utf-8"))):
        places: dict[str, tuple[str, int]] = {}
        talk: dict[str, Any] = sample["conversation"]
        for key in [key for key in talk if key.startswith("session_") and isinstance(talk[key], list)]:
            name = f"{number:02d}-{key}"
            lines = []
            for at, turn in enumerate(talk[key], 1):
                places[turn["dia_id"]] = (name, at)
                lines.append(_line(turn, talk["speaker_a"]))
            (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
        for asked in sample["qa"]:
            answers: dict[str, set[int]] = {}
            for session, line in (places[each] for each in asked.get("evidence", ()) if each in places):
                answers.setdefault(session, set()).add(line)
            if answers:
                questions.append(Question(asked["question"], answers))
    return iter(random.Random(7).sample(questions, min(LOCOMO, len(questions))))


def _line(turn: dict[str, Any], person: str) -> str:
    role = "user" if turn["speaker"] == person else "assistant"
    text = f"{turn['speaker']}: {turn['text']} {turn.get('blip_caption', '')}"
    return json.dumps({"type": role, "message": {"content": [{"type": "text", "text": text}]}}) + "\n"


def ask(searcher: Searcher, questions: Iterator[Question]) -> str:
    """The figures of some questions."""
    hits, visible, empty, total = {1: 0, 5: 0, 10: 0}, 0, 0, 0
    took: list[float] = []
    for question in questions:
        started = time.perf_counter()
        sessions, *_ = searcher.search(parse_search(question.text), Scope.EVERYWHERE, limit=10)
        took.append(time.perf_counter() - started)
        found = {rows[0].name: [row.line for row in rows][:ROWS] for rows in sessions.results}
        total, empty = total + 1, empty + (not found)
        for first in hits:
            hits[first] += any(name in question.answers for name in list(found)[:first])
        visible += any(
            question.answers.get(name, set()).intersection(found[name]) for name in list(found)[:5]
        )
    shown = ", ".join(f"{number} in the first {first}" for first, number in hits.items())
    middle = sorted(took)[len(took) // 2] * 1000
    return (
        f"{total} questions: right session {shown}; answering line visible in the first 5: {visible}; "
        f"nothing found: {empty}; p50 {middle:.0f} ms"
    )


def main(path: Path, folder: Path) -> None:
    """Index the transcripts and ask."""
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        home = Home(*(base / name for name in ("data", "cache", "state", "config")))
        projects = base / "claude" / "projects" / "-all"
        projects.mkdir(parents=True)
        if path.suffix == ".json":
            questions = locomo(path, projects)
        else:
            questions = read_questions(path)
            for each in folder.glob("*.jsonl"):
                shutil.copy(each, projects)
        searcher = Searcher(Places(Project(base), home, base / "claude"))
        searcher.update()
        print(ask(searcher, questions))


if __name__ == "__main__":
    shared = Path(os.environ.get("MEMTUI_SHARED", Path(__file__).resolve().parents[1] / ".." / "shared"))
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else shared / "transcripts")
