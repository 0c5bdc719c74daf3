"""A file shared with other programs: when a change counts as made."""

from __future__ import annotations

from pathlib import Path

from memtui.store.commands_file import Edit, Patience, SharedText


def accept(_text: str) -> None:
    """Take every text for whole."""


def test_a_change_that_another_program_repeats_was_still_made(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("one two")
    looks: list[str] = []

    def holds(text: str) -> bool:
        """Say no once, after which another program writes what it read behind our change."""
        looks.append(text)
        if len(looks) == 1:
            path.write_text("two 2")
            return False
        return "one" not in text

    patience = Patience(whole=5.0, lock=5.0, settle=5.0, look_again=(0.0,))
    shared = SharedText(path, tmp_path, accept, patience)
    assert shared.edit(lambda text: text.removeprefix("one "), holds) == Edit("one two", "two")
    assert path.read_text() == "two 2"


def test_a_change_that_changes_nothing_is_made_as_well(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("two")
    shared = SharedText(path, tmp_path, accept)
    assert shared.edit(lambda text: text, lambda _text: True) == Edit("two", "two")
