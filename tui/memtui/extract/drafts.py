"""Drafts of a memory file and a summary, made from facts alone.

The same facts give the same words. Nothing is claimed that the transcript does not show: what is not known
stays empty, and a person adds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from memtui.extract.checks import SENTENCE, error_line, last_check
from memtui.extract.evidence import shown
from memtui.extract.facts import Facts
from memtui.extract.phrasing import first_sentence, one_line, shortened
from memtui.formats.memory import MemoryFile

_TITLE = 60
_GOAL = 600
_KEY_FILES = 12
_LEARNINGS = 12
_QUESTIONS = 10
_TELLING = 25
"""Characters from which a correction may tell something."""
_RESOLVED = 3
"""Resolved errors that are worth a learning: the last ones."""

_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def draft_memory(facts: Facts) -> MemoryFile:
    """A memory file as a reviewer would begin it (seed 001)."""
    return MemoryFile(
        title=_title(facts),
        goal=_goal(facts),
        learnings=tuple(_unique(_learnings(facts)))[:_LEARNINGS],
        questions=tuple(_unique(_questions(facts)))[:_QUESTIONS],
        confidence=_confidence(facts),
        key_files=tuple(_key_files(facts)),
    )


def _title(facts: Facts) -> str:
    return shortened(_topic(facts).rstrip(".。"), _TITLE) or "Session without words of the user"


def _topic(facts: Facts) -> str:
    """What the session is about, in a sentence: a bare `/command` says less than anything else."""
    words = (first_sentence(prompt.text) for prompt in facts.prompts or ())
    plan = next((line for line in _plan_lines(facts) if line.startswith("#")), "").lstrip("# ")
    told = (facts.title, plan, first_sentence(facts.first_prompt))
    return one_line(next((text for text in (*_sayings(words), *told) if text), ""))


def _sayings(words: Iterable[str]) -> Iterable[str]:
    return (
        text for text in words if " " in text.strip() or len(_HAN.findall(text)) > 2 or _KANA.search(text)
    )


def _plan_lines(facts: Facts) -> list[str]:
    return facts.plans[-1].content.split("\n") if facts.plans else []


def _goal(facts: Facts) -> str:
    goal = shortened(facts.first_prompt.strip(), _GOAL)
    later = first_sentence(facts.last_prompt) if len(facts.prompts) > 1 else ""
    if later and later not in goal:
        goal += f"\n\nLast asked: {shortened(one_line(later), SENTENCE)}"
    return goal


def _learnings(facts: Facts) -> Iterable[str]:
    for each in (*facts.decisions, *facts.causes):
        yield shortened(one_line(each.text), SENTENCE)
    for constraint in facts.constraints:
        yield shortened(f"Constraint: {one_line(constraint.text)}", SENTENCE)
    for correction in facts.corrections:
        # Few words, or a question, teach nothing to somebody who was not there.
        if len(correction.text) >= _TELLING and not correction.text.rstrip().endswith(("?", "？")):
            yield shortened(f"The user corrected: {one_line(correction.text)}", SENTENCE)
    root = Path(facts.cwd) if facts.cwd else None
    for error in [error for error in facts.errors if error.resolved][-_RESOLVED:]:
        yield shortened(f"Resolved: {error_line(error, root)}", SENTENCE)


def _questions(facts: Facts) -> Iterable[str]:
    for todo in facts.todos:
        if todo.status != "completed":
            doing = " (in progress)" if todo.status == "in_progress" else ""
            yield shortened(one_line(todo.content), SENTENCE) + doing
    root = Path(facts.cwd) if facts.cwd else None
    for error in reversed(facts.errors):
        if not error.resolved:
            yield error_line(error, root)


def _confidence(facts: Facts) -> str:
    """How much of the goal is shown to be reached, by todos, tests and errors; never more than they show."""
    open_todos = [todo for todo in facts.todos if todo.status != "completed"]
    open_errors = [error for error in facts.errors if not error.resolved]
    last = last_check(facts)
    if not facts.modified_files and not facts.todos:
        return "Low — nothing was changed, so there is little to go by; drafted from the transcript"
    if last is not None and last.outcome == "failed":
        return f"Low — the last check failed: {shortened(one_line(last.text), 80)}"
    if not open_todos and not open_errors and (facts.todos or (last is not None and last.outcome == "ok")):
        shows = [f"{_counted(len(facts.todos), 'todo')} done" if facts.todos else ""]
        shows.append(f"{shortened(one_line(last.text), 60)} passed" if last and last.outcome == "ok" else "")
        return f"High — {', '.join(each for each in shows if each)}, no error left open"
    left = [_counted(len(open_todos), "todo"), _counted(len(open_errors), "error")]
    told = " and ".join(each for each in left if each) or "no todo list and no test run"
    return f"Medium — {told}{' left open' if any(left) else ' to judge by'}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' if number > 1 else ''}" if number else ""


def _key_files(facts: Facts) -> list[str]:
    """The files edited most, by the user's agent before its subagents'; in a tie the one edited last."""
    root = Path(facts.cwd) if facts.cwd else None
    ranked = sorted(facts.modified_files, key=lambda file: (file.subagent, -file.times))
    return [shown(file.path, root) for file in ranked[:_KEY_FILES]]


def draft_summary(facts: Facts) -> str:
    """One or two sentences on what the session was about."""
    wish = shortened(_topic(facts), 160).rstrip(".。")
    done = [
        _counted(len(facts.modified_files), "file") + " modified" if facts.modified_files else "",
        _counted(sum(todo.status == "completed" for todo in facts.todos), "todo") + " done"
        if any(todo.status == "completed" for todo in facts.todos)
        else "",
        _counted(len(facts.decisions), "decision"),
    ]
    told = ", ".join(each for each in done if each)
    sentences = [
        f"{wish}." if wish else "",
        f"{told[0].upper()}{told[1:]}." if told else "No file was changed.",
    ]
    return " ".join(each for each in sentences if each)


def _unique(lines: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(line for line in lines if line)
