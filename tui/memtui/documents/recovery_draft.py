"""A draft of the recovery text (seeds 000 and 004), made from facts alone.

The same facts give the same text. Nothing is claimed that the transcript does not show: a decision without a
reason gets none, and says instead who made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.documents.inferred import unanswered
from memtui.documents.last_action import action_line, last_action
from memtui.documents.objective import objective
from memtui.documents.plan import choose_plan
from memtui.documents.ranking import reference_files, working_files
from memtui.documents.recovery_notes import recovery_notes
from memtui.formats.recovery import Plan, Recovery
from memtui.reading.checks import bare_command, error_line, last_check
from memtui.reading.facts import Facts
from memtui.reading.issues import known_issues
from memtui.reading.packages import package_changes
from memtui.reading.records import Statement
from memtui.reading.short_text import one_line, shortened, telling_line
from memtui.reading.tasks import was_done
from memtui.reading.topics import settled
from memtui.safety.secrets import find, masked

_COUNT = 25
"""Items of a list that grows with a session's length: the last ones."""
_ISSUES = 6
_FEW = 3
_FILES = 12
_LINE = 320

_REASON = re.compile(
    r"^(?P<decision>.{12,}?)"
    r"(?:\s?[,;—–-]*\s(?:because|since|so that|as it|in order to|due to|to avoid|to keep|parce que)\s"
    r"|\s?[，,]?\s?(?:因为|由于|以便|なので|ため[、,]))(?P<reason>.{8,})$",
    re.IGNORECASE | re.DOTALL,
)
_EXPLAINED = re.compile(r"[:：](?!//)\s*\S")
_BY = {
    "user": "the user said so",
    "answer": "the user chose it",
    "assistant": "decided in the session",
    "plan": "the user approved it",
}


def draft_recovery(
    facts: Facts, root: Path, *, session_id: str = "", workflow: Plan | None = None
) -> Recovery:
    """The recovery text of a session, all fourteen sections.

    Args:
        facts: what the transcript says.
        root: the project's root.
        session_id: the workflow session (``WFS-...``) that was active, "" when none was.
        workflow: that session's plan.
    """
    top = str(root)
    plan = choose_plan(facts, workflow)
    recovery = Recovery(
        session_id=session_id,
        project_root=top,
        objective=objective(facts),
        plan=plan,
        working_files=working_files(facts, top),
        reference_files=reference_files(facts, top),
        last_action=last_action(facts),
        decisions=_kept(_decisions(facts)),
        constraints=_kept(one_line(each.text) for each in facts.constraints),
        dependencies=package_changes(facts),
        known_issues=_kept(_known_issues(facts)),
        changes=_kept(_changes(facts)),
        pending=_kept(_pending(facts)),
        notes=recovery_notes(facts, with_requests=plan.source != "inferred"),
    )
    return _without_secrets(recovery)


def _kept(lines: Iterable[str]) -> tuple[str, ...]:
    unique = tuple(dict.fromkeys(line for line in lines if line.strip()))
    return unique[-_COUNT:]


def _decisions(facts: Facts) -> Iterator[str]:
    for decision in facts.decisions:
        text = settled(decision)
        if text:
            yield _with_reason(text, decision)


def _with_reason(text: str, decision: Statement) -> str:
    """``decision: reasoning``, as the seed wants it."""
    if decision.source == "plan":
        return f"{text}: {_BY['plan']}"
    question, arrow, answer = text.rpartition(" → ")
    if arrow:
        return f"{shortened(answer, _LINE)}: the user's answer to “{shortened(question, _LINE)}”"
    if found := _REASON.match(text):
        return f"{found['decision'].rstrip(' ,;—–-')}: {found['reason']}"
    if _EXPLAINED.search(text):
        return text
    return f"{text.rstrip('.。?？ ')}: {_BY[decision.source]}"


def _known_issues(facts: Facts) -> Iterator[str]:
    check = last_check(facts)
    failed = check is not None and check.outcome == "failed"
    if check is not None and failed:
        said = one_line(telling_line(check.output))
        yield shortened(f"`{bare_command(check.text)}` failed when it ran last: {said}".rstrip(": "), _LINE)
    for error in known_issues(facts)[-_ISSUES:]:
        if check is None or not failed or error.target != one_line(check.text):
            yield error_line(error, None)


def _changes(facts: Facts) -> Iterator[str]:
    told = [f"{mark.text} (commit {mark.commit})" if mark.commit else mark.text for mark in facts.landmarks]
    told += [one_line(todo.content) for todo in (*facts.past_todos, *facts.todos) if was_done(todo)]
    yield from told
    if len(told) < _FEW:
        files = facts.modified_files
        for file in files[-_FILES:]:
            later = f", later {file.fate}" if file.fate else ""
            yield f"{file.path}: {'created' if file.created else 'changed'}{later}"
        if len(files) > _FILES:
            yield f"{len(files) - _FILES} other files, all named under Working Files"


def _pending(facts: Facts) -> Iterator[str]:
    if asked := unanswered(facts):
        yield f"The user asked last, and nothing was done about it yet: {shortened(one_line(asked), _LINE)}"
    action = facts.last_action
    if action is not None and action.outcome in ("interrupted", "unknown", "background"):
        yield f"Not finished: {action_line(action)}"
    doing = [todo for todo in facts.todos if todo.status == "in_progress"]
    coming = [todo for todo in facts.todos if todo.status not in ("in_progress", "completed")]
    yield from (f"{one_line(todo.content)} (in progress)" for todo in doing)
    yield from (one_line(todo.content) for todo in coming)


def _without_secrets(recovery: Recovery) -> Recovery:
    """The same with its texts masked; paths stay as they are, for they are what the text is for."""
    number = 0

    def mask(text: str) -> str:
        nonlocal number
        number += len(find(text))
        return masked(text)

    changes: dict[str, object] = {
        name: tuple(mask(item) for item in getattr(recovery, name))
        for name in ("decisions", "constraints", "known_issues", "changes", "pending")
    }
    changes |= {name: mask(getattr(recovery, name)) for name in ("objective", "last_action", "notes")}
    changes["plan"] = recovery.plan.replace(content=mask(recovery.plan.content))
    if not number:
        return recovery
    told = f"- Masked: {number} secret{'s' if number > 1 else ''} of the transcript"
    changes["notes"] = f"{changes['notes']}\n{told}".strip()
    return recovery.replace(**changes)
