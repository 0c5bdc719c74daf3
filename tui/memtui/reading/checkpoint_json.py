"""`Carry` as JSON, for the file beside a session's state documents."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter, ValidationError

from memtui.formats.model import FormatError
from memtui.reading.checkpoint import Carry

_CARRY = TypeAdapter(Carry)


def carry_to_json(carry: Carry) -> dict[str, Any]:
    """A JSON object of it."""
    value: dict[str, Any] = _CARRY.dump_python(carry, mode="json")
    return value


def carry_from_json(value: dict[str, Any]) -> Carry:
    """Read it again.

    Raises:
        FormatError: it is none, or was written before lines were numbered.
    """
    if "line" not in value:
        raise FormatError("it does not say at which line reading can go on")
    try:
        return _CARRY.validate_python(value)
    except ValidationError as error:
        raise FormatError("it holds nothing that reading could go on from") from error
