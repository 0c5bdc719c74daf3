"""Checkpoint of a reading, from which the next one continues.

Its size is bounded: it keeps only the facts that later lines refer to or that a session state shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memtui.ground.text import FormatError
from memtui.transcript.checks import last_checks, packages_of, worth_telling
from memtui.transcript.events import Call
from memtui.transcript.plans import TodoMemory
from memtui.transcript.records import Command, CompactionFact, Facts, Source, Turn
from memtui.transcript.turns import PromptMemory

_PROMPT = 4_000
_TURNS = 60
_ANSWERS = 50
_FILES = 5_000
_READ = 200
_COMMANDS = 50
_TELLING = 200
_COMMAND = 2_000
_ERRORS = 50
_FEW = 10
_PLANS = 3
_SUMMARY = 20_000
CARRIED = 50
"""The most calls kept, the last ones."""
_TEXT = 60_000


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call without its result, to be continued."""

    id: str
    name: str
    input: dict[str, Any]
    agent: str
    folder: str
    source: Source
    own: bool


def waiting_call(call: Call, folder: str, source: Source, own: bool) -> WaitingCall:
    """A call made in `folder` by the session itself (`own`) or by a subagent, its arguments shortened."""
    return WaitingCall(call.id, call.name, _light(call.input), call.agent, folder, source, own)


def _light(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call that its result may need, texts cut to the size of a plan."""
    light: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, str):
            light[name] = value[:_TEXT]
        elif isinstance(value, bool | int) or name in ("questions", "todos"):
            light[name] = value
    return light


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """State of the lines read so far."""

    facts: Facts = field(default_factory=Facts)
    """Reduced by `facts_to_keep`."""
    todos: TodoMemory = field(default_factory=TodoMemory)
    prompts: PromptMemory = field(default_factory=PromptMemory)
    waiting: tuple[WaitingCall, ...] = ()
    """Calls without a result."""
    own_agent: str = ""
    chain_known: bool = False
    agents: tuple[str, ...] = ()
    """Ids of the subagents started by the session."""
    removed: tuple[str, ...] = ()
    """Paths from which commands removed a file."""
    offset: int = 0
    """Byte offset of the first unread line."""
    line: int = 1
    """Number of that line."""
    agent_offsets: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Offset and line number in the transcript of each subagent, by its id."""


def facts_to_keep(facts: Facts, waiting: tuple[WaitingCall, ...] = ()) -> Facts:
    """Only the facts that later lines or the state need."""
    unfinished = {each.source for each in waiting}
    return replace(
        facts,
        first_prompt=facts.first_prompt[:_PROMPT],
        turns=_turns(facts.turns),
        modified_files=facts.modified_files[-_FILES:],
        read_files=facts.read_files[-_READ:],
        commands=_commands(facts, unfinished),
        agent_checks=facts.agent_checks[-_COMMANDS:],
        errors=tuple(each for each in facts.errors if worth_telling(each))[-_ERRORS:],
        plans=facts.plans[-_PLANS:],
        answers=facts.answers[-_ANSWERS:],
        subagent_results=facts.subagent_results[-_FEW:],
        api_errors=facts.api_errors[-_FEW:],
        compactions=_compactions(facts.compactions),
        context_sizes=(),
        todos=facts.todos,
    )


def _turns(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The first one, and the last ones."""
    return tuple(replace(each, ask=each.ask[:_PROMPT]) for each in (*turns[:1], *turns[1:][-_TURNS:]))


def _commands(facts: Facts, unfinished: set[Source]) -> tuple[Command, ...]:
    """The last commands, and earlier ones that a session state may still mention."""
    ended = [each for each in facts.commands if each.source not in unfinished or each.outcome != "unknown"]
    checks = {id(each) for each in last_checks(facts)}
    early = [
        each
        for each in ended[:-_COMMANDS]
        if id(each) in checks or each.outcome == "background" or packages_of(each.text)
    ]
    kept = (*early[-_TELLING:], *ended[-_COMMANDS:])
    return tuple(replace(each, text=each.text[:_COMMAND]) for each in kept)


def _compactions(compactions: tuple[CompactionFact, ...]) -> tuple[CompactionFact, ...]:
    """All of them; only the first and the last keep their summaries: pins are compared with the last one."""
    kept = {0, len(compactions) - 1}
    return tuple(
        replace(each, summary=each.summary[: _SUMMARY if at in kept else 0])
        for at, each in enumerate(compactions)
    )


_CARRY = TypeAdapter(Checkpoint)


def carry_to_json(carry: Checkpoint) -> dict[str, Any]:
    """The checkpoint as a JSON object."""
    value: dict[str, Any] = _CARRY.dump_python(carry, mode="json")
    return value


def carry_from_json(value: dict[str, Any]) -> Checkpoint:
    """The checkpoint in a JSON object.

    Raises:
        FormatError: it is not a checkpoint, or from a version without line numbers.
    """
    if "line" not in value:
        raise FormatError("it does not say at which line reading can go on")
    try:
        return _CARRY.validate_python(value)
    except ValidationError as error:
        raise FormatError("it holds nothing that reading could go on from") from error
