"""Fitting texts into room: irrecoverable facts are dropped last, parts keep their first lines."""

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
from memtui.hooks.notes import after_compaction, rank_in_state
from memtui.hooks.records import Report
from memtui.hooks.sections import LIMIT, abridged, shares, shortened, size_of
from tests.documents.strategies import session_states
from tests.hooks.world import SESSION, World


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
PATH = ".claude/commands/babysit.md"
LINES = st.lists(
    st.sampled_from(["", "# Rules", "## Part two", "```", "- ask first", "x" * 90, "日本語の規則"])
)


def short_state(text: str, room: int) -> str:
    return shortened(text, room, rank_in_state)


@cache
def shorter_and_shorter() -> Mapping[int, str]:
    """The document in less and less room, by the room."""
    return {room: short_state(TEXT, room) for room in range(0, len(TEXT), 13)}


def test_with_less_and_less_room_the_order_holds() -> None:
    marks = [
        "never touch the schema",
        "decision 19:",
        "decision 0:",
        "Session goal: No refresh race",
        "Hold the lock per account",
        "coming 3",
        "Last error",
        "Branch: main",
        "User style: direct",
        "done 11",
        "done 0",
    ]
    texts = shorter_and_shorter()
    missing = {mark: max(room for room, text in texts.items() if mark not in text) for mark in marks}
    assert sorted(missing, key=lambda mark: missing[mark]) == marks


@given(session_states, st.integers(0, 3_000))
def test_any_document_fits(state: SessionState, room: int) -> None:
    text = render_session_state(state)
    short = short_state(text, room)
    assert size_of(short) <= room
    lines = set(text.split("\n"))
    assert all(line in lines or line.endswith(" …") for line in short.split("\n") if short)


@given(st.text("abc -*#=x[]`\n", max_size=400) | LINES.map("\n".join), st.integers(0, 1_500))
def test_any_text_fits(text: str, room: int) -> None:
    assert size_of(short_state(text, room)) <= room
    assert size_of(abridged(text * 3, room + 300, PATH)) <= room + 300


@given(st.lists(st.integers(0, 10_000)), st.integers(0, 20_000))
def test_shares_fit_and_waste_nothing(sizes: list[int], room: int) -> None:
    given_room = shares(sizes, room)
    assert all(share <= size for share, size in zip(given_room, sizes, strict=True))
    assert sum(given_room) == min(sum(sizes), room) or sum(sizes) > room >= sum(given_room)
    cut = [share for share, size in zip(given_room, sizes, strict=True) if share < size]
    assert not cut or max(given_room) - min(cut) <= 1


def test_every_part_of_rules_keeps_its_first_lines() -> None:
    body = "\n".join(f"line {number} of a long part" for number in range(200))
    text = "\n\n".join(f"{'#' * (number + 1)} Part {number}\n\n{body}" for number in range(3))
    short = abridged(text, 3_000, PATH)
    assert size_of(short) <= 3_000
    for number in range(3):
        assert f"# Part {number}\n\nline 0" in short
    assert short.count("line 1 of a long part") == 3
    assert short.endswith(f" more characters: read {PATH}")
    missing = int(short.rpartition("... ")[2].partition(" ")[0].replace(",", ""))
    assert missing == size_of(text) - size_of(short.rpartition("\n\n...")[0])
    assert size_of(short) > 2_700  # what is left is filled from the top
    assert "line 40 of a long part\nline 41 of" in short


def test_a_hash_inside_a_fence_begins_no_part() -> None:
    text = "\n".join(["# Rules", "```sh", "# a comment", "run", "```", *["more rules"] * 400])
    assert "# a comment\nrun\n```" in abridged(text, 1_000, PATH)


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


def test_a_long_list_under_one_item_takes_the_room_that_nothing_else_needs() -> None:
    text = "1. While working:\n" + "".join(f"   - rule {number} of many\n" for number in range(200))
    assert size_of(abridged(text, 3000, "rules.md")) > 2700
