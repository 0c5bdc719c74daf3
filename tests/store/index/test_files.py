"""The search index notices new, deleted and changed files, among any number."""

from __future__ import annotations

import os
import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from memtui.ground.project import Home
from memtui.store.index.files import Files
from tests.store.corpus import add, home, path_of

OLD = 1_600_000_000


@pytest.fixture
def where(tmp_path: Path) -> Home:
    """Memories in two months, whose folders have not changed for long."""
    where = home(tmp_path)
    for number in (0, 1, 2000):
        add(where, number, "text")
    for month in where.memories.iterdir():
        os.utime(month, (OLD, OLD))
    return where


def test_edits_in_place_are_seen_at_once_among_few(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    # Looking takes no time, as it does among few files where nothing else is at work.
    clock = SimpleNamespace(monotonic=lambda: 1000.0, time_ns=time.time_ns)
    monkeypatch.setattr("memtui.store.index.files.time", clock)
    files = Files(where)
    before = files.entries(full=False)
    assert files.entries(full=False) is before
    path_of(where, 2000).write_text("edited")
    after = files.entries(full=False)
    assert {name for name in after if after[name] != before[name]} == {path_of(where, 2000).name}


def test_where_looking_takes_long_it_rests_but_not_from_what_comes_and_goes(
    where: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count(1000)
    later = 0
    clock = SimpleNamespace(monotonic=lambda: next(ticks) + later, time_ns=time.time_ns)
    monkeypatch.setattr("memtui.store.index.files.time", clock)
    files = Files(where)
    before = files.entries(full=False)
    path_of(where, 0).write_text("edited")
    assert files.entries(full=False) is before
    path_of(where, 2000).unlink()
    gone = files.entries(full=False)
    assert gone == {name: before[name] for name in before if name != path_of(where, 2000).name}
    after = files.entries(full=True)
    assert after[path_of(where, 0).name] != before[path_of(where, 0).name]
    path_of(where, 1).write_text("edited, too")
    assert files.entries(full=False) is after
    later = 100_000
    assert files.entries(full=False) != after
