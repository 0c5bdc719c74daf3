"""The server's tools, resources and prompts, through the official client in this process."""

from __future__ import annotations

import pytest
from mcp.shared.exceptions import MCPError

from mcp import Client, types
from memtui.ground.project import Project
from memtui.mcp import memories
from memtui.mcp.calls import Calls
from memtui.mcp.server import make_server
from memtui.store.base import New
from tests.mcp.conftest import RECOVERY

FIRST = "CMEM-20260102-101500"


def _text(result: types.ReadResourceResult) -> str:
    (content,) = result.contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


def _plan(project: Project, name: str, text: str) -> None:
    folder = project.root / ".workflow" / "active" / name
    folder.mkdir(parents=True)
    (folder / "IMPL_PLAN.md").write_text(text)


async def test_offered_tools_resources_and_prompts(calls: Calls) -> None:
    async with Client(make_server(calls)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["core_memory", "lost", "search", "read_lines", "session_manager"]
        for name in ("lost", "search", "read_lines", "session_manager"):
            annotations = tools[name].annotations
            assert annotations is not None and annotations.read_only_hint
        assert [
            each.uri_template for each in (await client.list_resource_templates()).resource_templates
        ] == ["memory://{id}"]
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "restore" and prompt.arguments is not None
        assert not prompt.arguments[0].required
        assert "Please import memory" in (client.instructions or "")


async def test_workflow_sessions_as_in_the_seed(calls: Calls, project: Project) -> None:
    async with Client(make_server(calls)) as client:
        nothing = await client.call_tool("session_manager", {"operation": "list", "location": "active"})
        assert nothing.structured_content == {"sessions": []}
        _plan(project, "WFS-refunds", "# Plan\r\n- [x] one\n")
        manifest = await client.call_tool("session_manager", {"operation": "list", "location": "active"})
        assert manifest.structured_content == {"sessions": [{"id": "WFS-refunds"}]}
        asked = {"operation": "read", "session_id": "WFS-refunds", "content_type": "plan"}
        plan = await client.call_tool("session_manager", asked)
        assert plan.structured_content == {"content": "# Plan\r\n- [x] one\n"}


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
    calls: Calls, arguments: dict[str, str], words: str
) -> None:
    async with Client(make_server(calls)) as client:
        result = await client.call_tool("session_manager", arguments)
    (content,) = result.content
    assert result.is_error and content.type == "text" and words in content.text
    assert not calls.log.path.exists()


async def test_memories_are_resources(
    calls: Calls, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "PAGE", 2)
    for number in range(5):
        calls.store.create(New(f"text {number}".encode(), project=str(project.root), description="a\x07b"))
    calls.store.create(New(b"of another project", project="/elsewhere"))
    async with Client(make_server(calls)) as client:
        uris: list[str] = []
        cursor: str | None = None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [resource.uri for resource in page.resources]
            assert all(resource.title == "a␇b" for resource in page.resources)
            cursor = page.next_cursor
            if cursor is None:
                break
        assert uris == [f"memory://CMEM-20260102-10150{second}" for second in (4, 3, 2, 1, 0)]
        assert _text(await client.read_resource(uris[0])) == "text 4"
        assert _text(await client.read_resource("MEMORY://cmem-20260102-101500")) == "text 0"


async def test_a_memory_that_is_no_text_comes_as_bytes(calls: Calls) -> None:
    calls.store.create(New(b"\xff\xfe"))
    async with Client(make_server(calls)) as client:
        (content,) = (await client.read_resource(f"memory://{FIRST}")).contents
    assert isinstance(content, types.BlobResourceContents) and content.blob == "//4="


async def test_a_long_memory_is_cut_or_refused(calls: Calls) -> None:
    text, data = (calls.store.create(New(body)).id for body in (b"long\n" * 100_000, b"\xff" * 100_000))
    async with Client(make_server(calls)) as client:
        shown = _text(await client.read_resource(f"memory://{text}"))
        with pytest.raises(MCPError, match="is not text, and too long to send"):
            await client.read_resource(f"memory://{data}")
    assert len(shown) < 50_000 and "offset" in shown.splitlines()[-1]


async def test_equal_ids_of_two_machines_are_asked_for_by_the_machine(calls: Calls) -> None:
    for machine, author in (("desk-9f", "bob (team)"), ("laptop-1a", "ann (team)")):
        calls.store.create(New(machine.encode(), author=author, id=f"{FIRST}@{machine}"))
    async with Client(make_server(calls)) as client:
        with pytest.raises(MCPError, match=r"@laptop-1a by ann \(team\), CMEM-.*@desk-9f by bob"):
            await client.read_resource(f"memory://{FIRST}")
        assert _text(await client.read_resource(f"memory://{FIRST}@laptop-1a")) == "laptop-1a"
        calls.store.create(New(b"one's own", id=FIRST))
        assert _text(await client.read_resource(f"memory://{FIRST}")) == "one's own"


async def test_the_prompt_restores_the_one_that_is_named_or_the_newest(
    calls: Calls, project: Project
) -> None:
    for text in (RECOVERY, "the newest"):
        calls.store.create(New(text.encode(), project=str(project.root)))
    async with Client(make_server(calls)) as client:
        named = await client.get_prompt("restore", {"id": FIRST})
        newest = await client.get_prompt("restore")
    (message,) = named.messages
    assert message.role == "user" and message.content.type == "text"
    assert RECOVERY in message.content.text and FIRST in message.content.text
    (message,) = newest.messages
    assert message.content.type == "text" and "the newest" in message.content.text


@pytest.mark.parametrize(
    ("method", "argument", "words"),
    [
        ("read_resource", "memory://CMEM-19990101-000000", "has no memory"),
        ("read_resource", "memory://", "is not the address of a memory"),
        ("read_resource", "file:///etc/passwd", "is not the address of a memory"),
        ("get_prompt", "other", "There is no prompt 'other'"),
        ("get_prompt", "restore", "No memory is stored for"),
        ("list_resources", "x", "The cursor is not one"),
        ("list_resources", "-1", "The cursor is not one"),
        ("call_tool", "drop", "There is no tool 'drop'; there are core_memory, lost, search,"),
    ],
)
async def test_errors_are_of_the_protocol(calls: Calls, method: str, argument: str, words: str) -> None:
    async with Client(make_server(calls)) as client:
        with pytest.raises(MCPError) as caught:
            if method == "list_resources":
                await client.list_resources(cursor=argument)
            elif method == "call_tool":
                await client.call_tool(argument, {})
            elif method == "get_prompt":
                await client.get_prompt(argument)
            else:
                await client.read_resource(argument)
    assert words in caught.value.error.message
    assert caught.value.error.code == types.INVALID_PARAMS
    assert not calls.log.path.exists()
