"""Reviews of captures: made once, and safe at any failure."""

from __future__ import annotations

import errno
import threading

import pytest

from memtui.documents.capture import parse_capture
from memtui.documents.memory_file import parse_memory
from memtui.ground.files import FileProblem
from memtui.ground.project import Project
from memtui.store.captures import CaptureStore
from tests import faults
from tests.disk import names
from tests.store.captures import MEMORY, MEMORY_NAME, add_capture


@pytest.fixture
def store(project: Project) -> CaptureStore:
    return CaptureStore(project)


def test_a_memory_file_that_is_there_is_never_written_over(project: Project, store: CaptureStore) -> None:
    path = add_capture(project)
    (project.compacts / MEMORY_NAME).write_text("an orphan")
    (project.compacts / "20251225_081500-memory-2.md").symlink_to("nowhere")
    review = store.review(store.entries()[0], memory=MEMORY, summary="s")
    assert review.name == "20251225_081500-memory-3.md"
    assert parse_capture(path.read_text()).memory == review.name
    assert (project.compacts / MEMORY_NAME).read_text() == "an orphan"


def test_of_parallel_reviews_one_wins(project: Project, store: CaptureStore) -> None:
    path = add_capture(project)
    (entry,) = store.entries()
    outcomes: list[str] = []
    start = threading.Barrier(6)

    def work(number: int) -> None:
        start.wait()
        try:
            store.review(entry, memory=MEMORY.replace(title=f"by {number}"), summary=f"by {number}")
            outcomes.append(f"by {number}")
        except FileProblem:
            outcomes.append("too late")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [outcome for outcome in outcomes if outcome != "too late"]
    assert len(outcomes) == 6
    assert parse_capture(path.read_text()).summary == winner
    assert parse_memory((project.compacts / MEMORY_NAME).read_text()).title == winner
    assert names(project.compacts) == [path.name, MEMORY_NAME]


def test_an_error_at_any_call_of_a_review_changes_nothing(project: Project, store: CaptureStore) -> None:
    path = add_capture(project)
    pending = path.read_bytes()
    at, failed = 0, 0
    while True:
        at += 1
        (entry,) = store.entries()
        with faults.watched(faults.failing(at, errno.EIO)) as log:
            try:
                review = store.review(entry, memory=MEMORY, summary="s")
            except FileProblem:
                failed += 1
                review = None
        if review is None:
            assert path.read_bytes() == pending, f"call {at}, {log[-1]}"
            assert not (project.compacts / MEMORY_NAME).exists(), log[at - 1]
        else:
            path.write_bytes(pending)
            review.unlink()
        if len(log) < at:
            break
    assert failed > 25
    # What could not be removed in between has gone with the changes that came after.
    assert [name for name in names(project.compacts) if name.endswith(".lock")] == []
