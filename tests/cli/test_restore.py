"""Handing over by hand: printed, or copied on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.cli import export
from memtui.ground.clipboard import Copied
from memtui.ground.project import Project, memtui_home
from memtui.store.states import StateStore
from tests.cli.conftest import Memtui, Result


@pytest.fixture
def state(project: Project) -> str:
    named = f"- Project: shop ({project.root})\n- Session goal: Ship it\n"
    text = f"=== SESSION STATE v1 ===\n\n## IDENTITY\n{named}"
    StateStore(project, memtui_home()).write("90dd90a0-1111", text, 1)
    return text


def test_it_is_printed_for_a_program(memtui: Memtui, state: str) -> None:
    done = memtui("restore")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Notes on the project shop, read by memtui at ")
    assert f"```text\n{state}```\n" in done.out
    assert memtui("restore", "--session", "90dd", "--full").out.endswith(f"```text\n{state}```\n")


@pytest.mark.parametrize(
    ("copied", "printed"), [(Copied("Copied it with xsel", True), False), (Copied("Sent it", False), True)]
)
def test_a_terminal_gets_it_copied(
    memtui: Memtui, state: str, monkeypatch: pytest.MonkeyPatch, copied: Copied, printed: bool
) -> None:
    taken: list[str] = []

    def copy(text: str, name: str) -> Copied:
        taken.append(text)
        assert name == "the state of session 90dd90a0"
        return copied

    monkeypatch.setattr(export, "copied", copy)
    monkeypatch.setattr(export, "is_terminal", lambda: True)
    done = memtui("restore")
    assert done == Result(0, f"{taken[0]}\n" if printed else "", f"{copied.message}.\n")
    assert memtui("restore", "--print") == Result(0, f"{taken[0]}\n", "")
    assert len(taken) == 1


def test_the_beginning_of_a_session_is_enough(memtui: Memtui, transcript: Path) -> None:
    assert "The ask" in memtui("restore", transcript.stem[:6]).out
