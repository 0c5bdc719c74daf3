"""What tool calls were about and how they ended, from the sentences that Claude Code writes into results."""

from __future__ import annotations

import re
from typing import Any, Literal

from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.events import Call, Result, error_text, said_with_rejection
from memtui.transcript.lines import text_in
from memtui.transcript.records import NOWHERE, Action, Answer, Command, Fate, Outcome, Source
from memtui.transcript.shell import BOOKKEEPING
from memtui.transcript.short_text import command_line, ends_of, telling_line

_REJECTED = re.compile(
    "The user doesn't want to (?:proceed with this tool use|take this action right now)"
    "|The agent proposed a plan that was rejected by the user|Claude requested permissions to"
    "|User (?:rejected (?:tool use|(?:update|edits) to)|chose to stay in plan mode|declined to answer"
    " questions)|Tool use rejected|Permission for this (?:tool use was denied|action|command)"
    "|Permission to use |This command requires"
)
_REFUSED_PLAN = ("User chose to stay in plan mode", "The agent proposed a plan that was rejected")
_INTERRUPTED = re.compile(r"\[?Request interrupted by user|(?:<error>)?Command was aborted")
_SIBLING = ("Sibling tool call errored", "Cancelled: parallel tool call")
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?\d{1,10})\b")
_CUT = "\n…\n"


def outcome_of(result: Result) -> Outcome:
    """`ok`, `failed`, `rejected`, `interrupted` or `background`."""
    if result.fields.get("backgroundTaskId"):
        return "background"
    if result.fields.get("interrupted") is True:
        return "interrupted"
    if not result.failed:
        return "ok"
    head = error_text(result)[:200]
    if _INTERRUPTED.match(head) or result.denial == "interrupted":
        return "interrupted"
    if _REJECTED.match(head) or result.denial not in ("", "cancelled"):
        return "rejected"
    return "failed"


def is_sibling_error(result: Result) -> bool:
    """Whether the call failed only because another one of the same message did."""
    return result.denial == "cancelled" or error_text(result)[:200].startswith(_SIBLING)


def fate_of_plan(result: Result) -> Fate:
    """The fate of a plan whose ExitPlanMode call was rejected: ``rejected`` or ``dismissed``.

    A rejection without words is no decision: a plan that the user takes into a fresh context is rejected in
    the same way (7 of 44 such rejections).
    """
    text = error_text(result)[:200]
    return "rejected" if text.startswith(_REFUSED_PLAN) or said_with_rejection(result) else "dismissed"


def exit_code(result: Result) -> int | None:
    said = (result.text, result.detail if isinstance(result.detail, str) else "") if result.failed else ()
    return next((int(found[1]) for each in said if (found := _EXIT_CODE.match(each[:40]))), None)


def error_head(result: Result, limit: int = 1_000) -> str:
    """An error's text without the line that states the exit code; of a long one the head and the tail.

    The cause is at the end as often as at the beginning; the most telling line stays in any case. Cut between
    lines where these are short, as half a line can be misleading.
    """
    text = masked(error_text(result))
    if _EXIT_CODE.match(text):
        text = text.partition("\n")[2].strip() or text
    telling, ends = telling_line(text[:20_000])[: limit // 3], ends_of(text, limit)
    return ends if telling in ends else f"{telling}{_CUT}{ends_of(text, limit - len(telling) - len(_CUT))}"


_TARGET_KEYS = re.findall(
    r"\w+",
    "file_path notebook_path command pattern url query title subject skill description path libraryName name"
    " question id",
)
_TARGET_LIMIT = 2_000
_RESULT_LIMIT = 600
_ANSWERED = re.compile(r'"([^"]{1,2000})"="([^"]{0,4000})"')


def target_of(call: Call) -> str:
    """Target of a call on one line: its file, command, pattern, address or description."""
    arguments = call.input
    for key in _TARGET_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return command_line(value[:_TARGET_LIMIT]) if key == "command" else _line(value)
    questions = arguments.get("questions")
    if isinstance(questions, list) and questions and isinstance(questions[0], dict):
        return _line(str(questions[0].get("question", "")))
    texts = (value.strip() for value in arguments.values() if isinstance(value, str))
    return next((_line(text.partition("\n")[0]) for text in texts if text), "")


def answers_of(result: Result, at: Source) -> list[Answer]:
    """The user's answers to the questions of an AskUserQuestion call."""
    options = {  # their descriptions, by question and label
        (str(question.get("question")), str(option.get("label"))): str(option.get("description") or "")
        for question in _dicts(result.fields.get("questions"))
        for option in _dicts(question.get("options"))
    }
    answers = result.fields.get("answers")
    if isinstance(answers, dict):
        pairs = [(question, _answer(answer)) for question, answer in answers.items()]
    else:
        pairs = _ANSWERED.findall(result.text)
    found = []
    for question, answer in pairs:
        if question.strip() and answer:
            labels = [label for asked, label in options if asked == question]
            own = bool(labels) and not any(label in answer for label in labels)
            option = options.get((question, answer), "")
            found.append(Answer(question.strip(), answer, at, option, own))
    return found


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _answer(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(item.strip() for item in value if isinstance(item, str))
    return value.strip() if isinstance(value, str) else ""


def _line(text: str) -> str:
    return " ".join(text[:_TARGET_LIMIT].split())


class ActionLog:
    """The last significant tool call and its result; updates of to-do lists do not count."""

    def __init__(self) -> None:
        self._call: Call | None = None
        self._result: Result | None = None
        self._source = NOWHERE
        self._outcome: Outcome = "unknown"

    def called(self, call: Call, source: Source) -> None:
        if call.name not in BOOKKEEPING:
            self._call, self._source = call, source
            self._result, self._outcome = None, "unknown"

    def ended(self, result: Result, outcome: Outcome) -> None:
        if self._call is not None and result.id == self._call.id:
            self._result, self._outcome = result, outcome

    def finish(self) -> Action | None:
        if self._call is None:
            return None
        head = ""
        if self._result is not None:
            result = masked_in(self._result)
            head = result.text.strip() if self._outcome == "ok" else error_head(result, _RESULT_LIMIT)
        call = masked_in(self._call)
        return Action(call.name, target_of(call), self._outcome, head[:_RESULT_LIMIT], self._source)


_COMMAND_LIMIT = 10_000
_OUTPUT_LIMIT = 600
_STATUS = re.compile(r"<status>(\w{1,20})</status>")
_NAMED = re.compile(r'<summary>[^"<]{0,40}"(.{1,2000}?)" ([^"]{1,200})</summary>', re.DOTALL)
_ENDED: dict[str, Outcome] = {"completed": "ok", "failed": "failed"}
"""Claude Code fact: a notice says ``Background command "build" failed with exit code 1``."""


class CommandLog:
    """Keeps the commands in the order in which they were called."""

    def __init__(self, by: Literal["model", "subagent"] = "model") -> None:
        self._calls: list[Command] = []
        self._by = by

    def called(self, arguments: dict[str, object], source: Source) -> Command:
        text, about = text_in(arguments, "command"), text_in(arguments, "description")
        call = Command(text[:_COMMAND_LIMIT], about[:_OUTPUT_LIMIT], source=source, by=self._by)
        if call.text:
            self._calls.append(call)
        return call

    def typed(self, text: str, source: Source) -> None:
        self._calls.append(Command(text[:_COMMAND_LIMIT], "", source=source, by="user"))

    def last_typed(self) -> Command | None:
        last = self._calls[-1] if self._calls else None
        return last if last is not None and last.by == "user" else None

    def notified(self, notice: str) -> None:
        """Record Claude Code's notice that a background command has ended, which names it."""
        status, named = _STATUS.search(notice), _NAMED.search(notice)
        if status is None or named is None:
            return
        for call in reversed(self._calls):
            if call.outcome == "background" and named[1] in (call.description, call.text):
                call.outcome = _ENDED.get(status[1], "interrupted")
                call.output = named[2].strip()[:_OUTPUT_LIMIT] if call.outcome == "failed" else ""
                return

    def stopped(self, arguments: dict[str, object]) -> None:
        """Record that a background command was stopped (TaskStop, KillShell)."""
        task = arguments.get("task_id") or arguments.get("shell_id")
        for call in self._calls:
            if call.outcome == "background" and call.task == task:
                call.outcome = "interrupted"

    def finish(self) -> tuple[Command, ...]:
        return tuple(self._calls)
