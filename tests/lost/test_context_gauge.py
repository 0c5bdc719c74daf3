from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.lost.context_gauge import (
    Gauge,
    Limit,
    finished_tasks,
    is_looping,
    limit_of,
    measure,
    reopened_tasks,
)
from memtui.lost.traces import traces
from memtui.transcript.records import CompactionFact, ContextSize
from tests.transcripts import Transcript

START = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)


def at(minute: float) -> str:
    return (START + timedelta(minutes=minute)).isoformat()


def sizes(*tokens: int) -> list[ContextSize]:
    """A request a minute, half a minute after a turn began."""
    return [ContextSize(at(number + 0.5), each) for number, each in enumerate(tokens)]


def test_the_pace_is_that_of_the_last_turns_that_grew() -> None:
    turns = [at(number) for number in range(5)]
    found = measure(sizes(100_000, 110_000, 20_000, 30_000, 50_000), turns, Limit(100_000, 120_000))
    assert found == Gauge(
        50_000, 100_000, 120_000, 3
    )  # turns grew by 10k, 10k and 20k; the compaction does not count
    assert found.percent == 50


@pytest.mark.parametrize(
    ("limit", "tokens", "expected"),
    [
        (Limit(200_000, 200_000), (), Gauge(0, 200_000, 200_000)),
        (Limit(), (9_000,), Gauge(9_000)),
        (Limit(155_000, 177_000), (300_000,), Gauge(300_000)),
        (Limit(155_000, 177_000), (160_000,), Gauge(160_000, 155_000, 177_000)),
    ],
)
def test_unknown_values_are_not_guessed(limit: Limit, tokens: tuple[int, ...], expected: Gauge) -> None:
    assert measure(sizes(*tokens), [at(0)], limit) == expected
    assert expected.percent <= 100


def test_the_limit_is_learned_or_the_models() -> None:
    auto, by_hand = CompactionFact("auto", 155_000, None), CompactionFact("manual", 190_000, None)
    assert limit_of([auto, by_hand], [170_000], ["claude-x"]) == (155_000, 155_000)
    assert limit_of([by_hand], [170_000, 160_000], ["claude-x"]) == (160_000, 170_000)
    assert limit_of([], [100_000, 150_000, 160_000, 190_000], []) == (137_500, 167_500)
    assert limit_of([], [], ["glm-5", "claude-opus-4"]) == (200_000, 200_000)
    assert limit_of([], [], ["claude-opus-4[1m]"]) == (1_000_000, 1_000_000)
    assert limit_of([], [], ["glm-5"]) == Limit()
    assert limit_of([], [], []) == Limit()


def test_compactions_without_a_changed_file_between_them_are_a_loop(tmp_path: Path) -> None:
    made = Transcript()
    for _ in range(3):
        made.tool("Read", "x", file_path="/work/app/a.py")
        made.compaction()
    assert is_looping(traces(made.write(tmp_path)))
    made.moment += timedelta(minutes=11)
    made.compaction()
    assert not is_looping(traces(made.write(tmp_path)))


def test_a_changed_file_ends_the_loop(tmp_path: Path) -> None:
    made = Transcript()
    made.compaction()
    made.compaction()
    made.edit("/work/app/a.py")
    made.compaction()
    assert not is_looping(traces(made.write(tmp_path)))


def test_a_finished_task_that_is_open_again_is_found(tmp_path: Path) -> None:
    made = Transcript()
    ship = {"content": "Ship it", "status": "pending"}
    done = [{"content": "Write the tests", "status": "completed"}, ship]
    made.tool("TodoWrite", todos=done)
    before = finished_tasks(made.facts(tmp_path))
    line = 3
    made.compaction()
    made.tool("TodoWrite", todos=[{"content": "write the tests.", "status": "cancelled"}, ship])
    assert reopened_tasks(before, made.facts(tmp_path).todos, line) == []
    made.tool("TodoWrite", todos=[{"content": "write the tests.", "status": "pending"}, ship])
    assert reopened_tasks(before, made.facts(tmp_path).todos, line) == ["write the tests."]
    assert reopened_tasks(before, made.facts(tmp_path).todos, 99) == []
