"""A screen composes: what it shows and does is in classes of their own."""

from __future__ import annotations

import ast
from pathlib import Path

import memtui


def test_no_screen_is_longer_than_250_lines() -> None:
    too_long = {
        part.name: length
        for module in (Path(memtui.__file__).parent / "app" / "screens").glob("*.py")
        for part in ast.parse(module.read_text("utf-8")).body
        if isinstance(part, ast.ClassDef) and (length := (part.end_lineno or 0) - part.lineno + 1) > 250
    }
    assert not too_long
