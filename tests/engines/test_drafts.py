"""A recovery text or a review as a model words it, and the draft from the facts where it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.memory_file import MemoryFile, draft_memory, draft_summary, render_memory
from memtui.documents.recovery import parse_recovery, render_recovery
from memtui.engines.drafts import (
    NO_SOURCE,
    UNSEEN,
    Checked,
    Reworded,
    compact_by_claude,
    review_by_claude,
    update_by_claude,
)
from memtui.ground.project import Places
from memtui.store.captures import CaptureStore
from memtui.store.compact import Compacted, capture_facts, draft, review
from memtui.store.memories import MemoryStore
from tests.engines.stand_in import StandIn
from tests.store.test_reviews import clock, entry_of, make
from tests.transcripts import Transcript

MEMORY = MemoryFile(
    title="Tax", goal="Round once a line.", learnings=("Ask the till",), confidence="High — run"
)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return make(tmp_path)


@pytest.fixture
def compacted(places: Places) -> Compacted:
    (transcript,) = places.claude.rglob("*.jsonl")
    return draft(places, transcript=transcript)


def framed(text: str) -> str:
    return f"<document>\n{text}\n</document>\n"


def reworded(places: Places) -> Reworded:
    capture = CaptureStore(places.project).load(entry_of(places))
    facts, _ = capture_facts(capture, places)
    memory, summary = draft_memory(facts), draft_summary(facts)
    result = review_by_claude(capture, memory, summary, facts, places)
    if result.problem:
        assert (result.memory, result.summary) == (memory, summary)
    return result


def test_the_model_sees_the_conversation_up_to_the_compaction_alone(places: Places, claude: StandIn) -> None:
    claude.says(framed(f"Summary: It is rounded.\n\n{render_memory(MEMORY)}"))
    result = reworded(places)
    assert (result.memory.title, result.summary, result.problem) == ("Tax", "It is rounded.", "")
    assert "src/tax.ts" in claude.noted("question")
    assert "later.ts" not in claude.noted("question")
    done = review(
        places,
        clock,
        CaptureStore(places.project),
        entry_of(places),
        memory=result.memory,
        summary=result.summary,
    )
    body = MemoryStore(places.home, clock).get(done.recovery_id).body.decode()
    assert "Ask the till" in parse_recovery(body).notes


def test_a_capture_whose_transcript_is_gone_can_be_asked_about(places: Places, claude: StandIn) -> None:
    (transcript,) = places.claude.rglob("*.jsonl")
    transcript.unlink()
    claude.says(framed(render_memory(MEMORY)))
    assert reworded(places).memory.title == "Tax"
    assert "(the transcript is gone)" in claude.noted("question")


def test_one_that_hangs_is_ended_in_time(
    places: Places, compacted: Compacted, claude: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.hangs()
    claude.outlasts_patience(monkeypatch)
    why = "claude gave no answer in 180 seconds"
    assert compact_by_claude(compacted) == (compacted, why)
    assert reworded(places).problem == why
    assert compacted.transcript is not None
    stored, problem = update_by_claude(places, transcript=compacted.transcript)
    assert problem == why
    assert stored is not None
    assert stored.version == 1
    assert claude.child_ends()


def test_an_answer_that_fails_a_point_of_the_checklist_is_refused(
    compacted: Compacted, claude: StandIn
) -> None:
    better = parse_recovery(compacted.text).replace(objective="[What is to be reached]")
    claude.says(framed(render_recovery(better)))
    result, problem = compact_by_claude(compacted)
    assert (result, problem) == (compacted, "claude's answer fails the checklist: Objective")


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
