"""The held part of a transcript: its pages as one document, with unfolded blocks and hits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from memtui.app.widgets.document import Document, Line, Span, rule
from memtui.app.widgets.transcript_lines import BLANK, boundary_caption, can_fold, date_line, render, words_of
from memtui.app.widgets.transcript_pages import Page
from memtui.transcript.blocks import Block, Key
from memtui.transcript.events import Boundary, Call, Result
from memtui.transcript.finding import Query
from memtui.transcript.line_index import LineIndex


class Spot:
    """A line of the document by its block, to find it again in another version of the document."""

    __slots__ = ("key", "row")

    def __init__(self, key: Key, row: int = 0) -> None:
        self.key = key
        self.row = row


class Window:
    """Blocks around the reading position; `document` is made from them again after each change."""

    def __init__(self, index: LineIndex) -> None:
        self.index = index
        self.pages: list[Page] = []
        self.unfolded: set[Key] = set()
        self.query = Query("")
        self.document = Document()
        self._blocks: list[Block] = []
        self._first: list[int] = []
        self._of: dict[Key, int] = {}
        self._call: dict[Key, Key] = {}
        self._made: dict[tuple[Key, bool, bool], list[Line]] = {}

    @property
    def at_start(self) -> bool:
        """Whether the beginning of the file is held."""
        return bool(self.pages) and self.pages[0].start == 0

    @property
    def at_end(self) -> bool:
        """Whether the end of the file, as last read, is held."""
        return bool(self.pages) and self.pages[-1].last

    @property
    def span(self) -> tuple[int, int]:
        """The bytes of the file that are held."""
        return (self.pages[0].start, self.pages[-1].end) if self.pages else (0, 0)

    def append(self, page: Page, size: int) -> bool:
        """Append a page to the others, or extend the last one; False if that changes nothing."""
        last = self.pages[-1]
        if page.end == page.start and page.last == last.last:
            return False
        if last.end - last.start < size or page.end == page.start:
            self.pages[-1] = last + page
        else:
            self.pages.append(page)
        return True

    def prune(self, most: int, near: range) -> bool:
        """Drop pages at both ends while there are more than `most` bytes; none with a line in `near`."""
        number = len(self.pages)
        while self._bytes() > most and len(self.pages) > 1 and self._starts(self.pages[-1]) >= near.stop:
            self.pages.pop()
        while self._bytes() > most and len(self.pages) > 1 and self._starts(self.pages[1]) <= near.start:
            self.pages.pop(0)
        return len(self.pages) < number

    def _starts(self, page: Page) -> int:
        """The line at which a page starts."""
        block = next((each for each in page.blocks if each.key in self._of), None)
        return self._first[self._of[block.key]] if block is not None else self.line_of(Spot((page.start, 0)))

    def _bytes(self) -> int:
        return sum(page.end - page.start for page in self.pages)

    def compose(self) -> None:
        """Make the document from the pages."""
        ordered = list(_ordered(block for page in self.pages for block in page.blocks))
        self._call = {result.key: call.key for call, result in ordered if result is not None}
        self._blocks, self._first = [], []
        lines: list[Line] = []
        day = ""
        for call, result in ordered:
            day = self._add_day(lines, call, day)
            self._add(lines, call, result)
            if result is not None:
                self._add(lines, result, None)
        self._of = {block.key: number for number, block in enumerate(self._blocks)}
        while lines and lines[-1] == BLANK and self.pages[-1].last:
            lines.pop()
        self.document = Document(lines)
        known = {block.key for block in self._blocks}
        self._made = {key: made for key, made in self._made.items() if key[0] in known}

    def _add_day(self, lines: list[Line], block: Block, day: str) -> str:
        """Put the date before the first block of a day, in local time."""
        if block.stamp[:13] == day[:13] or not (made := date_line(block)):
            return day
        text = made.text
        if not day.endswith(text):
            _join(lines, [BLANK, made, BLANK])
        return block.stamp[:13] + text

    def _add(self, lines: list[Line], block: Block, result: Block | None) -> None:
        before = len(lines)
        _join(lines, self._lines(block, result))
        self._blocks.append(block)
        self._first.append(before)  # an invisible one begins where the next one does

    def _lines(self, block: Block, result: Block | None) -> list[Line]:
        key = self.fold_of(block.key)
        unfolded, paired = key in self.unfolded, key != block.key
        name = (block.key, unfolded, paired or result is not None)
        made = self._made.get(name)
        if made is None:
            ended = result.event if result is not None and isinstance(result.event, Result) else None
            made = render(block, unfolded=unfolded, result=ended, paired=paired)
            self._made[name] = made
        if isinstance(block.event, Boundary):
            made = self._numbered(block, block.event, made)
        return [self._marked(each) for each in made] if self.query.text else made

    def _numbered(self, block: Block, event: Boundary, made: list[Line]) -> list[Line]:
        if not self.index.complete:
            return made
        number, total = bisect_right(self.index.boundaries, block.key[0]), len(self.index.boundaries)
        return [BLANK, rule(boundary_caption(event, number, total), "rule"), BLANK]

    def _marked(self, made: Line) -> Line:
        found = self.query.spans(made.text)
        if not found:
            return made
        return made._replace(spans=(*made.spans, *(Span(start, end, "hit") for start, end in found)))

    def words_at(self, number: int) -> str:
        """The words of a line of the document; of a call what it is about; "" where there are none."""
        block, lines = self.block_at(number), self.document.lines
        if block is None or number >= len(lines):
            return ""
        return words_of(block, lines[number], first=number == self.lines_of(block.key).start)

    # -- places ---------------------------------------------------------------------------------------------

    @property
    def blocks(self) -> list[Block]:
        """The blocks in display order."""
        return self._blocks

    @property
    def has_boundaries(self) -> bool:
        """Whether compactions are held."""
        return any(isinstance(block.event, Boundary) for block in self._blocks)

    def byte_at(self, line: int) -> float:
        """The approximate byte offset of a line."""
        block = self.block_at(line)
        if block is None:
            return 0
        lines = self.lines_of(block.key)
        part = max(0.0, min(1.0, (line - lines.start) / len(lines)))
        return block.key[0] + (block.end - block.key[0]) * part

    def target(self, key: Key | None, offset: int, *, unfold: bool, hit: int) -> int:
        """The line to go to, after updating the document for it.

        Args:
            key: the block; if it is None or not held, the first one at `offset` or behind it.
            offset: a byte.
            unfold: whether to unfold the blocks of that transcript line.
            hit: index of the block's hit, -1 for its first line.
        """
        if key is None or key not in self._of:
            block = self.first_from(offset)
            key = block.key if block is not None else None
        if key is None:
            return max(0, len(self.document) - 1)
        if unfold:
            for each in self._blocks:
                if each.key[0] == key[0] and self.can_fold(each.key):
                    self.unfolded.add(self.fold_of(each.key))
            self.compose()
        if hit >= 0:
            return self.hit_line(key, hit)
        lines = self.lines_of(key)
        last = len(self.document) - 1
        return next(
            (each for each in lines if each <= last and self.document.lines[each].text),
            min(lines.start, last),
        )

    def fold_of(self, key: Key) -> Key:
        """The blocks folded together with a block: a result with its call."""
        return self._call.get(key, key)

    def with_result(self, block: Block | None) -> list[Block]:
        """A call with its result, given either of them; another block alone."""
        if block is None:
            return []
        fold = self.fold_of(block.key)
        return [each for each in self._blocks if self.fold_of(each.key) == fold]

    def block_at(self, line: int) -> Block | None:
        """The block that a line of the document belongs to."""
        return self._blocks[max(0, bisect_right(self._first, line) - 1)] if self._blocks else None

    def lines_of(self, key: Key) -> range:
        """The lines of a block; for an invisible one the line where it would be."""
        own = self._own(key)
        return own or range(own.start, own.start + 1)

    def _own(self, key: Key) -> range:
        """The lines of a block, empty for an invisible one."""
        at = self._of[key]
        end = self._first[at + 1] if at + 1 < len(self._first) else len(self.document)
        return range(self._first[at], min(end, len(self.document)))

    def spot(self, line: int) -> Spot | None:
        """The block of a line, and the line's index within it."""
        block = self.block_at(line)
        return Spot(block.key, line - self._first[self._of[block.key]]) if block else None

    def line_of(self, spot: Spot | None) -> int:
        """The current place of a spot; if its block is gone, the next block."""
        if spot is None or not self._blocks:
            return 0
        if spot.key in self._of:
            lines = self.lines_of(spot.key)
            return max(0, min(lines.start + spot.row, lines.stop - 1, len(self.document) - 1))
        later = [block.key for block in self._blocks if block.key > spot.key]
        return self._first[self._of[min(later)]] if later else max(0, len(self.document) - 1)

    def first_from(self, offset: int) -> Block | None:
        """The first block of the line at a byte offset, or after it."""
        keys = [block.key for block in self._blocks if block.key[0] >= offset]
        return self._blocks[self._of[min(keys)]] if keys else None

    def can_fold(self, key: Key) -> bool:
        """Whether a block, or the call it is the result of, can be unfolded or folded."""
        for each in {key, self.fold_of(key)}:
            if each in self._of and can_fold(self.document.lines[line] for line in self._own(each)):
                return True
        return False

    def toggle(self, key: Key) -> bool:
        """Unfold or fold a block; False if there is nothing to unfold."""
        key = self.fold_of(key)
        if key in self.unfolded:
            self.unfolded.discard(key)
        elif self.can_fold(key):
            self.unfolded.add(key)
        else:
            return False
        return True

    def hit_line(self, key: Key, number: int) -> int:
        """The line of a block's hit, counted from 0."""
        lines = self._own(key)
        rows = [line for line in lines if self.query.is_in(self.document.lines[line].text)]
        return rows[min(number, len(rows) - 1)] if rows else lines.start

    def hit_number(self, key: Key, line: int) -> int:
        """Number of hits of a block before a line."""
        texts = self.document.lines
        return sum(1 for each in self._own(key) if each < line and self.query.is_in(texts[each].text))


def _ordered(blocks: Iterator[Block]) -> Iterator[tuple[Block, Block | None]]:
    """The blocks in file order, each result after its call if both are held."""
    order: list[Block] = []
    calls: dict[tuple[str, str], Block] = {}
    results: dict[Key, Block] = {}
    for block in blocks:
        event = block.event
        if isinstance(event, Call):
            calls[event.id, event.agent] = block
        elif isinstance(event, Result):
            call = calls.pop((event.id, event.agent), None)
            if call is not None:
                results[call.key] = block
                continue
        order.append(block)
    for block in order:
        yield block, results.get(block.key)


def _join(lines: list[Line], more: list[Line]) -> None:
    """Append lines, with no double blank lines and none at the beginning."""
    for each in more:
        if each.text or each.role or (lines and (lines[-1].text or lines[-1].role)):
            lines.append(each)
