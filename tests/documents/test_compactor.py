"""The rules of a session state from version to version: properties, identity, size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
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
from memtui.documents.markdown import Section
from memtui.documents.session_state import (
    Decision,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    parse_session_state,
    render_session_state,
)
from memtui.documents.state_draft import task_key
from memtui.ground.project import Project
from memtui.transcript.records import Facts, FileFact, Todo
from memtui.transcript.short_text import key_of
from tests.documents import strategies
from tests.documents.made import answer, commit, failed, plan, ran, todo, turn
from tests.examples import shared

SHOP = Project(Path("/work/shop"))
NOTHING = Facts()


def facts(**changes: object) -> Facts:
    return replace(NOTHING, **changes)  # type: ignore[arg-type]


def todos(**statuses: str) -> tuple[Todo, ...]:
    short = {"done": "completed", "now": "in_progress", "open": "pending"}
    return tuple(Todo(name.replace("_", " "), short[status]) for name, status in statuses.items())


def after(state: SessionState | None, said: Facts) -> SessionState:
    following = next_state(state, said, SHOP)
    assert following is not None
    return following


def of_kind(state: SessionState, kind: TaskKind) -> list[str]:
    return [task.text for task in state.tasks if task.kind is kind]


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
        modified_files=st.lists(_file, max_size=9).map(tuple),
        landmarks=st.lists(st.builds(commit, _text, st.integers(1, 300)), max_size=3).map(tuple),
        errors=st.lists(st.builds(failed, _text, st.integers(1, 300), _text | _long), max_size=3).map(tuple),
    ),
    40,
)


def every_member(state: SessionState) -> list[str]:
    return [text for decision in state.decisions for text in members(decision)]


@given(st.lists(_facts, min_size=1, max_size=4))
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


def test_the_goal_is_what_began_the_session_until_a_plan_is_approved() -> None:
    first = facts(turns=(turn(1, "Make refunds give the stock back.", "Ok."),))
    state = after(None, first)
    assert state.identity.goal == '"Make refunds give the stock back." (first asked, L1)'
    more = replace(first, turns=(*first.turns, turn(9, "also log each of them", "Logged.")))
    state = after(state, more)
    assert state.identity.goal.endswith('(first asked, L1); "also log each of them" (last asked, L9)')
    assert state.dynamics.last_intent == 'last asked (L9): "also log each of them"'
    planned = replace(more, plans=(plan("# One ledger", "approved", 12),))
    assert after(state, planned).identity.goal == "One ledger (approved plan, L12)"


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


def test_related_decisions_share_an_entry_beyond_twenty() -> None:
    decisions = [Decision(text=f"{thing} number {n}") for n in range(12) for thing in ("ledger", "panel")]
    merged = merged_decisions((), decisions)
    assert len(merged) == 20
    groups = [members(each) for each in merged if len(members(each)) > 1]
    assert groups
    assert all(len({text.split()[0] for text in group}) == 1 for group in groups)
    state = SessionState(decisions=merged)
    assert parse_session_state(render_session_state(state)) == state


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use C for it", "Use C++ for it"),
        ("Use C++ for it", "Use C# for it"),
        ("the timeout is 15 s", "the timeout is 1.5 s"),
        ("x must be <= 3", "x must be >= 3"),
        ("the default is 1", "the default is -1"),
        ("a == b wins", "a != b wins"),
        ("keep every file of the last three releases", "keep every file"),
        (
            "store each session in the database of the host, not in files",
            "store each session in the database of the host",
        ),
        ("→ ✅", "→ ❌"),
    ],
)
def test_decisions_that_differ_in_a_sign_or_go_on_are_two(first: str, second: str) -> None:
    one, other = Decision(text=first), Decision(text=second)
    assert merged_decisions([one], [other]) == (one, other)
    assert merged_decisions([other], [one]) == (other, one)


@pytest.mark.parametrize("expected", ["Use **C++** for it.", "- use `C++` for it", "Use C++, for it!"])
def test_a_decision_is_known_in_other_marks(expected: str) -> None:
    known = (Decision(text="Use C++ for it"),)
    assert merged_decisions(known, [Decision(text=expected)]) == known


def test_a_decision_that_was_cut_is_known() -> None:
    known = (Decision(text="store each session in the relational database of the host, not in files"),)
    cut = Decision(text="store each session in the relational database of the host…")
    assert merged_decisions(known, [cut]) == known


def test_tasks_removed_from_the_list_are_dropped() -> None:
    state = after(None, facts(todos=todos(fix_the_race="now", rewrite_all="open")))
    dropped = facts(todos=todos(fix_the_race="now"), past_todos=(Todo("rewrite all", "dropped"),), branch="x")
    assert "rewrite all" not in render_session_state(after(state, dropped))


def test_a_task_that_a_person_added_stays_where_it_waits() -> None:
    state = after(None, facts(todos=todos(fix_the_race="now")))
    own = Task(
        kind=TaskKind.LATER, text="ask Ann about prices", children=(Task(kind=TaskKind.NOTE, text="Monday"),)
    )
    note = Task(kind=TaskKind.SUB, text="only for euros")
    tasks = (state.tasks[0].replace(children=(note, *state.tasks[0].children)), own)
    following = after(state.replace(tasks=tasks), facts(todos=todos(fix_the_race="now", deploy="open")))
    assert own in following.tasks
    assert note in following.tasks[0].children


def ticked(state: SessionState, *texts: str) -> SessionState:
    """The state with tasks that a person has ticked off in the file."""
    done = [task.replace(kind=TaskKind.DONE, children=()) for task in state.tasks if task.text in texts]
    assert len(done) == len(texts)
    return state.replace(tasks=(*done, *(task for task in state.tasks if task.text not in texts)))


def test_what_a_person_ticked_off_stays_done_until_the_list_speaks_of_it() -> None:
    race, test = todo("fix the race", "in_progress", 3), todo("write the test", "pending", 3)
    first = facts(todos=(race, test, todo("deploy", "pending", 3)))
    state = ticked(after(None, first), "fix the race (L3)", "write the test (L3)")
    said = replace(first, branch="fix")
    state = after(state, said)
    assert of_kind(state, TaskKind.DONE) == ["fix the race (L3)", "write the test (L3)"]
    deployed = todo("deploy", "completed", 9)
    state = after(state, facts(todos=(race, test, deployed)))
    assert of_kind(state, TaskKind.DONE) == [
        "fix the race (L3)",
        "write the test (L3)",
        "deploy (ticked by Claude, L9)",
    ]
    taken_up = (todo("fix the race", "completed", 12), todo("write the test", "in_progress", 12), deployed)
    state = after(state, facts(todos=taken_up))
    assert of_kind(state, TaskKind.DONE) == [
        "fix the race (ticked by Claude, L12)",
        "deploy (ticked by Claude, L9)",
    ]
    assert of_kind(state, TaskKind.IN_PROGRESS) == ["write the test (L12)"]


def test_a_done_task_listed_again_is_open() -> None:
    first = facts(todos=(todo("fix the race", "completed", 3), todo("deploy", "pending", 3)))
    again = facts(todos=(todo("fix the race", "pending", 9), todo("deploy", "pending", 3)))
    state = after(after(None, first), again)
    assert of_kind(state, TaskKind.DONE) == []


def test_the_counting_line_goes_on_counting() -> None:
    names = [f"task {number}" for number in range(40)]
    state = None
    for done in range(0, 40, 3):
        said = facts(
            todos=tuple(
                Todo(n, "completed" if at < done else "pending") for at, n in enumerate(names[: done + 2])
            )
        )
        state = next_state(state, said, SHOP) or state
        assert state is not None
        listed = [t for t in state.tasks if t.kind is TaskKind.DONE and not count_of(t)]
        assert sum(map(count_of, state.tasks)) + len(listed) == done
    assert next_state(state, said, SHOP) is None


def test_open_tasks_beyond_fifteen_are_all_named_and_come_back() -> None:
    many = tuple(Todo(f"step {number}", "pending") for number in range(30))
    state = after(None, facts(todos=(Todo("now", "in_progress"), *many)))
    assert len(state.tasks) == 15
    text = render_session_state(state)
    assert all(f" step {number}\n" in text for number in range(30))
    state = after(state, facts(todos=(Todo("now", "completed"), *many)))
    assert state.tasks[-1].text == "17 further tasks"
    assert render_session_state(state).count(" step 29\n") == 1


def test_an_open_task_beside_a_counted_one_of_the_same_words_stays_away() -> None:
    todos = [Todo(f"step {number}", "completed") for number in range(9)]
    todos += [Todo("step 0", "pending"), *(Todo(f"later {number}", "pending") for number in range(9))]
    now = facts(todos=tuple(todos))
    state = after(None, now)
    assert count_of(state.tasks[0]) > 0
    assert next_state(state, now, SHOP) is None


def test_a_task_is_the_same_whichever_line_names_it() -> None:
    first = facts(todos=(todo("fix the race", "in_progress", 5), todo("deploy", "pending", 5)))
    second = facts(todos=(todo("fix the race", "completed", 9), todo("deploy", "in_progress", 9)))
    state = after(after(None, first), second)
    assert of_kind(state, TaskKind.DONE) == ["fix the race (ticked by Claude, L9)"]
    assert of_kind(state, TaskKind.IN_PROGRESS) == ["deploy (L9)"]


def test_a_plan_that_waits_is_a_task_until_it_is_decided() -> None:
    state = after(None, facts(plans=(plan("# One ledger", "unknown", 2),)))
    assert of_kind(state, TaskKind.NEXT) == ["plan without an answer: One ledger (L2)"]
    state = after(state, facts(plans=(plan("# One ledger", "rejected", 2),)))
    assert of_kind(state, TaskKind.NEXT) == []
