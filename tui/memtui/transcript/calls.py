"""Tool calls and their results: every pair is passed to the logs concerned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memtui.secrets.secrets import masked_in
from memtui.transcript import outcomes, shell
from memtui.transcript.checks import bare_command, hidden_failure, hidden_success, is_check, printed_status
from memtui.transcript.events import Call, Result, said_with_rejection
from memtui.transcript.files import FileLog, may_remove, may_write, target_path
from memtui.transcript.landmarks import AddressLog, LandmarkLog
from memtui.transcript.lines import text_in
from memtui.transcript.outcomes import ActionLog, CommandLog, answers_of, error_head, exit_code, outcome_of
from memtui.transcript.plans import PlanLog, TodoLog
from memtui.transcript.records import NOWHERE, Answer, Command, ErrorFact, Outcome, PlanFact, Source
from memtui.transcript.session import worker_of
from memtui.transcript.shell import AGENT_TOOLS, EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS, TASK_TOOLS
from memtui.transcript.short_text import command_line

_PRINTED = 600
_TARGET = 500
_KEPT_RESULTS = TASK_TOOLS | AGENT_TOOLS | {"AskUserQuestion", "ExitPlanMode"}
KEPT_CALLS = SHELL_TOOLS | TASK_TOOLS | {"TodoWrite", "ExitPlanMode"}
"""Tools whose arguments are kept; of other calls only the path is, or the target if they failed."""


@dataclass(slots=True)
class _Waiting:
    """A call without its result yet."""

    call: Call
    folder: str
    source: Source
    shell: Command | None = None


class CallLog:
    """Pairs calls with results by their id.

    Subagents count for the files and, because they share it, the task list. `said` receives the user's words
    in a rejection, with the last success before it, `has_read` each file that was read, with the text read.
    """

    def __init__(self, said: Callable[[str, Source], None], has_read: Callable[[str, str], str]) -> None:
        self.files = FileLog()
        self.plans = PlanLog()
        self.plan_read: PlanFact | None = None
        self.edits = 0
        """Number of the session's own edits so far."""
        self.answers: list[Answer] = []
        self.addresses = AddressLog()
        self.agent_checks = CommandLog("subagent")
        """Compile, lint and test commands run by subagents."""
        self.agents: dict[str, None] = {}
        """Ids of the subagents named by results and calls."""
        self.results_of: dict[str, Source] = {}
        """Source of the result of each subagent whose transcript has not been read."""
        self._said = said
        self._has_read = has_read
        self._waiting: dict[str, _Waiting] = {}
        self._source = self._done = NOWHERE
        self.commands = CommandLog()
        self.errors: list[ErrorFact] = []
        self.refusals: dict[ErrorFact, frozenset[str]] = {}
        self.todos = TodoLog()
        self.landmarks = LandmarkLog()
        self.actions = ActionLog()

    def found(self, agent: str) -> None:
        self.agents[agent] = None
        self.results_of.pop(agent, None)

    def called(self, call: Call, folder: str, source: Source, own: bool) -> None:
        """Record a call made in `folder`, by the session itself (`own`) or by a subagent."""
        if call.id in self._waiting or not (own or _counts_of_agent(call)):
            return
        waiting = self._waiting[call.id] = _Waiting(call, folder, source)
        if not own:
            if call.name in SHELL_TOOLS and is_check(text_in(call.input, "command")):
                waiting.shell = self.agent_checks.called(call.input, source)
            return
        self.actions.called(call, source)
        if call.name in SHELL_TOOLS:
            waiting.shell = self.commands.called(call.input, source)
        elif call.name == "ExitPlanMode":
            self.plans.shown(call.id, call.input, source)

    def keeps(self, result: Result) -> bool:
        """Whether long texts of a result are kept; otherwise they are cleaned one by one."""
        waiting = self._waiting.get(result.id)
        return waiting is not None and (
            waiting.call.name in _KEPT_RESULTS or outcome_of(result) not in ("ok", "background")
        )

    def ended(self, result: Result, source: Source, own: bool) -> None:
        """Record a result; of a subagent's, only files, tasks and checks count."""
        self._source = source
        waiting = self._waiting.pop(result.id, None)
        if waiting is None:
            return
        name, ran, ended = waiting.call.name, waiting.shell, outcome_of(result)
        said = hidden_failure(ran.text, result.text) if ran is not None and ended == "ok" else ""
        shown = result._replace(content=said, failed=True) if said else result
        outcome: Outcome = "failed" if said else ended
        if ran is not None:
            ran.outcome, ran.task = outcome, str(result.fields.get("backgroundTaskId") or "")
            ran.exit_code = printed_status(ran.text, result.text) if ended == "ok" else exit_code(shown)
            ran.output = error_head(shown, _PRINTED) if outcome == "failed" else ""
            ran.passed = outcome == "ok" and hidden_success(ran.text, result.text)
        if outcome in ("ok", "background"):
            self._went_well(result, waiting, own)
        command = text_in(waiting.call.input, "command") if name in SHELL_TOOLS else ""
        if command and ended == "ok":
            self.files.ran(command, waiting.folder, bool(waiting.call.agent), waiting.source, source)
        if command and ended in ("ok", "failed"):
            made = source._replace(speaker="tool")
            self.landmarks.ran(command, result.text, made, waiting.folder, failed=ended == "failed")
        if own:
            if ran is not None and ended in ("ok", "failed") and not ran.text.startswith("cd "):
                self.files.shown(result.text, waiting.folder, source)
            self._own_result(shown, waiting, outcome)
            if name not in EDIT_TOOLS | READ_TOOLS | {"WebSearch"}:
                self.addresses.read(result.text, source)
        elif ran is not None and outcome == "failed":
            place = source._replace(speaker="subagent")
            self.errors.append(ErrorFact(name, command_line(ran.text)[:_TARGET], ran.output, place))

    def _went_well(self, result: Result, waiting: _Waiting, own: bool) -> None:
        name, given = waiting.call.name, waiting.call.input
        if name in EDIT_TOOLS or name in READ_TOOLS:
            self._touched(result, waiting, own)
        elif name in TASK_TOOLS:  # the call holds the change, only TaskList's result holds the state
            source = self._source if name == "TaskList" else waiting.source
            self.todos.task_result(name, given, result, source)
        elif own:
            self._own_success(result, waiting)

    def _own_success(self, result: Result, waiting: _Waiting) -> None:
        name, given = waiting.call.name, waiting.call.input
        if name in shell.STOP_TOOLS:
            self.commands.stopped(given)
        elif name == "TodoWrite":
            self.todos.write(given, waiting.source)
        elif name == "AskUserQuestion":
            self.answers += answers_of(result, self._source._replace(speaker="user"))
        if agent := worker_of(result):
            if agent not in self.agents and given.get("subagent_type") not in shell.READ_ONLY_AGENTS:
                self.results_of[agent] = self._source
            self.agents[agent] = None

    def _touched(self, result: Result, waiting: _Waiting, own: bool) -> None:
        call = waiting.call
        path = target_path(call.name, call.input, waiting.folder)
        self.files.result(result, path, call.name, waiting.source, self._source)
        if own and call.name in EDIT_TOOLS:
            self.edits += 1
            self.plans.wrote(path, call.name, call.input, waiting.source)
        elif own and (plan := self._has_read(path, result.text)):
            self.plan_read = PlanFact("plan file", plan, "unknown", path, self._source)

    def _own_result(self, result: Result, waiting: _Waiting, outcome: Outcome) -> None:
        self.actions.ended(result, outcome)
        words = said_with_rejection(result) if outcome == "rejected" else ""
        self._done = self._source if outcome == "ok" else self._done
        if words:
            refusal = ErrorFact(waiting.call.name, _target(waiting), words, self._source)
            self.refusals[refusal] = _step(waiting)
        elif self.refusals and outcome in ("ok", "background"):
            self.forget_refused(_step(waiting))
        if words or (outcome == "rejected" and waiting.call.name not in _KEPT_RESULTS):
            self._said(words, self._done)
        elif outcome == "failed" and not outcomes.is_sibling_error(result):
            self._failed(result, waiting)
        if waiting.call.name == "ExitPlanMode":
            self.plans.decided(result, outcomes.fate_of_plan(result) if outcome == "rejected" else "unknown")

    def forget_refused(self, step: frozenset[str]) -> None:
        """Forget refusals of what was done after all."""
        self.refusals = {each: refused for each, refused in self.refusals.items() if not refused <= step}

    def _failed(self, result: Result, waiting: _Waiting) -> None:
        call, target = waiting.call, _target(waiting)
        source = self._source._replace(speaker="tool")
        self.errors.append(ErrorFact(call.name, target[:_TARGET], error_head(result), source))

    def printed(self, output: str, source: Source) -> None:
        """Record the output of a ``!`` line of the user; its exit status is not on record."""
        call = self.commands.last_typed()
        if call is None:
            return
        said = hidden_failure(call.text, output)
        if said:
            call.outcome, call.output = "failed", said[:_PRINTED]
            return
        self.addresses.read(output, source)
        self.landmarks.ran(call.text, output, source)


def _target(waiting: _Waiting) -> str:
    call = masked_in(waiting.call)
    known = call.name in EDIT_TOOLS | READ_TOOLS and target_path(call.name, call.input, waiting.folder)
    return known or outcomes.target_of(call)


def _step(waiting: _Waiting) -> frozenset[str]:
    """What identifies a call: the programs and words of a command, all of an edit, else tool and target.

    All plans count as one step.
    """
    name = waiting.call.name
    if name == "ExitPlanMode":
        return frozenset({name})
    if name in EDIT_TOOLS:
        return frozenset({f"{name} {waiting.call.input}"})
    target = _target(waiting)
    if name in SHELL_TOOLS:
        return shell.programs_run(target) | frozenset(bare_command(target).split())
    return frozenset({f"{name} {target}"})


def _counts_of_agent(call: Call) -> bool:
    """Whether a subagent's call counts for the session, too."""
    if call.name in SHELL_TOOLS:
        command = text_in(call.input, "command")
        counts = is_check(command) or may_remove(command) or may_write(command) or "git commit" in command
        return bool(command) and counts
    return call.name in EDIT_TOOLS | READ_TOOLS | TASK_TOOLS
