"""Writes sessions by what happens in them, for tests of the app and the commands, and for benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.transcripts import Transcript


class TranscriptWriter:
    """Collects the lines of one session, each four seconds after the one before."""

    def __init__(self, session_id: str, *, cwd: str, branch: str, started: datetime) -> None:
        self.session_id = session_id
        self._made = Transcript(session_id=session_id, cwd=cwd, branch=branch)
        self._made.moment = started.astimezone(UTC)
        self._context = 18_400
        self._tasks = self._count = 0
        self._parent: str | None = None

    @property
    def moment(self) -> datetime:
        return self._made.moment

    def take(self) -> str:
        """The lines added since the last call, each with its line feed."""
        text, self._made.data = self._made.data.decode("utf-8", "surrogatepass"), b""
        return text

    def wait(self, minutes: float) -> None:
        self._made.moment += timedelta(minutes=minutes)

    def at(self, moment: datetime) -> None:
        """Continue at `moment`, unless that has passed."""
        self._made.moment = max(moment.astimezone(UTC), self._made.moment)

    def title(self, text: str) -> None:
        self._line("custom-title", customTitle=text)

    def prompt(self, text: str) -> None:
        message = {"role": "user", "content": text}
        self._line("user", message=message, promptSource="typed", permissionMode="acceptEdits")

    def say(self, text: str) -> None:
        self._assistant({"type": "text", "text": text}, output=len(text) // 4)

    def read(self, path: str, content: str) -> None:
        numbered = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(content.splitlines(), 1))
        self._tool("Read", {"file_path": path}, numbered, {"type": "text", "file": {"filePath": path}})

    def edit(self, path: str, old: str, new: str) -> None:
        given = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
        result = {"filePath": path, "oldString": old, "newString": new, "userModified": False}
        self._tool("Edit", given, f"The file {path} has been updated successfully.", result)

    def write(self, path: str, content: str) -> None:
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

    def compaction(self, summary: str, *, trigger: str = "auto") -> None:
        sizes = {"preTokens": self._context, "postTokens": 24_000, "durationMs": 41_200}
        self._context, logical, self._parent = 24_000, self._parent, None
        self._line(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=logical,
            compactMetadata={"trigger": trigger, **sizes},
        )
        message = {"role": "user", "content": summary}
        self._line("user", isCompactSummary=True, isVisibleInTranscriptOnly=True, message=message)

    def hook_context(self, text: str) -> None:
        hook = {"hookName": "SessionStart:compact", "hookEvent": "SessionStart"}
        self._line("attachment", attachment={"type": "hook_additional_context", "content": [text], **hook})

    def _tool(
        self, name: str, given: dict[str, Any], text: str, result: Any, *, failed: bool = False
    ) -> None:
        call = f"toolu_{self._count}"
        self._assistant({"type": "tool_use", "id": call, "name": name, "input": given}, output=180)
        self._context += len(text) // 3
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": text}
        if failed:
            block["is_error"] = True
        self._line("user", message={"role": "user", "content": [block]}, toolUseResult=result)

    def _assistant(self, block: dict[str, Any], *, output: int) -> None:
        # Instructions, reminders and thinking take more room than the visible text.
        self._context += output + 4_200
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 900, "output_tokens": output}
        usage["cache_read_input_tokens"] = self._context
        message = {"model": "claude-sonnet-4-6", "id": f"msg_{self._count}", "role": "assistant"}
        self._line("assistant", message={**message, "content": [block], "usage": usage})

    def _line(self, kind: str, **fields: Any) -> None:
        self._count += 1
        uuid = f"{self.session_id}-{self._count}"
        self._made.line(kind, parentUuid=self._parent, uuid=uuid, **fields)
        self._parent = uuid
        self._made.moment += timedelta(seconds=3)
