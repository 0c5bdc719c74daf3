"""Shortening of long errors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript.events import Result
from memtui.transcript.outcomes import error_head
from memtui.transcript.short_text import telling_line


def result(text: str) -> Result:
    return Result("toolu_1", text, True, None, "")


@given(st.lists(st.text("ab c", min_size=1, max_size=20), min_size=20, max_size=60))
def test_a_long_error_keeps_whole_lines(lines: list[str]) -> None:
    lines = [f"<{line}>" for line in lines]
    kept = error_head(result("\n".join(lines)), 100).split("\n")
    assert set(kept) <= {*lines, "…"}


def test_the_exception_between_a_long_trace_and_a_long_output_stays() -> None:
    trace = ["Traceback (most recent call last):", *(f'  File "a.py", line {n}, in f' for n in range(60))]
    text = "\n".join([*trace, "TypeError: no clay", *(f"printed {n}" for n in range(200))])
    kept = error_head(result(text))
    assert len(kept) <= 1_000
    assert telling_line(kept) == "TypeError: no clay"
    assert kept.startswith(trace[0]) and kept.endswith("printed 199")


def test_a_line_without_an_end_is_cut() -> None:
    kept = error_head(result("x" * 500), 103)
    assert kept == f"{'x' * 50}\n…\n{'x' * 50}"
