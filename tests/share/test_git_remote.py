"""The remote in git: the contract, and hostile repositories."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from memtui.share import git_program, git_records, git_remote
from memtui.share.git_program import Git, GitFailedError
from memtui.share.git_remote import GitRemote
from memtui.share.remote import RemoteProblemError, Trouble
from tests.share.contract import Opener, RemoteContract, everything, place_of
from tests.share.records import outgoing, record
from tests.share.repository import git


@pytest.fixture
def machines(hub: Path, tmp_path: Path) -> Opener:
    return lambda name: GitRemote(str(hub), tmp_path / "here" / f"{name}.git", author="ann", machine=name)


class TestGitRemote(RemoteContract):
    batching = git_records

    @pytest.fixture
    def machines(self, machines: Opener) -> Opener:
        return machines


def add_by_hand(hub: Path, *entries: tuple[str, str, bytes | str]) -> None:
    """Add entries to the tree as a hostile program may: mode, path, and content or commit."""
    lines = []
    for mode, path, content in entries:
        blob = content if isinstance(content, str) else _blob(hub, content)
        lines.append(f"{mode} {blob}\t{path}")
    kept = git("ls-tree", "-r", "main", folder=hub).replace(" blob ", " ")
    environment = {"GIT_INDEX_FILE": str(hub / "by-hand")}
    os.environ.update(environment)
    subprocess.run(
        ["git", "update-index", "--index-info"], cwd=hub, check=True, timeout=60,
        input="\n".join([*kept.splitlines(), *lines]) + "\n", text=True,
    )  # fmt: skip
    tree = subprocess.run(
        ["git", "write-tree", "--missing-ok"], cwd=hub, check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()
    del os.environ["GIT_INDEX_FILE"]
    commit = git("commit-tree", tree, "-p", "main", "-m", "by hand", folder=hub)
    git("update-ref", "refs/heads/main", commit, folder=hub)


def _blob(hub: Path, content: bytes) -> str:
    return git("hash-object", "-w", "--stdin", folder=hub, data=content.decode())


def test_links_large_files_and_other_names_are_passed_over(hub: Path, machines: Opener) -> None:
    laptop, desk = machines("laptop-1a2b"), machines("desk-3c4d")
    laptop.set_up()
    good, link, large = (outgoing(record(number)) for number in range(3))
    laptop.put([good])
    add_by_hand(
        hub,
        ("120000", f"shop/2026-01/{link.name}", b"/etc/passwd"),
        ("100644", f"shop/2026-01/{large.name}", b"x" * (5 << 20)),
        ("100644", "shop/2026-01/notes.md", b"hello"),
        ("100644", ".gitattributes", b"* filter=evil\n"),
    )
    assert everything(desk) == {good.name: good.data}
    assert sum(batch.passed_over for batch in desk.since("")) == 1


def test_hooks_of_a_folder_are_not_run(hub: Path, machines: Opener, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        hook = hub / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)
    laptop = machines("laptop-1a2b")
    laptop.set_up()
    laptop.put([outgoing(record())])
    assert not ran.exists()
    assert len(everything(machines("desk-3c4d"))) == 1


def test_a_repository_of_something_else_is_refused(hub: Path, machines: Opener) -> None:
    tree = git("mktree", folder=hub, data="")
    commit = git("commit-tree", tree, "-m", "code", folder=hub)
    git("update-ref", "refs/heads/main", commit, folder=hub)
    with pytest.raises(RemoteProblemError, match="something else"):
        machines("laptop-1a2b").check()
    with pytest.raises(RemoteProblemError, match="something else") as raised:
        machines("laptop-1a2b").set_up()
    assert raised.value.trouble is Trouble.FOREIGN


def test_a_newer_schema_is_refused(hub: Path, machines: Opener) -> None:
    laptop = machines("laptop-1a2b")
    laptop.set_up()
    add_by_hand(hub, ("100644", "memtui.json", b'{"memtui": 2}'))
    with pytest.raises(RemoteProblemError, match="newer memtui") as raised:
        laptop.put([outgoing(record())])
    assert raised.value.trouble is Trouble.NEEDS_NEWER


@pytest.mark.parametrize("about", [b'{"memtui": 1e999}', b"[" * 4000, b"1" * (1 << 20)])
def test_a_hostile_schema_is_refused(hub: Path, machines: Opener, about: bytes) -> None:
    laptop = machines("laptop-1a2b")
    laptop.set_up()
    add_by_hand(hub, ("100644", "memtui.json", about))
    with pytest.raises(RemoteProblemError, match="something else"):
        laptop.check()


def test_a_rewritten_history_is_read_anew(hub: Path, machines: Opener) -> None:
    laptop, desk = machines("laptop-1a2b"), machines("desk-3c4d")
    laptop.set_up()
    laptop.put([outgoing(record(1))])
    place = place_of(desk)
    git("update-ref", "refs/heads/main", git("rev-parse", "main~1", folder=hub), folder=hub)
    laptop.put([outgoing(record(2))])
    assert [name[14:20] for name in everything(desk, place)] == ["000002"]


@pytest.mark.parametrize("url", ["/nowhere/at/all", "https://localhost:1/x.git"])
def test_one_out_of_reach_says_so_in_a_sentence(url: str, tmp_path: Path) -> None:
    with pytest.raises(RemoteProblemError, match=r"^\S+ cannot be used: ") as raised:
        GitRemote(url, tmp_path / "x.git", author="ann", machine="laptop").check()
    assert "\n" not in str(raised.value)
    assert raised.value.trouble is Trouble.UNREACHABLE


def test_a_host_that_refuses_the_key_is_not_called_unreachable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuses = "echo 'git@host: Permission denied (publickey).' >&2; exit 255;"
    monkeypatch.setenv("GIT_SSH_COMMAND", refuses)
    with pytest.raises(RemoteProblemError) as raised:
        GitRemote("git@host:x.git", tmp_path / "x.git", author="ann", machine="laptop").check()
    assert raised.value.trouble is Trouble.NO_PERMISSION


def test_one_that_does_not_answer_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "sleep 60 #")  # it keeps the output open when git is killed
    remote = GitRemote("ann@host:x.git", tmp_path / "x.git", author="ann", machine="laptop")
    remote._git._seconds = 0.5
    remote._git.make()
    started = time.monotonic()
    with pytest.raises(RemoteProblemError, match="did not answer within"):
        remote.check()
    assert time.monotonic() - started < 30


def test_configured_programs_are_not_run_on_fetched_data(
    hub: Path, machines: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "reference-transaction", "post-checkout", "fsmonitor"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    config = (
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {hooks}/fsmonitor\n"
        f'[filter "evil"]\n\tsmudge = touch {ran}\n\tclean = touch {ran}\n\trequired = true\n'
        f'[protocol "ext"]\n\tallow = always\n[submodule]\n\trecurse = true\n'
    )
    laptop, desk = machines("laptop-1a2b"), machines("desk-3c4d")
    laptop.set_up()
    good = outgoing(record())
    laptop.put([good])
    add_by_hand(
        hub,
        ("100644", ".gitattributes", b"* filter=evil diff=evil\n"),
        ("100644", ".gitmodules", b'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ran\n'),
        ("160000", "x", git("rev-parse", "main", folder=hub)),
        ("100644", ".lfsconfig", b"[lfs]\n\turl = http://localhost:1/\n"),
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(config)
    assert everything(desk) == {good.name: good.data}
    laptop.put([outgoing(record(1))])
    assert not ran.exists()
    git("update-ref", "refs/heads/other", "main", folder=hub)  # without our care they do run
    assert ran.exists()


def test_names_that_climb_or_control_a_terminal_are_no_records(hub: Path, machines: Opener) -> None:
    laptop, desk = machines("laptop-1a2b"), machines("desk-3c4d")
    laptop.set_up()
    good, other = outgoing(record()), outgoing(record(1))
    laptop.put([good])
    # Git refuses `..` in an index, so the tree is written as a hostile program would.
    blob = _blob(hub, other.data)
    inner = git("mktree", folder=hub, data=f"100644 blob {blob}\t{other.name}\n")
    kept = git("ls-tree", "main", folder=hub)
    tree = git("mktree", folder=hub, data=f"{kept}\n040000 tree {inner}\t\x1b[2Jshop\n")
    commit = git("commit-tree", tree, "-p", "main", "-m", "by hand", folder=hub)
    git("update-ref", "refs/heads/main", commit, folder=hub)
    assert everything(desk) == {good.name: good.data, other.name: other.data}
    write = ("hash-object", "-t", "tree", "-w", "--stdin", "--literally")
    climbing = git(*write, folder=hub, raw=_tree(b"..", inner))
    commit = git("commit-tree", climbing, "-p", "main", "-m", "climbs", folder=hub)
    git("update-ref", "refs/heads/main", commit, folder=hub)
    with pytest.raises(RemoteProblemError, match=r"cannot be used: .*'\.\.'"):
        everything(machines("third-5e6f"))


def test_texts_in_folders_that_were_renamed_by_hand_are_removed(hub: Path, machines: Opener) -> None:
    laptop = machines("laptop-1a2b")
    laptop.set_up()
    made, gone = outgoing(record()), outgoing(record(body=b"", kind="marks", deleted=True))
    folder = 'My "shop"\n\\ of caf\u00e9s'
    blob = git("hash-object", "-w", "--stdin", folder=hub, data=made.data.decode())
    month = git("mktree", "-z", folder=hub, data=f"100644 blob {blob}\t{made.name}\0")
    kept = git("ls-tree", "-z", "main", folder=hub)
    tree = git("mktree", "-z", folder=hub, data=f"{kept}040000 tree {month}\t{folder}\0")
    commit = git("commit-tree", tree, "-p", "main", "-m", "by hand", folder=hub)
    git("update-ref", "refs/heads/main", commit, folder=hub)
    assert list(everything(laptop)) == [made.name]
    laptop.erase(record().memory, gone)
    assert list(everything(machines("desk-3c4d"))) == [gone.name]


def _tree(name: bytes, tree: str) -> bytes:
    return b"40000 " + name + b"\0" + bytes.fromhex(tree)


def test_a_file_of_a_gigabyte_and_very_many_files_are_bounded(
    hub: Path, machines: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = machines("laptop-1a2b"), machines("desk-3c4d")
    laptop.set_up()
    laptop.put([outgoing(record(number)) for number in range(5)])
    with monkeypatch.context() as patch:
        patch.setattr(git_records, "_MOST_FILES", 3)
        assert len(everything(desk)) <= 3
    large = outgoing(record(7))
    add_by_hand(hub, ("100644", f"shop/2026-01/{large.name}", os.urandom(1 << 21).hex().encode()))
    monkeypatch.setattr(git_program, "_MOST_BLOCKS", 1 << 11)
    with pytest.raises(RemoteProblemError, match="cannot be used"):
        everything(machines("third-5e6f"))


def test_a_remote_that_cannot_be_written_says_so(hub: Path, machines: Opener) -> None:
    laptop = machines("laptop-1a2b")
    laptop.set_up()
    git("config", "receive.denyNonFastForwards", "true", folder=hub)
    git("config", "receive.maxInputSize", "1", folder=hub)  # as a host with a quota does
    with pytest.raises(RemoteProblemError, match=r"cannot be used: .") as raised:
        laptop.put([outgoing(record())])
    assert "\n" not in str(raised.value)
    assert everything(laptop) == {}


def test_locks_that_killed_processes_left_are_removed(
    hub: Path, machines: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_program, "_HELD_SECONDS", 0.05)
    monkeypatch.setattr(git_remote, "_HELD_SECONDS", 0.05)
    laptop, desk = machines("laptop-1a2b"), machines("desk-3c4d")
    laptop.set_up()
    laptop.put([outgoing(record(1))])
    own = tmp_path / "here" / "desk-3c4d.git" / "refs"
    assert len(everything(desk)) == 1
    laptop.put([outgoing(record(2))])
    (own / "memtui").mkdir()
    locks = [own / "remotes/origin/main.lock", own / "memtui/outgoing.lock", hub / "refs/heads/main.lock"]
    for lock in locks:
        lock.touch()
    desk.put([outgoing(record(3))])
    assert len(everything(desk)) == 3
    assert not any(lock.exists() for lock in locks)


def test_a_lock_that_somebody_holds_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, other = tmp_path / "x.git", tmp_path / "other.lock"
    folder.mkdir()
    other.touch()
    said = b"fatal: Unable to create '%s': File exists."
    assert not git_program.release(said % bytes(other), folder, 0.0)
    assert other.exists()
    mine = folder / "HEAD.lock"
    mine.touch()
    monkeypatch.setattr(time, "sleep", lambda _: mine.write_text("held by another one now"))
    assert git_program.release(said % bytes(mine), folder, 60.0)
    assert mine.exists()


def test_a_lock_that_cannot_be_removed_is_no_reason_to_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "x.git"
    folder.mkdir()
    lock = folder / "HEAD.lock"
    lock.touch()
    monkeypatch.setattr(Path, "unlink", _refuse)
    assert not git_program.release(b"fatal: Unable to create '%s': File exists." % bytes(lock), folder, 0.0)


@pytest.mark.parametrize("name", ["tempfile.TemporaryFile", "subprocess.Popen"])
def test_missing_resources_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(name, _refuse)
    reading = Git(tmp_path / "x.git").reading("version")
    with pytest.raises(GitFailedError, match="git cannot be run: Permission denied"), reading:
        raise AssertionError


def test_a_git_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\nexec {shutil.which('sleep')} 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    reading = Git(tmp_path / "x.git", seconds=0.01).reading("version")
    with pytest.raises(GitFailedError, match="it did not answer"), reading:
        pass


def test_a_full_disk_here_is_not_taken_for_another_kind_of_remote(
    machines: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = machines("laptop-1a2b")
    laptop.set_up()
    monkeypatch.setattr("tempfile.TemporaryFile", _refuse)
    with pytest.raises(RemoteProblemError, match="git cannot be run"):
        laptop.check()


def _refuse(*_: object, **__: object) -> None:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def test_a_repository_that_was_made_by_halves_is_made_again(hub: Path, tmp_path: Path) -> None:
    here = tmp_path / "laptop.git"
    for half in (here, here.with_name("laptop.git.new")):
        half.mkdir()
        (half / "config.lock").touch()
    GitRemote(str(hub), here, author="ann", machine="laptop").set_up()
    assert not (here / "config.lock").exists()
