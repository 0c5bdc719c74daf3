"""Facts as titled groups of one-line items: what the detail pane, the review and the CLI show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.reading.records import Command, CompactionFact, ErrorFact, Facts, FileFact, Prompt, Todo
from memtui.reading.short_text import one_line, shortened, telling_line

_WIDTH = 200
"""Characters of an item's one line."""
_TARGET = 80
"""Characters of a command or path in front of what it said."""
_PLAN_LINES = 12
"""Lines of a plan that are listed; the whole is the first item's detail."""
_MARKS = {"ok": "✓", "failed": "✗", "rejected": "⊘", "interrupted": "⊘", "background": "…", "unknown": "?"}
_BOXES = {"completed": "[x]", "in_progress": "[>]"}


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One line of evidence."""

    text: str
    """One line."""
    kind: str
    """`file`, `reference`, `todo`, `plan`, `decision`, `constraint`, `error`, `command`, `prompt`, `answer`,
    `correction`, `cause`, `compaction` or `action`."""
    detail: str = ""
    """The whole text when `text` is a shortened form of it."""


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Items of one kind under a title."""

    title: str
    items: tuple[EvidenceItem, ...]


def evidence(facts: Facts, root: Path | None) -> tuple[EvidenceGroup, ...]:
    """Group facts for showing; paths inside `root` are shown relative to it, empty groups are left out.

    What a person resuming the work needs first comes first; within a group the order is that of the session,
    but for errors (open ones first), commands and prompts (newest first).
    """
    groups = (
        ("Files modified", [_file(file, root) for file in facts.modified_files]),
        ("Todos", [_todo(todo) for todo in facts.todos]),
        ("Plan", list(_plan(facts))),
        ("Decisions", [_item("decision", each.text, each.sentence) for each in facts.decisions]),
        ("Constraints", [_item("constraint", each.text, each.sentence) for each in facts.constraints]),
        ("Causes found", [_item("cause", each.text, each.sentence) for each in facts.causes]),
        ("Errors", [_error(error, root) for error in _open_first(facts.errors)]),
        ("Answers", [_item("answer", f"{each.question} → {each.answer}") for each in facts.answers]),
        ("Corrections", [_correction(each.about, each.text) for each in facts.corrections]),
        ("Last action", list(_last_action(facts, root))),
        ("Commands", [_command(command) for command in reversed(facts.commands)]),
        ("Files written by commands", [_item("file", shown(path, root)) for path in facts.shell_files]),
        ("Files read", [_item("reference", shown(file.path, root)) for file in facts.read_files]),
        ("Prompts", [_prompt(prompt) for prompt in reversed(facts.prompts)]),
        ("Compactions", [_compaction(each) for each in facts.compactions]),
    )
    return tuple(EvidenceGroup(title, tuple(items)) for title, items in groups if items)


def shown(path: str, root: Path | None) -> str:
    """A path as people write it: relative to the project where it is inside."""
    if root is None:
        return path
    inside = path.removeprefix(f"{root}/")
    return inside if inside != path else path


def _item(kind: str, text: str, detail: str = "") -> EvidenceItem:
    line = shortened(one_line(text), _WIDTH)
    whole = detail or text
    return EvidenceItem(line, kind, whole if whole.strip() != line else "")


def _file(file: FileFact, root: Path | None) -> EvidenceItem:
    # The path alone, so that it can be put into a memory file's key files as it is.
    told = [f"{file.times} edits" if file.times > 1 else "", "new" if file.created else ""]
    told.append("by a subagent" if file.subagent else "")
    return EvidenceItem(shown(file.path, root), "file", ", ".join(part for part in told if part))


def _todo(todo: Todo) -> EvidenceItem:
    return _item("todo", f"{_BOXES.get(todo.status, '[ ]')} {todo.content}")


def _plan(facts: Facts) -> Iterator[EvidenceItem]:
    if not facts.plans:
        return
    plan = facts.plans[-1]
    fate = "" if plan.fate == "unknown" else f", {plan.fate}"
    yield EvidenceItem(
        f"from {plan.origin}{fate}{f' ({plan.path})' if plan.path else ''}", "plan", plan.content
    )
    lines = [line for line in plan.content.split("\n") if line.strip()]
    for line in lines[:_PLAN_LINES]:
        yield _item("plan", line)
    if len(lines) > _PLAN_LINES:
        yield EvidenceItem(f"… {len(lines) - _PLAN_LINES} more lines", "plan")


def _open_first(errors: Iterable[ErrorFact]) -> list[ErrorFact]:
    return sorted(errors, key=lambda error: error.resolved)


def _error(error: ErrorFact, root: Path | None) -> EvidenceItem:
    state = "resolved" if error.resolved else "open"
    target = shortened(one_line(shown(error.target, root)), _TARGET)
    return _item("error", f"{state}: {error.tool} {target}: {telling_line(error.message)}", error.message)


def _correction(about: str, text: str) -> EvidenceItem:
    return _item("correction", f"{text} (about {about})" if text and about else text or f"stopped: {about}")


def _last_action(facts: Facts, root: Path | None) -> Iterator[EvidenceItem]:
    if action := facts.last_action:
        mark = _MARKS[action.outcome]
        yield _item(
            "action", f"{mark} {action.tool} {shown(action.target, root)}: {action.result}", action.result
        )


def _command(command: Command) -> EvidenceItem:
    code = f" (exit {command.exit_code})" if command.exit_code else ""
    return _item("command", f"{_MARKS[command.outcome]} {command.text}{code}", command.output)


def _prompt(prompt: Prompt) -> EvidenceItem:
    return _item("prompt", prompt.text)


def _compaction(compaction: CompactionFact) -> EvidenceItem:
    before, after = compaction.pre_tokens, compaction.post_tokens
    size = f", {before:,} tokens before" if before else ""
    size += f", {after:,} after" if after else ""
    summary = f", summary of {len(compaction.summary):,} characters" if compaction.summary else ""
    return EvidenceItem(
        f"{compaction.trigger or 'compacted'}{size}{summary}", "compaction", compaction.summary
    )
