"""Setups for the doctor, and its findings."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

from memtui.demo.transcript import TranscriptWriter
from memtui.formats.capture_text import capture_name, render_pending
from memtui.ground.files import private_folder
from memtui.ground.project import Places, transcript_slug
from memtui.setup.claude_files import Scope, settings_file
from memtui.setup.doctor import diagnose
from memtui.setup.findings import Level
from tests.setup.conftest import NOW, clock


def diagnosed(places: Places, check: str, **env: str) -> list[tuple[Level, str]]:
    return [
        (finding.level, finding.message)
        for finding in diagnose(places, clock, {"PATH": "/bin", **env}, "linux")
        if finding.check == check
    ]


def write_settings(places: Places, scope: Scope, value: object) -> Path:
    path = settings_file(places, scope).path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def write_capture(places: Places, *, days: float, transcript: Path, session: str = "a") -> Path:
    moment = NOW - timedelta(days=days)
    private_folder(places.project.compacts, within=places.project.root)
    path = places.project.compacts / capture_name(moment)
    path.write_text(
        render_pending(timestamp=moment, session_id=session, transcript=str(transcript), first_message="x")
    )
    return path


def write_transcript(places: Places, compactions: int, *, written_days_ago: float = 0) -> Path:
    folder = places.claude / "projects" / transcript_slug(places.project.root)
    folder.mkdir(parents=True, exist_ok=True)
    writer = TranscriptWriter(
        "a", cwd=str(places.project.root), branch="main", started=NOW - timedelta(days=9)
    )
    writer.prompt("Go")
    for number in range(compactions):
        writer.at(NOW - timedelta(days=8 - number))
        writer.compaction("s")
    path = folder / "a.jsonl"
    path.write_text(writer.take())
    stamp = (NOW - timedelta(days=written_days_ago)).timestamp()
    os.utime(path, (stamp, stamp))
    return path
