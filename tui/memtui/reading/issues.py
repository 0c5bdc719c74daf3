"""Which errors of a session may still be there at its end.

The log of errors knows that the same command went well later. What else settles an error is told here:
another command that checks the same, and git going on; and what never was an error of the project: a command
line that the shell or the program did not take.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memtui.reading.checks import all_commands, is_check, worth_telling
from memtui.reading.records import Command, ErrorFact, Facts
from memtui.reading.selections import covers, picked
from memtui.reading.shell import SHELL_TOOLS, things
from memtui.reading.short_text import says_why, sounds_wrong, telling_line

_SLIP = re.compile(
    r"\(eval\):(?:\w+:)?\d+: |zsh:\d+: "
    r"|(?:/\S+/)?(?:ba|z|da)?sh: (?:line \d+: |-c: |\d+: )?.*(?:not found|syntax error|unexpected|bad sub)"
    r"|\S*python[\d.]*: (?:No module named|can't open file) "
    r"|(?:\w+: )*(?:no such option|unknown (?:option|flag|shorthand flag|command|argument)"
    r"|unrecognized (?:option|arguments?)|invalid option|unexpected argument|illegal option)\b",
    re.IGNORECASE,
)
"""What a shell or a program says of a command line that it does not take."""

_FAMILIES = (
    ("any", r"(?:make|just|mise|task|rake)\b"),
    ("python", r"(?:python[\d.]* -m|uv|poetry|hatch|pdm|rye|pytest|tox|nox|ruff|mypy|pyright|flake8)\b"),
    ("js", r"(?:npm|pnpm|yarn|bunx?|npx|deno|jest|vitest|mocha|tsc|eslint|biome|prettier|playwright)\b"),
    ("go", r"(?:go|gofmt|golangci-lint)\b"),
    ("rust", r"(?:cargo|rustc|rustfmt)\b"),
    ("jvm", r"(?:mvn|gradlew?|javac)\b"),
    ("dotnet", r"dotnet\b"),
    ("swift", r"swift\b"),
)
_KINDS = (
    ("lint", r"lint|vet\b|clippy|ruff|eslint|biome|flake8|fmt\b|format|prettier|pylint"),
    ("types", r"mypy|pyright|\btsc\b|type-?check"),
    ("test", r"test|jest|mocha|\btox\b|\bnox\b|playwright"),
    ("build", r"build|compile|javac|rustc"),
    ("all", r"(?:^|[ :])(?:check|ci|verify|all)(?:$|:)"),
)
_FAMILY = tuple((name, re.compile(pattern)) for name, pattern in _FAMILIES)
_KIND = tuple((name, re.compile(pattern)) for name, pattern in _KINDS)
_COMPILED = frozenset({"go", "rust", "jvm", "dotnet", "swift"})
"""Where a test runs only of what builds."""
_VARIANT = re.compile(r":(?!(?:ci|all)\b)[\w:.-]+$")
"""``lint:full`` and ``test:unit`` are checks of their own."""
_GOES_ON = re.compile(r"git (?:commit|push)\b|git [^&|;\n]*--(?:continue|abort)\b")
_OWN_PROOF = frozenset({"git commit", "git push"})
"""Steps of git that only their own success shows to be done."""
_LOOKS = re.compile(
    r"(?:ls|cat|find|grep|rg|which|head|tail|stat|wc|test|tree|pwd|file|sed|awk|command|type|curl|wget|\[|du|diff)\b"
    r"|git (?:ls-files|log|diff|show|status|branch|rev-parse|grep|blame|merge-base|fetch)\b|gh\b"
)
"""What looks at something; that it failed is no bug."""


@dataclass(frozen=True, slots=True)
class _Success:
    """A command that went well."""

    timestamp: str
    things: frozenset[str]
    checks: tuple[tuple[str, str], ...]
    git_goes_on: bool
    tests: frozenset[str]


def open_errors(facts: Facts) -> list[ErrorFact]:
    """Errors worth telling that nothing in the session shows to be over, first to last."""
    left = [error for error in facts.errors if not error.resolved and worth_telling(error)]
    shell = [error for error in left if error.tool in SHELL_TOOLS]
    if not shell:
        return left
    successes = _successes(all_commands(facts), min(error.source.timestamp for error in shell))
    return [
        error
        for error in left
        if error.tool not in SHELL_TOOLS
        or not (
            is_slip(error.message) or _is_over(error.target, error.message, error.source.timestamp, successes)
        )
    ]


def known_issues(facts: Facts) -> list[ErrorFact]:
    """Open errors that may be bugs: something that was run, not looked at, failed and said why."""
    return [error for error in open_errors(facts) if _may_be_bug(error)]


def solved_errors(facts: Facts) -> list[ErrorFact]:
    """Errors that were met on the way, say why, and are over, first to last."""
    return [
        error
        for error in facts.errors
        if error.resolved
        and worth_telling(error)
        and says_why(line := telling_line(error.message))
        and sounds_wrong(line)
    ]


def _may_be_bug(error: ErrorFact) -> bool:
    if error.tool not in SHELL_TOOLS or not says_why(telling_line(error.message)):
        return False
    ran = things(error.target)
    return not ran or not all(_LOOKS.match(thing) for thing in ran)


def open_failures(facts: Facts) -> list[Command]:
    """Commands that failed, and that nothing behind them shows to go well now, first to last."""
    failed = [each for each in all_commands(facts) if each.outcome == "failed" and not is_slip(each.output)]
    if not failed:
        return []
    successes = _successes(all_commands(facts), failed[0].source.timestamp)
    return [each for each in failed if not _is_over(each.text, each.output, each.source.timestamp, successes)]


def is_slip(message: str) -> bool:
    """Whether an error only says that a command line was not taken."""
    return _SLIP.match(telling_line(message)) is not None


def _is_over(failed: str, message: str, timestamp: str, successes: Iterable[_Success]) -> bool:
    wanted, tests = things(failed), picked(failed)
    later = [
        success
        for success in successes
        if success.timestamp > timestamp and covers(success.tests, tests, message)
    ]
    return bool(wanted) and all(any(_shows(success, thing) for success in later) for thing in wanted)


def _successes(commands: Iterable[Command], since: str) -> list[_Success]:
    went = (each for each in commands if each.source.timestamp > since and _went_well(each))
    return [_success(each) for each in went]


def _went_well(command: Command) -> bool:
    """A server that was started again and still runs did; how a check in the background ends is open."""
    return command.outcome == "ok" or (command.outcome == "background" and not is_check(command.text))


def _success(command: Command) -> _Success:
    ran = things(command.text)
    checks = tuple(check for thing in ran if (check := _check(thing)))
    return _Success(
        command.source.timestamp, ran, checks, _GOES_ON.search(command.text) is not None, picked(command.text)
    )


def _shows(success: _Success, thing: str) -> bool:
    """Whether a command that went well shows that what failed before is over."""
    if thing in success.things:
        return True
    if thing.startswith("git "):
        return success.git_goes_on and thing not in _OWN_PROOF
    failed = _check(thing)
    return failed is not None and any(_covers(passed, failed) for passed in success.checks)


def _check(thing: str) -> tuple[str, str] | None:
    """What a part of a command line checks: the family of its tools, and the kind of check."""
    family = next((name for name, pattern in _FAMILY if pattern.match(thing)), "")
    kind = next((name for name, pattern in _KIND if pattern.search(thing)), "")
    variant = _VARIANT.search(thing)
    return (family, kind + variant[0] if variant else kind) if family and kind else None


def _covers(passed: tuple[str, str], failed: tuple[str, str]) -> bool:
    """Whether a check that passed shows that another one, which failed, would pass now."""
    if passed[0] not in ("any", failed[0]):
        return False
    built = failed[1] == "build" and passed[1] == "test" and failed[0] in _COMPILED
    return built or passed[1] in ("all", failed[1])
