"""Failures and checks as events with their age, without claiming that they are solved."""

from __future__ import annotations

from pathlib import Path

from memtui.documents.sources import citation, with_source
from memtui.transcript.checks import (
    SENTENCE,
    bare_command,
    error_line,
    last_check,
    last_checks,
    worth_telling,
)
from memtui.transcript.hidden_failures import hides_outcome
from memtui.transcript.record_order import is_after
from memtui.transcript.records import NOWHERE, Action, Command, ErrorFact, Facts, Source
from memtui.transcript.shell import shows_outcome
from memtui.transcript.short_text import one_line, shortened, telling_line
from memtui.transcript.tools import SHELL_TOOLS

_COUNTED = 50
"""Limit up to which the number of commands is exact: of a long session only the last ones are kept."""
_COMMAND = 120
_LEAST = 40
_MISSING = 5
_FAILED = 3
_TARGET = 400
"""Characters by which commands are compared: of one that failed, facts keep 500."""
NOT_PASSED = "failed, and no later run of it on record passed"
TYPED = "typed by the user, exit status not on record"
"""Outcome of a ``!`` line."""
HIDDEN = "exit status hidden"
"""Outcome of a command line joined by more than ``&&``, when no failure is visible."""


def last_errors(facts: Facts, most: int) -> list[ErrorFact]:
    """The last failures relevant to the project, newest first."""
    return [error for error in reversed(facts.errors) if worth_telling(error)][:most]


def error_event(facts: Facts, error: ErrorFact, root: Path | None, *, clock: bool = False) -> str:
    """``Bash npm test failed at L174, 30 commands since, the last one ok: the message``."""
    what, _, message = error_line(error, root).partition(" failed: ")
    where = citation(error.source, clock=clock)
    since = _ran_again(facts, error, clock=clock) or _since(facts, error.source)
    event = f"{what} failed{f' at {where}' if where else ''}{since}"
    return f"{event}: {output(message, SENTENCE * 2 - len(event))}" if message else event


def _ran_again(facts: Facts, error: ErrorFact, *, clock: bool) -> str:
    """The source of a later success of the same command."""
    if error.tool not in SHELL_TOOLS:
        return ""
    target = bare_command(error.target)[:_TARGET]
    for command in facts.commands:
        same = is_after(command.source, error.source) and bare_command(command.text)[:_TARGET] == target
        if same and outcome_of(command) == "ok":
            where = citation(command.source, clock=clock)
            return f", ok when it ran again{f' at {where}' if where else ''}"
    return ""


def failed_checks(facts: Facts, *, clock: bool = False) -> list[str]:
    """Checks that failed before the last one and that no later run covers, newest first."""
    last = last_check(facts)
    failed = (each for each in reversed(last_checks(facts)) if each.outcome == "failed" and each is not last)
    return [check_line(facts, each, clock=clock) for each in failed][:_FAILED]


def check_event(facts: Facts, *, clock: bool = False) -> str:
    """The last compile, lint or test run with its outcome and age; "" if none is on record."""
    check = last_check(facts)
    return f"{_outcome(check)}: {check_line(facts, check, clock=clock)}" if check is not None else ""


def check_line(facts: Facts, check: Command, *, clock: bool = False) -> str:
    """A check's command with its line, its age and, if it failed, its message."""
    where = citation(check.source, clock=clock)
    since = _since(facts, check.source).removeprefix(", ")
    place = "; ".join(part for part in (where, since) if part)
    summary = f"{shortened(bare_command(check.text), _COMMAND)}{f' ({place})' if place else ''}"
    said = one_line(telling_line(check.output)) if check.outcome == "failed" else ""
    return f"{summary}: {output(said)}" if said else summary


def output(text: str, limit: int = SENTENCE) -> str:
    """A line of a tool's output, marked as such: neither the user nor the model said it."""
    return f'output "{shortened(text, max(limit, _LEAST)).replace(chr(34), chr(39))}"'


def missing_work(facts: Facts, *, clock: bool = False) -> str:
    """The subagents whose transcripts are missing, so that their work is unknown; "" if there are none."""
    missing = [with_source(each.text, each.source, clock=clock) for each in facts.missing_agents]
    if not missing:
        return ""
    if len(missing) == 1:
        return f"subagent {missing[0]}: transcript missing; its changes are known only from its result"
    named = ", ".join(missing[:_MISSING])
    more = f" and {len(missing) - _MISSING} more" if len(missing) > _MISSING else ""
    return f"subagents {named}{more}: transcripts missing; their changes are known only from their results"


def is_sure(check: Command) -> bool:
    """Whether the status of a check is its own: behind a pipe, it is that of ``tail``."""
    return check.outcome == "failed" or not hides_outcome(check.text)


def outcome_of(command: Command) -> str:
    """A command's outcome as shown by the transcript: ``ok``, ``failed``, `HIDDEN` and others."""
    if command.by == "user" and command.outcome == "unknown":
        return TYPED
    return HIDDEN if command.outcome == "ok" and not shows_outcome(command.text) else command.outcome


def outcome_of_action(facts: Facts, action: Action) -> str:
    """The same for the last action, which may be another tool's."""
    command = next((each for each in reversed(facts.commands) if each.source == action.source), None)
    return outcome_of(command) if command is not None and action.source.line else action.outcome


def _outcome(check: Command) -> str:
    if not is_sure(check):
        return "no failure recognised, its exit status is hidden"
    return "SUCCESS" if check.outcome == "ok" else "FAILURE"


def _since(facts: Facts, source: Source) -> str:
    ran = (each for each in facts.commands if each.outcome != "rejected")
    later = [each for each in ran if is_after(each.source, source)]
    if source == NOWHERE or not later:
        return ""
    number = f"{len(later)} command{'s' if len(later) > 1 else ''}"
    number = number if len(later) < _COUNTED else f"{_COUNTED} or more commands"
    last = outcome_of(later[-1])
    how = f", the last one {last}" if last in ("ok", "failed") else ""
    return f", {number} since{how}"
