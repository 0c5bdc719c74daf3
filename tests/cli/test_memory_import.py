"""`memtui memory import`: files, pipes and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.ground.project import Project
from tests.cli.conftest import Memtui, Result
from tests.cli.memories import Pipe, store


def test_import_of_files(memtui: Memtui, project: Project, tmp_path: Path, pipe: Pipe) -> None:
    source = tmp_path / "a text.md"
    source.write_bytes(b"\xef\xbb\xbf\r\n\xff---\r\nx")
    first = memtui(
        "memory", "import", str(source), "--tags", "a, b", "--tags", "c", "--description", " d ", "--json"
    )
    answer = json.loads(first.out)
    assert answer == {
        "operation": "import", "id": answer["id"], "message": f"Created memory: {answer['id']}",
    }  # fmt: skip
    stored = store().get(answer["id"])
    assert stored.body == source.read_bytes()
    assert (stored.meta.project, stored.meta.tags, stored.meta.description) == (
        str(project.root), ("a", "b", "c"), "d",
    )  # fmt: skip
    pipe(b"piped\n")
    assert json.loads(memtui("memory", "import", "-").out)["message"].startswith("Created memory: CMEM-")
    assert memtui("memory", "import", "--file", str(source)).code == 0
    assert memtui("memory", "import", str(source), "--file", str(source)).code == 2


@pytest.mark.parametrize("data", [b"", b" \r\n\t "])
def test_an_empty_text_is_refused(memtui: Memtui, project: Project, pipe: Pipe, data: bytes) -> None:
    pipe(data)
    assert memtui("memory", "import") == Result(
        1, "", "memtui: standard input is empty; nothing was imported.\n"
    )
    (project.root / "empty.md").write_bytes(data)
    assert "'empty.md' is empty" in memtui("memory", "import", "empty.md").err
    assert store().list().total == 0


def test_files_that_cannot_be_read(memtui: Memtui, project: Project) -> None:
    (project.root / "folder").mkdir()
    for name, says in (("nowhere.md", "does not exist"), ("folder", "is a folder")):
        result = memtui("memory", "import", name)
        assert (result.code, result.out) == (1, "")
        assert name in result.err and says in result.err


def test_a_terminal_is_not_waited_for(memtui: Memtui, project: Project, pipe: Pipe) -> None:
    pipe(b"typed\n", terminal=True)
    result = memtui("memory", "import")
    assert (result.code, result.out) == (2, "")
    assert "there is no text: name a file" in result.err
    asked = memtui("memory", "import", "-")
    assert asked.code == 0
    assert "ctrl+d" in asked.err
