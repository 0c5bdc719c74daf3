"""The transcript view on a screen: opens at the end, reads on, jumps, follows, and holds only so much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.app.widgets import transcript_pages, transcript_view
from memtui.app.widgets.transcript_view import TranscriptView
from tests.app.widgets.hosts import HOSTILE, Host, rows_of
from tests.app.widgets.records import said, text, user, write

SIZE = (40, 10)
COUNT = 150
KEPT = 700


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(transcript_pages, "PAGE", 2000)
    monkeypatch.setattr(transcript_view, "PAGE", 2000)
    monkeypatch.setattr(transcript_pages, "FEW", 5)
    monkeypatch.setattr(transcript_view, "_KEPT", KEPT)
    yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "t.jsonl", *(said(text(f"answer {number}")) for number in range(COUNT)))


async def settle(pilot: Pilot[None]) -> None:
    for _ in range(3):
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def shown(view: TranscriptView) -> list[int]:
    """The numbers of the answers in sight."""
    return [int(row.split()[1]) for row in rows_of(view) if row.startswith("answer")]


def held(view: TranscriptView) -> list[int]:
    return [int(each.text.split()[1]) for each in view.document.lines if each.text]


async def test_it_opens_at_the_end_without_reading_the_rest(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        assert shown(app.widget)[-1] == COUNT - 1
        assert rows_of(app.widget)[-1].startswith("answer")
        assert app.widget.at_end and not app.widget.at_start
        assert app.widget.span[0] > path.stat().st_size / 2


async def test_what_is_opened_before_there_is_a_screen_appears(path: Path) -> None:
    view = TranscriptView()
    view.open(path)
    app = Host(view)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert shown(view)[-1] == COUNT - 1


async def test_scrolling_up_shows_every_answer_once_and_drops_what_is_far(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        seen = shown(app.widget)
        most = 0
        while seen[0] > 0:
            await pilot.press("pageup")
            await settle(pilot)
            now = shown(app.widget)
            assert now[0] < seen[0] <= now[-1] + 1
            seen = now + [number for number in seen if number > now[-1]]
            most = max(most, app.widget.document.size)
            numbers = held(app.widget)
            assert numbers == list(range(numbers[0], numbers[-1] + 1))
        assert seen == list(range(COUNT))
        assert most < KEPT + 300 < COUNT * len("answer 1")
        assert app.widget.at_start and not app.widget.at_end


async def test_scrolling_down_again_comes_to_the_end(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        await pilot.press("g")
        await settle(pilot)
        assert shown(app.widget)[0] == 0
        seen = shown(app.widget)
        while seen[-1] < COUNT - 1:
            await pilot.press("pagedown")
            await settle(pilot)
            now = shown(app.widget)
            assert now[0] <= seen[-1] + 1
            seen += [number for number in now if number > seen[-1]]
        assert seen == list(range(COUNT))
        assert app.widget.at_end and not app.widget.at_start


async def test_jumps_to_both_ends(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        await pilot.press("g")
        await settle(pilot)
        assert (shown(app.widget)[0], app.widget.at_start) == (0, True)
        await pilot.press("G")
        await settle(pilot)
        assert (shown(app.widget)[-1], app.widget.at_end) == (COUNT - 1, True)


async def test_what_is_added_is_followed_at_the_end_only(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        write(path, said(text("answer 150")), said(text("answer 151")), '{"type":')
        app.widget.poll()
        await settle(pilot)
        assert shown(app.widget)[-1] == 151
        await pilot.press("k", "k", "k")
        await settle(pilot)
        before = shown(app.widget)
        write(path, '"mode"}\n', *(said(text(f"answer {number}")) for number in range(152, 250)))
        app.widget.poll()
        await settle(pilot)
        assert shown(app.widget) == before
        await pilot.press("G")
        await settle(pilot)
        assert shown(app.widget)[-1] == 249
        numbers = held(app.widget)
        assert numbers == list(range(numbers[0], 250))


async def test_following_for_long_holds_only_so_much(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        for number in range(COUNT, COUNT + 240, 60):
            write(path, *(said(text(f"answer {each}")) for each in range(number, number + 60)))
            app.widget.poll()
            await settle(pilot)
            assert shown(app.widget)[-1] == number + 59
            assert app.widget.document.size < KEPT + 300


async def test_polling_an_unchanged_file_changes_nothing(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.poll()
        app.widget.open(path)
        await settle(pilot)
        document = app.widget.document
        app.widget.poll()
        await settle(pilot)
        assert app.widget.document is document


async def test_a_file_that_was_replaced_is_read_again(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        path.unlink()
        app.widget.poll()
        await settle(pilot)
        assert shown(app.widget)[-1] == COUNT - 1
        write(path, said(text("answer 7")))
        app.widget.poll()
        await settle(pilot)
        assert held(app.widget) == [7]


async def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=(80, 5)) as pilot:
        app.widget.open(tmp_path / "none\x1b[2J.jsonl")
        await settle(pilot)
        assert rows_of(app.widget)[0].rstrip() == "none␛[2J.jsonl cannot be read: No such file or directory"


async def test_a_narrower_screen_keeps_the_end_in_sight(path: Path) -> None:
    write(path, said(text("a long answer at the very end that wraps " * 3 + "finis")))
    app = Host(TranscriptView())
    async with app.run_test(size=(60, 20)) as pilot:
        app.widget.open(path)
        await settle(pilot)
        for size in ((20, 20), (20, 6), (70, 12)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert "finis" in rows_of(app.widget)[-1]


async def test_hostile_transcripts_are_harmless(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.jsonl", *(user(each) for each in HOSTILE), *(said(text(each)) for each in HOSTILE)
    )
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        await settle(pilot)
        for _ in range(30):
            rows_of(app.widget)
            await pilot.press("pageup")
            await pilot.pause()


async def test_another_transcript_takes_the_place_of_the_first(path: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", said(text("answer 9")))
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path)
        app.widget.open(other)
        await settle(pilot)
        assert (held(app.widget), app.widget.path) == ([9], other)


async def test_it_opens_at_a_line_and_reads_on_both_ways(path: Path) -> None:
    app = Host(TranscriptView())
    async with app.run_test(size=SIZE) as pilot:
        app.widget.open(path, 76)
        await settle(pilot)
        rows = rows_of(app.widget)
        assert "▸ L76" in [row.strip() for row in rows]
        assert 75 in shown(app.widget)
        assert not app.widget.at_end
        await pilot.press("pageup")
        await settle(pilot)
        assert shown(app.widget)[-1] < 76
