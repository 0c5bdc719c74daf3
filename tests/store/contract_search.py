"""Searching in every store of memories; a part of the contract."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memtui.store.base import Filter, New
from memtui.store.memories import MemoryStore
from tests.store.contract_base import (
    EACH,
    ContractBase,
    Watch,
)


class SearchContract(ContractBase):
    """The tests of searching."""

    def test_finds_what_holds_every_word(self, store: MemoryStore) -> None:
        for body, description in (
            (b"fix the getUserById call", "Tax"),
            ("税务服务".encode(), "Ärger"),
            (b"\xff", ""),
        ):
            store.create(New(body, project="/p" if description else "", description=description))
        expected = {
            "getuser tax": 1,
            "call the": 1,
            "tax 税": 0,
            "务": 1,
            "arger": 1,
            "CMEM-2026": 3,
            '"fix the"': 1,
        }
        assert {query: store.search(query).total for query in expected} == expected
        assert all(store.search(query).complete for query in expected)
        found = [store.search("CMEM", limit=1, offset=number) for number in range(4)]
        assert [(len(each.hits), each.total) for each in found] == [(1, 3), (1, 3), (1, 3), (0, 3)]
        assert len({each.hits[0].listed.meta.id for each in found[:3]}) == 3

    def test_a_project_is_its_root_and_what_is_below(self, store: MemoryStore) -> None:
        for project in ("/p", "/p/below", "/pp", "", "/"):
            store.create(New(b"x", project=project))
        expected = {"/p": {"/p", "/p/below", ""}, "/p/below": {"/p/below", ""}, "/none": {""}}
        for root, projects in expected.items():
            where = Filter(project=root)
            assert {listed.meta.project for listed in store.list(where).items} == projects
            assert store.list(where, limit=1).total == len(projects)
            assert {hit.listed.meta.project for hit in store.search("x", where).hits} == projects

    def test_a_hit_shows_where(self, store: MemoryStore) -> None:
        store.create(New(b"first\nand then the needle, and more\n" * 3))
        (hit,) = store.search("NEEDLE").hits
        assert "\n" not in hit.snippet
        assert hit.marks
        assert {hit.snippet[start:end] for start, end in hit.marks} == {"needle"}
        assert all(before[1] < after[0] for before, after in pairwise(hit.marks))

    @EACH
    @given(
        query=st.text(max_size=20)
        | st.sampled_from(('"', "a AND", "NEAR(", "*", "x:y", "-", "'", "a\0b", "("))
    )
    def test_any_text_is_a_query(self, query: str) -> None:
        store = self.make(Watch())
        store.create(New(b"some text"))
        assert store.search(query).total in (0, 1)

    def test_changes_are_found(self, store: MemoryStore) -> None:
        meta = store.create(New(b"text", description="old"))
        assert store.search("old").total == 1
        store.update(meta.id, description="new")
        assert (store.search("old").total, store.search("new text").total) == (0, 1)
