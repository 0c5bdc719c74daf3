"""`memtui review --from-stdin`: a review written elsewhere."""

from __future__ import annotations

import io
import json
import sys

import pytest

from memtui.cli import review as module
from memtui.cli.output import RECOVERY_BOX
from memtui.documents.capture import memory_name, parse_capture
from memtui.documents.memory_file import parse_memory
from memtui.ground.project import Project
from tests.cli.conftest import Memtui
from tests.cli.reviewing import ID, NAME, NOW


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "system_clock", lambda: NOW)


REVIEW = """\
Summary: The tax was rounded
twice.

# Memory: Tax rounding

## Goal
Round once

## Learnings
- src/tax.ts rounds, too

## Confidence Level
High — tested
"""


def _pipes(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_review_from_stdin(memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _pipes(monkeypatch, REVIEW)
    result = memtui("review", "--from-stdin")
    memory_path = captured.compacts / memory_name(NAME)
    assert result.code == 0
    assert result.out == f"Reviewed {NAME}. Its memory: {memory_path}\n{RECOVERY_BOX.format(ID)}\n"
    assert (
        parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == "The tax was rounded twice."
    )
    memory = parse_memory(memory_path.read_text("utf-8"))
    assert (memory.title, memory.goal) == ("Tax rounding", "Round once")
    assert memory.learnings == ("src/tax.ts rounds, too",)
    assert memory_path.read_text("utf-8").startswith("# Memory: Tax rounding\n\n## Goal\nRound once\n")
    _pipes(monkeypatch, REVIEW)
    assert memtui("review", "--from-stdin").out == "Nothing to review: no capture of shop is pending.\n"
    _pipes(monkeypatch, REVIEW)
    assert "is already reviewed, nothing was changed" in memtui("review", NAME, "--from-stdin").out


def test_the_lines_that_a_review_cites_are_looked_up(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited = ('Per line (L1: "round the TAX")', 'Per cart (L1: "per cart")', "Once (L1)")
    items = "\n".join(f"- {each}" for each in cited)
    _pipes(monkeypatch, f"# Memory: T\n## Goal\nG\n## Learnings\n{items}\n")
    assert memtui("review", "--from-stdin", "--cited").code == 0
    memory = parse_memory((captured.compacts / memory_name(NAME)).read_text("utf-8"))
    assert memory.learnings == ("Per line (L1)", "Per cart (no source)", "Once (no source)")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("**Summary:** Short.\n# Memory: T\n## Goal\nG\n", "Short."),
        ("# Memory: T\n\n## Goal\nG\n\n## Summary\n\nShort.\nTwo.\n", "Short. Two."),
        ("summary: Short.\r\n\r\n# Memory: T\r\n\r\n## Goal\r\nG\r\n", "Short."),
    ],
)
def test_where_the_summary_may_stand(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch, text: str, summary: str
) -> None:
    _pipes(monkeypatch, text)
    assert memtui("review", NAME, "--from-stdin").code == 0
    assert parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == summary
    written = (captured.compacts / memory_name(NAME)).read_text("utf-8")
    assert "ummary" not in written and "\r" not in written


def test_without_a_summary_the_drafts_is_taken(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = json.loads(memtui("review", "--json").out)["summary"]
    _pipes(monkeypatch, "# Memory: T\n## Goal\nG\n")
    assert memtui("review", "--from-stdin").code == 0
    assert parse_capture((captured.compacts / NAME).read_text("utf-8")).summary == draft != ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it has neither a title nor a section of a memory file"),
        ("Summary: only this", "it has neither a title nor a section of a memory file"),
        ("## Goal\nG\n", "it has no title (# Memory: ...)"),
        ("# Memory: T\n## Learnings\n- x\n", "it does not say what the goal was (## Goal)"),
        (b"\x00\xff\xfe", "it has neither a title nor a section of a memory file"),
    ],
)
def test_an_invalid_review_changes_nothing(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch, text: str | bytes, reason: str
) -> None:
    before = {path: path.read_bytes() for path in captured.compacts.iterdir()}
    _pipes(monkeypatch, text)
    result = memtui("review", "--from-stdin")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"memtui: standard input is not a review: {reason}; nothing was changed.\n"
    assert {path: path.read_bytes() for path in captured.compacts.iterdir()} == before


def test_a_review_that_is_too_long_changes_nothing(
    memtui: Memtui, captured: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pipes(monkeypatch, REVIEW + "x" * (1 << 20))
    result = memtui("review", "--from-stdin")
    assert (result.code, result.err) == (1, "memtui: standard input is larger than 1 MB.\n")
