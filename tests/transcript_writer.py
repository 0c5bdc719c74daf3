"""Writes sessions by what happens in them, for tests of the app and the commands, and for benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.transcripts import Transcript


class TranscriptWriter(Transcript):
    """Collects the lines of one session, each four seconds after the one before."""

    def __init__(self, session_id: str, *, cwd: str, branch: str, started: datetime) -> None:
        super().__init__(session_id=session_id, cwd=cwd, branch=branch)
        self.session_id = session_id
        self.moment = started.astimezone(UTC)
        self._context = 18_400
        self._tasks = 0
        self._parent: str | None = None

    def take(self) -> str:
        """The lines added since the last call, each with its line feed."""
        text, self.data = self.data.decode("utf-8", "surrogatepass"), b""
        return text

    def wait(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)

    def at(self, moment: datetime) -> None:
        """Continue at `moment`, unless that has passed."""
        self.moment = max(moment.astimezone(UTC), self.moment)

    def title(self, text: str) -> None:
        self.line("custom-title", customTitle=text)

    def prompt(self, text: str) -> None:
        self.user(text, promptSource="typed", permissionMode="acceptEdits")

    def read(self, path: str, content: str) -> None:
        numbered = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(content.splitlines(), 1))
        self._tool("Read", {"file_path": path}, numbered, {"type": "text", "file": {"filePath": path}})

    def edit(self, path: str, old: str, new: str) -> None:  # type: ignore[override]
        given = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
        result = {"filePath": path, "oldString": old, "newString": new, "userModified": False}
        self._tool("Edit", given, f"The file {path} has been updated successfully.", result)

    def write(self, path: str, content: str) -> None:  # type: ignore[override]
        given = {"file_path": path, "content": content}
        result = {"type": "create", "filePath": path, "content": content, "structuredPatch": []}
        self._tool("Write", given, f"File created successfully at: {path}", result)

    def bash(self, command: str, description: str, output: str, failed: bool = False) -> None:
        """A command is run; a failing one ends with exit code 1."""
        result: Any = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        if failed:
            output = f"Exit code 1\n{output}"
            result = f"Error: {output}"
        self._tool("Bash", {"command": command, "description": description}, output, result, failed=failed)

    def tasks(self, subjects: Sequence[str]) -> None:
        for subject in subjects:
            self._tasks += 1
            given = {"subject": subject, "description": subject, "activeForm": subject}
            text = f"Task #{self._tasks} created successfully: {subject}"
            self._tool("TaskCreate", given, text, {"task": {"id": str(self._tasks), "subject": subject}})

    def compaction(self, summary: str, *, trigger: str = "auto") -> None:  # type: ignore[override]
        sizes = {"preTokens": self._context, "postTokens": 24_000, "durationMs": 41_200}
        self._context, logical, self._parent = 24_000, self._parent, None
        data = {"trigger": trigger, **sizes}
        named = {"subtype": "compact_boundary", "content": "Conversation compacted"}
        self.line("system", **named, logicalParentUuid=logical, compactMetadata=data)
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def hook_context(self, text: str) -> None:
        hook = {"hookName": "SessionStart:compact", "hookEvent": "SessionStart"}
        self.attachment("hook_additional_context", content=[text], **hook)

    def assistant(self, *blocks: dict[str, Any], message_id: str = "", **fields: Any) -> dict[str, Any]:
        text = blocks[0].get("text")
        output = len(text) // 4 if text else 180
        # Instructions, reminders and thinking take more room than the visible text.
        self._context += output + 4_200
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 900, "output_tokens": output}
        usage["cache_read_input_tokens"] = self._context
        return super().assistant(*blocks, message={"usage": usage})

    def line(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        uuid = f"{self.session_id}-{self._count + 1}"
        made = super().line(kind, parentUuid=self._parent, uuid=uuid, **fields)
        self._parent = uuid
        self.moment += timedelta(seconds=3)
        return made

    def _tool(
        self, name: str, given: dict[str, Any], text: str, result: Any, *, failed: bool = False
    ) -> None:
        identity = self.call(name, **given)
        self._context += len(text) // 3
        self.result(identity, text, failed=failed, detail=result)
