"""Writes transcripts in Claude Code's JSONL format, as far as tests and benchmarks need it.

The line shapes are those of Claude Code 2.1.2xx: one API message may be several lines with one message id,
tool results come back as user lines, and a compaction is a boundary line followed by its summary.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

VERSION = "2.1.206"
_MODEL = "claude-sonnet-4-6"


class TranscriptWriter:
    """Collects the lines of one session; every method adds the lines of one step.

    Ids are derived from the session id and the line number, so the same story gives the same bytes.
    """

    def __init__(self, session_id: str, *, cwd: str, branch: str, started: datetime) -> None:
        self.session_id = session_id
        self._cwd, self._branch = cwd, branch
        self._moment = started
        self._context = 18_400
        self._count = 0
        self._tasks = 0
        self._parent: str | None = None
        self._pending: list[str] = []

    @property
    def moment(self) -> datetime:
        return self._moment

    def take(self) -> str:
        """The lines added since the last call, each with its line feed."""
        text = "".join(line + "\n" for line in self._pending)
        self._pending.clear()
        return text

    def wait(self, minutes: float) -> None:
        self._moment += timedelta(minutes=minutes)

    def at(self, moment: datetime) -> None:
        """Continue at `moment`, unless that has passed."""
        self._moment = max(moment, self._moment)

    def prompt(self, text: str) -> None:
        self._line(
            type="user",
            message={"role": "user", "content": text},
            promptSource="typed",
            permissionMode="acceptEdits",
        )

    def say(self, text: str) -> None:
        self._assistant({"type": "text", "text": text}, output=len(text) // 4)

    def read(self, path: str, content: str) -> None:
        numbered = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(content.splitlines(), 1))
        self._tool("Read", {"file_path": path}, numbered, {"type": "text", "file": {"filePath": path}})

    def edit(self, path: str, old: str, new: str) -> None:
        self._tool(
            "Edit",
            {"file_path": path, "old_string": old, "new_string": new, "replace_all": False},
            f"The file {path} has been updated successfully.",
            {
                "filePath": path,
                "oldString": old,
                "newString": new,
                "userModified": False,
                "replaceAll": False,
            },
        )

    def write(self, path: str, content: str) -> None:
        self._tool(
            "Write",
            {"file_path": path, "content": content},
            f"File created successfully at: {path}",
            {"type": "create", "filePath": path, "content": content, "structuredPatch": []},
        )

    def bash(self, command: str, description: str, output: str, failed: bool = False) -> None:
        """A command is run; a failing one ends with exit code 1."""
        result: Any = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        if failed:
            output = f"Exit code 1\n{output}"
            result = f"Error: {output}"
        self._tool("Bash", {"command": command, "description": description}, output, result, failed=failed)

    def plan(self, text: str, path: str) -> None:
        self._tool(
            "ExitPlanMode",
            {"plan": text, "planFilePath": path},
            f"User has approved your plan. You can now start coding. Start with updating your todo list "
            f"if applicable\n\nYour plan has been saved to: {path}\n\n## Approved Plan:\n{text}",
            {"plan": text, "isAgent": False, "filePath": path},
        )

    def ask(self, question: str, header: str, options: Mapping[str, str], answer: str) -> None:
        asked = {
            "question": question,
            "header": header,
            "options": [{"label": label, "description": text} for label, text in options.items()],
            "multiSelect": False,
        }
        self._tool(
            "AskUserQuestion",
            {"questions": [asked]},
            f'User has answered your questions: "{question}"="{answer}". You can now continue with the '
            "user's answers in mind.",
            {"questions": [asked], "answers": {question: answer}},
        )

    def tasks(self, subjects: Sequence[str]) -> None:
        for subject in subjects:
            self._tasks += 1
            self._tool(
                "TaskCreate",
                {"subject": subject, "description": subject, "activeForm": subject},
                f"Task #{self._tasks} created successfully: {subject}",
                {"task": {"id": str(self._tasks), "subject": subject}},
            )

    def task(self, number: int, status: str) -> None:
        """A task moves on to ``in_progress`` or ``completed``."""
        self._tool(
            "TaskUpdate",
            {"taskId": str(number), "status": status},
            f"Updated task #{number} status",
            {"success": True, "taskId": str(number), "updatedFields": ["status"]},
        )

    def compaction(self, summary: str, *, trigger: str = "auto") -> None:
        before, self._context = self._context, 24_000
        logical, self._parent = self._parent, None
        self._line(
            type="system",
            subtype="compact_boundary",
            content="Conversation compacted",
            level="info",
            logicalParentUuid=logical,
            compactMetadata={
                "trigger": trigger,
                "preTokens": before,
                "postTokens": self._context,
                "durationMs": 41_200,
            },
        )
        self._line(
            type="user",
            isCompactSummary=True,
            isVisibleInTranscriptOnly=True,
            message={"role": "user", "content": summary},
        )

    def hook_context(self, text: str, *, event: str = "SessionStart") -> None:
        name = f"{event}:compact" if event == "SessionStart" else event
        attachment = {
            "type": "hook_additional_context",
            "content": [text],
            "hookName": name,
            "hookEvent": event,
        }
        self._line(type="attachment", attachment=attachment)

    def _tool(
        self, name: str, tool_input: Mapping[str, Any], text: str, result: Any, *, failed: bool = False
    ) -> None:
        call = f"toolu_{self._id('tool')[:24]}"
        self._assistant({"type": "tool_use", "id": call, "name": name, "input": dict(tool_input)}, output=180)
        self._context += len(text) // 3
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": text}
        if failed:
            block["is_error"] = True
        self._line(type="user", message={"role": "user", "content": [block]}, toolUseResult=result)

    def _assistant(self, block: Mapping[str, Any], *, output: int) -> None:
        # Instructions, reminders and thinking take more room than the visible text.
        self._context += output + 4_200
        self._line(
            type="assistant",
            message={
                "model": _MODEL,
                "id": f"msg_{self._id('message')[:24]}",
                "type": "message",
                "role": "assistant",
                "content": [dict(block)],
                "stop_reason": None,
                "usage": {
                    "input_tokens": 4,
                    "cache_creation_input_tokens": 900,
                    "cache_read_input_tokens": self._context,
                    "output_tokens": output,
                },
            },
        )

    def _line(self, **fields: Any) -> None:
        self._count += 1
        this = str(uuid.UUID(self._id("line")))
        record = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self.session_id,
            "version": VERSION,
            "gitBranch": self._branch,
            **fields,
            "uuid": this,
            "timestamp": self._moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z",
        }
        self._parent = this
        self._pending.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
        self._moment += timedelta(seconds=4)

    def _id(self, kind: str) -> str:
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session_id}/{kind}/{self._count}").hex
