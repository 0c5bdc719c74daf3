"""The facts of the range replaced by a compaction, each with a test that finds it in a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple

from memtui.documents.work import open_steps
from memtui.lost.naming import SearchedText, Span, head_of, words
from memtui.lost.records import Kind
from memtui.lost.traces import Trace
from memtui.transcript.checks import all_commands, bare_command, is_check, is_lookup, worth_telling
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import OPEN
from memtui.transcript.records import Command, Facts, FileFact, Source
from memtui.transcript.short_text import one_line, telling_line

_FEW = 3
"""Messages with fewer words say too little on their own: ``yes``, ``go on``."""

Test = Callable[[SearchedText], Span | None]


class Fact(NamedTuple):
    """A fact that a compaction may lose."""

    kind: Kind
    text: str
    source: Source
    test: Test
    target: str = ""
    """The path or command by which a later call shows that the fact was needed."""
    unclear: Test | None = None
    """A test that may also match other facts."""
    lines: tuple[int, ...] = ()
    """Further lines that contain it."""


class StandingRule(NamedTuple):
    """A line that applies at a compaction, regardless of the transcript."""

    kind: Kind
    text: str


def facts_of(facts: Facts, trace: Trace, root: Path, standing: Sequence[StandingRule] = ()) -> Iterator[Fact]:
    """The facts of the range that count, each once.

    Args:
        facts: the facts up to the compaction.
        trace: the compaction.
        root: the folder that paths are relative to.
        standing: pins, and rules of active commands.
    """
    first = trace.first_line
    for kind, text in standing:
        yield Fact(kind, text, Source(), lambda searched, text=text: searched.find_text(text))  # type: ignore[misc]
    for todo in facts.todos:
        if todo.status in OPEN:
            yield _words_fact("task", todo.content, todo.source)
    for step in open_steps(facts):
        yield _words_fact("step", step.text, step.source)
    yield from _once(_spoken(facts, first))
    yield from _once(_commands(facts, trace))
    for error in facts.errors:
        if error.source.line >= first and worth_telling(error):
            yield _words_fact("error", one_line(telling_line(error.message)), error.source)
    yield from _files(facts, trace, root)


def _spoken(facts: Facts, first: int) -> Iterator[Fact]:
    for turn in facts.turns:
        if turn.source.line >= first and turn.kind not in ("shell", "notification", "start"):
            text = turn.ask.strip()
            if len(words(text)) >= _FEW:
                yield _words_fact("ask", text, turn.source)
        closing = turn.closing
        if closing and closing.source.line >= first and turn.kind != "notification":
            yield _words_fact("closing", closing.text, closing.source)
    for answer in facts.answers:
        if answer.source.line >= first:
            yield _words_fact("answer", answer.answer, answer.source)


def _commands(facts: Facts, trace: Trace) -> Iterator[Fact]:
    """Checks and repeated commands; the last run of each."""
    last: dict[str, Command] = {}
    for command in all_commands(facts):
        text = bare_command(command.text)
        last.pop(text, None)
        last[text] = command
    for text, command in last.items():
        if command.source.line < trace.first_line and trace.touched.get(text, 0) < trace.first_line:
            continue
        check = is_check(command.text)
        if check or (text in trace.needs and not is_lookup(text)):
            kind: Kind = "check" if check else "command"
            yield Fact(kind, text, command.source, lambda searched, it=text: searched.command(it), text)  # type: ignore[misc]


def _files(facts: Facts, trace: Trace, root: Path) -> Iterator[Fact]:
    known = (*facts.modified_files, *facts.read_files)
    names = Counter(_name(file.path) for file in known)
    groups: tuple[tuple[Kind, tuple[FileFact, ...]], ...] = (
        ("file", facts.modified_files),
        ("read", facts.read_files),
    )
    for kind, files in groups:
        for file in files:
            line = trace.touched.get(file.path, 0)
            if max(line, file.source.line) < trace.first_line:
                continue
            relative, name = shown_path(file.path, root), _name(file.path)
            unique = name if names[name] == 1 else ""
            yield Fact(
                kind,
                relative,
                file.source,
                lambda searched, path=relative, name=unique: searched.file(path, name),  # type: ignore[misc]
                file.path,
                None if unique else lambda searched, name=name: searched.name(name),  # type: ignore[misc]
                (line,) if line else (),
            )


def _words_fact(kind: Kind, text: str, source: Source) -> Fact:
    head = head_of(text)
    return Fact(kind, one_line(text), source, lambda searched: searched.find_text(head))


def _once(facts: Iterator[Fact]) -> Iterator[Fact]:
    """Each text once, at its last occurrence."""
    last = {(fact.kind, fact.text): fact for fact in facts if words(fact.text)}
    yield from last.values()


def _name(path: str) -> str:
    return (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name
