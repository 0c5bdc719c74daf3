"""The rules of a session state from version to version: properties, identity, size."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.compactor import (
    TARGET,
    count_of,
    fitted,
    members,
    merge,
    merged_decisions,
    next_state,
    size_of,
)
from memtui.documents.format import Section
from memtui.documents.session_state import (
    Decision,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    parse_session_state,
    render_session_state,
    task_key,
)
from memtui.transcript.records import Facts, FileFact, Todo
from memtui.transcript.short_text import key_of
from tests.documents import strategies
from tests.documents.compacting import SHOP, after, facts, of_kind
from tests.documents.made import answer, commit, failed, plan, ran, turn
from tests.examples import shared

FLOOR = 2_000
"""Minimum size of everything but decisions and additions of a person, in tokens."""

# --- properties -------------------------------------------------------------------------------------------

_word = st.sampled_from(
    ["refund", "stock", "ledger", "token", "cache", "panel", "退款", "库存", "在庫", "reçu", "prix", "返金"]
)
_text = shared(st.lists(_word, min_size=1, max_size=6).map(" ".join))
_long = shared(st.lists(_word, min_size=40, max_size=90).map(" ".join), 40)
_answer = st.builds(answer, _text, _text | _long, st.integers(1, 300))
_todo = st.builds(Todo, _text, st.sampled_from(["completed", "in_progress", "pending"]))
_file = st.builds(
    FileFact, _text.map(lambda text: f"/work/shop/{text.replace(' ', '/')}.py"), st.just(1), st.just(False)
)
_facts = shared(
    st.builds(
        Facts,
        turns=st.lists(
            st.builds(
                turn,
                st.integers(1, 300),
                _text | _long,
                _text | _long,
                _text,
                end=st.sampled_from(["answered", "interrupted"]),
            ),
            max_size=4,
        ).map(tuple),
        todos=st.lists(_todo, max_size=25).map(tuple),
        answers=st.lists(_answer, max_size=12).map(tuple),
        modified_files=st.lists(_file, max_size=30).map(tuple),
        landmarks=st.lists(st.builds(commit, _text, st.integers(1, 300)), max_size=3).map(tuple),
        errors=st.lists(st.builds(failed, _text, st.integers(1, 300), _text | _long), max_size=3).map(tuple),
    ),
    40,
)


def every_member(state: SessionState) -> list[str]:
    return [text for decision in state.decisions for text in members(decision)]


@given(st.lists(_facts, min_size=1, max_size=6))
def test_decisions_only_grow_and_tasks_need_evidence(said: list[Facts]) -> None:
    state: SessionState | None = None
    shown: set[str] = set()
    version = 0
    for new in said:
        shown |= {task_key(todo.content) for todo in new.todos if todo.status == "completed"}
        shown |= {task_key(f"{mark.text} (committed)") for mark in new.landmarks}
        following = next_state(state, new, SHOP)
        if following is None:
            continue
        version += 1
        assert following.version == version
        assert len(following.decisions) <= 20
        done = {task_key(task.text) for task in following.tasks if task.kind is TaskKind.DONE}
        counted = {task_key(task.text) for task in following.tasks if count_of(task)}
        cut = [key.removesuffix("…") for key in done - counted]
        assert all(any(each.startswith(key) for each in shown) for key in cut)
        assert len(of_kind(following, TaskKind.IN_PROGRESS)) <= 1
        assert sum(task.kind is not TaskKind.NOTE for task in following.tasks) <= 15
        if state is not None:
            kept = every_member(following)
            assert all(text in kept for text in every_member(state))
        decisions = SessionState(decisions=following.decisions)
        assert size_of(following) <= max(TARGET, size_of(decisions) + FLOOR)
        assert parse_session_state(render_session_state(following)) == following
        state = following


@given(_facts, _facts)
def test_the_same_facts_twice_change_nothing(first: Facts, second: Facts) -> None:
    state = after(None, first)
    assert next_state(state, first, SHOP) is None
    following = next_state(state, second, SHOP) or state
    assert next_state(following, second, SHOP) is None


@given(
    st.lists(st.builds(Decision, kind=st.sampled_from(["decision", "constraint"]), text=_text), max_size=60)
)
def test_grouping_keeps_the_words_of_every_decision(decisions: list[Decision]) -> None:
    merged = merged_decisions((), decisions)
    assert len(merged) <= 20
    kept = [key_of(text) for decision in merged for text in members(decision)]
    assert len(kept) == len(set(kept))
    assert {key_of(decision.text) for decision in decisions} == set(kept)


@given(strategies.session_states, strategies.session_states)
def test_the_rules_hold_for_any_draft(previous: SessionState, drafted: SessionState) -> None:
    previous = previous.replace(version=min(previous.version, 900))
    merged = merge(previous, drafted)
    if merged is None:
        return
    assert merged.version == previous.version + 1
    assert parse_session_state(render_session_state(merged)) == merged
    kept = {key_of(text) for text in every_member(merged)}
    assert {key_of(text) for text in every_member(previous)} <= kept
    again = merge(merged, drafted)
    assert again is None or again.decisions == merged.decisions


# --- identity ---------------------------------------------------------------------------------------------


def test_the_goal_follows_what_is_asked() -> None:
    first = facts(turns=(turn(1, "Make refunds give the stock back.", "Ok."),))
    state = after(None, first)
    assert state.identity.goal == 'first asked (L1): "Make refunds give the stock back."'
    more = replace(first, turns=(*first.turns, turn(9, "also log each of them", "Logged.")))
    state = after(state, more)
    assert state.identity.goal.startswith('last asked (L9): "also log each of them"; first asked')


def test_a_goal_that_a_person_wrote_stays() -> None:
    first = facts(turns=(turn(1, "fix it", "Ok."),), branch="main")
    state = after(None, first)
    edited = state.replace(
        identity=state.identity.replace(goal="Refunds, for good", extra=("Deadline: Friday",))
    )
    second = replace(first, turns=(*first.turns, turn(9, "and test", "Ok.")), branch="fix")
    following = after(edited, second)
    assert following.identity.goal == "Refunds, for good"
    assert following.identity.branch == "fix"
    assert following.identity.extra == ("Deadline: Friday",)
    planned = replace(second, plans=(plan("# One ledger", "approved", 12),))
    assert after(following, planned).identity.goal == "Refunds, for good"


# --- what is replaced, what a person added, and size -------------------------------------------------------


def test_a_large_session_is_fitted_and_no_file_is_left_out() -> None:
    files = tuple(FileFact(f"/work/shop/src/area{n % 9}/part_{n}.py", 1, False) for n in range(200))
    checks = tuple(ran(f"npm run check:{n}", n, "failed", "Error: " + "x" * 500) for n in range(9))
    said = facts(
        modified_files=files,
        commands=checks,
        todos=tuple(Todo(f"a rather long task number {n} " * 9, "pending") for n in range(150)),
        turns=tuple(turn(n * 9, f"ask {n} " * 99, "answer " * 200, "text " * 99) for n in range(1, 9)),
    )
    state = after(None, said)
    assert size_of(state) <= TARGET
    assert all(f"part_{n}.py" in state.working.files_modified for n in range(200))
    assert "src/area0/{part_0.py, part_9.py, " in state.working.files_modified


def test_decisions_are_the_last_to_give_way() -> None:
    decisions = tuple(Decision(text=f"decision {n}: " + "because of the ledger " * 30) for n in range(60))
    tasks = tuple(Task(kind=TaskKind.DONE, text=f"task {n}") for n in range(14))
    state = SessionState(
        decisions=decisions, tasks=tasks, working=WorkingContext(files_modified="a.py, " * 4000)
    )
    small = fitted(state)
    assert small.decisions == decisions
    assert size_of(small) - size_of(SessionState(decisions=decisions)) < FLOOR


def test_the_working_context_is_replaced_and_a_persons_lines_stay() -> None:
    old = SessionState(
        working=WorkingContext(last_error="boom", technical_state="old", extra=("Server: staging",)),
        extra=(Section(heading="MY NOTES", text="call Ann"),),
        preamble="Written by hand.",
    )
    merged = merge(old, SessionState(working=WorkingContext(technical_state="new")))
    assert merged is not None
    assert merged.working == WorkingContext(technical_state="new", extra=("Server: staging",))
    assert merged.extra == old.extra
    assert merged.preamble == "Written by hand."
