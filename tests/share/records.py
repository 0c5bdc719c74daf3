"""Records as a machine makes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from memtui.formats.shared_record import SharedRecord, record_name, render_record
from memtui.share.remote import Outgoing

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def record(number: int = 0, body: bytes = b"## Objective\n", **values: Any) -> SharedRecord:
    """A record of the memory with this number."""
    machine = values.get("machine", "laptop-1a2b")
    return SharedRecord.model_validate(
        {
            "kind": "text",
            "memory": f"CMEM-20260102-{number:06d}@{machine}",
            "machine": machine,
            "author": "ann",
            "at": NOON + timedelta(seconds=number),
            "project": "shop",
            "created": NOON,
            "source": "review",
            "description": "Fix the cart",
            "tags": ("cart",),
            "archived": False,
            "body": body,
            **values,
        }
    )


def outgoing(made: SharedRecord) -> Outgoing:
    """The record as it is sent."""
    data = render_record(made)
    return Outgoing(record_name(made.memory, data), made.project, data)
