"""How `claude` is started: away from the project, without tools and hooks, and not as a nested session."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engines.ask import EngineError, ask, conversation
from tests.engines.stand_in import StandIn
from tests.transcripts import Transcript


def test_the_program_runs_apart(claude: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    claude.says("answer\n")
    for name in ("CLAUDECODE", "CLAUDE_CODE_SSE_PORT", "KEPT"):
        monkeypatch.setenv(name, "yes")
    assert ask("what\udcff?") == "answer\n"
    assert claude.noted("question") == "what??" and claude.noted("beside") == ""
    assert claude.noted("arguments").split("\n")[3:5] == ["--tools", ""]
    assert '"disableAllHooks": true' in claude.noted("arguments")
    seen = set(claude.noted("environment").splitlines())
    assert {"MEMTUI_HOOKS=off", "KEPT=yes"} <= seen
    assert not any(line.startswith(("CLAUDECODE", "CLAUDE_CODE_")) for line in seen)
    assert not Path(claude.noted("folder")).exists()


def test_a_program_that_cannot_be_started_is_one_clause(claude: StandIn) -> None:
    claude.does("")
    (claude.folder / "claude").write_text("#!/gone/interpreter\n")
    with pytest.raises(EngineError, match="claude cannot be asked: "):
        ask("what?")


def test_a_child_that_is_left_behind_does_not_hold_up_the_answer(
    claude: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.engines.ask.PATIENCE", 5.0)
    claude.does("sleep 600 &\nprintf answer")
    assert ask("what?") == "answer"


def test_words_and_calls_are_labelled_up_to_a_line(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Fix it, s'il te plaît.")
    session.say("On it.")
    session.edit("/work/app/a.py")
    session.slash("review", "all of it")
    session.compaction()
    session.say("After.")
    path = session.write(tmp_path)
    shown = [
        "[USER L1] Fix it, s'il te plaît.",
        "[CLAUDE L2] On it.",
        "[CLAUDE L3] (edit /work/app/a.py)",
        "[USER L5] /review all of it",
    ]
    assert conversation(path, 5, 10_000).split("\n") == shown
    assert conversation(path, 5, 90).split("\n") == [shown[0], "[...]", shown[3]]
    assert "After." in conversation(path, 99, 10_000)
