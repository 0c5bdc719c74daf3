"""Every word of the user, once: typed, queued while the model worked, given with a rejection or approval."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtui.transcript.events import Queue
from memtui.transcript.records import Prompt, PromptKind, Source
from memtui.transcript.words import WordsKind, queued_words

_TEXT_LIMIT = 50_000
_REMEMBERED = 20
_PASTED = re.compile(r"\[(?:Pasted text|Image) #\d+[^\]\n]{0,60}\]")

_KINDS: dict[WordsKind, PromptKind] = {
    "typed": "typed",
    "command": "command",
    "local command": "command",
    "plan": "plan",
    "comment": "comment",
    "memory": "typed",
}


@dataclass(frozen=True, slots=True)
class PromptMemory:
    """State of a `PromptLog` between two readings."""

    held: Prompt | None = None
    queue: tuple[tuple[str, Source], ...] = ()
    removed: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()


class PromptLog:
    """Collects prompts in the order in which the user said them.

    Input typed while the model works shows up several times: when it is queued, when it is taken from the
    queue, and as an attachment (from 2.1.70) or as a user line of its own. Which of these are written differs
    between versions, so each is matched against the ones before.
    """

    def __init__(self) -> None:
        self._first = ""
        self._first_queued = ""
        self._held: Prompt | None = None
        self._queue: list[tuple[str, Source]] = []
        self._removed: list[str] = []
        self._attached: list[str] = []
        self._fresh: list[str] = []

    def resume(self, first: str, memory: PromptMemory) -> None:
        """Restore the first prompt and the state."""
        self._first = first
        self._held = memory.held
        self._queue, self._removed = list(memory.queue), list(memory.removed)
        self._attached, self._fresh = list(memory.attached), list(memory.fresh)

    @property
    def is_blank(self) -> bool:
        """Whether there is no state to pass on."""
        return not (self._held or self._queue or self._removed or self._attached or self._fresh)

    def memory(self) -> PromptMemory:
        """State for the next reading."""
        lists = (self._removed, self._attached, self._fresh)
        queue = tuple(self._queue[-_REMEMBERED:])
        return PromptMemory(self._held, queue, *(tuple(texts[-_REMEMBERED:]) for texts in lists))

    def words(self, kind: WordsKind, text: str, source: Source) -> list[Prompt]:
        """Record a user line; returns the prompts that are certain now."""
        certain: list[Prompt] = []
        if self._held is not None:
            held, self._held = self._held, None
            if kind != "output":
                certain.append(self._keep(held))
        prompt_kind = _KINDS.get(kind)
        if prompt_kind is None or not text or _take(self._fresh, text):
            return certain
        prompt = _prompt(text, prompt_kind, source)
        if kind == "local command":
            # Executed by Claude Code itself if its output follows.
            self._held = prompt
            return certain
        return [*certain, self._keep(prompt)]

    def rejection(self, text: str, source: Source) -> Prompt:
        """Record the user's words in a rejection."""
        return self._keep(_prompt(text, "rejection", source))

    def queue(self, event: Queue, source: Source) -> Prompt | None:
        """Record a queue operation: removed items were handed to the model in mid-turn."""
        if event.operation == "enqueue":
            self._queue.append((event.text, source))
            del self._queue[:-100]
        elif event.operation == "popAll":
            # Taken back for editing: one line per entry.
            if self._from_queue(event.text) is None:
                self._queue.clear()
        elif event.operation in ("dequeue", "remove"):
            text, typed = self._leave(event.text, source)
            if event.operation == "remove":
                return self._mid_turn(text, typed)
        return None

    def queued(self, text: str, source: Source) -> Prompt | None:
        """Record an attachment with words typed in mid-turn."""
        if _take(self._removed, text):
            _take(self._fresh, text)
            return None
        self._attached.append(text)
        return self._keep(_prompt(text, "queued", source))

    def model_spoke(self) -> None:
        """Note a request to the model: a later user line is a new one, even with the same words."""
        if self._fresh:
            self._fresh.clear()

    def flush(self) -> list[Prompt]:
        """The pending prompt, which no output followed."""
        held, self._held = self._held, None
        return [self._keep(held)] if held is not None else []

    def first(self) -> str:
        """The first prompt with a line of its own, else the first of any kind; "" for none."""
        return self._first or self._first_queued

    def _keep(self, prompt: Prompt) -> Prompt:
        if prompt.kind in ("typed", "command", "plan"):
            self._first = self._first or prompt.text
        else:
            self._first_queued = self._first_queued or prompt.text
        return prompt

    def _leave(self, text: str, source: Source) -> tuple[str, Source]:
        """Remove a text from the queue, the one named or else the oldest; returns it with its source."""
        if text:
            self._from_queue(text)
            return text, source
        return self._queue.pop(0) if self._queue else ("", source)

    def _from_queue(self, text: str) -> tuple[str, Source] | None:
        at = _index([queued for queued, _ in self._queue], text)
        return None if at is None else self._queue.pop(at)

    def _mid_turn(self, text: str, source: Source) -> Prompt | None:
        words = queued_words(text)
        if not words or _take(self._attached, words):
            return None
        self._removed.append(words)
        self._fresh.append(words)
        return self._keep(_prompt(words, "queued", source))


def _prompt(text: str, kind: PromptKind, source: Source) -> Prompt:
    return Prompt(text[:_TEXT_LIMIT], kind, source)


def _take(texts: list[str], text: str) -> bool:
    """Remove the first of `texts` with the same words; returns whether there was one."""
    at = _index(texts, text)
    if at is not None:
        del texts[at]
    return at is not None


def _index(texts: list[str], text: str) -> int | None:
    return next((at for at, each in enumerate(texts) if _same(each, text)), None)


def _same(one: str, other: str) -> bool:
    """Same words; a placeholder for pasted text in either stands for anything."""
    if one == other:
        return True
    one, other = " ".join(one.split()), " ".join(other.split())
    if one == other:
        return True
    for short, long in ((one, other), (other, one)):
        if (placeholder := _PASTED.search(short)) and long.startswith(short[: placeholder.start()]):
            return True
    return False
