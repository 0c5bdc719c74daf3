"""The held part of a transcript: some of its lines as one document, with unfolded blocks and hits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from memtui.app.widgets.document import BLANK, Document, Line, Span, rule
from memtui.app.widgets.transcript_lines import boundary_caption, can_fold, date_line, render, words_of
from memtui.transcript.blocks import Attached, Block, Key, Thinking
from memtui.transcript.events import Boundary, Call, Expansion, Result
from memtui.transcript.line_index import LineIndex, Query, opened

PART = 512 << 10
"""Bytes that are held before and after a place: a jump reads them in 30 ms."""
_NO_TALK = (Call, Result, Thinking, Attached, Expansion)
FEW = 100
"""Blocks that are held at least: bookkeeping may go on for megabytes."""


Spot = tuple[Key, int]
"""A line of the document by its block, and its index there: to find it again in another version."""


class Window:
    """The part of a transcript around a place; `document` is made from it again after each change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.index = LineIndex()
        self.talk_only = False
        """Whether tools, thinking and attachments are left out."""
        self.unfolded: set[Key] = set()
        self.query = Query("")
        self.within: int | None = None
        """Where the line begins in which alone the query is marked; None for everywhere."""
        self.document = Document()
        self.blocks: list[Block] = []
        self._known = 0
        """How many lines there were when the held ones were read."""
        self._held: list[list[Block]] = []
        """The blocks of some lines, from `_first` on."""
        self._first = 0
        self._torn = False
        """Whether the last line has no newline, and may grow."""
        self._tops: list[int] = []
        self._own: dict[Key, range] = {}
        """The lines of each block; none of an invisible one."""
        self._call: dict[Key, Key] = {}

    def show_only(self, *, talk: bool) -> None:
        """Show all blocks, or only the talk, from now on; `move_to` must follow."""
        self.talk_only, self._held = talk, []
        self._known, self._torn = len(self.index), self.index.has_tail

    @property
    def at_start(self) -> bool:
        return self._first == 0

    @property
    def at_end(self) -> bool:
        return self._stop == self._known and self._stop > 0

    @property
    def _stop(self) -> int:
        return self._first + len(self._held)

    def grow(self) -> None:
        """Take what the index has found; hold it if the end was held, and it is not too much."""
        held, torn, before = self.at_end or not self.blocks, self._torn, self._known
        self._known, self._torn = len(self.index), self.index.has_tail
        if not held or (not torn and self._known == before):
            return
        if torn and self._held:
            self._held.pop()
        if self.index.start(self._known) - self.index.start(self._first) < 3 * PART:
            self._held += self._read(range(self._stop, self._known))
        self.compose()

    def holds(self, line: int) -> bool:
        return self._first <= line < self._stop

    def move_to(self, line: int) -> None:
        before, after = self._read(range(line - 1, -1, -1)), self._read(range(line, self._known))
        self._first, self._held = line - len(before), [*reversed(before), *after]
        self.compose()

    def _read(self, lines: Iterable[int]) -> list[list[Block]]:
        held: list[list[Block]] = []
        size = count = 0
        with opened(self.path) as file:
            for line in lines:
                held.append(list(filter(self.is_shown, self.index.read(file, line))))
                size += self.index.start(line + 1) - self.index.start(line)
                count += len(held[-1])
                if size >= PART and count >= FEW:
                    break
        return held

    def is_shown(self, block: Block) -> bool:
        """Whether it is neither left out nor a queued message that is shown where it was said."""
        hidden = self.talk_only and isinstance(block.event, _NO_TALK)
        return not hidden and block.key not in self.index.said

    def compose(self) -> None:
        ordered = _ordered(filter(self.is_shown, chain.from_iterable(self._held)))
        self._call = {result.key: call.key for call, result in ordered if result is not None}
        self.blocks, self._tops = [], []
        lines: list[Line] = []
        day = ""
        for call, result in ordered:
            if call.stamp[:13] != day[:13] and (made := date_line(call)):  # the first block of a local day
                if not day.endswith(made.text):
                    _join(lines, [BLANK, made, BLANK])
                day = call.stamp[:13] + made.text
            self._add(lines, call, result)
            if result is not None:
                self._add(lines, result, None)
        while lines and lines[-1] == BLANK and self.at_end:
            lines.pop()
        self.document = Document(lines)
        ends = [*self._tops[1:], len(lines)]
        own = zip(self.blocks, self._tops, ends, strict=False)  # without blocks there is an end alone
        self._own = {block.key: range(top, min(end, len(lines))) for block, top, end in own}

    def _add(self, lines: list[Line], block: Block, result: Block | None) -> None:
        before = len(lines)
        _join(lines, self._rendered(block, result))
        self.blocks.append(block)
        self._tops.append(before)  # an invisible one begins where the next one does

    def _rendered(self, block: Block, result: Block | None) -> list[Line]:
        key = self.fold_of(block.key)
        if isinstance(block.event, Boundary) and self.index.complete:
            boundaries = self.index.boundaries
            number = bisect_right(boundaries, self.index.at(block.key[0]))
            made = [BLANK, rule(boundary_caption(block.event, number, len(boundaries)), "rule"), BLANK]
        else:
            ended = result.event if result is not None and isinstance(result.event, Result) else None
            made = render(block, unfolded=key in self.unfolded, result=ended, paired=key != block.key)
        searched = self.query.text and self.within in (None, block.key[0])
        return [self._marked(each) for each in made] if searched else made

    def _marked(self, made: Line) -> Line:
        found = self.query.spans(made.text)
        return made._replace(spans=(*made.spans, *(Span(a, b, "hit") for a, b in found))) if found else made

    def words_at(self, number: int) -> str:
        """The words of a line of the document; of a call what it is about; "" where there are none."""
        block, lines = self.block_at(number), self.document.lines
        if block is None or number >= len(lines):
            return ""
        return words_of(block, lines[number], first=number == self.lines_of(block.key).start)

    def byte_at(self, line: int) -> float:
        block = self.block_at(line)
        if block is None:
            return 0
        lines = self.lines_of(block.key)
        part = max(0.0, min(1.0, (line - lines.start) / max(1, len(lines))))
        return block.key[0] + (block.end - block.key[0]) * part

    def target(self, key: Key, *, unfold: bool, hit: int) -> int:
        """The line to go to for a block, or the first one behind it, after updating the document for it.

        `unfold` unfolds the blocks of its transcript line; `hit` is the index of its hit, -1 its first line.
        """
        nearest = self._nearest(key)
        if nearest is None:
            return max(0, len(self.document) - 1)
        if unfold:
            line = nearest[0]
            folding = [each.key for each in self.blocks if each.key[0] == line and self.can_fold(each.key)]
            self.unfolded.update(map(self.fold_of, folding))
            self.compose()
        own, texts = self._own[nearest], self.document.lines
        hits = [each for each in own if hit >= 0 and self.query.is_in(texts[each].text)]
        if hits:
            return hits[min(hit, len(hits) - 1)]
        first = min(own.start, max(0, len(self.document) - 1))
        return next((each for each in own if texts[each].text and hit < 0), first)

    def _nearest(self, key: Key) -> Key | None:
        """A block, or where its message was said, or the first one behind it if it is not held."""
        key = self.index.said.get(key, key)
        return min((block.key for block in self.blocks if block.key >= key), default=None)

    def fold_of(self, key: Key) -> Key:
        """The blocks folded together with a block: a result with its call."""
        return self._call.get(key, key)

    def with_result(self, block: Block | None) -> list[Block]:
        if block is None:
            return []
        fold = self.fold_of(block.key)
        return [each for each in self.blocks if self.fold_of(each.key) == fold]

    def block_at(self, line: int) -> Block | None:
        return self.blocks[max(0, bisect_right(self._tops, line) - 1)] if self.blocks else None

    def lines_of(self, key: Key) -> range:
        """The lines of a block; for an invisible one the line where it would be."""
        own = self._own[key]
        return own or range(own.start, own.start + 1)

    def spot(self, line: int) -> Spot | None:
        """The block of a line, and the line's index within it."""
        block = self.block_at(line)
        return (block.key, line - self._own[block.key].start) if block else None

    def line_of(self, spot: Spot | None) -> int:
        """The current place of a spot; if its block is gone, the next block."""
        if spot is None:
            return 0
        last = max(0, len(self.document) - 1)
        key = self._nearest(spot[0])
        if key is None:
            return last
        lines = self.lines_of(key)
        return min(lines.start + (spot[1] if key == spot[0] else 0), lines.stop - 1, last)

    def can_fold(self, key: Key) -> bool:
        """Whether a block, or the call it is the result of, can be unfolded or folded."""
        own = [self._own[each] for each in {key, self.fold_of(key)} if each in self._own]
        return any(can_fold(self.document.lines[line] for line in lines) for lines in own)

    def toggle(self, key: Key) -> bool:
        """Unfold or fold a block; False if there is nothing to unfold."""
        key = self.fold_of(key)
        if key not in self.unfolded and not self.can_fold(key):
            return False
        self.unfolded ^= {key}
        return True

    def hits_before(self, line: int) -> int:
        block, texts = self.block_at(line), self.document.lines
        own = self._own[block.key] if block else range(0)
        return sum(1 for each in own if each < line and self.query.is_in(texts[each].text))


def _ordered(blocks: Iterator[Block]) -> list[tuple[Block, Block | None]]:
    """The blocks in file order, each result after its call."""
    order: list[Block] = []
    calls: dict[tuple[str, str], Block] = {}
    results: dict[Key, Block] = {}
    for block in blocks:
        event = block.event
        if isinstance(event, Result) and (call := calls.pop((event.id, event.agent), None)):
            results[call.key] = block
            continue
        if isinstance(event, Call):
            calls[event.id, event.agent] = block
        order.append(block)
    return [(block, results.get(block.key)) for block in order]


def _join(lines: list[Line], more: list[Line]) -> None:
    """Append lines, with no double blank lines and none at the beginning."""
    for each in more:
        if each.text or each.role or (lines and (lines[-1].text or lines[-1].role)):
            lines.append(each)
