"""The memories of a store that are related to one, and the graph of all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.documents.memory_graph import Entity
from memtui.documents.recovery import Recovery, RoleFile, render_recovery
from memtui.ground.project import memtui_home
from memtui.store import relations
from memtui.store.memories import MemoryStore
from memtui.store.relations import entities_of, memory_graph, related_memories

ROOT = "/home/ann/shop"
START = datetime(2026, 1, 2, 10, tzinfo=UTC)


@pytest.fixture
def backend() -> MemoryStore:
    return MemoryStore(memtui_home(), lambda: START)


def _put(
    backend: MemoryStore,
    *files: str,
    root: str = ROOT,
    hours: float = 0,
    session_id: str = "",
    decisions: tuple[str, ...] = (),
    notes: str = "",
) -> str:
    recovery = Recovery(
        project_root=root,
        working_files=tuple(RoleFile(path=path) for path in files),
        decisions=decisions,
        notes=notes,
    )
    created = START + timedelta(hours=hours)
    return backend.create(render_recovery(recovery).encode(), root, session_id=session_id, created=created).id


def _related(backend: MemoryStore, memory_id: str) -> list[tuple[str, list[str]]]:
    return [
        (each.id, [entity.name for entity in each.shared]) for each in related_memories(backend, memory_id)
    ]


def test_by_files_however_they_are_written(backend: MemoryStore) -> None:
    one = _put(backend, f"{ROOT}/src/auth.py", f"{ROOT}/README.md")
    both = _put(backend, "src/auth.py", "README.md")
    readme = _put(backend, f"{ROOT}/docs/../README.md", notes="see README.md")
    _put(backend, f"{ROOT}/src/tax.py", notes="Nothing but a mention of src/auth.py that is no path of ours")
    for number in range(20):
        _put(backend, f"{ROOT}/other{number}.py")
    found = _related(backend, one)
    assert [memory_id for memory_id, _ in found] == [both, readme]


def test_by_session_which_no_text_names(backend: MemoryStore) -> None:
    one = _put(backend, session_id="90dd90a0")
    same = _put(backend, session_id="90dd90a0", hours=30)
    _put(backend, session_id="another", hours=1)
    assert _related(backend, one) == [(same, ["90dd90a0"])]


def test_by_decisions_and_no_more_than_asked_for(backend: MemoryStore) -> None:
    one = _put(backend, decisions=('Use "Redis": fast',))
    others = [
        _put(backend, decisions=(text,)) for text in ("use redis - so", 'Use  "redis": again', "Use redis")
    ]
    _put(backend, decisions=("Use redis and more",))
    found = related_memories(backend, one, limit=2)
    assert [each.id for each in found] == others[:0:-1]


def test_other_texts_only_have_the_stores_metadata(
    backend: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relations, "_RECOVERY_LIMIT", 100)
    one = backend.create(b"\xff hello", project=ROOT, session_id="s1").id
    two = backend.create(b"x" * 200, session_id="s1").id
    assert entities_of(backend.get(one)) == (Entity("session", "s1"), Entity("project", ROOT))
    assert _related(backend, one) == [(two, ["s1"])]


def test_it_can_be_left(backend: MemoryStore) -> None:
    one = _put(backend, "a.py")
    _put(backend, "a.py")
    assert related_memories(backend, one, cancelled=lambda: True) == []


def test_the_graph_is_of_what_is_asked_for(backend: MemoryStore) -> None:
    _put(backend, "a.py", "b.py")
    newest = _put(backend, "a.py", hours=1)
    _put(backend, "a.py", root="/home/ann/else")
    graph = memory_graph(backend, ROOT, least=2)
    assert graph.nodes[0].name == newest
    assert {(node.kind, node.name, node.memories) for node in graph.nodes if node.kind != "memory"} == {
        ("file", f"{ROOT}/a.py", 2),
        ("project", ROOT, 2),
    }
    assert len(memory_graph(backend).nodes) == 3 + 5
