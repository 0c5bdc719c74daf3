"""Records of `Facts`, everything that is read from a transcript.

Plain dataclasses, because a transcript yields thousands of them. Texts are as they stand in the
transcript, without lone surrogates; they are cleaned where they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

PromptKind = Literal["typed", "command", "plan", "queued", "rejection", "comment"]
"""Kinds of user input: typed, a slash command, a plan given to a fresh context, typed while the model
worked, the reason given with a rejection, a comment given with an approval."""

Outcome = Literal["ok", "failed", "rejected", "interrupted", "background", "unknown"]
"""Outcome of a tool call; `unknown` when the transcript holds no result."""

Fate = Literal["approved", "rejected", "dismissed", "unknown"]  # decision on a plan

Speaker = Literal["user", "model", "tool", "subagent", "claude code"]
"""Author of a text in a transcript; `claude code` for what the program itself writes."""

TurnKind = PromptKind | Literal["shell", "notification", "start"]
"""Events that open a turn: user input, a ``!`` shell line, a notification of a task or of another session, or
the start of a transcript that opens without words of the user."""

WITHOUT_WORDS = frozenset({"shell", "notification", "start"})

TurnEnd = Literal["answered", "interrupted", "api error", "running"]
"""End of a turn; `running` when the transcript ends, or the user speaks, while the model works."""


class Source(NamedTuple):
    """The place of a statement in a transcript, shown as ``L476``."""

    line: int = 0
    """1-based; 0 when the line is not known."""
    offset: int = 0
    """Byte offset of the line."""
    timestamp: str = ""
    """ISO 8601 as written by Claude Code; "" when the line has none."""
    speaker: Speaker = "model"
    agent_line: str = ""
    """The line in a subagent's own transcript, ``agent-a1b2c3 L12``; `line` is 0 then."""


NOWHERE = Source()  # source of records that come from no transcript line


@dataclass(frozen=True, slots=True)
class Quote:
    """Words as they stand in the transcript."""

    text: str
    """The whole text, or its head and tail around `` … `` where it is long."""
    source: Source
    length: int = 0


@dataclass(frozen=True, slots=True)
class Pasted:
    """A block that the user pasted: recognised by structure alone, never counted as the user's words."""

    first_line: str
    lines: int
    characters: int
    source: Source
    last_line: str = ""
    """Of those with words; "" if that is the first one."""
    failed: tuple[str, ...] = ()
    """Lines that a program prints on failure: the first two and the last."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of the user with the work that followed and the closing message.

    The work itself is what `Facts` holds with a line from `source.line` to `last_line`.
    """

    number: int
    """1-based."""
    kind: TurnKind
    source: Source
    """Of the words that opened the turn."""
    ask: str = ""
    """The user's words; each pasted block is replaced by a line that names it."""
    about: str = ""
    """Of a slash command: the plan file it read first, else its own description."""
    pasted: tuple[Pasted, ...] = ()
    closing: Quote | None = None
    """The model's last text before the user speaks again."""
    texts: tuple[Quote, ...] = ()
    """Other texts of the model in this turn, oldest first; the last ten, in the last turns only."""
    end: TurnEnd = "running"
    calls: int = 0
    last_line: int = 0


@dataclass(slots=True)
class FileFact:
    """A file that the session changed or read."""

    path: str
    """Absolute."""
    times: int
    """Successful edits, or reads."""
    subagent: bool
    """Touched by subagents only."""
    created: bool = False
    source: Source = NOWHERE
    """Of the first change or read."""
    fate: str = ""
    """Effect of a later command, see `memtui.transcript.files`; "" for none."""
    last: Source = NOWHERE
    """Of the last change or read; `NOWHERE` if there was only one."""


@dataclass(slots=True)
class Command:
    """A shell command."""

    text: str
    description: str
    """Purpose, as the model described it."""
    outcome: Outcome = "unknown"
    exit_code: int | None = None
    output: str = ""
    """The head of what it printed when it failed, else ""."""
    source: Source = NOWHERE
    by: Literal["model", "user", "subagent"] = "model"
    """`user` for a ``!`` line: its outcome is `unknown` unless its output says that it failed."""
    passed: bool = False
    """A check's output says that it passed; its exit status is hidden by a pipe."""
    task: str = ""
    """Its id in the background."""


@dataclass(frozen=True, slots=True)
class Todo:
    """An item of the last todo or task list."""

    content: str
    status: str
    """`pending`, `in_progress` or `completed`."""
    details: str = ""
    """Description, possibly of several lines; only the task list has one."""
    source: Source = NOWHERE
    """Of its last change."""


@dataclass(frozen=True, slots=True)
class Landmark:
    """A commit, a tag, or a pull request."""

    kind: Literal["commit", "tag", "pull request"]
    text: str
    """A commit's first line, ``tag`` and its name, or a pull request's address."""
    commit: str = ""
    """The commit's short id; "" for a tag or a pull request, or where its tool did not print it."""
    source: Source = NOWHERE
    superseded: Literal["", "amend", "rebase", "reset"] = ""
    """Later git command that may have replaced the commit."""


@dataclass(slots=True)
class PlanFact:
    """A plan that was shown to the user, written to a plan file, or handed to a fresh context."""

    origin: Literal["ExitPlanMode", "plan file", "planContent"]
    content: str
    fate: Fate
    path: str
    source: Source = NOWHERE
    """Of its text."""


@dataclass(frozen=True, slots=True)
class ErrorFact:
    """A failed tool call; rejections and calls that failed because of a sibling are not errors."""

    tool: str
    target: str
    message: str
    """The head of the error text."""
    source: Source = NOWHERE


@dataclass(frozen=True, slots=True)
class Answer:
    """The user's answer to a question of the model."""

    question: str
    answer: str
    source: Source = NOWHERE
    option: str = ""
    """The description of the chosen option; "" for the user's own words."""
    own: bool = False
    """None of the options offered."""


@dataclass(frozen=True, slots=True)
class CompactionFact:
    """A compaction: its boundary and the summary that replaced what came before."""

    trigger: str
    """`auto`, `manual`, or "" when the transcript does not say."""
    pre_tokens: int | None
    post_tokens: int | None
    source: Source = NOWHERE
    """Of the boundary (of the summary when there is no boundary)."""
    summary: str = ""
    summary_source: Source = NOWHERE


@dataclass(frozen=True, slots=True)
class Action:
    """The last significant tool call."""

    tool: str
    target: str
    """File, command, query or description, on one line."""
    outcome: Outcome
    result: str
    """The head of the result."""
    source: Source = NOWHERE


@dataclass(frozen=True, slots=True)
class ContextSize:
    """Size of the context at one request, in tokens."""

    timestamp: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of a session."""

    session_id: str = ""
    versions: tuple[str, ...] = ()
    """Claude Code versions, in order of appearance."""
    models: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    cwd: str = ""
    """The last one."""
    branch: str = ""
    """The last one."""
    edited_on: str = ""
    """The branch of the newest edit."""
    title: str = ""
    titled: Source = NOWHERE
    """Where the title was given."""
    from_capture: bool = False
    """The transcript cannot be read; only the capture is known."""
    turns: tuple[Turn, ...] = ()
    """Oldest first."""
    first_prompt: str = ""
    """The user's first words as they stand; of a subagent's own transcript the task that it was given."""
    modified_files: tuple[FileFact, ...] = ()
    read_files: tuple[FileFact, ...] = ()
    """Read and never modified."""
    shell_files: tuple[FileFact, ...] = ()
    """Files that shell commands evidently wrote; not part of `modified_files`."""
    commands: tuple[Command, ...] = ()
    agent_checks: tuple[Command, ...] = ()
    """Compiles, lints and tests that subagents ran, which are not among `commands`."""
    missing_agents: tuple[Quote, ...] = ()
    """Ids of subagents known by their result alone, with its line."""
    addresses: tuple[Quote, ...] = ()
    """Addresses of pull requests and issues in results, each where it was last seen."""
    todos: tuple[Todo, ...] = ()
    past_todos: tuple[Todo, ...] = ()
    """Items that were removed from the list: `completed`, `dropped`, or `left` out."""
    landmarks: tuple[Landmark, ...] = ()
    pull_title: Quote | None = None
    """The title of a pull request that the session made."""
    plans: tuple[PlanFact, ...] = ()
    """Oldest first; the last one is the plan."""
    plan_read: PlanFact | None = None
    """The plan file that the last command began by reading."""
    procedure: Quote | None = None
    """The text of the last command or skill."""
    errors: tuple[ErrorFact, ...] = ()
    answers: tuple[Answer, ...] = ()
    refusals: tuple[ErrorFact, ...] = ()
    """Calls that the user refused with words, unless a later one made the same step."""
    compactions: tuple[CompactionFact, ...] = ()
    last_action: Action | None = None
    context_sizes: tuple[ContextSize, ...] = ()
    started: str = ""
    ended: str = ""
    lines: int = 0
    skipped_lines: int = 0
    """Lines too long, torn or not JSON."""

    @property
    def asked(self) -> tuple[Turn, ...]:
        """The turns opened by the user's words, ``!`` lines excluded."""
        return tuple(turn for turn in self.turns if turn.kind not in WITHOUT_WORDS)


class _Sourced(Protocol):
    @property
    def source(self) -> Source:
        """Its source."""


T = TypeVar("T", bound=_Sourced)


def is_after(one: Source, other: Source) -> bool:
    """Whether one place is behind another; False when that is not known."""
    if one.line and other.line:
        return one.line > other.line
    return one.timestamp > other.timestamp


def later(one: Source, other: Source) -> Source:
    """The later of two places, the first one when that is not known."""
    return other if is_after(other, one) else one


def in_order(items: Iterable[T]) -> list[T]:
    listed = sorted(items, key=lambda each: each.source.line)
    first = next((at for at, each in enumerate(listed) if each.source.line), len(listed))
    return with_late(listed[first:], listed[:first])


def with_late(own: Iterable[T], late: Iterable[T]) -> list[T]:
    """`own` in its order, with `late` inserted by time."""
    merged: list[T] = []
    waiting = sorted(late, key=lambda each: each.source.timestamp)
    for each in own:
        while waiting and "" < waiting[0].source.timestamp < each.source.timestamp:
            merged.append(waiting.pop(0))
        merged.append(each)
    return merged + waiting


def to_json(facts: Facts) -> dict[str, Any]:
    """Facts as one JSON object (`memtui transcript --facts --json`)."""
    plan, action = facts.plans[-1] if facts.plans else None, facts.last_action
    files = (*facts.modified_files, *facts.shell_files, *facts.read_files)
    return {
        **_fields(
            facts, "session_id title versions models cwd branch cwds branches started ended first_prompt"
        ),
        "last_prompt": facts.asked[-1].ask if facts.asked else "",
        "prompts": [turn.ask for turn in facts.asked],
        "turns": [turn_json(turn) for turn in facts.turns],
        "modified_files": [file.path for file in facts.modified_files],
        "subagent_files": [file.path for file in facts.modified_files if file.subagent],
        "read_files": [file.path for file in facts.read_files],
        "files": [_row(file, "path times fate") for file in files],
        "shell_files": [file.path for file in facts.shell_files],
        "missing_agents": [{"agent": each.text, **_where(each.source)} for each in facts.missing_agents],
        "commands": [
            {"command": each.text, **_row(each, "description outcome exit_code output by")}
            for each in facts.commands
        ],
        "todos": [_row(todo, "content status") for todo in facts.todos],
        "plan": {"source": plan.origin, "content": plan.content} if plan else None,
        "plans": [{"source": each.origin, **_row(each, "fate path")} for each in facts.plans],
        "errors": [_row(error, "tool target message") for error in facts.errors],
        "answers": [_row(answer, "question answer") for answer in facts.answers],
        "compactions": [
            {
                "trigger": each.trigger or None,
                **_where(each.source),
                **_fields(each, "pre_tokens post_tokens"),
                "summary_chars": len(each.summary),
            }
            for each in facts.compactions
        ],
        "last_action": _row(action, "tool target outcome result") if action else None,
        "context_sizes": [_fields(size, "timestamp tokens") for size in facts.context_sizes],
        **_fields(facts, "lines skipped_lines"),
    }


def turn_json(turn: Turn) -> dict[str, Any]:
    """A turn with its texts unshortened (`memtui transcript --turns --json`)."""
    return {
        **_fields(turn, "number kind ask about"),
        "pasted": [_fields(each, "first_line last_line lines characters") for each in turn.pasted],
        **_fields(turn, "end calls last_line"),
        **_where(turn.source),
        "closing": _row(turn.closing, "text") if turn.closing else None,
        "texts": [_row(each, "text") for each in turn.texts],
    }


def _row(record: _Sourced, names: str) -> dict[str, Any]:
    return {**_fields(record, names), **_where(record.source)}


def _fields(record: object, names: str) -> dict[str, Any]:
    values = ((name, getattr(record, name)) for name in names.split())
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def _where(source: Source) -> dict[str, Any]:
    where = {"line": source.line, "timestamp": source.timestamp}
    return {**where, "agent_line": source.agent_line} if source.agent_line else where
