"""Captures: each is read once until it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.app.listings import CaptureRows
from memtui.documents.capture import Capture
from memtui.ground.project import Project
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry
from tests.store.captures import add_capture, make_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "app")


def test_captures_that_arrive_during_reading_are_listed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_capture(project, 0)
    store = CaptureStore(project)
    rows = CaptureRows(store)
    rows.read()
    loaded: list[str] = []
    original = store.load

    def load(entry: Entry) -> Capture:
        loaded.append(entry.name)
        return original(entry)

    monkeypatch.setattr(store, "load", load)
    late = add_capture(project, 1)
    assert rows.read()
    assert not rows.read()
    assert loaded == [late.name]


def test_broken_ones_count_and_are_not_tried_again(project: Project) -> None:
    add_capture(project, 0).write_text("torn")
    add_capture(project, 1)
    rows = CaptureRows(CaptureStore(project))
    rows.read()
    view = rows.view()
    assert (len(view.pending), view.broken) == (2, 1)
    assert not rows.read()


def test_an_empty_folder_is_news_once(project: Project) -> None:
    rows = CaptureRows(CaptureStore(project))
    assert rows.read() and not rows.read()
