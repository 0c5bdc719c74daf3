"""Answers to invalid lines of a client, and their ids."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from memtui.mcp.calls import Calls
from memtui.mcp.server import make_server
from memtui.mcp.stdio import Wire, refusal
from tests.mcp.conftest import HELLO, READY, tool


def _refused(line: bytes) -> JSONRPCError | None:
    """The answer to a line that the library's transport reads as it does."""
    with pytest.raises(ValidationError) as caught:
        jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False)
    return refusal(caught.value)


@pytest.mark.parametrize(
    ("line", "known"),
    [
        (b"{", None),
        (b"hello", None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping",}', None),
        (b"\xff\xfe", None),
        (b"[" * 100_000, None),
        (b'{"a":' * 50_000, None),
        # Python's own parser tells the id; the one that is used takes no lone surrogate.
        (b'{"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"text": "\\ud83d"}}', 7),
        (b'{"jsonrpc": "2.0", "id": 0, "method": "x", "params": {"text": "\\ud83d"}}', 0),
        (b'{"id": "\\ud83d", "method": "x"}', None),
        (b"[]", None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', None),
        (b"3", None),
        (b"null", None),
        (b"{}", None),
        (b'{"id": 4}', 4),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": [1]}', 4),
        (b'{"jsonrpc": "2.0", "id": "a", "method": 3}', "a"),
        (b'{"jsonrpc": "2.0", "id": {}, "method": 3}', None),
    ],
)
def test_a_line_that_is_no_message_is_answered(line: bytes, known: int | str | None) -> None:
    answer = _refused(line)
    assert answer is not None
    assert (answer.error.code, answer.id) == (INVALID_REQUEST, known)


@pytest.mark.parametrize("line", [b"", b"  \r\n", b'{"id": 1, "result": 3}', b'{"error": {}}'])
def test_empty_lines_and_broken_answers_are_passed_over(line: bytes) -> None:
    assert _refused(line) is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_near = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | _json, "id": _json, "method": st.just("ping") | _json,
        "params": _json, "result": _json, "error": _json,
    },
)  # fmt: skip


@given(_near.map(json.dumps) | _json.map(json.dumps) | st.text())
@example('{"id":' + "9" * 6_000 + "}")
def test_every_answer_can_be_written(line: str) -> None:
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        answer = refusal(error)
        if answer is not None:
            value: Any = json.loads(answer.model_dump_json(by_alias=True, exclude_unset=True))
            assert value["jsonrpc"] == "2.0"


async def test_each_of_several_requests_under_one_id_is_answered(calls: Calls) -> None:
    to_wire, incoming = anyio.create_memory_object_stream[Any](100)
    outgoing, from_wire = anyio.create_memory_object_stream[SessionMessage](100)
    requests = [tool(7, operation="list") for _ in range(20)]
    async with to_wire:
        for message in (HELLO, READY, *requests):
            await to_wire.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
    async with incoming, from_wire:
        with anyio.fail_after(60):
            await Wire(incoming, outgoing).run(make_server(calls))
        answered = [answer.message.model_dump()["id"] async for answer in from_wire]
    assert answered == ["hello", *[7] * 20]
