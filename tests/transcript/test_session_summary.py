"""The summary of a session agrees with its facts, and has no secret."""

from __future__ import annotations

from pathlib import Path

from memtui.transcript.facts import read_facts
from memtui.transcript.session import summarize
from tests.app.widgets.records import call, result, said, text, user, write


def edit(identity: str, path: str) -> dict[str, object]:
    return {**call("Edit", file_path=path, old_string="a", new_string="b"), "id": identity}


def ended(identity: str, *, failed: bool = False) -> dict[str, object]:
    record = result("done", failed=failed)
    record["message"]["content"][0]["tool_use_id"] = identity
    return record


def session(path: Path) -> Path:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    answer = said(text("done"), gitBranch="main")
    answer["message"]["usage"] = usage
    return write(
        path,
        {"type": "mode"},
        user("First ask", gitBranch="HEAD"),
        said(edit("1", "/p/a.py")),
        ended("1"),
        said(edit("2", "/p/b.py")),
        ended("2", failed=True),
        said({**edit("3", "/p/c.py")}, isSidechain=True, agentId="x"),
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
        user("Second ask"),
        answer,
        {"type": "ai-title", "aiTitle": "A title"},
    )


def test_it_says_what_the_session_was(tmp_path: Path) -> None:
    path = session(tmp_path / "t.jsonl")
    summary = summarize(path)
    facts = read_facts(path)
    assert (summary.title, summary.first_ask) == ("A title", "First ask") == (facts.title, facts.first_prompt)
    assert (summary.turns, summary.compactions) == (len(facts.turns), len(facts.compactions)) == (2, 1)
    assert summary.files == ("/p/a.py",)
    assert (summary.tokens, summary.branch, summary.folder) == (125, "main", "/p")
    assert (summary.started, summary.ended) == (facts.started, facts.ended)


def test_a_session_is_named_by_what_was_asked_and_not_by_a_persona(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.jsonl", user("You are a careful reviewer.\n\nCheck the ledger's rounding\n\nAll of it")
    )
    assert summarize(path).name == "Check the ledger's rounding"


def test_stored_texts_have_neither_secrets_nor_private_parts(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    path = write(
        tmp_path / "t.jsonl",
        user(f"Use it <private>the plan</private> {'word ' * 50}{secret}"),
        {"type": "ai-title", "aiTitle": f"With {secret}"},
    )
    summary = summarize(path)
    assert summary.first_ask.startswith("Use it [private] word")
    assert "ghp_" not in summary.first_ask and "the plan" not in summary.first_ask
    assert summary.title == "With [masked: github token]"


def test_a_time_that_is_a_number_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text('{"type":"progress","timestamp":123}\n')
    assert summarize(path).started == ""
