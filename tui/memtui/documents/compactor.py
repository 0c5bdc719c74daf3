"""The compactor (seed 003): the next version of a session's state.

`merge` has the rules of each section, for drafts from facts and from a model. `next_state` is the compactor
without a model.
"""

from __future__ import annotations

from typing import TypeVar

from memtui.documents.compactor_decisions import merged_decisions
from memtui.documents.compactor_size import fitted
from memtui.documents.compactor_tasks import collapsed, count_of, flat, merged_tasks
from memtui.documents.goal import goal, is_drafted
from memtui.documents.open_work import plan_in_force, steps_of
from memtui.documents.quotes import is_quotes, with_new_quotes
from memtui.documents.state_draft import ProjectLike, raw_state
from memtui.documents.state_secrets import without_secrets
from memtui.documents.state_tasks import DECISION_ON, done_tasks, task_key, task_tree
from memtui.documents.user_requests import plan_line, user_requests
from memtui.formats.model import Section
from memtui.formats.session_state import LATEST, Dynamics, Identity, SessionState, Task, TaskKind
from memtui.transcript.records import Facts
from memtui.transcript.tasks import was_done

_Part = TypeVar("_Part", Identity, Dynamics)


def next_state(
    previous: SessionState | None,
    facts: Facts,
    project: ProjectLike,
    *,
    before: Facts | None = None,
) -> SessionState | None:
    """The next version of a session's state, from facts alone; None if nothing would change.

    Args: previous: the previous version; None for the first one. facts: the facts up to now. Decisions may be
    those of the new part alone. project: the session's project. before: the facts at the previous version, if
    known: they are not new. Otherwise all facts count as new, and are compared with the document by their
    wording.
    """
    drafted = raw_state(facts, project)
    if previous is None:
        return merge(None, drafted)
    drafted = drafted.replace(
        identity=drafted.identity.replace(goal=_goal(previous, facts, before)),
        tasks=_news(previous, _ticked(previous, drafted.tasks, before), before),
    )
    return merge(previous, drafted, gone=_dropped_tasks(facts, drafted))


def merge(
    previous: SessionState | None, drafted: SessionState, *, gone: frozenset[str] = frozenset()
) -> SessionState | None:
    """The next version from any draft, by the rules of seed 003; None if nothing would change.

    IDENTITY, except for the project's name, and CONVERSATION DYNAMICS take the values that the draft fills;
    the TASK TREE keeps finished and unmentioned tasks; KEY DECISIONS only grow; WORKING CONTEXT is the
    draft's. Lines and sections added by a person stay.

    Args:
        previous: the version before; None for the first one.
        drafted: the draft; its version number is ignored.
        gone: keys of open tasks (`task_key`) that are no longer wanted.
    """
    before, drafted = previous or SessionState(version=0), without_secrets(drafted)
    merged = SessionState(
        version=min(before.version + 1, LATEST),
        identity=_updated(before.identity, drafted.identity).replace(
            project=before.identity.project or drafted.identity.project
        ),
        tasks=collapsed(merged_tasks(before.tasks, drafted.tasks, gone=gone)),
        decisions=merged_decisions(before.decisions, drafted.decisions),
        working=drafted.working.replace(extra=_lines(before.working.extra, drafted.working.extra)),
        dynamics=_updated(before.dynamics, drafted.dynamics),
        preamble=before.preamble or drafted.preamble,
        extra=_further(before, drafted),
    )
    merged = fitted(merged)
    return None if previous is not None and merged.replace(version=previous.version) == previous else merged


def _updated(before: _Part, drafted: _Part) -> _Part:
    """`before` with the fields that the draft fills."""
    filled = {name: value for name, value in dict(drafted).items() if value and name != "extra"}
    return before.replace(**filled)


def _further(before: SessionState, drafted: SessionState) -> tuple[Section, ...]:
    """The sections added by a person, and the newest quotes."""
    others = [section for section in before.extra if not is_quotes(section)] or drafted.extra
    quotes = [section for section in (*drafted.extra, *before.extra) if is_quotes(section)]
    return with_new_quotes(others, quotes[:1])


def _lines(before: tuple[str, ...], drafted: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *drafted)))


def _goal(previous: SessionState, facts: Facts, before: Facts | None) -> str:
    """The goal from the facts; a person's or a model's wording is kept until another plan is approved."""
    was = previous.identity.goal
    if not was or is_drafted(was):
        return goal(facts)
    plan = plan_in_force(facts)
    return goal(facts) if before is not None and plan and plan != plan_in_force(before) else was


def _ticked(previous: SessionState, drafted: tuple[Task, ...], before: Facts | None) -> tuple[Task, ...]:
    """The drafted tasks; those ticked off by a person count as done unless a list has named them since."""
    if before is None:
        return drafted
    was = [(task_key(task.text), task.kind) for task in task_tree(before)]
    done = {task_key(task.text) for task in flat(previous.tasks) if task.kind is TaskKind.DONE}
    done -= {key for key, kind in was if kind is TaskKind.DONE}
    waited = {(key, kind is TaskKind.IN_PROGRESS) for key, kind in was if key in done}
    return tuple(
        task.replace(kind=TaskKind.DONE)
        if (task_key(task.text), task.kind is TaskKind.IN_PROGRESS) in waited
        else task
        for task in drafted
    )


def _news(previous: SessionState, drafted: tuple[Task, ...], before: Facts | None) -> tuple[Task, ...]:
    """The drafted tasks without the done ones already counted in the previous version.

    Open ones with the same words are dropped, too, as the done one counts.
    """
    counted = sum(map(count_of, previous.tasks))
    if not counted:
        return drafted
    shown = {task_key(task.text) for task in previous.tasks}
    done = [task for task in drafted if task.kind is TaskKind.DONE and task_key(task.text) not in shown]
    if before is not None:
        known = {task_key(text) for text in done_tasks(before)}
        old = [task for task in done if task_key(task.text) in known]
    else:
        old = done[:counted]  # the oldest ones are counted first
    counting = {task_key(task.text) for task in old}
    return tuple(task for task in drafted if task_key(task.text) not in counting)


def _dropped_tasks(facts: Facts, drafted: SessionState) -> frozenset[str]:
    """Open tasks no longer wanted: removed from the list, replaced by a list, or earlier requests."""
    texts = [todo.content for todo in facts.past_todos if todo.status == "dropped"]
    texts += [todo.content for todo in facts.todos if todo.status == "completed" and not was_done(todo)]
    texts += [text for ask in user_requests(facts) for text in (ask.line, ask.with_purpose)]
    for plan in facts.plans:
        texts += [*steps_of(plan), f"{DECISION_ON}{plan_line(plan)}"]
    wanted = {task_key(task.text) for task in drafted.tasks}
    return frozenset(task_key(text) for text in texts) - wanted
