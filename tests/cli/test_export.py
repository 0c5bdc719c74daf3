"""``memtui export`` writes one file of a session, live or archived, or of a memory."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.app.widgets.records import call, result, said, text, user, write
from tests.cli.conftest import Memtui

SECRET = "ghp_" + "a1B2" * 9


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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
    again = memtui("export", "4c6e", "--lines", "3-")
    assert again.code == 1
    assert "session-4c6e7ca5.html already exists; name another file, or replace it with --force" in again.err
    assert page.read_text() == content
    assert memtui("export", "4c6e", "--lines", "3-", "--force").code == 0
    assert "The answer" not in page.read_text() and "lines 3 to the end" in page.read_text()
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


@pytest.mark.parametrize(
    ("lines", "there"),
    [
        ("1", "first"),
        ("2-3", "answer second"),
        ("-1", "first"),
        ("4-", "end"),
        ("1-4", "first answer second end"),
    ],
)
def test_only_the_lines_that_are_wanted(memtui: Memtui, transcript: Path, lines: str, there: str) -> None:
    body = memtui("export", "4c6e", "--md", "--lines", lines, "-o", "-").out.split("left out`")[1]
    assert [word for word in ("first", "answer", "second", "end") if word in body] == there.split()


def test_invalid_names_and_ranges(memtui: Memtui, transcript: Path) -> None:
    for lines in ("x", "-", "0-3", "9-2", "1-2-3"):
        assert memtui("export", "4c6e", "--lines", lines).code == 2
    nothing = memtui("export", "4c6e", "--lines", "70-80")
    assert nothing.code == 1 and "has nothing to read in lines 70 to 80" in nothing.err
    assert memtui("export", "nosuch").code == 1
    assert memtui("export", "4c6e", "-o", "no/folder.html").code == 1
    assert not list(Path.home().glob("*.html"))


def test_secrets_stay_only_where_a_person_at_a_terminal_says_so(
    memtui: Memtui, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    refused = memtui("export", "4c6e", "--unmasked")
    assert refused.code == 1 and "only a person at a terminal" in refused.err
    assert not list(Path.home().glob("*.html"))
    monkeypatch.setattr("sys.stdin", Terminal())
    assert memtui("export", "4c6e", "--unmasked").out.endswith("with its secrets.\n")
    content = (Path.home() / "session-4c6e7ca5.html").read_text()
    assert SECRET in content and "secrets not masked" in content and "the plan" not in content


def test_a_memory_is_exported_by_its_id(memtui: Memtui, transcript: Path) -> None:
    body = f"# Notes\n\n```\nopen {SECRET}\n<private>mine</private> <b>\n"
    Path("text.md").write_text(body)
    assert memtui("memory", "import", "text.md", "--description", "What we know").code == 0
    listed = memtui("memory", "list").out.split("\t")[0]
    assert memtui("export", listed).code == 0
    page = (Path.home() / f"{listed}.html").read_text()
    assert "<h1>What we know</h1>" in page and "open [masked: github token]\n[private] &lt;b&gt;" in page
    made = memtui("export", listed, "--md", "-o", "-").out
    assert made.startswith("- `What we know`\n")
    assert made.endswith("\n````\n# Notes\n\n```\nopen [masked: github token]\n[private] <b>\n````\n")
    assert memtui("export", listed, "--lines", "1").code == 2
    assert memtui("export", "CMEM-19990101-000000").code == 1


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
    first, second = (
        page.index("<summary>Subagent a1: Count the gulls</summary>"),
        page.index("Subagent b2: Paint &lt;b"),
    )
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
