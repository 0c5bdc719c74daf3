"""The working context of a session state: files, checks, errors, processes and additions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.documents.events import (
    NOT_PASSED,
    check_event,
    error_event,
    failed_checks,
    last_errors,
    missing_work,
    outcome_of_action,
)
from memtui.documents.inferred_plan import since
from memtui.documents.open_work import plan_in_force, plan_status, undecided_plan
from memtui.documents.path_lists import grouped
from memtui.documents.sources import citation, with_source
from memtui.documents.user_requests import plan_line
from memtui.formats.session_state import WorkingContext
from memtui.transcript.checks import SENTENCE, bare_command
from memtui.transcript.packages import packages_of
from memtui.transcript.paths import shown_path
from memtui.transcript.records import Command, Facts, FileFact
from memtui.transcript.removals import moved_to, path_now
from memtui.transcript.roles import Kind, role_of
from memtui.transcript.shell import programs_run
from memtui.transcript.shell_files import IN_PROGRAM
from memtui.transcript.short_text import one_line, shortened, telling_line
from memtui.transcript.tools import SHELL_TOOLS

_FILES = 6_000
"""Maximum length of the list of modified files, in characters."""
_SHELL_FILES = 600
_READ_FILES = 1_000
_TARGET = 120
_RESULT = 160
_RECENT = 3
_COMMITS = 5
_GONE = 10
SEEN = "Pull requests and issues seen"
_NOTHING = "(Bash completed with no output)"

_PORT = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})|(?:--port|-p|PORT)[ =](\d{2,5})\b")
_WAITING = re.compile(r"\s*(?:sleep|wait|timeout|gh (?:run|pr) \w+)\b")
"""A command that ends by itself."""


def working_context(facts: Facts, root: Path) -> WorkingContext:
    """The volatile state at the end of the facts."""
    state = list(_technical(facts, root))
    last = last_errors(facts, 1)
    return WorkingContext(
        files_modified=grouped((shown_path(file.path, root) for file in facts.modified_files), _FILES),
        last_compile="; ".join(
            [check_event(facts), *(f"{NOT_PASSED}: {each}" for each in failed_checks(facts)[:1])]
        ),
        last_error=error_event(facts, last[0], root) if last else "",
        technical_state="\n".join(f"- {line}" for line in state) if len(state) > 1 else "".join(state),
        dependencies=shortened(", ".join(_added(facts)), SENTENCE * 2),
    )


def _technical(facts: Facts, root: Path) -> Iterator[str]:
    """The most important line first: the last ones are dropped if there is no room."""
    yield from _plan(facts)
    yield from _last_action(facts, root)
    yield from _running(facts.commands)
    yield from _recorded(facts)
    if gone := gone_files(facts.modified_files, root):
        yield f"Not as edited any more: {gone}"
    if facts.cwd and Path(facts.cwd) != root:
        yield f"Working folder: {facts.cwd}"
    others = [branch for branch in facts.branches if branch not in (facts.branch, "HEAD")]
    if others:
        yield f"Earlier branches: {', '.join(others[-_RECENT:])}"
    for label, fate in (("Files written by commands", ""), ("Files named in programs that ran", IN_PROGRAM)):
        if written := _lasting((file.path for file in facts.shell_files if file.fate == fate), root):
            yield f"{label}: {grouped((shown_path(path, root) for path in written), _SHELL_FILES)}"
    if removed := gone_files((f for f in facts.shell_files if f.fate not in ("", IN_PROGRAM)), root):
        yield f"Deleted or moved by commands: {removed}"
    if missing := missing_work(facts):
        yield missing
    # The last ones: the first files read are often irrelevant in the end.
    if read := _lasting(map(path_now, reversed(facts.read_files)), root):
        yield f"Files read: {grouped((shown_path(path, root) for path in read), _READ_FILES)}"
    if facts.compactions:
        number = len(facts.compactions)
        where = citation(facts.compactions[-1].source)
        last = f", last at {where}" if where else ""
        yield f"Context compacted {'once' if number == 1 else f'{number} times'}{last}"


def _lasting(paths: Iterable[str], root: Path) -> list[str]:
    """Files that are likely to persist: no scratch files, no tool output."""
    return [path for path in paths if _is_lasting(path, root)]


def _is_lasting(path: str, root: Path) -> bool:
    return role_of(path, str(root)).kind is not Kind.SCRATCH


def gone_files(files: Iterable[FileFact], root: Path) -> str:
    """The last files that have a fate, with it: ``a.py (deleted), b.py (moved to c.py)``; "" for none."""
    gone = [file for file in files if file.fate and _is_lasting(file.path, root)][-_GONE:]
    return ", ".join(f"{shown_path(file.path, root)} ({_fate(file.fate, root)})" for file in gone)


def _fate(fate: str, root: Path) -> str:
    target = moved_to(fate)
    return f"moved to {shown_path(target, root)}" if target else fate


def _plan(facts: Facts) -> Iterator[str]:
    if plan := plan_in_force(facts):
        yield f"Plan (approved): {plan_line(plan)}"
    if plan := undecided_plan(facts):
        yield f"Plan ({plan_status(plan)}): {plan_line(plan)}"


def _last_action(facts: Facts, root: Path) -> Iterator[str]:
    action = facts.last_action
    if action is None:
        return
    shell = action.tool in SHELL_TOOLS
    target = shortened(
        bare_command(action.target) if shell else one_line(shown_path(action.target, root)), _TARGET
    )
    result = telling_line(action.result) if action.outcome == "failed" else action.result
    # Claude Code's instructions on a refusal or a background task are no result.
    with_result = action.outcome == "failed" or (action.outcome == "ok" and shell)
    result = shortened(one_line(result), _RESULT) if with_result and result != _NOTHING else ""
    how = ", ".join(part for part in (outcome_of_action(facts, action), citation(action.source)) if part)
    yield f"Last action: {action.tool} {target} ({how}){f': {result}' if result else ''}"


def _running(commands: tuple[Command, ...]) -> Iterator[str]:
    """Background commands, the last of each kind."""
    background = [each for each in commands if each.outcome == "background"]
    started = {programs_run(each.text): each for each in background if not _WAITING.match(each.text)}
    for command in list(started.values())[-_RECENT:]:
        ports = dict.fromkeys(found for match in _PORT.findall(command.text) for found in match if found)
        port = f" (port {', '.join(ports)})" if ports else ""
        text = f"{shortened(bare_command(command.text), _TARGET)}{port}"
        yield f"Started in the background: {with_source(text, command.source)}"


def _recorded(facts: Facts) -> Iterator[str]:
    commits = [mark for mark in facts.landmarks if mark.kind == "commit"]
    recent = [
        with_source(f"{mark.commit} {one_line(mark.text)}{since(mark)}".lstrip(), mark.source)
        for mark in commits[-_COMMITS:]
    ]
    if recent:
        more = f" (and {len(commits) - len(recent)} before)" if len(commits) > len(recent) else ""
        yield f"Commits: {'; '.join(recent)}{more}"
    pulls = [with_source(mark.text, mark.source) for mark in facts.landmarks if mark.kind == "pull request"]
    if pulls:
        yield f"Pull requests: {', '.join(pulls[-_RECENT:])}"
    if seen := seen_addresses(facts):
        yield f"{SEEN}: {', '.join(seen)}"


def seen_addresses(facts: Facts) -> list[str]:
    """The last pull requests and issues in results that the session did not create, with their lines."""
    own = {mark.text for mark in facts.landmarks}
    return [with_source(each.text, each.source) for each in facts.addresses if each.text not in own][
        -_RECENT:
    ]


def _added(facts: Facts) -> Iterable[str]:
    """Packages installed by name, each once, at its last installation."""
    went = [each for each in facts.commands if each.outcome in ("ok", "background")]
    last = {package: each.source for each in went for package in packages_of(each.text)}
    return (with_source(package, source) for package, source in last.items())
