"""Writes transcripts like Claude Code's, one line per call."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts

START = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). "
)
SIBLING = "<tool_use_error>Sibling tool call errored</tool_use_error>"
STOP = f"{REFUSED}STOP what you are doing and wait for the user to tell you how to proceed."
SAID = f"{REFUSED}To tell you how to proceed, the user said:\n"
SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. The summary below "
    "covers the earlier portion of the conversation.\n\n"
    "Summary:\n1. Primary Request and Intent:\n   Fix it.\n"
)


class Transcript:
    """The lines of a session so far. Each takes a second."""

    def __init__(self, *, session_id: str = "5e55-1d", cwd: str = "/work/app", branch: str = "main") -> None:
        self.envelope: dict[str, Any] = {
            "isSidechain": False,
            "userType": "external",
            "cwd": cwd,
            "sessionId": session_id,
            "version": "2.1.100",
            "gitBranch": branch,
        }
        self.moment = START
        self._parts: list[bytes] = []
        self._count = 0

    @property
    def data(self) -> bytes:
        """All lines so far."""
        self._parts = [b"".join(self._parts)]
        return self._parts[0]

    @data.setter
    def data(self, data: bytes) -> None:
        self._parts = [data]

    @property
    def now(self) -> str:
        """The next line's timestamp."""
        return self.moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def raw(self, line: bytes, end: bytes = b"\n") -> None:
        """Bytes as they are."""
        self._parts.append(line + end)

    def record(self, record: dict[str, Any]) -> dict[str, Any]:
        """A line, with a timestamp when it has none."""
        record = {"timestamp": self.now, **record}
        self.moment += timedelta(seconds=1)
        self.raw(
            json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        )
        return record

    def line(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """A line with the fields that most lines have."""
        self._count += 1
        identity = fields.pop("uuid", f"u{self._count}")
        return self.record({**self.envelope, "type": kind, **fields, "uuid": identity})

    def user(self, content: Any, /, **fields: Any) -> dict[str, Any]:
        """A line of type user."""
        return self.line("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *blocks: dict[str, Any], message_id: str = "", **fields: Any) -> dict[str, Any]:
        """A line of the model."""
        message = {
            "id": message_id or f"msg_{self._count}",
            "model": "claude-sonnet-4-6",
            "role": "assistant",
            "content": list(blocks),
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 97},
        }
        return self.line("assistant", message={**message, **fields.pop("message", {})}, **fields)

    def say(self, text: str, /, **fields: Any) -> dict[str, Any]:
        """The model says something."""
        return self.assistant({"type": "text", "text": text}, **fields)

    def call(self, name: str, /, **arguments: Any) -> str:
        """A tool call; returns its id."""
        identity = f"toolu_{self._count}"
        self.assistant({"type": "tool_use", "id": identity, "name": name, "input": arguments})
        return identity

    def result(
        self, identity: str, content: Any = "done", /, *, failed: bool = False, detail: Any = None
    ) -> None:
        """The result of a tool call."""
        block = {"type": "tool_result", "tool_use_id": identity, "content": content}
        if failed:
            block["is_error"] = True
        self.user([block], **({} if detail is None else {"toolUseResult": detail}))

    def tool(self, name: str, content: Any = "done", /, **arguments: Any) -> str:
        """A call and its good result."""
        identity = self.call(name, **arguments)
        self.result(identity, content)
        return identity

    def broken(self, name: str, content: str, /, **arguments: Any) -> str:
        """A call and its bad result."""
        identity = self.call(name, **arguments)
        self.result(identity, content, failed=True, detail=f"Error: {content}")
        return identity

    def edit(self, path: str) -> str:
        """A file is edited."""
        return self.tool(
            "Edit", f"The file {path} has been updated.", file_path=path, old_string="a", new_string="b"
        )

    def slash(self, name: str, words: str = "", text: str = "") -> None:
        """A slash command whose text goes to the model, and its expansion."""
        arguments = f"\n<command-args>{words}</command-args>" if words else ""
        self.user(
            f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>{arguments}"
        )
        text = text or f"# {name}\n\nDo what {name} does."
        self.user([{"type": "text", "text": text}], isMeta=True)

    def builtin(self, name: str, words: str = "", output: str = "done") -> None:
        """A slash command that Claude Code carries out itself."""
        self.user(
            "<local-command-caveat>Caveat: The messages below were generated</local-command-caveat>",
            isMeta=True,
        )
        gap = "\n            "
        self.user(
            f"<command-name>/{name}</command-name>{gap}<command-message>{name}</command-message>"
            f"{gap}<command-args>{words}</command-args>"
        )
        self.user(f"<local-command-stdout>{output}</local-command-stdout>")

    def queue(self, operation: str, text: str | None = None) -> None:
        """Something happens to the queue of typed input."""
        fields = {} if text is None else {"content": text}
        self.record({"type": "queue-operation", "operation": operation, "sessionId": "5e55-1d", **fields})

    def attachment(self, kind: str, /, **fields: Any) -> None:
        """An attachment."""
        self.line("attachment", attachment={"type": kind, **fields})

    def compaction(self, trigger: str = "auto", summary: str = SUMMARY, **metadata: Any) -> None:
        """A compaction: its boundary, then its summary."""
        data = {"trigger": trigger, "preTokens": 155_000, **metadata}
        boundary = self.line(
            "system", subtype="compact_boundary", content="Conversation compacted", compactMetadata=data
        )
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True, parentUuid=boundary["uuid"])

    def agent(self, kind: str, *blocks: dict[str, Any], agent: str = "a1") -> None:
        """A line on a subagent's work, as versions 2.1.12 to 2.1.72 wrote it."""
        message = {"type": kind, "message": {"role": kind, "content": list(blocks)}}
        data = {"message": message, "normalizedMessages": [], "type": "agent_progress", "agentId": agent}
        self.line("progress", data=data)

    def write(self, folder: Path, name: str = "5e55-1d.jsonl") -> Path:
        """Write the file."""
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        return path

    def facts(self, folder: Path, **options: Any) -> Facts:
        """Write the file and read its facts."""
        return read_facts(self.write(folder), **options)


def tool_use(identity: str, name: str, /, **arguments: Any) -> dict[str, Any]:
    """A block of a tool call."""
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def tool_result(identity: str, content: Any = "done", /, *, failed: bool = False) -> dict[str, Any]:
    """A block of a tool result."""
    return {"type": "tool_result", "tool_use_id": identity, "content": content, "is_error": failed}
