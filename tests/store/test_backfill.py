"""Comparing compactions with captures, and captures made after the fact."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.documents.capture import Capture
from memtui.ground.project import Project, claude_config, transcript_slug
from memtui.store.captures import CaptureStore, compactions_in, coverage, write_missing
from memtui.store.listing import Entry
from memtui.store.transcripts import TranscriptStore
from tests.disk import mode_of, names
from tests.transcript_writer import TranscriptWriter

STARTED = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)
NOON = "2026-01-02T12:00:00Z"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "shop"
    root.mkdir()
    return Project(root)


def _session(project: Project, session: str, *triggers: str) -> tuple[Path, list[datetime]]:
    """A transcript with a compaction every ten minutes; returns it and when they were done."""
    writer = TranscriptWriter(session, cwd=str(project.root), branch="main", started=STARTED)
    writer.prompt(f"Fix the refund of {session}")
    times = []
    for number, trigger in enumerate(triggers, 1):
        writer.at(STARTED + timedelta(minutes=10 * number))
        times.append(writer.moment)
        writer.compaction("What was before", trigger=trigger)
        writer.prompt('Go on; "compact_boundary" is only a word')
    path = claude_config() / "projects" / transcript_slug(project.root) / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(writer.take())
    return path, times


def _capture(session: str, moment: datetime) -> Capture:
    return Capture(status="pending", timestamp=moment, session_id=session, transcript="/t", first_message="")


def _transcripts(project: Project) -> list[Entry]:
    return TranscriptStore(project, claude_config()).entries()


def _captures(project: Project) -> list[Capture]:
    return CaptureStore(project).readable()[0]


def test_a_compaction_belongs_to_the_session_that_it_names(project: Project) -> None:
    path, _ = _session(project, "a", "auto")
    resumed = path.rename(path.with_name("b.jsonl"))
    (transcript,) = _transcripts(project)
    assert [each.session_id for each in compactions_in(transcript)] == ["a"]
    resumed.write_text(resumed.read_text().replace('"sessionId"', '"other"'))
    assert [each.session_id for each in compactions_in(transcript)] == ["b"]


def test_each_capture_belongs_to_the_first_compaction_after_it(project: Project) -> None:
    _, times = _session(project, "a", "auto", "auto", "manual", "auto")
    _session(project, "b", "auto")
    captures = [
        _capture("a", times[0] - timedelta(minutes=2)),
        _capture("a", times[0]),  # reported twice
        _capture("a", times[1] + timedelta(seconds=1)),  # of the manual one
        _capture("c", times[3]),
    ]
    found = coverage(_transcripts(project), captures)
    assert [(each.session_id, each.at) for each in found.compactions] == [
        ("a", times[0]), ("b", times[0]), ("a", times[1]), ("a", times[3])
    ]  # fmt: skip
    assert [(each.session_id, each.at) for each in found.missing] == [
        ("b", times[0]), ("a", times[1]), ("a", times[3])
    ]  # fmt: skip
    assert found.manual == ()
    (manual,) = coverage(_transcripts(project), captures[:2]).manual
    assert (manual.session_id, manual.at) == ("a", times[2])


def test_a_capture_is_known_by_how_full_the_context_was(project: Project) -> None:
    _, times = _session(project, "a", "auto", "auto")
    tokens = [each.tokens for each in compactions_in(_transcripts(project)[0])]
    assert all(tokens)
    found = coverage(_transcripts(project), [_capture("a", times[1]), _capture("gone", times[0])])
    assert found.sizes == {("a", times[0]): tokens[0], ("a", times[1]): tokens[1]}
    assert [each.at for each in found.missing] == [times[0]]


def test_a_compaction_that_a_resumed_session_repeats_counts_once(project: Project) -> None:
    path, times = _session(project, "a", "auto")
    copy = path.with_name("b.jsonl")
    copy.write_text(path.read_text().replace('"sessionId": "a"', '"sessionId": "b"').replace('"a"', '"b"'))
    (found,) = coverage(_transcripts(project), []).missing
    assert found.at == times[0]
    for session in ("a", "b"):
        assert coverage(_transcripts(project), [_capture(session, times[0])]).missing == ()


def test_written_with_the_compactions_own_time_and_never_twice(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, times = _session(project, "a", "auto", "auto")
    missing = coverage(_transcripts(project), []).missing
    written = [write_missing(project, each) for each in missing]
    assert [each and each.name for each in written] == [
        "20260102_091000-autocompact.md", "20260102_092000-autocompact.md"
    ]  # fmt: skip
    assert [capture.timestamp for capture in _captures(project)] == [times[1], times[0]]
    capture = _captures(project)[0]
    assert (capture.session_id, capture.transcript) == ("a", str(path))
    assert capture.first_message == "Fix the refund of a"
    assert coverage(_transcripts(project), _captures(project)).missing == ()
    assert [write_missing(project, each) for each in missing] == [None, None]
    assert names(project.compacts) == [".gitignore", *(each.name for each in written if each)]
    assert mode_of(project.compacts) == 0o700
    assert mode_of(CaptureStore(project).entries()[0].path) == 0o600


def test_a_taken_second_moves_on_in_the_name_alone(project: Project) -> None:
    _, times = _session(project, "a", "auto")
    _session(project, "b", "auto")
    for each in coverage(_transcripts(project), []).missing:
        write_missing(project, each)
    assert names(project.compacts)[1:] == ["20260102_091000-autocompact.md", "20260102_091001-autocompact.md"]
    assert {capture.timestamp for capture in _captures(project)} == {times[0]}
    assert coverage(_transcripts(project), _captures(project)).missing == ()


def test_two_at_once_write_one(project: Project) -> None:
    _session(project, "a", "auto")
    (missing,) = coverage(_transcripts(project), []).missing
    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(lambda _: write_missing(project, missing), range(8)))
    assert sum(each is not None for each in written) == 1
    assert len(names(project.compacts)) == 2


@pytest.mark.parametrize(
    "line",
    [
        {"type": "system", "subtype": "compact_boundary", "timestamp": "yesterday"},
        {"type": "system", "subtype": "compact_boundary", "timestamp": 5},
        {"type": "system", "subtype": "compact_boundary", "timestamp": "0001-01-01T00:00:00+14:00"},
        {"type": "system", "subtype": "compact_boundary", "timestamp": NOON, "isSidechain": True},
        {"type": "system", "subtype": "compact_boundary", "timestamp": NOON, "compactMetadata": 3},
        {"type": "user", "x": "compact_boundary", "timestamp": NOON},
    ],
)
def test_manual_compactions_are_not_missing(project: Project, line: object) -> None:
    path, _ = _session(project, "a")
    path.write_text(path.read_text() + json.dumps(line) + "\n")
    assert coverage(_transcripts(project), []).missing == ()
