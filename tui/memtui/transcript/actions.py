"""Targets of tool calls, and the last significant call."""

from __future__ import annotations

import re
from typing import Any

from memtui.secrets.border import cleared_in
from memtui.transcript.events import Call, Result
from memtui.transcript.outcomes import error_head
from memtui.transcript.records import NOWHERE, Action, Outcome, Source
from memtui.transcript.short_text import command_line
from memtui.transcript.tools import BOOKKEEPING

_TARGET_KEYS = (
    "file_path", "notebook_path", "command", "pattern", "url", "query", "title", "subject", "skill",
    "description", "path", "libraryName", "name", "question", "id",
)  # fmt: skip
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


def answers_of(result: Result) -> list[tuple[str, str, str]]:
    """The questions of an AskUserQuestion call with the user's answers, and what the chosen option says."""
    answers = result.detail.get("answers") if isinstance(result.detail, dict) else None
    if isinstance(answers, dict):
        pairs = [(question, _answer(answer)) for question, answer in answers.items()]
    else:
        pairs = _ANSWERED.findall(result.text)
    options = _options(result.detail)
    return [
        (question.strip(), answer, options.get((question, answer), ""))
        for question, answer in pairs
        if question.strip() and answer
    ]


def _options(detail: object) -> dict[tuple[str, str], str]:
    """Descriptions of the options, by question and label."""
    asked = detail.get("questions") if isinstance(detail, dict) else None
    return {
        (str(question.get("question")), str(option.get("label"))): str(option.get("description") or "")
        for question in _dicts(asked)
        for option in _dicts(question.get("options"))
    }


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
        self._before: Action | None = None

    def resume(self, action: Action | None) -> None:
        """Restore the last action."""
        self._before = action

    def called(self, call: Call, source: Source) -> None:
        """Record a call."""
        if call.name not in BOOKKEEPING:
            self._call, self._source = call, source
            self._result, self._outcome = None, "unknown"

    def ended(self, result: Result, outcome: Outcome) -> None:
        """Record a result, if it belongs to the last call."""
        if self._call is not None and result.id == self._call.id:
            self._result, self._outcome = result, outcome

    def finish(self) -> Action | None:
        """The last action."""
        if self._call is None:
            return self._before
        head = ""
        if self._result is not None:
            result = cleared_in(self._result)
            head = result.text.strip() if self._outcome == "ok" else error_head(result, _RESULT_LIMIT)
        call = cleared_in(self._call)
        return Action(call.name, target_of(call), self._outcome, head[:_RESULT_LIMIT], self._source)
