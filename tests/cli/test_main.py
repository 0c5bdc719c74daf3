"""Dispatching of commands, and exit codes."""

from __future__ import annotations

import click
import pytest

from memtui.cli import main, output
from memtui.cli.main import Openers, run
from memtui.cli.startup import COMMANDS
from memtui.ground.project import Project, transcript_slug
from tests.cli.conftest import Memtui, Opened

VISIBLE = (
    "captures", "review", "compact", "transcript", "search", "lost", "pin", "sessions", "archive", "export",
    "restore", "command", "memory", "state", "compactor", "share", "sync", "remote", "init", "uninstall",
    "doctor", "mcp",
)  # fmt: skip


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_every_command(memtui: Memtui, flag: str) -> None:
    result = memtui(flag)
    assert result.code == 0
    assert result.out.startswith("Usage: memtui [PATH]\n       memtui COMMAND [ARGS]...\n")
    for name in VISIBLE:
        assert f"\n  {name} " in result.out
    assert "demo-if-empty" not in result.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_name_leads_to_its_command_which_has_help(memtui: Memtui, name: str) -> None:
    command = main.cli.get_command(click.Context(main.cli), name)
    assert command is not None
    assert command.name == name
    assert command.hidden == (name not in VISIBLE)
    result = memtui(name, "-h")
    assert result.code == 0
    assert result.out.startswith(f"Usage: memtui {name}")


def test_no_word_opens_the_project_around_the_current_folder(
    memtui: Memtui, opened: Opened, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = project.root / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert memtui().code == 0
    assert opened.projects == [project]


def test_a_folder_is_opened(memtui: Memtui, opened: Opened, project: Project) -> None:
    (project.root / "src").mkdir()
    assert memtui("src").code == 0
    assert memtui(str(project.root)).code == 0
    assert opened.projects == [project, project]


def test_a_command_wins_over_a_folder_of_its_name(memtui: Memtui, opened: Opened, project: Project) -> None:
    (project.root / "demo").mkdir()
    assert memtui("demo").code == 0
    assert (opened.demos, opened.projects) == (1, [])
    assert memtui("./demo").code == 0
    assert (opened.demos, opened.projects) == (1, [project])


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("captuers", "No command or folder 'captuers'. Did you mean 'captures'?"),
        ("transcripts", "No command or folder 'transcripts'. Did you mean 'transcript'?"),
        ("~nosuchuser", "No command or folder '~nosuchuser'."),
        ("/no/such/folder", "No command or folder '/no/such/folder'."),
        ("../shp", "No command or folder '../shp'. Did you mean '../shop'?"),
        ("notes.txt", "'notes.txt' is a file; memtui opens folders."),
        ("a\x1b]0;b\x07", "No command or folder 'a␛]0;b␇'."),
    ],
)
def test_an_unknown_word_is_a_usage_error(memtui: Memtui, project: Project, word: str, sentence: str) -> None:
    (project.root / "notes.txt").touch()
    result = memtui(word)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"memtui: {sentence}\nTry 'memtui --help'.\n"


@pytest.mark.parametrize(
    "words",
    [
        ("compact", "--transcript", "~nosuchuser/t.jsonl"),
        ("state", "update", "--session", "~nosuchuser/t.jsonl"),
        ("compact", "--check", "~nosuchuser/x.md"),
        ("memory", "import", "--file", "~nosuchuser/x.md"),
    ],
)
def test_the_home_of_an_unknown_user_is_a_path_like_others(
    memtui: Memtui, project: Project, words: tuple[str, ...]
) -> None:
    result = memtui(*words)
    assert result.code in (1, 2)
    assert "~nosuchuser" in result.err and "Traceback" not in result.err


def test_demo_if_empty_opens_the_demo_when_there_is_nothing(
    memtui: Memtui, opened: Opened, project: Project
) -> None:
    assert memtui("--demo-if-empty").code == 0
    assert memtui("--demo-if-empty", ".").code == 0
    assert (opened.demos, opened.projects) == (2, [])


@pytest.mark.parametrize(
    "path",
    [
        "shop/.project/compacts/20260102_101500-autocompact.md",
        "shop/docs/09-agents/session-state.json",
        "memtui/data/memories/2026-01/CMEM-20260102-101500.md",
        "claude/projects/{slug}/5b0c7e1a.jsonl",
    ],
)
def test_demo_if_empty_opens_the_project_when_there_is_something(
    memtui: Memtui, opened: Opened, project: Project, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    base = project.root.parent
    monkeypatch.setenv("MEMTUI_HOME", str(base / "memtui"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(base / "claude"))
    file = base / path.format(slug=transcript_slug(project.root))
    file.parent.mkdir(parents=True)
    file.touch()
    assert memtui("--demo-if-empty", ".").code == 0
    assert (opened.demos, opened.projects) == (0, [project])


@pytest.mark.parametrize("words", [(), (".",), ("demo",), ("--demo-if-empty",)])
def test_the_app_needs_a_terminal(
    memtui: Memtui, opened: Opened, project: Project, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(output, "can_show_app", lambda: False)
    result = memtui(*words)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("memtui: the app needs a terminal, for stderr too;")
    assert (opened.demos, opened.projects) == (0, [])


@pytest.fixture
def _a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "can_show_app", lambda: True)


def _ending(error: BaseException) -> Openers:
    def fail(*_: object) -> None:
        raise error

    return Openers(app=fail, demo=fail, mcp=fail)


@pytest.mark.usefixtures("_a_terminal")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupted_run_ends_with_130(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"], _ending(error)) == 130
    printed = capsys.readouterr()
    # A line feed after the ^C that the terminal shows is all.
    assert (printed.out, printed.err.strip()) == ("", "")


@pytest.mark.usefixtures("_a_terminal")
def test_a_bug_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        run(["demo"], _ending(ZeroDivisionError()))
