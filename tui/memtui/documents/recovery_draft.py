"""A draft of the recovery text (seeds 000 and 004), made from facts alone.

The same facts give the same text. It quotes with source lines, and claims nothing without a record, neither
that something is solved nor that something is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.documents.decisions import recorded_decisions
from memtui.documents.events import NOT_PASSED, check_event, failed_checks, last_errors
from memtui.documents.goal import ONLY_CAPTURE, goal_parts
from memtui.documents.inferred_plan import file_line, landmark_line
from memtui.documents.last_action import last_action
from memtui.documents.open_work import pending
from memtui.documents.plan import choose_plan
from memtui.documents.quotes import quotes_section
from memtui.documents.ranking import reference_files, working_files
from memtui.documents.recovery_notes import recovery_notes
from memtui.documents.sources import with_source
from memtui.formats.recovery import UNKNOWN, Plan, Recovery, RoleFile
from memtui.secrets.secrets import MASK, masked
from memtui.transcript.facts import Facts
from memtui.transcript.packages import package_changes
from memtui.transcript.short_text import one_line
from memtui.transcript.tasks import was_done

_COUNT = 25
"""Maximum number of items in lists that grow with a session; the last ones are kept."""
_FEW = 3
_NO_REFERENCE = "only changed, removed or temporary files among those read by tools"
_FILES = 12


def draft_recovery(
    facts: Facts, root: Path, *, session_id: str = "", workflow: Plan | None = None
) -> Recovery:
    """The recovery text of a session: all fourteen sections, followed by quotes.

    Args:
        facts: the facts of the transcript.
        root: the project's root.
        session_id: the active workflow session (``WFS-...``), "" without one.
        workflow: that session's plan.
    """
    top = str(root)
    plan = choose_plan(facts, workflow)
    recovery = Recovery(
        session_id=session_id,
        project_root=top,
        objective="\n".join(goal_parts(facts)) or f"{UNKNOWN}: no words of the user on record",
        plan=plan,
        working_files=working_files(facts, top) or _no_file(facts, "no edit by a tool on record"),
        reference_files=reference_files(facts, top)
        or _no_file(
            facts,
            _NO_REFERENCE if facts.read_files else "no file on record that a tool read, beside those changed",
        ),
        last_action=last_action(facts),
        decisions=_last_unique(_decisions(facts))
        or _nothing(facts, "no answer and no decided plan on record"),
        constraints=_nothing(facts, "none is read off sentences; the user's words stand in the last section"),
        dependencies=tuple(_dependencies(facts))
        or _nothing(facts, "no command recognised as one that installs packages by name"),
        known_issues=_issues(facts),
        changes=_last_unique(_changes(facts))
        or _nothing(facts, "no commit, finished task or edit recognised"),
        pending=_nothing(facts, "") if facts.from_capture else tuple(pending(facts)[:_COUNT]),
        notes=recovery_notes(facts, root, with_requests=plan.source != "inferred"),
        extra=quotes_section(facts),
    )
    return _without_secrets(recovery)


def _nothing(facts: Facts, reason: str) -> tuple[str, ...]:
    """The only item of an empty list: nothing on record, which does not mean none."""
    return (f"{UNKNOWN}: {ONLY_CAPTURE if facts.from_capture else reason}",)


def _no_file(facts: Facts, reason: str) -> tuple[RoleFile, ...]:
    return (RoleFile(path=UNKNOWN, role=ONLY_CAPTURE if facts.from_capture else reason),)


def _last_unique(lines: Iterable[str]) -> tuple[str, ...]:
    unique = tuple(dict.fromkeys(line for line in lines if line.strip()))
    return unique[-_COUNT:]


def _decisions(facts: Facts) -> Iterator[str]:
    for each in recorded_decisions(facts):
        yield with_source(f"{each.decision}: {each.reason}", each.source)


def _dependencies(facts: Facts) -> Iterator[str]:
    for text, source in package_changes(facts).items():
        yield with_source(text, source)


def _issues(facts: Facts) -> tuple[str, ...]:
    """Checks that failed and did not pass since; other failures are events, which stand in the notes."""
    check = check_event(facts)
    failed = tuple(f"{NOT_PASSED}: {each}" for each in failed_checks(facts))
    if check.startswith("FAILURE"):
        return (f"last check: {check}", *failed)
    if failed:
        return failed
    reason = f"last check: {check}" if check else "no command recognised as a check"
    return _nothing(facts, f"{reason}; failures stand in the notes" if last_errors(facts, 1) else reason)


def _changes(facts: Facts) -> Iterator[str]:
    lines = [landmark_line(mark) for mark in facts.landmarks]
    todos = (todo for todo in (*facts.past_todos, *facts.todos) if was_done(todo))
    lines += [with_source(one_line(todo.content), todo.source) for todo in todos]
    yield from lines
    if len(lines) < _FEW:
        files = facts.modified_files
        yield from map(file_line, files[-_FILES:])
        if more := files[:-_FILES]:
            which = "1 other file" if len(more) == 1 else f"{len(more)} other files, all"
            yield f"{which} named under Working Files"


def _without_secrets(recovery: Recovery) -> Recovery:
    """The recovery text with all secrets masked, in paths too."""
    number = 0

    def mask(text: str) -> str:
        nonlocal number
        text = masked(text)
        number += text.count(MASK)
        return text

    changes: dict[str, object] = {
        name: tuple(mask(item) for item in getattr(recovery, name))
        for name in ("decisions", "constraints", "known_issues", "changes", "pending", "dependencies")
    }
    changes |= {name: mask(getattr(recovery, name)) for name in ("objective", "last_action", "notes")}
    changes |= {
        name: tuple(each.replace(path=mask(each.path), role=mask(each.role)) for each in files)
        for name, files in (
            ("working_files", recovery.working_files),
            ("reference_files", recovery.reference_files),
        )
    }
    changes["plan"] = recovery.plan.replace(content=mask(recovery.plan.content))
    if not number:
        return recovery
    line = f"- Masked: {number} secret{'s' if number > 1 else ''} of the transcript"
    changes["notes"] = f"{changes['notes']}\n{line}".strip()
    return recovery.replace(**changes)
