"""`claude` is asked within limits, and nothing of it is left behind."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

import pytest

from memtui.engines.process import MOST, EngineCancelledError, EngineError, ask, find_claude
from tests.engines.stand_in import StandIn


def test_the_answer_is_what_the_program_prints(claude: StandIn) -> None:
    claude.says("Grüße, 世界\n")
    assert ask("the question: é\udc80") == "Grüße, 世界\n"
    assert claude.noted("question") == "the question: é?"


def test_the_call_cannot_feed_itself(
    claude: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No hooks, no tools, no servers, no session kept, and an empty folder instead of the project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("ANTHROPIC_MODEL", "kept")
    claude.says("yes")
    ask("?")
    arguments = claude.noted("arguments").split("\n")
    assert arguments[arguments.index("--settings") + 1] == '{"disableAllHooks": true}'
    assert arguments[arguments.index("--tools") + 1] == ""
    assert {"-p", "--strict-mcp-config", "--no-session-persistence"} <= set(arguments)
    environment = claude.noted("environment").split("\n")
    assert "MEMTUI_HOOKS=off" in environment
    assert "ANTHROPIC_MODEL=kept" in environment
    assert not any(line.startswith("CLAUDECODE=") for line in environment)
    assert claude.noted("folder") != str(tmp_path)
    assert claude.noted("beside") == ""
    assert not Path(claude.noted("folder")).exists()


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="not on PATH"):
        find_claude({"PATH": str(tmp_path)})
    with pytest.raises(EngineError, match="not on PATH"):
        find_claude({})


def test_a_program_in_the_current_folder_is_not_started(
    claude: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.says("no")
    monkeypatch.chdir(claude.folder)
    with pytest.raises(EngineError, match="not on PATH"):
        find_claude({"PATH": f".{os.pathsep}{os.pathsep}bin"})


def test_a_program_that_cannot_be_started(claude: StandIn) -> None:
    claude.says("no")
    (claude.folder / "claude").write_text("#!/no/such/interpreter\n")
    with pytest.raises(EngineError, match="cannot be started"):
        ask("?")


def test_a_question_that_cannot_be_written(
    claude: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The disk of temporary files is full, or there is none: the draft has to stand then, too."""
    claude.says("yes")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(EngineError, match="the question cannot be written: no such file"):
        ask("?")


@pytest.mark.parametrize("answer", ["", " \n\t\n"])
def test_an_empty_answer(claude: StandIn, answer: str) -> None:
    claude.says(answer)
    with pytest.raises(EngineError, match="answered nothing"):
        ask("?")


def test_an_error_exit_says_why(claude: StandIn) -> None:
    claude.says("", code=3, errors="warning\n\x1b[31mInvalid API key\x1b[0m\n")
    with pytest.raises(EngineError, match=r"exit code 3: .*Invalid API key"):
        ask("?")


def test_an_error_on_the_output_says_why(claude: StandIn) -> None:
    claude.says("Credit balance is too low", code=1)
    with pytest.raises(EngineError, match="exit code 1: Credit balance is too low"):
        ask("?")


def test_an_answer_without_end(claude: StandIn) -> None:
    claude.says("x" * (1 << 20))
    with pytest.raises(EngineError, match=f"more than {MOST >> 10} KB"):
        ask("?")


def test_an_output_that_never_ends(claude: StandIn) -> None:
    claude.does("while :; do echo more; done")
    with pytest.raises(EngineError, match="more than"):
        ask("?")


def test_a_hanging_program_is_ended_with_its_children(
    claude: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.hangs()
    claude.outlasts_patience(monkeypatch)
    with pytest.raises(EngineError, match=r"no answer in 90\.5 seconds"):
        ask("?", patience=90.5)
    assert claude.child_ends()


def test_cancelling_ends_the_program(claude: StandIn) -> None:
    claude.hangs()
    started = threading.Event()

    def cancelled() -> bool:
        if (claude.notes / "child").exists():
            started.set()
        return started.is_set()

    with pytest.raises(EngineCancelledError):
        ask("?", cancelled=cancelled)
    assert claude.child_ends()


def test_a_large_question_does_not_block(claude: StandIn) -> None:
    """The program may answer before it has read everything."""
    claude.does('printf "early"')
    assert ask("q" * (1 << 20)) == "early"
