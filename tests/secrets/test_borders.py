"""No secret or private part gets past the boundaries, on any path."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.memory_file import draft_memory
from memtui.documents.recovery import draft_recovery, render_recovery
from memtui.ground.project import Home, Project
from memtui.hooks.compaction import first_prompt
from memtui.store.states import PLAN, StateStore
from tests.secrets.test_private import FORMS, SECRET, UNCLOSED
from tests.transcripts import Transcript

KEY = "ghp_" + "a1B2c3D4" * 5


@pytest.mark.parametrize("form", [*FORMS, *UNCLOSED])
def test_nothing_private_gets_out_of_a_transcript(tmp_path: Path, form: str) -> None:
    s = Transcript()
    s.user(f"Write the list of releases, please. {form}")
    s.tool("TodoWrite", todos=[{"content": f"Look at the list {form}", "status": "pending"}])
    s.edit("/work/app/list.py")
    facts = s.facts(tmp_path)
    assert "Write the list of releases" in facts.first_prompt
    texts = render_recovery(draft_recovery(facts, Path("/work/app"))), repr(draft_memory(facts))
    assert SECRET not in "".join((repr(facts), *texts))
    found = first_prompt(s.write(tmp_path))
    assert found.startswith("Write the list") and SECRET not in found


def test_what_is_kept_beside_the_states_is_masked(tmp_path: Path) -> None:
    home = Home(config=tmp_path, data=tmp_path, state=tmp_path, cache=tmp_path)
    path = StateStore(Project(tmp_path), home).keep_plan("a1", f"Log in with {KEY}")
    assert path.name == PLAN
    assert path.read_text() == "Log in with [masked: github token]"
