"""The chart of a session's context: true to its numbers, and narrow enough for a small window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memtui.app.details.session import COLUMNS, ROWS, context_chart
from memtui.app.widgets.wrap import short_tokens
from memtui.lost.context_gauge import learned_limit
from memtui.transcript.records import CompactionFact, ContextSize, Source

START = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)


def _sizes(*tokens: int) -> list[ContextSize]:
    return [ContextSize(_at(minute), number) for minute, number in enumerate(tokens)]


def _at(minute: float) -> str:
    return (START + timedelta(minutes=minute)).isoformat()


def _compaction(minute: float, *, trigger: str = "auto", pre_tokens: int | None = None) -> CompactionFact:
    return CompactionFact(trigger, pre_tokens, None, Source(timestamp=_at(minute)))


def test_a_curve_with_its_compaction_and_the_limit_learned_from_it() -> None:
    sizes = _sizes(20_000, 60_000, 120_000, 160_000, 30_000, 80_000)
    assert context_chart(sizes, [_compaction(3.5, pre_tokens=167_000)]).text.split("\n") == [
        "Context size · now 80k tokens",
        "                         ▼",
        " 167k ┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌⡖⠒⠒⠒⠒⡄╌╌╌╌╌╌╌╌",
        "      │         ⢰⠒⠒⠒⠒⠁    ⡇",
        "      │         ⢸         ⡇   ⢠⠤⠤⠤⠤",
        "      │     ⡏⠉⠉⠉⠁         ⡇   ⢸",
        "    0 ┤⠒⠒⠒⠒⠒⠁             ⠉⠉⠉⠉⠁",
        "       09:00                  09:05",
        "▼ 1 compaction · ╌ limit 167k",
    ]


def test_the_limit_is_the_largest_context_that_was_compacted_by_itself() -> None:
    asked = _compaction(1, trigger="manual", pre_tokens=170_000)
    assert learned_limit([asked, _compaction(2, pre_tokens=155_000), _compaction(3)]) == 155_000
    sizes = _sizes(20_000, 60_000)
    assert context_chart(sizes, [asked]).lines[-1].text == "▼ 1 compaction · none automatic"
    assert context_chart(sizes, []).lines[-1].text == "no compaction yet"
    assert "╌" not in context_chart(sizes, [asked]).text


def test_a_limit_below_the_peak_is_drawn_at_its_height() -> None:
    rows = context_chart(_sizes(10_000, 200_000), [_compaction(5, pre_tokens=100_000)]).text.split("\n")
    assert rows[2].startswith(" 200k ┤")
    assert [row[:7] for row in rows if "╌╌" in row] == [" 100k ┤"]


def test_times_of_two_days_have_their_dates() -> None:
    sizes = [ContextSize(_at(0), 1_000), ContextSize(_at(24 * 60), 2_000)]
    assert "       02 Jan 09:00    03 Jan 09:00" in context_chart(sizes, []).text.split("\n")


def test_one_request_is_no_course() -> None:
    assert not len(context_chart(_sizes(5_000), []))
    assert not len(context_chart([], [_compaction(1)]))


def test_the_peak_of_many_requests_is_seen() -> None:
    tokens = [1_000] * 400
    tokens[201] = 180_000
    rows = context_chart(_sizes(*tokens), []).text.split("\n")
    assert rows[1].startswith(" 180k ┤")
    assert sum(character > "\u2800" for character in rows[1]) == 1


@given(
    st.lists(st.integers(0, 2_000_000), max_size=120),
    st.lists(st.floats(-10, 200), max_size=5),
    st.integers(0, 3_000_000),
)
def test_any_numbers(tokens: list[int], minutes: list[float], limit: int) -> None:
    chart = context_chart(_sizes(*tokens), [_compaction(at, pre_tokens=limit) for at in minutes])
    assert len(chart) <= ROWS + 4
    assert all(len(line.text) <= COLUMNS + 8 for line in chart.lines)


def test_short_numbers() -> None:
    numbers = (0, 999, 1_000, 12_499, 999_499, 999_500, 12_000_000)
    assert [short_tokens(number) for number in numbers] == ["0", "999", "1k", "12k", "999k", "1.0M", "12.0M"]
