"""Shared by the tests of the contract: texts, strategies, a clock, and the store under test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from memtui.documents.memory import MemoryMeta
from memtui.ground.clock import Clock
from memtui.store.memories import MemoryStore, New, Page

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
FIRST = "CMEM-20260102-101500"

BODIES = (
    b"# Session Recovery\n\n## Objective\nFix it\n",
    b"lines\r\nof\r\nWindows\r\n",
    b"no end of line",
    b"\n\n\nblank lines at both ends\n\n\n",
    b"a\0NUL and \x1b[31mred\x07",
    b"\xff\xfe no UTF-8 \x80\xc3",
    b"\xef\xbb\xbfa byte order mark",
    "恢复会话 — リカバリ — 복구 — café".encode(),
    b"---\nid: CMEM-20200101-000000\ntags: [x]\n---\nlooks like front matter",
    b"---\n",
    b"---",
    b"lone\rcarriage\rreturns\r",
    b" ",
    b"",
    bytes(range(256)),
)
NONSENSE = (
    "",
    " ",
    "CMEM-",
    "cmem",
    "x",
    "../../etc/passwd",
    "CMEM-2026010-101500",
    "CMEM-20260102-101500.md",
    "a\0b",
)
SYNTAX = ('"', "a AND", "NEAR(", "*", "x:y", "-", "'", "a\0b", "(", "C++", "it's", "a.b", "foo-bar")

# Each backend has a class of its own with the same tests.
EACH = settings(suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow])

words = st.text(max_size=12)
tags = st.lists(words, max_size=4).map(tuple)
news = st.builds(
    New,
    body=st.binary(max_size=40) | st.sampled_from(BODIES[:-1]),
    project=st.sampled_from(("", "/a", "/a/below", "/ab", "/b c", "/b c/x")) | words,
    description=words,
    tags=st.lists(st.sampled_from(("Tax", "auth", "Ärger")), max_size=2).map(tuple) | tags,
    session_id=words,
    created=st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2050, 1, 1), timezones=st.just(UTC)),
)


def concerns(project: str, root: str) -> bool:
    """Whether a memory's project is a root or below it; a memory without a project belongs to all."""
    return project in ("", root, root.rpartition("/")[2]) or project.startswith(f"{root}/")


class Watch:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now.astimezone()

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def metas(page: Page) -> list[MemoryMeta]:
    return [listed.meta for listed in page.items]


def ids(page: Page) -> list[str]:
    return [listed.meta.id for listed in page.items]


class ContractBase:
    """Makes the store that is tested."""

    def make(self, clock: Clock) -> MemoryStore:
        """A new, empty store."""
        raise NotImplementedError

    @pytest.fixture
    def watch(self) -> Watch:
        return Watch()

    @pytest.fixture
    def store(self, watch: Watch) -> MemoryStore:
        return self.make(watch)
