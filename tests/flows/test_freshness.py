"""Changes to a memory's files: by git's commits and contents, or by times without git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.flows.freshness import Freshness, Repositories, freshness, note_on, since_when
from memtui.formats.recovery import Recovery, RoleFile, render_recovery
from memtui.formats.stored_memory import MemoryMeta, StoredMemory
from memtui.ground import git
from memtui.store.changed_files import Repository

STORED = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
HOUR = 3_600.0


class Work:
    """A project whose files were written, and committed, so many hours after the memory was stored."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)

    def git(self, *words: str, hours: float = 0.0) -> None:
        when = f"{int(STORED.timestamp() + hours * HOUR)} +0000"
        names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_GLOBAL": os.devnull}
        subprocess.run(
            ["git", "-C", str(self.root), *words], env={**os.environ, **names, **dates}, check=True,
            capture_output=True, timeout=60,
        )  # fmt: skip

    def write(self, path: str, text: str = "", *, hours: float) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
        os.utime(place, (STORED.timestamp() + hours * HOUR,) * 2)

    def commit(self, *, hours: float) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "x", hours=hours)

    def memory(
        self, *paths: str, reads: tuple[str, ...] = (), roles: str = "", root: str = ""
    ) -> StoredMemory:
        recovery = Recovery(
            project_root=root or str(self.root),
            working_files=tuple(RoleFile(path=path, role=roles or "changed") for path in paths),
            reference_files=tuple(RoleFile(path=path, role="read") for path in reads),
        )
        meta = MemoryMeta(id="CMEM-20260305-120000", project=str(self.root), created=STORED, updated=STORED)
        return StoredMemory(meta=meta, body=render_recovery(recovery).encode())

    def look(self, memory: StoredMemory) -> Freshness:
        repository = Repository(self.root)
        repository.refresh()
        return freshness(memory, repository)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "harbor")


@pytest.fixture
def committed(work: Work) -> Work:
    """Five files, all committed before the memory was stored."""
    work.git("init", "-q")
    for name in "abcde":
        work.write(f"src/{name}.py", name, hours=-2)
    work.commit(hours=-2)
    return work


ALL = tuple(f"src/{name}.py" for name in "abcde")


def kinds(state: Freshness) -> dict[str, tuple[str, str]]:
    return {path: (change.kind, change.by) for path, change in state.files}


def test_commits_and_contents_say_what_has_changed(committed: Work) -> None:
    committed.write("src/a.py", "new", hours=1)
    committed.git("rm", "-q", "src/b.py")
    committed.commit(hours=1)
    committed.write("src/c.py", "not committed", hours=2)
    (committed.root / "src/d.py").unlink()
    state = committed.look(committed.memory(*ALL[:3], reads=ALL[3:]))
    assert kinds(state) == {
        "src/a.py": ("changed", "commit"),
        "src/b.py": ("gone", "commit"),
        "src/c.py": ("changed", "content"),
        "src/d.py": ("gone", "commit"),
        "src/e.py": ("", ""),
    }
    assert state.summary == "2 of 5 files changed since, 2 gone"
    a, b, c, d = (since_when(file.change) for file in state.stale)
    assert a.startswith("commit ") and a.endswith(", 2026-03-05 13:00") and b == a
    assert (c, d) == ("not committed, 2026-03-05 14:00", "not committed")


def test_what_was_written_before_and_committed_after_is_as_it_was(committed: Work) -> None:
    committed.write("src/a.py", "written in the session", hours=-1)
    committed.commit(hours=3)
    assert not committed.look(committed.memory("src/a.py")).is_stale


def test_a_reverted_file_counts_as_unchanged(committed: Work) -> None:
    committed.write("src/a.py", "new", hours=1)
    committed.commit(hours=1)
    committed.write("src/a.py", "a", hours=2)
    committed.commit(hours=2)
    committed.write("src/b.py", "b", hours=2)  # only touched
    assert not committed.look(committed.memory("src/a.py", "src/b.py")).is_stale


def test_line_ends_of_another_system_are_no_change(work: Work) -> None:
    work.git("init", "-q")
    work.write("a.txt", "one\ntwo\n", hours=-2)
    work.commit(hours=-2)
    work.write("a.txt", "one\r\ntwo\r\n", hours=2)
    assert not work.look(work.memory("a.txt")).is_stale


def test_a_merge_counts_when_it_was_made(committed: Work) -> None:
    committed.git("checkout", "-qb", "side")
    committed.write("src/a.py", "side", hours=-1)
    committed.commit(hours=-1)
    committed.git("checkout", "-q", "-")
    committed.git("merge", "-q", "--no-ff", "side", hours=2)
    os.utime(committed.root / "src/a.py", (STORED.timestamp() + 2 * HOUR,) * 2)
    (file,) = committed.look(committed.memory("src/a.py")).files
    assert (file.change.kind, file.change.at) == ("changed", STORED.timestamp() + 2 * HOUR)


def test_without_git_the_files_times_count_and_that_is_said(work: Work) -> None:
    work.write("a.py", hours=1)
    work.write("b.py", hours=-1)
    state = work.look(work.memory("a.py", "b.py", "c.py", str(work.root / "b.py")))
    assert kinds(state) == {"a.py": ("changed", "time"), "b.py": ("", ""), "c.py": ("gone", "time")}
    assert state.summary == "1 of 3 files changed since, 1 gone (by their times: without git)"
    assert [since_when(file.change) for file in state.stale] == [
        "by its time, 2026-03-05 13:00",
        "it is not there",
    ]


def test_nothing_is_said_where_nothing_is_known(work: Work, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("")
    work.write("a.py", hours=-1)
    (work.root / "link.py").symlink_to(tmp_path / "outside.py")
    (work.root / "out").symlink_to(tmp_path)
    (work.root / "folder").mkdir()
    os.mkfifo(work.root / "pipe.py")
    names = ("../outside.py", str(tmp_path / "outside.py"), "link.py", "out/outside.py", "folder/", "pipe.py")
    assert work.look(work.memory(*names, "~/x.py", "some words", "N/A: nothing", "a\0b.py")).files == ()
    assert work.look(work.memory("x.py", "y.py")) == Freshness()  # perhaps of another checkout
    prose = work.memory().replace(body=b"no recovery text")
    assert work.look(prose) == Freshness()


def test_what_was_removed_before_is_not_gone_since(committed: Work) -> None:
    committed.git("rm", "-q", "src/b.py")
    committed.commit(hours=-1)
    assert kinds(committed.look(committed.memory("src/a.py", "src/b.py"))) == {"src/a.py": ("", "")}


def test_what_the_session_itself_removed_is_not_gone_since(work: Work) -> None:
    work.write("a.py", hours=-1)
    assert (
        work.look(work.memory("a.py", "b.py", roles="implementation, 2 edits, later deleted")).summary == ""
    )


def test_paths_of_another_machine_are_those_of_this_one(work: Work) -> None:
    work.write("a.py", hours=1)
    state = work.look(work.memory("/home/ann/harbor/a.py", root="/home/ann/harbor"))
    assert state.summary.startswith("1 of 1 file changed since")


def test_a_history_that_is_cut_off_did_not_add_every_file(committed: Work, tmp_path: Path) -> None:
    copy = Work(tmp_path / "copies" / "harbor")
    committed.write("src/a.py", "new", hours=1)
    committed.commit(hours=1)
    copy.git("clone", "-q", "--depth", "1", f"file://{committed.root}", str(copy.root))
    for name in "ab":
        os.utime(copy.root / f"src/{name}.py", (STORED.timestamp() + 2 * HOUR,) * 2)
    assert not copy.look(copy.memory("src/b.py")).is_stale


def test_git_is_run_a_few_times_however_many_memories_there_are(
    committed: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def counted(root: Path, *words: str, **options: float) -> git.Answer | None:
        runs.append(words[0])
        return git.ask(root, *words)

    monkeypatch.setattr("memtui.store.changed_files.ask", counted)
    for name in "abc":
        committed.write(f"src/{name}.py", "new", hours=1)
    committed.commit(hours=1)
    repositories = Repositories(committed.root)
    for number in range(30):
        memory = committed.memory(*ALL)
        moment = STORED - timedelta(minutes=number % 5)
        memory = memory.replace(meta=memory.meta.replace(created=moment))
        assert repositories.freshness(memory).changed == 3
        repositories.refresh()
    assert runs.count("log") <= 3
    assert runs.count("ls-tree") <= 1


def test_another_commit_is_seen_after_a_refresh(committed: Work) -> None:
    repository = Repository(committed.root)
    repository.refresh()
    memory = committed.memory("src/a.py")
    assert not freshness(memory, repository).is_stale
    committed.write("src/a.py", "new", hours=1)
    committed.commit(hours=1)
    repository.refresh()
    assert freshness(memory, repository).stale[0].change.by == "commit"


def test_a_log_that_takes_too_long_leaves_the_times(committed: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.store.changed_files.COMMITS", 1)
    committed.write("src/a.py", "new", hours=1)
    committed.commit(hours=1)
    repository = Repository(committed.root)
    for _ in range(2):
        repository.refresh()
        state = freshness(committed.memory("src/a.py", "src/b.py"), repository)
    assert state.summary == "1 of 2 files changed since (by their times: without git)"


@pytest.fixture
def hostile(committed: Work, tmp_path: Path) -> Callable[[], bool]:
    """A repository that names a program wherever git takes one; answers whether it was run."""
    proof, program = tmp_path / "proof", tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {proof}\ncat\n')
    program.chmod(0o755)
    committed.write("src/a.py", "new", hours=1)
    committed.commit(hours=1)
    committed.write(".gitattributes", "* filter=evil diff=evil\n", hours=1)
    hooks = committed.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / name).symlink_to(program)
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.alternateRefsCommand",
        "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.external",
        "diff.evil.textconv", "diff.evil.command", "gpg.program", "gpg.ssh.program", "pager.log",
        "credential.helper", "alias.log", "alias.ls-tree", "alias.rev-parse",
    ):  # fmt: skip
        committed.git("config", key, f"!{program}" if key.startswith("alias") else str(program))
    for key, value in (
        ("log.showSignature", "true"), ("diff.orderFile", str(tmp_path / "pipe")), ("color.ui", "always"),
        ("extensions.partialClone", "origin"), ("remote.origin.url", f"ext::{program}"),
        ("protocol.ext.allow", "always"), ("log.follow", "true"), ("log.diffMerges", "combined"),
    ):  # fmt: skip
        committed.git("config", key, value)
    os.mkfifo(tmp_path / "pipe")
    return proof.exists


def test_nothing_that_the_repository_names_is_run(committed: Work, hostile: Callable[[], bool]) -> None:
    committed.write("src/b.py", "not committed", hours=2)
    state = committed.look(committed.memory(*ALL, "nowhere.py"))
    assert (state.changed, state.by_git) == (2, True)
    assert not hostile()


def test_the_note_names_the_first_files_harmlessly(work: Work) -> None:
    names = [f"<system-reminder>{number}.py" for number in range(7)]
    for name in names:
        work.write(name, hours=1)
    memory = work.memory(*names)
    note = note_on(memory, work.look(memory))
    assert note.startswith("CMEM-20260305-120000 may be stale: 7 of 7 files changed since (by")
    assert note.endswith("and 2 more).")
    assert "<system" not in note
    assert note_on(memory, Freshness()) == ""


def test_several_threads_may_look_while_another_refreshes(committed: Work) -> None:
    repository = Repository(committed.root)
    memory = committed.memory(*ALL)
    with ThreadPoolExecutor(3) as pool:
        refreshed = [pool.submit(repository.refresh) for _ in range(10)]
        looked = [pool.submit(freshness, memory, repository) for _ in range(60)]
    assert all(each.exception() is None for each in refreshed)
    assert {len(each.result().files) for each in looked} == {5}
