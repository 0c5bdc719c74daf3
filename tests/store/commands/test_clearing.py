"""Active commands: read, cleared and restored."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.ground import files
from memtui.ground.files import FileProblem, write_atomic
from memtui.ground.project import Project
from memtui.store import commands_file
from memtui.store.commands_file import CommandsFile
from tests import faults
from tests.disk import age, mode_of, names
from tests.store.commands.conftest import TEXT, Store, active, foreign


def test_where_there_is_no_file_nothing_is_active_and_none_is_made(project: Project) -> None:
    store = Store(project)
    assert store.read().commands == ()
    with pytest.raises(FileProblem, match=r"session-state\.json does not exist"):
        store.clear(None)
    project.session_state_json.parent.rmdir()
    assert store.read().commands == ()
    with pytest.raises(FileProblem, match=r"session-state\.json does not exist"):
        store.clear(None)
    assert not project.session_state_json.parent.exists()


@pytest.mark.parametrize("text", ["", "{", '{"active_commands": [', "[]", "null"])
@pytest.mark.usefixtures("impatient")
def test_a_broken_file_is_a_problem_and_stays(store: Store, text: str) -> None:
    store.path.write_text(text)
    for work in (store.read, lambda: store.clear(None)):
        with pytest.raises(FileProblem, match=r"session-state\.json is broken: "):
            work()
    assert store.path.read_text() == text
    assert names(store.path.parent) == ["session-state.json"]


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_every_byte_comes_back(store: Store, change: Callable[[str], str]) -> None:
    before = change(TEXT).encode()
    store.path.write_bytes(before)
    store.clear({"babysit", "epic"})()
    assert store.path.read_bytes() == before


def test_undo_puts_entries_back_among_later_changes(store: Store) -> None:
    undo = store.clear({"babysit", "research/ask"})
    text = store.path.read_text().replace("490.0", "491.0").replace('"tmux_available": true', '"new": [1]')
    store.path.write_text(text)
    undo()
    assert active(store) == ["babysit", "research/ask", "epic"]
    assert foreign(store.path.read_text()) == foreign(text)
    entry = TEXT[TEXT.index('{\n      "name": "research') : TEXT.index("},", TEXT.index('"research')) + 1]
    assert entry in store.path.read_text()
    undo()
    assert active(store) == ["babysit", "research/ask", "epic"]


def test_keeps_the_files_mode(store: Store) -> None:
    store.path.chmod(0o664)
    store.clear("epic")
    assert mode_of(store.path) == 0o664


def test_a_link_within_the_project_stays_a_link(store: Store, project: Project) -> None:
    real = project.root / "state.json"
    store.path.rename(real)
    store.path.symlink_to(real)
    store.clear("epic")()
    assert store.path.is_symlink()
    assert real.read_text() == TEXT
    assert names(project.root) == ["docs", "state.json"]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_nothing_outside_is_read_or_written(
    store: Store, project: Project, tmp_path: Path, level: int
) -> None:
    inside = (store.path, *store.path.parents)[level]
    outside = tmp_path / "outside"
    inside.rename(outside)
    inside.symlink_to(outside)
    for work in (store.read, lambda: store.clear(None)):
        with pytest.raises(FileProblem, match="leads out of "):
            work()
    (state,) = [path for path in (outside, *outside.rglob("*")) if path.is_file()]
    assert state.read_text() == TEXT


def test_a_change_in_the_last_moment_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    later = TEXT.replace("490.0", "491.0")
    writes = 0

    def late(path: Path, data: bytes, **options: Any) -> None:
        nonlocal writes
        writes += 1
        if writes == 1:
            store.path.write_text(later)
        write_atomic(path, data, **options)

    monkeypatch.setattr(files, "write_atomic", late)
    store.clear("epic")
    assert writes == 2
    assert foreign(store.path.read_text()) == foreign(later)
    assert active(store) == ["babysit", "research/ask"]


def test_a_half_written_file_is_never_taken_for_empty(store: Store) -> None:
    done = threading.Event()

    def write() -> None:
        data = TEXT.encode()
        while not done.wait(0.001):
            with store.path.open("wb") as file:  # truncates first
                file.write(data[: len(data) // 2])
                file.flush()
                file.write(data[len(data) // 2 :])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        seen = {tuple(active(store)) for _ in range(300)}
    finally:
        done.set()
        thread.join()
    assert seen == {("babysit", "research/ask", "epic")}


def test_a_clear_that_another_program_writes_over_is_done_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, writes = TEXT.replace("490.0", "491.0"), 0

    def write(path: Path, data: bytes, **options: Any) -> None:
        nonlocal writes
        writes += 1
        write_atomic(path, data, **options)
        if writes < 3:  # it had read the file before, and takes no lock
            path.write_text(later)

    monkeypatch.setattr(files, "write_atomic", write)
    store.clear("epic")
    assert active(store) == ["babysit", "research/ask"]
    assert foreign(store.path.read_text()) == foreign(later)


def test_a_command_that_is_activated_anew_while_it_is_cleared_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    anew = TEXT.replace("2026-02-09T00:00:00.000Z", "2026-03-01T00:00:00.000Z")

    def write(path: Path, data: bytes, **options: Any) -> None:
        write_atomic(path, data, **options)
        path.write_text(anew)

    monkeypatch.setattr(files, "write_atomic", write)
    store.clear("epic")
    assert store.path.read_text() == anew


def test_an_error_at_any_call_leaves_a_whole_file(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_file, "_LOOK_AGAIN", 0.0)
    store = CommandsFile(project)
    at = 0
    while True:
        at += 1
        store.path.write_text(TEXT)
        age(store.path.parent)  # a lock whose removal failed is not waited for
        with faults.watched(faults.failing(at, errno.EIO)) as log:
            try:
                store.remove({"epic"})
                cleared = True
            except FileProblem:
                cleared = False
        left = active(store)
        # An error while it is looked at again, whether the change stays, comes after the change.
        assert left == ["babysit", "research/ask"] or (not cleared and left[2:] == ["epic"]), at
        assert foreign(store.path.read_text()) == foreign(TEXT)
        if len(log) < at:
            break
    assert at > 30


def test_a_kill_at_any_call_leaves_a_whole_file(tmp_path: Path) -> None:
    assert faults.run_sweep(_sweep, tmp_path) >= 10


def _sweep(base: Path) -> int:
    """Kill a clear at every point; returns how many there were."""

    def make(number: int) -> Path:
        project = Project(base / str(number))
        project.session_state_json.parent.mkdir(parents=True)
        project.session_state_json.write_text(TEXT)
        return project.root

    def act(root: Path) -> None:
        Store(Project(root)).clear("epic")

    def check(root: Path) -> None:
        store = Store(Project(root))
        age(store.path.parent)
        names_left = active(store)
        outcomes.add(len(names_left))
        assert names_left == ["babysit", "research/ask", "epic"][: len(names_left)]
        assert foreign(store.path.read_text()) == foreign(TEXT)
        # Whatever is left behind, the next one takes over and leaves nothing.
        store.clear("babysit")
        assert active(store) == names_left[1:]
        assert names(store.path.parent) == ["session-state.json"]

    outcomes: set[int] = set()
    points = faults.kill_sweep(make, act, check)
    assert outcomes == {2, 3}
    return points
