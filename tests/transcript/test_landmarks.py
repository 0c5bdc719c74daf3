"""Commits of the project, and of repositories made to try something."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transcripts import Transcript


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git init && git add -A && git commit -m first", True),
        ("cd /tmp && rm -rf t && mkdir t && cd t && git init && git commit -qm first", False),
        ("cd $(mktemp -d) && git init -q && git commit --allow-empty -m first", False),
        ("git init /tmp/t && git -C /tmp/t commit -m first", False),
        ("cd /work/app/new && git init && git commit -m first", True),
        ("cd /tmp/worktree && git commit -m first", True),
    ],
)
def test_a_repository_that_was_made_to_try_something(tmp_path: Path, command: str, expected: bool) -> None:
    session = Transcript()
    session.tool("Bash", "[main (root-commit) abc1234] first\n 1 file changed", command=command)
    assert bool(session.facts(tmp_path).landmarks) is expected


STAT = "2 files changed, 214 insertions(+), 324 deletions(-)"


@pytest.mark.parametrize(
    ("command", "output", "subjects"),
    [
        ('git add -A && gt create -m "feat: sort links\n\n- more"', STAT, ["feat: sort links"]),
        ("gt create -am 'feat: sort links' --no-interactive 2>&1 | tail -20", STAT, ["feat: sort links"]),
        ("gt create -m \"$(cat <<'EOF'\nfeat: sort links\n\nwhy\nEOF\n)\"", STAT, ["feat: sort links"]),
        ('gt create -m "feat: x"', "No staged changes; creating a branch with no commit.", []),
        ("gt submit --no-interactive", STAT, []),
        ("git commit -qm 'fix: it' && git push", "", ["fix: it"]),
        ("git commit -q -m 'fix: it' | tail -1", "", []),
        ("git commit -m 'fix: it'", "", []),
    ],
)
def test_a_commit_whose_id_was_not_printed(
    tmp_path: Path, command: str, output: str, subjects: list[str]
) -> None:
    session = Transcript()
    session.tool("Bash", output, command=command)
    found = session.facts(tmp_path).landmarks
    assert [(each.kind, each.text, each.commit) for each in found] == [("commit", s, "") for s in subjects]


def test_graphite_changes_its_last_commit(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("Bash", STAT, command='gt create -m "feat: one"')
    session.tool("Bash", STAT, command='gt modify -c -m "feat: two"')
    session.tool("Bash", STAT, command='gt modify -a -m "feat: three"')
    found = session.facts(tmp_path).landmarks
    assert [(each.text, each.superseded) for each in found] == [
        ("feat: one", ""),
        ("feat: two", "amend"),
        ("feat: three", ""),
    ]


def test_two_commits_with_one_subject_are_two(tmp_path: Path) -> None:
    session = Transcript()
    for commit in ("abc1234", "def5678"):
        session.tool("Bash", f"[main {commit}] wip\n 1 file changed", command="git commit -am wip")
    session.tool("Bash", "[main 1234abc] wip\n 1 file changed", command="git commit --amend --no-edit")
    found = [(mark.commit, mark.superseded) for mark in session.facts(tmp_path).landmarks]
    assert found == [("abc1234", ""), ("def5678", "amend"), ("1234abc", "")]
