"""Pages of a transcript, in whatever direction they are read, make up the whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.app.widgets import transcript_pages
from memtui.app.widgets.document import Line
from memtui.app.widgets.transcript_lines import join, render
from memtui.app.widgets.transcript_pages import (
    Page,
    last_page,
    line_offset,
    line_start,
    page_after,
    page_at_line,
    page_before,
)
from memtui.formats import transcript
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
    monkeypatch.setattr(transcript_pages, "_LARGEST", 4000)
    monkeypatch.setattr(transcript_pages, "_BLOCK", 64)
    yield


def whole(path: Path) -> list[Line]:
    return join(render(each) for each in transcript.read_lines(path))


def backwards(path: Path) -> Page:
    page = last_page(path)
    assert page.last
    while page.start > 0:
        before = page_before(path, page.start)
        assert before.start < page.start == before.end
        page = before + page
    return page


def forwards(path: Path, start: int = 0) -> Page:
    page = page_after(path, start)
    while not page.last:
        following = page_after(path, page.end)
        assert following.start == page.end
        page += following
    return page


@settings(max_examples=60)
@given(st.lists(st.sampled_from(RECORDS), max_size=40), st.booleans())
def test_pages_are_the_whole_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], torn: bool
) -> None:
    path = write(tmp_path_factory.mktemp("t") / "t.jsonl", *records, b'{"type":"user","mess' if torn else b"")  # type: ignore[arg-type]
    assert list(backwards(path).lines) == whole(path)
    assert list(forwards(path).lines) == whole(path)


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
    page = last_page(path)
    assert "early" in page.lines[1].text


def test_only_so_much_is_read_at_once(tmp_path: Path) -> None:
    noise = [{"type": "progress", "data": "x" * 200}] * 100
    path = write(tmp_path / "t.jsonl", *noise)
    size = path.stat().st_size
    before = page_before(path, size)
    assert size - before.start < 6000
    assert page_after(path, 0).end < 6000


def test_what_is_being_written_is_left_for_later(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", user("one"), b'{"type":"user","message":{"content":"two"')
    page = last_page(path)
    assert [each.text for each in page.lines if each.text] == ["10:15 ❯ one"]
    write(path, b"}}\n")
    following = page_after(path, page.end)
    assert [each.text for each in following.lines if each.text] == ["❯ two"]
    assert (following.last, following.end) == (True, path.stat().st_size)


def test_a_line_of_megabytes_is_told_and_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_pages, "_BLOCK", 1 << 16)
    path = write(tmp_path / "t.jsonl", user("before"), b"x" * 2_500_000, "\n", user("after"))
    expected = ["10:15 ❯ before", "… line of 2.5 MB skipped", "10:15 ❯ after"]
    assert [each.text for each in backwards(path).lines if each.text] == expected
    assert [each.text for each in forwards(path).lines if each.text] == expected


def test_a_file_that_shrank_gives_no_error(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", *[user("x")] * 20)
    size = path.stat().st_size
    path.write_bytes(b"")
    assert page_before(path, size).start < size
    assert page_after(path, size).lines == ()
    assert last_page(path) == Page(0, 0, (), last=True)


def test_cancelling_stops_reading(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", *[user("x")] * 200)
    assert page_after(path, 0, lambda: True).end < 500
    assert page_before(path, 5000, lambda: True).lines == ()


def test_a_line_is_found_by_its_number(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", *RECORDS)
    data = path.read_bytes()
    starts = [0, *(at + 1 for at, byte in enumerate(data[:-1]) if byte == 10)]
    assert [line_offset(path, number + 1) for number in range(len(starts))] == starts
    assert line_offset(path, 900) == starts[-1]
    page = page_at_line(path, 5)
    assert page.start == starts[4]
    assert page.lines[0].text == "▸ L5"
    assert any("漢字" in each.text for each in page.lines[:4])
