"""Serving over standard input and output, on top of the library's transport.

The library guards the two descriptors. Added here: its last answers are awaited when the client has finished,
and invalid lines are answered, under their id if it can be read.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

LAST_ANSWERS = 5.0
"""Seconds that running requests may still take after the client has finished."""

_NO_MESSAGE = "The line is not a JSON-RPC 2.0 message."

Incoming = ObjectReceiveStream[SessionMessage | Exception]
Outgoing = ObjectSendStream[SessionMessage]


class Wire:
    """The client's messages and the server's answers, with the unanswered requests."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming: Incoming = incoming
        self._outgoing: Outgoing = outgoing
        # A client may use an id twice; each of its requests is answered.
        self._unanswered: Counter[int | str] = Counter()
        self._settled = anyio.Event()

    async def run(self, server: Server[Any]) -> None:
        """Serve until the client has finished and all requests are answered."""
        to_server, requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
        answers, from_server = anyio.create_memory_object_stream[SessionMessage]()
        async with self._outgoing, anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, to_server)
            tasks.start_soon(self._write, from_server)
            async with requests, answers:
                await server.run(requests, answers, server.create_initialization_options())

    async def _read(self, to_server: ObjectSendStream[SessionMessage | Exception]) -> None:
        async with to_server:
            async for item in self._incoming:
                if isinstance(item, Exception):
                    if (answer := refusal(item)) is not None:
                        await self._outgoing.send(SessionMessage(answer))
                    continue
                message = item.message
                if isinstance(message, JSONRPCRequest):
                    self._unanswered[message.id] += 1
                elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
                    self._settle(_id((message.params or {}).get("requestId")))
                await to_server.send(item)
            with anyio.move_on_after(LAST_ANSWERS):
                while self._unanswered.total():
                    self._settled = anyio.Event()
                    await self._settled.wait()

    async def _write(self, from_server: ObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for item in from_server:
                await self._outgoing.send(item)
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    self._settle(item.message.id)

    def _settle(self, answered: int | str | None) -> None:
        if answered is not None and self._unanswered[answered]:
            self._unanswered[answered] -= 1
            self._settled.set()


def refusal(error: Exception) -> JSONRPCError | None:
    """The answer to a line that the library could not read; None for empty lines and broken answers."""
    inputs = [each["input"] for each in error.errors()] if isinstance(error, ValidationError) else []
    if any(isinstance(line, str) and not line.strip() for line in inputs):
        return None
    messages = [message for message in map(_object, inputs) if message is not None]
    if any("method" not in message and message.keys() & {"result", "error"} for message in messages):
        return None
    known = (_id(message.get("id")) for message in messages)
    found = next((each for each in known if each is not None), None)
    return JSONRPCError(jsonrpc="2.0", id=found, error=ErrorData(code=INVALID_REQUEST, message=_NO_MESSAGE))


def _object(value: object) -> dict[str, Any] | None:
    """The JSON object in a line that failed to parse, or in the input that failed to validate."""
    if isinstance(value, str):
        try:
            value = json.loads(value)  # takes more than the library's parser: lone surrogates
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _id(value: object) -> int | str | None:
    """A value as the id of a request; None if it is not a valid one, or could not be sent back."""
    if isinstance(value, str):
        return value if value.isprintable() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
