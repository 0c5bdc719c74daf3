"""Names that are not UTF-8, of a transcript and of the project's folder, break no command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.ground.project import claude_config, transcript_slug
from tests.app.widgets.records import said, text, user, write
from tests.cli.conftest import Memtui

NAMED = "6f0e1b72-3c48-4d9a-8e15-b7c2d4a9f031"


@pytest.fixture(params=["harbor", os.fsdecode(b"har\xffbor")])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    root = tmp_path / str(request.param)
    (root / ".git").mkdir(parents=True)
    folder = claude_config() / "projects" / transcript_slug(root)
    folder.mkdir(parents=True)
    for name in (NAMED, os.fsdecode(b"s\xffx")):
        write(folder / f"{name}.jsonl", user("Paint the rabbit", cwd=str(root)), said(text("Painted")))
    return root


@pytest.mark.parametrize(
    "words",
    [
        ("search", "rabbit"),
        ("search", "--all", "rabbit"),
        ("sessions",),
        ("sessions", "--all"),
        ("sessions", "--all", "--json"),
        ("captures",),
        ("state", "show"),
        ("lost",),
        ("pin",),
        ("archive", "forget", "s"),
        ("doctor",),
    ],
)
def test_no_command_breaks(memtui: Memtui, root: Path, words: tuple[str, ...]) -> None:
    result = memtui(*words, "--root", str(root))
    assert "Something is wrong" not in result.err and "Traceback" not in result.err
    assert "surrogates" not in result.err
    (result.out + result.err).encode()
    if words[0] == "search" and root.name.isascii():
        assert "rabbit" in result.out
