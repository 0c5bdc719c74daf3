"""Hypotheses of the model, and where the drafts tell them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.memory_draft import draft_memory
from memtui.documents.recovery_draft import draft_recovery
from memtui.reading.guesses import guesses_in
from tests.transcripts import Transcript


def _guesses(text: str) -> list[str]:
    return guesses_in(text, text.lower())


@pytest.mark.parametrize(
    "sentence",
    [
        "I suspect the export renamed the column on the 28th.",
        "My current hypothesis is that two workers share one lock.",
        "Hypothesis 2: the cache is never filled after a restart.",
        "The timeout is most likely caused by the slow DNS of the runner.",
        "This could be due to a stale lock file in the volume.",
        "Je soupçonne un verrou qui n'est jamais rendu.",
        "我怀疑是连接池没有被释放，导致之后的所有请求都在超时等待，目前还没有确认过。",
        "おそらく接続プールが解放されていないことが原因だと思いますが、まだ確認できていません。",
    ],
)
def test_a_hypothesis(sentence: str) -> None:
    assert _guesses(f"Let me look.\n\n{sentence} Next I read the log.") == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "The timeout was caused by the slow DNS of the runner.",
        "Do you suspect that two workers share one lock?",
        "The suspect files are marked with a star in the list.",
        "It failed because of the missing column, as shown above.",
        "```\nI suspect the export renamed the column.\n```",
        "I suspect so.",
    ],
)
def test_no_hypothesis(sentence: str) -> None:
    assert _guesses(f"Let me look at it once more.\n\n{sentence}") == []


def test_hypotheses_are_notes_and_no_causes(tmp_path: Path) -> None:
    s = Transcript()
    s.user("Why does the nightly job die since yesterday? Find out and fix it, please.")
    s.say("The issue is that the lock is released too early. I suspect a second worker takes it then.")
    s.say("The problem is likely the order of the two writes.")
    facts = s.facts(tmp_path)
    notes = draft_recovery(facts, Path("/work/app")).notes
    assert notes.startswith(
        "**Causes found**\n- The issue is that the lock is released too early.\n\n"
        "**Hypotheses along the way**\n- The problem is likely the order of the two writes.\n"
        "- I suspect a second worker takes it then.\n\n"
    )
    learnings = draft_memory(facts).learnings
    assert learnings == ("The issue is that the lock is released too early.",)
