"""`memtui memory import-ccw`."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memtui.ground.project import Project
from tests.cli.conftest import Memtui, Result
from tests.cli.memories import put, store

FIRST, SECOND = "CMEM-20250101-080000", "CMEM-20250102-091500"


def _database(path: Path, *rows: tuple[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE memories (id TEXT PRIMARY KEY, content TEXT, summary TEXT, raw_output TEXT, "
            "created_at TEXT, updated_at TEXT, archived INTEGER, metadata TEXT, tags TEXT)"
        )
        time = "2025-01-01T08:00:00.000Z"
        connection.executemany(
            "INSERT INTO memories VALUES (?, ?, 'sum', NULL, ?, ?, 0, NULL, '[\"a\"]')",
            [(memory_id, content, time, time) for memory_id, content in rows],
        )
    return path


def test_imported_present_and_clashing_memories(memtui: Memtui, project: Project, tmp_path: Path) -> None:
    path = _database(
        tmp_path / "core_memory.db", (FIRST, "one"), (SECOND, "two\x1b[2J"), ("CMEM-x\x1b", "three")
    )
    put("2025-01-01T08:00:00+00:00", "mine")
    result = memtui("memory", "import-ccw", str(path))
    assert (result.code, result.err) == (0, "")
    head, *groups = result.out.splitlines()
    assert head == "2 imported, 0 here already, 1 left out."
    assert "Left out:" in groups
    assert f"- {FIRST}: another text has this id already" in groups
    assert "\x1b" not in result.out
    assert (store().get(FIRST).body, store().get(SECOND).body) == (b"mine", b"two\x1b[2J")
    meta = store().get(SECOND).meta
    assert (meta.project, meta.description, meta.tags, meta.source) == (
        str(project.root),
        "sum",
        ("a",),
        "ccw",
    )
    again = json.loads(memtui("memory", "import-ccw", str(path), "--json").out)
    assert again == {
        "database": str(path),
        "imported": [],
        "renamed": [],
        "present": [SECOND, "CMEM-x\x1b"],
        "clashes": [{"id": FIRST, "reason": "another text has this id already"}],
    }


def test_the_projects_own_database_is_found(
    memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = Path.home() / ".ccw" / "projects"
    name = str(project.root).strip("/").replace("/", "-")
    _database(home / "home-someone-else" / "core-memory" / "core_memory.db", (SECOND, "theirs"))
    refused = memtui("memory", "import-ccw")
    assert refused.code == 1
    assert "name one of" in refused.err and "home-someone-else" in refused.err
    _database(home / name / "core-memory" / "core_memory.db", (FIRST, "ours"))
    assert json.loads(memtui("memory", "import-ccw", "--json").out)["imported"] == [FIRST]
    assert store().list().total == 1
    monkeypatch.setenv("CCW_DATA_DIR", str(tmp_path / "elsewhere"))
    assert memtui("memory", "import-ccw") == Result(
        1, "", f"memtui: there is no database of ccw's in {tmp_path / 'elsewhere' / 'projects'}; name one.\n"
    )


@pytest.mark.parametrize("data", [b"", b"text", b"SQLite format 3\0" + b"x" * 100])
def test_an_invalid_database_is_reported(memtui: Memtui, project: Project, data: bytes) -> None:
    (project.root / "core_memory.db").write_bytes(data)
    for name in ("core_memory.db", "missing.db"):
        result = memtui("memory", "import-ccw", name)
        assert (result.code, result.out) == (1, "")
        assert name in result.err and result.err.count("\n") == 1
