"""The capture of a compaction: once, under a name of its own, whole or not at all."""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memtui.documents.capture import parse_capture, render_capture, render_pending
from memtui.ground.files import FileProblem, create_exclusive, sweep_temps
from memtui.hooks.compaction import capture
from memtui.hooks.records import Payload, Report
from tests import faults
from tests.disk import age, names
from tests.hooks.world import BOUNDARY, PROMPT, SESSION, World, user

NOW = datetime(2025, 12, 25, 8, 15, 0, tzinfo=timezone(timedelta(hours=-5)))


def take(world: World, now: datetime = NOW, **fields: str) -> str:
    payload = Payload(**{name: str(value) for name, value in world.payload(**fields).items()})
    name = capture(payload, world.project, now, Report())
    sweep_temps(world.project.compacts)
    return name


def test_writes_the_seeds_file(world: World) -> None:
    assert take(world) == "20251225_081500-autocompact.md"
    (path,) = world.captures
    assert path.read_text() == (
        "# Autocompact Capture\n\n"
        "**Status:** pending\n"
        "**Timestamp:** 2025-12-25T08:15:00-05:00\n"
        f"**Session ID:** {SESSION}\n\n"
        "## Transcript\n\n"
        f"```\n{world.transcript}\n```\n\n"
        "## First Message\n\n"
        f"> {PROMPT}\n\n"
        "## Memory\n\n"
        "_Not yet reviewed. Run `/review-compact` to process._\n"
    )


def test_the_gitignore_is_there_before_the_capture(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def create(path: Path, data: bytes, **options: Any) -> bool:
        if path.name.endswith("-autocompact.md"):
            seen.append(names(path.parent))
        return create_exclusive(path, data, **options)

    monkeypatch.setattr("memtui.ground.files.create_exclusive", create)
    take(world)
    assert seen == [[".gitignore", f"{SESSION}.lock"]]


def test_the_next_compaction_gets_its_own_at_once(world: World) -> None:
    first = take(world)
    for second in (1, 2):
        now = NOW + timedelta(seconds=second)
        world.compact(now - timedelta(milliseconds=500))
        assert take(world, now) == f"20251225_08150{second}-autocompact.md"
        assert take(world, now) == ""
    assert world.captures[0].name == first
    assert len(world.captures) == 3


def test_a_compaction_made_ahead_and_thrown_away_is_captured_once(world: World) -> None:
    assert take(world)
    with world.transcript.open("a") as file:
        file.write(json.dumps(user("more")) + "\n")
    assert not any(take(world, NOW + timedelta(minutes=minutes)) for minutes in (31, 75))
    world.compact(NOW + timedelta(minutes=80))
    assert take(world, NOW + timedelta(minutes=90))
    assert len(world.captures) == 2


def test_a_damaged_line_before_a_boundary_hides_no_compaction(world: World) -> None:
    assert take(world)
    with world.transcript.open("ab") as file:
        file.write(b'{"type": "system", "subtype": "compact_boundary", "timest\n["compact_boundary"]\n\xff\n')
    world.compact(NOW + timedelta(minutes=40))
    assert take(world, NOW + timedelta(minutes=41))


def test_a_reviewed_capture_does_not_count(world: World) -> None:
    take(world)
    (path,) = world.captures
    path.write_text(path.read_text().replace("pending", "reviewed"))
    assert take(world, NOW + timedelta(minutes=31))
    assert len(world.captures) == 2 and path in world.captures


def test_words_about_compactions_are_none(world: World) -> None:
    take(world)
    with world.transcript.open("a") as file:
        file.write(json.dumps(user(json.dumps(BOUNDARY))) + "\n")
    assert take(world) == ""


def test_sessions_and_projects_are_kept_apart(world: World, tmp_path: Path) -> None:
    assert take(world)
    assert take(world, session_id="other")
    assert take(world, session_id="")
    assert take(world, session_id="") == ""
    other = World(tmp_path / "second")
    other.memtui_home = world.memtui_home
    assert take(other, session_id="")
    assert take(other, transcript_path="/elsewhere.jsonl")


def test_without_a_transcript_a_minute_counts_as_one(world: World) -> None:
    world.transcript.unlink()
    assert take(world)
    assert take(world, NOW + timedelta(seconds=59)) == ""
    assert take(world, NOW + timedelta(seconds=61))
    first, _ = world.captures
    assert parse_capture(first.read_text()).first_message == ""


@pytest.mark.parametrize("kind", ["outside", "suffix", "link"])
def test_no_other_file_is_read_for_words(world: World, tmp_path: Path, kind: str) -> None:
    secret = tmp_path / "secret.jsonl"
    world.transcript.rename(secret)
    path = {"outside": secret, "suffix": world.claude / "x.txt", "link": world.claude / "x.jsonl"}[kind]
    if kind == "link":
        path.symlink_to(secret)
    elif kind == "suffix":
        path.write_bytes(secret.read_bytes())
    take(world, transcript_path=str(path))
    (written,) = world.captures
    assert PROMPT not in written.read_text()
    assert parse_capture(written.read_text()).transcript == str(path)


def test_four_hooks_at_once_make_one_capture(world: World) -> None:
    for expected in (1, 2):
        payload = json.dumps(world.payload(trigger="auto")).encode()
        hooks = [world.start("pre-compact") for _ in range(4)]
        for hook in hooks:  # all of them have started when the first of them may begin
            hook.stdin.write(payload)
        for hook in hooks:
            hook.stdin.close()
        for hook in hooks:
            assert hook.wait(60) == 0
            hook.end()
        assert len(world.captures) == expected
        captured = parse_capture(world.captures[0].read_text())
        earlier = replace(captured, timestamp=captured.timestamp - timedelta(minutes=1))
        world.captures[0].write_text(render_capture(earlier))
        world.compact(earlier.timestamp)
    assert {run.outcome for run in world.runs} == {"ok"}
    assert sorted(run.detail.split()[0] for run in world.runs) == ["captured"] * 2 + ["this"] * 6


def _whole(path: Path) -> bool:
    text = path.read_text()
    found = parse_capture(text)
    assert found.first_message in (PROMPT, "")  # the transcript could not be read
    return text == render_pending(
        timestamp=found.timestamp,
        session_id=SESSION,
        transcript=found.transcript,
        first_message=found.first_message,
    )


def test_an_error_at_any_call_leaves_no_torn_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = 0
    for code in (errno.ENOSPC, errno.EIO):
        at = 0
        while True:
            at += 1
            world = World(tmp_path / f"{code}-{at}")
            monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(world.claude))
            with faults.watched(faults.failing(at, code)) as log, suppress(FileProblem):
                take(world)
            found = world.captures
            assert all(map(_whole, found))
            assert len(found) <= 1
            written += len(found)
            if len(log) < at:
                break
        assert at > 40
    assert written > 40


def test_a_kill_at_any_call_leaves_no_torn_file(tmp_path: Path) -> None:
    assert faults.run_sweep(_sweep, tmp_path) > 10


def _sweep(base: Path) -> int:
    """Kill a capture at every point; returns how many there were."""

    def make(number: int) -> Path:
        world = World(base / str(number))
        os.environ["CLAUDE_CONFIG_DIR"] = str(base)
        worlds[world.base] = world
        return world.base

    def act(place: Path) -> None:
        take(worlds[place])

    def check(place: Path) -> None:
        world = worlds[place]
        before = world.captures
        assert all(map(_whole, before)), place
        # What a hook that was killed has left behind does not hold up the next one, which ends its work.
        assert bool(take(world)) == (not before)
        assert len(world.captures) == 1
        age(place)
        world.compact(NOW)
        assert take(world, NOW + timedelta(minutes=5))
        assert not [name for name in names(world.project.compacts) if name.endswith((".tmp", ".lock"))]
        outcomes.add(len(before))

    worlds: dict[Path, World] = {}
    outcomes: set[int] = set()
    points = faults.kill_sweep(make, act, check)
    assert outcomes == {0, 1}
    return points
