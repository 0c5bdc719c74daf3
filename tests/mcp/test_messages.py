"""A line of a client: its message, or the answer to what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCError, JSONRPCNotification, JSONRPCRequest

from memtui.mcp.messages import read_message, too_long


def _refused(line: bytes) -> tuple[int, int | str | None]:
    answer = read_message(line)
    assert isinstance(answer, JSONRPCError), answer
    assert answer.error.message.endswith(".")
    return answer.error.code, answer.id


@pytest.mark.parametrize(
    ("line", "code", "known"),
    [
        (b"{", PARSE_ERROR, None),
        (b"hello", PARSE_ERROR, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping",}', PARSE_ERROR, None),
        (b"\xff\xfe", PARSE_ERROR, None),
        (b'{"id": 1, "method": "\xff"}', PARSE_ERROR, None),
        (b"[" * 100_000, PARSE_ERROR, None),
        (b'{"a":' * 50_000, PARSE_ERROR, None),
        (b'{"id": NaN}', PARSE_ERROR, None),
        # Python's own parser tells what it is about; the one that is used takes no lone surrogate.
        (b'{"id": 7, "method": "x", "params": {"text": "\\ud83d"}}', PARSE_ERROR, 7),
        (b'{"id": "\\ud83d", "method": "x"}', PARSE_ERROR, None),
        (b"[]", INVALID_REQUEST, None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', INVALID_REQUEST, None),
        (b"3", INVALID_REQUEST, None),
        (b"null", INVALID_REQUEST, None),
        (b"{}", INVALID_REQUEST, None),
        (b'{"id": 4}', INVALID_REQUEST, 4),
        (b'{"jsonrpc": "1.0", "id": 4, "method": "ping"}', INVALID_REQUEST, 4),
        (b'{"jsonrpc": "2.0", "id": "a", "method": 3}', INVALID_REQUEST, "a"),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": [1]}', INVALID_REQUEST, 4),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', INVALID_REQUEST, None),
    ],
)
def test_what_is_no_message_is_answered(line: bytes, code: int, known: int | str | None) -> None:
    assert _refused(line) == (code, known)


@pytest.mark.parametrize("line", [b"", b"  \r", b'{"id": 1, "result": 3}', b'{"error": {}}'])
def test_nothing_and_broken_answers_are_passed_over(line: bytes) -> None:
    assert read_message(line) is None


def test_messages() -> None:
    asked = read_message(b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "more": 1}\r')
    assert isinstance(asked, JSONRPCRequest) and (asked.id, asked.method) == ("a", "ping")
    told = read_message(b'{"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}')
    assert isinstance(told, JSONRPCNotification)
    assert too_long(16 << 20).error.message == "The message is longer than 16 MiB."


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


@given(_near.map(json.dumps).map(str.encode) | _json.map(json.dumps).map(str.encode) | st.binary())
@example(b'{"id":' + b"9" * 6_000 + b"}")
def test_any_line_has_an_answer_that_can_be_written(line: bytes) -> None:
    answer = read_message(line)
    if answer is not None:
        value: Any = json.loads(answer.model_dump_json(by_alias=True, exclude_unset=True))
        assert value["jsonrpc"] == "2.0"
