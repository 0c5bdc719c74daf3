"""Receipts: the arrival of hand-overs by Claude Code's own transcript, or the reason against it."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.project import Home, Places, Project, memtui_home, transcript_slug
from memtui.hooks.records import Run, record
from memtui.lost.handover_marks import mark_of, with_mark
from memtui.lost.receipts import Receipt
from memtui.plugin.receipts import receipt_since, receipts_of
from memtui.transcript.records import CompactionFact, Source

NOW = datetime(2026, 1, 2, 9, 53, tzinfo=UTC)
TEXT = with_mark("Notes on the project shop\n\n- never push to main")
SESSION = "90dd90a0"


class Shop:
    """A project with one session."""

    def __init__(self, base: Path) -> None:
        root = base / "shop"
        (root / ".git").mkdir(parents=True)
        home = memtui_home({"MEMTUI_HOME": str(base / "memtui")})
        self.places = Places(Project(root), Home(*home), base / ".claude")
        self.transcript = self.places.claude / "projects" / transcript_slug(root) / f"{SESSION}.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.seconds = 0
        self.note("user", cwd=str(root))

    def ran(self, detail: str, event: str = "session-start", session: str = SESSION) -> None:
        run = Run(self._at(), event, 20, "ok", detail, session, str(self.places.project.root))
        record(self.places.home.hook_log, run)

    def handed(self, text: str = TEXT, event: str = "session-start") -> None:
        self.ran(f"handed over notes; {len(text)} characters of context, memtui:{mark_of(text)}", event)

    def note(self, kind: str, **fields: Any) -> None:
        with self.transcript.open("a") as file:
            file.write(json.dumps({"type": kind, "timestamp": self._at(), **fields}) + "\n")

    def attach(self, kind: str, event: str = "SessionStart", **fields: Any) -> None:
        self.note("attachment", attachment={"type": kind, "hookEvent": event, **fields})

    def compacted(self) -> None:
        self.note("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})

    def receipts(self) -> list[Receipt]:
        return receipts_of(self.places)

    def _at(self) -> str:
        self.seconds += 1
        return (NOW + timedelta(seconds=self.seconds)).isoformat()


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_received_whole(shop: Shop) -> None:
    shop.handed()
    shop.compacted()
    shop.attach("hook_success", stdout=TEXT)
    shop.attach("hook_additional_context", content=[TEXT])
    (receipt,) = shop.receipts()
    assert (receipt.label, receipt.what, receipt.line) == ("received 09:53, whole", "handed over notes", 4)


@pytest.mark.parametrize(
    ("attachments", "label"),
    [
        ([{"kind": "hook_additional_context", "content": [TEXT[:30]]}], "cut at 30"),
        ([{"kind": "hook_additional_context", "content": [TEXT[5:]]}], "cut: its beginning is missing"),
        ([{"kind": "hook_additional_context", "content": [f"{TEXT[:30]}\ud83d"]}], "cut at 31"),
        ([{"kind": "hook_cancelled"}], "not received: Claude Code ended the hook: time-out"),
        (
            [{"kind": "hook_non_blocking_error", "stderr": "boom <private>x</private>\nat"}],
            "not received: Claude Code reports an error of the hook: boom [private]",
        ),
        (
            [{"kind": "hook_success", "stdout": TEXT}],
            "not received: Claude Code ran the hook and did not take its output: validation error",
        ),
        ([], "not received: it was handed over, and the transcript has nothing of it"),
        (
            [{"kind": "hook_additional_context", "content": [TEXT[:30]], "event": "UserPromptSubmit"}],
            "not received: it was handed over, and the transcript has nothing of it",
        ),
    ],
)
def test_why_it_did_not_arrive_whole(shop: Shop, attachments: list[dict[str, Any]], label: str) -> None:
    shop.handed()
    for each in attachments:
        shop.attach(**each)
    (receipt,) = shop.receipts()
    assert receipt.label == label


def test_a_compaction_without_a_hook_is_listed_with_the_reason(shop: Shop) -> None:
    shop.compacted()  # before the hooks ran for the first time: no fault of theirs
    shop.seconds += 3_600
    shop.ran("captured x", "pre-compact")
    shop.compacted()
    (receipt,) = shop.receipts()
    reason = "not received: no hook ran: memtui is not installed in Claude Code; run `memtui init`"
    assert receipt.label == reason
    path = shop.places.project.root / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text('{"disableAllHooks": true}')
    reason = "no hook ran: .claude/settings.local.json turns all hooks off (disableAllHooks)"
    assert shop.receipts()[0].reason == reason


def test_a_transcript_that_is_gone_shows_nothing(shop: Shop) -> None:
    shop.handed()
    shop.transcript.unlink()
    assert [each.arrival for each in shop.receipts()] == ["unknown"]


def test_a_session_has_its_receipts_however_old_it_is(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.handed()
    shop.attach("hook_additional_context", content=[TEXT])
    os.utime(shop.transcript, (1000, 1000))
    for number in range(3):
        shop.transcript.with_name(f"{number}.jsonl").write_bytes(shop.transcript.read_bytes())
    (receipt,) = receipts_of(shop.places, 2, SESSION)
    assert receipt.arrival == "whole"


def since(shop: Shop) -> Receipt | None:
    """The status line's words after the last compaction."""
    offset, line, at = 0, 0, ""
    for number, data in enumerate(shop.transcript.read_bytes().splitlines(keepends=True), 1):
        if b"compact_boundary" in data:
            line, at = number, json.loads(data)["timestamp"]
            start = offset
        offset += len(data)
    return receipt_since(
        shop.places, shop.transcript, CompactionFact("auto", 1, 1, Source(line, start, at, "claude code"))
    )


def test_after_a_compaction_a_receipt_is_waited_for_until_the_model_goes_on(shop: Shop) -> None:
    shop.handed()
    shop.compacted()
    assert since(shop) is None
    shop.note("assistant")
    receipt = since(shop)
    assert (
        receipt and receipt.label == "not received: it was handed over, and the transcript has nothing of it"
    )


def test_after_a_compaction_the_newest_counts_unless_one_is_bad(shop: Shop) -> None:
    shop.handed()  # of an earlier compaction: not received, and long ago
    shop.seconds += 3_600
    shop.handed()
    shop.compacted()
    shop.attach("hook_additional_context", content=[TEXT])
    shop.note("assistant")
    receipt = since(shop)
    assert receipt and (receipt.arrival, receipt.line) == ("whole", 3)
    rescue = with_mark("Notes on the project shop: the rescue")
    shop.handed(rescue, "user-prompt-submit")
    shop.attach("hook_additional_context", "UserPromptSubmit", content=[rescue[:-20]])
    shop.seconds += 60
    shop.handed(TEXT, "user-prompt-submit")
    receipt = since(shop)
    assert receipt and receipt.label == f"cut at {len(rescue) - 20}"


def test_after_a_compaction_without_a_hook_the_reason_is_given(shop: Shop) -> None:
    shop.ran("captured x", "pre-compact")
    shop.seconds += 3_600
    shop.compacted()
    shop.note("assistant")
    receipt = since(shop)
    assert receipt and receipt.reason.startswith("no hook ran: memtui is not installed")
