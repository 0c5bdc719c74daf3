"""Statements of a summary without a record in the transcript; by structure only, and none in doubt.

A file counts as unfounded when no line before the compaction has its name, a command when none has its words,
and ``tests pass`` when the last run of a test before the compaction failed.
"""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Iterator
from pathlib import Path

from memtui.documents.quotes import citation
from memtui.lost.records import Unfounded
from memtui.lost.traces import Trace
from memtui.transcript.checks import bare_command, last_check
from memtui.transcript.records import Facts
from memtui.transcript.shell import TOOLS, programs_run
from memtui.transcript.text import Span

_PATH = re.compile(r"(?<![\w./{}@:*-])(?:~?/|\./)?(?:[\w.@-]+/)+[\w.-]*\w\.[A-Za-z]\w{0,7}(?![\w/*{}-])")
_CODE = re.compile(r"`([^`\n]{4,200})`")
_RUNS = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(TOOLS, reverse=True)))})\s+[\w./:@-]")
_PLACEHOLDER = re.compile(r"\.\.\.|…|[<>{}\[\]*]|\$\w")
_TESTS_PASS = re.compile(
    r"\b(?:all|the) (?:\w+ ){0,2}?tests? (?:(?:now|are|all|have) )*(?:pass(?:ed|ing)?|green)\b", re.I
)
_WISH = re.compile(
    r"\b(?:should|must|ensure|make sure|verify|check|confirm|until|if|when|once|so that|to (?:see|have)|goal"
    r"|next|before|not|need|want|expect|will|would)\b|[?\"“>]",
    re.I,
)


def unfounded(transcript: Path, trace: Trace, facts: Facts) -> Iterator[Unfounded]:
    """Statements of a summary that no record supports, in the summary's order within each kind."""
    summary, end = trace.compaction.summary, trace.compaction.source.offset
    if end > 0:
        with transcript.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield from _files(summary, data, end)
            yield from _commands(summary, data, end)
    yield from _tests(summary, facts)


def _files(summary: str, data: mmap.mmap, end: int) -> Iterator[Unfounded]:
    seen: set[str] = set()
    for found in _PATH.finditer(summary):
        name = found[0].rpartition("/")[2]
        if name not in seen and not name.endswith(".jsonl") and not _has(data, name, end):
            yield Unfounded(found[0], "no record names this file", Span(*found.span()))
        seen.add(name)


def _commands(summary: str, data: mmap.mmap, end: int) -> Iterator[Unfounded]:
    seen: set[str] = set()
    for found in _CODE.finditer(summary):
        command = bare_command(found[1])
        runs = _RUNS.match(command) and not _PLACEHOLDER.search(command) and programs_run(command)
        if runs and command not in seen and not _has(data, command, end):
            yield Unfounded(command, "no record has this command", Span(*found.span(1)))
        seen.add(command)


def _tests(summary: str, facts: Facts) -> Iterator[Unfounded]:
    last = last_check(facts)
    if last is None or last.outcome != "failed" or "test" not in last.text:
        return
    start = 0
    for line in summary.split("\n"):
        if _TESTS_PASS.search(line) and not _WISH.search(line):
            where = citation(last.source)
            reason = f"the last test run failed{f' ({where})' if where else ''}"
            yield Unfounded(" ".join(line.split()), reason, Span(start, start + len(line)))
            return
        start += len(line) + 1


def _has(data: mmap.mmap, text: str, end: int) -> bool:
    """Whether the transcript contains a text before an offset, literally or as JSON writes it."""
    forms = {text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]}
    return any(data.find(form.encode("utf-8", "replace"), 0, end) >= 0 for form in forms)
