"""`memtui memory`: tagging, deleting and superseding memories, and abbreviated ids."""

from __future__ import annotations

import json

import pytest

from memtui.ground.project import Project
from tests.cli.conftest import Memtui
from tests.cli.memories import FIRST, SECOND, TEXT, put, store


def test_suggestions_for_the_trash_come_from_the_trash(memtui: Memtui, two: Project) -> None:
    memtui("memory", "delete", FIRST)
    assert "see `memtui memory list --trash`" in memtui("memory", "undelete", "nope").err


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        (("--add", "new,auth"), ("auth", "Tokens", "new")),
        (("--add", "#auth, #new,NEW"), ("auth", "Tokens", "new")),
        (("--remove", "TOKENS"), ("auth",)),
        (("--remove", "#tokens"), ("auth",)),
        (("--add", "a b", "--remove", "auth", "--add", "c"), ("Tokens", "a b", "c")),
        (("--set", "x, y,x"), ("x", "y")),
        (("--set", ""), ()),
        ((), ("auth", "Tokens")),
    ],
)
def test_tags(memtui: Memtui, two: Project, words: tuple[str, ...], tags: tuple[str, ...]) -> None:
    assert memtui("memory", "tag", FIRST, *words).out == f"{FIRST}: {', '.join(tags) or 'no tags'}\n"
    stored = store().get(FIRST)
    assert (stored.meta.tags, stored.body) == (tags, TEXT.encode())


def test_delete_and_back(memtui: Memtui, two: Project) -> None:
    deleted = memtui("memory", "delete", "cmem-20260101")
    assert deleted.out == f"Deleted {FIRST}. To bring it back: memtui memory undelete {FIRST}\n"
    assert FIRST not in memtui("memory", "list", "--all").out
    assert memtui("memory", "list", "--trash").out.startswith(f"{FIRST}\t")
    assert json.loads(memtui("memory", "list", "--trash", "--json").out)["total"] == 1
    result = memtui("memory", "show", FIRST)
    assert result.code == 1
    assert "undelete" in result.err
    assert memtui("memory", "undelete", "2026").out == f"{FIRST} is back.\n"
    assert memtui("memory", "undelete", FIRST).code == 1
    assert store().get(FIRST).body == TEXT.encode()


@pytest.mark.parametrize("word", ["show", "export", "tag", "delete", "undelete"])
def test_an_unknown_id_is_one_sentence(memtui: Memtui, two: Project, word: str) -> None:
    for wanted in ("CMEM-20260101-080001", "2027", "../../etc/passwd", "a\x1b[2J\nb", "", "\udc80"):
        result = memtui("memory", word, wanted)
        assert (result.code, result.out) == (1, ""), wanted
        assert result.err.startswith("memtui: ")
        assert result.err.count("\n") == 1, wanted
        assert "\x1b" not in result.err
        if wanted.startswith("CMEM") and word != "undelete":
            assert FIRST in result.err


def test_a_beginning_is_looked_for_in_this_project_first(memtui: Memtui, two: Project) -> None:
    put("2026-01-01T09:00:00+00:00", b"another project's", project="/elsewhere")
    assert memtui("memory", "export", "20260101").out == TEXT
    result = memtui("memory", "export", "202601")
    assert (result.code, result.out) == (1, "")
    assert SECOND in result.err
    other = put("2026-01-04T09:00:00+00:00", b"only there", project="/elsewhere")
    assert memtui("memory", "export", "--id", other[:13]).out == "only there"


@pytest.mark.parametrize("word", [FIRST, FIRST.lower(), FIRST[5:], FIRST[5:18]])
def test_a_deleted_memory_is_reported_however_its_id_is_given(
    memtui: Memtui, two: Project, word: str
) -> None:
    memtui("memory", "delete", FIRST)
    result = memtui("memory", "show", word)
    assert result.code == 1
    assert f" has no memory {word}: " in result.err
    assert result.err.endswith(f" is in the trash, and `memtui memory undelete {FIRST}` brings it back.\n")
