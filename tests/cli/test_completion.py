"""Shell completion of memtui's words."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from memtui.cli.main import cli
from memtui.ground.project import Project
from tests.cli.conftest import Memtui
from tests.cli.memories import put
from tests.cli.starting import start_memtui

IDS = ["CMEM-20260102-091500", "CMEM-20260101-080000"]


@pytest.fixture
def stored(project: Project) -> list[str]:
    for moment in ("2026-01-01T08:00:00+00:00", "2026-01-02T09:15:00+00:00"):
        put(moment, project="/elsewhere")
    return IDS


def _offered(*words: str) -> list[str]:
    *before, typed = words
    shell = ShellComplete(cli, {}, "memtui", "_MEMTUI_COMPLETE")
    return [item.value for item in shell.get_completions(before, typed)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(memtui: Memtui, shell: str) -> None:
    done = memtui("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert "_MEMTUI_COMPLETE" in done.out and f"{shell}_complete" in done.out
    assert memtui("completion", "tcsh").code == 2


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", IDS),
        ("CMEM-2026", IDS),
        ("cmem-20260102", IDS[:1]),
        ("20260101", IDS[1:]),
        ("1500", IDS[:1]),
        ("080000", IDS[1:]),
        ("nosuch", []),
    ],
)
def test_ids_are_completed_from_both_ends(stored: list[str], typed: str, found: list[str]) -> None:
    for words in (("memory", "show"), ("memory", "export", "--id"), ("restore", "--id"), ("memory", "tag")):
        assert _offered(*words, typed) == found


def test_the_shell_asks_memtui_itself(stored: list[str]) -> None:
    process = start_memtui(
        before="import sys; sys.argv[0] = 'memtui'",
        _MEMTUI_COMPLETE="bash_complete", COMP_WORDS="memtui memory show 1500", COMP_CWORD="3",
    )  # fmt: skip
    printed, errors = process.communicate(timeout=60)
    assert (printed.decode().split(), errors, process.returncode) == (["plain," + IDS[0]], b"", 0)
