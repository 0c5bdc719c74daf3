"""The store of memories, call by call, and compared with a dictionary after any sequence of calls."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.ground.files import FileMissing, FileProblem
from memtui.store.memories import MemoryStore, Page
from tests.store.memories import FIRST, Watch, home_in

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

EACH = settings(suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow])

words = st.text(max_size=12)
tags = st.lists(words, max_size=4).map(tuple)
news: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    body=st.binary(max_size=40) | st.sampled_from(BODIES[:-1]),
    project=st.sampled_from(("", "/a", "/a/below", "/ab", "/b c", "/b c/x")) | words,
    description=words,
    tags=st.lists(st.sampled_from(("Tax", "auth", "Ärger")), max_size=2).map(tuple) | tags,
    session_id=words | st.just("s-1"),
    created=st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2050, 1, 1), timezones=st.just(UTC)),
)


def concerns(project: str, root: str) -> bool:
    """Whether a memory's project is a root or below it; a memory without a project belongs to all."""
    return project in ("", root, root.rpartition("/")[2]) or project.startswith(f"{root}/")


def metas(page: Page) -> list[MemoryMeta]:
    return [listed.meta for listed in page.items]


def ids(page: Page) -> list[str]:
    return [listed.meta.id for listed in page.items]


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def store(tmp_path: Path, watch: Watch) -> MemoryStore:
    return MemoryStore(home_in(tmp_path), watch)


# Made and read


def test_what_is_given_is_kept(store: MemoryStore) -> None:
    created = datetime.fromisoformat("2025-03-04T05:06:07+09:00")
    meta = store.create(
        b"x",
        "/home/me/app",
        description="  Tax — 税务\nservice ",
        tags=("a b", "税", "a b", ""),
        session_id="s-1",
        source="ccw",
        author="ann (team)",
        id="CMEM-20240101-000000",
        created=created,
        updated=created + timedelta(days=1),
    )
    assert meta == MemoryMeta(
        id="CMEM-20240101-000000",
        project="/home/me/app",
        created=created,
        updated=created + timedelta(days=1),
        description="Tax — 税务 service",
        tags=("a b", "税"),
        session_id="s-1",
        source="ccw",
        author="ann (team)",
    )
    assert meta.created.isoformat() == "2025-03-04T05:06:07+09:00"
    assert store.get(meta.id).meta == meta


def test_the_title(store: MemoryStore) -> None:
    store.create(b"## Objective\n\n  Fix it  \nsoon", description="d")
    store.create(b"## Objective\n\n  Fix it  \nsoon")
    store.create(b"nothing")
    store.create(b"## Objective\n\n  N/A\n")
    titles = ["CMEM-20260102-101503", "CMEM-20260102-101502", "Fix it", "d"]
    assert [listed.title for listed in store.list().items] == titles


# Ids


def test_the_id_is_the_local_time_or_the_next_free_second(store: MemoryStore, watch: Watch) -> None:
    made = [store.create(b"").id for _ in range(3)]
    watch.move(1)
    made.append(store.create(b"").id)
    watch.move(-61)
    made.append(store.create(b"").id)
    assert made == [
        FIRST,
        "CMEM-20260102-101501",
        "CMEM-20260102-101502",
        "CMEM-20260102-101503",
        "CMEM-20260102-101400",
    ]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        # Clocks go from 1:59:59 to 3:00:00.
        ("2026-03-29T00:59:58+00:00", ["015958", "015959", "030000", "030001"]),
        # Clocks go from 2:59:59 back to 2:00:00.
        ("2026-10-25T00:59:58+00:00", ["025958", "025959", "020000", "020001"]),
    ],
)
def test_the_change_of_the_clocks(
    store: MemoryStore, watch: Watch, monkeypatch: pytest.MonkeyPatch, last: str, expected: list[str]
) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    watch.now = datetime.fromisoformat(last)
    assert [store.create(b"").id[-6:] for _ in expected] == expected


@pytest.mark.parametrize("wrong", [each for each in NONSENSE if each])
def test_invalid_ids_cannot_be_kept(store: MemoryStore, wrong: str) -> None:
    with pytest.raises(FileProblem):
        store.create(b"", id=wrong)
    assert store.list().total == 0


# Found by an id


@pytest.mark.parametrize("wrong", NONSENSE)
def test_invalid_ids_count_as_missing(store: MemoryStore, wrong: str) -> None:
    store.create(b"")
    store.delete(store.create(b"").id)
    for ask in (store.get, store.delete, store.restore, store.update):
        with pytest.raises(FileMissing):
            ask(wrong)
    assert (store.list().total, store.deleted().total) == (1, 1)


def test_found_by_its_beginning(store: MemoryStore) -> None:
    for each in (FIRST, "CMEM-20260102-235959", "CMEM-20251225-081500"):
        store.create(b"", id=each)
    for beginning in (FIRST, "cmem-20260102-101500", "CMEM-20260102-1", "20260102-10", " 20260102-101500\n"):
        assert store.find(beginning) == FIRST
    assert store.find("2025") == store.find("CMEM-2025") == "CMEM-20251225-081500"
    for none in ("20260102", "CMEM-2026", "2", "CMEM-", "", " ", "2024", "0102-10", "CMEM-20260102-101500-"):
        with pytest.raises(FileMissing):
            store.find(none)
    store.delete(FIRST)
    assert store.find("20260102") == "CMEM-20260102-235959"
    assert store.find("2026", deleted=True) == FIRST
    with pytest.raises(FileMissing):
        store.find("2025", deleted=True)


# Listed


@EACH
@given(
    some=st.lists(news, max_size=6),
    where=st.builds(
        dict,
        project=st.sampled_from(("", "/a", "/b c", "/B C")),
        tags=st.lists(st.sampled_from(("tax", "AUTH", "ärger", "none")), max_size=2).map(tuple),
    ),
)
def test_lists_what_fits_everything(some: list[dict[str, Any]], where: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _lists_what_fits(MemoryStore(home_in(Path(folder)), Watch()), some, where)


def _lists_what_fits(store: MemoryStore, some: list[dict[str, Any]], where: dict[str, Any]) -> None:
    made = sorted((store.create(**new) for new in some), key=lambda meta: meta.id, reverse=True)
    fitting = [
        meta
        for meta in made
        if (not where["project"] or concerns(meta.project, where["project"]))
        and {tag.casefold() for tag in where["tags"]} <= {tag.casefold() for tag in meta.tags}
    ]
    assert metas(store.list(**where)) == fitting
    assert store.list(**where, limit=1) == Page(store.list(**where).items[:1], len(fitting))


class InAnyOrder(RuleBasedStateMachine):
    """With people who edit, delete and move files by hand."""

    known = Bundle("known")

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch()
        self.base = Path(tempfile.mkdtemp())
        self.store = MemoryStore(home_in(self.base), self.watch)
        self.memories: dict[str, StoredMemory] = {}
        self.trash: dict[str, StoredMemory] = {}
        self.used: set[str] = set()

    @rule(target=known, new=news)
    def create(self, new: dict[str, Any]) -> str:
        meta = self.store.create(**new)
        assert meta.id not in self.used
        self.used.add(meta.id)
        self.memories[meta.id] = StoredMemory(meta=meta, body=new["body"])
        return meta.id

    @rule(memory_id=known, new=news)
    def create_once_more(self, memory_id: str, new: dict[str, Any]) -> None:
        if memory_id in self.memories or memory_id in self.trash:
            assert _refused(lambda: self.store.create(new["body"], id=memory_id), FileProblem)

    @rule(seconds=st.integers(-3, 3))
    def wait(self, seconds: int) -> None:
        self.watch.move(seconds)

    @rule(memory_id=known, description=st.none() | words, new_tags=st.none() | tags)
    def update(self, memory_id: str, description: str | None, new_tags: tuple[str, ...] | None) -> None:
        given = {"description": description, "tags": new_tags}
        wanted: dict[str, Any] = {key: value for key, value in given.items() if value is not None}

        def act() -> MemoryMeta:
            return self.store.update(memory_id, **wanted)

        if memory_id not in self.memories:
            assert _refused(act, FileMissing)
            return
        old = self.memories[memory_id]
        meta = old.meta.replace(**wanted)
        if meta != old.meta:
            meta = meta.replace(updated=self.watch())
        assert act() == meta
        self.memories[memory_id] = old.replace(meta=meta)

    @rule(memory_id=known)
    def delete(self, memory_id: str) -> None:
        if memory_id in self.memories:
            self.store.delete(memory_id)
            self.trash[memory_id] = self.memories.pop(memory_id)
        else:
            assert _refused(lambda: self.store.delete(memory_id), FileMissing)

    @rule(memory_id=known)
    def restore(self, memory_id: str) -> None:
        if memory_id in self.trash:
            self.store.restore(memory_id)
            self.memories[memory_id] = self.trash.pop(memory_id)
        else:
            assert _refused(lambda: self.store.restore(memory_id), FileMissing)

    @invariant()
    def both_hold_the_same(self) -> None:
        page = self.store.list()
        assert metas(page) == [memory.meta for _, memory in sorted(self.memories.items(), reverse=True)]
        assert page.total == len(self.memories)
        assert not any(listed.problem for listed in page.items)
        assert metas(self.store.deleted()) == [
            memory.meta for _, memory in sorted(self.trash.items(), reverse=True)
        ]
        for memory_id, memory in self.memories.items():
            assert self.store.get(memory_id) == memory

    def teardown(self) -> None:
        shutil.rmtree(self.base)

    def path_of(self, memory_id: str) -> Path:
        (path,) = home_in(self.base).memories.glob(f"*/{memory_id}.md")
        return path

    @rule(memory_id=known, body=st.binary(max_size=20))
    def edit_by_hand(self, memory_id: str, body: bytes) -> None:
        if memory_id in self.memories:
            memory = self.memories[memory_id].replace(body=body)
            self.path_of(memory_id).write_bytes(render_stored(memory))
            self.memories[memory_id] = memory

    @rule(memory_id=known)
    def delete_by_hand(self, memory_id: str) -> None:
        if memory_id in self.memories:
            self.path_of(memory_id).unlink()
            del self.memories[memory_id]
            self.used.discard(memory_id)

    @rule(memory_id=known)
    def move_by_hand(self, memory_id: str) -> None:
        if memory_id in self.memories:
            other = home_in(self.base).memories / "1980-01"
            other.mkdir(exist_ok=True)
            self.path_of(memory_id).rename(other / f"{memory_id}.md")


def _refused(act: Callable[[], object], kind: type[Exception]) -> bool:
    try:
        act()
    except kind:
        return True
    return False


TestInAnyOrder = InAnyOrder.TestCase
TestInAnyOrder.settings = settings(
    max_examples=12, stateful_step_count=20, phases=(Phase.explicit, Phase.generate, Phase.shrink)
)
"""Explaining a failure takes minutes."""
