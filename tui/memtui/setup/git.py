"""Asking git about a file."""

from __future__ import annotations

from pathlib import Path

from memtui.git import ask


def git_sees(root: Path, path: Path) -> bool:
    """Whether git would offer to add a file; False when in doubt."""
    answer = ask(root, "check-ignore", "-q", str(path))
    return answer is not None and answer.code == 1


def git_tracks(root: Path, path: Path) -> bool:
    """Whether git tracks a file; False when in doubt."""
    answer = ask(root, "ls-files", "--error-unmatch", "--", str(path))
    return answer is not None and answer.code == 0
