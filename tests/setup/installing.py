"""Helpers for the tests of installing."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.project import Places
from memtui.setup.claude_files import Scope, settings_file


def settings_path(places: Places, scope: Scope = Scope.PROJECT) -> Path:
    return settings_file(places, scope).path


def tree(root: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


def wrote(path: Path, text: str, *, newline: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline=newline)
    return path
