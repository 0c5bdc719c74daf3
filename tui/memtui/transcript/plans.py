"""Plans with their fates, and the to-do list."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

from memtui.secrets.secrets import masked_in
from memtui.transcript.events import PlanReference, Result
from memtui.transcript.lines import fields_in
from memtui.transcript.records import NOWHERE, Fate, PlanFact, Source, Todo, is_after

_PLAN_FILE = re.compile(r"[\\/]\.claude[\\/]plans[\\/][^\\/]+\.md$")
_TICK = re.compile(r"\[[ xX>~-]\] ?|[☐☑✅✓✔]|~~| (?=\n)")  # marks that say which items are done
_CALLED_PLAN = ("plan:", "implementation plan:")
_APPROVED = "User has approved"  # beginning of the result of an approved ExitPlanMode call
_UNDECIDED: tuple[Fate, ...] = ("unknown", "dismissed")
_TEXT_LIMIT = 200_000


class PlanLog:
    """Keeps the plans in the order in which they were made.

    Versions of one plan follow each other in its file until it is shown to the user; a change of the same
    file after the decision begins the next plan, unless it only ticks off items of an approved one.
    """

    def __init__(self) -> None:
        self._plans: list[PlanFact] = []
        self._files: dict[str, str] = {}
        self._shown: dict[str, PlanFact] = {}

    def wrote(self, path: str, tool: str, arguments: dict[str, Any], source: Source) -> None:
        if ".claude" not in path or not _PLAN_FILE.search(path):
            return
        arguments, before = masked_in(arguments), self._files.get(path, "")
        content = _string(arguments.get("content")) if tool == "Write" else edited(before, arguments)
        if not content:
            return
        self._files[path] = content
        last = self._plans[-1] if self._plans else None
        bare, was = (_TICK.sub("", text).strip() for text in (content, last.content if last else ""))
        ticks = last is not None and last.fate == "approved" and bare == was
        if last is not None and last.path in (path, "") and (ticks or last.fate in _UNDECIDED):
            last.content, last.path, last.source = content, path, source
            last.fate = "unknown" if last.fate == "dismissed" else last.fate
        else:
            self._add(PlanFact("plan file", content, "unknown", path, source))

    def shown(self, call_id: str, arguments: dict[str, Any], source: Source) -> None:
        """Record an ExitPlanMode call: a plan is shown to the user."""
        path = _string(arguments.get("planFilePath"))
        stated = _string(arguments.get("plan"))
        content = stated or self._files.get(path, "")
        last = self._plans[-1] if self._plans else None
        same = last is not None and (
            not content or last.content.strip() == content.strip() or last.path == path != ""
        )
        if last is not None and last.fate in _UNDECIDED and same:  # it was written before
            last.fate = "unknown"
            last.origin, last.content = "ExitPlanMode" if content else last.origin, content or last.content
            last.source = source if stated else last.source
            last.path = path or last.path
        else:  # without a text its file is not in this transcript: the approval contains it
            last = self._add(PlanFact("ExitPlanMode", content, "unknown", path, source))
        self._shown = {call_id: last}

    def decided(self, result: Result, fate: Fate) -> None:
        """Record the result of an ExitPlanMode call; `fate` is that of a plan whose call failed."""
        plan = self._shown.pop(result.id, None)
        if plan is not None and result.failed:
            plan.fate = fate
        elif plan is not None and result.text.startswith(_APPROVED):
            plan.fate = "approved"
            plan.content = _string(result.fields.get("plan")) or plan.content
            plan.path = _string(result.fields.get("filePath")) or plan.path

    def given(self, content: str, stated: bool, source: Source) -> None:
        """Record a plan given to a fresh context: the result of accepting a plan with `clear context`.

        It was `stated` if it came in ``planContent``, not only in the prompt.
        """
        content = content[:_TEXT_LIMIT].strip()
        last = self._plans[-1] if self._plans else None
        if last is not None and last.content.strip() == content:
            last.origin, last.fate = "planContent" if stated else last.origin, "approved"
            last.source = source  # where it was accepted; where it was shown first it was refused
        elif content:
            self._add(PlanFact("planContent", content, "approved", "", source))

    def referred(self, reference: PlanReference, source: Source) -> None:
        """Record a plan file attached again after a compaction."""
        last = self._plans[-1] if self._plans else None
        known = last and (last.path == reference.path or last.content.strip() == reference.content.strip())
        if not known:
            self._add(PlanFact("plan file", reference.content, "unknown", reference.path, source))
        self._files[reference.path] = reference.content

    def finish(self) -> tuple[PlanFact, ...]:
        return tuple(plan for plan in self._plans if plan.content)

    def _add(self, plan: PlanFact) -> PlanFact:
        plan.content = plan.content[:_TEXT_LIMIT]
        self._plans.append(plan)
        return plan


def edited(text: str, arguments: dict[str, Any]) -> str:
    """A file's text after an Edit call, as far as its old text is there."""
    old, new = _string(arguments.get("old_string")), _string(arguments.get("new_string"))
    return text.replace(old, new, -1 if arguments.get("replace_all") is True else 1) if old else text


def plan_title(plan: PlanFact) -> str:
    """The first line of a plan, without heading marks."""
    first = next((line.strip() for line in plan.content.split("\n") if line.strip()), "")
    title = first.lstrip("# ")
    return title.partition(":")[2].strip() or title if title.casefold().startswith(_CALLED_PLAN) else title


def _string(value: Any) -> str:
    return value[:_TEXT_LIMIT] if isinstance(value, str) else ""


_CREATED = re.compile(r"Task #(\S{1,40}) created")
_LISTED = re.compile(r"#(\S{1,40}) \[(\w+)\] ([^\n]+)")


_NOT_DONE = re.compile(
    r"\W*(?:skipped|not done|won['’]?t (?:do|fix)|dropped|obsolete|cancell?ed)\b", re.IGNORECASE
)
"""Descriptions of items that were ticked off without being done."""


OPEN = ("pending", "in_progress")
"""Statuses of a task still to be done; ``cancelled`` or any other is neither open nor done."""


def was_done(todo: Todo) -> bool:
    """Whether an item was ticked off as done, not as abandoned."""
    return todo.status == "completed" and not _NOT_DONE.match(todo.details)


def mark_of(todo: Todo) -> str:
    """The mark in an item's box (seed 000): ``x`` done, ``>`` in progress, ``-`` left undone, or a blank."""
    if todo.status in OPEN:
        return ">" if todo.status == "in_progress" else " "
    return "x" if was_done(todo) else "-"


class _Listed(NamedTuple):
    """An item of the task list."""

    todo: Todo
    seen: Source
    """Its latest mention."""
    needs: dict[str, None]
    """Numbers of the tasks it depends on."""


class TodoLog:
    """Keeps the todo list (TodoWrite, to 2.1.15) or the task list (TaskCreate and others, from 2.1.17).

    Each agent has its own todo list; the task list is shared by the session and its subagents.
    """

    def __init__(self) -> None:
        self._todos: list[Todo] = []
        self._tasks: dict[str, _Listed] = {}
        self._tasks_are_newer = False
        self._past: dict[str, tuple[str, Source]] = {}

    def write(self, arguments: dict[str, Any], source: Source) -> None:
        """Record a TodoWrite call, which always contains the whole list."""
        items = arguments.get("todos")
        if not isinstance(items, list):
            return
        earlier = self._todos
        known = {todo.content: todo for todo in earlier}
        self._todos = []
        for item in items:
            if isinstance(item, dict) and (content := _text(item.get("content"))):
                before, status = known.get(content), _status(item)
                same = before is not None and before.status == status
                self._todos.append(before if same and before else Todo(content, status, source=source))
        listed = {todo.content for todo in self._todos}
        new = [set(text.casefold().split()) for text in listed - known.keys()]
        for todo in earlier:
            if todo.content not in listed:
                words = set(todo.content.casefold().split())
                reworded = any(2 * len(words & each) > len(words) for each in new)
                self._put_away(todo, source, "dropped" if reworded else "left")
        self._tasks_are_newer = False

    def task_result(self, tool: str, arguments: dict[str, Any], result: Result, source: Source) -> None:
        self._tasks_are_newer = True
        if tool == "TaskCreate":
            self._create(arguments, result, source)
        elif tool == "TaskUpdate":
            self._update(arguments, result, source)
        else:
            self.state(_listed(result), source)

    def state(self, items: list[Any], source: Source) -> None:
        """Record a full list (TaskList, task_reminder).

        An empty one means nothing: it is also written after a finished list was cleared.
        """
        listed = {task: item for item in items if isinstance(item, dict) and (task := _text(item.get("id")))}
        if not listed:
            return
        self._tasks_are_newer = True
        for identity in [key for key in self._tasks if key not in listed]:
            if self._tasks[identity].todo.status != "completed":
                self._put_away(self._tasks.pop(identity).todo, source)
        for identity, item in listed.items():
            if content := _text(item.get("subject")):
                known = self._tasks.get(identity)
                before = known.todo if known else Todo("", "")
                details, status = _text(item.get("description")) or before.details, _status(item)
                same = (before.content, before.status) == (content, status)
                todo = Todo(content, status, details, before.source if same else source)
                self._put(identity, todo, source, _numbers(item.get("blockedBy")))

    def _put(self, identity: str, todo: Todo, source: Source, needs: dict[str, None]) -> None:
        """Take a task mentioned at a place; of a renamed one, the old wording leaves the list."""
        known = self._tasks.get(identity)
        if known is not None and known.todo.content != todo.content:
            self._put_away(known.todo, source)
        self._tasks[identity] = _Listed(todo, source, (known.needs if known else {}) | needs)

    def finish(self) -> tuple[Todo, ...]:
        if not (self._tasks_are_newer and self._tasks):
            return tuple(self._todos)
        found = []
        for todo, _, needs in self._tasks.values():
            first = "; ".join(self._tasks[each].todo.content for each in needs if each in self._tasks)
            details = f"{todo.details}\nDepends on: {first}".strip() if first else todo.details
            found.append(replace(todo, details=details))
        return tuple(found)

    def past(self) -> tuple[Todo, ...]:
        listed = {todo.content for todo in self.finish()}
        past = self._past.items()
        return tuple(Todo(text, status, source=at) for text, (status, at) in past if text not in listed)

    def _put_away(self, item: Todo, source: Source, how: str = "dropped") -> None:
        """Keep an item that leaves the list: where it was finished, or as dropped, or left, at `source`."""
        before, at = self._past.pop(item.content, ("", NOWHERE))
        if item.status == "completed":
            before, at = "completed", item.source
        self._past[item.content] = ("completed", at) if before == "completed" else (how, source)

    def _create(self, arguments: dict[str, Any], result: Result, source: Source) -> None:
        made = fields_in(result.fields, "task")
        identity = _text(made.get("id"))
        if not identity and (found := _CREATED.search(result.text)):
            identity = found[1]
        content = _text(arguments.get("subject")) or _text(made.get("subject"))
        before = self._tasks.get(identity)
        if before is not None and before.todo.content != content and is_after(source, before.seen):
            for old in self._tasks.values():
                self._put_away(old.todo, source)
            self._tasks.clear()  # numbering began anew: another list
        identity = identity or f"?{len(self._tasks)}"
        if content and identity not in self._tasks:
            todo = Todo(content, "pending", _text(arguments.get("description")), source)
            self._put(identity, todo, source, {})

    def _update(self, arguments: dict[str, Any], result: Result, source: Source) -> None:
        if result.fields.get("success") is False:
            return
        identity = _text(arguments.get("taskId"))
        task = self._tasks.get(identity)
        # A subagent's own file is read after the session's: the later change wins.
        if task is None or (source.timestamp and is_after(task.seen, source)):
            return
        status = _text(arguments.get("status")) or task.todo.status
        if status == "deleted":
            self._put_away(replace(self._tasks.pop(identity).todo, status=status), source)
            return
        for number in _numbers(arguments.get("addBlocks")):
            if number in self._tasks:
                self._tasks[number].needs[identity] = None
        content = _text(arguments.get("subject")) or task.todo.content
        details = _text(arguments.get("description")) or task.todo.details
        todo = Todo(content, status, details, source)
        self._put(identity, todo, source, _numbers(arguments.get("addBlockedBy")))


def _listed(result: Result) -> list[Any]:
    tasks = result.fields.get("tasks")
    if isinstance(tasks, list):
        return tasks
    return [
        {"id": found[1], "status": found[2], "subject": found[3].split(" [blocked by ")[0]}
        for found in _LISTED.finditer(result.text)
    ]


def _numbers(value: Any) -> dict[str, None]:
    return dict.fromkeys(filter(None, map(_text, value))) if isinstance(value, list) else {}


def _text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip()[:2_000] if isinstance(value, str) else ""


def _status(item: dict[str, Any]) -> str:
    return _text(item.get("status")) or "pending"
