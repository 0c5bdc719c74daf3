"""Pages of a transcript, read in any direction, make up the whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.app.widgets import transcript_pages
from memtui.app.widgets.transcript_pages import Page, Pages, Shows
from memtui.transcript import line_offsets
from memtui.transcript import lines as transcript
from memtui.transcript.blocks import Block, blocks
from memtui.transcript.events import Words
from memtui.transcript.line_index import LineIndex
from memtui.transcript.line_offsets import line_offset, line_start, lines_before
from tests.app.widgets.records import call, result, said, text, user, write

RECORDS = (
    user("a prompt"),
    said(text("an answer\n\n- with a list"), call("Bash", command="ls")),
    result("a\nb\nc\nd"),
    {"type": "progress", "data": "x" * 300},
    user("漢字" * 30),
    "not JSON at all\n",
    "\n",
    user("q" * 700),
)


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(transcript_pages, "PAGE", 1000)
    monkeypatch.setattr(transcript_pages, "FEW", 6)
    monkeypatch.setattr(transcript_pages, "SIGHT", 6)
    monkeypatch.setattr(transcript_pages, "_STEP", 500)
    monkeypatch.setattr(transcript_pages, "_LARGEST", 4000)
    monkeypatch.setattr(line_offsets, "_BLOCK", 64)
    yield


def pages_of(path: Path, shows: Shows = Shows.ALL) -> Pages:
    index = LineIndex()
    index.extend(path)
    return Pages(path, index, shows)


def whole(path: Path) -> tuple[Block, ...]:
    return tuple(block for each in transcript.read_lines(path) for block in blocks(each))


def backwards(pages: Pages) -> Page:
    page = pages.last()
    assert page.last
    while page.start > 0:
        before = pages.before(page.start)
        assert before.start < page.start == before.end
        page = before + page
    return page


def forwards(pages: Pages, start: int = 0) -> Page:
    page = pages.after(start)
    while not page.last:
        following = pages.after(page.end)
        assert following.start == page.end
        page += following
    return page


def asks(page: Page) -> list[str]:
    return [block.event.text for block in page.blocks if isinstance(block.event, Words)]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(RECORDS), max_size=40), st.booleans())
def test_pages_are_the_whole_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], torn: bool
) -> None:
    path = write(tmp_path_factory.mktemp("t") / "t.jsonl", *records, b'{"type":"user","mess' if torn else b"")  # type: ignore[arg-type]
    pages = pages_of(path)
    assert backwards(pages).blocks == whole(path)
    assert forwards(pages).blocks == whole(path)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(RECORDS), max_size=40))
def test_asks_and_closing_messages_alone_are_paged_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, records: list[object]
) -> None:
    path = write(tmp_path_factory.mktemp("t") / "t.jsonl", *records)  # type: ignore[arg-type]
    pages = pages_of(path, Shows.ASKS)
    texts = asks(forwards(pages))
    assert texts == [block.event.text for block in whole(path) if isinstance(block.event, Words)]
    assert backwards(pages).blocks == forwards(pages).blocks


def test_of_the_models_texts_the_last_of_each_turn_closes_it(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.jsonl", user("a"), said(text("one")), said(text("two")), user("b"), said(text("three"))
    )
    shown = [getattr(block.event, "text", "") for block in pages_of(path, Shows.ASKS).last().blocks]
    assert shown == ["a", "two", "b", "three"]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 300), min_size=1, max_size=12), st.integers(-5, 3000), st.booleans())
def test_a_line_start_is_one(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], offset: int, ended: bool
) -> None:
    data = b"\n".join(b"x" * size for size in sizes) + (b"\n" if ended else b"")
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    path.write_bytes(data)
    starts = [0, *(at + 1 for at in range(len(data) - 1) if data[at : at + 1] == b"\n")]
    after = [start for start in starts if start >= offset]
    assert line_start(path, offset, len(data)) == (after[0] if after else starts[-1])


def test_a_page_is_made_larger_over_bookkeeping(tmp_path: Path) -> None:
    noise = [{"type": "progress", "data": "x" * 200}] * 12
    path = write(tmp_path / "t.jsonl", *[user("early")] * 4, *noise)
    assert asks(pages_of(path).last())[-1:] == ["early"]


def test_only_so_much_is_read_at_once(tmp_path: Path) -> None:
    noise = [{"type": "progress", "data": "x" * 200}] * 100
    path = write(tmp_path / "t.jsonl", *noise)
    size = path.stat().st_size
    assert size - pages_of(path).before(size).start < 6000
    assert pages_of(path).after(0).end < 6000


def test_a_jump_reads_no_more_than_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_pages, "PAGE", 50_000)
    path = write(tmp_path / "t.jsonl", *(user(f"ask {number}") for number in range(300)))
    pages = pages_of(path)
    around = pages.around(line_offset(path, 150, LineIndex()))
    assert "ask 149" in asks(around) and len(around.blocks) < 30
    assert asks(pages.first()) == [f"ask {number}" for number in range(6)]
    assert asks(pages.last())[-1] == "ask 299" and len(pages.last().blocks) < 30


def test_an_unfinished_line_is_left_for_later(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", user("one"), b'{"type":"user","message":{"content":"two"')
    page = pages_of(path).last()
    assert asks(page) == ["one"]
    write(path, b"}}\n")
    following = pages_of(path).after(page.end)
    assert asks(following) == ["two"]
    assert (following.last, following.end) == (True, path.stat().st_size)


def test_a_line_of_megabytes_is_reported_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_offsets, "_BLOCK", 1 << 16)
    path = write(tmp_path / "t.jsonl", user("before"), b"x" * 2_500_000, "\n", user("after"))
    for page in (backwards(pages_of(path)), forwards(pages_of(path))):
        assert [tuple(block.event) for block in page.blocks][1] == ("line of 2.5 MB",)
        assert asks(page) == ["before", "after"]


def test_a_file_that_shrank_gives_no_error(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", *[user("x")] * 20)
    size, pages = path.stat().st_size, pages_of(path)
    path.write_bytes(b"")
    assert pages.before(size).start < size
    assert pages.after(size).blocks == ()
    assert pages.last() == Page(0, 0, (), last=True)


def test_cancelling_stops_reading(tmp_path: Path) -> None:
    pages = pages_of(write(tmp_path / "t.jsonl", *[user("x")] * 200))
    assert pages.after(0, lambda: True).end < 500
    assert pages.before(5000, lambda: True).blocks == ()


def test_a_line_is_found_by_its_number_with_and_without_the_index(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", *RECORDS)
    data = path.read_bytes()
    starts = [0, *(at + 1 for at, byte in enumerate(data[:-1]) if byte == 10)]
    index = LineIndex()
    for _ in range(2):
        assert [line_offset(path, number + 1, index) for number in range(len(starts))] == starts
        assert line_offset(path, 900, index) == starts[-1]
        assert [lines_before(path, start) for start in starts] == list(range(len(starts)))
        index.extend(path)
    counting = LineIndex()
    counting.starts.extend(starts[:3])  # by a thread that has not come to the end of its stretch yet
    assert [line_offset(path, number + 1, counting) for number in range(len(starts))] == starts
