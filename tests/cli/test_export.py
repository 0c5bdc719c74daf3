"""``memtui export`` writes one file of a session, live or archived."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.widgets.records import call, result, said, text, user, write
from tests.cli.conftest import Memtui

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def transcript(transcripts: Path, tmp_path: Path) -> Path:
    return write(
        transcripts / "4c6e7ca5-1.jsonl",
        user("The first ask", cwd=str(tmp_path / "p")),
        said(text(f"The answer {SECRET} <private>the plan</private>")),
        user("The second ask"),
        said(text("The end")),
    )


def test_a_session_becomes_a_page_named_after_it_and_nothing_is_written_over(
    memtui: Memtui, transcript: Path
) -> None:
    (Path.home() / "Downloads").mkdir()
    done = memtui("export", "4c6e")
    page = Path.home() / "Downloads" / "session-4c6e7ca5.html"
    assert done.out.startswith(f"Wrote {page}, ") and done.out.endswith("secrets masked.\n")
    assert page.stat().st_mode & 0o777 == 0o600
    content = page.read_text()
    assert content.startswith("<!doctype html>") and content.endswith("</html>\n")
    assert "<h1>The first ask</h1>" in content and "The end" in content
    assert "[masked: github token] [private]" in content
    write(transcript, user("The third ask"))
    again = memtui("export", "4c6e")
    assert again.code == 1
    assert "session-4c6e7ca5.html already exists; name another file, or replace it with --force" in again.err
    assert page.read_text() == content
    assert memtui("export", "--force").code == 0  # the newest
    assert "The third ask" in page.read_text()
    assert [each.name for each in Path().iterdir()] == [".git"]


def test_an_archived_session_is_exported_as_a_live_one(memtui: Memtui, transcript: Path) -> None:
    live = memtui("export", "4c6e", "--md", "-o", "-").out
    memtui("archive")
    transcript.unlink()
    assert memtui("export", "4c6e", "--md", "--print").out == live
    assert live.startswith("# The first ask\n\n- `Claude Code session 4c6e7ca5-1 · ")
    assert "The answer [masked: github token] [private]\n" in live
    assert memtui("export", "4c6e", "-o", "out.md").code == 0
    assert Path("out.md").read_text().startswith("# ")
    assert json.loads(memtui("export", "4c6e", "-o", "2.md", "--json").out)["path"].endswith("2.md")


def test_invalid_names(memtui: Memtui, transcript: Path) -> None:
    write(transcript.with_name("5d-empty.jsonl"))
    nothing = memtui("export", "5d-e")
    assert nothing.code == 1 and "has nothing to read" in nothing.err
    assert memtui("export", "nosuch").code == 1
    assert memtui("export", "4c6e", "-o", "no/folder.html").code == 1
    assert not list(Path.home().glob("*.html"))


def test_subagents_are_folded_away_where_they_worked(memtui: Memtui, transcript: Path) -> None:
    ended = {"agentId": "a1", "totalToolUseCount": 2}
    write(
        transcript,
        said(call("Task", prompt="count")),
        result("Twelve gulls", toolUseResult=ended),
        user("third"),
    )
    inside = transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    inside.parent.mkdir(parents=True)
    chain = {"isSidechain": True, "sessionId": transcript.stem}
    write(
        inside,
        user("Count the gulls", agentId="a1", **chain),
        said(text(f"I see {SECRET}"), agentId="a1", **chain),
    )
    other = inside.with_name("agent-b2.jsonl")
    write(other, user("Paint <b>", agentId="b2", **chain), said(text("Painted."), agentId="b2", **chain))
    assert memtui("export", "4c6e").code == 0
    page = (Path.home() / "session-4c6e7ca5.html").read_text()
    first = page.index("<summary>Subagent a1: Count the gulls</summary>")
    second = page.index("Subagent b2: Paint &lt;b")
    assert page.index("count") < first < page.index("third") < second < page.index("Painted.")
    assert page.count("Subagent a1") == 1 and "I see [masked: github token]" in page
    assert "with 2 subagents" in page and "<script" not in page
    markdown = memtui("export", "4c6e", "--md", "-o", "-").out
    assert "\n# Subagent b2: Paint \\<b\\>\n" in markdown and markdown.rstrip().endswith("Painted.")
    live = page.split("</header>")[1]
    memtui("archive")
    for each in (transcript, inside, other):
        each.unlink()
    assert memtui("export", "4c6e", "--force").code == 0
    assert (Path.home() / "session-4c6e7ca5.html").read_text().split("</header>")[1] == live
