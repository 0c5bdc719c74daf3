"""The steps of commands and skills that a session follows: what is still due of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from memtui.lost.records import QUOTE, Row, Standing
from memtui.lost.text import COMMAND, SHELLS, blocks, command_in, named, words
from memtui.secrets.secrets import masked
from memtui.transcript.checks import bare_command
from memtui.transcript.records import Source
from memtui.transcript.sentences import is_rule, sentences
from memtui.transcript.short_text import one_line, shortened
from memtui.transcript.words import without_blocks

_STEPS = 40
_LISTED = re.compile(r"^\s*(?:(?P<number>\d{1,2}[.)])|[-*])\s+(?P<box>\[ \]\s+)?(?P<step>\S.{7,})")
_STRESSED = re.compile(r"\b[A-Z]{4,}\b")
_OTHER = "`/"
"""The beginning of a line on another command."""
_TEMPLATE = re.compile(r"\{\w+\}|<\w+>|\[\w+\](?!\()|\be\.g\.")
_NAMED = re.compile(r"`|--\w|\w/\w|^[a-z][\w./-]* [a-z-]")
"""A command, an option or a path."""
_UNSEEN = re.compile(r"(?:\s*2?>\s*/dev/null|\s*\|\|\s*true)+\s*$")
"""The end of a command that hides how it went."""
_WORDS = 4
_HEAD = re.compile(r"[a-z][\w./:@-]*(?: -[\w-]+| [a-z][\w./:@-]*)?(?: [a-z][\w./:@-]*){0,2}(?= |$)")
"""The beginning of a command, up to its first option, with an option that follows the program: four words."""


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
        ran: the commands that it has run since, in order; without those that were refused.
    """
    lines = [*_instructions(masked(without_blocks(text)))]
    done = _last_runs(ran, {head for line in lines for head in line.commands})
    last = max(done.values(), default=0)
    reached = next((at for at, line in enumerate(lines) if last in map(done.get, line.commands)), -1)
    rows = dict(_after(lines, reached, done) if reached >= 0 else _used(lines[:_STEPS], used))
    for line in filter(rows.__contains__, lines):
        command = _UNSEEN.sub("", line.text) if line.commands and not COMMAND.search(line.text) else ""
        yield Row("step", shortened(line.text, QUOTE), source, rows[line], command)


def _after(
    lines: Sequence[_Instruction], reached: int, done: Container[str]
) -> Iterator[tuple[_Instruction, Standing]]:
    strict = [at for at, line in enumerate(lines) if line.strict]
    first = next((at for at in strict if at > reached), len(lines))
    for at, line in enumerate(lines[: strict[-1] + 1]):
        if at < reached and not line.commands and is_stressed(line.text):
            yield line, "unknown"
        elif at >= first and _NAMED.search(line.text) and not any(head in done for head in line.commands):
            yield line, "open" if line.commands or line.goes_on else "unknown"


def _used(lines: Sequence[_Instruction], used: set[str]) -> Iterator[tuple[_Instruction, Standing]]:
    followed = False
    for line in lines:
        wanted = is_stressed(line.text) or (
            line.strict and (line.names & used or (followed and line.goes_on))
        )
        if wanted and not _TEMPLATE.search(line.text):
            yield line, "unknown"
        followed = followed or bool(line.strict and line.names & used)


def is_stressed(line: str) -> bool:
    """Whether a line is a rule with a word in capitals, which holds as long as the session goes on."""
    return _STRESSED.search(line) is not None and is_rule(line) and not line.endswith(":")


def _last_runs(ran: Iterable[str], heads: Container[str]) -> dict[str, int]:
    """The beginnings of commands that were run, each with the number of its last run."""
    found: dict[str, int] = {}
    for number, command in enumerate(ran):
        parts = command.split()
        for start, length in itertools.product(range(len(parts)), range(2, _WORDS + 1)):
            head = " ".join(parts[start : start + length])
            if head in heads:
                found[head] = number
    return found


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
        quoted = [told] if language in SHELLS else [each.strip("`") for each in COMMAND.findall(told)]
        if told in seen or told.startswith(_OTHER) or len(words(told)) < (2 if quoted else 3):
            continue
        seen.add(told)
        names = frozenset(each.split()[0] for each in quoted) or frozenset(named(told))
        heads = tuple(head[0] for each in quoted if (head := _HEAD.match(each)) and " " in head[0])
        number, box = (step["number"], step["box"]) if step else (None, None)
        goes_on = bool(number or (box and not names))
        demands = number or box or quoted or is_rule(told) or _STRESSED.search(told)
        strict = bool(demands and (heads or not _TEMPLATE.search(told)))
        yield _Instruction(told, goes_on, strict, names, heads)
