"""The tool core_memory: every operation, and its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.files import FileUnwritable
from memtui.ground.project import Project
from memtui.mcp.server import Surroundings
from tests.mcp.conftest import NOW, RECOVERY, answered, done, refused

FIRST = "CMEM-20260102-101500"


async def _call(here: Surroundings, **arguments: Any) -> dict[str, Any]:
    return await done(here, "core_memory", **arguments)


async def test_import_and_export_as_in_the_seed(here: Surroundings, project: Project) -> None:
    assert await _call(here, operation="import", text=RECOVERY) == {
        "operation": "import", "id": FIRST, "message": f"Created memory: {FIRST}",
    }  # fmt: skip
    assert await _call(here, operation="export", id=FIRST) == {
        "operation": "export", "id": FIRST, "content": RECOVERY,
    }  # fmt: skip
    meta = here.store.get(FIRST).meta
    assert (meta.project, meta.source, meta.session_id) == (str(project.root), "mcp", "5b0c7e1a")


async def test_secrets_are_masked_in_what_a_model_reads(here: Surroundings) -> None:
    key = "gh" + "p_" + "a1B2" * 9
    await _call(here, operation="import", text=f"Log in with {key}")
    exported = await _call(here, operation="export", id=FIRST)
    assert exported["content"] == "Log in with [masked: github token]"
    assert "masked" in exported["note"]
    assert key not in json.dumps(await _call(here, operation="list"))
    assert here.store.get(FIRST).body == f"Log in with {key}".encode()


@pytest.mark.parametrize(
    "text", ["a\r\nb\r\n", "no end", "\ufeff恢复", "x\0\x1b[31m\u2028", "---\nid: 1\n---\n"]
)
async def test_a_text_comes_back_exactly(here: Surroundings, text: str) -> None:
    made = (await _call(here, operation="import", text=text))["id"]
    assert (await _call(here, operation="export", id=made))["content"] == text
    assert here.store.get(made).body == text.encode()


@pytest.mark.parametrize("part", ["plain words\n", "退款订单", '"\\\x00', "👍🏽"])
async def test_a_long_text_comes_in_pages_that_add_up(here: Surroundings, part: str) -> None:
    text = part * (100_000 // len(part))
    made = (await _call(here, operation="import", text=text))["id"]
    whole, pages = "", 0
    offset: int | None = 0
    while offset is not None:
        answer = await _call(here, operation="export", id=made, offset=offset)
        assert len(json.dumps(answer, ensure_ascii=False).encode()) < 46_000
        assert (answer["offset"], answer["total_characters"]) == (offset, len(text))
        whole, offset, pages = whole + answer["content"], answer.get("next_offset"), pages + 1
    assert whole == text and pages > 2
    assert (await _call(here, operation="export", id=made, offset=10**6))["content"] == ""


async def test_a_list_of_long_rows_is_short(here: Surroundings) -> None:
    for number in range(40):
        tags = tuple(f"{number}-{tag}-{'x' * 30}" for tag in range(40))
        here.store.create(b"findme", project="/p", description="long " * 100, tags=tags)
    answer = await _call(here, operation="list", path="*", limit=100)
    assert answer["total"] == 40 and 10 < len(answer["memories"]) < 40
    assert len(json.dumps(answer)) < 46_000


async def test_a_memory_that_is_no_text_says_so(here: Surroundings) -> None:
    made = here.store.create(b"\xff\xfe caf\xe9")
    answer = await _call(here, operation="export", id=made.id)
    assert answer["content"] == "\ufffd\ufffd caf\ufffd"
    assert answer["note"].startswith("The text is not valid UTF-8")


async def test_list(here: Surroundings, tmp_path: Path) -> None:
    await _call(here, operation="import", text=RECOVERY, description="refunds\x1b[31m", tags=" a, b ")
    (tmp_path / "other" / ".git").mkdir(parents=True)
    await _call(here, operation="import", text="another text", path=str(tmp_path / "other"), tags=["b"])
    listed = await _call(here, operation="list")
    assert listed == {
        "operation": "list",
        "memories": [
            {
                "id": FIRST, "description": "refunds\u241b[31m", "project": str(tmp_path / "shop"),
                "created": NOW.isoformat(), "updated": NOW.isoformat(), "tags": ["a", "b"],
            }
        ],
        "total": 1,
    }  # fmt: skip
    everywhere = await _call(here, operation="list", path="*", limit=1)
    assert (everywhere["total"], len(everywhere["memories"])) == (2, 1)
    assert (await _call(here, operation="list", path="*", tags=["B"]))["total"] == 2
    assert (await _call(here, operation="list", path=str(tmp_path / "other" / ".git")))["total"] == 1


async def test_a_folder_may_be_given_from_where_it_began(here: Surroundings, project: Project) -> None:
    (project.root / "src").mkdir()
    await _call(here, operation="import", text="x", path="src")
    assert here.store.get(FIRST).meta.project == str(project.root)


async def test_a_broken_memory_is_listed_with_its_reason(here: Surroundings) -> None:
    await _call(here, operation="import", text="x")
    path = here.store.list().items[0].path
    path.write_text("---\nid: 3\n---\n")
    (listed,) = (await _call(here, operation="list", path="*"))["memories"]
    assert listed.keys() == {"id", "problem"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "'operation' is missing."),
        ({"operation": "drop"}, "operation: Input should be 'list', 'import'"),
        ({"operation": "list", "limit": 0}, "limit: Input should be greater than or equal to 1"),
        ({"operation": "list", "limit": "many"}, "limit: Input should be a valid integer"),
        ({"operation": "list", "tags": {"a": 1}}, "tags: Input should be a valid tuple"),
        ({"operation": "list", "tags": [3]}, "tags.0: Input should be a valid string"),
        ({"operation": "list", "folder": "x"}, "'folder' is not an argument of this tool."),
        ({"operation": "list", "path": "/no/such"}, "There is no folder '/no/such'."),
        ({"operation": "list", "path": "a\0b"}, "There is no folder 'a␀b'."),
        ({"operation": "list", "path": "x" * 5000}, "There is no folder 'xxx"),
        ({"operation": "list", "path": "~nobody-at-all"}, "There is no folder '~nobody-at-all'."),
        ({"operation": "import"}, "There is no text to import."),
        ({"operation": "import", "text": " \n"}, "There is no text to import."),
        ({"operation": "import", "text": "x", "path": "*"}, "There is no folder '*'."),
        ({"operation": "export"}, "This operation needs an id."),
        ({"operation": "export", "id": "../../etc"}, "has no memory"),
    ],
)
async def test_invalid_calls_are_reported(here: Surroundings, arguments: dict[str, Any], words: str) -> None:
    assert words in await refused(here, "core_memory", **arguments)
    assert not here.log.path.exists()


async def test_null_counts_as_left_out(here: Surroundings) -> None:
    failed, text = await answered(here, "core_memory", operation="list", id=None, limit=None, tags=None)
    assert not failed and json.loads(text)["total"] == 0


async def test_an_unknown_id_names_the_nearest(here: Surroundings) -> None:
    await _call(here, operation="import", text="x")
    assert FIRST in await refused(here, "core_memory", operation="export", id="CMEM-20260102-101509")


async def test_a_full_disk_is_one_sentence(here: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise FileUnwritable("/m/x.md", "cannot be written: the disk is full; free some space and try again")

    monkeypatch.setattr(here.store, "create", full)
    said = await refused(here, "core_memory", operation="import", text="x")
    assert said == "/m/x.md cannot be written: the disk is full; free some space and try again."


async def test_unexpected_errors_are_logged(here: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr(here.store, "list", broken)
    said = await refused(here, "core_memory", operation="list")
    assert "Something is wrong in memtui (KeyError while calling core_memory)" in said
    assert str(here.log.path) in said
    assert "surprise" in here.log.path.read_text()


async def test_a_stale_memory_says_so_before_its_text(here: Surroundings, project: Project) -> None:
    (project.root / "a.py").write_text("x")
    text = f"## Project Root\n{project.root}\n\n## Working Files (Modified)\n- {project.root}/a.py\n"
    old = here.store.create(text.encode(), project=str(project.root)).id
    answer = await _call(here, operation="export", id=old)
    assert answer["note"].startswith(f"{old} may be stale: 1 of 1 file changed since")
    assert list(answer).index("note") < list(answer).index("content")
    assert answer["content"] == text
