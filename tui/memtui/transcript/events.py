"""The records of a transcript as a stream of typed events.

One record may hold several events, most bookkeeping records hold none. `agent` is "" for the session itself
and a subagent's name or id otherwise. Work of subagents is found in records marked
``isSidechain`` and inside ``agent_progress`` records (Claude Code 2.1.12 to 2.1.72).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from memtui.transcript.lines import Record, fields_in, text_in
from memtui.transcript.words import (
    SUMMARY_OPENING,
    WordsKind,
    given_plan,
    joined_text,
    of_human,
    queued_words,
    user_words,
)


class Words(NamedTuple):
    """Text of a user line that is not a tool result."""

    kind: WordsKind
    text: str
    plan: str = ""
    plan_stated: bool = False
    """Whether the record also has the plan in a field of its own (``planContent``)."""


class Expansion(NamedTuple):
    """A text inserted by Claude Code itself, for example in place of a slash command."""

    text: str


class Call(NamedTuple):
    """A tool call."""

    id: str
    name: str
    input: dict[str, Any]
    agent: str


class Result(NamedTuple):
    """The result of a tool call."""

    id: str
    content: Any
    """A string or a list of blocks; `text` joins them."""
    failed: bool
    detail: Any
    """Claude Code's metadata on the result (``toolUseResult``): a dict, a string, a list or None."""
    agent: str
    denial: str = ""
    """Why the call did not run (``toolDenialKind``, from 2.1.205): ``user-rejected``,
    ``permission-rule``, ``interrupted``, ``cancelled`` and others."""

    @property
    def text(self) -> str:
        return joined_text(self.content)

    @property
    def fields(self) -> Record:
        """The metadata if it is a dict, else an empty one."""
        return self.detail if isinstance(self.detail, dict) else {}


class Said(NamedTuple):
    """Text of the model."""

    text: str
    agent: str


class Request(NamedTuple):
    """A request to the model, as recorded in its answer."""

    message_id: str
    """Several records of one message repeat the request under the same id."""
    model: str
    tokens: int
    """Size of the context: input, cache read and cache creation together; 0 when not stated."""


class Queue(NamedTuple):
    """A change of the queue of input typed while the model worked."""

    operation: str
    """``enqueue``, ``dequeue``, ``remove`` or ``popAll``."""
    text: str
    """The text as queued, "" if the record does not repeat it."""


class Queued(NamedTuple):
    """Queued input, as it was given to the model."""

    text: str


class Boundary(NamedTuple):
    """A compaction happened."""

    trigger: str
    pre_tokens: int | None
    post_tokens: int | None


class Summary(NamedTuple):
    """The text that a compaction put in place of the conversation."""

    text: str


class TaskState(NamedTuple):
    """A reminder that holds the whole task list."""

    items: list[Any]


class PlanReference(NamedTuple):
    """A plan file's text, attached again after a compaction."""

    path: str
    content: str


class ApiError(NamedTuple):
    """The API did not answer; Claude Code may try again."""


class Title(NamedTuple):
    """A title given to the session, by the person (`own`) or by Claude."""

    text: str
    own: bool


_Spoken = Words | Expansion | Said | Queue | Queued | Summary
Event = _Spoken | Call | Result | Boundary | TaskState | PlanReference | ApiError | Title

_SAID = (
    "the user said:\n",
    "The user said:\n",
    "The user provided the following reason for the rejection:",
    "User chose to stay in plan mode and continue planning",
)
_HINT = "\n\nNote: The user's next message may contain a correction"
_NOT_SAID = (
    "The user wants to clarify these questions",
    "The user has indicated that they have provided enough",
)
_ASKS = frozenset({"typed", "command", "plan", "comment", "memory"})
_NOTHING: tuple[Event, ...] = ()
_USAGE = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def events_of(record: Record) -> Sequence[Event]:
    """The events in a record, in order. Never raises, whatever the record holds."""
    kind = record.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    return read(record) if read is not None else _NOTHING


def is_ask(event: object) -> bool:
    """Whether an event is a message of the user that opens a turn."""
    return isinstance(event, Queued) or (isinstance(event, Words) and event.kind in _ASKS)


def may_ask(line: bytes, at: int = 0, end: int | None = None) -> bool:
    """Whether a line, unparsed, may be a message of the user or about one; there are false positives."""
    if line.find(b'"user"', at, end) < 0:
        return line.find(b'"queue', at, end) >= 0
    result = line.rfind(b'"tool_result"', at, end)
    # The user's words may stand in a block after a tool result.
    return max(line.rfind(b'"type":"text"', at, end), line.rfind(b'"type": "text"', at, end)) >= result


def request_of(record: Record, known: str = "") -> Request | None:
    """The request that an assistant record answers; None for messages of Claude Code itself.

    Further parts of a message whose id is `known` from the record before give None, too.
    """
    message = fields_in(record, "message")
    identity, model, usage = message.get("id"), text_in(message, "model"), message.get("usage")
    if identity == known or not isinstance(identity, str) or model == "<synthetic>":
        return None
    counts = [_count(usage.get(name)) or 0 for name in _USAGE] if isinstance(usage, dict) else []
    return Request(identity, model, sum(counts))


def said_with_rejection(result: Result) -> str:
    text = error_text(result)
    for opening in _SAID:
        _, found, words = text.partition(opening)
        if found:
            words = words.split(_HINT)[0].strip().removeprefix("Comments on the plan:").strip()
            return "" if words.startswith(_NOT_SAID) else words
    return ""


def error_text(result: Result) -> str:
    text = result.text.strip()
    return text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>").strip()


def agent_of(record: Record) -> str:
    """The subagent that a record belongs to, "" for the session itself."""
    return text_in(record, "agentId") or "subagent" if record.get("isSidechain") is True else ""


def task_of(record: Record) -> str:
    """The unchanged text of a user record: at the top of a subagent's own transcript, its task."""
    return joined_text(fields_in(record, "message").get("content")).strip()


def _assistant(record: Record, agent: str | None = None) -> Sequence[Event]:
    message = fields_in(record, "message")
    agent = agent_of(record) if agent is None else agent
    if message.get("model") == "<synthetic>":
        if record.get("isApiErrorMessage") is True and not agent:
            return (ApiError(),)
        return _NOTHING
    content = message.get("content")
    if isinstance(content, str):
        return (Said(content, agent),)
    parts = content if isinstance(content, list) else ()
    found = (_block(block, agent) for block in parts if isinstance(block, dict))
    return [event for event in found if event is not None]


def _block(block: dict[str, Any], agent: str) -> Event | None:
    kind = block.get("type")
    if kind == "tool_use":
        identity, name, arguments = block.get("id"), block.get("name"), block.get("input")
        if isinstance(identity, str) and isinstance(name, str):
            return Call(identity, name, arguments if isinstance(arguments, dict) else {}, agent)
    elif kind == "text" and isinstance(text := block.get("text"), str):
        return Said(text, agent)
    return None


def _user(record: Record, agent: str | None = None) -> Sequence[Event]:
    message = fields_in(record, "message")
    if not message:
        return _NOTHING
    agent = agent_of(record) if agent is None else agent
    content = message.get("content")
    found: list[Event] = []
    if isinstance(content, list):
        detail, denial = record.get("toolUseResult"), text_in(record, "toolDenialKind")
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                identity = block.get("tool_use_id")
                if isinstance(identity, str):
                    body = block.get("content")
                    refused = isinstance(body, str) and body.startswith("<tool_use_error>")
                    failed = block.get("is_error") is True or bool(denial) or refused
                    found.append(Result(identity, body, failed, detail, agent, denial))
        if found and len(found) == len(content):
            return found
    if not agent:
        found.append(_words(record, content))
    return found


def _words(record: Record, content: Any) -> Event:
    if record.get("isCompactSummary") is True:
        return Summary(joined_text(content))
    kind, text = user_words(record)
    if kind == "machine" and text.startswith(SUMMARY_OPENING):
        return Summary(joined_text(content))
    if kind == "machine" and record.get("isMeta") is True:
        return Expansion(joined_text(content))
    if kind == "plan":
        return Words(kind, text, *given_plan(record, text))
    return Words(kind, text)


def _progress(record: Record) -> Sequence[Event]:
    data = fields_in(record, "data")
    if data.get("type") != "agent_progress":
        return _NOTHING
    inner, agent = fields_in(data, "message"), text_in(data, "agentId") or "subagent"
    if inner.get("type") == "assistant":
        return _assistant(inner, agent)
    return _user(inner, agent) if inner.get("type") == "user" else _NOTHING


def _queue(record: Record) -> Sequence[Event]:
    operation = record.get("operation")
    if not isinstance(operation, str):
        return _NOTHING
    return (Queue(operation, joined_text(record.get("content"))),)


def _attachment(record: Record) -> Sequence[Event]:
    if record.get("isSidechain") is True:
        return _NOTHING
    body = fields_in(record, "attachment")
    kind = body.get("type")
    if kind == "queued_command":
        return _queued(body)
    if kind == "task_reminder" and isinstance(body.get("content"), list):
        return (TaskState(body["content"]),)
    if kind == "plan_file_reference":
        content = text_in(body, "planContent")
        return (PlanReference(text_in(body, "planFilePath"), content),) if content.strip() else _NOTHING
    return _NOTHING


def _queued(body: dict[str, Any]) -> Sequence[Event]:
    by_machine = body.get("isMeta") or not of_human(body.get("origin"))
    if by_machine or body.get("commandMode", "prompt") != "prompt":
        return _NOTHING
    words = queued_words(joined_text(body.get("prompt")))
    return (Queued(words),) if words else _NOTHING


def _system(record: Record) -> Sequence[Event]:
    subtype = record.get("subtype")
    if subtype not in ("compact_boundary", "api_error") or record.get("isSidechain") is True:
        return _NOTHING
    if subtype == "api_error":
        return (ApiError(),)
    data = fields_in(record, "compactMetadata")
    before, after = _count(data.get("preTokens")), _count(data.get("postTokens"))
    return (Boundary(text_in(data, "trigger"), before, after),)


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _title(record: Record) -> Sequence[Event]:
    text = record.get("customTitle") or record.get("aiTitle")
    return (Title(text, "customTitle" in record),) if isinstance(text, str) else _NOTHING


_READERS: dict[str, Callable[[Record], Sequence[Event]]] = {
    "assistant": _assistant,
    "user": _user,
    "progress": _progress,
    "queue-operation": _queue,
    "attachment": _attachment,
    "system": _system,
    "ai-title": _title,
    "custom-title": _title,
}
