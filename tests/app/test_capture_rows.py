"""Captures listed at once and read gradually."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.app import listings as capture_rows
from memtui.app.listings import CaptureRows
from memtui.documents.capture import Capture
from memtui.ground.project import Project
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry
from tests.store.captures import add_capture, make_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "app")


def never() -> bool:
    return False


def read_all(rows: CaptureRows) -> None:
    while rows.unread:
        rows.read(never)


def test_all_are_listed_before_any_is_read(project: Project) -> None:
    names = [add_capture(project, number).name for number in range(3)][::-1]
    rows = CaptureRows(CaptureStore(project))
    assert rows.list()
    view = rows.view()
    assert (list(view.rows), view.pending, view.unread) == (names, tuple(names), 3)
    read_all(rows)
    assert view.unread == 3 and view.rows[names[0]].capture is None  # a view stays what it was
    assert [row.capture.session_id for row in rows.view().rows.values() if row.capture] == ["s2", "s1", "s0"]
    assert rows.view().unread == 0


def test_the_newest_is_read_first_and_a_slice_is_short(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        add_capture(project, number)
    ticks = iter(range(100))
    monkeypatch.setattr("memtui.app.listings.time.monotonic", lambda: next(ticks) * capture_rows.SLICE / 2.5)
    rows = CaptureRows(CaptureStore(project))
    rows.list()
    assert rows.read(never)
    assert [row.capture is not None for row in rows.rows] == [True, True, False, False, False]


def test_captures_that_arrive_during_reading_are_listed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_capture(project, 0)
    store = CaptureStore(project)
    rows = CaptureRows(store)
    rows.list()
    read_all(rows)
    loaded: list[str] = []
    original = store.load

    def load(entry: Entry) -> Capture:
        loaded.append(entry.name)
        return original(entry)

    monkeypatch.setattr(store, "load", load)
    late = add_capture(project, 1)
    assert rows.list()
    read_all(rows)
    assert not rows.list()
    assert loaded == [late.name]


def test_broken_ones_count_and_are_not_tried_again(project: Project) -> None:
    add_capture(project, 0).write_text("torn")
    add_capture(project, 1)
    rows = CaptureRows(CaptureStore(project))
    rows.list()
    read_all(rows)
    view = rows.view()
    assert (len(view.pending), view.broken, view.unread) == (2, 1, 0)
    assert not rows.list() and not rows.unread


def test_an_empty_folder_is_news_once(project: Project) -> None:
    rows = CaptureRows(CaptureStore(project))
    assert rows.list() and not rows.list()
    assert not rows.read(never)


def test_stopping_ends_the_reading(project: Project) -> None:
    add_capture(project, 0)
    rows = CaptureRows(CaptureStore(project))
    rows.list()
    assert not rows.read(lambda: True)
    assert rows.unread == 1
