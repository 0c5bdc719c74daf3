"""Facts of a transcript, read in one pass and without a model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.transcript.cancelled import ReadingCancelledError
from memtui.transcript.checkpoint import Checkpoint
from memtui.transcript.line_index import LineIndex
from memtui.transcript.lines import read_lines
from memtui.transcript.reader import Reading
from memtui.transcript.records import Command, ErrorFact, Facts, FileFact, Source, Turn
from memtui.transcript.subagents import agent_transcripts

__all__ = ["Facts", "read_end", "read_facts", "read_on", "to_json"]

_STEP = 2_000_000


def read_facts(
    path: Path,
    *,
    until: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Facts:
    """Read the facts of a transcript, and of its subagents' transcripts when they lie beside it.

    Args:
        path: a Claude Code transcript (JSONL).
        until: stop before the first compaction at or after this time: a capture covers what precedes its
            compaction. Without such a compaction the file is read to its end.
        progress: called now and then with the bytes read and the file's size.
        cancelled: asked now and then; when it answers True the reading ends with `ReadingCancelledError`.

    Raises:
        OSError: the transcript cannot be read.
        ReadingCancelledError: `cancelled` answered True.
    """
    reading = Reading(path, until)
    total = path.stat().st_size
    due = 0
    for line in read_lines(path, checked=False):
        if line.offset >= due:
            due = line.offset + _STEP
            _report(line.offset, total, progress, cancelled)
        reading.line(line)
        if reading.stopped:
            break
    for agent, transcript in agent_transcripts(path, reading.agents):
        _report(total, total, None, cancelled)
        try:
            reading.found(agent)
            for line in read_lines(transcript, checked=False):
                reading.agent_line(line, agent)
        except OSError:
            continue  # subagents' transcripts may be deleted at any time
    _report(total, total, progress, None)
    return reading.finish()


def read_end(path: Path, size: int, *, cancelled: Callable[[], bool] | None = None) -> Facts:
    """The facts of the last `size` bytes of a transcript, with the line numbers of the whole file.

    Raises:
        OSError: the transcript cannot be read.
        ReadingCancelledError: `cancelled` answered True.
    """
    total = path.stat().st_size
    index = LineIndex()
    index.scan(path)
    first = index.after(total - size)
    reading = Reading(path)
    for line in read_lines(path, start=index.start(first), first=first + 1, checked=False):
        _report(line.offset, total, None, cancelled)
        reading.line(line)
    return reading.finish()


def read_on(
    path: Path,
    carry: Checkpoint | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Facts, Checkpoint]:
    """Read the new lines of a transcript.

    Args:
        path: a Claude Code transcript (JSONL).
        carry: the state of the previous reading; None begins at the first line.
        progress: see `read_facts`.
        cancelled: see `read_facts`.

    Returns: The facts of all lines, reduced to those that the next version of a session state needs, and the
    state for the next reading.

    Raises:
        OSError: the transcript cannot be read.
        ReadingCancelledError: `cancelled` answered True.
    """
    reading = Reading(path)
    offset, number, agent_offsets = 0, 1, dict[str, tuple[int, int]]()
    if carry is not None:
        reading.resume(carry)
        offset, number, agent_offsets = carry.offset, carry.line, dict(carry.agent_offsets)
    total = path.stat().st_size
    due = offset
    for line in read_lines(path, start=offset, first=number, checked=False):
        if line.offset >= due:
            due = line.offset + _STEP
            _report(line.offset, total, progress, cancelled)
        if line.problem == "torn":
            break
        reading.line(line)
        offset, number = line.end, line.next_number
    for agent, transcript in agent_transcripts(path, reading.agents):
        _report(total, total, None, cancelled)
        with suppress(OSError):  # subagents' transcripts may be deleted at any time
            reading.found(agent)
            start, first = agent_offsets.get(agent, (0, 1))
            if start > transcript.stat().st_size:
                start, first = 0, 1
            for line in read_lines(transcript, start=start, first=first, checked=False):
                reading.agent_line(line, agent)
                agent_offsets[agent] = line.end, line.next_number
    _report(total, total, progress, None)
    left = replace(reading.carry(), offset=offset, line=number, agent_offsets=agent_offsets)
    return reading.finish(), left


def _report(
    done: int,
    total: int,
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool] | None,
) -> None:
    if cancelled is not None and cancelled():
        raise ReadingCancelledError
    if progress is not None:
        progress(done, total)


def to_json(facts: Facts) -> dict[str, Any]:
    """Facts as one JSON object (`memtui transcript --facts --json`)."""
    plan = facts.plans[-1] if facts.plans else None
    action = facts.last_action
    return {
        "session_id": facts.session_id,
        "title": facts.title,
        "versions": list(facts.versions),
        "models": list(facts.models),
        "cwd": facts.cwd,
        "branch": facts.branch,
        "cwds": list(facts.cwds),
        "branches": list(facts.branches),
        "started": facts.started,
        "ended": facts.ended,
        "first_prompt": facts.first_prompt,
        "last_prompt": facts.asked[-1].ask if facts.asked else "",
        "prompts": [turn.ask for turn in facts.asked],
        "turns": [turn_json(turn) for turn in facts.turns],
        "modified_files": [file.path for file in facts.modified_files],
        "subagent_files": _by_subagents(facts.modified_files),
        "read_files": [file.path for file in facts.read_files],
        "files": [_file(file) for file in (*facts.modified_files, *facts.shell_files, *facts.read_files)],
        "shell_files": [file.path for file in facts.shell_files],
        "missing_agents": [{"agent": each.text, **_where(each.source)} for each in facts.missing_agents],
        "commands": [_command(command) for command in facts.commands],
        "todos": [
            {"content": todo.content, "status": todo.status, **_where(todo.source)} for todo in facts.todos
        ],
        "plan": {"source": plan.origin, "content": plan.content} if plan else None,
        "plans": [
            {"source": p.origin, "fate": p.fate, "path": p.path, **_where(p.source)} for p in facts.plans
        ],
        "errors": [_error(error) for error in facts.errors],
        "answers": [
            {"question": answer.question, "answer": answer.answer, **_where(answer.source)}
            for answer in facts.answers
        ],
        "compactions": [
            {
                "trigger": compaction.trigger or None,
                **_where(compaction.source),
                "pre_tokens": compaction.pre_tokens,
                "post_tokens": compaction.post_tokens,
                "summary_chars": len(compaction.summary),
            }
            for compaction in facts.compactions
        ],
        "last_action": {
            "tool": action.tool,
            "target": action.target,
            "outcome": action.outcome,
            "result": action.result,
            **_where(action.source),
        }
        if action
        else None,
        "context_sizes": [
            {"timestamp": size.timestamp, "tokens": size.tokens} for size in facts.context_sizes
        ],
        "lines": facts.lines,
        "skipped_lines": facts.skipped_lines,
    }


def _by_subagents(files: tuple[FileFact, ...]) -> list[str]:
    return [file.path for file in files if file.subagent]


def _file(file: FileFact) -> dict[str, Any]:
    return {"path": file.path, "times": file.times, "fate": file.fate, **_where(file.source)}


def _command(command: Command) -> dict[str, Any]:
    return {
        "command": command.text,
        "description": command.description,
        "outcome": command.outcome,
        "exit_code": command.exit_code,
        "output": command.output,
        "by": command.by,
        **_where(command.source),
    }


def _error(error: ErrorFact) -> dict[str, Any]:
    return {"tool": error.tool, "target": error.target, "message": error.message, **_where(error.source)}


def turn_json(turn: Turn) -> dict[str, Any]:
    """A turn with its texts unshortened (`memtui transcript --turns --json`)."""
    closing = turn.closing
    return {
        "number": turn.number,
        "kind": turn.kind,
        "ask": turn.ask,
        "about": turn.about,
        "pasted": [
            {
                "first_line": each.first_line,
                "last_line": each.last_line,
                "lines": each.lines,
                "characters": each.characters,
            }
            for each in turn.pasted
        ],
        "end": turn.end,
        "calls": turn.calls,
        "last_line": turn.last_line,
        **_where(turn.source),
        "closing": {"text": closing.text, **_where(closing.source)} if closing else None,
        "texts": [{"text": each.text, **_where(each.source)} for each in turn.texts],
    }


def _where(source: Source) -> dict[str, Any]:
    where = {"line": source.line, "timestamp": source.timestamp}
    return {**where, "agent_line": source.agent_line} if source.agent_line else where
