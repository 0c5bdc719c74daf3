"""git as a remote: folders and repositories that others prepared, hosts that refuse, locks that were left."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.share import git as module
from memtui.share.contract import RemoteProblemError
from memtui.share.git import GitRemote
from tests.share.machines import documents
from tests.share.repository import git
from tests.share.test_contract import KEY, OTHER, document

Opener = Callable[[str], GitRemote]


@pytest.fixture
def machines(hub: Path, tmp_path: Path) -> Opener:
    return lambda name: GitRemote(str(hub), tmp_path / "here" / f"{name}.git", author="ann", machine=name)


@pytest.fixture
def laptop(machines: Opener) -> GitRemote:
    laptop = machines("laptop")
    laptop.set_up()
    laptop.heads()
    laptop.write({KEY: document()})
    return laptop


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """A file that exists when a command was run."""
    return tmp_path / "ran"


def script(path: Path, ran: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {ran}\nexit 0\n")
    path.chmod(0o755)
    return path


def configured(hub: Path, *pairs: tuple[str, str]) -> None:
    for key, value in pairs:
        git("config", key, value, folder=hub)


def command_for_alternates(hub: Path, ran: Path) -> None:
    alternate(hub, ran)
    configured(hub, ("core.alternateRefsCommand", f"touch {ran};:"))


def promisor(hub: Path, ran: Path) -> None:
    configured(hub, ("remote.x.promisor", "true"), ("remote.x.url", f"ext::touch {ran}"))
    configured(hub, ("protocol.ext.allow", "always"))


def hooks_elsewhere(hub: Path, ran: Path) -> None:
    configured(hub, ("core.hooksPath", str(script(hub / "h/update", ran).parent)))


def linked(name: str) -> Callable[[Path, Path], None]:
    def link(hub: Path, ran: Path) -> None:
        shutil.move(hub / name, ran.parent / name)
        (hub / name).symlink_to(ran.parent / name)

    return link


def fifo(hub: Path, ran: Path) -> None:
    (hub / "config").unlink()
    os.mkfifo(hub / "config")


def alternate(hub: Path, ran: Path) -> None:
    other = hub.with_name("other")
    git("init", "--quiet", "--bare", str(other), folder=hub)
    (hub / "objects/info").mkdir(exist_ok=True)
    (hub / "objects/info/alternates").write_text(f"{other}/objects\n")


def work_tree(hub: Path, ran: Path) -> None:
    """A repository that updates its own files at a push, by a filter."""
    tree = hub.with_name("tree")
    configured(hub, ("core.bare", "false"), ("core.worktree", str(tree)), ("filter.x.smudge", f"touch {ran}"))
    configured(hub, ("receive.denyCurrentBranch", "updateInstead"))


_HOSTILE: dict[str, Callable[[Path, Path], object]] = {
    "alternateRefsCommand": command_for_alternates,
    "alternates": alternate,
    "updateInstead": work_tree,
    "fsmonitor": lambda hub, ran: configured(hub, ("core.fsmonitor", str(script(hub / "x", ran)))),
    "include": lambda hub, ran: configured(hub, ("include.path", "more")),
    "promisor": promisor,
    "hooksPath": hooks_elsewhere,
    "packObjectsHook": lambda hub, ran: configured(hub, ("uploadpack.packObjectsHook", f"touch {ran};")),
    "commondir": lambda hub, ran: (hub / "commondir").write_text("../other\n"),
    "logs": lambda hub, ran: script(hub / "logs/HEAD", ran),
    "refs": linked("refs"),
    "config": linked("config"),
    "inner": lambda hub, ran: git("init", "--quiet", "--bare", str(hub / ".git"), folder=hub),
    "fifo": fifo,
}


@pytest.mark.parametrize("way", _HOSTILE)
def test_a_hostile_folder_runs_nothing_and_is_named_in_a_sentence(
    hub: Path, machines: Opener, laptop: GitRemote, ran: Path, way: str
) -> None:
    _HOSTILE[way](hub, ran)
    for remote in (laptop, machines("desk")):
        for use in (remote.heads, remote.set_up, remote.check):
            with pytest.raises(RemoteProblemError, match=r"could run commands|no bare repository") as raised:
                use()
            assert "\n" not in str(raised.value)
        with pytest.raises(RemoteProblemError):
            remote.write({OTHER: document()})
    assert not ran.exists()


def test_hooks_of_a_folder_are_not_run(hub: Path, machines: Opener, laptop: GitRemote, ran: Path) -> None:
    for name in (
        "pre-receive",
        "update",
        "post-receive",
        "post-update",
        "reference-transaction",
        "push-to-checkout",
    ):
        script(hub / "hooks" / name, ran)
    laptop.write({OTHER: document()})
    assert len(machines("desk").heads()) == 2
    assert not ran.exists()
    git("update-ref", "refs/heads/other", "main", folder=hub)  # without our care they do run
    assert ran.exists()


def add(hub: Path, *entries: tuple[str, str, bytes | str]) -> None:
    """Add entries to the tree as a hostile program may: mode, path, and content or the object's name."""
    lines = git("ls-tree", "-r", "main", folder=hub).replace(" blob ", " ").splitlines()
    for mode, path, content in entries:
        blob = (
            content
            if isinstance(content, str)
            else git("hash-object", "-w", "--stdin", folder=hub, raw=content)
        )
        lines.append(f"{mode} {blob}\t{path}")
    git("read-tree", "--empty", folder=hub)
    git("update-index", "--index-info", folder=hub, data="\n".join(lines) + "\n")
    commit(hub, git("write-tree", "--missing-ok", folder=hub))
    (hub / "index").unlink()


def commit(hub: Path, tree: str) -> None:
    made = git("commit-tree", tree, "-p", "main", "-m", "by hand", folder=hub)
    git("update-ref", "refs/heads/main", made, folder=hub)


def raw_tree(hub: Path, *entries: tuple[bytes, bytes, str]) -> str:
    """Write a tree as no git would: mode, name, object."""
    data = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(object_) for mode, name, object_ in entries)
    return git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", folder=hub, raw=data)


def test_links_large_files_and_other_names_are_passed_over(
    hub: Path, machines: Opener, laptop: GitRemote
) -> None:
    add(
        hub,
        ("120000", "memories/CMEM-20260102-000003@link.md", b"/etc/passwd"),
        ("100644", "memories/CMEM-20260102-000004@large.md", b"x" * (5 << 20)),
        ("100644", "memories/notes.md", b"hello"),
        ("100644", "memories/CMEM-20260102-000005@x/inner.md", b"hello"),
    )
    assert list(documents(machines("desk"))) == [KEY]
    assert laptop.history("CMEM-20260102-000004@large") == []


def test_a_repository_of_too_many_memories_or_too_long_names_is_refused_before_it_is_read(
    hub: Path, machines: Opener, laptop: GitRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = git("hash-object", "-w", "--stdin", folder=hub, data="x")
    about = git("rev-parse", "main:memtui.json", folder=hub)
    long = raw_tree(hub, *((b"100644", b"%07d" % number + b"x" * 4000, blob) for number in range(1000)))
    many = raw_tree(hub, *((b"100644", b"%07d" % number, blob) for number in range(10_001)))
    for tree in (long, many):
        commit(hub, raw_tree(hub, (b"40000", b"memories", tree), (b"100644", b"memtui.json", about)))
        with pytest.raises(RemoteProblemError, match=r"more than 10,000|cannot be used") as raised:
            machines("desk").heads()
        assert "\n" not in str(raised.value)


def test_a_repository_of_something_else_is_refused(hub: Path, machines: Opener) -> None:
    made = git("commit-tree", git("mktree", folder=hub, data=""), "-m", "code", folder=hub)
    git("update-ref", "refs/heads/main", made, folder=hub)
    for use in (machines("laptop").check, machines("laptop").set_up):
        with pytest.raises(RemoteProblemError, match="something else") as raised:
            use()
        assert raised.value.trouble == "not memtui's"


@pytest.mark.parametrize(
    ("about", "said"),
    [
        (b'{"memtui": 3}', "newer memtui"),
        (b'{"memtui": 1}', "older memtui"),
        (b'{"memtui": 1e999}', "something else"),
        (b"[" * 4000, "something else"),
        (b"1" * (1 << 20), "something else"),
    ],
)
def test_other_versions_and_hostile_markers_are_refused(
    hub: Path, machines: Opener, laptop: GitRemote, about: bytes, said: str
) -> None:
    add(hub, ("100644", "memtui.json", about))
    with pytest.raises(RemoteProblemError, match=said):
        machines("desk").heads()


def test_one_out_of_reach_says_so_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RemoteProblemError, match=r"^\S+ cannot be used: ") as raised:
        GitRemote("https://localhost:1/x.git", tmp_path / "x.git", author="ann", machine="laptop").check()
    assert "\n" not in str(raised.value)
    assert raised.value.trouble == "unreachable"


def test_a_host_that_refuses_the_key_is_not_called_unreachable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "echo 'git@host: Permission denied (publickey).' >&2; exit 255;")
    with pytest.raises(RemoteProblemError) as raised:
        GitRemote("git@host:x.git", tmp_path / "x.git", author="ann", machine="laptop").check()
    assert raised.value.trouble == "no permission"


def test_one_that_does_not_answer_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "sleep 60 #")
    monkeypatch.setattr(module, "_SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(RemoteProblemError, match="did not answer within"):
        GitRemote("ann@host:x.git", tmp_path / "x.git", author="ann", machine="laptop").check()
    assert time.monotonic() - started < 30


def test_a_remote_that_cannot_be_written_says_so(hub: Path, laptop: GitRemote) -> None:
    configured(hub, ("receive.maxInputSize", "1"))  # as a host with a quota does
    with pytest.raises(RemoteProblemError, match=r"cannot be used: .") as raised:
        laptop.write({OTHER: document()})
    assert "\n" not in str(raised.value)
    assert list(laptop.heads()) == [KEY]


def test_the_copy_here_is_made_again_when_it_is_broken(
    laptop: GitRemote, machines: Opener, tmp_path: Path
) -> None:
    own = tmp_path / "here" / "desk.git"
    machines("desk").heads()
    laptop.write({OTHER: document()})
    (own / "refs/remotes/origin/main.lock").touch()
    assert len(machines("desk").heads()) == 2
    for path in (own / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"")
    laptop.write({KEY: document(2)})
    assert len(documents(machines("desk"))) == 2
    shutil.rmtree(own / "refs")
    assert len(machines("desk").heads()) == 2
    desk = machines("desk")
    desk.heads()
    shutil.rmtree(own)
    assert len(documents(desk)) == 2


def test_a_lock_that_a_killed_git_left_in_the_folder_is_removed_when_it_is_old(
    hub: Path, laptop: GitRemote
) -> None:
    lock = hub / "refs/heads/main.lock"
    lock.touch()
    assert not laptop.write({OTHER: document()})
    assert lock.exists()
    os.utime(lock, (time.time() - 60,) * 2)
    assert not laptop.write({OTHER: document()})
    assert laptop.write({OTHER: document()})


def test_the_history_is_rewritten_by_the_printed_command(
    hub: Path, laptop: GitRemote, machines: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop.write({KEY: document(2, b"words to forget"), OTHER: document()})
    said = laptop.forget(KEY, document(3, b"", deleted=True, forgotten=True))
    assert "words to forget" in git("log", "-p", "main", folder=hub)
    git("clone", "--quiet", "-b", "main", str(hub), str(tmp_path / "clone"), folder=tmp_path)
    command = said.partition("in a clone: ")[2]
    monkeypatch.setenv("FILTER_BRANCH_SQUELCH_WARNING", "1")
    assert os.system(f"cd {tmp_path}/clone && {command} >/dev/null 2>&1") == 0
    assert "words to forget" not in git("log", "-p", "main", folder=hub)
    found = documents(machines("desk"))
    assert found[KEY].forgotten
    assert found[OTHER].body == b"one"
