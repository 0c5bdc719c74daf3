"""The transcript view on a screen: opens at the end, reads on, jumps, follows, and holds a bounded part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app.widgets import transcript_window
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.app.widgets.transcript_window import Window
from tests.app.idle import settle
from tests.app.widgets.hosts import Host, hosted, rows_of
from tests.app.widgets.records import call, result, said, text, user, write

SIZE = (40, 10)
COUNT = 150
PART = 3000


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_window, "FEW", 12)
    monkeypatch.setattr(transcript_window, "PART", PART)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "t.jsonl", *(said(text(f"answer {number}")) for number in range(COUNT)))


def shown(view: TranscriptView) -> list[int]:
    """The numbers of the answers in sight."""
    return [int(row.split()[1]) for row in rows_of(view) if row.startswith("answer")]


def held(view: TranscriptView) -> list[int]:
    return [int(each.text.split()[1]) for each in view.document.lines if each.text.startswith("answer")]


async def grow(view: TranscriptView, pilot: Pilot[None], path: Path, *more: Any) -> None:
    write(path, *more)
    view.poll()
    await settle(pilot)


def current(view: TranscriptView) -> str:
    return view.document.lines[view.cursor.line].text


async def test_it_opens_at_the_end_without_reading_the_rest(path: Path) -> None:
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, _pilot):
        assert shown(app.widget)[-1] == COUNT - 1
        assert rows_of(app.widget)[-1].startswith("answer")
        assert app.widget.window.at_end and not app.widget.window.at_start
        assert held(app.widget)[0] > COUNT / 2


async def test_scrolling_up_shows_every_answer_once_and_drops_what_is_far(path: Path) -> None:
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, pilot):
        seen = shown(app.widget)
        while seen[0] > 0:
            await pilot.press("pageup")
            await settle(pilot)
            now = shown(app.widget)
            assert now[0] < seen[0] <= now[-1] + 1
            seen = now + [number for number in seen if number > now[-1]]
            numbers = held(app.widget)
            assert numbers == list(range(numbers[0], numbers[-1] + 1))
            assert len(numbers) < COUNT / 2
        assert seen == list(range(COUNT))
        assert app.widget.window.at_start and not app.widget.window.at_end


async def test_what_is_added_is_followed_at_the_end_only(path: Path) -> None:
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, pilot):
        await grow(app.widget, pilot, path, said(text("answer 150")), said(text("answer 151")), '{"type":')
        assert shown(app.widget)[-1] == 151
        await pilot.press("k", "k", "k")
        await settle(pilot)
        before = shown(app.widget)
        await grow(
            app.widget,
            pilot,
            path,
            '"mode"}\n',
            *(said(text(f"answer {number}")) for number in range(152, 250)),
        )
        assert shown(app.widget) == before
        await pilot.press("end")
        await settle(pilot)
        assert shown(app.widget)[-1] == 249
        numbers = held(app.widget)
        assert numbers == list(range(numbers[0], 250))


async def test_following_for_long_holds_only_so_much(path: Path) -> None:
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, pilot):
        for number in range(COUNT, COUNT + 240, 60):
            await grow(
                app.widget,
                pilot,
                path,
                *(said(text(f"answer {each}")) for each in range(number, number + 60)),
            )
            assert shown(app.widget)[-1] == number + 59
            assert len(held(app.widget)) < COUNT


async def test_a_file_that_was_replaced_is_read_again(path: Path) -> None:
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, pilot):
        path.unlink()
        app.widget.poll()
        await settle(pilot)
        assert shown(app.widget)[-1] == COUNT - 1
        await grow(app.widget, pilot, path, said(text("answer 7")))
        assert held(app.widget) == [7]


async def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    async with hosted(Host(TranscriptView(tmp_path / "none\x1b[2J.jsonl")), (80, 5)) as (app, _pilot):
        assert rows_of(app.widget)[0].rstrip() == "none␛[2J.jsonl cannot be read: No such file or directory"


async def test_a_narrower_screen_keeps_the_end_in_sight(path: Path) -> None:
    write(path, said(text("a long answer at the very end that wraps " * 3 + "finis")))
    async with hosted(Host(TranscriptView(path)), (60, 20)) as (app, pilot):
        for size in ((20, 20), (20, 6), (70, 12)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert "finis" in rows_of(app.widget)[-1]


async def test_the_bar_is_true_from_the_first_moment(path: Path) -> None:
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, pilot):
        view, size = app.widget, path.stat().st_size
        assert (view.bar.percent, view.bar.bottom, view.bar.size) == (100, size, size)
        assert view.bar.top > size * 0.9
        assert rows_of(view)[-1].endswith("┃") and not rows_of(view)[0].endswith("┃")
        view.go(view.window.index.after(size // 2))
        await settle(pilot)
        assert 45 <= view.bar.percent <= 55
        await pilot.press("home")
        await settle(pilot)
        assert (view.bar.top, view.bar.percent) == (0, int(100 * view.bar.bottom / size))


async def test_enter_and_a_click_unfold_and_fold(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", said(call("Bash", command="ls")), result("\n".join("abcdefghijkl")))
    async with hosted(Host(TranscriptView(path)), (40, 20)) as (app, pilot):
        folded = [row.strip() for row in rows_of(app.widget) if row.strip()]
        assert folded[-1] == "● Bash  ls  12 lines ▸"
        assert app.widget.follow()
        assert "    l" in app.widget.document.text
        assert current(app.widget).startswith("● Bash")
        row = next(number for number, text in enumerate(rows_of(app.widget)) if "● Bash" in text)
        await pilot.click(TranscriptView, offset=(3, row))
        assert "    l" not in app.widget.document.text


async def test_a_click_on_the_bar_jumps(path: Path) -> None:
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, pilot):
        await pilot.click(TranscriptView, offset=(SIZE[0] - 1, 0))
        await settle(pilot)
        assert shown(app.widget)[0] == 0


async def test_a_line_of_megabytes_is_named_and_passed_over_and_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", user("before"), b"\0" * 12_000_000, "\n", user("after"))
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, _pilot):
        rows = [row.strip(" ┃") for row in rows_of(app.widget) if row.strip(" ┃")]
        assert rows[-3:] == ["10:15 ❯ before", "… line of 12.0 MB skipped", "10:15 ❯ after"]
        assert app.widget.current_number == 3


async def test_a_last_line_without_a_newline_shows_and_grows(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", said(text("answer 1")), json.dumps(said(text("answer 2"))))
    async with hosted(Host(TranscriptView(path)), SIZE) as (app, pilot):
        for number, more in ((2, ""), (2, "\n"), (3, json.dumps(said(text("answer 3"))))):
            await grow(app.widget, pilot, path, more)
            assert held(app.widget) == list(range(1, number + 1))


def test_a_queued_message_is_shown_once(tmp_path: Path) -> None:
    queued = {"type": "queue-operation", "operation": "enqueue", "content": "go"}
    removed, again = queued | {"operation": "remove"}, [said(text("on it")), user("go")]
    for number, before in enumerate(([queued], [queued, queued, *again], [queued, removed]), 1):
        window = Window(write(tmp_path / f"{number}.jsonl", *before, *again))
        window.index.scan(window.path)
        window.index.classify(window.path)
        window.show_only(talk=False)
        window.move_to(0)
        assert window.document.text.count("❯ go") == min(number, 2)
        first = window.document.lines[window.target((0, 0), unfold=True, hit=-1)].text
        assert first == ("❯ go  (queued)" if removed in before else "10:15 ❯ go")
