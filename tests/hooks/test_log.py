"""The hook log: whole lines, bounded, for this person alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.logs import older
from memtui.hooks import records
from memtui.hooks.records import Run, read_runs, record

RUN = Run(at="2026-01-02T10:15:00.000+00:00", event="pre-compact", ms=12, outcome="ok", project="/x/\u20ac")


def test_it_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LOG_LIMIT", 1_000)
    path = tmp_path / "hooks.jsonl"
    for number in range(200):
        record(path, RUN._replace(ms=number))
    assert path.stat().st_size + older(path).stat().st_size < 2_500
    numbers = [run.ms for run in read_runs(path)]
    assert len(numbers) > 7
    assert numbers == list(range(200))[-len(numbers) :]


def test_lines_that_are_none_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "hooks.jsonl"
    path.write_bytes(b'\xff\n\n[]\n7\n{"at": 1}\n{"at":"a","event":"b","ms":"x","outcome":"d"}\n')
    record(path, RUN)
    assert read_runs(path) == [RUN]


def test_a_log_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("")
    link = tmp_path / "hooks.jsonl"
    link.symlink_to(outside)
    record(link, RUN)
    assert outside.read_text() == ""
