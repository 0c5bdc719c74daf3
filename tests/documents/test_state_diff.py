"""Differences between two versions."""

from __future__ import annotations

from hypothesis import given

from memtui.documents.session_state import (
    Decision,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    render_session_state,
)
from memtui.documents.state_diff import LineDiff, SectionDiff, state_diff, text_diff
from tests.documents import strategies

OLD = SessionState(
    identity=Identity(project="shop (/work/shop)", goal="Make refunds safe"),
    tasks=(Task(kind=TaskKind.IN_PROGRESS, text="fix the race"), Task(kind=TaskKind.NEXT, text="deploy")),
    decisions=(Decision(text="Use the ledger"), Decision(text="Drop the cache")),
    working=WorkingContext(files_modified="a.py, b.py", last_error="返金処理が失敗しました"),
)
NEW = OLD.replace(
    version=2,
    tasks=(Task(kind=TaskKind.DONE, text="fix the race"), Task(kind=TaskKind.IN_PROGRESS, text="deploy")),
    decisions=(Decision(text="- Use the ledger\n- Drop the cache"), Decision(text="Keep the API")),
    working=WorkingContext(files_modified="a.py, b.py, c.py", last_error="返金処理が成功しました"),
)


def section(sections: tuple[SectionDiff, ...], title: str) -> list[LineDiff]:
    return next([*each.lines] for each in sections if each.title.startswith(title))


def changed(sections: tuple[SectionDiff, ...], title: str) -> list[tuple[str, str]]:
    return [(line.change, line.text.strip()) for line in section(sections, title) if line.change != "same"]


def test_a_field_is_compared_word_by_word() -> None:
    lines = section(state_diff(OLD, NEW), "WORKING")
    assert [(piece.change, piece.text) for piece in lines[0].pieces] == [
        ("same", "- Files modified:"),
        ("same", " a.py, b.py"),
        ("added", ", c.py"),
    ]


def test_words_of_chinese_and_japanese_are_single_characters() -> None:
    lines = section(state_diff(OLD, NEW), "WORKING")
    pieces = next(line.pieces for line in lines if line.text.startswith("- Last error"))
    assert ("removed", "失敗") in [(piece.change, piece.text) for piece in pieces]


def test_any_two_texts_are_compared_by_their_headings() -> None:
    old = "Before.\n## One\nthe lock is held too long\n- x\n\n## Two\ngone\n"
    new = "Before.\n## One\nthe lock is held for too long\n- x\n## Three\ncome\n"
    found = [
        (each.title, line.change, [(piece.change, piece.text) for piece in line.pieces])
        for each in text_diff(old, new)
        for line in each.lines
        if line.change != "same"
    ]
    assert found == [
        ("One", "changed", [("same", "the lock is held "), ("added", "for "), ("same", "too long")]),
        ("Three", "added", [("added", "come")]),
        ("Two", "removed", [("removed", "gone")]),
    ]
    assert [line.change for each in text_diff(None, new) for line in each.lines] == ["added"] * 4


def test_without_an_older_version_all_is_new() -> None:
    lines = [line for each in state_diff(None, NEW) for line in each.lines]
    assert {line.change for line in lines} == {"added"}
    assert sum(line.is_new_decision for line in lines) == 3


@given(strategies.session_states, strategies.session_states)
def test_either_version_can_be_put_together_again(old: SessionState, new: SessionState) -> None:
    lines = [line for each in state_diff(old, new) for line in each.lines]
    for state, without in ((old, "added"), (new, "removed")):
        result = sorted(
            "".join(piece.text for piece in line.pieces if piece.change != without)
            for line in lines
            if line.change != without
        )
        rendered = [line for line in render_session_state(state).split("\n")[1:] if line.strip()]
        wanted = [line for line in rendered if not line.startswith(("===", "## "))]
        assert result == sorted(wanted)
