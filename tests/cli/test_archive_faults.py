"""Nothing is called whole that is not kept to the last byte, whatever the disk or the source does."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.app.widgets.records import user, write
from tests.cli.conftest import Memtui


@pytest.fixture
def large(transcript: Path) -> bytes:
    """Several frames of a transcript that hardly gets smaller when it is packed; returns the content."""
    noise = random.Random(7)
    write(transcript, *(user(noise.randbytes(60_000).hex()) for _ in range(20)))
    return transcript.read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memtui" / "data" / "archive" / "-p"


def assert_not_called_whole(memtui: Memtui, transcript: Path) -> None:
    """Verify, sessions and doctor do not call the session whole, and restore writes nothing."""
    verified = memtui("archive", "verify")
    assert "1 of 1" not in verified.out
    if verified.out != "0 of 0 sessions are whole.\n":
        assert verified.code == 1 and "✗ incomplete" in verified.err
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert not listed["archived"]
    assert "✓" not in memtui("sessions").out
    assert "whole" not in memtui("doctor").out.replace("not whole", "")
    away = transcript.with_name("away")
    transcript.rename(away)
    restored = memtui("archive", "restore", "session-1")
    assert restored.code == 1 and not transcript.exists()
    assert not list(transcript.parent.glob(".memtui-*"))
    away.rename(transcript)


def assert_completed(memtui: Memtui, transcript: Path) -> None:
    """The next run completes the copy, and it is given back to the last byte."""
    assert memtui("archive").code == 0
    assert memtui("archive", "verify").out == "1 of 1 session is whole.\n"
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert listed["archived"]
    data = transcript.read_bytes()
    transcript.unlink()
    assert memtui("archive", "restore", "session-1").code == 0
    assert transcript.read_bytes() == data


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        ("index", None),
        ("index", lambda data: b""),
        ("index", lambda data: b"".join(data.splitlines(keepends=True)[:2])),
        ("index", lambda data: data.replace(b'"size": 1048576', b'"size": 1048575')),
        ("frames", None),
        ("frames", lambda data: b""),
        ("frames", lambda data: data[: len(data) // 2]),
    ],
)
def test_a_damaged_copy_is_incomplete_and_mended(
    memtui: Memtui, transcript: Path, large: bytes, folder: Path, part: str, damage: Any
) -> None:
    memtui("archive")
    (path,) = folder.parent.rglob(f"*.{part}")
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage(path.read_bytes()))
    assert_not_called_whole(memtui, transcript)
    assert_completed(memtui, transcript)


def test_a_changed_byte_is_found_by_verify_and_doctor_never_restored_and_mended(
    memtui: Memtui, transcript: Path, large: bytes, folder: Path
) -> None:
    memtui("archive")
    (frames,) = folder.parent.rglob("*.frames")
    data = bytearray(frames.read_bytes())
    data[len(data) // 2] ^= 1
    frames.write_bytes(data)
    verified = memtui("archive", "verify")
    assert verified.code == 1 and "✗ incomplete" in verified.err
    assert "is ✗ incomplete" in memtui("doctor").out
    away = transcript.rename(transcript.with_name("away"))
    assert memtui("archive", "restore", "session-1").code == 1 and not transcript.exists()
    away.rename(transcript)
    assert_completed(memtui, transcript)


@pytest.mark.parametrize("damage", [False, True])
@pytest.mark.parametrize("change", [lambda old: old[:2_000_000], lambda old: b"", lambda old: b"{" + old])
def test_a_source_that_got_shorter_or_different_is_a_second_copy(
    memtui: Memtui, transcript: Path, large: bytes, folder: Path, change: Any, damage: bool
) -> None:
    memtui("archive")
    (frames,) = folder.parent.rglob("*.frames")
    packed = frames.read_bytes()
    if damage:
        frames.with_suffix(".index").write_bytes(b"")
    changed = change(large)
    transcript.write_bytes(changed)
    memtui("archive")
    assert frames.read_bytes() == packed
    verified = memtui("archive", "verify")
    assert verified.code == 0
    transcript.unlink()
    restored = memtui("archive", "restore", "session-1")
    assert transcript.read_bytes() == changed and restored.code == 0


def test_a_session_below_two_configuration_folders_is_one(
    memtui: Memtui, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    memtui("archive")
    copies = sorted(folder.parent.rglob("*.frames"))
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "claude", other)
    again = other / transcript.relative_to(tmp_path / "claude")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(other))
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert listed["archived"]
    assert memtui("archive").out.startswith("Kept nothing new")
    write(again, user("more"))
    memtui("archive")
    transcript.unlink()
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert (listed["archived"], listed["path"]) == (True, str(again))
    assert len(json.loads(memtui("archive", "list", "--json").out)) == 1
    assert sorted(folder.parent.rglob("*.frames")) == copies
    data = again.read_bytes()
    again.unlink()
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert memtui("archive", "restore", "session-1").out == f"Restored {again}\n"
    assert again.read_bytes() == data


def test_the_reader_and_the_search_show_nothing_of_a_copy_that_is_not_whole(
    memtui: Memtui, transcript: Path, large: bytes, folder: Path
) -> None:
    memtui("archive")
    (frames,) = folder.parent.rglob("*.frames")
    frames.write_bytes(frames.read_bytes()[:-10])
    transcript.unlink()
    for words in (
        ("transcript", "session-1"),
        ("export", "session-1", "-o", "-"),
        ("transcript", "session-1", "--facts"),
    ):
        read = memtui(*words)
        assert (read.code, read.out) == (1, "") and "✗ incomplete" in read.err
    found = memtui("search", "the answer", "--in", "sessions", "--json")
    assert not json.loads(found.out or "[]") or not json.loads(found.out)[0]["results"]
    (listed,) = json.loads(memtui("sessions", "--json").out)
    assert (listed["archived"], listed["incomplete"]) == (False, True)
    assert "✗ incomplete" in memtui("sessions").out and "✗ incomplete" in memtui("archive", "list").out
