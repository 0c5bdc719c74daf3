"""The working context of a session state: files, checks, errors, and what runs or was added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.documents.path_lists import grouped
from memtui.documents.state_tasks import plan_steps, steps_of
from memtui.formats.session_state import WorkingContext
from memtui.reading.checks import (
    SENTENCE,
    bare_command,
    error_line,
    is_lookup,
    last_check,
    last_checks,
    worth_telling,
)
from memtui.reading.evidence import shown
from memtui.reading.guesses import is_unsure
from memtui.reading.issues import is_slip, open_errors, open_failures
from memtui.reading.packages import packages_of
from memtui.reading.plans import plan_title
from memtui.reading.records import Command, Facts
from memtui.reading.removals import moved_to
from memtui.reading.requests import PASTED, last_intent, requests
from memtui.reading.roles import Kind, role_of
from memtui.reading.selections import covers, picked
from memtui.reading.shell import SHELL_TOOLS, things
from memtui.reading.short_text import one_line, shortened, telling_line

_FILES = 6_000
"""Characters of all modified files."""
_SHELL_FILES = 600
_READ_FILES = 1_000
_TARGET = 120
_RESULT = 160
_RECENT = 3
_COMMITS = 5
_ASKED = 10
_GONE = 10
_NOTHING = "(Bash completed with no output)"

_PORT = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})|(?:--port|-p|PORT)[ =](\d{2,5})\b")
_WAITING = re.compile(r"\s*(?:sleep|wait|timeout|gh (?:run|pr) \w+)\b")
"""A command that ends by itself."""


def working_context(facts: Facts, root: Path) -> WorkingContext:
    """The volatile state, all of it as the facts have it at the end."""
    failures = open_failures(facts)
    state = list(_technical(facts, root, failures))
    return WorkingContext(
        files_modified=grouped((shown(file.path, root) for file in facts.modified_files), _FILES),
        last_compile=_compiled(last_checks(facts), failures),
        last_error=_last_error(facts, root),
        technical_state="\n".join(f"- {line}" for line in state) if len(state) > 1 else "".join(state),
        dependencies=shortened(", ".join(_added(facts)), SENTENCE * 2),
    )


def _compiled(checks: list[Command], failures: list[Command]) -> str:
    """How the last check ended, and another check that failed and still does, for all that is known."""
    if not checks:
        return ""
    told = [_checked(checks[-1])]
    failed = [each for each in checks[:-1] if each in failures and not _is_variant(checks[-1], each)]
    told += [_checked(check) for check in failed[-1:]]
    return "; before that: ".join(told)


def _is_variant(passed: Command, failed: Command) -> bool:
    """Whether a check that went well is the one that failed, but for what stands behind its name."""
    if passed.outcome != "ok" or not covers(picked(passed.text), picked(failed.text), failed.output):
        return False
    return not set(map(_base, things(passed.text))).isdisjoint(map(_base, things(failed.text)))


def _base(thing: str) -> str:
    """What a check is a variant of: ``run lint`` for ``run lint:full``."""
    return thing.partition(":")[0]


def _checked(check: Command) -> str:
    told = shortened(bare_command(check.text), _TARGET)
    if check.outcome == "ok":
        return f"SUCCESS: {told}"
    return f"FAILURE: {told}: {shortened(one_line(telling_line(check.output)), SENTENCE)}"


def shown_error(facts: Facts) -> str:
    """What went wrong by the output that the user pasted last; "" when a check went well since."""
    intent = last_intent(facts)
    if not intent.startswith(PASTED):
        return ""
    since = facts.prompts[-1].source.timestamp
    check = last_check(facts)
    passed = check is not None and check.outcome == "ok" and check.source.timestamp > since
    return "" if passed else intent.removeprefix(PASTED)


def _last_error(facts: Facts, root: Path) -> str:
    """The last error, which may be one that the user shows; one left open before it when not long ago."""
    if pasted := shown_error(facts):
        return f"shown by the user: {pasted} (open)"
    telling = [error for error in facts.errors if worth_telling(error) and not is_slip(error.message)]
    if not telling:
        return ""
    still = open_errors(facts)
    last = next((error for error in reversed(telling[-_RECENT:]) if error in still), telling[-1])
    return f"{error_line(last, root)} ({'open' if last in still else 'resolved'})"


def _technical(facts: Facts, root: Path, failures: list[Command]) -> Iterator[str]:
    """The most important line first: the last ones give way when there is no room."""
    yield from _plan(facts)
    yield from _last_action(facts, root)
    yield from _running(facts.commands)
    yield from _recorded(facts)
    gone = [
        f"{shown(file.path, root)} ({_fate(file.fate, root)})" for file in facts.modified_files if file.fate
    ]
    if gone:
        yield f"Not as edited any more: {', '.join(gone[-_GONE:])}"
    if facts.cwd and Path(facts.cwd) != root:
        yield f"Working folder: {facts.cwd}"
    others = [branch for branch in facts.branches if branch not in (facts.branch, "HEAD")]
    if others:
        yield f"Earlier branches: {', '.join(others[-_RECENT:])}"
    sure = [cause for cause in facts.causes if not is_unsure(cause.text)]
    for cause in sure[-_RECENT:]:
        yield f"Cause found: {shortened(one_line(cause.text), SENTENCE)}"
    if before := _asked_before(facts):
        yield f"Asked before: {'; '.join(before)}"
    if written := _lasting(facts.shell_files, root):
        yield f"Files written by commands: {grouped((shown(path, root) for path in written), _SHELL_FILES)}"
    if failed := list(_failing(failures)):
        yield f"Commands that failed: {'; '.join(failed)}"
    # The last ones: what was looked at first is often what turned out not to matter.
    if read := _lasting((file.path for file in reversed(facts.read_files)), root):
        yield f"Files read: {grouped((shown(path, root) for path in read), _READ_FILES)}"
    if facts.compactions:
        number = len(facts.compactions)
        yield f"Context compacted {'once' if number == 1 else f'{number} times'}"


def _lasting(paths: Iterable[str], root: Path) -> list[str]:
    """Files that are likely to be there tomorrow: no scratch files, no output of a tool."""
    return [path for path in paths if role_of(path, str(root)).kind is not Kind.SCRATCH]


def _fate(fate: str, root: Path) -> str:
    target = moved_to(fate)
    return f"moved to {shown(target, root)}" if target else fate


def _plan(facts: Facts) -> Iterator[str]:
    plan = facts.plans[-1] if facts.plans else None
    if plan is None or plan.fate == "rejected":
        return
    fate = "approved" if plan.fate == "approved" else "not decided on"
    where = f": {plan.path}" if plan.path else ""
    yield f"Plan ({fate}): {shortened(one_line(plan_title(plan)), _TARGET)}{where}"
    if not plan.path and not plan_steps(facts) and (steps := steps_of(plan)):
        yield f"Steps of the plan: {'; '.join(shortened(step, _TARGET) for step in steps)}"


def _last_action(facts: Facts, root: Path) -> Iterator[str]:
    action = facts.last_action
    if action is None:
        return
    shell = action.tool in SHELL_TOOLS
    target = shortened(
        bare_command(action.target) if shell else one_line(shown(action.target, root)), _TARGET
    )
    result = telling_line(action.result) if action.outcome == "failed" else action.result
    told = action.outcome != "background" and (shell or action.outcome != "ok")
    result = shortened(one_line(result), _RESULT) if told and result != _NOTHING else ""
    yield f"Last action: {action.tool} {target} ({action.outcome}){f': {result}' if result else ''}"


def _running(commands: tuple[Command, ...]) -> Iterator[str]:
    """What was started in the background, the last of each kind."""
    background = [each for each in commands if each.outcome == "background"]
    started = {things(each.text): each for each in background if not _WAITING.match(each.text)}
    for command in list(started.values())[-_RECENT:]:
        ports = dict.fromkeys(found for match in _PORT.findall(command.text) for found in match if found)
        port = f" (port {', '.join(ports)})" if ports else ""
        yield f"Started in the background: {shortened(bare_command(command.text), _TARGET)}{port}"


def _recorded(facts: Facts) -> Iterator[str]:
    commits = [mark for mark in facts.landmarks if mark.commit]
    told = [f"{mark.commit} {one_line(mark.text)}" for mark in commits[-_COMMITS:]]
    if told:
        more = f" (and {len(commits) - len(told)} before)" if len(commits) > len(told) else ""
        yield f"Commits: {'; '.join(told)}{more}"
    pulls = [mark.text for mark in facts.landmarks if not mark.commit]
    if pulls:
        yield f"Pull requests: {', '.join(pulls[-_RECENT:])}"


def _asked_before(facts: Facts) -> list[str]:
    """The requests between the first, which is the goal, and the last, which is in progress."""
    return [shortened(told, _TARGET) for told in dict.fromkeys(requests(facts)[1:-1])][-_ASKED:]


def _failing(failures: Iterable[Command]) -> Iterator[str]:
    """The last commands that failed and still do, for all that is known; looking for something is no work."""
    failed = dict.fromkeys(each.text for each in failures if not is_lookup(each.text))
    for text in list(failed)[-_RECENT:]:
        yield shortened(one_line(text), _TARGET)


def _added(facts: Facts) -> Iterable[str]:
    """Packages that were installed by name, each once."""
    went = (each for each in facts.commands if each.outcome in ("ok", "background"))
    return dict.fromkeys(package for each in went for package in packages_of(each.text))
