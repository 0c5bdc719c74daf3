"""Whether the files that a memory names have changed since, also where git has just written all of them."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.documents.memory import MemoryMeta, StoredMemory
from memtui.store.freshness import freshness

MADE = datetime(2026, 2, 1, 12, tzinfo=UTC)


def git(folder: Path, *words: str, at: datetime = MADE) -> None:
    when = at.isoformat()
    env = os.environ | {"GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when, "GIT_CONFIG_GLOBAL": os.devnull}
    name = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(
        ["git", *name, "-C", str(folder), *words], check=True, env=env, capture_output=True, timeout=60
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone: five files, of which the last commit, made after the memory, changed `b.py`."""
    first = tmp_path / "first"
    first.mkdir()
    git(first, "init", "--quiet")
    for name in ("a.py", "b.py", "c.py", "d.py", "é f.py"):
        (first / name).write_text(name)
    git(first, "add", ".")
    git(first, "commit", "-qm", "one", at=MADE - timedelta(days=40))
    (first / "b.py").write_text("later")
    git(first, "commit", "-qam", "two", at=MADE + timedelta(days=1))
    git(tmp_path, "clone", "--quiet", str(first), "clone")
    return tmp_path / "clone"


def memory(root: Path, *names: str) -> StoredMemory:
    listed = "".join(f"- {root}/{name}\n" for name in names)
    text = f"## Project Root\n{root}\n\n## Working Files (Modified)\n{listed}"
    meta = MemoryMeta(id="CMEM-20260201-120000", project=str(root), created=MADE, updated=MADE)
    return StoredMemory(meta=meta, body=text.encode())


def test_a_fresh_clone_changes_no_file(clone: Path) -> None:
    state = freshness(memory(clone, "a.py", "b.py", "c.py", "é f.py", "gone.py"), clone)
    assert (state.files, state.changed, state.gone) == (5, ("b.py",), ("gone.py",))


def test_what_was_changed_after_the_checkout_counts(clone: Path) -> None:
    (clone / "a.py").write_text("not committed")
    (clone / "c.py").write_text("committed")
    (clone / "d.py").write_text("staged")
    (clone / "new.py").write_text("untracked")
    git(clone, "add", "d.py")
    assert freshness(memory(clone, "c.py"), clone).changed == ("c.py",)
    git(clone, "commit", "-qm", "three", "c.py", at=MADE + timedelta(days=2))
    state = freshness(memory(clone, "a.py", "c.py", "d.py", "é f.py", "new.py"), clone)
    assert state.changed == ("a.py", "c.py", "d.py", "new.py")
