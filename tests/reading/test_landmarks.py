"""Which commits are the project's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transcripts import Transcript


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("git init && git add -A && git commit -m first", True),
        ("cd /tmp && rm -rf t && mkdir t && cd t && git init && git commit -qm first", False),
        ("cd $(mktemp -d) && git init -q && git commit --allow-empty -m first", False),
        ("git init /tmp/t && git -C /tmp/t commit -m first", False),
        ("cd /work/app/new && git init && git commit -m first", True),
        ("cd /tmp/worktree && git commit -m first", True),
    ],
)
def test_a_repository_that_was_made_to_try_something(tmp_path: Path, command: str, told: bool) -> None:
    session = Transcript()
    session.tool("Bash", "[main (root-commit) abc1234] first\n 1 file changed", command=command)
    assert bool(session.facts(tmp_path).landmarks) is told
