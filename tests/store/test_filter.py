"""The conditions of a filter, each by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.documents.memory import MemoryMeta
from memtui.store.memories import Filter, Listed

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
SECOND = timedelta(seconds=1)
META = MemoryMeta(
    id="CMEM-20260102-101500",
    created=NOW,
    updated=NOW,
    project="/work/shop",
    tags=("Tax", "cart"),
    session_id="s-1",
)


@pytest.mark.parametrize(
    ("where", "fits"),
    [
        (Filter(), True),
        (Filter(project="/work/shop"), True),
        (Filter(project="/work/other"), False),
        (Filter(tags=("tax",)), True),
        (Filter(tags=("CART", "tax")), True),
        (Filter(tags=("tax", "api")), False),
        (Filter(since=NOW, until=NOW), True),
        (Filter(since=NOW + SECOND), False),
        (Filter(until=NOW - SECOND), False),
        (Filter(session="s-1"), True),
        (Filter(session="s-2"), False),
    ],
)
def test_a_memory_has_to_meet_every_condition(where: Filter, fits: bool) -> None:
    assert where.fits(Listed(META, Path("x"), "")) == fits
