"""The figures of the benchmarks, and the lines that show them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement beside what it is measured against.

    Attributes:
        what: what was measured.
        reference: the measure in words, with its own figure; "" when the budget is absolute.
        measured: the figure, with its unit.
        ratio: measured / reference; None when there is no reference.
        budget: the budget in words; "" when there is none.
        ok: whether it is kept; None when there is no budget.
    """

    what: str
    measured: str
    reference: str = ""
    ratio: float | None = None
    budget: str = ""
    ok: bool | None = None


def compared(
    what: str, measured: Sequence[float], against: str, reference: Sequence[float], budget: float
) -> Figure:
    """A figure whose budget is a multiple of a reference; both are samples in seconds."""
    mine, other = statistics.median(measured), statistics.median(reference)
    return Figure(
        what,
        milliseconds(mine),
        f"{against}: {milliseconds(other)}",
        mine / other,
        f"<= {budget:g} x",
        mine <= budget * other,
    )


def bounded(what: str, measured: Sequence[float], limit: float | None = None) -> Figure:
    """A figure with an absolute budget in seconds, or with none."""
    value = statistics.median(measured)
    shown = milliseconds(value)
    if len(measured) >= 10:
        shown += f" (p95 {milliseconds(percentile(measured, 95))})"
    if limit is None:
        return Figure(what, shown)
    return Figure(what, shown, budget=f"<= {milliseconds(limit)}", ok=value <= limit)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def milliseconds(seconds: float) -> str:
    """`84 ms`, or `2.4 s` from one second on."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def line(figure: Figure) -> str:
    """A figure on one line: whether it is within its budget, what it is, and what it is measured against."""
    verdict = {True: "ok", False: "OVER", None: ""}[figure.ok]
    against = figure.reference
    if figure.ratio is not None:
        against += f", ratio {figure.ratio:.2f}"
    details = (against, f"budget {figure.budget}" if figure.budget else "")
    shown = "".join(f"  [{each}]" for each in details if each)
    return f"{verdict:<4}  {figure.what}: {figure.measured}{shown}"


def show(figures: Iterable[Figure]) -> int:
    """Print each figure as it is measured; return the exit code: 1 when a budget is exceeded."""
    over = False
    for figure in figures:
        print(line(figure), flush=True)
        over |= figure.ok is False
    return int(over)
