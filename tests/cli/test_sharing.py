"""``memtui remote``, ``share`` and ``sync``: two homes on one machine, through a bare repository."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.ground.clock import system_clock
from memtui.ground.project import memtui_home
from memtui.store.memories import MemoryStore
from tests.cli.conftest import Memtui
from tests.share.conftest import hub as hub


def test_a_memory_goes_from_one_home_to_another(
    memtui: Memtui, hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memtui("remote", "check").out == "No remote yet: memtui remote add NAME URL.\n"
    assert memtui("sync", "--json").out == "[]\n"
    text = tmp_path / "text.md"
    text.write_text("## Objective\nFix the cart\n")
    memory_id = json.loads(memtui("memory", "import", str(text)).out)["id"]
    memtui("remote", "add", "team", str(hub))
    assert memtui("remote", "list").out == f"team\twhat you share\t{hub}\n"
    refused = memtui("remote", "check")
    assert refused.code == 1
    assert refused.out == (
        f"team: {hub} is not set up: memtui remote init team does it · sends what you share · never synced.\n"
    )
    assert memtui("remote", "init", "team").out.startswith("team is set up: 0 memories")
    assert memtui("share", memory_id).out == f"{memory_id} goes to team with the next memtui sync.\n"
    assert "team: sent 1, fetched 0." in memtui("sync").out
    refused = memtui("memory", "delete", memory_id)
    assert refused.code == 1 and "the next sync deletes it for all" in refused.err
    (state,) = (memtui_home().data / "sharing").glob("**/*.json")
    hub.rename(tmp_path / "away")
    assert memtui("remote", "check").out.endswith(" · synced now.\n")
    assert "cannot be used" in json.loads(memtui("sync", "--json").out)["problem"]
    assert "unreachable" in state.read_text()
    (tmp_path / "away").rename(hub)
    assert memtui("remote", "check").code == 0 and "unreachable" not in state.read_text()
    state.write_text("broken")
    assert "shared with others, perhaps (" in memtui("memory", "delete", memory_id).err
    assert memtui("memory", "delete", memory_id, "--yes").code == 0

    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "other"))
    memtui("remote", "add", "team", str(hub))
    fetched = json.loads(memtui("sync", "--json").out)
    assert fetched == {"remote": "team", "sent": 0, "fetched": 1, "notes": []}
    shown = json.loads(memtui("memory", "show", memory_id, "--json").out)
    assert shown["text"] == "## Objective\nFix the cart\n"
    assert shown["memory"]["id"].startswith(f"{memory_id}@")
    assert shown["memory"]["author"].endswith("(team)")
    assert "not yours to share" in memtui("share", memory_id).err
    (row,) = json.loads(memtui("remote", "check", "--json").out)
    assert (row["name"], row["sync"], row["problem"]) == ("team", "shared", "")
    assert row["found"].startswith("1 memory, last change by ")
    assert row["synced"]
    assert memtui("remote", "remove", "team").out == f"Removed team: {hub} itself stays as it is.\n"
    assert memtui("sync").code == 1


def test_a_memory_is_forgotten_everywhere(
    memtui: Memtui, hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "text.md"
    text.write_text("## Objective\nwords to forget\n")
    memory_id = json.loads(memtui("memory", "import", str(text)).out)["id"]
    memtui("remote", "add", "team", str(hub))
    memtui("remote", "init", "team")
    assert "was not shared" in memtui("remote", "forget", memory_id, "--yes").err
    memtui("share", memory_id)
    memtui("sync")
    hub.rename(tmp_path / "away")
    failed = memtui("remote", "forget", memory_id, "--yes")
    assert failed.code == 1
    assert failed.err == (
        f"team: {hub} cannot be used: there is no such folder; nothing was removed there.\n"
        f"memtui: nothing more of {memory_id} is sent; the same command removes the rest.\n"
    )
    (tmp_path / "away").rename(hub)
    done = memtui("remote", "forget", memory_id, "--yes")
    assert done.code == 0
    assert "git filter-branch" in done.out
    assert memory_id not in memtui("memory", "list", "--all").out
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "other"))
    memtui("remote", "add", "team", str(hub))
    assert memtui("sync").code == 0
    assert memory_id not in memtui("memory", "list", "--all").out


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id",
        "--upload-pack=id",
        "https://ann:word@host/x.git",
        "postgresql://ann:word@host/x",
        "a b",
    ],
)
def test_an_address_that_runs_something_or_holds_a_password_is_refused(memtui: Memtui, url: str) -> None:
    assert memtui("remote", "add", "team", "--", url).code == 1
    assert memtui("remote", "check").out.startswith("No remote yet")


def test_a_broken_list_of_remotes_is_named(memtui: Memtui) -> None:
    path = memtui_home().config / "remotes.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"team": {"url": 3}}')
    result = memtui("sync")
    assert result.code == 1
    assert str(path) in result.err


def test_a_remote_out_of_reach_keeps_none_of_the_others_waiting(memtui: Memtui, hub: Path) -> None:
    for path in ("/nowhere/at/all", "file:///nowhere/at/all", "~nosuchuser/x"):
        assert f"{path.removeprefix('file://')} is no folder" in memtui("remote", "add", "away", path).err
    (folder := hub.with_name("away.git")).mkdir()
    assert f"{folder} is no repository" in memtui("remote", "add", "away", str(folder)).err
    (head := folder / "HEAD").touch()
    assert memtui("remote", "add", "away", str(away := hub.with_name("away"))).code == 0
    head.unlink()
    folder.rmdir()
    memtui("remote", "add", "team", str(hub))
    memtui("remote", "init", "team")
    result = memtui("sync")
    assert result.code == 1
    (said,) = result.err.splitlines()
    assert said.startswith(f"away: {away} cannot be used")
    assert "team: sent 0, fetched 0" in result.out


def test_equal_ids_are_asked_for_by_their_machine(memtui: Memtui) -> None:
    store = MemoryStore(memtui_home(), system_clock)
    moment = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
    mine = "CMEM-20260102-101500"
    for machine, author in (("desk-9f", "bob (team)"), ("laptop-1a", "ann (team)")):
        text = f"## Objective\nOf the {machine}\n".encode()
        store.create(text, author=author, id=f"{mine}@{machine}", created=moment)
    for command in (("memory", "show", mine), ("restore", "--id", mine)):
        refused = memtui(*command)
        assert refused.code == 1
        assert f"{mine}@laptop-1a by ann (team), {mine}@desk-9f by bob (team)" in refused.err
        assert "Of the laptop-1a" in memtui(*command[:-1], f"{mine}@laptop-1a").out
    store.create(b"## Objective\nMy own\n", id=mine, created=moment)
    for command in (("memory", "show", mine), ("restore", "--id", mine)):
        assert "My own" in memtui(*command).out
