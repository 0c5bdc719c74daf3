from __future__ import annotations

import pytest

from memtui.documents.commands import compact_summary
from tests.documents.data import golden

SUMMARY = "## Compact Summary\n\n**ROLE**: Mentor. Use AskUserQuestion."


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_summary_stands_between_the_markers(line_end: str) -> None:
    assert compact_summary(golden("command.md").replace("\n", line_end)) == SUMMARY


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("<!-- COMPACT_SUMMARY_START -->\nx\n<!-- COMPACT_SUMMARY_END -->", "x"),
        ("\ufeff<!-- COMPACT_SUMMARY_START -->x<!-- COMPACT_SUMMARY_END -->", "x"),
        ("a\n  <!--COMPACT_SUMMARY_START (kept)-->x<!--COMPACT_SUMMARY_END (kept)-->\nb", "x"),
        ("<!-- COMPACT_SUMMARY_START -->\n\n<!-- COMPACT_SUMMARY_END -->", ""),
        ("<!-- COMPACT_SUMMARY_START -->\nx", None),
        ("x\n<!-- COMPACT_SUMMARY_END -->", None),
        ("<!-- COMPACT_SUMMARY_END -->\n<!-- COMPACT_SUMMARY_START -->", None),
        ("<!-- COMPACT_SUMMARY_START", None),
        ("Write `<!-- COMPACT_SUMMARY_START -->` and\n`<!-- COMPACT_SUMMARY_END -->` around it.", None),
        ("<!-- COMPACT_SUMMARY_STARTED -->\nx\n<!-- COMPACT_SUMMARY_END -->", None),
        ("", None),
    ],
)
def test_markers_in_every_shape(text: str, summary: str | None) -> None:
    assert compact_summary(text) == summary
