"""A memory superseded by another one: both say so, no circle, and back again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.flows.superseding import SupersedingProblem, reinstate, supersede
from memtui.store.base import MemoryBackend, MemoryMissing, New
from tests.store.fake_backend import FakeBackend


@pytest.fixture
def store() -> MemoryBackend:
    return FakeBackend(lambda: datetime(2026, 1, 2, 10, 15, tzinfo=UTC))


@pytest.fixture
def names(store: MemoryBackend) -> list[str]:
    return [store.create(New(b"text")).id for _ in range(3)]


def test_both_name_the_other_and_neither_after_it_is_taken_back(
    store: MemoryBackend, names: list[str]
) -> None:
    a, b, c = names
    assert supersede(store, a, c).message == f"{a} is superseded by {c}."
    supersede(store, b, c)
    assert (store.get(a).meta.superseded_by, store.get(c).meta.supersedes) == (c, (a, b))
    assert supersede(store, a, c).changed is False
    assert reinstate(store, a).message == f"{a} is no longer superseded."
    assert (store.get(a).meta.superseded_by, store.get(c).meta.supersedes) == ("", (b,))


def test_it_is_completed_where_it_was_interrupted(store: MemoryBackend, names: list[str]) -> None:
    a, b, _ = names
    store.update(a, superseded_by=b)
    assert supersede(store, a, b).changed
    assert store.get(b).meta.supersedes == (a,)


def test_no_circle_however_long(store: MemoryBackend, names: list[str]) -> None:
    a, b, c = names
    supersede(store, a, b)
    supersede(store, b, c)
    with pytest.raises(SupersedingProblem, match=f"^{c} cannot supersede itself$"):
        supersede(store, c, c)
    with pytest.raises(SupersedingProblem, match=f"^{a} is superseded by {c} itself, so"):
        supersede(store, c, a)
    store.update(c, superseded_by=a)  # by hand: it ends all the same
    with pytest.raises(SupersedingProblem):
        supersede(store, c, b)


def test_one_that_is_superseded_stays_so_until_it_is_taken_back(
    store: MemoryBackend, names: list[str]
) -> None:
    a, b, c = names
    supersede(store, a, b)
    with pytest.raises(SupersedingProblem, match=f"^{a} is superseded by {b} already; `memtui memory"):
        supersede(store, a, c)
    with pytest.raises(SupersedingProblem, match=f"^{b} is not superseded$"):
        reinstate(store, b)


def test_what_is_gone(store: MemoryBackend, names: list[str]) -> None:
    a, b, c = names
    with pytest.raises(MemoryMissing):
        supersede(store, a, "CMEM-20000101-000000")
    assert store.get(a).meta.superseded_by == ""
    supersede(store, a, b)
    store.delete(b)
    reinstate(store, a)
    assert store.get(a).meta.superseded_by == ""
    assert supersede(store, a, c).changed
