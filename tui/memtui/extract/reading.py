"""The one pass over a transcript: every event goes to the logs that it concerns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.clock import parse_iso
from memtui.extract.actions import ActionLog, answers_of, target_of
from memtui.extract.changes import EDIT_TOOLS, READ_TOOLS, FileLog, target_path, tool_of
from memtui.extract.commands import SHELL_TOOLS, CommandLog, ShellCall, things
from memtui.extract.compactions import CompactionLog
from memtui.extract.corrections import CorrectionLog
from memtui.extract.errors import ErrorLog
from memtui.extract.outcomes import error_head, is_sibling_error, outcome_of, said_with_rejection
from memtui.extract.paths import identity
from memtui.extract.plans import PlanLog
from memtui.extract.prompts import PromptLog
from memtui.extract.records import Answer, Facts, Outcome, Prompt
from memtui.extract.setting import Setting
from memtui.extract.shellfiles import written_files
from memtui.extract.statements import (
    StatementLog,
    chosen_option,
    found_in,
    settled_in,
    statement,
)
from memtui.extract.tasks import TASK_TOOLS, TodoLog
from memtui.formats.transcript import Line, Record
from memtui.formats.transcript_events import (
    Boundary,
    Call,
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
)

_WAITING_LIMIT = 2_000
_ANSWER_LIMIT = 500
_SHELL_FILE_LIMIT = 500
_WORTH_TRACKING = EDIT_TOOLS | READ_TOOLS | TASK_TOOLS


@dataclass(slots=True)
class _Waiting:
    """A call without its result yet."""

    call: Call
    cwd: str
    timestamp: str
    shell: ShellCall | None = None


class Reading:
    """Takes lines in file order and holds what the facts are made of; bounded, however long the file is."""

    def __init__(self, path: Path, until: datetime | None = None) -> None:
        self.stopped = False
        """The compaction that `until` asked for is reached."""
        self._path = path
        self._until = until
        self._setting = Setting()
        self._prompts = PromptLog()
        self._files = FileLog()
        self._corrections = CorrectionLog()
        self._plans = PlanLog()
        self._compactions = CompactionLog()
        self._decisions, self._constraints, self._causes = StatementLog(), StatementLog(), StatementLog()
        self._answers: list[Answer] = []
        self._shell_files: dict[str, None] = {}
        self._waiting: dict[str, _Waiting] = {}
        self._agent_ids: dict[str, None] = {}
        self._title = ""
        self._last_text = ""
        self._message = ""
        self._own_agent = ""
        self._chain_known = False
        self._offset = 0
        self._timestamp = ""
        self._lines = self._skipped = 0
        self._cutoff = ""
        self._own_files: int | None = None
        self._begin_work()
        self._handlers: dict[type, Callable[[Any], None]] = {
            Call: self._call,
            Result: self._result,
            Said: self._said,
            Words: self._words,
            Queue: self._queue,
            Queued: self._queued,
            Boundary: self._boundary,
            Summary: self._summary,
            TaskState: self._task_state,
            PlanReference: self._plan_reference,
            Title: self._titled,
        }

    def _begin_work(self) -> None:
        self._commands = CommandLog()
        self._errors = ErrorLog()
        self._todos = TodoLog()
        self._actions = ActionLog()

    @property
    def agents(self) -> list[str]:
        """Ids of the subagents that the session started."""
        return list(self._agent_ids)

    def line(self, line: Line) -> None:
        """Take a line of the transcript itself."""
        self._lines += 1
        if line.problem:
            self._skipped += 1
        self._offset = line.offset
        for record in line.records:
            self._timestamp = self._setting.take(record)
            if not self._chain_known:
                self._find_chain(record)
            if record.get("type") == "assistant":
                self._asked(record)
            for event in events(record):
                self._handlers[type(event)](event)
                if self.stopped:
                    return

    def agent_line(self, line: Line, agent: str) -> None:
        """Take a line of a subagent's own transcript: its files and its work on the task list."""
        if self._own_files is None:
            self._own_files = self._files.count
        for record in line.records:
            timestamp = record.get("timestamp")
            self._timestamp = timestamp if isinstance(timestamp, str) else ""
            if self._cutoff and self._timestamp >= self._cutoff:
                return
            folder = record.get("cwd")
            record["isSidechain"], record["agentId"] = True, agent
            for event in events(record):
                if type(event) is Call:
                    self._wait(event, folder if isinstance(folder, str) else "")
                elif type(event) is Result and (waiting := self._waiting.pop(event.id, None)):
                    self._agent_result(event, waiting)

    def finish(self) -> Facts:
        """The facts so far."""
        modified, read = self._files.finish(self._own_files)
        prompts = self._prompts.finish()
        return Facts(
            path=str(self._path),
            session_id=self._setting.session(self._path.stem),
            versions=tuple(self._setting.versions),
            models=tuple(self._setting.models),
            cwds=tuple(self._setting.folders),
            branches=tuple(self._setting.branches),
            cwd=self._setting.folder,
            branch=self._setting.branch,
            title=self._title,
            prompts=prompts,
            first_prompt=_first(prompts),
            modified_files=modified,
            read_files=read,
            shell_files=tuple(
                path for path in self._shell_files if path not in {file.path for file in modified}
            ),
            commands=self._commands.finish(),
            todos=self._todos.finish(),
            plans=self._plans.finish(),
            errors=self._errors.finish(),
            answers=tuple(self._answers),
            corrections=self._corrections.finish(),
            decisions=self._decisions.finish(),
            constraints=self._constraints.finish(),
            causes=self._causes.finish(),
            compactions=self._compactions.finish(),
            last_action=self._actions.finish(),
            last_text=self._last_text,
            context_sizes=self._setting.context_sizes(),
            started=self._setting.started,
            ended=self._setting.ended,
            lines=self._lines,
            skipped_lines=self._skipped,
        )

    def _find_chain(self, record: Record) -> None:
        """Tell a subagent's own transcript, whose work is the work, from a session's."""
        if record.get("type") not in ("user", "assistant"):
            return
        agent = record.get("agentId")
        if record.get("isSidechain") is True and isinstance(agent, str):
            self._own_agent = self._own_agent or agent
        else:
            self._chain_known = True
            if self._own_agent:
                self._own_agent = ""
                self._begin_work()

    def _is_subagent(self, agent: str) -> bool:
        return agent != "" and agent != self._own_agent

    def _asked(self, record: Record) -> None:
        """Take a request to the model, once for all records of its message."""
        request = request_of(record, self._message)
        if request is not None and not self._is_subagent(agent_of(record)):
            self._message = request.message_id
            self._setting.request(request, self._timestamp)
            self._prompts.model_spoke()

    def _said(self, event: Said) -> None:
        text = event.text
        if self._is_subagent(event.agent) or not text.strip():
            return
        self._last_text = text
        decisions, causes = found_in(text)
        for sentence in decisions:
            self._decisions.add(statement(sentence, sentence, "assistant", self._timestamp))
        for sentence in causes:
            self._causes.add(statement(sentence, sentence, "assistant", self._timestamp))

    def _words(self, event: Words) -> None:
        if event.kind == "interruption":
            self._corrections.interrupted(self._actions.unfinished(), self._timestamp)
        elif event.kind == "memory":
            self._constraints.add(statement(event.text, event.text, "user", self._timestamp))
        elif event.plan:
            self._plans.given(event.plan, event.plan_stated, self._timestamp)
        self._judge(self._prompts.words(event.kind, event.text, self._timestamp, self._offset))

    def _queue(self, event: Queue) -> None:
        self._judge(self._prompts.queue(event, self._timestamp, self._offset))

    def _queued(self, event: Queued) -> None:
        self._judge(self._prompts.queued(event.text, self._timestamp, self._offset))

    def _judge(self, prompt: Prompt | None) -> None:
        """Read corrections, decisions and constraints off the user's words."""
        if prompt is None:
            return
        if prompt.kind != "rejection":
            self._corrections.prompt(prompt.text, self._timestamp)
        if prompt.kind == "plan":
            return
        if option := chosen_option(prompt.text, self._last_text):
            self._decisions.add(statement(option, prompt.text, "answer", self._timestamp))
        decisions, constraints = settled_in(prompt.text)
        for sentence in decisions:
            self._decisions.add(statement(sentence, sentence, "user", self._timestamp))
        for sentence in constraints:
            self._constraints.add(statement(sentence, sentence, "user", self._timestamp))

    def _boundary(self, event: Boundary) -> None:
        if not self._reached():
            self._compactions.boundary(event, self._timestamp, self._offset)

    def _summary(self, event: Summary) -> None:
        if self._compactions.awaits_summary or not self._reached():
            self._compactions.summary(event, self._timestamp, self._offset)

    def _reached(self) -> bool:
        """Whether the compaction that begins here is the one to stop before."""
        if self._until is not None:
            moment = parse_iso(self._timestamp)
            self.stopped = moment is not None and moment >= self._until
            self._cutoff = self._timestamp if self.stopped else ""
        return self.stopped

    def _task_state(self, event: TaskState) -> None:
        self._todos.state(event.items, self._timestamp)

    def _plan_reference(self, event: PlanReference) -> None:
        self._plans.referred(event, self._timestamp)

    def _titled(self, event: Title) -> None:
        self._title = event.text

    def _wait(self, call: Call, folder: str) -> _Waiting:
        if len(self._waiting) >= _WAITING_LIMIT:
            del self._waiting[next(iter(self._waiting))]
        waiting = self._waiting[call.id] = _Waiting(call, folder, self._timestamp)
        return waiting

    def _call(self, call: Call) -> None:
        if self._is_subagent(call.agent):
            if call.name in _WORTH_TRACKING:
                self._wait(call, self._setting.folder)
            return
        waiting = self._wait(call, self._setting.folder)
        self._actions.called(call, self._timestamp)
        if call.name in SHELL_TOOLS:
            waiting.shell = self._commands.called(call.input, self._timestamp)
        elif call.name == "TodoWrite":
            self._todos.write(call.input)
        elif call.name == "ExitPlanMode":
            self._plans.shown(call.id, call.input, self._timestamp)

    def _result(self, result: Result) -> None:
        waiting = self._waiting.pop(result.id, None)
        if waiting is None:
            self._orphan(result)
        elif self._is_subagent(result.agent):
            self._agent_result(result, waiting)
        else:
            self._own_result(result, waiting)

    def _orphan(self, result: Result) -> None:
        """A result whose call is not in the file: Claude Code's note on it may still name a file."""
        tool = tool_of(result.detail)
        if tool and not result.failed:
            path = target_path(tool, {}, result.detail, self._setting.folder)
            self._files.result(result, path, tool, self._timestamp)

    def _agent_result(self, result: Result, waiting: _Waiting) -> None:
        if result.failed:
            return
        name = waiting.call.name
        if name in TASK_TOOLS:
            self._todos.task_result(name, waiting.call.input, result, self._timestamp)
        elif name in EDIT_TOOLS or name in READ_TOOLS:
            path = target_path(name, waiting.call.input, result.detail, waiting.cwd)
            self._files.result(result, path, name, self._timestamp)

    def _own_result(self, result: Result, waiting: _Waiting) -> None:
        call = waiting.call
        outcome = outcome_of(result)
        self._actions.ended(result, outcome)
        if outcome == "ok" or outcome == "background":
            self._went_well(result, waiting)
        elif outcome == "rejected":
            self._refused(result, call)
        elif outcome == "failed" and not is_sibling_error(result):
            self._failed(result, waiting)
        if waiting.shell is not None:
            self._shell_ended(result, waiting.shell, waiting.cwd, outcome)
        elif call.name == "TodoWrite" and result.failed:
            self._todos.write_failed()
        elif call.name == "ExitPlanMode":
            self._plans.decided(result, outcome == "rejected")

    def _went_well(self, result: Result, waiting: _Waiting) -> None:
        call = waiting.call
        name = call.name
        if name in EDIT_TOOLS or name in READ_TOOLS:
            self._touched(result, waiting)
        elif name in TASK_TOOLS:
            self._todos.task_result(name, call.input, result, self._timestamp)
        elif name == "AskUserQuestion":
            self._answered(result)
        elif isinstance(result.detail, dict) and isinstance(agent := result.detail.get("agentId"), str):
            self._agent_ids[agent] = None
        if waiting.shell is not None and self._errors.has_open("command"):
            self._errors.succeeded("command", things(waiting.shell.text))
        elif self._errors.has_open("tool"):
            self._errors.succeeded("tool", frozenset({_tool_thing(call)}))

    def _touched(self, result: Result, waiting: _Waiting) -> None:
        """An edit or a read went well; who can edit a file can read it."""
        call = waiting.call
        path = target_path(call.name, call.input, result.detail, waiting.cwd)
        self._files.result(result, path, call.name, self._timestamp)
        if call.name in EDIT_TOOLS:
            self._plans.wrote(path, call.name, call.input, result.detail, self._timestamp)
            if self._errors.has_open("edit"):
                self._errors.succeeded("edit", frozenset({identity(path)}))
        if self._errors.has_open("read"):
            self._errors.succeeded("read", frozenset({identity(path)}))

    def _refused(self, result: Result, call: Call) -> None:
        words = said_with_rejection(result)
        about = f"{call.name}: {target_of(call)}"
        self._corrections.rejected(about, words, self._timestamp)
        if words:
            self._judge(self._prompts.rejection(words, self._timestamp, self._offset))

    def _failed(self, result: Result, waiting: _Waiting) -> None:
        call = waiting.call
        target, kind, needs = target_of(call), "tool", frozenset({_tool_thing(call)})
        if call.name in EDIT_TOOLS or call.name in READ_TOOLS:
            target = target_path(call.name, call.input, result.detail, waiting.cwd) or target
            kind, needs = "edit" if call.name in EDIT_TOOLS else "read", frozenset({identity(target)})
        elif waiting.shell is not None:
            kind, needs = "command", things(waiting.shell.text)
        self._errors.failed(call.name, target, error_head(result), (kind, needs), self._timestamp)

    def _shell_ended(self, result: Result, shell: ShellCall, folder: str, outcome: Outcome) -> None:
        shell.ended(result, outcome)
        if outcome == "ok" and len(self._shell_files) < _SHELL_FILE_LIMIT:
            self._shell_files.update(dict.fromkeys(written_files(shell.text, folder)))

    def _answered(self, result: Result) -> None:
        for question, answer in answers_of(result):
            if len(self._answers) < _ANSWER_LIMIT:
                self._answers.append(Answer(question, answer, self._timestamp))
            self._decisions.add(statement(f"{question} → {answer}", question, "answer", self._timestamp))


def _tool_thing(call: Call) -> str:
    """What must go well after a tool failed: an address of its own for a page, else the tool."""
    return f"{call.name} {target_of(call)}" if call.name == "WebFetch" else call.name


def _first(prompts: tuple[Prompt, ...]) -> str:
    """The first words that stand on a line of their own; else the first ones at all."""
    for prompt in prompts:
        if prompt.kind in ("typed", "command", "plan"):
            return prompt.text
    return prompts[0].text if prompts else ""
