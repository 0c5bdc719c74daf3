"""The chart of a session's context: true to its numbers, and narrow enough for a small window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memtui.app.context_chart import COLUMNS, ROWS, context_chart, short_tokens
from memtui.reading.records import CompactionFact, ContextSize, Source

START = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)


def _sizes(*tokens: int) -> list[ContextSize]:
    return [ContextSize(_at(minute), number) for minute, number in enumerate(tokens)]


def _at(minute: float) -> str:
    return (START + timedelta(minutes=minute)).isoformat()


def _compaction(minute: float) -> CompactionFact:
    return CompactionFact("auto", None, None, Source(timestamp=_at(minute)))


def test_a_session_that_was_compacted_once() -> None:
    sizes = _sizes(20_000, 60_000, 120_000, 160_000, 30_000, 80_000)
    assert context_chart(sizes, [_compaction(3.5)]).text.split("\n") == [
        "Context size · now 80k tokens",
        "          ▼",
        " 160k ┤   █",
        "      │  ██",
        "      │ ▄██ █",
        "    0 ┤▄███▆█",
        "       09:00 09:05",
        "▼ 1 compaction",
    ]


def test_one_request_is_no_course() -> None:
    assert not len(context_chart(_sizes(5_000), []))
    assert not len(context_chart([], [_compaction(1)]))


def test_the_peak_of_many_requests_is_seen() -> None:
    tokens = [1_000] * 400
    tokens[201] = 180_000
    rows = context_chart(_sizes(*tokens), []).text.split("\n")
    assert rows[1].startswith(" 180k ┤")
    assert rows[1].count("█") == 1


@given(
    st.lists(st.integers(0, 2_000_000), max_size=120),
    st.lists(st.floats(-10, 200), max_size=5),
)
def test_any_numbers(tokens: list[int], minutes: list[float]) -> None:
    chart = context_chart(_sizes(*tokens), [_compaction(minute) for minute in minutes])
    assert len(chart) <= ROWS + 4
    assert all(len(line.text) <= COLUMNS + 8 for line in chart.lines)


def test_short_numbers() -> None:
    numbers = (0, 999, 1_000, 12_499, 999_499, 999_500, 12_000_000)
    assert [short_tokens(number) for number in numbers] == ["0", "999", "1k", "12k", "999k", "1.0M", "12.0M"]
