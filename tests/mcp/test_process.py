"""`memtui mcp` as Claude Code starts it: a process with two pipes."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from mcp.client.stdio import stdio_client

from mcp import ClientSession, StdioServerParameters
from memtui.ground.project import Project
from tests.mcp.conftest import HELLO, READY, RECOVERY, Start, lines, request, tool
from tests.warm import Warm

_SECONDS = 30


def _answers(printed: bytes) -> dict[Any, dict[str, Any]]:
    """The answers by id; every line of stdout has to be a message."""
    messages = [json.loads(line) for line in printed.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return {message["id"]: message for message in messages if message.get("id") is not None}


def _answered(process: Warm, sent: bytes, wanted: set[Any]) -> dict[Any, dict[str, Any]]:
    """The answers by id, once all that are wanted are there; then the client is gone."""
    writer = threading.Thread(target=lambda: (process.stdin.write(sent), process.stdin.flush()))
    writer.start()
    answers: dict[Any, dict[str, Any]] = {}
    while not wanted <= answers.keys():
        line = process.stdout.readline()
        assert line, f"no answer to {wanted - answers.keys()}"
        answers |= _answers(line)
    writer.join()
    process.stdin.close()
    assert process.wait(_SECONDS) == 0
    return answers


async def test_a_session_of_the_official_client(project: Project, tmp_path: Path) -> None:
    # With the names of all that it imports on its standard error.
    parameters = StdioServerParameters(
        command=sys.executable, args=["-I", "-X", "importtime", "-m", "memtui", "mcp"], cwd=str(project.root),
        env={"MEMTUI_HOME": os.environ["MEMTUI_HOME"], "HOME": os.environ["HOME"]},
    )  # fmt: skip
    with (tmp_path / "stderr").open("w") as errors:
        async with stdio_client(parameters, errlog=errors) as pipes, ClientSession(*pipes) as session:
            assert (await session.initialize()).server_info.name == "memtui"
            await _every_operation(session)
    printed = (tmp_path / "stderr").read_text().splitlines()
    assert [line for line in printed if not line.startswith("import time: ")] == []
    imported = {line.rpartition("|")[2].strip() for line in printed}
    assert "mcp" in imported
    assert "textual" not in imported


async def _every_operation(session: ClientSession) -> None:
    made = await session.call_tool("core_memory", {"operation": "import", "text": RECOVERY})
    memory = made.structured_content["id"]
    exported = await session.call_tool("core_memory", {"operation": "export", "id": memory})
    assert exported.structured_content["content"] == RECOVERY
    for name, arguments in (("core_memory", {"operation": "list"}), ("search", {"query": "refund"})):
        result = await session.call_tool(name, arguments)
        assert not result.is_error and memory in json.dumps(result.structured_content)
    assert (await session.call_tool("core_memory", {"operation": "export", "id": "CMEM-x"})).is_error
    listed = await session.call_tool("session_manager", {"operation": "list", "location": "active"})
    assert listed.structured_content == {"sessions": []}


def test_many_calls_at_once_are_answered(start: Start) -> None:
    imports = [tool(number, operation="import", text=f"text {number}") for number in range(8)]
    process = start()
    answers = _answered(process, lines(HELLO, READY, *imports), set(range(8)))
    assert process.stderr.read() == b""
    made = {answers[number]["result"]["structuredContent"]["id"] for number in range(8)}
    assert len(made) == 8


_HOSTILE: tuple[bytes, ...] = (
    b"{", b"\xff\xfe\xfd", b"[1,2,3]", b"[]", b"null", b"3", b'"x"', b"\0", b"{}", b'{"jsonrpc":"2.0"}',
    b"[" * 5_000, b'{"a":' * 5_000, b"x" * 20_000, b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}',
    b'{"jsonrpc":"2.0","method":"notifications/nothing"}', b'{"jsonrpc":"2.0","id":9,"result":{}}',
    b'{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}', b'{"id":3,"result":3}',
    b'{"jsonrpc":"2.0","id":"\\ud83d","method":"ping"}',
)  # fmt: skip
"""Lines that are no requests."""

_BAD_REQUESTS: tuple[tuple[str, object], ...] = (
    ("no/such/method", {}),
    ("tools/call", {}),
    ("tools/call", {"name": 3}),
    ("tools/call", {"name": "core_memory", "arguments": []}),
    ("tools/call", {"name": "core_memory", "arguments": {"operation": {"a": []}}}),
    ("tools/call", {"name": "core_memory", "arguments": {"operation": "export", "id": "\0/../x"}}),
    ("tools/call", {"name": "search", "arguments": {"query": '"(* AND'}}),
    ("tools/call", {"name": "core_memory", "arguments": {"operation": "list", "limit": 10**30}}),
    ("tools/call", {"name": "session_manager", "arguments": {"operation": "read", "session_id": "WFS-/.."}}),
    ("resources/read", {"uri": "memory://%00"}),
    ("resources/read", {"uri": 3}),
    ("resources/list", {"cursor": {"a": 1}}),
    ("prompts/get", {"name": "restore", "arguments": {"id": 3}}),
    ("initialize", {"protocolVersion": 7}),
    ("logging/setLevel", {"level": "loud"}),
    ("tools/list", []),
    ("ping", "x"),
    ("", None),
)
"""Requests with something wrong in them."""


def test_malformed_requests_do_not_end_it(start: Start) -> None:
    process = start()
    sent = [lines(HELLO, READY)]
    asked = 0
    for number in range(100):
        if number % 2:
            sent.append(_HOSTILE[number // 2 % len(_HOSTILE)] + b"\n")
            continue
        method, params = _BAD_REQUESTS[asked % len(_BAD_REQUESTS)]
        bad = {"jsonrpc": "2.0", "id": asked + 1_000, "method": method, "params": params}
        sent.append(lines(bad))
        asked += 1
    sent += [b"x" * (17 << 20) + b"\n", lines(tool("last", operation="import", text="still here"))]
    answers = _answered(process, b"".join(sent), {"last"})
    assert answers["last"]["result"]["structuredContent"]["message"].startswith("Created memory: CMEM-")


def test_a_very_long_text_is_answered_under_its_own_id_and_read_in_pages(start: Start) -> None:
    text = '"\n' * (3 << 19)  # 3 MB, twice as long in JSON
    process = start()
    asked = lines(HELLO, READY, tool(7, operation="import", text=text), request(8, "ping"))
    answers = _answered(process, asked, {7, 8})
    made = answers[7]["result"]["structuredContent"]["id"]
    assert "result" in answers[8]
    process = start()
    answers = _answered(process, lines(HELLO, READY, tool(9, operation="export", id=made)), {9})
    page = answers[9]["result"]["structuredContent"]
    assert text.startswith(page["content"]) and page["next_offset"] == len(page["content"])
    assert len(json.dumps(answers)) < 300_000


_NOISY = """
import os, subprocess
from memtui.store.memories import MemoryStore
quiet = MemoryStore.list
def noisy(*args, **named):
    print("a stray print", flush=True)
    os.write(1, b"a stray write\\n")
    subprocess.run(["echo", "a stray child"])
    assert os.read(0, 1) == b""
    return quiet(*args, **named)
MemoryStore.list = noisy
from memtui.__main__ import main
main()
"""


def test_nothing_but_the_protocol_is_on_stdout(start: Start) -> None:
    process = start(_NOISY)
    answers = _answered(process, lines(HELLO, READY, tool(1, operation="list")), {1})
    assert answers[1]["result"]["structuredContent"]["total"] == 0
    errors = process.stderr.read()
    assert [line for line in errors.splitlines() if b"stray" in line] == [
        b"a stray print", b"a stray write", b"a stray child",
    ]  # fmt: skip


def _said_hello(process: Warm) -> None:
    process.stdin.write(lines(HELLO))
    process.stdin.flush()
    assert b"serverInfo" in process.stdout.readline()


def test_it_ends_on_request_to(start: Start) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        process = start()
        _said_hello(process)
        process.send_signal(number)
        assert process.wait(_SECONDS) == 0
        assert process.stderr.read() == b""


def test_it_ends_on_request_to_though_nobody_reads_its_answers(start: Start) -> None:
    process = start()
    _said_hello(process)
    process.stdin.write(lines(READY, *(request(number, "tools/list") for number in range(100))))
    process.stdin.flush()
    process.stdout.read(1)  # it is answering, and there is more than the pipe holds
    process.send_signal(signal.SIGTERM)
    assert process.wait(_SECONDS) == 0


# An interpreter that finds no descriptor 2 has no such stream, either.
_WITHOUT_STDERR = """
import os, sys
os.close(2)
sys.stderr = sys.__stderr__ = None
from memtui.__main__ import main
main()
"""


def test_without_a_stderr(start: Start) -> None:
    process = start(_WITHOUT_STDERR)
    assert "result" in _answered(process, lines(HELLO, READY, tool(1, operation="list")), {1})[1]
