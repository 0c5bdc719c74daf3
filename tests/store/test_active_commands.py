"""Active commands: cleared and put back in a file that others write, too; their summaries found safely."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.files import FileProblem, Replaced, replace_expected
from memtui.project import Project
from memtui.store import shared_text
from memtui.store.active_commands import ActiveCommandStore
from memtui.store.commands_file import COMMAND_LIMIT, CommandProblem, normalised
from memtui.store.put_back import UndoProblem
from tests import faults
from tests.disk import DEAD_PID, age, mode_of, names, without_flushing
from tests.processes import start_together
from tests.store.memories import home_in
from tests.store.undoing import Undo, Undoing

# In the likeness of the files that AgileFlow leaves behind.
TEXT = """{
  "hook_metrics": {
    "last_updated": "2026-02-27T11:33:05.525Z",
    "session_total_ms": 490.0
  },
  "active_commands": [
    {
      "name": "babysit",
      "type": "interactive",
      "activated_at": "2026-02-04T08:22:48.581Z",
      "state": {},
      "active_sections": [],
      "params": {}
    },
    {
      "name": "research/ask",
      "activated_at": "2026-02-08T21:59:38.272Z",
      "state": {"step": 3, "word": "caf\\u00e9"}
    },
    {
      "name": "epic",
      "activated_at": "2026-02-09T00:00:00.000Z",
      "state": {}
    }
  ],
  "tmux_available": true
}
"""


class Store(ActiveCommandStore):
    """The commands of a project, whose changes are recorded."""

    def __init__(self, project: Project) -> None:
        self._undoing = Undoing(home_in(project.root.parent / "home"), project.root)
        super().__init__(project, self._undoing.changes.wrote)

    def clear(self, names: set[str] | str | None) -> Undo:
        """Make commands inactive, and return how that is taken back."""
        wanted = {names} if isinstance(names, str) else names
        return self._undoing.undo(lambda: self.remove(wanted))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "app")
    project.session_state_json.parent.mkdir(parents=True)
    return project


@pytest.fixture
def store(project: Project) -> Store:
    project.session_state_json.write_text(TEXT)
    return Store(project)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for a file that nobody writes."""
    monkeypatch.setattr(shared_text, "STILL_SECONDS", 0.0)


def active(store: ActiveCommandStore) -> list[str]:
    return [command.name for command in store.read().commands]


def foreign(text: str) -> dict[str, object]:
    """What is not ours in a text."""
    content: dict[str, object] = json.loads(text)
    content.pop("active_commands")
    return content


def test_reads_the_active_commands(store: Store) -> None:
    assert active(store) == ["babysit", "research/ask", "epic"]


def test_where_there_is_no_file_nothing_is_active_and_none_is_made(project: Project) -> None:
    store = Store(project)
    assert store.read().commands == ()
    with pytest.raises(CommandProblem, match=r"session-state\.json does not exist"):
        store.clear(None)
    project.session_state_json.parent.rmdir()
    assert store.read().commands == ()
    with pytest.raises(CommandProblem, match=r"session-state\.json does not exist"):
        store.clear(None)
    assert not project.session_state_json.parent.exists()


@pytest.mark.parametrize("text", ["", "{", '{"active_commands": [', "[]", "null"])
@pytest.mark.usefixtures("impatient")
def test_a_broken_file_is_a_problem_and_stays(store: Store, text: str) -> None:
    store.path.write_text(text)
    for work in (store.read, lambda: store.clear(None)):
        with pytest.raises(CommandProblem, match=r"session-state\.json is broken: "):
            work()
    assert store.path.read_text() == text
    assert names(store.path.parent) == ["session-state.json"]


@pytest.mark.parametrize("name", ["babysit", "research/ask", "epic"])
def test_clears_one_command_and_puts_it_back(store: Store, name: str) -> None:
    undo = store.clear(name)
    assert undo.label == f"cleared /{name}"
    assert active(store) == [each for each in ("babysit", "research/ask", "epic") if each != name]
    assert foreign(store.path.read_text()) == foreign(TEXT)
    undo.run()
    assert store.path.read_text() == TEXT


def test_clears_all_commands_and_puts_them_back(store: Store) -> None:
    undo = store.clear(None)
    assert undo.label == "cleared 3 commands"
    assert active(store) == []
    assert foreign(store.path.read_text()) == foreign(TEXT)
    undo.run()
    assert store.path.read_text() == TEXT
    assert names(store.path.parent) == ["session-state.json"]


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_every_byte_comes_back(store: Store, change: Callable[[str], str]) -> None:
    before = change(TEXT).encode()
    store.path.write_bytes(before)
    store.clear({"babysit", "epic"}).run()
    assert store.path.read_bytes() == before


def test_the_single_command_of_old_files_is_cleared_too(store: Store) -> None:
    old = '{"active_command": {"name": "babysit", "state": {}}, "x": 1}'
    store.path.write_text(old)
    undo = store.clear("babysit")
    assert active(store) == []
    undo.run()
    assert store.path.read_text() == old


def test_what_is_not_active_cannot_be_cleared(store: Store) -> None:
    store.clear("epic")
    with pytest.raises(CommandProblem, match="has no command epic active any more"):
        store.clear("epic")
    store.clear(None)
    with pytest.raises(CommandProblem, match="has no command active any more"):
        store.clear(None)


def test_undo_puts_entries_back_among_later_changes(store: Store) -> None:
    undo = store.clear({"babysit", "research/ask"})
    text = store.path.read_text().replace("490.0", "491.0").replace('"tmux_available": true', '"new": [1]')
    store.path.write_text(text)
    undo.run()
    assert active(store) == ["babysit", "research/ask", "epic"]
    assert foreign(store.path.read_text()) == foreign(text)
    entry = TEXT[TEXT.index('{\n      "name": "research') : TEXT.index("},", TEXT.index('"research')) + 1]
    assert entry in store.path.read_text()
    with pytest.raises(UndoProblem, match="is taken back already"):
        undo.run()
    assert active(store) == ["babysit", "research/ask", "epic"]


def test_undo_does_not_double_what_was_activated_again(store: Store) -> None:
    undo = store.clear("epic")
    anew = TEXT.replace("2026-02-09T00:00:00.000Z", "2026-03-01T00:00:00.000Z")
    store.path.write_text(anew)
    undo.run()
    assert store.path.read_text() == anew


def test_undo_makes_no_file(store: Store) -> None:
    undo = store.clear("epic")
    store.path.unlink()
    with pytest.raises(UndoProblem, match="does not exist"):
        undo.run()
    assert names(store.path.parent) == []


def test_a_command_activated_anew_while_clearing_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    anew = TEXT.replace("2026-02-09T00:00:00.000Z", "2026-03-01T00:00:00.000Z")
    _after_writes(monkeypatch, lambda number: store.path.write_text(anew) if number == 1 else None)
    store.clear("epic")
    assert store.path.read_text() == anew


def test_a_clear_that_is_written_over_is_done_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another program had read the file before and writes it after us, twice, with a change of its own.
    later = TEXT.replace("490.0", "491.0")
    _after_writes(monkeypatch, lambda number: store.path.write_text(later) if number < 3 else None)
    undo = store.clear("epic")
    assert active(store) == ["babysit", "research/ask"]
    assert foreign(store.path.read_text()) == foreign(later)
    undo.run()
    assert store.path.read_text() == later


def test_one_who_never_stops_writing_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_text, "SETTLE_SECONDS", 0.05)
    _after_writes(monkeypatch, lambda number: store.path.write_text(TEXT))
    with pytest.raises(CommandProblem, match="is being written over by another program; try again"):
        store.clear("epic")
    assert store.path.read_text() == TEXT


def test_a_change_in_the_last_moment_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    later = TEXT.replace("490.0", "491.0")
    writes = 0

    def late(path: Path, data: bytes, **options: Any) -> Replaced:
        nonlocal writes
        writes += 1
        if writes == 1:
            store.path.write_text(later)
        return replace_expected(path, data, **options)

    monkeypatch.setattr(shared_text, "replace_expected", late)
    store.clear("epic")
    assert writes == 2
    assert foreign(store.path.read_text()) == foreign(later)
    assert active(store) == ["babysit", "research/ask"]


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_written_into_the_replaced_file_is_carried_over(
    store: Store, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    # Another program has opened the file before it was replaced, and writes when it is done.
    later = TEXT.replace("490.0", "491.0")
    writes = 0

    def late(path: Path, data: bytes, **options: Any) -> Replaced:
        nonlocal writes
        writes += 1
        if writes > 1:
            return replace_expected(path, data, **options)
        with path.open("r+") as file:
            replaced = replace_expected(path, data, **options)
            file.write(later if whole else later[:-9])
            file.truncate()
        return replaced

    monkeypatch.setattr(shared_text, "replace_expected", late)
    undo = store.clear("epic")
    assert active(store) == ["babysit", "research/ask"]
    assert foreign(store.path.read_text()) == foreign(later if whole else TEXT)
    undo.run()
    assert store.path.read_text() == (later if whole else TEXT)


def _after_writes(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], object]) -> None:
    count = 0

    def writes(path: Path, data: bytes, **options: Any) -> Replaced:
        nonlocal count
        count += 1
        replaced = replace_expected(path, data, **options)
        act(count)
        return replaced

    monkeypatch.setattr(shared_text, "replace_expected", writes)


def test_waits_for_the_lock_and_says_who_has_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_text, "LOCK_SECONDS", 0.02)
    held = store.path.with_name("session-state.json.lock")
    held.write_text(f"{os.getppid()}\n")
    with pytest.raises(CommandProblem, match=f"locked: process {os.getppid()} made it"):
        store.clear("epic")
    assert store.path.read_text() == TEXT
    age(store.path.parent)
    store.clear("epic")
    assert not held.exists()


def test_keeps_the_files_mode(store: Store) -> None:
    store.path.chmod(0o664)
    store.clear("epic")
    assert mode_of(store.path) == 0o664


def test_a_link_within_the_project_stays_a_link(store: Store, project: Project) -> None:
    real = project.root / "state.json"
    store.path.rename(real)
    store.path.symlink_to(real)
    store.clear("epic").run()
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
        with pytest.raises(CommandProblem, match="leads out of "):
            work()
    (state,) = [path for path in (outside, *outside.rglob("*")) if path.is_file()]
    assert state.read_text() == TEXT


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.write_bytes(b"\xff{}")])
@pytest.mark.usefixtures("impatient")
def test_what_is_no_text_file_is_a_problem(store: Store, make: Callable[[Path], object]) -> None:
    store.path.unlink()
    make(store.path)
    for work in (store.read, lambda: store.clear(None)):
        with pytest.raises(CommandProblem):
            work()


def test_an_error_at_any_call_leaves_a_whole_file(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_text, "LOOK_AGAIN", (0.0,))
    store = ActiveCommandStore(project)
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
                cleared = "replace" in log[: at - 1]  # it was cleared, and could not be looked at again
        assert active(store) == ["babysit", "research/ask", "epic"][: 2 if cleared else 3]
        assert foreign(store.path.read_text()) == foreign(TEXT)
        if len(log) < at:
            break
    assert at > 60


def test_a_kill_at_any_call_leaves_a_whole_file(tmp_path: Path) -> None:
    assert faults.run_sweep("tests.store.test_active_commands", tmp_path) > 10


def test_temporary_files_of_the_killed_go_at_the_next_start(store: Store, project: Project) -> None:
    left = store.path.with_name(f".memtui-{DEAD_PID}-0123456789ab.tmp")
    left.touch()
    age(left.parent)
    Store(project).read()
    assert not left.exists()


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


_CLEAR = """
import sys
from pathlib import Path
from memtui.files import shared_lock
from memtui.project import Project
from memtui.store import shared_text
from tests.store.test_active_commands import Store
shared_lock.HELD_SECONDS = 60.0
shared_text.BUSY_SECONDS = shared_text.LOCK_SECONDS = shared_text.SETTLE_SECONDS = 60.0
store = Store(Project(Path(sys.argv[1])))
number = sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
store.clear(f"gone-{number}")
store.clear(f"back-{number}").run()
"""


def test_processes_lose_nothing_of_each_other(project: Project) -> None:
    commands = [
        {"name": f"{word}-{number}", "activated_at": "2026-02-09T00:00:00Z", "state": {"n": number}}
        for number in range(8)
        for word in ("gone", "back")
    ]
    content = {"before": 1.50, "active_commands": commands, "after": [1, {}]}
    project.session_state_json.write_text(json.dumps(content, indent=2) + "\n")
    start_together([_CLEAR, str(project.root), str(number)] for number in range(8))
    after = json.loads(project.session_state_json.read_text())
    left = sorted(after.pop("active_commands"), key=lambda command: str(command["name"]))
    assert left == [command for command in commands if str(command["name"]).startswith("back")]
    assert after == {"before": 1.50, "after": [1, {}]}
    assert names(project.session_state_json.parent) == ["session-state.json"]


# Reads, thinks for up to 2 ms, and writes in place without looking at any lock, as AgileFlow's scripts do.
_COMPETE = """
import json, os, random, sys, time
path, stop = sys.argv[1:]
number = 0
print("ready", flush=True)
while not os.path.exists(stop):
    while True:
        try:
            state = json.load(open(path))
            break
        except ValueError:
            pass
    number += 1
    state["counter"] = number
    end = time.perf_counter() + random.uniform(0, 0.002)
    while time.perf_counter() < end:
        pass
    with open(path, "w") as file:
        file.write(json.dumps(state, indent=2) + "\\n")
print(number)
"""


def test_a_competitor_without_the_lock_does_not_win(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than usual: on a busy machine the competitor may have to wait before it writes what it has read.
    monkeypatch.setattr(shared_text, "LOOK_AGAIN", (0.0, 0.02, 0.1, 0.2))
    monkeypatch.setattr(shared_text, "SETTLE_SECONDS", 30.0)
    commands = [{"name": f"c{number}", "activated_at": "2026-02-09T00:00:00Z"} for number in range(3)]
    project.session_state_json.write_text(json.dumps({"counter": -1, "active_commands": commands}))
    store = Store(project)
    stop = tmp_path / "stop"
    command = [sys.executable, "-c", _COMPETE, str(project.session_state_json), str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as competitor:
        assert competitor.stdout is not None
        competitor.stdout.readline()
        try:
            store.clear("c0")
            store.clear("c1")
        finally:
            stop.touch()
            rounds = int(competitor.stdout.read())
    assert rounds > 5
    assert active(store) == ["c2"]
    assert json.loads(project.session_state_json.read_text())["counter"] == rounds


def add_file(project: Project, folder: int, name: str, text: str) -> Path:
    path = project.command_folders[folder] / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def summary_of(text: str) -> str:
    return f"# Command\n\n<!-- COMPACT_SUMMARY_START\n(kept) -->\n{text}\n<!-- COMPACT_SUMMARY_END -->\n"


@pytest.mark.parametrize(
    "name", ["babysit", "/babysit", "agileflow:babysit", "/agileflow:babysit", " babysit "]
)
def test_finds_the_summary_in_the_first_folder_that_has_the_file(
    store: Store, project: Project, name: str
) -> None:
    for folder in (2, 1, 0):
        path = add_file(project, folder, "babysit", summary_of(f"from {folder}"))
        summary = store.summary(name)
        assert (summary.path, summary.text) == (path, f"from {folder}")
        assert summary.shown == str(path.relative_to(project.root))


def test_a_name_may_have_folders(store: Store, project: Project) -> None:
    add_file(project, 2, "research/ask", summary_of("asked"))
    assert store.summary("research/ask").text == "asked"
    assert store.summary("/agileflow:research:ask").text == "asked"
    assert normalised("/agileflow:research:ask") == "research/ask"


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "a/../../secret",
        "..",
        ".",
        "",
        "/",
        "//etc/passwd",
        "a//b",
        "a/./b",
        "a b",
        "a\0b",
        "a\n",
        "ä",
        "a\\b",
        "~/x",
        "$HOME",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(store: Store, project: Project, name: str) -> None:
    (project.root / ".agileflow").mkdir()
    (project.root / ".agileflow" / "secret.md").write_text(summary_of("secret"))
    with pytest.raises(CommandProblem, match=r"is no name of a command file|is neither in") as caught:
        store.summary(name)
    assert "secret" not in caught.value.reason


def test_says_where_it_has_looked(store: Store) -> None:
    with pytest.raises(CommandProblem) as caught:
        store.summary("epic")
    assert str(caught.value) == (
        "epic.md is neither in packages/cli/src/core/commands, .agileflow/commands, "
        ".claude/commands/agileflow, .claude/commands nor in ~/.claude/commands"
    )


def test_a_file_without_markers_has_no_summary(store: Store, project: Project) -> None:
    path = add_file(project, 1, "epic", "# Epic\n")
    add_file(project, 2, "epic", summary_of("older"))
    with pytest.raises(CommandProblem, match="has no COMPACT_SUMMARY markers") as caught:
        store.summary("epic")
    assert caught.value.path == path


def test_no_link_leads_out_of_the_command_folders(store: Store, project: Project, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text(summary_of("secret"))
    folder = project.command_folders[1]
    folder.mkdir(parents=True)
    (folder / "file.md").symlink_to(secret / "key.md")
    (folder / "sub").symlink_to(secret)
    (folder / "cousin.md").symlink_to(add_file(project, 2, "own", summary_of("own")))
    project.command_folders[0].parent.mkdir(parents=True)
    project.command_folders[0].symlink_to(secret)
    for name in ("file", "sub/key", "cousin", "key"):
        with pytest.raises(CommandProblem, match="leads out of"):
            store.summary(name)


def test_odd_command_files_have_a_reason(store: Store, project: Project) -> None:
    folder = project.command_folders[2]
    add_file(project, 2, "huge", "x" * (COMMAND_LIMIT + 1))
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    (folder / "binary.md").write_bytes(bytes(range(256)))
    reasons = {}
    for name in ("huge", "pipe", "folder", "binary"):
        with pytest.raises(CommandProblem) as caught:
            store.summary(name)
        reasons[name] = caught.value.reason
    assert reasons == {
        "huge": "is larger than 1 MB",
        "pipe": "is a pipe, not a file",
        "folder": "is a folder, not a file",
        "binary": "has no COMPACT_SUMMARY markers, so nothing of it outlives a compaction",
    }


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
    setattr(shared_text, "LOOK_AGAIN", (0.0,))  # noqa: B010 - a constant
    points = faults.kill_sweep(make, act, check)
    assert outcomes == {2, 3}
    return points


if __name__ == "__main__":
    without_flushing()
    print(_sweep(Path(sys.argv[1])))  # noqa: T201
