"""Facts as titled groups of one-line items, for the detail pane, the review and the CLI.

Messages appear as quotes to choose from: none enters a memory automatically.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.documents.events import error_event, missing_work, outcome_of, outcome_of_action, since
from memtui.documents.quotes import citation, user_requests
from memtui.documents.work import ONLY_CAPTURE, open_work, plan_status, recorded_decisions
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import mark_of
from memtui.transcript.records import Command, CompactionFact, Facts, FileFact, Source, Todo
from memtui.transcript.short_text import one_line, shortened

_WIDTH = 200
"""Maximum length of an item in characters."""
_PLAN_LINES = 12
"""Number of a plan's lines listed; the first item's detail has the whole plan."""
_MARKS = {"ok": "✓", "failed": "✗", "rejected": "⊘", "interrupted": "⊘", "background": "…"}
_UNSURE = "?"
"""Outcomes without a result on record, or with a hidden exit status."""


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One line of evidence."""

    text: str
    """One line, with its source at the end: ``(L476 14:53)``."""
    kind: str
    """`file`, `reference`, `todo`, `plan`, `decision`, `open`, `error`, `command`, `quote`, `prompt`,
    `commit`, `compaction` or `action`."""
    detail: str = ""
    """The full text, if `text` is shortened."""
    line: int = 0
    """The transcript's line; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Items of one kind under a title."""

    title: str
    items: tuple[EvidenceItem, ...]


def evidence(facts: Facts, root: Path | None) -> tuple[EvidenceGroup, ...]:
    """Facts grouped for display; paths inside `root` are relative to it, empty groups are left out.

    The groups most useful for resuming the work come first. Messages, failures and commands are listed newest
    first, all else in the order of the session.
    """
    groups = (
        ("Files modified", [_file(file, root) for file in facts.modified_files]),
        ("Tasks", [_todo(todo) for todo in facts.todos]),
        ("Plan", list(_plan(facts))),
        (
            "Settled",
            [_item("decision", f"{e.decision}: {e.reason}", e.source) for e in recorded_decisions(facts)],
        ),
        ("Open, by the record", list(_open(facts))),
        ("Claude, at the end of each turn", list(_closings(facts))),
        ("The user", [_item("prompt", ask.text, ask.source) for ask in user_requests(facts)]),
        ("Commits and pull requests", list(_landmarks(facts))),
        ("Failures", [_item("error", error_event(facts, e, root), e.source) for e in reversed(facts.errors)]),
        ("Last action", list(_last_action(facts, root))),
        ("Commands", [_command(command) for command in reversed(facts.commands)]),
        ("Claude, at work", list(_texts(facts))),
        ("Files written by commands", [_named(f, "file", root) for f in facts.shell_files if not f.fate]),
        ("Not on record", list(_missing(facts))),
        ("Files read", [_named(file, "reference", root) for file in facts.read_files]),
        ("Compactions", [_compaction(each) for each in facts.compactions]),
    )
    return tuple(EvidenceGroup(title, tuple(items)) for title, items in groups if items)


def _item(kind: str, text: str, source: Source | None = None, detail: str = "") -> EvidenceItem:
    source = source or Source()
    where = citation(source, clock=True)
    line = shortened(one_line(text), _WIDTH)
    whole = detail or text
    text_and_source = f"{line} ({where})" if where else line
    return EvidenceItem(text_and_source, kind, whole if whole.strip() != line else "", source.line)


def _file(file: FileFact, root: Path | None) -> EvidenceItem:
    # The path alone, for use in a memory file's key files.
    details = [f"{file.times} edits" if file.times > 1 else "", "new" if file.created else ""]
    details += ["by a subagent" if file.subagent else "", citation(file.source, clock=True)]
    detail = ", ".join(part for part in details if part)
    return EvidenceItem(shown_path(file.path, root), "file", detail, file.source.line)


def _named(file: FileFact, kind: str, root: Path | None) -> EvidenceItem:
    return EvidenceItem(
        shown_path(file.path, root), kind, citation(file.source, clock=True), file.source.line
    )


def _todo(todo: Todo) -> EvidenceItem:
    return _item("todo", f"[{mark_of(todo)}] {todo.content}", todo.source)


def _plan(facts: Facts) -> Iterator[EvidenceItem]:
    if not facts.plans:
        return
    plan = facts.plans[-1]
    where = f" ({shown_path(plan.path, None)})" if plan.path else ""
    yield _item("plan", f"from {plan.origin}, {plan_status(plan)}{where}", plan.source, plan.content)
    lines = [line for line in plan.content.split("\n") if line.strip()]
    for line in lines[:_PLAN_LINES]:
        yield _item("plan", line)
    if len(lines) > _PLAN_LINES:
        yield EvidenceItem(f"… {len(lines) - _PLAN_LINES} more lines", "plan")


def _open(facts: Facts) -> Iterator[EvidenceItem]:
    if facts.from_capture:
        yield EvidenceItem(ONLY_CAPTURE, "open")
        return
    for text in open_work(facts, clock=True):
        yield EvidenceItem(text, "open")


def _missing(facts: Facts) -> Iterator[EvidenceItem]:
    if missing := missing_work(facts, clock=True):
        yield EvidenceItem(missing, "open")


def _closings(facts: Facts) -> Iterator[EvidenceItem]:
    for turn in reversed(facts.turns):
        if turn.closing:
            yield _item("quote", turn.closing.text, turn.closing.source)


def _texts(facts: Facts) -> Iterator[EvidenceItem]:
    for turn in reversed(facts.turns):
        for quote in reversed(turn.texts):
            yield _item("quote", quote.text, quote.source)


def _landmarks(facts: Facts) -> Iterator[EvidenceItem]:
    for mark in facts.landmarks:
        yield _item("commit", f"{mark.commit} {mark.text}{since(mark)}".lstrip(), mark.source)


def _last_action(facts: Facts, root: Path | None) -> Iterator[EvidenceItem]:
    if action := facts.last_action:
        mark = _MARKS.get(outcome_of_action(facts, action), _UNSURE)
        shown_action = f"{mark} {action.tool} {shown_path(action.target, root)}".rstrip()
        text = f"{shown_action}: {action.result}" if action.result else shown_action
        yield _item("action", text, action.source, action.result)


def _command(command: Command) -> EvidenceItem:
    code = f" (exit {command.exit_code})" if command.exit_code else ""
    mark = _MARKS.get(outcome_of(command), _UNSURE)
    return _item("command", f"{mark} {command.text}{code}", command.source, command.output)


def _compaction(compaction: CompactionFact) -> EvidenceItem:
    before, after = compaction.pre_tokens, compaction.post_tokens
    size = f", {before:,} tokens before" if before else ""
    size += f", {after:,} after" if after else ""
    summary = f", summary of {len(compaction.summary):,} characters" if compaction.summary else ""
    line = f"{compaction.trigger or 'compacted'}{size}{summary}"
    return _item("compaction", line, compaction.source, compaction.summary)
