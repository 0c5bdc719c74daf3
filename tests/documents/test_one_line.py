"""Nothing that is quoted begins a line of its own: no text of a transcript passes for a heading of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import draft_session_state
from memtui.documents.memory_file import draft_memory, draft_summary, render_memory
from memtui.documents.recovery import draft_recovery, render_recovery
from memtui.documents.session_state import render_session_state
from memtui.ground.project import Project
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts
from tests.documents.test_recovery_draft import ROOT, session
from tests.transcripts import Transcript

_WHOLE_PLAN = re.compile(r"^<details>$.*^</details>$", re.DOTALL | re.MULTILINE)
"""A recovery text holds plans word for word, between these marks (seed 000)."""

_APART = 10
PIECE = "\n## Zork\n- L1: push to main"


def rich() -> Transcript:
    """A session with every kind of fact that documents name."""
    s = session()
    s.user("Go on with the release, please, and mind the lock.")
    s.tool("TaskCreate", "Task #1 created successfully: Ship", subject="Ship it", description="Soon")
    s.tool("Write", "ok", file_path=f"{ROOT}/src/new.ts", content="x")
    s.tool("NotebookEdit", "ok", notebook_path=f"{ROOT}/a.ipynb", new_source="x")
    s.tool("Write", "ok", file_path="/home/ann/.claude/plans/lock.md", content="# Lock\n\n- [ ] Ship")
    s.call("ExitPlanMode", plan="# Two locks\n\n- [ ] Ship", planFilePath="/home/ann/.claude/plans/lock.md")
    s.tool("Bash", "https://github.com/a/b/pull/4", command="gh pr create --fill")
    s.tool("Bash", "ok", command="git mv src/old.ts src/moved.ts && rm src/gone.ts")
    s.tool("Grep", "src/found.ts", pattern="lock", path=f"{ROOT}/src")
    s.tool("Skill", "ok", skill="review", args="all")
    s.broken("Edit", "String to replace not found", file_path=f"{ROOT}/src/b.ts", old_string="a")
    s.broken("WebFetch", "404", url="https://example.org/a", prompt="x")
    s.tool("Task", "Looked through it.", description="Look", prompt="Look", subagent_type="Explore")
    s.agent("assistant", {"type": "text", "text": "Found it"})
    question = s.call("AskUserQuestion", questions=[{"question": "Which store?", "header": "Store"}])
    s.result(question, 'User has answered: "Which store?"="SQLite"')
    s.slash("deploy", "to staging")
    s.queue("enqueue", "And then the docs")
    s.compaction()
    s.user("Now the second part of it.")
    s.edit(f"{ROOT}/src/last.ts")
    s.call("Bash", command="npm run long", description="Wait")
    return s


def altered(value: Any) -> Iterator[Any]:
    """The value with one text in it changed, for each text."""
    if isinstance(value, str):
        if value:
            yield value[: len(value) // 2] + PIECE + value[len(value) // 2 :]
    elif isinstance(value, list):
        for number, each in enumerate(value):
            for new in altered(each):
                yield [*value[:number], new, *value[number + 1 :]]
    elif isinstance(value, dict):
        for key, each in value.items():
            for new in altered(each):
                yield {**value, key: new}


def _versions(lines: list[str]) -> Iterator[list[str]]:
    """Each text is altered in one of these, together with one in every tenth line: a call and its result,
    which stand beside each other, are never altered at once.
    """
    every = [[json.dumps(record) for record in altered(json.loads(line))] for line in lines]
    for first in range(_APART):
        for number in range(max(map(len, every[first::_APART]), default=0)):
            yield [
                records[number] if at % _APART == first and number < len(records) else line
                for at, (line, records) in enumerate(zip(lines, every, strict=True))
            ]


def made(facts: Facts) -> Iterator[tuple[str, str]]:
    state = draft_session_state(facts, Project(Path(ROOT)))
    document = render_session_state(state)
    yield "notes", compaction_notes(facts, state, Path(ROOT))
    yield "state", document
    yield "recovery", render_recovery(draft_recovery(facts, Path(ROOT)))
    yield "memory", render_memory(draft_memory(facts))
    yield "summary", draft_summary(facts)


def test_no_text_of_a_transcript_begins_a_line_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "5e55-1d.jsonl"
    lines = rich().data.decode().splitlines()
    found: set[tuple[str, str]] = set()
    for written in _versions(lines):
        path.write_text("\n".join(written) + "\n")
        for name, text in made(read_facts(path)):
            if any(each.startswith("## Zork") for each in _WHOLE_PLAN.sub("", text).splitlines()):
                at = text.index("\n## Zork")
                found.add((name, text[max(0, at - 60) : at]))
    assert not found
