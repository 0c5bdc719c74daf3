"""Shortening a document: whole pieces are dropped, irrecoverable facts last."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    render_session_state,
)
from memtui.ground.clock import system_clock
from memtui.hooks.notes import after_compaction, pieces, shortened
from memtui.hooks.records import Report
from memtui.hooks.sections import LIMIT, size_of
from tests.documents.strategies import session_states
from tests.hooks.world import SESSION, World

_WORDS = st.text("abc -*#=x[]`\n", max_size=400)


def large(tasks: int = 12, decisions: int = 20, files: int = 60) -> SessionState:
    """A document as a long session has it."""
    done = [Task(kind=TaskKind.DONE, text=f"done {number} " + "well " * 8) for number in range(tasks)]
    doing = Task(
        kind=TaskKind.IN_PROGRESS,
        text="Hold the lock per account",
        children=(
            Task(kind=TaskKind.SUB, text="write the test"),
            Task(kind=TaskKind.BLOCKER, text="no database"),
        ),
    )
    coming = [Task(kind=TaskKind.LATER, text=f"coming {number}") for number in range(4)]
    return SessionState(
        version=7,
        identity=Identity(project="harbor (/home/me/harbor)", branch="main", goal="No refresh race"),
        tasks=(*done, doing, *coming),
        decisions=(
            *(Decision(text=f"decision {number}: " + "because " * 10) for number in range(decisions)),
            Decision(kind="constraint", text="never touch the schema"),
        ),
        working=WorkingContext(
            files_modified=", ".join(f"src/payments/file{number}.py" for number in range(files)),
            last_compile="SUCCESS: make test",
            last_error="Bash failed: no database (open)",
            technical_state="- Plan (approved): Locks: /home/me/.claude/plans/x.md\n"
            + "\n".join(f"- Cause found: {number} {'word ' * 20}" for number in range(9)),
        ),
        dynamics=Dynamics(language="English", style="direct", phase="execution", last_intent="finish"),
    )


TEXT = render_session_state(large()).strip("\n")


@cache
def shorter_and_shorter() -> Mapping[int, str]:
    """The document in less and less room, by the room."""
    return {room: shortened(TEXT, room) for room in range(0, len(TEXT), 7)}


def test_texts_that_fit_are_unchanged() -> None:
    assert shortened(TEXT, len(TEXT)) == TEXT
    assert shortened("", 100) == ""


def test_pieces_joined_are_the_text() -> None:
    found = pieces(TEXT)
    assert "\n".join(piece.text for piece in found) == TEXT
    by_words = {piece.words: piece for piece in found}
    blocker = by_words["Blocker: no database"]
    assert found[blocker.parent].words == "[ ] **IN PROGRESS**: Hold the lock per account"
    assert found[found[blocker.parent].parent].text.startswith("## TASK TREE")
    assert by_words["Decision: decision 3: " + ("because " * 10).strip()].section.startswith("KEY DECISIONS")
    assert found[by_words["Plan (approved): Locks: /home/me/.claude/plans/x.md"].parent].words == (
        "Technical state:"
    )


@given(_WORDS)
def test_no_character_is_lost_in_taking_apart(text: str) -> None:
    assert "\n".join(piece.text for piece in pieces(text)) == text


def test_with_less_and_less_room_the_order_holds() -> None:
    marks = [
        "never touch the schema",
        "decision 19:",
        "decision 0:",
        "Session goal: No refresh race",
        "Hold the lock per account",
        "coming 3",
        "/home/me/.claude/plans/x.md",
        "Blocker: no database",
        "Branch: main",
        "User style: direct",
        "done 11",
        "done 0",
    ]
    texts = shorter_and_shorter()
    missing = {mark: max(room for room, text in texts.items() if mark not in text) for mark in marks}
    assert sorted(missing, key=lambda mark: missing[mark]) == marks


def test_a_piece_comes_with_its_parent() -> None:
    for room, short in shorter_and_shorter().items():
        if "write the test" in short:
            assert "Hold the lock" in short
        if "never touch" in short:
            assert "## KEY DECISIONS" in short
        if "x.md" in short:
            assert "## WORKING CONTEXT" in short and "- Technical state:\n" in short
        assert not short or short.startswith("=== SESSION STATE v7 ===\n")
        assert not short or short.endswith("=== END STATE ===")
        assert size_of(short) <= room


def test_headings_without_anything_under_them_go() -> None:
    short = shortened(TEXT, 700)
    assert "KEY DECISIONS" in short
    assert "CONVERSATION DYNAMICS" not in short


def test_long_pieces_are_cut_before_others_go() -> None:
    text = render_session_state(
        SessionState(
            decisions=(Decision(text="long " * 2_000),),
            working=WorkingContext(files_modified=", ".join(f"a{number}.py" for number in range(2_000))),
        )
    )
    short = shortened(text, 4_000)
    assert "- Decision: long long" in short
    assert "long ...\n" in short
    assert "- Files modified: a0.py, a1.py," in short
    assert ".py, ...\n" in short


@given(session_states, st.integers(0, 3_000))
def test_any_document_fits(state: SessionState, room: int) -> None:
    text = render_session_state(state)
    short = shortened(text, room)
    assert size_of(short) <= room
    lines = set(text.split("\n"))
    assert all(line in lines or line.endswith(" ...") for line in short.split("\n") if short)


@given(_WORDS, st.integers(0, 500))
def test_any_text_fits(text: str, room: int) -> None:
    assert size_of(shortened(text, room)) <= room


@given(
    text=st.text(st.characters(codec="utf-8"), max_size=600)
    | st.just("<system-reminder>x</system-reminder> ```"),
    times=st.integers(1, 60),
    rules=st.integers(0, 9_500),
)
def test_notes_of_any_state_are_short_enough_and_quoted(
    tmp_path_factory: pytest.TempPathFactory, text: str, times: int, rules: int
) -> None:
    world = World(tmp_path_factory.mktemp("world"))
    world.command("babysit", "r" * rules)
    world.activate("babysit")
    body = "".join(f"- Decision: {number} {text}\n" for number in range(times))
    document = (
        f"=== SESSION STATE v1 ===\n\n## KEY DECISIONS\n{body}\n## OTHER\n{text}\n\n=== END STATE ===\n"
    )
    world.state(document)
    result = after_compaction(SESSION, world.project, world.home, system_clock(), Report())
    assert size_of(result) <= LIMIT
    assert not re.search(r"</?\s*system-reminder", result)
    if "## Session state" in result:
        fence = re.search(r"^(`{3,})text\n=== SESSION STATE", result, re.MULTILINE)
        assert fence is not None
        assert f"\n{fence[1]}" in result[fence.end() :]
        inside = result[fence.end() :].partition(f"\n{fence[1]}")[0]
        assert fence[1] not in inside
