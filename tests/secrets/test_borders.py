"""No secret or private part gets past the boundaries, on any path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.memory_draft import draft_memory
from memtui.documents.recovery import render_recovery
from memtui.documents.recovery_draft import draft_recovery
from memtui.documents.session_state import Progress
from memtui.ground.project import Home, Project
from memtui.hooks.first_prompt import first_prompt
from memtui.secrets.excerpts import may_hold_secret
from memtui.secrets.places import assigned
from memtui.secrets.rules import placed, tokens
from memtui.store.state_progress import keep_progress
from memtui.store.states import PLAN, StateStore
from tests.secrets.secret_forms import forms
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
    kept = Progress(
        version=1,
        transcript="t",
        offset=0,
        head="",
        tail="",
        carried={"facts": [{"text": KEY}], "past": {f"Use {KEY}": "completed"}},
    )
    keep_progress(home, "a1", kept)
    text = (path.parent / "progress.json").read_text()
    assert KEY not in text
    assert "[masked: github token]" in text


def test_the_quick_look_misses_nothing() -> None:
    assert [text for text, _ in forms() if not may_hold_secret(text)] == []
    assert not may_hold_secret("Write the list of releases, please.")


def test_the_quick_look_passes_sentences_that_only_speak_of_secrets() -> None:
    assert not may_hold_secret("Fix the token refresh race, which the user's password check doesn't like.")
    assert not may_hold_secret("The key-value store keeps no secret; its API keys expire.")


_SPOKEN = """
password Password PASSWORD pass pwd requirepass secret token API_KEY api-key key Bearer Basic authorization
cookie ENV ARG login is was est for of to the -p -x mnemonic phrase value default hunter hunter!
hunter? hunter: don't b'hunter' 'hunter' a.b correct-horse xoxb-abcd tskey-abcdef qwxkjhgfdzpqbcd
qwxkjhgfdzpqbcdf dXNlcjpwYXNz HunterTwoBcdfgh
"""
_GAPS = (" ", " ", "  ", "\n", ", ", ". ", "; ", ": ")


@given(st.lists(st.tuples(st.sampled_from(_SPOKEN.split()), st.sampled_from(_GAPS)), max_size=12))
def test_where_the_quick_look_sees_no_secret_there_is_none(words: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in words)
    if not may_hold_secret(text):
        lowered = text.lower()
        assert [*tokens(text), *placed(text, lowered), *assigned(text, lowered)] == []
