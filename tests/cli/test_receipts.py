"""`memtui doctor --receipts`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Memtui
from tests.plugin.test_receipts import TEXT, Shop


def test_the_list_and_json(memtui: Memtui, tmp_path: Path) -> None:
    shop = Shop(tmp_path.parent)
    root = str(shop.places.project.root)
    assert memtui("doctor", "--receipts", "--root", root).out == "Nothing was handed over yet.\n"
    shop.handed()
    shop.attach("hook_additional_context", content=[TEXT])
    shop.handed("another text\n\nmemtui:00000000", "user-prompt-submit")
    lines = memtui("doctor", "--receipts", "--root", root).out.splitlines()
    assert [line.split("\t")[3] for line in lines] == [
        "✗ not received: it was handed over, and the transcript has nothing of it",
        "✓ received 09:53, whole",
    ]
    listed = json.loads(memtui("doctor", "--receipts", "--root", root, "--json").out)
    assert [each["arrival"] for each in listed] == ["missing", "whole"] and "arrived" not in listed[0]


def test_why_no_hook_ran_is_said_once(memtui: Memtui, tmp_path: Path) -> None:
    shop = Shop(tmp_path.parent)
    shop.ran("captured x", "pre-compact")
    for _ in range(2):
        shop.seconds += 3_600
        shop.compacted()
    done = memtui("doctor", "--receipts", "--root", str(shop.places.project.root))
    assert [line.split("\t")[3] for line in done.out.splitlines()] == ["✗ not received: no hook ran"] * 2
    assert done.err == "No hook ran: memtui is not installed in Claude Code; run `memtui init`.\n"
