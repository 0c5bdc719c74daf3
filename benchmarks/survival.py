"""What of a session is still named after a compaction: by Claude Code's summary, and with memtui's notes.

    python benchmarks/survival.py                     # the transcripts in $MEMTUI_SHARED/transcripts
    python benchmarks/survival.py a.jsonl b.jsonl     # these
    python benchmarks/survival.py --missing ...       # and what is not named with the notes

For every compaction in a transcript the facts before it are read, and what they hold is looked for (a) in the
summary that Claude Code put in their place, and (b) in that summary and the text that the hook session-start
hands over right after it, of 9,000 characters at most. That text is made by the code that the hook and its
server run: the transcript is played up to each compaction in turn, the next version of the state document is
written from it, and `memtui.hooks.notes.after_compaction` is asked.

Named is
- a file: when its path from the project's root is in the text (``src/{a.py, b.py}`` counts for both), or its
  name is, as a word, and no other file of the session has that name;
- a text (todo, constraint, decision, command, line of a plan): when 80 % of its words are in one line of the
  text, without regard to case and punctuation; of an answered question the answer counts;
- every line of a plan, too: when the path of the file that keeps the plan is in the text.

Counted are all files changed, all files only read, all todos that are not completed, the lines of the last
plan that have words unless it was rejected, all constraints and decisions, and all commands that failed, did
more than look for something, and are not shown to be over: each once for every compaction that it preceded.
What the facts do not see counts for neither.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memtui.clock import system_clock
from memtui.flows.states import update_state
from memtui.hooks.context import LIMIT
from memtui.hooks.notes import after_compaction
from memtui.hooks.report import Report
from memtui.hooks.sections import size_of
from memtui.project import Places, Project, memtui_home
from memtui.reading.checks import is_lookup
from memtui.reading.evidence import shown
from memtui.reading.facts import Facts, read_facts
from memtui.reading.issues import open_failures
from memtui.reading.records import CompactionFact
from memtui.store.states import PLAN

ENOUGH = 0.8
"""Share of a text's words that one line must have."""

GOALS = {"modified files": 0.99, "open todos": 1.0, "plan lines": 1.0, "constraints": 0.95}
"""What has to be named with the notes."""

_SHARED = Path(os.environ.get("MEMTUI_SHARED") or Path(__file__).resolve().parents[1] / ".." / "shared")
_WORD = re.compile(r"[^\W_]+")
_BRACES = re.compile(r"([^\s{},]*/)\{([^{}\n]*)\}")


class Text:
    """A text in which things are looked for."""

    def __init__(self, *parts: str) -> None:
        whole = "\n".join(parts)
        self.text = _BRACES.sub(
            lambda match: ", ".join(match[1] + name for name in match[2].split(", ")), whole
        )
        self._lines = [words(line) for line in self.text.split("\n")]

    def has_word(self, name: str) -> bool:
        """Whether a name stands in it by itself, or at the end of a path."""
        return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", self.text))

    def says(self, text: str) -> bool:
        """Whether one line has enough of a text's words."""
        wanted = words(text)
        return any(len(wanted & line) >= ENOUGH * len(wanted) for line in self._lines)


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(_WORD.findall(text.casefold()))


@dataclass(slots=True)
class Count:
    """How much of a kind there was, and how much is still named."""

    there: int = 0
    by_summary: int = 0
    with_notes: int = 0
    missing: list[str] = field(default_factory=list)
    """What is not named with the notes."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """One compaction: what preceded it, and the two texts."""

    facts: Facts
    root: Path
    summary: Text
    notes: str
    both: Text


def played(transcript: Path, base: Path) -> Iterator[Compaction]:
    """Play a transcript up to each of its compactions.

    Args:
        transcript: a Claude Code transcript.
        base: an empty folder to work in.
    """
    whole = read_facts(transcript)
    if not any(compaction.summary for compaction in whole.compactions):
        return
    session = whole.session_id or transcript.stem
    project = Project(Path(whole.cwds[0] if whole.cwds else "/"))
    places = Places(project, memtui_home({"MEMTUI_HOME": str(base / "memtui")}), base / "claude")
    copy = places.claude / "projects" / "-" / f"{session}.jsonl"
    copy.parent.mkdir(parents=True)
    data = transcript.read_bytes()
    for compaction in whole.compactions:
        copy.write_bytes(data[: compaction.offset])
        update_state(places, system_clock, transcript=copy)
        if compaction.summary:
            yield _compaction(compaction, read_facts(copy), session, places)


def _compaction(compaction: CompactionFact, facts: Facts, session: str, places: Places) -> Compaction:
    notes = after_compaction(session, places.project, places.home, system_clock(), Report())
    assert size_of(notes) <= LIMIT
    both = Text(compaction.summary, notes)
    return Compaction(facts, places.project.root, Text(compaction.summary), notes, both)


def count(compaction: Compaction, counts: dict[str, Count]) -> None:
    """Add what a compaction left."""
    facts = compaction.facts
    for kind, files in (("modified files", facts.modified_files), ("files read", facts.read_files)):
        _count_files(kind, [file.path for file in files], compaction, counts)
    open_todos = [todo.content for todo in facts.todos if todo.status != "completed"]
    _count_texts("open todos", open_todos, compaction, counts)
    plan = facts.plans[-1] if facts.plans else None
    if plan is not None and plan.fate != "rejected":
        lines = [line for line in plan.content.split("\n") if words(line)]
        _count_texts("plan lines", lines, compaction, counts, path=plan.path or PLAN)
    _count_texts("constraints", [each.text for each in facts.constraints], compaction, counts)
    decisions = [each.text.rpartition(" → ")[2].removesuffix(" (Recommended)") for each in facts.decisions]
    _count_texts("decisions", decisions, compaction, counts)
    failing = {each.text for each in open_failures(facts) if not is_lookup(each.text)}
    _count_texts("failing commands", sorted(failing), compaction, counts)


def _count_files(kind: str, paths: Sequence[str], compaction: Compaction, counts: dict[str, Count]) -> None:
    everything = (*compaction.facts.modified_files, *compaction.facts.read_files)
    names = [Path(file.path).name for file in everything]
    for path in paths:
        name, relative = Path(path).name, shown(path, compaction.root)
        unique = names.count(name) == 1

        def named(text: Text, name: str = name, relative: str = relative, unique: bool = unique) -> bool:
            return text.has_word(relative) or (unique and text.has_word(name))

        _add(counts[kind], relative, named(compaction.summary), named(compaction.both))


def _count_texts(
    kind: str, texts: Iterable[str], compaction: Compaction, counts: dict[str, Count], path: str = ""
) -> None:
    for text in texts:

        def named(where: Text, text: str = text) -> bool:
            return where.says(text) or (path != "" and path in where.text)

        _add(counts[kind], text, named(compaction.summary), named(compaction.both))


def _add(counted: Count, what: str, by_summary: bool, with_notes: bool) -> None:
    counted.there += 1
    counted.by_summary += by_summary
    counted.with_notes += with_notes
    if not with_notes:
        counted.missing.append(what)


KINDS = (
    "modified files",
    "files read",
    "open todos",
    "plan lines",
    "constraints",
    "decisions",
    "failing commands",
)


def measure(transcripts: Iterable[Path]) -> tuple[dict[str, Count], int, int]:
    """Counts by kind, the number of compactions, and the longest notes in characters."""
    counts = {kind: Count() for kind in KINDS}
    number = longest = 0
    for transcript in transcripts:
        with tempfile.TemporaryDirectory() as base:
            for compaction in played(transcript, Path(base)):
                count(compaction, counts)
                number += 1
                longest = max(longest, len(compaction.notes))
    return counts, number, longest


def table(counts: dict[str, Count]) -> list[str]:
    """The table, a row a kind and one for all."""
    total = Count(
        sum(each.there for each in counts.values()),
        sum(each.by_summary for each in counts.values()),
        sum(each.with_notes for each in counts.values()),
    )
    rows = [f"{'kind':<18} {'number':>6} {'(a) summary':>12} {'(b) with notes':>15} {'goal':>7}"]
    for kind, each in (*counts.items(), ("all", total)):
        goal = f"{GOALS[kind]:.0%}" if kind in GOALS else ""
        shares = [
            f"{share / each.there:.1%}" if each.there else "-" for share in (each.by_summary, each.with_notes)
        ]
        mark = {True: "ok", False: "MISSED", None: ""}[_reached(kind, each)]
        rows.append(f"{kind:<18} {each.there:>6} {shares[0]:>12} {shares[1]:>15} {goal:>7} {mark}".rstrip())
    return rows


def _reached(kind: str, each: Count) -> bool | None:
    return each.with_notes >= GOALS[kind] * each.there if kind in GOALS and each.there else None


def main() -> int:
    """Print the table; 1 when a goal is missed, 2 without transcripts."""
    words_given = [word for word in sys.argv[1:] if word != "--missing"]
    if absent := [word for word in words_given if not Path(word).is_file()]:
        print(f"There is no transcript {absent[0]}; see the top of {__file__}.", file=sys.stderr)
        return 2
    transcripts = [Path(word) for word in words_given] or sorted((_SHARED / "transcripts").glob("*.jsonl"))
    counts, number, longest = measure(transcripts)
    if not number:
        print("No transcript with a compaction; name some, or a folder by MEMTUI_SHARED.", file=sys.stderr)
        return 2
    print(f"{number} compactions in {len(transcripts)} transcripts; notes of up to {longest} characters\n")
    print("\n".join(table(counts)))
    if "--missing" in sys.argv:
        for kind, each in counts.items():
            print("\n".join(f"\n{kind}: {what}" for what in each.missing), end="\n" if each.missing else "")
    return 1 if any(_reached(kind, each) is False for kind, each in counts.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
