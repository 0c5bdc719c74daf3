"""How `claude` is started: away from the project, without tools and hooks, and not as a nested session."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.engines.ask import EngineError, ask, conversation
from tests.engines.stand_in import StandIn
from tests.transcripts import START, Transcript


def test_the_program_runs_apart(claude: StandIn) -> None:
    claude.says("answer\n")
    nested = {"CLAUDECODE": "1", "CLAUDE_CODE_SSE_PORT": "7", "KEPT": "yes"}
    env = {**nested, "PATH": f"{claude.folder}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    assert ask("what\udcff?", env=env) == "answer\n"
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
        ask("what?", env={"PATH": str(claude.folder)})


def test_a_child_that_is_left_behind_does_not_hold_up_the_answer(
    claude: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.engines.ask.PATIENCE", 5.0)
    claude.does("sleep 600 &\nprintf answer")
    assert ask("what?", env={"PATH": f"{claude.folder}{os.pathsep}/usr/bin{os.pathsep}/bin"}) == "answer"


def test_words_and_calls_are_labelled(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Fix it, s'il te plaît.")
    session.say("On it.")
    session.edit("/work/app/a.py")
    session.slash("review", "all of it")
    assert conversation(session.write(tmp_path), 10_000).split("\n") == [
        "[USER L1] Fix it, s'il te plaît.",
        "[CLAUDE L2] On it.",
        "[CLAUDE L3] (Edit /work/app/a.py)",
        "[USER L5] /review all of it",
    ]


def test_it_ends_where_the_facts_end(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Before.")
    session.compaction()
    session.say("After.")
    path = session.write(tmp_path)
    assert conversation(path, 1_000, until=START) == "[USER L1] Before."
    assert "After." in conversation(path, 1_000, until=START + timedelta(days=1))
