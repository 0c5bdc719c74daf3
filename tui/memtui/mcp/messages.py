"""Reading one line of a client: the message in it, or the error to answer with."""

from __future__ import annotations

import json
from typing import Any

from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

Message = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError


def read_message(line: bytes) -> Message | None:
    """The message of a line, or the error that answers it; None for a line that is to be passed over.

    An empty line is passed over, and so is what looks like an answer: answers are not answered.
    """
    if not line.strip():
        return None
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        return _error(_id_in(line), PARSE_ERROR, f"The message is not valid JSON: {error}.")
    if isinstance(value, list):
        return _error(None, INVALID_REQUEST, "Batches are not supported; send one message a line.")
    if not isinstance(value, dict):
        return _error(None, INVALID_REQUEST, "The message is not a JSON object.")
    if "method" not in value and not value.keys().isdisjoint(("result", "error")):
        return None
    known = request_id(value.get("id"))
    if "id" in value and known is None:
        return _error(None, INVALID_REQUEST, "The id of a request is a text or a whole number.")
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        reason = 'A message has "jsonrpc": "2.0", a method that is a text, and params that are an object.'
        return _error(known, INVALID_REQUEST, reason)


def too_long(limit: int) -> JSONRPCError:
    """The answer to a message of more than `limit` bytes."""
    return _error(None, INVALID_REQUEST, f"The message is longer than {limit >> 20} MiB.")


def request_id(value: Any) -> int | str | None:
    """A value as the id of a request; None when it cannot be one."""
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _error(known: int | str | None, code: int, reason: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=reason))


def _id_in(line: bytes) -> int | str | None:
    """The id in a line that is nearly JSON: Python's parser takes lone surrogates, for instance."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = request_id(value.get("id")) if isinstance(value, dict) else None
    if isinstance(found, str) and not found.isprintable():  # a surrogate could not be sent back
        return None
    return found
