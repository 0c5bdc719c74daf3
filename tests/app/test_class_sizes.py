"""Screens compose: their contents and actions are in classes of their own."""

from __future__ import annotations

import ast
from pathlib import Path

import memtui


def test_no_screen_is_longer_than_250_lines_with_its_bases() -> None:
    classes = {
        part.name: part
        for module in (Path(memtui.__file__).parent / "app" / "screens").glob("*.py")
        for part in ast.parse(module.read_text("utf-8")).body
        if isinstance(part, ast.ClassDef)
    }

    def length(part: ast.ClassDef) -> int:
        bases = (classes[name.id] for name in part.bases if isinstance(name, ast.Name) and name.id in classes)
        return (part.end_lineno or 0) - part.lineno + 1 + sum(map(length, bases))

    assert len(classes) > 20
    assert {name: length(part) for name, part in classes.items() if length(part) > 250} == {}
