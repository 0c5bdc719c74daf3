"""What the last check run said, and how an error is told in one line."""

from __future__ import annotations

import re
from pathlib import Path

from memtui.extract.evidence import shown
from memtui.extract.facts import Facts
from memtui.extract.phrasing import one_line, shortened, telling_line
from memtui.extract.records import Command, ErrorFact

SENTENCE = 240
"""Characters of a line in a draft."""

_TEST = re.compile(
    r"\b(?:pytest|jest|vitest|mocha|rspec|phpunit|ctest|tox|nox|unittest)\b"
    r"|\b(?:npm|pnpm|yarn|bun|cargo|go|make|mvn|gradle|dotnet|swift|mix|just|deno|rake)\s+(?:run\s+)?[\w:.-]*"
    r"(?:test|check|build|compile|tsc|lint)"
    r"|\b(?:tsc|gcc|clang|javac|rustc|mypy|ruff|eslint)\b"
)


def last_check(facts: Facts) -> Command | None:
    """The last compile, lint or test run whose outcome is known."""
    checks = (command for command in reversed(facts.commands) if _TEST.search(command.text))
    return next((command for command in checks if command.outcome in ("ok", "failed")), None)


def error_line(error: ErrorFact, root: Path | None) -> str:
    """An error as one line: the tool, what it worked on, and what went wrong."""
    target = shortened(one_line(shown(error.target, root)), 100)
    return shortened(f"{error.tool} {target} failed: {one_line(telling_line(error.message))}", SENTENCE)
