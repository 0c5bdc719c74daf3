"""What a session is about, in the words of its user where these say it."""

from __future__ import annotations

import re

from memtui.reading.records import Facts, Statement
from memtui.reading.short_text import first_sentence, one_line, says_something

_INTENT = re.compile(r"Primary Request and Intent:?\**\s*(.+?)(?=\n\s*\**2\.|\Z)", re.DOTALL)
_NEXT_STEP = re.compile(
    r"what would you like|how would you like to proceed|how should (?:i|we) proceed|what'?s next"
    r"|would you like me to|^(?:two )?options?$|何をしたいですか|どうしますか|どうしましょうか"
    r"|接下来(?:要|想)?做什么"
    r"|ready to (?:implement|start|proceed|commit|go)|shall i|should i (?:proceed|continue|start|commit)",
    re.IGNORECASE,
)
_ROUTINE = re.compile(
    r"(?:yes|no|ok(?:ay)?|start|run|continue|proceed|commit|push|skip|stop|go ahead|approve|done)\b|/",
    re.IGNORECASE,
)


def topic(facts: Facts) -> str:
    """What the session is about, in a sentence: a bare `/command` says less than anything else."""
    first = _opening(facts.first_prompt)
    later = (_opening(prompt.text) for prompt in facts.prompts)
    told = (
        first if says_something(first) else "",
        facts.title,
        _plan_heading(facts),
        next((text for text in later if says_something(text)), ""),
        _intent(facts),
        _first_task(facts, first),
    )
    return one_line(next((text for text in told if text), first))


def _first_task(facts: Facts, command: str) -> str:
    """The first item of the todo list, behind the bare command that began it."""
    task = next((todo.content for todo in (*facts.past_todos, *facts.todos)), "")
    return f"{command}: {task}" if command and task else task


def wish(facts: Facts) -> str:
    """What the user asked for at first; where that is a bare command, also what it led to."""
    asked = facts.first_prompt.strip()
    if asked and not says_something(asked):
        meant = _plan_heading(facts) or _intent(facts) or facts.title
        return f"{asked}: {meant}" if meant else asked
    return asked


def settled(decision: Statement) -> str:
    """A decision on one line; of an answer to "what next?" only the answer, when it says something."""
    text = one_line(decision.text).replace(" (Recommended)", "")
    question, arrow, answer = text.rpartition(" → ")
    if not arrow and decision.source == "answer":
        return text.rstrip("?？ ")  # an option that was worded as a question, and taken
    if not arrow or not _NEXT_STEP.search(question):
        return text
    return "" if _ROUTINE.match(answer) else answer


def _opening(text: str) -> str:
    """The first sentence; where that only announces something, with what follows."""
    first = first_sentence(text)
    if not first.endswith((":", "：")):
        return first
    return f"{first} {first_sentence(text.partition(first)[2])}".rstrip()


def _plan_heading(facts: Facts) -> str:
    lines = facts.plans[-1].content.split("\n") if facts.plans else []
    return next((line for line in lines if line.startswith("#")), "").lstrip("# ")


def _intent(facts: Facts) -> str:
    """What the first compaction's summary says was asked for."""
    for compaction in facts.compactions:
        _, found, rest = compaction.summary.rpartition("Summary:")
        section = _INTENT.search(rest if found else compaction.summary)
        if section:
            return first_sentence(section[1])
    return ""
