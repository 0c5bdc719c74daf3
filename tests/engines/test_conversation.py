"""The words of a conversation, as a model is shown them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memtui.engines.ask import conversation
from tests.transcripts import START, Transcript


def test_words_and_calls_are_labelled(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Fix it, s'il te plaît.")
    session.say("On it.")
    session.edit("/work/app/a.py")
    session.slash("review", "all of it")
    assert conversation(session.write(tmp_path), 10_000).split("\n") == [
        "[USER L1] Fix it, s'il te plaît.",
        "[CLAUDE L2] On it.",
        "[CLAUDE L3] (Edit /work/app/a.py)",
        "[USER L5] /review all of it",
    ]


def test_subagents_are_left_out(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Go.")
    session.agent("assistant", {"type": "text", "text": "from below"})
    assert conversation(session.write(tmp_path), 10_000) == "[USER L1] Go."


def test_the_first_message_and_the_end_are_kept(tmp_path: Path) -> None:
    session = Transcript()
    session.user("The goal.")
    for number in range(100):
        session.say(f"message {number:03}")
    lines = conversation(session.write(tmp_path), 500).split("\n")
    assert lines[:2] == ["[USER L1] The goal.", "[...]"]
    assert lines[-1] == "[CLAUDE L101] message 099"
    assert sum(len(line) + 1 for line in lines) <= 520


def test_it_ends_where_the_facts_end(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Before.")
    session.compaction()
    session.say("After.")
    path = session.write(tmp_path)
    assert conversation(path, 1_000, until=START) == "[USER L1] Before."
    assert "After." in conversation(path, 1_000, until=START + timedelta(days=1))


def test_a_long_message_keeps_both_ends(tmp_path: Path) -> None:
    session = Transcript()
    session.user("begin " + "x" * 10_000 + " end")
    text = conversation(session.write(tmp_path), 10_000)
    assert text.startswith("[USER L1] begin")
    assert text.endswith(" end")
    assert "\n[...]\n" in text
