"""Checks (compilers, linters, tests) and errors, each on one line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from memtui.transcript.paths import shown_path
from memtui.transcript.record_order import in_order
from memtui.transcript.records import Command, ErrorFact, Facts
from memtui.transcript.shell import programs_run
from memtui.transcript.short_text import command_line, one_line, shortened, telling_line
from memtui.transcript.tools import (
    COMPILERS,
    EDIT_TOOLS,
    LINTERS,
    LOOKUP_TOOLS,
    READ_TOOLS,
    SHELL_TOOLS,
    TASK_RUNNERS,
    TEST_RUNNERS,
)

SENTENCE = 240
"""Maximum length of a line in a draft, in characters."""

_CHECKERS = "|".join(map(re.escape, sorted(TEST_RUNNERS | LINTERS | COMPILERS)))
_CHECK = re.compile(
    r"(?P<runner>(?:npx|bunx|python3? -m|(?:uv|poetry|hatch|pdm|rye) run|(?:pnpm|yarn|bundle|mise) exec) )?"
    rf"(?:(?:{_CHECKERS})(?![\w-])"
    rf"|(?:{'|'.join(sorted(TASK_RUNNERS, reverse=True))})\s+(?:run\s+)?"
    r"[\w:.-]*(?:test|check|build|compile|tsc|lint|vet|clippy))"
)
"""Commands that are checks, in the form of `memtui.transcript.shell.programs_run`."""

_RUN = re.compile(r"(?<=\w) run ")

_HINT = re.compile(rf"test|check|build|compile|lint|vet|clippy|{_CHECKERS}")
"""Cheap pre-filter: every check contains one of these."""

_TESTS = re.compile(rf"\b(?:tests?|{'|'.join(TEST_RUNNERS)})\b")
_PICKED = re.compile(
    r"(?<!\S)(?:--?run|-k|-t|-g|--grep|--filter|--tests?|--testNamePattern|--test-name-pattern|-Dtest|--gtest_filter)"
    r"(?:=|\s+)(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s|&;<>-][^\s|&;<>]*)"
    r"|::(?P<node>\w[\w:]*)|\bcargo (?:nextest run|test)\s+(?P<name>[A-Za-z_][\w:]*)"
)
_EITHER = re.compile(r"\||\s+or\s+|,")
_SCANNED = 2_000

_MOST = 50
"""The most kinds of checks that are kept apart."""

_SHELL_NOISE = re.compile(
    r"^cd \S+ (?:&&|⏎) | 2>&1(?=\s|$)|\s*\|\s*(?:head|tail)(?: -[^\s;&|)]+| \d+)*(?=\s*(?:$|;|&&|\|\||⏎))"
)
_OWN_TOOLS = EDIT_TOOLS | READ_TOOLS | LOOKUP_TOOLS | {"ExitPlanMode", "TodoWrite", "Skill"}
_OWN_WORDS = re.compile(r"Agent type '|Blocked: |InputValidationError|Unknown skill|No such tool available")
_LOOKUP = re.compile(
    r"(?:cd \S+ (?:&&|;|⏎) )?"
    r"(?:ls|cat|find|grep|rg|which|head|tail|stat|wc|test|tree|pwd|command|type|file|sed -n"
    r"|echo|printf|jq|for|git (?:-C \S+ )?(?:show|log|diff|status|blame|grep|ls-files|branch|rev-parse))\b"
)


def last_check(facts: Facts) -> Command | None:
    """The last compile, lint or test run whose outcome is known."""
    ran = (command for command in reversed(all_commands(facts)) if command.outcome in ("ok", "failed"))
    return next((command for command in ran if is_check(command.text)), None)


def is_check(command: str) -> bool:
    """Whether a command line compiles, lints or tests."""
    return _HINT.search(command) is not None and any(map(_CHECK.match, programs_run(command)))


def all_commands(facts: Facts) -> tuple[Command, ...]:
    """The commands of the session with the checks of its subagents, in the order in which they ran."""
    if not facts.agent_checks:
        return facts.commands
    return tuple(in_order((*facts.commands, *facts.agent_checks)))


def last_checks(facts: Facts) -> list[Command]:
    """The last run of each kind of check, the last one at the end."""
    last: list[_Run] = []
    for command in all_commands(facts):
        checks = frozenset(filter(None, map(_check_in, programs_run(command.text))))
        if checks and command.outcome in ("ok", "failed"):
            run = _Run(checks, selected_tests(command.text), command)
            older = (_without(each, run) for each in last)
            last = [*[each for each in older if each.checks][-_MOST:], run]
    return [run.command for run in last]


class _Run(NamedTuple):
    """A command that ran checks, with those of them that did not run again."""

    checks: frozenset[str]
    tests: frozenset[str]
    command: Command


def _without(run: _Run, later: _Run) -> _Run:
    """A run without the checks that ran again: ``build && test`` may be run again part by part."""
    if not covers(later.tests, run.tests, run.command.output):
        return run
    return run._replace(checks=run.checks - later.checks)


def _check_in(thing: str) -> str:
    """The check that a part of a command line runs: ``pytest`` for ``uv run pytest``, "" for none."""
    found = _CHECK.match(thing)
    return _RUN.sub(" ", thing[len(found["runner"] or "") :], count=1) if found else ""


def bare_command(text: str) -> str:
    """The normal form of a command line: one line, without a leading ``cd`` and trailing filters."""
    return _SHELL_NOISE.sub("", command_line(text))


def worth_telling(error: ErrorFact) -> bool:
    """Whether an error is about the project.

    A slip of the model with its own tools, such as an edit that did not match, and a lookup of something
    missing do not count; nor do Claude Code's own messages about a call.
    """
    if _OWN_WORDS.match(error.message):
        return False
    if error.tool in SHELL_TOOLS:
        return not is_lookup(error.target)
    return error.tool not in _OWN_TOOLS


def is_lookup(command: str) -> bool:
    """Whether a command line only searches or lists."""
    return _LOOKUP.match(command) is not None


def error_line(error: ErrorFact, root: Path | None) -> str:
    """An error on one line: the tool, its target and the message."""
    target = bare_command(error.target) if error.tool in SHELL_TOOLS else shown_path(error.target, root)
    target = shortened(one_line(target), 100)
    return shortened(f"{error.tool} {target} failed: {one_line(telling_line(error.message))}", SENTENCE)


def selected_tests(command: str) -> frozenset[str]:
    """The tests that a command line selects by name; empty if it runs them all."""
    text = command[:_SCANNED]
    if _TESTS.search(text) is None:
        return frozenset()
    values = (match["value"] or match["node"] or match["name"] for match in _PICKED.finditer(text))
    names = (name.strip("\"'^$() ") for value in values for name in _EITHER.split(value))
    return frozenset(name for name in names if name)


def covers(passed: frozenset[str], failed: frozenset[str], message: str) -> bool:
    """Whether a successful run that selected `passed` proves that an earlier, failed run would now pass.

    Args:
        passed: the selection of the successful run.
        failed: the selection of the failed run.
        message: the output of the failed run, which may name the failed tests.
    """
    if not passed:
        return True
    if not failed:
        return any(name in message for name in passed)
    return all(any(one in name for one in passed) for name in failed)
