"""Drafts of a memory file and a summary, made from facts alone.

The same facts give the same words. Nothing is claimed that the transcript does not show: what is not known
stays empty, and a person adds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from memtui.documents.inferred import later_requests, request_line
from memtui.documents.objective import objective
from memtui.formats.memory import MemoryFile
from memtui.reading.checks import SENTENCE, bare_command, error_line, last_check
from memtui.reading.corrections import is_objection
from memtui.reading.evidence import shown
from memtui.reading.facts import Facts
from memtui.reading.guesses import is_unsure
from memtui.reading.issues import known_issues, solved_errors
from memtui.reading.records import Correction
from memtui.reading.removals import DELETED, moved_to
from memtui.reading.short_text import one_line, says_something, shortened
from memtui.reading.topics import settled, topic, wish
from memtui.safety.secrets import masked

_TITLE = 60
_GOAL = 600
_KEY_FILES = 12
_LEARNINGS = 12
_QUESTIONS = 10
_TELLING = 25
"""Characters from which a correction may tell something."""
_RESOLVED = 3
"""Resolved errors that are worth a learning: the last ones."""

_CAUSES = 5
"""Causes that are worth a learning: the last ones, for the earlier ones are often guesses."""
_ABOUT = 60

_OWN_FILE = re.compile(r"[\\/]\.claude[\\/](?:plans|projects)[\\/]")
_WIDE_END = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]$")


def draft_memory(facts: Facts) -> MemoryFile:
    """A memory file as a reviewer would begin it (seed 001), with secrets masked: it may be shared."""
    return MemoryFile(
        title=_title(facts),
        goal=_bare(_goal(facts)),
        learnings=tuple(_unique(map(_bare, _learnings(facts))))[:_LEARNINGS],
        questions=tuple(_unique(map(_bare, _questions(facts))))[:_QUESTIONS],
        confidence=_bare(_confidence(facts)),
        key_files=tuple(_key_files(facts)),
    )


def _bare(text: str) -> str:
    return masked(text)


def _title(facts: Facts) -> str:
    return shortened(_bare(topic(facts)).rstrip(".。"), _TITLE) or "Session without words of the user"


def _goal(facts: Facts) -> str:
    asked = wish(facts)
    goal = asked if says_something(asked) and len(asked) <= _GOAL else objective(facts) if asked else ""
    later = [request_line(prompt) for prompt in later_requests(facts)][-1:]
    if later and later[0] not in goal:
        goal += f"\n\nLast asked: {shortened(later[0], SENTENCE)}"
    return goal


def _learnings(facts: Facts) -> Iterable[str]:
    """What somebody who goes on should know, the surest first."""
    known = [each.sentence for each in (*facts.decisions, *facts.constraints)]
    for decision in facts.decisions:
        yield shortened(settled(decision).rstrip("?？"), SENTENCE)
    for cause in [each for each in facts.causes if not is_unsure(each.text)][-_CAUSES:]:
        yield shortened(one_line(cause.text), SENTENCE)
    for constraint in facts.constraints:
        yield shortened(f"Constraint: {one_line(constraint.text)}", SENTENCE)
    root = Path(facts.cwd) if facts.cwd else None
    for correction in facts.corrections:
        if _teaches(correction) and not any(sentence in correction.text for sentence in known):
            about = f" ({_about(correction.about, root)})" if correction.about else ""
            yield shortened(f"The user corrected{about}: {one_line(correction.text)}", SENTENCE)
    for error in solved_errors(facts)[-_RESOLVED:]:
        yield shortened(f"Resolved: {error_line(error, root)}", SENTENCE)


def _teaches(correction: Correction) -> bool:
    """Few words, a question, or a paste teach nothing to somebody who was not there."""
    text = correction.text.strip()
    if not _TELLING <= len(text) <= SENTENCE or "\n" in text or text.endswith(("?", "？")):
        return False
    return bool(correction.about) or is_objection(text)


def _about(about: str, root: Path | None) -> str:
    """What a correction was about: the tool and what it worked on, short."""
    tool, _, target = about.partition(": ")
    return shortened(one_line(f"{tool} {shown(target, root)}"), _ABOUT)


def _questions(facts: Facts) -> Iterable[str]:
    for todo in facts.todos:
        if todo.status != "completed":
            doing = " (in progress)" if todo.status == "in_progress" else ""
            yield shortened(one_line(todo.content), SENTENCE) + doing
    root = Path(facts.cwd) if facts.cwd else None
    for error in reversed(known_issues(facts)):
        yield error_line(error, root)


def _confidence(facts: Facts) -> str:
    """How much of the goal is shown to be reached, by todos, tests and errors; never more than they show."""
    open_todos = [todo for todo in facts.todos if todo.status != "completed"]
    unsolved = known_issues(facts)
    last = last_check(facts)
    if not facts.modified_files and not facts.todos:
        return "Low — nothing was changed, so there is little to go by; drafted from the transcript"
    if last is not None and last.outcome == "failed":
        return f"Low — the last check failed: {shortened(bare_command(last.text), 80)}"
    if not open_todos and not unsolved and (facts.todos or (last is not None and last.outcome == "ok")):
        shows = [f"{_counted(len(facts.todos), 'todo')} done" if facts.todos else ""]
        shows.append(
            f"{shortened(bare_command(last.text), 60)} passed" if last and last.outcome == "ok" else ""
        )
        return f"High — {', '.join(each for each in shows if each)}, no error left open"
    left = [_counted(len(open_todos), "todo"), _counted(len(unsolved), "error")]
    told = " and ".join(each for each in left if each) or "no todo list and no test run"
    return f"Medium — {told}{' left open' if any(left) else ' to judge by'}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' if number > 1 else ''}" if number else ""


def _key_files(facts: Facts) -> list[str]:
    """The files edited most, by the session before its subagents; the model's own notes come last.

    A file that was moved is named by its new path, one that was deleted not at all.
    """
    root = Path(facts.cwd) if facts.cwd else None
    files = [file for file in facts.modified_files if file.fate != DELETED]
    ranked = sorted(files, key=lambda file: (bool(_OWN_FILE.search(file.path)), file.subagent, -file.times))
    paths = dict.fromkeys(moved_to(file.fate) or file.path for file in ranked)
    return [shown(path, root) for path in paths][:_KEY_FILES]


def draft_summary(facts: Facts) -> str:
    """One or two sentences on what the session was about."""
    about = shortened(_bare(topic(facts)), 160).rstrip(".。")
    done = [
        _counted(len(facts.modified_files), "file") + " modified" if facts.modified_files else "",
        _counted(sum(todo.status == "completed" for todo in facts.todos), "todo") + " done"
        if any(todo.status == "completed" for todo in facts.todos)
        else "",
        _counted(len(facts.decisions), "decision"),
    ]
    told = ", ".join(each for each in done if each)
    stop = "" if about.endswith(("?", "!", "…", "？", "！")) else "。" if _WIDE_END.search(about) else "."
    sentences = [
        f"{about}{stop}" if about else "",
        f"{told[0].upper()}{told[1:]}." if told else "No file was changed.",
    ]
    return " ".join(each for each in sentences if each)


def _unique(lines: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(line for line in lines if line)
