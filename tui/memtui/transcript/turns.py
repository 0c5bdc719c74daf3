"""The turns of a session: every word of the user once, the model's texts, and how each turn ended."""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memtui.secrets.secrets import masked
from memtui.transcript.events import Queue
from memtui.transcript.pasted import without_pasted
from memtui.transcript.records import Answer, Pasted, PromptKind, Quote, Source, Turn, TurnEnd, TurnKind
from memtui.transcript.sentences import is_question, is_rule, sentences
from memtui.transcript.short_text import brief, ends_of, one_line, shortened
from memtui.transcript.words import WordsKind, queued_words, without_blocks

_WIDTH = 200
_SCANNED = 20_000
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$")
_FILE = ", plan file "
_LOADED = "Base directory for this skill:"
_NUMBERED = re.compile(r"^[ \t]*\d+[→\t]", re.MULTILINE)  # line numbers of a Read result
_PLAN_FILE = re.compile(r"(?i)(?:^|[\\/._-])plans?(?:[._-][^\\/]*)?\.md$|[\\/]plans?[\\/][^\\/]+\.md$")


_CHOICE = re.compile(
    r"(?:^|(?<=[\s(]))#?(?:([B-H])(?=\s)|([1-9A-Ha-h])"
    r"(?=[.):,;!]?\s*$|[.):,;!]\s|\s+(?:and|or|is|seems|sounds|please|then)\b))"
)
"""The sign of an option in the beginning of a reply; a number before other words counts something."""
_ASIDE = re.compile(r"(?:(?:\s\(|（)[^()（）]*[)）]\W*)?[\s|]*$")
_DENIES = re.compile(r"\b(?:not?|nor|non|pas|nicht|нет|не)\b|不|ない", re.IGNORECASE)
_OPTION = re.compile(
    r"(?m)^(?P<margin>[ \t]*)(?:[-|>#*_][-|>#*_ \t]*)?(?:[^\W\d_]+[ \t]+)?\(?(?P<sign>[1-9]|[A-Ha-h])"
    r"[.):：](?!\d)[ \t*_]*(?P<text>(?!\S+(?: \S+)?[?？]$)\S.*)$"
)
"""The item of a list or table, or a heading; not “Something else?”."""


def choices(turns: Sequence[Turn]) -> Iterator[Answer]:
    """The options that the user chose by naming their number or letter after a list of them."""
    for before, turn in itertools.pairwise(turns):
        said = before.closing.text if before.closing is not None else ""
        options = options_in(said)
        for sign in chosen_of(turn.ask, options):
            above = said[: min(each.start() for each in options.values())].rstrip().rpartition("\n")[2]
            asked = [each for each in sentences(said) if is_question(each)] or [above.strip("#* ")]
            text = _ASIDE.sub("", options[sign.casefold()]["text"].partition(" | ")[0])
            text = shortened(one_line(text).replace("**", ""), _WIDTH)
            yield Answer(asked[-1], f"{sign}. {text}", turn.source)


def chosen_of(reply: str, options: Mapping[str, re.Match[str]]) -> Iterator[str]:
    """The signs of the options that a reply chooses; none when it answers several points, asks or denies."""
    first = reply.strip().partition("\n")[0][:40]
    if len(options) < 2 or len(_OPTION.findall(reply)) > 1 or "?" in first:
        return
    for each in _CHOICE.finditer(first):
        sign, before = each[1] or each[2], first[: each.start()]
        option = options.get(sign.casefold())
        if option and not (is_rule(before) or _DENIES.search(before) or option["text"][:20] in reply):
            yield sign


def options_in(said: str) -> dict[str, re.Match[str]]:
    """The items of the last list in a message by their numbers or letters, without the lists within it."""
    found = [*_OPTION.finditer(said)]
    margin = min((len(each["margin"]) for each in found), default=0)
    options: dict[str, re.Match[str]] = {}
    for each in found:
        if len(each["margin"]) == margin:
            sign = each["sign"].casefold()
            begins = sign in options or any(known.isalpha() != sign.isalpha() for known in options)
            options = {sign: each} if begins else options | {sign: each}
    return options


def description_of(expansion: str) -> str:
    """The first line, but headings, of the text that Claude Code puts in a command's place; "" for none."""
    lines = [line.strip() for line in expansion[:_SCANNED].strip().split("\n")]
    plain = (line for line in lines if line and not line.startswith((_LOADED, "#")))
    return "" if lines[0].startswith("<") else brief(next(plain, "").strip("*_"), _WIDTH)


def title_in(purpose: str) -> str:
    """The title of the plan file that a command read first; "" for none, and for a command's own text."""
    return purpose.rpartition(_FILE)[0]


def plan_read(path: str, text: str) -> str:
    """``title, plan file path`` of a plan file, "" for any other file."""
    if not _PLAN_FILE.search(path):
        return ""
    lines = _NUMBERED.sub("", masked(text)[:_SCANNED]).split("\n")
    title = next((found[1] for line in lines if (found := _HEADING.match(line.strip())) is not None), "")
    return f"{brief(title, _WIDTH)}{_FILE}{path}" if title else f"plan file {path}"


_TEXT_LIMIT = 50_000
_PASTED = re.compile(r"\[(?:Pasted text|Image) #\d+[^\]\n]{0,60}\]")

_KINDS: dict[WordsKind, PromptKind] = {
    "typed": "typed",
    "command": "command",
    "local command": "command",
    "plan": "plan",
    "comment": "comment",
    "memory": "typed",
}


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
    for short, long in ((one, other), (other, one)):
        if (placeholder := _PASTED.search(short)) and long.startswith(short[: placeholder.start()]):
            return True
    return False


CLOSING = 4_000  # maximum length of a closing message in characters
TEXT = 1_500
TEXTS = 10  # number of other texts kept of a turn, and of turns that keep theirs
_FIRST_CALLS = 15  # number of calls at the beginning of a command's turn in which it may read its plan


def quoted(text: str, source: Source, limit: int, length: int = 0) -> Quote:
    """A text as a quote: whole, or 60 % of `limit` from its head and 40 % from its tail."""
    return Quote(ends_of(text, limit), source, length or len(text))


class TurnLog:
    """Collects turns in file order.

    Input typed while the model works shows up several times: when it is queued, when it is taken from the
    queue, and as an attachment (from 2.1.70) or as a user line of its own. Which of these are written differs
    between versions, so each is matched against the ones before.
    """

    def __init__(self) -> None:
        self._first = ""
        self._first_queued = ""
        self._held: tuple[PromptKind, str, Source] | None = None
        """A slash command, which is the user's unless its output follows."""
        self._queue: list[tuple[str, Source]] = []
        self._removed: list[str] = []
        self._attached: list[str] = []
        self._fresh: list[str] = []
        self._closed: list[Turn] = []
        self._turn: Turn | None = None
        self._texts: deque[Quote] = deque(maxlen=TEXTS + 1)
        self._end: TurnEnd = "running"
        self._calls = 0
        self._planned = self._withdrawn = False

    def words(self, kind: WordsKind, text: str, source: Source) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            if kind != "output":
                self._ask(*held)
        prompt_kind = _KINDS.get(kind)
        if prompt_kind is None or not text or _take(self._fresh, text):
            return
        if kind == "local command":  # executed by Claude Code itself if its output follows
            self._held = prompt_kind, text[:_TEXT_LIMIT], source
        else:
            self._ask(prompt_kind, text, source)

    def rejection(self, text: str, source: Source, done: Source) -> None:
        """Record a refusal; one without words takes what was said since the last call that went well."""
        if text:
            self._ask("rejection", text, source)
        elif self._texts and self._texts[-1].source.line > done.line:
            self._texts.pop()
            self._withdrawn = True

    def queue(self, event: Queue, source: Source) -> None:
        """Record a queue operation: removed items were handed to the model in mid-turn."""
        if event.operation == "enqueue":
            self._queue.append((event.text, source))
            del self._queue[:-100]
        elif event.operation == "popAll":  # taken back for editing: one line per entry
            if self._from_queue(event.text) is None:
                self._queue.clear()
        elif event.operation in ("dequeue", "remove"):
            text, typed = event.text, source
            if text:
                self._from_queue(text)
            elif self._queue:
                text, typed = self._queue.pop(0)
            words = queued_words(text) if event.operation == "remove" else ""
            if words and not _take(self._attached, words):
                self._removed.append(words)
                self._fresh.append(words)
                self._ask("queued", words, typed)

    def queued(self, text: str, source: Source) -> None:
        if _take(self._removed, text):
            _take(self._fresh, text)
            return
        self._attached.append(text)
        self._ask("queued", text, source)

    def model_spoke(self) -> None:
        """Note a request to the model: a later user line is a new one, even with the same words."""
        self._fresh.clear()

    def first(self) -> str:
        """The first prompt with a line of its own, else the first of any kind; "" for none."""
        return self._first or (self._held[1] if self._held else self._first_queued)

    def _ask(self, kind: PromptKind, text: str, source: Source) -> None:
        text = text[:_TEXT_LIMIT]
        if kind in ("typed", "command", "plan"):
            self._first = self._first or text
        else:
            self._first_queued = self._first_queued or text
        self.opened(kind, text, source)

    def _from_queue(self, text: str) -> tuple[str, Source] | None:
        at = _index([queued for queued, _ in self._queue], text)
        return None if at is None else self._queue.pop(at)

    def opened(self, kind: TurnKind, ask: str, source: Source) -> None:
        """Open a turn; `ask` has the words of the user."""
        number = 1
        if self._turn is not None:
            number = self._turn.number + 1
            self._closed.append(self._finished(source.line - 1))
            if len(self._closed) > TEXTS:
                self._closed[-TEXTS - 1] = replace(self._closed[-TEXTS - 1], texts=())
        pasted: tuple[Pasted, ...] = ()
        if kind not in ("plan", "shell"):
            ask, pasted = without_pasted(ask, source)
        self._turn = Turn(number, kind, source, ask[:_TEXT_LIMIT], pasted=pasted)
        self._texts.clear()
        self._end, self._calls, self._planned, self._withdrawn = "running", 0, False, False

    def expanded(self, text: str) -> None:
        """Record a text inserted by Claude Code: the first one in a turn is that of the command."""
        turn = self._turn
        if turn is not None and turn.kind == "command" and not (turn.about or self._calls or self._texts):
            self._turn = replace(turn, about=description_of(text))

    def has_read(self, path: str, text: str) -> str:
        """Record a file that was read: the text of a plan that a command begins by reading; else ""."""
        turn = self._turn
        if turn is None or self._calls > _FIRST_CALLS or self._planned:
            return ""
        before = self._closed[-1] if self._closed else None
        stopped = before is not None and before.kind == "command" and not before.calls
        if not (turn.kind == "command" or stopped) or not (plan := plan_read(path, text)):
            return ""
        self._planned = True
        if turn.kind == "command":
            self._turn = replace(turn, about=plan)
        elif before is not None:  # stopped at once: its work begins in the next turn
            self._closed[-1] = replace(before, about=plan)
        return masked(_NUMBERED.sub("", without_blocks(text)))

    def said(self, text: str, source: Source) -> None:
        self._begun(source)
        self._texts.append(quoted(text, source, CLOSING))
        self._end, self._withdrawn = "answered", False

    def called(self, source: Source) -> None:
        self._begun(source)
        self._calls += 1
        self._end = "running"

    def ended(self, end: TurnEnd) -> None:
        """Record that the user, or an error, ended the model's work; more may follow."""
        self._end = end

    def finish(self, last_line: int) -> tuple[Turn, ...]:
        """The turns, oldest first; `last_line` is the last line that was read."""
        if self._held is not None:  # its output did not follow, so it is the user's
            self.opened(*self._held)
        return (*self._closed, *([self._finished(last_line)] if self._turn else []))

    def _begun(self, source: Source) -> None:
        if self._turn is None:
            self.opened("start", "", source._replace(speaker="claude code"))

    def _finished(self, last_line: int) -> Turn:
        assert self._turn is not None
        texts = list(self._texts)
        closing = texts.pop() if texts and not self._withdrawn else None
        return replace(
            self._turn,
            closing=closing,
            texts=tuple(quoted(each.text, each.source, TEXT, each.length) for each in texts),
            end=self._end,
            calls=self._calls,
            last_line=max(last_line, self._turn.source.line),
        )
