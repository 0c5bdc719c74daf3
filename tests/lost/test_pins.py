from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.pins import TITLE, Pin, parse_pins, with_pin, without_pin
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project, memtui_home
from memtui.lost.pins import ROOM, Pins

EDITED = """# My pins

Some words of mine.

- never push to main (90dd90a0 L412)
* deploys need a second
  pair of eyes
- [ ] use pnpm (not npm)
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return memtui_home({"MEMTUI_HOME": str(tmp_path / "memtui")})


@pytest.fixture
def pins(tmp_path: Path, home: Home) -> Pins:
    return Pins(Project(tmp_path), home)


def test_a_file_that_a_person_edited() -> None:
    assert parse_pins(EDITED) == [
        Pin("never push to main", "90dd90a0", 412),
        Pin("deploys need a second pair of eyes"),
        Pin("use pnpm (not npm)"),
    ]
    assert without_pin(EDITED, "deploys need a second pair of eyes") == EDITED.replace(
        "* deploys need a second\n  pair of eyes\n", ""
    )


@pytest.mark.parametrize("text", ["", "# Pins", "# Pins\n\n", EDITED])
def test_what_is_added_is_read_again(text: str) -> None:
    pin = Pin("the word (L4) in it", "90dd90a0", 3)
    added = with_pin(text, pin)
    assert parse_pins(added) == [*parse_pins(text), pin]
    assert parse_pins(without_pin(added, pin.text)) == parse_pins(text)


def test_pins_of_the_project_come_before_the_users_own(pins: Pins, tmp_path: Path, home: Home) -> None:
    pins.add(Pin("for all projects"), everywhere=True)
    pins.add(Pin("for this one", "90dd90a0", 12))
    assert [(each.pin.text, each.everywhere) for each in pins.all()] == [
        ("for this one", False),
        ("for all projects", True),
    ]
    assert (tmp_path / ".project" / "pins.md").read_text() == f"{TITLE}- for this one (90dd90a0 L12)\n"
    assert home.pins.stat().st_mode & 0o777 == 0o600


def test_lines_of_others_count_only_once_they_are_confirmed(pins: Pins, tmp_path: Path, home: Home) -> None:
    pins.add(Pin("mine"))
    file = tmp_path / ".project" / "pins.md"
    file.write_text(f"- {'theirs ' * 400}\n" + file.read_text() + "- later (90dd90a0 L3)\n")
    assert [each.pin.text for each in pins.active()] == ["mine"]
    before = file.read_text()
    pins.add(Pin("later"))
    assert file.read_text() == before, "it is in the file already"
    assert [each.pin.text for each in pins.active()] == ["mine", "later"]
    assert home.confirmed_pins.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileProblem, match="already"):
        pins.add(Pin("later"))


def test_pins_have_a_limit_together_and_none_stands_twice(pins: Pins) -> None:
    pins.add(Pin("a" * (ROOM - 10)), everywhere=True)
    with pytest.raises(FileProblem, match="2,000 characters together, with this one 2,001; remove one"):
        pins.add(Pin("b" * 11))
    pins.add(Pin("b" * 10))
    with pytest.raises(FileProblem, match="already"):
        pins.add(Pin("b" * 10), everywhere=True)
