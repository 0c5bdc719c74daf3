"""No secret of a transcript gets into a session state."""

from __future__ import annotations

from pathlib import Path

from memtui.documents.compactor import draft_session_state, next_state
from memtui.documents.session_state import render_session_state
from memtui.ground.project import Project
from tests.transcripts import Transcript

KEY = "ghp_" + "a1B2c3D4" * 5


APP = Project(Path("/work/app"))


def test_secrets_are_masked(tmp_path: Path) -> None:
    s = Transcript()
    s.user(f"Use {KEY} to read the list of releases. Never print {KEY}.")
    s.tool("TodoWrite", todos=[{"content": f"Log in with {KEY}", "status": "in_progress"}])
    s.edit(f"/work/app/{KEY}.py")
    s.broken("Bash", f"Exit code 1\nError: {KEY} is not known", command=f"TOKEN={KEY} make test")
    facts = s.facts(tmp_path)
    first = draft_session_state(facts, APP)
    assert "Use [masked: github token] to read" in first.identity.goal
    s.user(f"Now use {KEY} for the upload, too, because it may write.")
    for state in (first, next_state(None, facts, APP), next_state(first, s.facts(tmp_path), APP)):
        assert state is not None
        text = render_session_state(state)
        assert KEY not in text
        assert "[masked: github token].py" in text
