"""The folder that memtui opens without loading its command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.__main__ import main
from memtui.cli import startup
from memtui.cli.startup import root_to_open


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in front of a terminal, and a folder in it that is the current one."""
    monkeypatch.setattr(startup, "can_show_app", lambda: True)
    monkeypatch.delenv("_MEMTUI_COMPLETE", raising=False)
    (tmp_path / "x" / ".git").mkdir(parents=True)
    (tmp_path / "x" / "src" / "doctor").mkdir(parents=True)
    (tmp_path / "x" / "file").touch()
    monkeypatch.chdir(tmp_path / "x" / "src")
    return tmp_path / "x"


@pytest.mark.parametrize(
    "words", [("doctor",), ("-h",), ("--demo-if-empty",), ("../file",), ("gone",), ("..", "x"), ("\0",)]
)
def test_all_else_is_left_to_the_command_line(project: Path, words: tuple[str, ...]) -> None:
    assert root_to_open(words) is None


def test_a_shell_that_asks_for_completions_gets_no_app(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_MEMTUI_COMPLETE", "bash_complete")
    assert root_to_open(()) is None


def test_without_a_terminal_nothing_is_opened(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "can_show_app", lambda: False)
    assert root_to_open(()) is None


def test_errors_of_the_app_are_reported_as_always(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/x/\x1b[2Jy")

    monkeypatch.setattr("memtui.__main__._open_app", fail)
    monkeypatch.setattr("sys.argv", ["memtui"])
    with pytest.raises(SystemExit, match="1"):
        main()
    assert capsys.readouterr().err == "memtui: cannot use '/x/␛[2Jy': Permission denied.\n"
