"""A project, a server's environment in this process, and a server in a process of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mcp import Client
from memtui.ground.project import Project, memtui_home
from memtui.mcp.server import Surroundings, make_server
from tests.warm import Warm

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)

RECOVERY = """\
## Session ID
WFS-refunds

## Project Root
/work/shop

## Objective
Fix the refund of 退款 orders

## Execution Plan
### Source: todo (TodoWrite)

<details>
<summary>Full Execution Plan (Click to expand)</summary>

- [x] Find the rounding
- [ ] Write the test

</details>

## Working Files (Modified)
- /work/shop/src/refund.ts (role: main implementation)

## Last Action
Ran the tests: 2 failed

## Pending
- Write the test
"""

HELLO = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    return Project(root)


@pytest.fixture
def here(project: Project) -> Surroundings:
    env = {"CLAUDE_PROJECT_DIR": str(project.root), "CLAUDE_CODE_SESSION_ID": "5b0c7e1a"}
    return Surroundings(memtui_home(), lambda: NOW, env)


async def answered(here: Surroundings, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a call was refused, and the text of the answer."""
    async with Client(make_server(here)) as client:
        result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert content.type == "text"
    if not result.is_error:
        assert json.loads(content.text) == result.structured_content
    return bool(result.is_error), content.text


async def done(here: Surroundings, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a call that is not refused."""
    failed, text = await answered(here, tool, **arguments)
    assert not failed, text
    found: dict[str, Any] = json.loads(text)
    return found


async def refused(here: Surroundings, tool: str, **arguments: Any) -> str:
    """The sentence with which a call is refused."""
    failed, text = await answered(here, tool, **arguments)
    assert failed and text.endswith(".") and "\n" not in text
    return text


def request(number: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def tool(number: int | str, **arguments: Any) -> dict[str, Any]:
    return request(number, "tools/call", name="core_memory", arguments=arguments)


def lines(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


Start = Callable[..., Warm]
_MCP = "from memtui.__main__ import main; main()"


@pytest.fixture
def start(project: Project) -> Iterator[Start]:
    """Start `memtui mcp`, or a program of the test's that does; what still runs at the end is ended."""
    started: list[Warm] = []

    def run(program: str = _MCP) -> Warm:
        imports = ("import memtui.__main__", "import memtui.cli.main", "import memtui.mcp.server")
        process = Warm(program, "mcp", cwd=project.root, env=os.environ, imports=imports)
        started.append(process)
        return process

    yield run
    for process in started:
        process.end()
