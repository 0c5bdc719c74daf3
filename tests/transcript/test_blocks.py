"""Transcripts as blocks to read."""

from __future__ import annotations

from pathlib import Path

from memtui.transcript.blocks import blocks
from memtui.transcript.events import Said
from memtui.transcript.lines import read_lines
from tests.transcripts import Transcript


def test_a_subagents_transcript_begins_with_its_task(tmp_path: Path) -> None:
    t = Transcript()
    t.envelope |= {"isSidechain": True, "agentId": "a1"}
    t.user("Look for the hinge", parentUuid=None)
    t.user("no task", parentUuid="u1")
    shown = [each.event for line in read_lines(t.write(tmp_path)) for each in blocks(line)]
    assert shown == [Said("Look for the hinge", "a1")]
