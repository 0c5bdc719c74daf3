"""The plan of a session, by the four priorities of seed 000, section 8.

The plan is kept word for word, including its paths: relative ones are relative to the project's root, which a
recovery text names. A plan of lower priority with more information follows below under a heading of its own:
a todo list names the steps of an approved plan, but not the details. Of a plan above 8 KB only the headings
are quoted, with their line numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memtui.documents.inferred_plan import inferred_plan
from memtui.documents.open_work import plan_in_force, plan_status, undecided_plan
from memtui.documents.sources import citation
from memtui.formats.lists import indented
from memtui.formats.recovery import Plan
from memtui.formats.sections import fenced
from memtui.transcript.facts import Facts
from memtui.transcript.paths import shown_path
from memtui.transcript.records import PlanFact, Todo
from memtui.transcript.short_text import shortened
from memtui.transcript.tasks import mark_of
from memtui.transcript.user_plans import stated_plan

_WHOLE = 8_192
"""Maximum length of a plan quoted whole, in characters."""
_HEADING = re.compile(r"#{1,6}\s+\S")
_BOX = re.compile(r"\s*[-*+]\s+\[[ xX>]\]\s")
_OUTLINED = 120
_LINE = 200


def choose_plan(facts: Facts, workflow: Plan | None) -> Plan:
    """The plan of a session, complete and word for word.

    Args:
        facts: the facts of the transcript.
        workflow: the plan of the active workflow session; None without one.
    """
    parts: list[tuple[str, str, str]] = []
    if workflow is not None and workflow.content.strip():
        parts.append(("workflow", "Workflow plan", workflow.content))
    if facts.todos:
        parts.append(("todo", "Todo list", todo_list(facts.todos)))
    parts += _put_before_user(facts)
    if not any(source == "user-stated" for source, _, _ in parts) and (said := stated_plan(facts.asked)):
        parts.append(("user-stated", "In the user's words", said))
    if not parts:
        parts.append(("inferred", "", inferred_plan(facts)))
    source, _, content = parts[0]
    below = (f"## {title}\n\n{text}" for _, title, text in parts[1:])
    return Plan(source=source, content="\n\n".join([content, *below]))


def todo_list(todos: Iterable[Todo]) -> str:
    """Todos with their boxes, as the seed writes them: ``- [x]``, see `mark_of`.

    Details follow each item, indented.
    """
    return "\n".join(f"- [{mark_of(todo)}] {_task_text(todo)}" for todo in todos)


def _task_text(todo: Todo) -> str:
    details = todo.details.strip() if todo.details.strip() != todo.content.strip() else ""
    text = f"{todo.content.strip()}\n{details}" if details else todo.content.strip()
    return "\n".join(line.rstrip() for line in indented(text).split("\n"))


def _put_before_user(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """The last approved plan, and a later one without a decision."""
    if plan := plan_in_force(facts):
        yield "user-stated", f"Approved plan{_where(plan)}", _quoted(plan)
    if plan := undecided_plan(facts):
        yield "inferred", f"Plan {plan_status(plan)}{_where(plan)}", _quoted(plan)


def _where(plan: PlanFact) -> str:
    places = ", ".join(part for part in (shown_path(plan.path, None), citation(plan.source)) if part)
    return f" ({places})" if places else ""


def _quoted(plan: PlanFact) -> str:
    """A plan word for word; a long one by its headings and boxes, each with its line."""
    content = plan.content.strip("\n")
    if len(content) <= _WHOLE:
        return content
    lines = content.split("\n")
    inside = fenced(lines)
    outline = [
        f"{number}: {shortened(line, _LINE)}"
        for number, line in enumerate(lines, 1)
        if not inside[number - 1] and (_HEADING.match(line) or _BOX.match(line))
    ]
    where = (
        f"read it in {shown_path(plan.path, None)}"
        if plan.path
        else f"it stands at {citation(plan.source)} of the transcript"
    )
    head = f"{len(content):,} characters, {len(lines):,} lines; {where}. Its headings by line number:"
    more = len(outline) - _OUTLINED
    rest = [f"and {more} more headings and boxes"] if more > 0 else []
    return "\n".join([head, "", *outline[:_OUTLINED], *rest])
