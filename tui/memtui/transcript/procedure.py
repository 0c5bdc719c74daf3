"""The steps of commands and skills that a session follows: what is still due of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from memtui.secrets.secrets import masked
from memtui.transcript.checks import bare_command
from memtui.transcript.sentences import is_rule, sentences
from memtui.transcript.short_text import one_line
from memtui.transcript.text import COMMAND, SHELLS, blocks, command_in, named, unfenced, words
from memtui.transcript.words import without_blocks

_LISTED = re.compile(r"^\s*(?:(?P<number>\d{1,2}[.)])|[-*])\s+(?P<box>\[ \]\s+)?(?P<step>\S.{7,})")
_STRESSED = re.compile(r"\b[A-Z]{4,}\b")
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
_HEADING = re.compile(r"#+\s|(?![-*]\s)[^\s`][^`]*[:：]\W*$")
_FORBIDS = re.compile(
    r"(?i)\W*(?:never|do not|don't|nie(?:mals)?|jamais|nunca|никогда|不要|禁止|绝不|しない)\b[^.\n]{0,20}$"
)
"""A heading above what is forbidden; the lines below it say the opposite without it."""
_OTHER = "`/"
"""The beginning of a line on another command."""
_TEMPLATE = re.compile(r"\{\w+\}|<\w+>|\[\w+\](?!\()|\be\.g\.")
_NAMED = re.compile(r"(?!(?i:otherwise|else)\b|.*`[A-Z_]+`\W*$)(?:.*(?:`|--\w|\w/\w)|[a-z][\w./-]* [a-z-])")
"""What names a command, an option or a path, and is neither a fallback nor ends in a variable."""
_UNSEEN = re.compile(r"(?:\s*2?>\s*/dev/null|\s*\|\|\s*true)+\s*$")
"""The end of a command that hides how it went."""
_WORDS = 4
_HEAD = re.compile(r"[a-z][\w./:@-]*(?: -[\w-]+| [a-z][\w./:@-]*)?(?: [a-z][\w./:@-]*){0,2}(?= |$)")
"""The beginning of a command, up to its first option, with an option that follows the program: four words."""


class Instruction(NamedTuple):
    """A line of a command or skill that tells what to do."""

    text: str
    goes_on: bool
    """Whether it is a numbered step, or a box that names nothing: the next one of what was begun."""
    strict: bool
    """Whether it runs, demands or stresses something."""
    programs: frozenset[str]
    commands: tuple[str, ...]
    """The beginnings of its commands, up to their first option."""
    rule: bool
    """Whether it is stressed, or stands under a heading that forbids it."""

    @property
    def command(self) -> str:
        """Its command, if it is nothing else."""
        return _UNSEEN.sub("", self.text) if self.commands and not COMMAND.search(self.text) else ""


def due(text: str, used: set[str], ran: Sequence[str]) -> Iterator[tuple[Instruction, bool]]:
    """The lines of a command or skill that are this session's procedure; the rest is advice for any project.

    Those are its stressed rules and, where its commands were run, what follows the last of them and was
    not run; where none was, its commands from the first one on whose program the session has used (`used` has
    programs and identifiers). `ran` are the commands that it has run since, without those that were refused.
    """
    lines = [*_instructions(masked(without_blocks(text)))]
    done = _last_runs(ran, {head for line in lines for head in line.commands})
    last = max(done.values(), default=0)
    reached = next((at for at, line in enumerate(lines) if last in map(done.get, line.commands)), -1)
    steps = _after(lines, reached, done) if reached >= 0 else _used(lines[:40], used)
    found = dict(steps)
    yield from ((line, found.get(line, False)) for line in lines if line.rule or line in found)


def advice(text: str) -> Iterator[str]:
    """Sentences and steps of a command or skill, without listed rules, headings and code but a shell's."""
    text = masked(without_blocks(text))
    yield from (line.text for line in _instructions(text) if not line.rule)
    lines = unfenced(text).split("\n")
    yield from sentences(
        "\n".join(line for line in lines if not (_LISTED.match(line) or _HEADING.match(line)))
    )


def _after(
    lines: Sequence[Instruction], reached: int, done: Container[str]
) -> Iterator[tuple[Instruction, bool]]:
    strict = [at for at, line in enumerate(lines) if line.strict]
    first = next((at for at in strict if at > reached), len(lines))
    for line in lines[first : strict[-1] + 1]:
        due = line.commands or line.goes_on
        if due and _NAMED.match(line.text) and not any(head in done for head in line.commands):
            yield line, True


def _used(lines: Sequence[Instruction], used: set[str]) -> Iterator[tuple[Instruction, bool]]:
    followed = False
    for line in lines:
        followed = followed or bool(line.programs & used)
        runs = line.commands and (line.programs & used or (followed and line.goes_on))
        if runs and not _TEMPLATE.search(line.text):
            yield line, False


def is_stressed(line: str) -> bool:
    """Whether a line is a rule with a word in capitals, which holds as long as the session goes on."""
    return _STRESSED.search(_QUOTED.sub("", line)) is not None and is_rule(line) and not line.endswith(":")


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


def _instructions(text: str) -> Iterator[Instruction]:
    seen = set[str]()
    heading = ""
    for language, line in blocks(text):
        if language is None and _HEADING.match(line):
            heading = line.strip("#*: ：") if _FORBIDS.match(line) else ""
            continue
        step = _LISTED.match(line) if language is None else None
        told = _told(language, line, step)
        quoted = [told] if language in SHELLS else [each.strip("`") for each in COMMAND.findall(told)]
        if told in seen or told.startswith(_OTHER) or len(words(told)) < (2 if quoted else 3):
            continue
        seen.add(told)
        heads = tuple(head[0] for each in quoted if (head := _HEAD.match(each)) and " " in head[0])
        number, box = (step["number"], step["box"]) if step else (None, None)
        rule = bool(step and heading) or (not heads and is_stressed(told))
        yield Instruction(
            text=f"{heading}: {told}" if step and heading else told,
            goes_on=bool(number or (box and not named(told))),
            strict=bool(
                (number or box or quoted or is_rule(told) or _STRESSED.search(told))
                and (heads or not _TEMPLATE.search(told))
            ),
            programs=frozenset(each.split()[0] for each in quoted),
            commands=heads,
            rule=rule,
        )


def _told(language: str | None, line: str, step: re.Match[str] | None) -> str:
    """What a line tells to do: the item of a list, a command, or the rules in it."""
    if step:
        return one_line(step["step"]).replace("**", "")
    if language in SHELLS:
        return bare_command(command_in(line).partition(" #")[0])
    return " ".join(each for each in sentences(line) if is_rule(each)) if language is None else ""
