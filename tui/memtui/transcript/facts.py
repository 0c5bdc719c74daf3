"""Facts of a transcript, without a model: one pass that hands every event to the logs concerned."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.ground.clock import parse_iso
from memtui.secrets.border import cleared, cleared_in
from memtui.secrets.private import may_hold_private_in, without_private, without_private_in
from memtui.secrets.secrets import masked_in
from memtui.transcript import ReadingCancelledError
from memtui.transcript.calls import KEPT_CALLS, CallLog
from memtui.transcript.checkpoint import Checkpoint, facts_to_keep
from memtui.transcript.events import (
    ApiError,
    Boundary,
    Call,
    Event,
    Expansion,
    PlanReference,
    Queue,
    Queued,
    Result,
    Said,
    Summary,
    TaskState,
    Title,
    Words,
    agent_of,
    events,
    request_of,
    task_of,
)
from memtui.transcript.line_index import LineIndex
from memtui.transcript.lines import Line, Record, read_lines
from memtui.transcript.records import (
    Command,
    CompactionFact,
    ErrorFact,
    Facts,
    FileFact,
    Prompt,
    Source,
    Speaker,
    Turn,
    TurnKind,
)
from memtui.transcript.session import Setting, agent_transcripts, time_of
from memtui.transcript.turns import PromptLog, TurnLog
from memtui.transcript.words import WordsKind

_TASK = 50_000
_RESULTS = 10
"""The most results kept to recognise what the user pasted from them."""
_OPENED: dict[WordsKind, TurnKind] = {"shell": "shell", "notification": "notification"}
"""Kinds of turns that are not opened by a prompt."""
_CLEARED = frozenset(
    (Words, Said, Queue, Queued, Summary, Title, ApiError, PlanReference, TaskState, Expansion)
)
"""Events whose texts are kept."""
_NOTICE = "<task-notification>"
"""Beginning of a queued notification about background work."""

_COMPACTIONS = 200
_SUMMARY = 100_000


class CompactionLog:
    """Pairs boundaries and summaries. The summary follows its boundary; either may be missing."""

    def __init__(self) -> None:
        self._compactions: deque[CompactionFact] = deque(maxlen=_COMPACTIONS)
        self.awaits_summary = False
        """The last boundary has no summary yet."""

    def resume(self, compactions: Iterable[CompactionFact]) -> None:
        """Restore earlier compactions."""
        self._compactions.extend(compactions)
        last = self._compactions[-1] if self._compactions else None
        self.awaits_summary = last is not None and last.trigger != "" and not last.summary

    def boundary(self, event: Boundary, source: Source) -> None:
        """Record a boundary."""
        self._compactions.append(CompactionFact(event.trigger, event.pre_tokens, event.post_tokens, source))
        self.awaits_summary = True

    def summary(self, event: Summary, source: Source) -> None:
        """Record a summary."""
        text = event.text[:_SUMMARY]
        if self.awaits_summary:
            self._compactions[-1] = replace(self._compactions[-1], summary=text, summary_source=source)
        else:
            self._compactions.append(CompactionFact("", None, None, source, text, source))
        self.awaits_summary = False

    def finish(self) -> tuple[CompactionFact, ...]:
        """All compactions, first to last."""
        return tuple(self._compactions)


def _clean_events(record: Record) -> Sequence[Event]:
    """The events of a record: calls and results unchanged, the others without private parts and secrets.

    A private part may begin in one text of the record and end in another, so the record is cleaned as a
    whole.
    """
    found = events(record)
    for event in found:
        kind = type(event)
        if kind is not Call and kind is not Result:
            alone = kind is Said and record["type"] == "assistant" and len(record["message"]["content"]) == 1
            if may_hold_private_in(event if alone else record):
                found = events(without_private_in(record))
            return [masked_in(each) if type(each) in _CLEARED else each for each in found]
    return found


def _clean_call(call: Call) -> Call:
    return cleared_in(call) if call.name in KEPT_CALLS else call


class Reading:
    """Collects facts line by line, in bounded memory."""

    def __init__(self, path: Path, until: datetime | None = None) -> None:
        self.stopped = False
        """The compaction named by `until` was reached."""
        self._path = path
        self._until = until
        self._setting = Setting()
        self._prompts = PromptLog()
        self._turns = TurnLog()
        self._calls = CallLog(self._refusal, self._turns.has_read)
        self._compactions = CompactionLog()
        self._title = ""
        self._message = ""
        self._own_agent = ""
        self._task = ""
        self._chain_known = False
        self._offset = self._number = 0
        self._timestamp = ""
        self._lines = self._skipped = 0
        self._results: deque[Result] = deque(maxlen=_RESULTS)
        self._cutoff = ""
        self._own_files: int | None = None
        self._handlers: dict[type, Callable[[Any], None]] = {
            Call: self._call,
            Result: self._result,
            Said: self._said,
            Words: self._words,
            Expansion: self._expanded,
            Queue: self._queue,
            Queued: lambda event: self._open(self._prompts.queued(event.text, self._source("user"))),
            Boundary: self._boundary,
            Summary: self._summary,
            TaskState: lambda event: self._calls.todos.state(event.items, self._source("claude code")),
            PlanReference: lambda event: self._calls.plans.referred(event, self._source("claude code")),
            ApiError: self._api_error,
            Title: self._titled,
        }

    def resume(self, carry: Checkpoint) -> None:
        """Restore the state of an earlier reading; call it before the first line."""
        facts = carry.facts
        self._setting.resume(facts)
        self._task = "" if facts.asked else facts.first_prompt
        self._prompts.resume(facts.first_prompt if facts.asked else "", carry.prompts)
        self._turns.resume(facts.turns)
        self._number = max(carry.line - 1, *(turn.last_line for turn in facts.turns[-1:]), 0)
        self._calls.resume(carry)
        self._calls.agents.update(dict.fromkeys(carry.agents))
        self._compactions.resume(facts.compactions)
        self._title = facts.title
        self._own_agent, self._chain_known = carry.own_agent, carry.chain_known
        self._lines, self._skipped = facts.lines, facts.skipped_lines

    def carry(self) -> Checkpoint:
        """State for the next reading; call it before `finish`."""
        calls = self._calls
        memories = (calls.todos.memory(), self._prompts.memory())
        waiting = calls.waiting(self._own_agent)
        facts = self._facts()
        return Checkpoint(
            facts_to_keep(facts, waiting),
            *memories,
            waiting=waiting,
            own_agent=self._own_agent,
            chain_known=self._chain_known,
            agents=tuple(calls.agents),
            removed=calls.shell_files.removed,
        )

    @property
    def agents(self) -> list[str]:
        """Ids of the subagents that the session started."""
        return list(self._calls.agents)

    def found(self, agent: str) -> None:
        """Note that a subagent's own transcript exists."""
        self._calls.found(agent)

    def line(self, line: Line) -> None:
        """Read a line of the transcript itself."""
        self._lines += 1
        if line.problem:
            self._skipped += 1
        self._offset, self._number = line.offset, line.number
        handlers = self._handlers
        for record in line.records:
            self._timestamp = self._setting.take(record)
            if not self._chain_known:
                self._find_chain(record)
            mode = record.get("permissionMode")
            if mode and isinstance(mode, str):
                self._calls.quotes.mode(without_private(mode), self._source("claude code"))
            if record.get("type") == "assistant":
                self._asked(record)
            for event in _clean_events(record):
                handlers[type(event)](event)
                if self.stopped:
                    return

    def agent_line(self, line: Line, agent: str) -> None:
        """Read a line of a subagent's own transcript: its files and its work on the task list."""
        if self._own_files is None:
            self._own_files = self._calls.files.count
        where = f"agent-{agent} L{line.number}"
        for record in line.records:
            self._timestamp = time_of(record)
            if self._cutoff and self._timestamp >= self._cutoff:
                return
            folder = record.get("cwd")
            record["isSidechain"], record["agentId"] = True, agent
            folder = without_private(folder) if isinstance(folder, str) else ""
            for event in _clean_events(record):
                source = Source(0, line.offset, self._timestamp, "subagent", where)
                if type(event) is Call:
                    self._calls.called(_clean_call(event), folder, source, False)
                elif type(event) is Result:
                    self._calls.ended(self._clean_result(event), folder, source, False)

    def finish(self) -> Facts:
        """The facts of all lines."""
        for prompt in self._prompts.flush():
            self._open(prompt)
        return self._facts()

    def _facts(self) -> Facts:
        """The facts so far, without those that later lines decide."""
        calls = self._calls
        modified, read = calls.files.finish(self._own_files)
        return Facts(
            session_id=self._setting.session(self._path.stem),
            versions=tuple(self._setting.versions),
            models=tuple(self._setting.models),
            cwds=tuple(self._setting.folders),
            branches=tuple(self._setting.branches),
            cwd=self._setting.folder,
            branch=self._setting.branch,
            title=self._title,
            turns=self._turns.finish(self._number),
            first_prompt=self._prompts.first() or self._task,
            modified_files=modified,
            read_files=read,
            shell_files=calls.shell_files.finish(modified, read),
            commands=calls.commands.finish(),
            agent_checks=calls.agent_checks.finish(),
            subagent_results=tuple(calls.quotes.reports),
            missing_agents=calls.missing_agents,
            addresses=calls.quotes.addresses,
            api_errors=tuple(calls.quotes.api_errors),
            permission_modes=tuple(calls.quotes.modes),
            todos=calls.todos.finish(),
            past_todos=calls.todos.past(),
            todos_began=calls.todos.began,
            landmarks=calls.landmarks.finish(),
            plans=calls.plans.finish(),
            errors=tuple(calls.errors),
            answers=tuple(calls.answers),
            compactions=self._compactions.finish(),
            last_action=calls.actions.finish(),
            context_sizes=self._setting.context_sizes(),
            started=self._setting.started,
            ended=self._setting.ended,
            lines=self._lines,
            skipped_lines=self._skipped,
        )

    def _find_chain(self, record: Record) -> None:
        """Detect whether this is a subagent's own transcript."""
        if record.get("type") not in ("user", "assistant"):
            return
        agent = record.get("agentId")
        if record.get("isSidechain") is True and isinstance(agent, str):
            agent = without_private(agent)
            if not self._own_agent and record["type"] == "user":
                self._task = cleared(task_of(without_private_in(record)))[:_TASK]
            if not self._own_agent:
                self._own_agent = agent
                self._turns.opened("start", "", self._source("claude code"))
        else:
            self._chain_known = True
            self._task = ""
            if self._own_agent:
                self._own_agent = ""
                self._calls.begin_anew()
                self._turns.begin_anew()

    def _source(self, speaker: Speaker) -> Source:
        """The source of the current line."""
        # Like `Source(...)` at half the cost: every event needs one.
        return tuple.__new__(Source, (self._number, self._offset, self._timestamp, speaker, ""))

    def _is_subagent(self, agent: str) -> bool:
        return agent != "" and agent != self._own_agent

    def _asked(self, record: Record) -> None:
        """Record a request to the model, once for all records of its message."""
        request = request_of(record, self._message)
        if request is not None and not self._is_subagent(agent_of(record)):
            self._message = request.message_id
            self._setting.request(request, self._timestamp)
            self._prompts.model_spoke()

    def _said(self, event: Said) -> None:
        if not self._is_subagent(event.agent) and event.text.strip():
            self._turns.said(event.text, self._source("model"))

    def _words(self, event: Words) -> None:
        if event.kind == "interruption":
            self._turns.ended("interrupted")
        elif event.plan:
            self._calls.plans.given(event.plan, event.plan_stated, self._source("user"))
        for prompt in self._prompts.words(event.kind, event.text, self._source("user")):
            self._open(prompt)
        if event.kind == "shell":
            self._calls.typed(event.text, self._source("user"))
        elif event.kind == "shell output":
            self._calls.printed(event.text, self._source("tool"))
        elif event.kind == "notification":
            self._calls.commands.notified(event.text)
            self._calls.quotes.notified(event.text, self._source("subagent"))
        if (opened := _OPENED.get(event.kind)) is not None:
            ask = "" if opened == "notification" else event.text
            self._turns.opened(opened, ask, self._source("user" if ask else "claude code"))

    def _expanded(self, event: Expansion) -> None:
        for prompt in self._prompts.words("machine", "", self._source("claude code")):
            self._open(prompt)
        self._turns.expanded(event.text)

    def _queue(self, event: Queue) -> None:
        if event.operation == "enqueue" and event.text.startswith(_NOTICE):
            self._calls.commands.notified(event.text)
        self._open(self._prompts.queue(event, self._source("user")))

    def _open(self, prompt: Prompt | None) -> None:
        if prompt is not None:
            printed = (cleared(result.text) for result in self._results)
            self._turns.opened(prompt.kind, prompt.text, prompt.source, printed)

    def _boundary(self, event: Boundary) -> None:
        if not self._reached():
            self._compactions.boundary(event, self._source("claude code"))

    def _summary(self, event: Summary) -> None:
        if self._compactions.awaits_summary or not self._reached():
            self._compactions.summary(event, self._source("claude code"))

    def _reached(self) -> bool:
        """Whether the compaction that begins here is the one named by `until`."""
        if self._until is not None:
            moment = parse_iso(self._timestamp)
            self.stopped = moment is not None and moment >= self._until
            self._cutoff = self._timestamp if self.stopped else ""
        return self.stopped

    def _api_error(self, event: ApiError) -> None:
        self._turns.ended("api error")
        self._calls.quotes.api_error(event.text, self._source("claude code"))

    def _titled(self, event: Title) -> None:
        self._title = event.text

    def _call(self, call: Call) -> None:
        call = _clean_call(call)
        own = call.agent == "" or call.agent == self._own_agent
        if own:
            self._turns.called(self._source("model"))
        else:
            self._calls.found(without_private(call.agent))
        source = self._source("model" if own else "subagent")
        self._calls.called(call, self._setting.folder, source, own)

    def _result(self, result: Result) -> None:
        result = self._clean_result(result)
        own = result.agent == "" or result.agent == self._own_agent
        if own:
            self._results.append(result)
        self._calls.ended(result, self._setting.folder, self._source("tool"), own)

    def _clean_result(self, result: Result) -> Result:
        """A result without private parts and secrets, unless it is cleared later."""
        return cleared_in(result) if self._calls.keeps(result) else result

    def _refusal(self, words: str) -> None:
        self._open(self._prompts.rejection(words, self._source("user")))


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
