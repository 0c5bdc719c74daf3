"""Paths of a handoff: as seen from the project, or from the user's home folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.handoff import relative


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see /home/ann/shop/src/a.py:3", "see src/a.py:3"),
        ("(/home/ann/shop) and '/home/ann/shop/'", "(.) and '.'"),
        ("/home/ann/shop-old/a.py", "~/shop-old/a.py"),
        ("/home/anna/x and /mnt/home/ann/shop/a", "/home/anna/x and /mnt/home/ann/shop/a"),
        ("cd /home/ann && ls", "cd ~ && ls"),
    ],
)
def test_paths_are_relative(text: str, shown: str) -> None:
    assert relative(text, Path("/home/ann/shop"), Path("/home/ann")) == shown
