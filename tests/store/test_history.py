"""The log of changes: written by every process, undone and redone after a restart, bounded."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.ground.files import FileProblem, write_atomic
from memtui.ground.project import Home
from memtui.store import change_log
from memtui.store.base import New
from memtui.store.change_log import Change, ChangeLog, FileChange
from memtui.store.changes import APP, CLI, HOOK, MCP, Changes
from memtui.store.content_restore import UndoProblem
from memtui.store.history import History, recorded
from memtui.store.memory_files import FilesBackend
from tests import faults
from tests.disk import left_over, mode_of, names, without_flushing
from tests.processes import start_together
from tests.store.memories import home_in
from tests.store.undoing import Undoing, noon

SECRET = b"AKIAIOSFODNN7EXAMPLE"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_in(tmp_path / "home")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def undoing(home: Home, root: Path) -> Undoing:
    return Undoing(home, root)


def store(home: Home, undoing: Undoing) -> FilesBackend:
    return FilesBackend(home, noon, undoing.changes.wrote)


def write(changes: Changes, path: Path, text: str | None) -> None:
    """Write a file, or remove it, as something that records what it does."""
    before = path.read_bytes() if path.exists() else None
    if text is None:
        path.unlink()
    else:
        write_atomic(path, text.encode())
    changes.wrote(f"wrote {text}"[:20], path, before, None if text is None else text.encode())


def undo(undoing: Undoing, *, undone: bool = False) -> str:
    """Take the last change back, or do it again; returns what it was."""
    last = undoing.history.last(undone=undone)
    assert last is not None
    return undoing.history.revert(last.change.id, undone=undone).change.what


def test_undo_and_redo_after_a_restart(home: Home, root: Path) -> None:
    backend = store(home, Undoing(home, root))
    memory_id = backend.create(New(body=b"text")).id
    path = next(home.memories.glob("*/CMEM-*.md"))
    stored = path.read_bytes()
    backend.update(memory_id, archived=True)
    archived = path.read_bytes()
    backend.delete(memory_id)

    wanted = [f"deleted {memory_id}", f"archived {memory_id}", f"stored {memory_id}"]
    assert Undoing(home, root).listed == wanted
    after = []
    for what in wanted:
        assert undo(Undoing(home, root)) == what  # each by a process of its own, as it were
        after.append(path.read_bytes() if path.exists() else None)
    assert after == [archived, stored, None]
    assert Undoing(home, root).history.last() is None
    for what, content in zip(reversed(wanted), (stored, archived, None), strict=True):
        assert undo(Undoing(home, root), undone=True) == what
        assert (path.read_bytes() if path.exists() else None) == content
    assert Undoing(home, root).history.last(undone=True) is None
    assert Undoing(home, root).listed == wanted


def test_after_another_change_there_is_nothing_to_redo(undoing: Undoing, root: Path) -> None:
    write(undoing.changes, root / "a", "1")
    undo(undoing)
    write(undoing.changes, root / "b", "1")
    assert undoing.history.last(undone=True) is None
    assert undo(undoing) == "wrote 1"
    assert not any(root.iterdir())


def test_a_removed_file_is_made_again_in_its_folder_and_for_its_readers(
    home: Home, root: Path, undoing: Undoing
) -> None:
    shared, compacts, settings = (
        root / "a" / "b.md",
        root / ".project" / "compacts" / "c.md",
        home.config / "d",
    )
    for path, mode, folder_mode in (
        (shared, 0o644, 0o755),
        (compacts, 0o600, 0o700),
        (settings, 0o600, 0o700),
    ):
        path.parent.mkdir(parents=True)
        path.write_text("1")
        write(undoing.changes, path, None)
        path.parent.rmdir()
        undo(undoing)
        assert (path.read_text(), mode_of(path), mode_of(path.parent)) == ("1", mode, folder_mode)


def test_folders_made_for_a_file_go_with_it_unless_they_are_memtuis_own(root: Path, undoing: Undoing) -> None:
    for path in (root / "a" / "b" / "c.md", root / ".project" / "compacts" / "d.md"):
        path.parent.mkdir(parents=True)
        write(undoing.changes, path, "1")
        undo(undoing)
        assert not path.exists()
    assert names(root) == [".project"]
    assert names(root / ".project") == ["compacts"]


def test_texts_of_recorded_changes_are_kept_however_old(home: Home, root: Path, undoing: Undoing) -> None:
    (root / "a").write_text("1")
    write(undoing.changes, root / "a", "2")
    log = ChangeLog(home)
    log.keep(b"3")
    texts = {change_log.digest(text): text for text in (b"1", b"3")}
    assert {name: log.text(name) for name in texts} == texts
    for path in (home.state / "changes").iterdir():
        os.utime(path, (1, 1))
    log._sweep(strays=True)
    assert [log.text(name) for name in texts] == [b"1", None]


def test_a_change_is_not_taken_back_over_a_newer_one(home: Home, root: Path, undoing: Undoing) -> None:
    write(undoing.changes, root / "a", "1")
    first = undoing.last()
    later = Undoing(home, root, by=CLI, clock=lambda: noon() + timedelta(minutes=2))
    write(later.changes, root / "a", "2")
    history = History(home, lambda: noon() + timedelta(minutes=5), undoing.changes)
    with pytest.raises(
        UndoProblem, match=r"^a has changed since \(wrote 2, 3 m ago, by the command line\); undo that first$"
    ):
        history.revert(history.all()[1].change.id)
    later.last().run()
    first.run()
    assert not (root / "a").exists()


def test_what_another_program_changed_is_kept(undoing: Undoing, root: Path) -> None:
    write(undoing.changes, root / "a", "1")
    (root / "a").write_text("theirs")
    with pytest.raises(UndoProblem, match=r"^a has changed since; it is kept as it is"):
        undoing.last().run()
    assert (root / "a").read_text() == "theirs"


def test_of_several_files_all_are_taken_back_or_none(undoing: Undoing, root: Path) -> None:
    with undoing.changes.together("wrote both"):
        write(undoing.changes, root / "a", "1")
        write(undoing.changes, root / "b", "1")
        write(undoing.changes, root / "b", "2")
        write(undoing.changes, root / "c", "1")
        write(undoing.changes, root / "c", None)
    both = undoing.last()
    (change,) = undoing.history.all()
    assert [Path(file.path).name for file in change.change.files] == ["a", "b"]
    (root / "a").write_text("theirs")
    with pytest.raises(UndoProblem):
        both.run()
    assert (root / "b").read_text() == "2"
    (root / "a").write_text("1")
    both.run()
    assert not any(root.iterdir())


def test_the_last_change_is_a_persons_in_this_project(home: Home, root: Path) -> None:
    for number, by in enumerate((CLI, APP, HOOK, MCP)):
        write(Undoing(home, root, by=by).changes, root / f"{number}", by)
    write(Undoing(home, root / "other").changes, root / "5", "elsewhere")
    assert undo(Undoing(home, root)) == "wrote app"
    assert undo(Undoing(home, root)) == "wrote cli"
    assert Undoing(home, root).history.last() is None
    assert names(root) == ["2", "3", "5"]


def test_a_change_is_named_by_the_beginning_of_its_id(undoing: Undoing, root: Path) -> None:
    write(undoing.changes, root / "a", "1")
    (change,) = undoing.history.all()
    assert undoing.history.find(change.change.id[:5]) == change
    for beginning in ("", "x"):
        with pytest.raises(UndoProblem, match="`memtui log` lists them"):
            undoing.history.find(beginning)


def test_the_log_holds_no_text_and_is_this_users_alone(home: Home, undoing: Undoing) -> None:
    backend = store(home, undoing)
    backend.update(backend.create(New(body=SECRET)).id, pinned=True)
    log = home.changes_log.read_bytes()
    assert SECRET not in log
    assert [sorted(json.loads(line)) for line in log.splitlines()] == [
        ["at", "by", "files", "id", "project", "what"]
    ] * 2
    kept = [path for path in (home.state / "changes").iterdir() if path.name != ".gitignore"]
    assert len(kept) == 1
    assert {mode_of(path) for path in (home.changes_log, *kept)} == {0o600}
    assert mode_of(home.state / "changes") == 0o700


def test_log_and_texts_are_bounded(
    home: Home, undoing: Undoing, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_flushing(monkeypatch.setattr)
    monkeypatch.setattr(change_log, "LIMIT", 4_000)
    monkeypatch.setattr(change_log, "TEXTS_LIMIT", 5_000)
    for number in range(60):
        write(undoing.changes, root / "a", f"{number}" + "x" * 990)
    logs = list(home.state.glob("changes*.jsonl"))
    assert sum(path.stat().st_size for path in logs) < 10_000
    texts = [path for path in (home.state / "changes").iterdir() if len(path.name) == 64]
    assert len(texts) == 5
    assert 8 < len(undoing.listed) < 60
    for _ in range(4):
        undo(undoing)
    with pytest.raises(UndoProblem, match="its old text is no longer kept"):
        for _ in range(4):
            undo(undoing)


def test_lines_that_are_none_are_left_out(home: Home) -> None:
    log = ChangeLog(home)
    change = Change("0a", "2026-01-02T12:00:00+00:00", "wrote a", APP, "/x", (FileChange("/x/a", "", "h"),))
    home.state.mkdir(parents=True)
    home.changes_log.write_bytes(b'\xff\n\n[]\n{"id": 7}\n{"id": "cut off, as by a full di')
    log.append(change, ())
    log.append(change._replace(id="0b", reverts="0a"), ())
    assert log.changes() == [change, change._replace(id="0b", reverts="0a")]
    (found,) = recorded(log.changes())
    assert (found.change, found.last.id, found.undone) == (change, "0b", True)


def test_a_damaged_text_is_never_put_back(home: Home, undoing: Undoing, root: Path) -> None:
    write(undoing.changes, root / "a", "1")
    write(undoing.changes, root / "a", "2")
    (kept,) = [path for path in (home.state / "changes").iterdir() if len(path.name) == 64]
    kept.write_bytes(b"other")
    with pytest.raises(UndoProblem, match="no longer kept"):
        undoing.last().run()
    assert (root / "a").read_text() == "2"


def test_a_change_that_cannot_be_recorded_is_still_made(home: Home, undoing: Undoing) -> None:
    home.state.parent.mkdir(parents=True, exist_ok=True)
    home.state.write_text("a file where the folder should be")
    backend = store(home, undoing)
    memory_id = backend.create(New(body=b"text")).id
    assert backend.update(memory_id, pinned=True).pinned
    assert str(home.state) in undoing.changes.problem
    with pytest.raises(FileProblem, match=r"changes\.jsonl cannot be read"):
        undoing.history.last()


def test_a_change_whose_undoing_cannot_be_recorded_stays(
    undoing: Undoing, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "a"
    write(undoing.changes, path, "old")
    write(undoing.changes, path, "new")

    def fail(*arguments: object, **options: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(ChangeLog, "append", fail)
        with pytest.raises(FileProblem, match="the disk is full"):
            undo(undoing)
    assert path.read_text() == "new"
    assert undo(undoing) == "wrote new"
    assert path.read_text() == "old"


_WRITE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from memtui.ground.project import Home
from memtui.store.changes import CLI, Changes
base, root, number = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
home = Home(*(base / name for name in ("data", "cache", "state", "config")))
changes = Changes(home, lambda: datetime(2026, 1, 2, tzinfo=UTC), CLI, root)
print("ready", flush=True)
sys.stdin.readline()
for each in range(40):
    changes.wrote(f"{number}-{each} " + "x" * 200, root / number, b"0", str(each + 1).encode())
"""


def test_texts_that_killed_processes_left_are_removed(home: Home, root: Path, undoing: Undoing) -> None:
    write(undoing.changes, root / "a", "1")
    write(undoing.changes, root / "a", "2")
    left = left_over(home.state / "changes")
    write(undoing.changes, root / "a", "3")
    assert not left.exists()


def test_processes_append_whole_lines_side_by_side(home: Home, root: Path) -> None:
    start_together([_WRITE, str(home.data.parent), str(root), str(number)] for number in range(3))
    words = sorted(what.split()[0] for what in Undoing(home, root).listed)
    assert words == sorted(f"{number}-{each}" for number in range(3) for each in range(40))


def test_a_kill_at_any_call_leaves_the_log_whole(tmp_path: Path) -> None:
    assert faults.run_sweep(_sweep, tmp_path) > 12


def _sweep(base: Path) -> int:
    """Kill a process that takes a change of two files back, at every point; the next try finishes it."""
    outcomes: set[int] = set()

    def make(number: int) -> Path:
        root = base / str(number) / "app"
        root.mkdir(parents=True)
        undoing = _undoing(root)
        with undoing.changes.together("wrote both"):
            write(undoing.changes, root / "a", "1")
            write(undoing.changes, root / "b", "2")
        write(undoing.changes, root / "c", "3")
        undoing.last().run()
        return root

    def act(root: Path) -> None:
        undo(_undoing(root))

    def check(root: Path) -> None:
        undoing = _undoing(root)
        assert undoing.listed == ["wrote 3", "wrote both"]
        left = [name for name in ("a", "b") if (root / name).exists()]
        outcomes.add(len(left))
        if undoing.history.last() is not None:
            with pytest.raises(UndoProblem, match="already") if not left else nullcontext():
                undo(undoing)
        assert not any((root / name).exists() for name in ("a", "b"))
        assert undo(undoing, undone=True) == "wrote both"
        assert [(root / name).read_text() for name in ("a", "b")] == ["1", "2"]

    points = faults.kill_sweep(make, act, check)
    assert outcomes == {0, 1, 2}
    return points


def _undoing(root: Path) -> Undoing:
    return Undoing(home_in(root.parent / "home"), root)
