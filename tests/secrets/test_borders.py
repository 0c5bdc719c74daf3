"""No secret or private part gets past the boundaries, on any path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.documents.memory_file import draft_memory
from memtui.documents.recovery import draft_recovery, render_recovery
from memtui.ground.project import Home, Project
from memtui.hooks.compaction import first_prompt
from memtui.store.states import PLAN, StateStore
from tests.secrets.test_private import COUNT, SECRET, form
from tests.transcripts import Transcript

KEY = "ghp_" + "a1B2c3D4" * 5


def _transcript(number: int) -> Transcript:
    text = form(number)[0]
    s = Transcript()
    s.user(f"Write the list of releases, please. {text}")
    s.tool("TodoWrite", todos=[{"content": f"Look at the list {text}", "status": "pending"}])
    s.edit("/work/app/list.py")
    return s


def test_nothing_private_becomes_a_fact(tmp_path: Path) -> None:
    for number in range(0, COUNT, 10):
        facts = _transcript(number).facts(tmp_path)
        assert "Write the list of releases" in facts.first_prompt
        assert SECRET not in repr(facts), number
        texts = render_recovery(draft_recovery(facts, Path("/work/app"))), repr(draft_memory(facts))
        assert SECRET not in "".join(texts), number


@pytest.mark.parametrize("ascii_only", [True, False])
def test_nothing_private_is_the_first_prompt(tmp_path: Path, ascii_only: bool) -> None:
    path = tmp_path / "a.jsonl"
    for number in range(0, COUNT, 10):
        words = {"role": "user", "content": [{"type": "text", "text": f"Begin. {form(number)[0]}"}]}
        path.write_text(
            json.dumps({"type": "user", "message": words}, ensure_ascii=ascii_only) + "\n", encoding="utf-8"
        )
        found = first_prompt(path)
        assert found.startswith("Begin. "), number
        assert SECRET not in found, number


def test_what_is_kept_beside_the_states_is_masked(tmp_path: Path) -> None:
    home = Home(config=tmp_path, data=tmp_path, state=tmp_path, cache=tmp_path)
    path = StateStore(Project(tmp_path), home).keep_plan("a1", f"Log in with {KEY}")
    assert path.name == PLAN
    assert path.read_text() == "Log in with [masked: github token]"
