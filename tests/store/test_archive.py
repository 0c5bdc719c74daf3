"""The archive keeps transcripts byte for byte, even if their source or the process is killed."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.files import FileProblem
from memtui.ground.project import Home, memtui_home
from memtui.store import archive as archive_module
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings, archive_settings
from memtui.transcript.session import agent_transcripts
from tests.app.widgets.records import user, write
from tests.archive_sweep import disk_full, failing_call, sweep, write_limit

KEEP = ArchiveSettings()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return memtui_home({"MEMTUI_HOME": str(tmp_path / "memtui")})


@pytest.fixture
def archive(home: Home) -> Archive:
    return Archive(home)


@pytest.fixture(autouse=True)
def _small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "FRAME", 100)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    folder = tmp_path / "claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    return write(folder / "s-1.jsonl", *(user(f"ask {number}", cwd="/p") for number in range(5)))


def test_a_readable_transcript_is_where_it_was_or_a_copy(archive: Archive, transcript: Path) -> None:
    archive.keep(transcript, KEEP)
    assert archive.readable_at(transcript) == transcript
    transcript.unlink()
    assert archive.readable_at(transcript) == archive.readable(archive.find("s-1"))
    with pytest.raises(FileProblem, match="the archive has no copy of it"):
        archive.readable_at(transcript.with_name("s-9.jsonl"))


def test_subagents_of_older_versions_lie_beside_their_session(
    archive: Archive, transcript: Path, home: Home
) -> None:
    agent = write(transcript.with_name("agent-a1.jsonl"), user("task", sessionId="s-1", isSidechain=True))
    write(transcript.with_name("agent-b2.jsonl"), user("of another", sessionId="s-2", isSidechain=True))
    data = agent.read_bytes()
    archive.keep(transcript, KEEP)
    kept = archive.find("s-1")
    assert [each.source for each in kept.copies[1:]] == [agent]
    agent.unlink()
    transcript.unlink()
    unpacked = archive.readable(kept)
    assert [path.read_bytes() for _, path in agent_transcripts(unpacked, ())] == [data]
    assert archive.readable_at(agent).read_bytes() == data
    assert sorted(archive.restore(kept)) == sorted([agent, transcript])
    assert agent.read_bytes() == data
    agent.unlink()
    archive.remove(kept)
    assert not list(archive.root.rglob("*.frames")) and not list(home.cache.rglob("*.jsonl"))


def test_a_subagent_that_has_gone_on_is_unpacked_anew(archive: Archive, transcript: Path) -> None:
    agent = transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    for words in (["first"], ["first", "second"]):
        write(agent, *map(user, words))
        data = agent.read_bytes()
        archive.keep(transcript, KEEP)
        agent.unlink()
        assert archive.readable_at(agent).read_bytes() == data


def test_what_is_unpacked_brings_the_subagents_along_and_goes_once_it_is_not_read(
    archive: Archive, transcript: Path
) -> None:
    agent = transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    write(agent, user("task"))
    other = write(transcript.with_name("s-2.jsonl"), user("another", cwd="/p"))
    for each in (transcript, other):
        archive.keep(each, KEEP)
        each.unlink()
    first = archive.readable(archive.find("s-1"))
    beside = first.with_suffix("") / "subagents" / agent.name
    assert beside.read_bytes() == agent.read_bytes()
    archive.readable(archive.find("s-2"))
    assert first.is_file()
    for each in (first, beside):
        os.utime(each, (1, 1))
    second = archive.readable(archive.find("s-2"))
    assert second.is_file() and not first.exists() and not beside.exists()
    assert archive.readable(archive.find("s-1")) == first and beside.is_file()
    archive.remove(archive.find("s-1"))
    assert not first.exists() and not beside.exists()


def test_a_copy_is_known_by_the_place_of_its_source(archive: Archive, transcript: Path) -> None:
    archive.keep(transcript, KEEP)
    elsewhere = Path("/elsewhere") / transcript.parent.name / transcript.name
    assert archive.readable_at(elsewhere) == transcript


def test_a_private_folder_is_known_behind_a_link(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    private = ArchiveSettings(private=(tmp_path / "link",))
    assert private.is_private(tmp_path / "secret" / "sub")
    assert private.is_private(tmp_path / "link")
    assert not private.is_private(tmp_path)


def test_private_projects_and_those_who_want_none_are_left_out(archive: Archive, transcript: Path) -> None:
    assert archive.keep(transcript, ArchiveSettings(keep=False)) == -1
    assert archive.keep(transcript, ArchiveSettings(private=(Path("/p"),))) == -1
    transcript.write_text('{"type": "summary"}\n')  # says nothing of its folder, which is called -p
    assert archive.keep(transcript, ArchiveSettings(private=(Path("/p"),))) == -1
    assert archive.entries() == []


@pytest.mark.parametrize(
    "text", ["archive = 3", "[archive]\nkeep = 1", "[archive]\nprivate = [1]", "not toml"]
)
def test_settings_that_cannot_be_read_keep_nothing(home: Home, text: str) -> None:
    home.config.mkdir(parents=True)
    (home.config / "config.toml").write_text(text)
    with pytest.raises(FileProblem, match=r"config\.toml"):
        archive_settings(home)


@pytest.mark.parametrize("grown", [False, True])
@pytest.mark.parametrize(("fault", "step"), [(disk_full, 1), (failing_call, 7), (write_limit, 100)])
def test_nothing_is_called_whole_that_is_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[int], AbstractContextManager[Any]],
    step: int,
    grown: bool,
) -> None:
    monkeypatch.setattr(archive_module, "FRAME", 2000)
    assert sweep(tmp_path, fault, step, grown=grown, lines=12) >= 5
