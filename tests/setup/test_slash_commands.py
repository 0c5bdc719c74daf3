"""The slash commands' files: their contents, and recognising them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from memtui.formats.recovery import parse_recovery
from memtui.ground.project import Places
from memtui.setup.claude_files import Scope
from memtui.setup.slash_commands import COMMANDS, MEMORY_COMPACT, is_sealed, is_untouched, slash_command
from tests.setup.conftest import Run

GOLDEN = Path(__file__).parent.parent / "data" / "slash"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_file(name: str) -> None:
    assert slash_command(name) == (GOLDEN / name).read_bytes()


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("memtui", ["memtui", "'/opt/my tools/python3' -I -m memtui"])
def test_it_can_be_used_by_claude_code(name: str, memtui: str) -> None:
    text = slash_command(name, memtui).decode()
    _, head, body = text.split("---\n", 2)
    fields = yaml.safe_load(head)
    assert isinstance(fields["argument-hint"], str)
    assert f"Bash({memtui} " in fields["allowed-tools"]
    assert body.count("$ARGUMENTS") == body.count("$") == 1
    assert "{memtui}" not in text
    # Both would have Claude Code run or read something before anybody has read the text.
    assert "!`" not in body and "@" not in body


@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_known_again(name: str) -> None:
    made = slash_command(name)
    assert is_untouched(made) and is_untouched(made.replace(b"\n", b"\r\n"))
    edited = made.replace(b"description: ", b"description: My ", 1)
    assert is_sealed(edited) and not is_untouched(edited)
    assert not is_sealed(made[:-3])


def test_the_format_it_asks_for_is_the_one_that_is_read() -> None:
    text = slash_command(MEMORY_COMPACT).decode()
    example = text.split("````markdown\n")[1].split("````")[0]
    recovery = parse_recovery(example)
    assert (recovery.preamble, recovery.extra) == ("", ())
    assert [file.role for file in recovery.working_files] == ["main implementation", "unit tests"]
    assert "ALL acceptance criteria" in recovery.plan.content
    box = [line for line in text.split("\n") if line[:1] in "╔║╚" and line]
    assert len(box) == 8 and {len(line) for line in box} == {78}


@pytest.mark.parametrize("scope", tuple(Scope))
def test_the_folder_of_the_command_goes_with_it(
    places: Places, init: Run, uninstall: Run, scope: Scope
) -> None:
    base = places.claude if scope is Scope.USER else places.project.root / ".claude"
    own = base / "commands" / "memory" / "mine.md"
    init(scope)
    assert (base / "commands" / MEMORY_COMPACT).read_bytes() == slash_command(MEMORY_COMPACT)
    own.write_text("mine")
    uninstall(scope)
    assert [path.name for path in (base / "commands").rglob("*.md")] == ["mine.md"]
    own.unlink()
    init(scope)
    uninstall(scope)
    # The folder was not ours this time.
    assert (base / "commands" / "memory").is_dir()


def test_one_edited_command_stays_and_the_other_goes(places: Places, init: Run, uninstall: Run) -> None:
    init()
    path = places.project.root / ".claude" / "commands" / MEMORY_COMPACT
    path.write_text(path.read_text().replace("# Memory", "# My memory"))
    assert uninstall().kept == (path,)
    assert [each.name for each in path.parent.parent.rglob("*.md")] == ["compact.md"]
    uninstall(edited=[path])
    assert not path.exists()
