"""A model's sources: a line counts when it exists and holds the words that are quoted from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engines.drafts import NO_SOURCE, UNSEEN, Checked
from tests.transcripts import Transcript


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    session = Transcript()
    session.user("Fix the kiln,\nit is   too hot.")
    session.say("The thermometer was broken.")
    session.tool("Bash", "1,200 degrees", command="measure kiln")
    return session.write(tmp_path)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('It is too hot (L1: "the kiln, it is too hot")', "It is too hot (L1)"),
        ("It broke (L2: “Thermometer was broken”).", "It broke (L2)."),
        ('It broke (L1: "thermometer was broken")', f"It broke {NO_SOURCE}"),
        ('It broke (L99: "thermometer was broken")', f"It broke {NO_SOURCE}"),
        ("It broke (L2)", f"It broke {NO_SOURCE}"),
        ('It broke (L2: "was")', f"It broke {NO_SOURCE}"),
        ('Hot (L4: "1,200 degrees") and broken (L9: "nothing at all")', "Hot (L4) and broken"),
        ("It broke", f"It broke {NO_SOURCE}"),
        (f"It broke {NO_SOURCE}", f"It broke {NO_SOURCE}"),
        ("", ""),
    ],
)
def test_each_statement_is_checked(transcript: Path, answer: str, expected: str) -> None:
    assert Checked(transcript, answer).sourced(answer) == expected


def test_a_source_stays_when_its_statement_is_shortened(transcript: Path) -> None:
    answer = f'{"word " * 100}(L4: "1,200 degrees")'
    expected = Checked(transcript, answer).item(answer, 50)
    assert expected.endswith("… (L4)")
    assert len(expected) < 60


def test_files_that_were_never_seen_are_marked() -> None:
    check = Checked(None, "", "the facts name src/kiln.py")
    said = check.plain("src/kiln.py calls src/oven.py", 200)
    assert said == f"src/kiln.py calls src/oven.py ({UNSEEN})"


@pytest.mark.parametrize(
    ("said", "drafted", "kept"),
    [
        (["a  B"], ["A b (L4)"], ["A b (L4)"]),  # copied: with the draft's source
        (['Too hot (L4: "1,200 degrees")'], ["1,200 (L4)", "b (L5)"], ["Too hot (L4)", "b (L5)"]),
        (['Too hot (L4: "nothing of it")'], ["1,200 (L4)"], [f"Too hot {NO_SOURCE}", "1,200 (L4)"]),
        (["", "..."], ["b"], ["b"]),
        ([], ["b", "c"], ["b", "c"]),
    ],
)
def test_no_statement_of_the_draft_is_lost(
    transcript: Path, said: list[str], drafted: list[str], kept: list[str]
) -> None:
    check = Checked(transcript, "\n".join(said))
    assert list(check.items(said, drafted)) == kept
