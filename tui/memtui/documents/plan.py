"""Which plan a session follows: the four priorities of seed 000, section 8.

The plan is kept word for word. What stands in a plan is never rewritten, its paths included: those that are
relative are relative to the project's root, which a recovery text names. Where a plan of lower priority says
what the chosen one does not, it follows below under a heading of its own: a todo list names the steps of an
approved plan, but not what that plan says about them.
"""

from __future__ import annotations

from collections.abc import Iterable

from memtui.documents.inferred import inferred_plan
from memtui.formats.lists import indented
from memtui.formats.recovery import Plan
from memtui.reading.facts import Facts
from memtui.reading.records import PlanFact, Todo
from memtui.reading.user_plans import stated_plan

_MARKS = {"completed": "x", "in_progress": ">"}


def choose_plan(facts: Facts, workflow: Plan | None) -> Plan:
    """The plan of a session, complete and word for word.

    Args:
        facts: what the transcript says.
        workflow: the plan of the workflow session that was active; None when there was none.
    """
    parts: list[tuple[str, str, str]] = []
    if workflow is not None and workflow.content.strip():
        parts.append(("workflow", "Workflow plan", workflow.content))
    if facts.todos:
        parts.append(("todo", "Todo list", todo_list(facts.todos)))
    parts += [_put_before_user(plan) for plan in _standing(facts.plans)]
    if not any(source == "user-stated" for source, _, _ in parts) and (said := stated_plan(facts.prompts)):
        parts.append(("user-stated", "As the user stated it", said))
    if not parts:
        parts.append(("inferred", "", inferred_plan(facts)))
    if refused := _refused_at_the_end(facts):
        parts.append(("inferred", "Plan that the user refused, and nothing came after", refused))
    source, _, content = parts[0]
    below = (f"## {title}\n\n{text}" for _, title, text in parts[1:])
    return Plan(source=source, content="\n\n".join([content, *below]))


def todo_list(todos: Iterable[Todo]) -> str:
    """Todos as the seed writes them: ``- [x]`` done, ``- [>]`` in progress, ``- [ ]`` pending.

    What more was written about one stands below it, indented.
    """
    return "\n".join(f"- [{_MARKS.get(todo.status, ' ')}] {_whole(todo)}" for todo in todos)


def _whole(todo: Todo) -> str:
    details = todo.details.strip() if todo.details.strip() != todo.content.strip() else ""
    text = f"{todo.content.strip()}\n{details}" if details else todo.content.strip()
    return "\n".join(line.rstrip() for line in indented(text).split("\n"))


def _standing(plans: tuple[PlanFact, ...]) -> list[PlanFact]:
    """The plan that holds: the last approved one, and one made later that was not refused."""
    approved = max((index for index, plan in enumerate(plans) if plan.fate == "approved"), default=-1)
    standing = [plans[approved]] if approved >= 0 else []
    later = [plan for plan in plans[approved + 1 :] if plan.fate == "unknown"]
    return standing + later[-1:]


def _put_before_user(plan: PlanFact) -> tuple[str, str, str]:
    where = f" ({plan.path})" if plan.path else ""
    if plan.fate == "approved":
        return "user-stated", f"Approved plan{where}", plan.content.strip("\n")
    return "inferred", f"Plan that is not approved yet{where}", plan.content.strip("\n")


def _refused_at_the_end(facts: Facts) -> str:
    """A plan whose refusal is the last that happened: taken into a fresh context, it looks the same."""
    last = facts.last_action
    if not facts.plans or facts.plans[-1].fate != "rejected" or last is None or last.tool != "ExitPlanMode":
        return ""
    return facts.plans[-1].content.strip("\n")
