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


def test_it_ends_where_the_facts_end(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Before.")
    session.compaction()
    session.say("After.")
    path = session.write(tmp_path)
    assert conversation(path, 1_000, until=START) == "[USER L1] Before."
    assert "After." in conversation(path, 1_000, until=START + timedelta(days=1))
