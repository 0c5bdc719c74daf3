"""A session with compactions, like Claude Code's."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.clock import parse_iso
from memtui.lost.compare import aftermath_of
from memtui.lost.records import TOGETHER, Aftermath, Row
from memtui.lost.traces import traces
from memtui.transcript.facts import read_facts
from tests.transcripts import Transcript

ROOT = "/work/app"

SUMMARY = """This session is being continued from a previous conversation that ran out of context.

Summary:
1. Primary Request and Intent: "round the tax per line in the invoice"
2. Files: src/tax.ts was changed, docs/ghost.md describes it. Run `make verify-all` before a release.
3. All tests now pass.
"""


def session() -> Transcript:
    """A session with prompts, three files, a failing check and an open task."""
    made = Transcript(cwd=ROOT)
    made.user("round the tax per line in the invoice")
    made.tool("Read", "x", file_path=f"{ROOT}/src/sum.ts")
    made.edit(f"{ROOT}/src/tax.ts")
    made.edit(f"{ROOT}/src/invoice.ts")
    made.user("never push to main, I do that myself")
    made.broken("Bash", "1 failed", command="npm test -- tax")
    made.tool("TodoWrite", todos=[{"content": "Write the release notes", "status": "pending"}])
    made.say("The rounding is in place, one test is red.")
    return made


def read(made: Transcript, folder: Path, number: int = -1, standing: tuple[Row, ...] = ()) -> Aftermath:
    """The aftermath of one compaction, by default the last one."""
    path = made.write(folder)
    trace = traces(path)[number]
    facts = read_facts(path, until=parse_iso(trace.compaction.source.timestamp))
    return aftermath_of(facts, trace, 1, Path(ROOT), transcript=path, standing=standing)


def lines(aftermath: Aftermath, kind: str) -> list[str]:
    """The lines of a kind, each by itself."""
    return [line for row in aftermath.rows if row.kind == kind for line in row.text.split(TOGETHER)]


def row(aftermath: Aftermath, text: str) -> Row:
    """The one row that begins so."""
    (found,) = [row for row in aftermath.rows if row.text.startswith(text)]
    return found
