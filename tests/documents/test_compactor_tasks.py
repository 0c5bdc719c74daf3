"""The rules for tasks from one version of a session state to the next."""

from __future__ import annotations

from dataclasses import replace

from memtui.documents.compactor import count_of, next_state
from memtui.documents.session_state import (
    SessionState,
    Task,
    TaskKind,
    render_session_state,
)
from memtui.transcript.records import Todo
from tests.documents.compacting import SHOP, after, facts, of_kind, todos
from tests.documents.made import changed, plan, todo


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
    assert of_kind(state, TaskKind.DONE) == ["fix the race (L3)", "write the test (L3)", "deploy (L9)"]
    taken_up = (todo("fix the race", "completed", 12), todo("write the test", "in_progress", 12), deployed)
    state = after(state, facts(todos=taken_up))
    assert of_kind(state, TaskKind.DONE) == ["fix the race (L12)", "deploy (L9)"]
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
    assert of_kind(state, TaskKind.DONE) == ["fix the race (L9)"]
    assert of_kind(state, TaskKind.IN_PROGRESS) == ["deploy (L9)"]


def test_steps_of_a_plan_are_tasks_until_work_on_it_begins() -> None:
    approved = plan("# Plan\n1. read\n2. write\n```\n3. code\n```", "approved", 2)
    state = after(None, facts(plans=(approved,)))
    assert of_kind(state, TaskKind.NEXT) + of_kind(state, TaskKind.LATER) == ["read (L2)", "write (L2)"]
    state = after(state, facts(plans=(approved,), modified_files=(changed("/work/shop/a.py", 3),)))
    assert of_kind(state, TaskKind.NEXT) == []


def test_a_plan_that_waits_is_a_task_until_it_is_decided() -> None:
    state = after(None, facts(plans=(plan("# One ledger", "unknown", 2),)))
    assert of_kind(state, TaskKind.NEXT) == ["Plan: One ledger (L2)"]
    state = after(state, facts(plans=(plan("# One ledger", "rejected", 2),)))
    assert of_kind(state, TaskKind.NEXT) == []
