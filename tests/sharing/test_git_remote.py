"""The remote that git carries: the contract, and what a hostile repository may hold."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memtui.sharing.git_remote import GitRemote
from memtui.sharing.remote import RemoteProblemError
from tests.sharing.contract import Opener, RemoteContract, everything, place_of
from tests.sharing.records import outgoing, record


def git(*arguments: str, folder: Path, data: str = "") -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**environment, **who}, input=data, capture_output=True,
        text=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    hub = tmp_path / "hub"
    hub.mkdir()
    git("init", "--quiet", "--bare", "--initial-branch=main", folder=hub)
    return hub


@pytest.fixture
def machines(hub: Path, tmp_path: Path) -> Opener:
    return lambda name: GitRemote(str(hub), tmp_path / "here" / f"{name}.git", author="ann", machine=name)


class TestGitRemote(RemoteContract):
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
    with pytest.raises(RemoteProblemError, match="something else"):
        machines("laptop-1a2b").set_up()


def test_a_newer_schema_is_refused(hub: Path, machines: Opener) -> None:
    laptop = machines("laptop-1a2b")
    laptop.set_up()
    add_by_hand(hub, ("100644", "memtui.json", b'{"memtui": 2}'))
    with pytest.raises(RemoteProblemError, match="newer memtui"):
        laptop.put([outgoing(record())])


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
