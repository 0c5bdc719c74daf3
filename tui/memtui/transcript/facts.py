"""Facts of a transcript, without a model: one pass that hands every event to the logs concerned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.ground.clock import parse_iso
from memtui.secrets.secrets import masked, masked_in
from memtui.transcript import ReadingCancelledError, events
from memtui.transcript.calls import KEPT_CALLS, CallLog
from memtui.transcript.events import ApiError, Call, Expansion, Queue, Result, Said, Summary, Title, Words
from memtui.transcript.lines import Line, Record, fields_in, read_lines, text_in, time_of
from memtui.transcript.records import NOWHERE, CompactionFact, Facts, Quote, Source, Speaker, in_order
from memtui.transcript.session import Setting, agent_transcripts
from memtui.transcript.turns import TurnLog, choices
from memtui.transcript.words import HOOK_FEEDBACK

_LEAD = 200  # characters by which two messages of the same time are compared
_NOTICE = "<task-notification>"  # beginning of a queued notification about background work


def _clean_events(record: Record) -> Sequence[events.Event]:
    """The events of a record: calls and results unchanged, the others with their secrets masked."""
    found = events.events_of(record)
    return [each if type(each) in (Call, Result, events.Boundary) else masked_in(each) for each in found]


def _clean_call(call: Call) -> Call:
    return masked_in(call) if call.name in KEPT_CALLS else call


class _Reading:
    """Collects the facts of a transcript."""

    def __init__(self, path: Path, until: datetime | None) -> None:
        self._stopped = False
        """The compaction named by `until` was reached."""
        self._path = path
        self._until = until
        self._setting = Setting()
        self._turns = TurnLog()
        self._calls = CallLog(
            lambda words, done: self._turns.rejection(words, self._source("user"), done), self._turns.has_read
        )
        self._compactions: list[CompactionFact] = []
        self._awaits_summary = False
        """The last compaction has a boundary and no summary yet."""
        self._title, self._titled_at = "", NOWHERE
        self._message = self._edited_on = ""
        self._procedure: Quote | None = None
        self._loads: set[str] = set()
        """The command or the calls whose text comes next."""
        self._own_agent = ""
        self._task = ""
        self._chain_known = False
        self._messages: set[int] = set()
        self._source_offset = self._number = 0
        self._timestamp = self._folder = ""
        self._lines = self._skipped = 0
        self._cutoff = ""
        self._handlers: dict[type, Callable[[Any], None]] = {
            Call: self._call,
            Result: self._result,
            Said: self._said,
            Words: self._words,
            Expansion: self._expanded,
            Queue: self._queue,
            events.Queued: lambda event: self._turns.queued(event.text, self._source("user")),
            events.Boundary: self._boundary,
            Summary: self._summary,
            events.TaskState: lambda event: self._calls.todos.state(event.items, self._source("claude code")),
            events.PlanReference: lambda event: self._calls.plans.referred(
                event, self._source("claude code")
            ),
            ApiError: lambda _: self._turns.ended("api error"),
            Title: self._titled,
        }

    def read(self, tell: Callable[[int, int], None]) -> Facts:
        total = self._path.stat().st_size
        due = 0
        for line in read_lines(self._path):
            if line.offset >= due:
                due = line.offset + _STEP
                tell(line.offset, total)
            self._line(line)
            if self._stopped:
                break
        before = self._cutoff
        for agent, transcript in agent_transcripts(self._path, list(self._calls.agents)):
            tell(total, total)
            with suppress(OSError):  # subagents' transcripts may be deleted at any time
                self._calls.found(agent)
                for line in read_lines(transcript):
                    if before and any(time_of(record) >= before for record in line.records):
                        break
                    self._agent_line(line, agent)
        tell(total, total)
        return self._facts()

    def _line(self, line: Line) -> None:
        self._lines += 1
        if line.problem:
            self._skipped += 1
        self._source_offset, self._number = line.offset, line.number
        handlers = self._handlers
        for record in line.records:
            # A subagent may work on another branch in another folder.
            subagents = record.get("isSidechain") is True and self._chain_known and not self._own_agent
            self._timestamp = time_of(record) if subagents else self._setting.take(record)
            self._folder = (text_in(record, "cwd") if subagents else "") or self._setting.folder
            if not self._chain_known and record.get("type") in ("user", "assistant"):
                self._find_chain(record)
            if record.get("type") in ("user", "assistant") and self._is_repeated(record):
                continue
            if record.get("type") == "assistant":
                request = events.request_of(record, self._message)  # once for all records of its message
                if request is not None and not self._is_subagent(events.agent_of(record)):
                    self._message = request.message_id
                    self._setting.request(request, self._timestamp)
                    self._turns.model_spoke()
            for event in _clean_events(record):
                handlers[type(event)](event)
                if self._stopped:
                    return

    def _is_repeated(self, record: Record) -> bool:
        """Whether a message was written before with the same time, as forks and mods do, with a new uuid."""
        content = fields_in(record, "message").get("content")
        blocks = content if isinstance(content, list) else [{"text": content}]
        leads = [
            str(block.get("id") or block.get("tool_use_id") or block.get("text"))[:_LEAD]
            for block in blocks
            if isinstance(block, dict)
        ]
        key = hash((self._timestamp, record["type"], *leads))
        known = self._timestamp != "" and key in self._messages
        self._messages.add(key)
        return known

    def _agent_line(self, line: Line, agent: str) -> None:
        """Read a line of a subagent's own transcript: its files and its work on the task list."""
        where = f"agent-{agent} L{line.number}"
        for record in line.records:
            self._timestamp = time_of(record)
            folder = text_in(record, "cwd")
            record["isSidechain"], record["agentId"] = True, agent
            for event in _clean_events(record):
                source = Source(0, line.offset, self._timestamp, "subagent", where)
                if type(event) is Call:
                    self._calls.called(_clean_call(event), folder, source, False)
                elif type(event) is Result:
                    self._calls.ended(self._clean_result(event), source, False)

    def _facts(self) -> Facts:
        calls = self._calls
        modified, read, shell = calls.files.finish()
        turns = self._turns.finish(self._number)
        return Facts(
            session_id=self._setting.session(self._path.stem),
            versions=tuple(self._setting.versions),
            models=tuple(self._setting.models),
            cwds=tuple(self._setting.folders),
            branches=tuple(dict.fromkeys((*self._setting.branches, *calls.landmarks.branches.values()))),
            cwd=self._setting.folder,
            branch=self._setting.branch,
            edited_on=self._edited_on,
            title=self._title,
            titled=self._titled_at,
            turns=turns,
            first_prompt=self._turns.first() or self._task,
            modified_files=modified,
            read_files=read,
            shell_files=shell,
            commands=calls.commands.finish(),
            agent_checks=calls.agent_checks.finish(),
            missing_agents=tuple(Quote(*each) for each in calls.results_of.items()),
            addresses=tuple(calls.addresses.seen.values()),
            todos=calls.todos.finish(),
            past_todos=calls.todos.past(),
            landmarks=calls.landmarks.finish(),
            pull_title=calls.landmarks.pull_title,
            plans=calls.plans.finish(),
            plan_read=calls.plan_read,
            procedure=self._procedure,
            errors=tuple(calls.errors),
            answers=tuple(in_order((*calls.answers, *choices(turns)))),
            refusals=tuple(calls.refusals),
            compactions=tuple(self._compactions),
            last_action=calls.actions.finish(),
            context_sizes=tuple(self._setting.context_sizes),
            started=self._setting.started,
            ended=self._setting.ended,
            lines=self._lines,
            skipped_lines=self._skipped,
        )

    def _find_chain(self, record: Record) -> None:
        """Tell a subagent's own transcript by its first message."""
        agent = record.get("agentId")
        if record.get("isSidechain") is True and isinstance(agent, str):
            self._own_agent, self._task = agent, masked(events.task_of(record))[:50_000]
            self._turns.opened("start", "", self._source("claude code"))
        self._chain_known = True

    def _source(self, speaker: Speaker) -> Source:
        # Like `Source(...)` at half the cost: every event needs one.
        return tuple.__new__(Source, (self._number, self._source_offset, self._timestamp, speaker, ""))

    def _is_subagent(self, agent: str) -> bool:
        return agent != "" and agent != self._own_agent

    def _said(self, event: Said) -> None:
        if not self._is_subagent(event.agent) and event.text.strip():
            self._turns.said(event.text, self._source("model"))

    def _words(self, event: Words) -> None:
        self._loads = {event.kind} if event.kind == "command" else set()
        if self._loads:
            self._calls.plan_read = None
        if event.kind == "interruption":
            self._turns.ended("interrupted")
        elif event.plan:
            self._calls.plans.given(event.plan, event.plan_stated, self._source("user"))
            self._calls.forget_refused(frozenset({"ExitPlanMode"}))
        self._turns.words(event.kind, event.text, self._source("user"))
        if event.kind == "shell":
            self._calls.commands.typed(event.text, self._source("user"))
            self._turns.opened("shell", event.text, self._source("user"))
        elif event.kind == "shell output":
            self._calls.printed(event.text, self._source("tool"))
        elif event.kind == "notification":
            self._calls.commands.notified(event.text)
            self._turns.opened("notification", "", self._source("claude code"))

    def _expanded(self, event: Expansion) -> None:
        self._turns.words("machine", "", self._source("claude code"))
        if event.text.startswith(HOOK_FEEDBACK):  # what closed the turn before it did so
            self._turns.opened("notification", "", self._source("claude code"))
        self._turns.expanded(event.text)
        if self._loads and not event.text.startswith(HOOK_FEEDBACK):
            self._procedure, self._loads = Quote(event.text, self._source("claude code")), set()

    def _queue(self, event: Queue) -> None:
        if event.operation == "enqueue" and event.text.startswith(_NOTICE):
            self._calls.commands.notified(event.text)
        self._turns.queue(event, self._source("user"))

    def _boundary(self, event: events.Boundary) -> None:
        if not self._reached():
            source = self._source("claude code")
            self._compactions.append(CompactionFact(*event, source))
            self._awaits_summary = True

    def _summary(self, event: Summary) -> None:
        """Record a summary. It follows its boundary; either may be missing."""
        if not self._awaits_summary and self._reached():
            return
        text, source = event.text[:100_000], self._source("claude code")
        if self._awaits_summary:
            self._compactions[-1] = replace(self._compactions[-1], summary=text, summary_source=source)
        else:
            self._compactions.append(CompactionFact("", None, None, source, text, source))
        self._awaits_summary = False

    def _reached(self) -> bool:
        """Whether the compaction that begins here is the one named by `until`."""
        if self._until is not None:
            moment = parse_iso(self._timestamp)
            self._stopped = moment is not None and moment >= self._until
            self._cutoff = self._timestamp if self._stopped else ""
        return self._stopped

    def _titled(self, event: Title) -> None:
        if event.text != self._title:
            self._title, self._titled_at = event.text, self._source("user" if event.own else "claude code")

    def _call(self, call: Call) -> None:
        call = _clean_call(call)
        own = not self._is_subagent(call.agent)
        if own:
            if call.name == "Skill":
                self._loads.add(call.id)
            self._turns.called(self._source("model"))
        else:
            self._calls.found(call.agent)
        source = self._source("model" if own else "subagent")
        self._calls.called(call, self._folder, source, own)

    def _result(self, result: Result) -> None:
        own, edits = not self._is_subagent(result.agent), self._calls.edits
        if result.failed:
            self._loads.discard(result.id)
        self._calls.ended(self._clean_result(result), self._source("tool"), own)
        if self._calls.edits > edits:
            self._edited_on = self._setting.branch

    def _clean_result(self, result: Result) -> Result:
        """A result with its secrets masked, unless that is done later."""
        return masked_in(result) if self._calls.keeps(result) else result


_STEP = 2_000_000


def read_facts(
    path: Path,
    *,
    until: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Facts:
    """The facts of a transcript, and of subagents' transcripts beside it.

    A capture covers what precedes its compaction: reading stops before the first one at or after `until`, if
    there is one. `progress` is called now and then with the bytes read and the file's size; once `cancelled`
    answers True, `ReadingCancelledError` is raised.
    """

    def tell(done: int, total: int) -> None:
        if cancelled is not None and cancelled():
            raise ReadingCancelledError
        if progress is not None:
            progress(done, total)

    return _Reading(path, until).read(tell)
