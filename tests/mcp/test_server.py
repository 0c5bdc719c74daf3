"""The server's tools, through the official client in this process."""

from __future__ import annotations

import pytest

from mcp import Client
from memtui.ground.project import Project
from memtui.mcp.server import Surroundings, make_server
from tests.lost.made import SUMMARY, session
from tests.mcp.conftest import done, refused


async def test_offered_tools(here: Surroundings) -> None:
    async with Client(make_server(here)) as client:
        assert "Please import memory" in (client.instructions or "")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools) == ["core_memory", "lost", "search", "session_manager"]
    assert tools["core_memory"].input_schema["required"] == ["operation"]
    for name, tool in tools.items():
        assert tool.annotations is not None and tool.annotations.read_only_hint == (name != "core_memory")
        assert len(tool.description or "") < 2048  # longer ones are cut (Claude Code fact)
        assert all("description" in each for each in tool.input_schema["properties"].values())


async def test_workflow_sessions_as_in_the_seed(here: Surroundings, project: Project) -> None:
    listing = {"operation": "list", "location": "active"}
    assert await done(here, "session_manager", **listing) == {"sessions": []}
    folder = project.root / ".workflow" / "active" / "WFS-refunds"
    folder.mkdir(parents=True)
    (folder / "IMPL_PLAN.md").write_text("# Plan\r\n- [x] one\n")
    assert await done(here, "session_manager", **listing) == {"sessions": [{"id": "WFS-refunds"}]}
    asked = {"operation": "read", "session_id": "WFS-refunds", "content_type": "plan"}
    assert await done(here, "session_manager", **asked) == {"content": "# Plan\r\n- [x] one\n"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"operation": "read"}, "needs a session_id"),
        ({"operation": "read", "session_id": "WFS-gone"}, "WFS-gone"),
        ({"operation": "read", "session_id": "../../../etc"}, "no workflow session"),
        (
            {"operation": "read", "session_id": "WFS-a", "content_type": "context"},
            "content_type: Input should",
        ),
        ({"operation": "list", "location": "archived"}, "location: Input should be 'active'"),
    ],
)
async def test_entries_that_are_no_workflow_session(
    here: Surroundings, arguments: dict[str, str], words: str
) -> None:
    assert words in await refused(here, "session_manager", **arguments)
    assert not here.log.path.exists()


async def test_a_tool_that_there_is_none(here: Surroundings) -> None:
    assert await refused(here, "drop") == (
        "There is no tool 'drop'; there are core_memory, lost, search, session_manager."
    )


async def test_losses_come_first_and_kept_rows_on_request(here: Surroundings, project: Project) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    path = str(made.write(project.root))
    answer = await done(here, "lost", session=path)
    assert answer["rows"][0]["text"] == "never push to main, I do that myself"
    assert {row["state"] for row in answer["rows"]} == {"lost", "maybe"}
    assert answer["unfounded"][0]["text"] == "docs/ghost.md"
    assert {row["state"] for row in (await done(here, "lost", session=path, kept=True))["rows"]} > {"kept"}
