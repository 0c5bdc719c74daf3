"""Drafts worded by ``claude -p``. What is on record stays the draft's; what the model adds is checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from memtui.documents.checklist import Verdict, check_recovery
from memtui.documents.compactor import MOST_TASKS, count_of, flat
from memtui.documents.memory_file import MemoryFile, parse_memory, render_memory
from memtui.documents.recovery import Recovery, RoleFile, is_unknown, parse_recovery, render_recovery
from memtui.documents.session_state import (
    Decision,
    SessionState,
    Task,
    TaskKind,
    parse_session_state,
    render_session_state,
)
from memtui.documents.state_draft import task_key
from memtui.engines.ask import EngineError, ask
from memtui.engines.check import LINE, UNSEEN, Checked, CitedLines
from memtui.engines.prompts import (
    CLOSING,
    OPENING,
    conversation,
    memory_prompt,
    recovery_prompt,
    state_prompt,
)
from memtui.ground.clean import clean
from memtui.ground.text import FormatError
from memtui.secrets.secrets import masked
from memtui.transcript.paths import absolute
from memtui.transcript.records import Facts

_CONVERSATION = 120_000
"""Length of the conversation shown to the model in characters: some 30,000 tokens."""
_TEXT = 600
_TITLE = 120
_FIELD = 200
_FILES = 12
"""The most files that a model may add to a list."""
_LEVEL = re.compile(r"\W*(?:high|medium|low)\b", re.IGNORECASE)
_FENCE = re.compile(r"\A`{3,}[a-z]*\n(.*?)\n`{3,}\s*\Z", re.DOTALL)

Parsed = TypeVar("Parsed")


class Claude:
    """The model behind ``claude -p``.

    Every method takes a draft made from facts and returns an improved one. On `EngineError` the draft is to
    be used; the error gives the reason in one clause.

    Args:
        transcript: the source of the facts; None if it was deleted.
        until: where the facts end, see `read_facts`.
        cancelled: whether to stop waiting; polled.
    """

    def __init__(
        self,
        transcript: Path | None,
        *,
        until: datetime | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._transcript = transcript
        self._until = until
        self._cancelled = cancelled

    def memory(self, draft: MemoryFile, summary: str, facts: Facts) -> tuple[MemoryFile, str]:
        """A memory file and its summary."""
        text = f"Summary: {summary}\n\n{render_memory(draft)}"
        said, check = self._asked(memory_prompt(facts, text, self._words()))
        document = _document(said, "# Memory:")
        head, _, body = document.partition("# Memory:")
        answer = _parsed(parse_memory, f"# Memory:{body}")
        if not (answer.title and answer.goal and answer.confidence):
            raise EngineError("claude's answer is incomplete")
        files = [each if check.is_seen(each) else f"{each} ({UNSEEN})" for each in answer.key_files]
        certain = _LEVEL.match(answer.confidence)
        better = draft.replace(
            title=check.plain(answer.title, _TITLE),
            goal=check.item(answer.goal, _TEXT),
            learnings=check.items(answer.learnings, draft.learnings),
            questions=check.items(answer.questions, draft.questions),
            confidence=check.plain(answer.confidence, LINE) if certain else draft.confidence,
            key_files=tuple(dict.fromkeys((*files, *draft.key_files))),
        )
        return better, check.plain(head.partition("Summary:")[2], _TEXT) or summary

    def recovery(self, draft: Recovery, facts: Facts) -> Recovery:
        """A recovery text: session, root, plan, files and last action are the draft's.

        Raises:
            EngineError: it fails a point of the checklist that the draft passes.
        """
        said, check = self._asked(recovery_prompt(facts, render_recovery(draft), self._words()))
        document = _document(said, "## Session ID")
        answer = _parsed(parse_recovery, document)
        if not answer.objective or "\n## Notes" not in document:
            raise EngineError("claude's answer is incomplete")
        names = ("decisions", "constraints", "dependencies", "known_issues", "changes", "pending")
        lists = {name: check.items(_known(getattr(answer, name)), getattr(draft, name)) for name in names}
        notes = check.items(_known(answer.notes.split("\n")), draft.notes.split("\n")) if answer.notes else ()
        better = draft.replace(
            objective=check.item(answer.objective, _TEXT),
            working_files=_files(answer.working_files, draft, draft.working_files, check),
            reference_files=_files(answer.reference_files, draft, draft.reference_files, check),
            notes=draft.notes if _same(answer.notes, draft.notes) else "\n".join(notes),
            **lists,
        )
        before = _failures(draft)
        for name, message in _failures(better).items():
            if name not in before:
                raise EngineError(f"claude's answer fails the checklist: {name} {message}")
        return better

    def state(self, draft: SessionState, previous: SessionState | None, facts: Facts) -> StateAnswer:
        """The model's part of a session state; `draft` is the next version made from facts alone."""
        before = render_session_state(previous) if previous is not None else ""
        prompt = state_prompt(facts, render_session_state(draft), before, self._words())
        said, check = self._asked(prompt)
        document = _document(said, "=== SESSION STATE")
        answer = _parsed(parse_session_state, document)
        if not answer.identity.goal or "=== END STATE ===" not in document:
            raise EngineError("claude's answer is incomplete")
        return StateAnswer(answer, check, facts.lines)

    def _asked(self, prompt: str) -> tuple[str, Checked]:
        said = ask(prompt, self._cancelled)
        return said, Checked(CitedLines.of(self._transcript, said, self._until), prompt)

    def _words(self) -> str:
        if self._transcript is None:
            return "(the transcript is gone)"
        try:
            return conversation(self._transcript, _CONVERSATION, until=self._until)
        except OSError:
            return "(the transcript cannot be read)"


class StateAnswer:
    """A model's session state, for the draft in its prompt or for a later one.

    Args:
        answer: the model's.
        check: checks its statements.
        lines: number of the transcript's lines when it was asked.
    """

    def __init__(self, answer: SessionState, check: Checked, lines: int) -> None:
        self._answer = answer
        self._check = check
        self._lines = lines

    def into(self, draft: SessionState, facts: Facts) -> SessionState:
        """The part to merge with a draft: the goal's wording, new tasks and decisions, how the talk goes.

        Facts on record stay; if the session has gone on since the question, goal and talk stay, too.
        """
        answer, check, late = self._answer, self._check, facts.lines != self._lines
        decisions = list(draft.decisions)
        known = {each.text for each in decisions}
        worded = check.items([each.text for each in answer.decisions], known)
        kinds = {check.item(each.text): each.kind for each in answer.decisions}
        new = [text for text in worded if text not in known and text in kinds]
        decisions += [Decision(kind=kinds[text], text=text) for text in new]
        names = ("language", "style", "phase", "last_intent")
        values = {name: check.plain(getattr(answer.dynamics, name), _FIELD) for name in names}
        return draft.replace(
            identity=draft.identity
            if late or answer.identity.goal == draft.identity.goal
            else draft.identity.replace(goal=check.item(answer.identity.goal, _TEXT)),
            tasks=(*draft.tasks, *self._new_tasks(draft, late)),
            decisions=tuple(decisions),
            dynamics=draft.dynamics
            if late
            else draft.dynamics.replace(**{name: value for name, value in values.items() if value}),
        )

    def _new_tasks(self, draft: SessionState, late: bool) -> list[Task]:
        """Open tasks that the draft has not; a late answer has none that is in progress."""
        closed = (TaskKind.DONE, TaskKind.SUB, TaskKind.BLOCKER, TaskKind.NOTE)
        refused = (*closed, TaskKind.IN_PROGRESS) if late else closed
        known = {task_key(task.text) for task in flat(draft.tasks)}
        new: dict[str, Task] = {}
        for task in flat(self._answer.tasks):
            if task.kind not in refused and not count_of(task) and task_key(task.text) not in known:
                text = self._check.item(task.text)
                new.setdefault(task_key(text), Task(kind=task.kind, text=text))
        return [task for key, task in new.items() if key not in known][:MOST_TASKS]


def _files(
    answer: tuple[RoleFile, ...], draft: Recovery, own: tuple[RoleFile, ...], check: Checked
) -> tuple[RoleFile, ...]:
    """The draft's files in the model's order and with its roles, then a few that only the model names."""
    drafted = [file for file in (*draft.working_files, *draft.reference_files) if not is_unknown(file.path)]
    known: dict[str, RoleFile] = {}
    more: dict[str, RoleFile] = {}
    for file in answer:
        role, name = check.plain(file.role, _FIELD), file.path.removeprefix("./")
        mine = next((each for each in drafted if f"/{each.path}".endswith(f"/{name.lstrip('/')}")), None)
        if mine is not None and mine in own:
            known[mine.path] = mine.replace(role=role or mine.role)
        elif mine is None and not is_unknown(file.path) and len(more) < _FILES:
            path = absolute(name, draft.project_root)
            marked = role if check.is_seen(name) else ", ".join(filter(None, (role, UNSEEN)))
            more[path] = RoleFile(path=path, role=marked)
    rest = [file for file in own if file.path not in known and not is_unknown(file.path)]
    return (*known.values(), *rest, *more.values()) or own


def _known(items: tuple[str, ...] | list[str]) -> list[str]:
    return [item for item in items if not is_unknown(item)]


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _failures(recovery: Recovery) -> dict[str, str]:
    try:
        points = check_recovery(render_recovery(recovery))
    except FormatError as error:
        raise EngineError(f"claude's answer is not a recovery text: {error}") from error
    return {point.name: point.message for point in points if point.verdict is Verdict.FAIL}


def _document(answer: str, beginning: str) -> str:
    """The document in an answer, cleaned and without secrets.

    Raises:
        EngineError: it is missing or cut off.
    """
    text = masked(clean(answer.replace("\r\n", "\n")))
    _, opened, rest = text.partition(OPENING)
    if opened:
        text, closed, _ = rest.rpartition(CLOSING)
        if not closed:
            raise EngineError("claude's answer is cut off")
    text = text.strip()
    if fenced := _FENCE.match(text):
        text = fenced[1]
    if not re.search(rf"^{re.escape(beginning)}", text, re.MULTILINE):
        raise EngineError("claude's answer holds no document of the kind asked for")
    return text


def _parsed(parse: Callable[[str], Parsed], text: str) -> Parsed:
    try:
        return parse(text)
    except FormatError as error:
        raise EngineError(f"claude's answer cannot be read: {error}") from error
