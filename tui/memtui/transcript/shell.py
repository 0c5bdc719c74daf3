"""Shell commands with their outcome, and the programs that they run."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memtui.transcript.events import Result
from memtui.transcript.outcomes import error_head, exit_code
from memtui.transcript.records import Command, Outcome, Source
from memtui.transcript.tools import FILTERS, FORMATTERS, LINTERS, RUNNERS, TEST_RUNNERS

_COUNT_LIMIT = 5_000
_TEXT_LIMIT = 10_000
_OUTPUT_LIMIT = 600

_SEGMENTS = re.compile(r"&&|\|\||[;\n|]")
_STATEMENTS, _PARTS = re.compile(r"[;\n]"), re.compile(r"&&|\|")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*\s+")
_REDIRECT = re.compile(r"\d?>>?\s*(?:&\d|\S+)|<\s*\S+")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_OTHER_STATUS = re.compile(r"[;|\n]|(?<!&)&(?!&)")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_SILENT = frozenset(
    {
        "cd",
        "echo",
        "export",
        "sleep",
        "source",
        "set",
        "true",
        "printf",
        "pwd",
        "wait",
        "then",
        "else",
        "fi",
        "do",
    }
)
_PREFIXES = frozenset({"sudo", "time", "nohup", "command", "exec", "env", "if", "while", "!"})
_CHECKERS = TEST_RUNNERS | LINTERS | FORMATTERS
"""Programs named without their arguments: a check of one file counts as that check."""
_OPTION_NAMES = """
-C -c -f -p -w -F --package --prefix --filter --workspace --manifest-path --file --project --directory --dir
--cwd --group --extra --with --python --env-file --namespace --context --config --features --rootdir
"""
_VALUE_OPTIONS = frozenset(_OPTION_NAMES.split())
"""Options with a value, between a runner and its program: ``uv run --package api pytest``."""
_INNER = frozenset({"run", "exec", "compose", "tool", "-m", "x", "dlx", "pr", "issue", "pip"})


_STATUS = re.compile(r"<status>(\w{1,20})</status>")
_NAMED = re.compile(r'<summary>[^"<]{0,40}"(.{1,2000}?)" ([^"]{1,200})</summary>', re.DOTALL)
_ENDED: dict[str, Outcome] = {"completed": "ok", "failed": "failed"}
"""Claude Code fact: a notice says ``Background command "build" failed with exit code 1``."""


@dataclass(slots=True)
class ShellCall:
    """A command that ran, or has no result yet."""

    text: str
    description: str
    source: Source
    outcome: Outcome = "unknown"
    exit_code: int | None = None
    output: str = ""
    by: Literal["model", "user", "subagent"] = "model"

    def ended(self, result: Result, outcome: Outcome) -> None:
        """Record the result."""
        self.outcome = outcome
        self.exit_code = exit_code(result)
        if outcome == "failed":
            self.output = error_head(result, _OUTPUT_LIMIT)


class CommandLog:
    """Keeps the last commands in the order in which they were called."""

    def __init__(self, by: Literal["model", "subagent"] = "model") -> None:
        self._calls: deque[ShellCall] = deque(maxlen=_COUNT_LIMIT)
        self._by = by

    def resume(self, commands: Iterable[Command]) -> None:
        """Restore finished commands."""
        for c in commands:
            self._calls.append(
                ShellCall(c.text, c.description, c.source, c.outcome, c.exit_code, c.output, c.by)
            )

    def called(self, arguments: dict[str, object], source: Source) -> ShellCall:
        """Record a call."""
        text, about = arguments.get("command"), arguments.get("description")
        call = ShellCall(
            text[:_TEXT_LIMIT] if isinstance(text, str) else "",
            about[:_OUTPUT_LIMIT] if isinstance(about, str) else "",
            source,
            by=self._by,
        )
        if call.text:
            self._calls.append(call)
        return call

    def typed(self, text: str, source: Source) -> None:
        """Record a ``!`` line of the user."""
        self._calls.append(ShellCall(text[:_TEXT_LIMIT], "", source, by="user"))

    def last_typed(self) -> ShellCall | None:
        """The last call, if it was the user's."""
        last = self._calls[-1] if self._calls else None
        return last if last is not None and last.by == "user" else None

    def notified(self, notice: str) -> None:
        """Record Claude Code's notice that a background command has ended, which names it."""
        status, named = _STATUS.search(notice), _NAMED.search(notice)
        if status is None or named is None:
            return
        for call in reversed(self._calls):
            if call.outcome == "background" and named[1] in (call.description, call.text):
                call.outcome = _ENDED.get(status[1], "interrupted")
                call.output = named[2].strip()[:_OUTPUT_LIMIT] if call.outcome == "failed" else ""
                return

    def finish(self) -> tuple[Command, ...]:
        """All commands, first to last."""
        return tuple(
            Command(c.text, c.description, c.outcome, c.exit_code, c.output, c.source, c.by)
            for c in self._calls
        )


@lru_cache(maxsize=256)  # asked again and again for the same command
def programs_run(command: str) -> frozenset[str]:
    """The programs run by a command line, as ``program subcommand`` for each part.

    Changes of folder, output and filters are left out, so that ``cd app && npm test 2>&1 | tail`` is
    ``npm test``.
    """
    found: set[str] = set()
    filters: set[str] = set()
    bare = _QUOTED.sub("Q", _without_heredoc(command)[:_TEXT_LIMIT])
    for segment in _SEGMENTS.split(bare):
        thing = _thing(segment)
        program = thing.partition(" ")[0]
        if program and program not in _SILENT:
            (filters if program in FILTERS else found).add(thing)
    return frozenset(found or filters)


def segments(command: str) -> list[list[str]]:
    """The words of each part of a command line, from the program's name on; quoted spaces become Q."""
    return [words for alternatives in statements(command) for parts in alternatives for words in parts]


def statements(command: str) -> list[list[list[list[str]]]]:
    """The parts of a command line in the form of `segments`, by statement and by alternative (``||``)."""
    bare = _QUOTED.sub(
        lambda found: "Q" if re.search(r"\s", found[0]) else found[0][1:-1],
        _without_heredoc(command)[:_TEXT_LIMIT],
    )
    return [
        [
            [words for part in _PARTS.split(alternative) if (words := _from_program(part.split()))]
            for alternative in statement.split("||")
        ]
        for statement in _STATEMENTS.split(bare)
    ]


def shows_outcome(command: str) -> bool:
    """Whether the exit status is that of the whole command line: only ``&&`` joins its parts.

    Otherwise it is the status of the last part alone, such as ``tail``.
    """
    bare = _REDIRECT.sub(" ", _QUOTED.sub("Q", _without_heredoc(command)[:_TEXT_LIMIT]))
    return "pipefail" in bare or _OTHER_STATUS.search(bare.strip()) is None


def _from_program(words: list[str]) -> list[str]:
    """The words of a part of a command line, from the program's name on."""
    while words and (words[0] in _PREFIXES or _ASSIGNMENT.match(words[0] + " ")):
        words.pop(0)
    if words and words[0] == "timeout":
        words = [word for word in words[1:] if not re.fullmatch(r"-.*|[\d.]+[smh]?", word)]
    return words


def _thing(segment: str) -> str:
    words = _from_program(_words(segment))
    if not words:
        return ""
    program = words[0].replace("\\", "/").rpartition("/")[2]
    if program in _CHECKERS:
        return program
    if program not in RUNNERS:
        first = next((word for word in words[1:] if not word.startswith("-")), "")
        return f"{program} {first}".strip()
    return " ".join([program, *_subcommand(words[1:])])


def _subcommand(words: list[str]) -> list[str]:
    """The words that name the program or task of a runner: ``run lint``, ``-m pytest``, ``commit``."""
    named: list[str] = []
    takes_value = False
    for word in words:
        if takes_value or (word.startswith("-") and word != "-m"):
            takes_value = word in _VALUE_OPTIONS and not takes_value
            continue
        named.append(word)
        if word not in _INNER or len(named) == 3:
            break
    return named


def _words(segment: str) -> list[str]:
    # Not shlex, which takes ten times as long; the quoting need not be exact here.
    return _REDIRECT.sub(" ", segment.strip().lstrip("({ ")).split(None, 12)[:12]


def _without_heredoc(command: str) -> str:
    """The command line without here-documents; continued lines are joined."""
    command = command.replace("\\\n", " ") if "\\\n" in command else command
    if "<<" not in command:
        return command
    kept: list[str] = []
    lines = iter(command.split("\n"))
    for line in lines:
        kept.append(line)
        for heredoc in _HEREDOC.finditer(line):
            for fed in lines:
                if fed.strip() == heredoc[2]:
                    break
    return "\n".join(kept)
