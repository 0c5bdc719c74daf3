"""The rules of a session state from version to version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.documents import compactor_decisions
from memtui.documents.compactor import merge, next_state
from memtui.documents.compactor_decisions import members, merged_decisions
from memtui.documents.compactor_size import FLOOR, TARGET, fitted, size_of
from memtui.documents.compactor_tasks import count_of
from memtui.documents.state_tasks import task_key
from memtui.formats.model import Section
from memtui.formats.session_state import (
    Decision,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    parse_session_state,
    render_session_state,
)
from memtui.reading.records import Facts, FileFact, Todo
from memtui.reading.short_text import key_of
from tests.documents.made import answer, changed, commit, failed, plan, ran, todo, turn
from tests.formats import strategies


@dataclass
class Shop:
    root: Path = Path("/work/shop")
    name: str = "shop"


SHOP = Shop()
NOTHING = Facts()


def facts(**changes: object) -> Facts:
    return replace(NOTHING, **changes)  # type: ignore[arg-type]


def todos(**statuses: str) -> tuple[Todo, ...]:
    short = {"done": "completed", "now": "in_progress", "open": "pending"}
    return tuple(Todo(name.replace("_", " "), short[status]) for name, status in statuses.items())


def after(state: SessionState | None, said: Facts, before: Facts | None = None) -> SessionState:
    following = next_state(state, said, SHOP, before=before)
    assert following is not None
    return following


def of_kind(state: SessionState, kind: TaskKind) -> list[str]:
    return [task.text for task in state.tasks if task.kind is kind]


# --- properties -------------------------------------------------------------------------------------------

_word = st.sampled_from(
    ["refund", "stock", "ledger", "token", "cache", "panel", "退款", "库存", "在庫", "reçu", "prix", "返金"]
)
_text = st.lists(_word, min_size=1, max_size=6).map(" ".join)
_long = st.lists(_word, min_size=40, max_size=90).map(" ".join)
_answer = st.builds(answer, _text, _text | _long, st.integers(1, 300))
_todo = st.builds(Todo, _text, st.sampled_from(["completed", "in_progress", "pending"]))
_file = st.builds(
    FileFact, _text.map(lambda text: f"/work/shop/{text.replace(' ', '/')}.py"), st.just(1), st.just(False)
)
_facts = st.builds(
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
)


def every_member(state: SessionState) -> list[str]:
    return [text for decision in state.decisions for text in members(decision)]


@settings(max_examples=60)
@given(st.lists(_facts, min_size=1, max_size=6))
def test_whatever_is_said_decisions_grow_and_nothing_is_done_without_evidence(said: list[Facts]) -> None:
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


@settings(max_examples=60)
@given(_facts, _facts)
def test_the_same_facts_twice_change_nothing(first: Facts, second: Facts) -> None:
    state = after(None, first)
    assert next_state(state, first, SHOP, before=first) is None
    following = next_state(state, second, SHOP, before=first) or state
    assert next_state(following, second, SHOP, before=second) is None


@given(
    st.lists(st.builds(Decision, kind=st.sampled_from(["decision", "constraint"]), text=_text), max_size=60)
)
def test_grouping_keeps_the_words_of_every_decision(decisions: list[Decision]) -> None:
    merged = merged_decisions((), decisions)
    assert len(merged) <= 20
    kept = [key_of(text) for decision in merged for text in members(decision)]
    assert len(kept) == len(set(kept))
    assert {key_of(decision.text) for decision in decisions} == set(kept)


@settings(max_examples=60)
@given(strategies.session_states, strategies.session_states)
def test_whatever_anybody_drafts_the_rules_hold(previous: SessionState, drafted: SessionState) -> None:
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
    state = after(state, more, first)
    assert state.identity.goal.startswith('last asked (L9): "also log each of them"; first asked')


def test_a_goal_that_a_person_wrote_stays_until_another_plan_is_approved() -> None:
    first = facts(turns=(turn(1, "fix it", "Ok."),), branch="main")
    state = after(None, first)
    edited = state.replace(
        identity=state.identity.replace(goal="Refunds, for good", extra=("Deadline: Friday",))
    )
    second = replace(first, turns=(*first.turns, turn(9, "and test", "Ok.")), branch="fix")
    following = after(edited, second, first)
    assert following.identity.goal == "Refunds, for good"
    assert following.identity.branch == "fix"
    assert following.identity.extra == ("Deadline: Friday",)
    planned = replace(second, plans=(plan("# One ledger", "approved", 12),))
    assert after(following, planned, second).identity.goal.startswith("Approved plan: One ledger (L12)")


# --- tasks ------------------------------------------------------------------------------------------------


def test_tasks_are_checked_off_added_and_kept() -> None:
    state = after(None, facts(todos=todos(write_the_test="done", fix_the_race="now", deploy="open")))
    assert of_kind(state, TaskKind.IN_PROGRESS) == ["fix the race"]
    state = after(state, facts(todos=todos(fix_the_race="done", deploy="now", tell_support="open")))
    assert of_kind(state, TaskKind.DONE) == ["write the test", "fix the race"]
    assert of_kind(state, TaskKind.IN_PROGRESS) == ["deploy"]
    assert of_kind(state, TaskKind.NEXT) == ["tell support"]


def test_what_was_taken_off_the_list_is_no_task_any_more() -> None:
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
    first = facts(todos=todos(fix_the_race="now", write_the_test="open", deploy="open"))
    state = ticked(after(None, first), "fix the race", "write the test")
    said = replace(first, branch="fix")
    state = after(state, said, first)
    assert of_kind(state, TaskKind.DONE) == ["fix the race", "write the test"]
    again = facts(todos=todos(fix_the_race="now", write_the_test="open", deploy="done"))
    state = after(state, again, said)
    assert of_kind(state, TaskKind.DONE) == ["fix the race", "write the test", "deploy"]
    taken_up = facts(todos=todos(fix_the_race="done", write_the_test="now", deploy="done"))
    state = after(state, taken_up, again)
    assert of_kind(state, TaskKind.DONE) == ["fix the race", "deploy"]
    assert of_kind(state, TaskKind.IN_PROGRESS) == ["write the test"]


def test_what_a_list_takes_up_again_is_open() -> None:
    first = facts(todos=todos(fix_the_race="done", deploy="open"))
    again = facts(todos=todos(fix_the_race="open", deploy="open"))
    state = after(after(None, first), again, first)
    assert of_kind(state, TaskKind.DONE) == []


def test_the_counting_line_goes_on_counting() -> None:
    names = [f"task {number}" for number in range(40)]
    state = None
    before = None
    for done in range(0, 40, 3):
        said = facts(
            todos=tuple(
                Todo(n, "completed" if at < done else "pending") for at, n in enumerate(names[: done + 2])
            )
        )
        state = next_state(state, said, SHOP, before=before) or state
        before = said
        assert state is not None
        listed = [t for t in state.tasks if t.kind is TaskKind.DONE and not count_of(t)]
        assert sum(map(count_of, state.tasks)) + len(listed) == done
    # Without any memory of what was known before, the same list is no news.
    assert state is not None
    assert before is not None
    assert next_state(state, before, SHOP) is None


def test_open_tasks_beyond_fifteen_are_all_named_and_come_back() -> None:
    many = tuple(Todo(f"step {number}", "pending") for number in range(30))
    state = after(None, facts(todos=(Todo("now", "in_progress"), *many)))
    assert len(state.tasks) == 15
    text = render_session_state(state)
    assert all(f" step {number}\n" in text for number in range(30))
    state = after(state, facts(todos=(Todo("now", "completed"), *many)))
    assert state.tasks[-1].text == "17 further tasks"
    assert render_session_state(state).count(" step 29\n") == 1


def test_what_each_version_says_anew_does_not_pile_up() -> None:
    first = facts(turns=(turn(1, "Add a refund button", end="interrupted"),))
    state = after(None, first)
    assert of_kind(state, TaskKind.IN_PROGRESS) == ['"Add a refund button" (L1)']
    second = facts(turns=(*first.turns, turn(9, "Explain the ledger", "It is a table.")))
    state = after(state, second, first)
    third = facts(turns=(*second.turns, turn(20, "thanks", "Any time.")))
    assert [task.text for task in after(state, third, second).tasks] == [
        "No open task on record",
        'Last asked (L20): "thanks"',
        'Claude said last (L21): "Any time."',
    ]


def test_a_task_is_the_same_whichever_line_names_it() -> None:
    first = facts(todos=(todo("fix the race", "in_progress", 5), todo("deploy", "pending", 5)))
    second = facts(todos=(todo("fix the race", "completed", 9), todo("deploy", "in_progress", 9)))
    state = after(after(None, first), second, first)
    assert of_kind(state, TaskKind.DONE) == ["fix the race (L9)"]
    assert of_kind(state, TaskKind.IN_PROGRESS) == ["deploy (L9)"]


def test_commits_are_done_work_where_there_is_no_list() -> None:
    state = after(None, facts(landmarks=(commit("fix: race", 5),)))
    assert of_kind(state, TaskKind.DONE) == ["fix: race (committed) (L5)"]
    assert "Commits: abc1234 fix: race (L5)" in state.working.technical_state


def test_steps_of_a_plan_are_tasks_until_work_on_it_begins() -> None:
    approved = plan("# Plan\n1. read\n2. write\n```\n3. code\n```", "approved", 2)
    state = after(None, facts(plans=(approved,)))
    assert of_kind(state, TaskKind.NEXT) + of_kind(state, TaskKind.LATER) == ["read (L2)", "write (L2)"]
    state = after(state, facts(plans=(approved,), modified_files=(changed("/work/shop/a.py", 3),)))
    assert of_kind(state, TaskKind.NEXT) == []


def test_a_plan_that_waits_is_a_task_until_it_is_decided() -> None:
    state = after(None, facts(plans=(plan("# One ledger", "unknown", 2),)))
    assert of_kind(state, TaskKind.NEXT) == ["decision on the plan: One ledger (L2)"]
    state = after(state, facts(plans=(plan("# One ledger", "rejected", 2),)))
    assert of_kind(state, TaskKind.NEXT) == []


# --- decisions --------------------------------------------------------------------------------------------


def test_related_decisions_share_an_entry_beyond_twenty() -> None:
    decisions = [Decision(text=f"{thing} number {n}") for n in range(12) for thing in ("ledger", "panel")]
    merged = merged_decisions((), decisions)
    assert len(merged) == 20
    groups = [members(each) for each in merged if len(members(each)) > 1]
    assert groups
    assert all(len({text.split()[0] for text in group}) == 1 for group in groups)
    state = SessionState(decisions=merged)
    assert parse_session_state(render_session_state(state)) == state


def test_the_words_of_a_decision_are_read_once_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A long session has thousands, and each joins a group: that must not take the square of the time."""
    read: list[str] = []
    words = compactor_decisions._words

    def spy(texts: Sequence[str]) -> set[str]:
        read.extend(texts)
        return words(texts)

    monkeypatch.setattr(compactor_decisions, "_words", spy)
    told = [f"Use index {number} for the ledger of shop {number % 7}" for number in range(300)]
    entries = merged_decisions((), (Decision(text=text) for text in told))
    assert len(entries) == 20
    assert sorted(read) == sorted(told)
    assert sorted(text for entry in entries for text in members(entry)) == sorted(told)


def test_decisions_are_never_told_twice_and_never_lost() -> None:
    state = SessionState(decisions=(Decision(text="We use the Ledger, because it is atomic."),))
    drafted = SessionState(
        decisions=(
            Decision(kind="constraint", text="we use the ledger because it is atomic"),
            Decision(text="Drop the cache"),
        )
    )
    merged = merge(state, drafted)
    assert merged is not None
    assert [decision.text for decision in merged.decisions] == [
        "We use the Ledger, because it is atomic.",
        "Drop the cache",
    ]


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


@pytest.mark.parametrize("told", ["Use **C++** for it.", "- use `C++` for it", "Use C++, for it!"])
def test_a_decision_is_known_in_other_marks(told: str) -> None:
    known = (Decision(text="Use C++ for it"),)
    assert merged_decisions(known, [Decision(text=told)]) == known


def test_a_decision_that_was_cut_is_known() -> None:
    known = (Decision(text="store each session in the relational database of the host, not in files"),)
    cut = Decision(text="store each session in the relational database of the host…")
    assert merged_decisions(known, [cut]) == known


def test_a_task_is_not_done_by_one_that_differs_in_a_sign() -> None:
    first = after(None, facts(todos=(Todo("Support C", "pending"),)))
    second = after(first, facts(todos=(Todo("Support C++", "completed"), Todo("Support C", "pending"))))
    assert of_kind(second, TaskKind.DONE) == ["Support C++"]
    assert of_kind(second, TaskKind.NEXT) == ["Support C"]


def test_a_draft_that_forgot_a_decision_does_not_take_it_away() -> None:
    state = SessionState(decisions=(Decision(text="one"), Decision(kind="constraint", text="never two")))
    merged = merge(state, SessionState(identity=Identity(goal="new")))
    assert merged is not None
    assert merged.decisions == state.decisions


# --- what is replaced, what a person added, and size -------------------------------------------------------


def test_the_working_context_is_replaced_and_a_persons_lines_stay() -> None:
    old = SessionState(
        working=WorkingContext(last_error="boom", technical_state="old", extra=("Server: staging",)),
        extra=(Section(heading="MY NOTES", text="call Ann", after="WORKING CONTEXT"),),
        preamble="Written by hand.",
    )
    merged = merge(old, SessionState(working=WorkingContext(technical_state="new")))
    assert merged is not None
    assert merged.working == WorkingContext(technical_state="new", extra=("Server: staging",))
    assert merged.extra == old.extra
    assert merged.preamble == "Written by hand."


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
