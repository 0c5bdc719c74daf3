"""The task tree of a session state, as the facts show it: done only what is shown to be done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from memtui.formats.session_state import Task, TaskKind
from memtui.reading.records import Facts, PlanFact
from memtui.reading.requests import last_request
from memtui.reading.sentences import is_question, line_sentences, prose_lines
from memtui.reading.shell import SHELL_TOOLS
from memtui.reading.short_text import one_line, shortened, telling_line
from memtui.reading.sizes import tokens
from memtui.reading.tasks import was_done

_WIDTH = 240
_BLOCKER = 160
_STEPS = 8
_GIST = 5
"""Tokens of a sentence that says something."""
_SYMBOLS = re.compile(r"^(?:\d+[.)]\s|[^\w`\"'(<\[「『/~.-])+(?=\S)")
_TAG = re.compile(r"^\s*<[a-z][\w-]*>|</[a-z][\w-]*>\s*$")
_ONLY_ANNOUNCES = re.compile(r"(?:here\b|summary\b|the following\b|let me\b|以下|次の)", re.IGNORECASE)
_ITEM = re.compile(r"[-*•]\s|\d+[.)]\s")

ASKED, ANSWERED = "Asked: ", "Answered: "
"""How our own subs begin, so that those of a person are told from them."""

_STEP = re.compile(
    r"(?:\d+[.)]\s+|[-*]\s+\[[ x>]\]\s+"
    r"|#{2,4}\s+(?:(?:Step|Phase|Task|Étape|步骤|阶段|ステップ)\s*)?\d+[.:)、：]?\s*)(.+)$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[-*]\s+(?:\[[ x>]\]\s+)?(.+)$")
_STEPS_HEADING = re.compile(
    r"\b(?:steps?|tasks?|todos?|to do|checklist|phases?|étapes|tâches)\b|步骤|任务|阶段|手順|タスク|作業",
    re.IGNORECASE,
)
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_OUTSIDE = re.compile(r"^(?! )[^\n]+", re.MULTILINE)
"""Lines that are not indented: what is below a step explains it."""
_ASKING_TOOLS = {"AskUserQuestion": "the user's answer", "ExitPlanMode": "the user's approval of the plan"}


def task_tree(facts: Facts) -> tuple[Task, ...]:
    """What is done, what is being done, and what is to be done, all of it."""
    doing = [_text(todo.content) for todo in facts.todos if todo.status == "in_progress"]
    coming = [
        _text(todo.content) for todo in facts.todos if todo.status not in ("completed", "in_progress")
    ] or plan_steps(facts)
    current = doing[0] if doing else last_request(facts)
    tasks = [Task(kind=TaskKind.DONE, text=text) for text in done_tasks(facts)]
    if current:
        tasks.append(Task(kind=TaskKind.IN_PROGRESS, text=current, children=_subs(facts, current)))
    tasks += [Task(kind=TaskKind.OPEN, text=text) for text in doing[1:]]
    kinds = (TaskKind.NEXT, *(TaskKind.LATER for _ in coming))
    tasks += [Task(kind=kind, text=text) for kind, text in zip(kinds, coming, strict=False)]
    return tuple(tasks)


def done_tasks(facts: Facts) -> list[str]:
    """What is shown to be done: items that were ticked off, and commits of before there was a list."""
    ticked = [todo for todo in (*facts.past_todos, *facts.todos) if was_done(todo)]
    listed = bool(ticked or facts.todos)
    commits = [mark for mark in facts.landmarks if mark.commit]
    early = [mark for mark in commits if not listed or mark.source.timestamp < facts.todos_began]
    return [f"{_text(mark.text)} (committed)" for mark in early] + [_text(todo.content) for todo in ticked]


def plan_steps(facts: Facts) -> list[str]:
    """The steps of the plan that is to be carried out; none when a list has them, or work on it has begun."""
    plan = facts.plans[-1] if facts.plans else None
    if plan is None or plan.fate == "rejected" or facts.todos or facts.past_todos:
        return []
    moments = [mark.source.timestamp for mark in facts.landmarks]
    moments += [file.source.timestamp for file in facts.modified_files if file.path != plan.path]
    return [] if any(moment > plan.source.timestamp for moment in moments) else steps_of(plan)


def steps_of(plan: PlanFact) -> list[str]:
    """The steps of a plan, at most eight: what it numbers, else what it lists as its steps."""
    lines = [match[0] for match in _OUTSIDE.finditer(_FENCED.sub("", plan.content))]
    found = [match[1] for line in lines if (match := _STEP.match(line))]
    if len(found) < 2:
        found = []
        inside = not any(line.startswith("## ") for line in lines)
        for line in lines:
            inside = bool(_STEPS_HEADING.search(line)) if line.startswith("#") else inside
            if inside and (match := _LISTED.match(line)) and not match[1].endswith((":", "：")):
                found.append(match[1])
    return [shortened(one_line(text.replace("**", "")), _WIDTH) for text in found[:_STEPS]]


def _text(text: str) -> str:
    return shortened(one_line(text), _WIDTH)


def _subs(facts: Facts, current: str) -> tuple[Task, ...]:
    wanted = last_request(facts)
    told = [f"{ASKED}{wanted}" if wanted and wanted != current else ""]
    answer = gist(facts.last_words)
    told.append(f"{ANSWERED}{shortened(answer, _WIDTH)}" if answer else "")
    subs = [Task(kind=TaskKind.SUB, text=text) for text in told if text]
    return (*subs, Task(kind=TaskKind.BLOCKER, text=blocker(facts) or "None"))


def gist(message: str) -> str:
    """The first sentence of a message of the model that is more than an exclamation, outside of lists.

    Where none is, what announces a list, with its first item; else the first item.
    """
    lines = list(prose_lines(message))
    told = _telling(line for line in lines if not _ITEM.match(line))
    return told or _announced(lines) or _telling(lines)


def _telling(lines: Iterable[str]) -> str:
    for line in lines:
        for sentence in line_sentences(line):
            told = _bare(sentence)
            if tokens(told) >= _GIST and not told.endswith((":", "：")) and not is_question(told):
                return told
    return ""


def _announced(lines: list[str]) -> str:
    for line, item in pairwise(lines):
        if line.endswith((":", "：")) and not _ITEM.match(line) and _ITEM.match(item):
            said, first = list(line_sentences(line)), list(line_sentences(item))
            if said and first and not _ONLY_ANNOUNCES.match(told := _bare(said[-1])):
                return f"{told} {_bare(first[0])}"
    return ""


def _bare(sentence: str) -> str:
    """A sentence without the signs and the tags around it."""
    return _SYMBOLS.sub("", _TAG.sub("", one_line(sentence)))


def closing_question(text: str) -> str:
    """The question that a message ends with; "" when it ends otherwise."""
    last = text.rstrip().rsplit("\n", 1)[-1]
    if not last.rstrip("*_ \"')").endswith(("?", "？")):
        return ""
    return one_line([last.strip("*_ "), *line_sentences(last)][-1])


def blocker(facts: Facts) -> str:
    """What the work waits for: the user, or that something goes well; "" for nothing."""
    last = facts.last_action
    if facts.stopped:
        return "the user stopped the work and has not said yet how to go on"
    if last is not None and last.tool in _ASKING_TOOLS and last.outcome == "unknown":
        question = f": {one_line(last.target)}" if last.tool == "AskUserQuestion" else ""
        return shortened(f"waits for {_ASKING_TOOLS[last.tool]}{question}", _BLOCKER)
    if question := closing_question(facts.last_words):
        return shortened(f"waits for the user's answer: {question}", _BLOCKER)
    if last is None or last.outcome != "failed" or facts.last_words:
        return ""
    told = telling_line(last.result) if last.tool in SHELL_TOOLS else last.result
    return shortened(one_line(told), _BLOCKER)
