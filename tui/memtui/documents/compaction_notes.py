"""Notes for a session whose conversation is being compacted, made before its summary is known.

What summaries lose most and what stays in force: rules of the person, refusals, steps due, commands that work
here, commits. Every line is a quote with its source, the most important first, so that the hook can shorten
a section by leaving out its last lines. What the summary turns out to lack is handed over once it exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from memtui.documents.compactor import UNDONE, flat
from memtui.documents.events import SEEN, is_sure, landmark_line, missing_work, seen_addresses
from memtui.documents.quotes import with_source, without_source
from memtui.documents.session_state import SessionState, TaskKind
from memtui.documents.state_draft import gone_files
from memtui.documents.work import halted, open_steps, open_tasks, stopped, unanswered
from memtui.secrets.secrets import masked
from memtui.transcript.checks import bare_command, last_checks
from memtui.transcript.records import Facts
from memtui.transcript.sentences import is_rule, sentences
from memtui.transcript.short_text import capitalised, ends_of, key_of, one_line, shortened

_ROOM = 2_450  # the most characters of the notes
_QUOTE, _COMMAND, _MARK = 220, 200, 160
_RULES, _STEPS, _REFUSED, _COMMANDS, _MARKS = 8, 6, 3, 5, 3  # the most lines of each section


def compaction_notes(facts: Facts, state: SessionState, root: Path) -> str:
    """The notes as Markdown, with a ``##`` section for each kind of line in the session; "" without any.

    Decisions and open steps of `state`, the session's document, may come from a person or a model.
    """
    tasks = known_open_tasks(facts, state) or [work.line for work in open_steps(facts)]
    gone = gone_files((*facts.modified_files, *facts.shell_files), root)
    addresses = ", ".join(seen_addresses(facts))
    seen = [f"{SEEN}: {addresses}"] if addresses else []
    marks = [shortened(landmark_line(mark), _MARK) for mark in reversed(facts.landmarks[-_MARKS:])]
    sections: dict[str, Iterable[str]] = {
        "Rules still in force": islice(_rules(facts), _RULES),
        "Steps still due": filter(
            None, [halted(facts), capitalised(stopped(facts)), *tasks[:_STEPS], unanswered(facts)]
        ),
        "Refused or failed": islice(_refused(facts), _REFUSED),
        "Commands that work here": islice(_commands(facts), _COMMANDS),
        "Names and numbers": [*marks, *seen],
        "Files that commands deleted, moved, put back or name": [gone] if gone else [],
        "Not on record": [missing_work(facts)] if facts.missing_agents else [],
    }
    parts = []
    room = _ROOM
    for title, lines in sections.items():
        room -= len(title) + 5
        kept = []
        for line in lines:
            if len(line) + 3 <= room:
                kept.append(f"- {line}")
                room -= len(line) + 3
        if kept:
            parts.append("\n".join((f"## {title}", *kept)))
    return masked("\n\n".join(parts) + "\n") if parts else ""


def _rules(facts: Facts) -> Iterator[str]:
    """Sentences of the person that forbid or demand something, newest first."""
    said = set[str]()
    for turn in reversed(facts.asked):
        for sentence in sentences(turn.ask):
            if is_rule(sentence) and key_of(sentence) not in said:
                said.add(key_of(sentence))
                yield with_source(ends_of(sentence, _QUOTE), turn.source)


def _refused(facts: Facts) -> Iterator[str]:
    """What the person said in refusing a call, newest first; the rules among it are quoted above."""
    for turn in reversed(facts.asked):
        if turn.kind == "rejection" and not any(map(is_rule, sentences(turn.ask))):
            yield with_source(f"“{ends_of(one_line(turn.ask), _QUOTE)}”", turn.source)


def _commands(facts: Facts) -> Iterator[str]:
    """The last run of each check that went well, newest first."""
    for check in reversed(last_checks(facts)):
        if check.outcome == "ok" and is_sure(check):
            yield with_source(shortened(bare_command(check.text), _COMMAND), check.source)


def known_open_tasks(facts: Facts | None, state: SessionState | None) -> list[str]:
    """Open tasks: those of the session's list, then those of the document, which a person may have added."""
    known: dict[str, str] = {}
    for work in open_tasks(facts) if facts else ():
        doing = " (in progress)" if work.state == "doing" else ""
        known.setdefault(key_of(work.text), with_source(f"{work.text}{doing}", work.source))
    for task in flat(state.tasks) if state else ():
        # Requests are quoted elsewhere; the tasks of the list are above.
        if task.kind in UNDONE and not task.text.startswith('"'):
            doing = " (in progress)" if task.kind is TaskKind.IN_PROGRESS else ""
            known.setdefault(key_of(without_source(task.text)), f"{one_line(task.text)}{doing}")
    return list(known.values())
