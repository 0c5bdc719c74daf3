"""Transcript records for the tests, like Claude Code's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def user(text: str, **more: Any) -> Record:
    message = {"role": "user", "content": text}
    return {"type": "user", "timestamp": "2026-01-02T10:15:00.000Z", "cwd": "/p", "message": message, **more}


def said(*blocks: Record, **more: Any) -> Record:
    message = {"role": "assistant", "id": "m", "model": "claude", "content": list(blocks)}
    return {
        "type": "assistant",
        "timestamp": "2026-01-02T10:16:00.000Z",
        "cwd": "/p",
        "message": message,
        **more,
    }


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def call(name: str, **arguments: Any) -> Record:
    return {"type": "tool_use", "id": "t", "name": name, "input": arguments}


def result(content: Any, *, failed: bool = False, **more: Any) -> Record:
    block = {"type": "tool_result", "tool_use_id": "t", "content": content, "is_error": failed}
    return {**user(""), "message": {"role": "user", "content": [block]}, **more}


def write(path: Path, *records: Record | str | bytes) -> Path:
    """Add lines to a transcript: records as JSON, texts and bytes as they are."""
    with path.open("ab") as file:
        for record in records:
            data = record if isinstance(record, (str, bytes)) else json.dumps(record) + "\n"
            file.write(data.encode() if isinstance(data, str) else data)
    return path
