"""`memtui state`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Memtui
from tests.transcripts import Transcript


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Transcript:
    root = tmp_path / "app"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    transcript = Transcript(session_id="s1", cwd=str(root))
    transcript.user("Make refunds give the stock back.")
    transcript.edit(f"{root}/ledger.py")
    write(transcript)
    return transcript


def write(transcript: Transcript) -> None:
    root = Path(transcript.envelope["cwd"])
    transcript.write(root.parent / "claude" / "projects" / str(root).replace("/", "-"), "s1.jsonl")


def second(memtui: Memtui, session: Transcript) -> None:
    """Two versions of the session."""
    assert memtui("state", "update").code == 0
    session.user("Never touch the public API, and add a button")
    session.edit(f"{session.envelope['cwd']}/button.py")
    write(session)
    assert memtui("state", "update").code == 0


def test_update_writes_a_version_and_says_where(memtui: Memtui, session: Transcript) -> None:
    result = memtui("state", "update")
    assert result.code == 0
    assert result.out.startswith("Version 1 of s1: ")
    assert Path(result.out.split(": ")[1].strip()).is_file()
    assert memtui("state", "update").out == "Nothing has changed since the last version.\n"


def test_update_of_a_session_in_which_nothing_was_said(
    memtui: Memtui, session: Transcript, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.touch()
    result = memtui("state", "update", "--transcript", str(transcript))
    assert (result.code, result.err) == (0, "")
    assert result.out == "Nothing was said in this session yet: there is no version to write.\n"


@pytest.mark.parametrize(
    "command",
    [
        *("state show", "lost", "restore", "compact", "transcript", "captures", "captures --backfill"),
        *("pin", "pin x", "review"),
    ],
)
def test_a_folder_above_several_projects_names_them(
    memtui: Memtui, session: Transcript, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    above = Path(session.envelope["cwd"]).parent
    (above / "shop").mkdir()
    other = Transcript(session_id="s1", cwd=str(above / "shop"))
    other.user("Sell it")
    write(other)
    monkeypatch.chdir(above)
    result = memtui(*command.split())
    says = f"{above} is not a project; below it are app, shop: go to one, or name it with --root"
    assert (result.code, result.out, result.err) == (1, "", f"memtui: {says}.\n")
    assert says not in memtui(*command.split(), "--root", "app").err
    assert f"note     compactions: {says}\n" in memtui("doctor").out
    memtui("pin", "own", "--everywhere")
    assert (memtui("pin").code, memtui("pin", "--remove", "1").code) == (0, 0)


def test_without_the_model_the_facts_stand_and_the_reason_is_reported(
    memtui: Memtui, session: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = memtui("state", "update", "--engine", "claude")
    assert result.code == 0
    assert result.err == "memtui: the program claude is not on PATH: kept the facts-only version.\n"
    assert result.out.startswith("Version 1 of s1: ")


def test_show_drafts_what_is_not_stored_and_says_so(memtui: Memtui, session: Transcript) -> None:
    result = memtui("state", "show")
    assert result.out.startswith("=== SESSION STATE v1 ===\n")
    assert "this is a draft" in result.err
    answer = json.loads(memtui("state", "show", "--json").out)
    assert (answer["stored"], answer["version"], answer["session_id"]) == (False, None, "s1")
    assert memtui("state", "history").out.startswith("No version of s1 is stored yet")


def test_show_prints_the_newest_version_or_the_wanted_one(memtui: Memtui, session: Transcript) -> None:
    second(memtui, session)
    result = memtui("state", "show")
    assert result.err == ""
    assert "button.py" in result.out
    assert "button.py" not in memtui("state", "show", "1").out
    answer = json.loads(memtui("state", "show", "--json").out)
    asked = '"Make refunds give the stock back." (first asked, L1); "Never touch the public API'
    assert answer["state"]["identity"]["goal"].startswith(asked)
    assert answer["stored"] is True
    result = memtui("state", "show", "9")
    assert result.code == 1
    assert "has no version 9" in result.err


def test_history_lists_the_versions(memtui: Memtui, session: Transcript) -> None:
    second(memtui, session)
    lines = [line.split("\t") for line in memtui("state", "history").out.splitlines()]
    assert [line[0] for line in lines] == ["v2", "v1"]
    assert lines[0][4:] == ["0", '"Never touch the public API, and add a button" (L4)']
    answer = json.loads(memtui("state", "history", "--json").out)
    assert [each["version"] for each in answer] == [2, 1]
    assert answer[0]["decisions"] == 0


def test_diff_shows_what_has_changed(memtui: Memtui, session: Transcript) -> None:
    second(memtui, session)
    out = memtui("state", "diff").out
    assert "~ - Files modified: ledger.py{+, button.py+}\n" in out
    assert "+ - L4 User: Never touch the public API, and add a button\n" in out
    assert memtui("state", "diff", "1", "2").out == out
    assert memtui("state", "diff", "2", "2").out == "The two versions say the same.\n"
    answer = json.loads(memtui("state", "diff", "--json").out)
    assert (answer["from"], answer["to"]) == (1, 2)
    lines = [line for section in answer["sections"] for line in section["lines"]]
    assert not any(line["new_decision"] for line in lines)


def test_a_session_is_named_by_its_id_or_its_transcript(
    memtui: Memtui, session: Transcript, tmp_path: Path
) -> None:
    assert memtui("state", "update", "--session", "s1").code == 0
    assert "ledger.py" in memtui("state", "show", "--session", "s").out
    result = memtui("state", "show", "--session", "other")
    assert result.code == 1
    assert "no session" in result.err
    other = Transcript(session_id="s2", cwd="/work/elsewhere")
    other.user("Write the manual")
    path = other.write(tmp_path, "s2.jsonl")
    out = memtui("state", "show", "--transcript", str(path)).out
    assert "- Project: elsewhere (/work/elsewhere)\n" in out
    assert memtui("state", "show", "--transcript", str(tmp_path / "gone.jsonl")).code == 2


def test_where_nothing_was_done_a_sentence_says_so(
    memtui: Memtui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("update",), ("show",), ("history",), ("diff",)):
        result = memtui("state", *words)
        assert result.code == 1
        assert "no session" in result.err
