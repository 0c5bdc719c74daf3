"""The steps of commands and skills that a session follows: what is still due of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtui.lost.naming import words
from memtui.lost.records import Row, Standing
from memtui.lost.text import COMMAND, SHELLS, blocks, command_in, named
from memtui.secrets.secrets import masked
from memtui.transcript.checks import bare_command
from memtui.transcript.records import Source
from memtui.transcript.sentences import is_rule, sentences
from memtui.transcript.short_text import one_line, shortened
from memtui.transcript.words import without_blocks

_STEPS = 40
_QUOTE = 400
_LISTED = re.compile(r"^\s*(?:(?P<number>\d{1,2}[.)])|[-*])\s+(?P<box>\[ \]\s+)?(?P<step>\S.{8,})")
_STRESSED = re.compile(r"\b[A-Z]{4,}\b")
_OTHER = "`/"
"""The beginning of a line on another command."""
_TEMPLATE = re.compile(r"\{\w+\}|<\w+>|\[\w+\](?!\()|\be\.g\.")
_NAMED = re.compile(r"`|--\w|\w/\w|^[a-z][\w./-]* [a-z-]")
"""What names a command, an option or a file."""
_PLAIN = re.compile(r"[a-z][\w./:@-]*")


class _Instruction(NamedTuple):
    """A line of a command or skill that tells what to do."""

    text: str
    goes_on: bool
    """Whether it is a numbered step, or a box that names nothing: the next one of what was begun."""
    strict: bool
    """Whether it runs, demands or stresses something."""
    names: frozenset[str]
    """The programs that it runs; where it runs none, its identifiers."""
    commands: tuple[str, ...]
    """The beginnings of its commands, up to their first option."""


def due(text: str, source: Source, used: set[str], ran: Sequence[str]) -> Iterator[Row]:
    """The lines of a command or skill that are this session's procedure; the rest is advice for any project.

    Where its commands were run, that is what follows the last of them and was not run, with its strict
    rules. Of another it is the lines that name what the session has used, and what goes on from there.

    Args:
        text: the expansion.
        source: where it stands.
        used: programs and identifiers that the session has used.
        ran: the commands that it has run since, in order.
    """
    lines = [*_instructions(masked(without_blocks(text)))]
    reached = _reached(lines, ran)
    rows = dict(_used(lines[:_STEPS], used)) | (dict(_after(lines, reached, ran)) if reached >= 0 else {})
    for line, standing in rows.items():
        command = line.text if line.commands and not COMMAND.search(line.text) else ""
        yield Row("step", shortened(line.text, _QUOTE), source, standing, command)


def _after(
    lines: Sequence[_Instruction], reached: int, ran: Sequence[str]
) -> Iterator[tuple[_Instruction, Standing]]:
    strict = [at for at, line in enumerate(lines) if line.strict]
    first = next((at for at in strict if at > reached), len(lines))
    for at, line in enumerate(lines[: strict[-1] + 1]):
        if at < reached and not line.commands and _STRESSED.search(line.text) and is_rule(line.text):
            yield line, "unknown"
        elif at >= first and _NAMED.search(line.text) and not any(_has(line.commands, each) for each in ran):
            yield line, "open"


def _used(lines: Sequence[_Instruction], used: set[str]) -> Iterator[tuple[_Instruction, Standing]]:
    followed = False
    for line in lines:
        wanted = line.strict and (line.names & used or (followed and line.goes_on))
        if wanted and not _TEMPLATE.search(line.text):
            yield line, "unknown"
        followed = followed or bool(line.strict and line.names & used)


def _reached(lines: Sequence[_Instruction], ran: Sequence[str]) -> int:
    """The place of the command that was run last; -1 if none was."""
    for command in reversed(ran):
        for at, line in enumerate(lines):
            if _has(line.commands, command):
                return at
    return -1


def _has(heads: Sequence[str], command: str) -> bool:
    return any(f" {head} " in f" {command} " for head in heads)


def _instructions(text: str) -> Iterator[_Instruction]:
    seen = set[str]()
    for language, line in blocks(text):
        step = _LISTED.match(line) if language is None else None
        if step:
            told = one_line(step["step"]).replace("**", "")
        elif language in SHELLS:
            told = bare_command(command_in(line).partition(" #")[0])
        else:
            told = " ".join(each for each in sentences(line) if is_rule(each)) if language is None else ""
        if told in seen or told.startswith(_OTHER) or len(words(told)) < (2 if language in SHELLS else 3):
            continue
        seen.add(told)
        quoted = [told] if language in SHELLS else [each.strip("`") for each in COMMAND.findall(told)]
        names = frozenset(each.split()[0] for each in quoted) or frozenset(named(told))
        heads = tuple(head for each in quoted if " " in (head := _head(each)))
        goes_on = step is not None and bool(step["number"] or (step["box"] and not names))
        boxed = step is not None and step["box"] is not None
        strict = goes_on or boxed or bool(quoted) or is_rule(told) or _STRESSED.search(told) is not None
        strict = strict and (bool(heads) or _TEMPLATE.search(told) is None)
        yield _Instruction(told, goes_on, strict, names, heads)


def _head(command: str) -> str:
    """The first words of a command, up to its first option or file."""
    return " ".join(itertools.takewhile(_PLAIN.fullmatch, command.split()[:4]))
