"""The review of a capture as a whole: memory file, capture and stored recovery text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.documents.capture import render_pending
from memtui.documents.markdown import Section
from memtui.documents.memory_file import MemoryFile, parse_memory
from memtui.documents.recovery import parse_recovery
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places, Project
from memtui.store.captures import CaptureStore
from memtui.store.compact import Reviewed, review
from memtui.store.listing import Entry
from memtui.store.memories import MemoryStore
from memtui.transcript.records import Facts
from tests import faults
from tests.transcripts import Transcript

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
ID = "CMEM-20260102-120000"
CAPTURED = datetime(2026, 1, 2, 9, 0, 5, tzinfo=UTC)
CAPTURE = "20260102_090005-autocompact.md"
MEMORY = MemoryFile(
    title="Tax rounding",
    goal="Round once",
    learnings=("Ask the till",),
    questions=("VAT?",),
    confidence="High",
    key_files=("src/tax.ts", "src/till.ts"),
)
SUMMARY = "The tax is rounded."


def clock() -> datetime:
    return NOW


def make(folder: Path) -> Places:
    """A project with a pending capture of a session that went on after its compaction."""
    root = folder / "shop"
    project = Project(root)
    project.compacts.mkdir(parents=True)
    session = Transcript(cwd=str(root), session_id="5e55-1d")
    session.user("Round the tax per line, please")
    session.edit(f"{root}/src/tax.ts")
    session.moment = CAPTURED + timedelta(seconds=1)
    session.compaction()
    session.edit(f"{root}/src/later.ts")
    claude = folder / "claude"
    transcript = session.write(claude / "projects" / "shop")
    text = render_pending(
        timestamp=CAPTURED,
        session_id="5e55-1d",
        transcript=str(transcript),
        first_message="Round the tax per line, please",
    )
    (project.compacts / CAPTURE).write_text(text, "utf-8")
    home = Home(*(folder / "home" / name for name in ("data", "cache", "state", "config")))
    return Places(project, home, claude)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return make(tmp_path)


def entry_of(places: Places) -> Entry:
    return CaptureStore(places.project).entries()[0]


def reviewed(places: Places, facts: Facts | None = None) -> Reviewed:
    return review(
        places,
        clock,
        CaptureStore(places.project),
        entry_of(places),
        memory=MEMORY,
        summary=SUMMARY,
        facts=facts,
    )


def backend(places: Places) -> MemoryStore:
    return MemoryStore(places.home, clock)


def test_the_recovery_text_knows_the_session_up_to_the_compaction_and_the_review(places: Places) -> None:
    reviewed(places)
    recovery = parse_recovery(backend(places).get(ID).body.decode())
    assert [file.path for file in recovery.working_files] == [f"{places.project.root}/src/tax.ts"]
    assert recovery.objective == "Round once"
    assert recovery.known_issues == ("VAT?",)
    assert recovery.notes.startswith(
        "- **From the review**\n  - The tax is rounded.\n  - Ask the till\n  - Open: VAT?\n"
        "  - Confidence: High\n  - Key file: src/till.ts\n\n**Session**\n"
    )


def test_learnings_kept_of_the_draft_stand_with_those_that_were_added(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = MEMORY.replace(learnings=("Drafted", "Left out"))
    monkeypatch.setattr("memtui.store.compact.draft_memory", lambda _: draft)
    chosen = MEMORY.replace(learnings=("Drafted", "Added"))
    review(places, clock, CaptureStore(places.project), entry_of(places), memory=chosen, summary="")
    notes = parse_recovery(backend(places).get(ID).body.decode()).notes
    assert notes.startswith("- **From the review**\n  - Drafted\n  - Added\n")


def test_the_memory_is_the_project_s_although_the_session_worked_elsewhere(places: Places) -> None:
    (transcript,) = places.claude.rglob("*.jsonl")
    transcript.write_text(transcript.read_text().replace(str(places.project.root), "/elsewhere"))
    reviewed(places)
    stored = backend(places).get(ID)
    assert stored.meta.project == str(places.project.root)
    assert parse_recovery(stored.body.decode()).working_files[0].path == "/elsewhere/src/tax.ts"


def test_an_older_recovery_section_gives_way(places: Places) -> None:
    old = Section(heading="Recovery", text="CMEM-20200101-000000")
    memory = MEMORY.replace(extra=(Section(heading="Mood", text="good"), old))
    done = review(
        places, clock, CaptureStore(places.project), entry_of(places), memory=memory, summary=SUMMARY
    )
    assert [section.heading for section in done.memory.extra] == ["Mood", "Recovery"]
    assert "CMEM-2020" not in done.memory_path.read_text("utf-8")


def test_when_the_capture_has_changed_the_stored_text_is_taken_away_again(places: Places) -> None:
    entry = entry_of(places)
    path = places.project.compacts / CAPTURE
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(FileProblem):
        review(places, clock, CaptureStore(places.project), entry, memory=MEMORY, summary=SUMMARY)
    assert backend(places).list().total == 0


def test_killed_at_any_point_no_reviewed_capture_names_a_memory_that_is_not_there(tmp_path: Path) -> None:
    assert faults.run_sweep(_sweep, tmp_path) > 25


def _sweep(folder: Path) -> int:
    finished: list[Path] = []

    def place(number: int) -> Path:
        where = folder / str(number)
        make(where)
        return where

    def places_of(where: Path) -> Places:
        home = Home(*(where / "home" / name for name in ("data", "cache", "state", "config")))
        return Places(Project(where / "shop"), home, where / "claude")

    def act(where: Path) -> None:
        reviewed(places_of(where), FACTS)

    def check(where: Path) -> None:
        places = places_of(where)
        store = CaptureStore(places.project)
        entry = next(each for each in store.entries() if each.name == CAPTURE)
        capture = store.load(entry)
        if capture.status == "reviewed":
            memory = parse_memory((store.folder / capture.memory).read_text("utf-8"))
            assert ID in memory.extra[-1].text
            parse_recovery(backend(places).get(ID).body.decode())
            finished.append(where)
        else:
            review(places, clock, store, entry, memory=MEMORY, summary=SUMMARY, facts=FACTS)

    points = faults.kill_sweep(place, act, check)
    assert 1 <= len(finished) < points
    return points


FACTS = Facts(session_id="s", first_prompt="Round the tax per line")
