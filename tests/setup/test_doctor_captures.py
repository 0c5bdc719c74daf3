"""The doctor's checks of captures and their transcripts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memtui.ground.project import Places
from memtui.setup.claude_files import Scope, settings_file
from memtui.setup.findings import Level
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings
from tests.setup.conftest import Probes, clock
from tests.setup.doctoring import diagnosed, write_capture, write_settings, write_transcript


def test_compactions_against_captures(places: Places, probes: Probes) -> None:
    transcript = write_transcript(places, 3)
    write_capture(places, days=8, transcript=transcript)
    write_capture(places, days=7, transcript=transcript)
    assert diagnosed(places, "compactions") == [(Level.WARNING, "3 auto-compactions, 2 captures")]
    write_capture(places, days=6, transcript=transcript)
    assert diagnosed(places, "compactions") == [(Level.OK, "3 auto-compactions, all captured")]


def test_captures_that_wait_too_long_are_reported(places: Places, probes: Probes) -> None:
    transcript = write_transcript(places, 0)
    write_capture(places, days=6.9, transcript=transcript)
    assert diagnosed(places, "pending") == [(Level.OK, "1 capture pending, none for more than 7 days")]
    write_capture(places, days=9, transcript=transcript)
    write_capture(places, days=8, transcript=transcript)
    assert diagnosed(places, "pending") == [
        (Level.NOTE, "2 captures pending for more than 7 days, the oldest from 9 d ago")
    ]


@pytest.mark.parametrize(
    ("days", "kept", "said"),
    [(1, None, ""), (22, None, ""), (23.5, None, "in 6 days (after 30 days)"), (29.5, None, "any day now"),
     (40, None, "any day now"), (40, 90, ""), (85.5, 90, "in 4 days (after 90 days)"), (1, 0, "")],
)  # fmt: skip
def test_transcripts_about_to_be_deleted_are_reported(
    places: Places, probes: Probes, days: float, kept: int | None, said: str
) -> None:
    path = write_capture(places, days=1, transcript=write_transcript(places, 0, written_days_ago=days))
    write_settings(places, Scope.USER, {"cleanupPeriodDays": 10})
    if kept is not None:
        write_settings(places, Scope.SHARED, {"cleanupPeriodDays": kept})
    else:
        settings_file(places, Scope.USER).path.unlink()
    found = diagnosed(places, "transcripts") if kept != 0 else []
    assert bool(found) == bool(said)
    if said:
        assert found[0][0] is Level.WARNING
        assert said in found[0][1] and path.name in found[0][1]


def test_transcripts_of_which_there_is_a_copy_are_no_reason_to_worry(places: Places, probes: Probes) -> None:
    transcript = write_transcript(places, 0, written_days_ago=29)
    write_capture(places, days=1, transcript=transcript)
    assert diagnosed(places, "transcripts") != []
    Archive(places.home, clock).keep(transcript, ArchiveSettings())
    assert diagnosed(places, "transcripts") == []
    transcript.unlink()
    assert diagnosed(places, "transcripts") == []


def test_transcripts_that_are_gone_are_reported(places: Places, probes: Probes) -> None:
    write_capture(places, days=1, transcript=Path("/etc/passwd"))
    assert diagnosed(places, "transcripts") == [
        (Level.NOTE, "1 pending capture without a transcript that can be read")
    ]


def test_a_broken_capture_is_reported(places: Places, probes: Probes) -> None:
    path = write_capture(places, days=1, transcript=write_transcript(places, 0))
    path.write_text("nothing")
    ((level, message),) = diagnosed(places, "captures")
    assert level is Level.WARNING and message.startswith(str(path))


def test_folders_that_others_can_look_into_are_reported(places: Places, probes: Probes) -> None:
    write_capture(places, days=1, transcript=write_transcript(places, 0))
    assert diagnosed(places, "folders") == [(Level.OK, "Captures and memories are closed to others")]
    places.project.compacts.chmod(0o755)
    (places.project.compacts / ".gitignore").unlink()
    subprocess.run(["git", "init", "-q", str(places.project.root)], check=True, timeout=60)
    assert diagnosed(places, "folders") == [
        (Level.WARNING, f"Others can look into {places.project.compacts}"),
        (Level.WARNING, f"git may commit what is in {places.project.compacts}"),
    ]


def test_a_linked_captures_folder_is_broken(places: Places, probes: Probes, tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (places.project.root / ".project").symlink_to(tmp_path / "secrets")
    assert [level for level, _ in diagnosed(places, "folders")] == [Level.BROKEN]
    assert [level for level, _ in diagnosed(places, "captures")] == [Level.BROKEN]
