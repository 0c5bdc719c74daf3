"""A memory file: the result of the review of a capture (seed 001), and its draft, made from facts alone.

The same facts give the same words. Nothing is claimed without a record: unknown values stay empty or N/A for
a person to fill in. Every drafted line names its source.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from memtui.documents import events, markdown, work
from memtui.documents.events import (
    CLAUDES,
    changed_since,
    check_line,
    is_sure,
    landmark_line,
    pasted_failure,
    standing,
)
from memtui.documents.markdown import Section, escape, parse_items, render_items
from memtui.documents.quotes import TICKED, quotes_section, with_source
from memtui.documents.record import Block, Items, Line, Record
from memtui.documents.work import ONLY_CAPTURE, goal, stopped, title_of, unfinished_turn
from memtui.ground.text import FormatError, counted, file_text, without_backticks
from memtui.secrets.secrets import masked
from memtui.transcript.checks import SENTENCE, last_check, last_checks
from memtui.transcript.files import DELETED, PUT_BACK, path_now
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import was_done
from memtui.transcript.records import NOWHERE, Command, Facts, FileFact
from memtui.transcript.short_text import capitalised, one_line, shortened

_GOAL, _LEARNINGS, _QUESTIONS = "Goal", "Learnings", "Open Questions / Issues"
_CONFIDENCE, _KEY_FILES = "Confidence Level", "Key Files"
_ALSO = "Open Questions|Open Issues|Open Questions/Issues|Open Questions & Issues|Open Questions and Issues"
_ALIASES = {**dict.fromkeys(_ALSO.split("|"), _QUESTIONS), "Confidence": _CONFIDENCE}
_LAYOUT = markdown.layout(_GOAL, _LEARNINGS, _QUESTIONS, _CONFIDENCE, _KEY_FILES, aliases=_ALIASES)
_PREFIX = "memory:"


class MemoryFile(Record):
    """One memory file."""

    title: Line
    goal: Block = ""
    learnings: Items = ()
    questions: Items = ()
    confidence: Block = ""
    """High, Medium or Low, a dash, and why."""
    key_files: Annotated[
        Items, BeforeValidator(lambda paths: tuple(without_backticks(path.strip()) for path in paths))
    ] = ()
    preamble: Block = ""
    extra: tuple[Section, ...] = ()


def render_memory(memory: MemoryFile) -> str:
    bodies = {
        _GOAL: escape(memory.goal),
        _LEARNINGS: render_items(memory.learnings),
        _QUESTIONS: render_items(memory.questions),
        _CONFIDENCE: escape(memory.confidence),
        _KEY_FILES: render_items(memory.key_files),
    }
    parts = [
        f"# Memory: {memory.title}".rstrip(),
        escape(memory.preamble),
        markdown.render(bodies, memory.extra),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def parse_memory(text: str) -> MemoryFile:
    """Read a memory file: a title or one of its sections makes it one."""
    document = markdown.read(file_text(text).split("\n"), _LAYOUT)
    title, preamble = _read_title(document.preamble)
    if title is None and not document.bodies:
        raise FormatError("it has neither a title nor a section of a memory file")
    return MemoryFile(
        title=title or "",
        goal=document.block(_GOAL),
        learnings=tuple(parse_items(document.lines(_LEARNINGS))),
        questions=tuple(parse_items(document.lines(_QUESTIONS))),
        confidence=document.block(_CONFIDENCE),
        key_files=tuple(parse_items(document.lines(_KEY_FILES))),
        preamble=document.text(preamble),
        extra=tuple(document.extra),
    )


def _read_title(lines: list[str]) -> tuple[str | None, list[str]]:
    """The first top-level heading's text and the other lines."""
    inside = markdown.fenced(lines)
    for index, line in enumerate(lines):
        if not inside[index] and line.startswith("# "):
            title = line[2:].strip()
            if title[: len(_PREFIX)].casefold() == _PREFIX:
                title = title[len(_PREFIX) :]
            return title.strip(), lines[:index] + lines[index + 1 :]
    return None, lines


_TITLE = 60
_MOST_KEY_FILES = 12
_MOST_LEARNINGS, _COMMANDS, _FAILURES, _TICKED = 14, 5, 2, 10
_MOST_QUESTIONS = 10
_SUMMARY = 160
_RESULT = 80
_LAST_RESULTS = 3
UNTITLED = "Session without words of the user"
_HIDDEN = "hides its exit status"
_ONLY_CAPTURE = f"{capitalised(ONLY_CAPTURE)}."

_WIDE_END = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]$")


def draft_memory(facts: Facts) -> MemoryFile:
    """A draft of the memory file for a review (seed 001), with secrets masked, as it may be shared."""
    alone = [_ONLY_CAPTURE] if facts.from_capture else []
    decided = ((f"{each.decision}: {each.reason}", each.source) for each in work.recorded_decisions(facts))
    learnings = [with_source(shortened(text, SENTENCE), source) for text, source in decided]
    learnings = [*learnings, *map(landmark_line, standing(facts))][-_MOST_LEARNINGS:]
    tasks = work.listed_tasks(facts)
    done = [with_source(shortened(todo.content, _RESULT), todo.source) for todo in tasks if was_done(todo)]
    more = f"; and {len(done) - _TICKED} before" if done[_TICKED:] else ""
    learnings += [f"{capitalised(TICKED)}: {'; '.join(done[-_TICKED:])}{more}"] if done else []
    errors = (each for each in events.last_errors(facts, _FAILURES) if each.tool)
    learnings += (events.error_event(facts, e, None) for e in errors if not events.ran_again(facts, e))
    learnings += [f"Branch {branch}" for branch in [work.branch_named(facts)] if branch]
    learnings += events.repository(facts)
    learnings += [f"{events.SEEN}: {', '.join(seen)}" for seen in [events.seen_addresses(facts)] if seen]
    learnings += events.commands_run(facts, _COMMANDS)
    return MemoryFile(
        title=shortened(masked(title_of(facts)).rstrip(".。"), _TITLE) or UNTITLED,
        goal=masked("\n".join([goal(facts), *alone])),
        learnings=tuple(dict.fromkeys(map(masked, learnings))),
        questions=tuple(dict.fromkeys(map(masked, _questions(facts))))[:_MOST_QUESTIONS],
        confidence=masked(_confidence(facts)),
        key_files=tuple(map(masked, _key_files(facts))),
        extra=quotes_section(facts),
    )


def _questions(facts: Facts) -> list[str]:
    """The last turn's interruption or error, open work, and the last action of an unfinished turn."""
    if facts.from_capture:
        return [_ONLY_CAPTURE]
    at = facts.last_action if unfinished_turn(facts) else None
    action = f"Last action: {events.action_event(facts, at, None)}" if at else ""
    open_work = work.open_work(facts)[: _MOST_QUESTIONS - 2]
    return list(filter(None, (capitalised(stopped(facts)), *open_work, action)))


def _confidence(facts: Facts) -> str:
    """Confidence by a fixed rule over records.

    - Low: the last check, or what the user pasted after it, failed, the last turn was stopped, or only the
      capture is known.
    - High: the last run of every kind of check went well, the last one by its own exit status and with no
      change of a file since; every task of a list is ticked off and none left it before, no step of the plan
      is open, and the last turn is answered.
    - Medium: anything else. A turn that goes on, as at every automatic compaction, is no reason for Low.
    """
    if facts.from_capture:
        return f"Low — {ONLY_CAPTURE}"
    check, stop = last_check(facts), stopped(facts) or work.halted(facts)
    left = len([*work.open_tasks(facts), *work.open_steps(facts)])
    others = [run for run in last_checks(facts) if run.outcome == "failed"]
    pasted = pasted_failure(facts)
    reasons = (stop, _checked(facts, check) if check else "", _tasks(facts, left), pasted)
    failed = (check is not None and check.outcome == "failed") or pasted
    sure = check is not None and is_sure(check) and not changed_since(facts, check.source)
    waits = facts.last_action is not None and facts.last_action.outcome == "background"
    high = (
        sure
        and work.since_asked(facts, facts.todos)
        and not (left or waits or others or unfinished_turn(facts) or work.dropped(facts))
    )
    level = "Low" if failed or stop else "High" if high else "Medium"
    return f"{level} — {'; '.join(filter(None, reasons)) or 'what was said last stands below'}"


def _checked(facts: Facts, check: Command) -> str:
    how = "failed" if check.outcome == "failed" else "went well" if is_sure(check) else _HIDDEN
    return f"the last check {how}: {check_line(facts, check)}"


def _tasks(facts: Facts, left: int) -> str:
    """Number of tasks with the line of the last change."""
    listed, gone = facts.todos if work.listed_tasks(facts) else (), work.dropped(facts)
    if not (listed or left):
        return gone
    last = max((todo.source for todo in listed), default=NOWHERE)
    opened = with_source(f"{counted(left, 'task or step', 'tasks and steps')} open", last) if left else ""
    return "; ".join(filter(None, (opened or work.ticked(listed), gone)))


def _key_files(facts: Facts) -> list[str]:
    """The files edited most, the session's before its subagents', without the model's own notes.

    Moved files have their new path; deleted ones are left out.
    """
    root = Path(facts.cwd) if facts.cwd else None
    files = (file for file in _edited(facts) if not CLAUDES.search(file.path))
    ranked = sorted(files, key=lambda file: (file.subagent, -file.times))
    paths = dict.fromkeys(map(path_now, ranked))
    return [shown_path(path, root) for path in paths][:_MOST_KEY_FILES]


def _edited(facts: Facts) -> list[FileFact]:
    """The files edited by tools whose edits are there; commands may have changed more."""
    there = (file for file in facts.modified_files if not file.fate.startswith(DELETED))
    commits = [mark.source.line for mark in facts.landmarks if mark.kind == "commit"]
    return [f for f in there if f.fate != PUT_BACK or any(f.source.line < at < f.last.line for at in commits)]


def draft_summary(facts: Facts) -> str:
    """The subject of the session and its results on record: commits, newest last, else files and check."""
    about = shortened(masked(title_of(facts)), _SUMMARY).rstrip(".。")
    commits = [mark.text for mark in standing(facts) if mark.kind == "commit"][-_LAST_RESULTS:]
    requests = [mark.text for mark in facts.landmarks if mark.kind == "pull request"]
    last = "; ".join(shortened(masked(one_line(each)), _RESULT).rstrip(".。") for each in commits)
    results = [
        f"Last committed: {last}" if commits else "",
        *(f"Pull request {masked(url)}" for url in requests[-1:]),
    ]
    if not any(results):  # else it would say no more than the title
        check, files = last_check(facts), counted(len(_edited(facts)), "file")
        least = "at least " if facts.shell_files else ""  # commands may have changed more
        results = ["" if files.startswith("0 ") else f"Changed {least}{files}"]
        results += [capitalised(masked(_checked(facts, check)))] if check else []
    stop = "" if about.endswith(("?", "!", "…", "？", "！")) else "。" if _WIDE_END.search(about) else "."
    sentences = [f"{about}{stop}" if about else "", *(f"{each}." for each in results if each)]
    sentences += [_ONLY_CAPTURE] if facts.from_capture else []
    return " ".join(each for each in sentences if each)
