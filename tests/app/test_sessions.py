"""The screen of sessions: filtered, read, resumed and forked; the detail of one."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key
from textual.widgets import Input

from memtui.app.screens.dialogs import ConfirmScreen, ReadingScreen
from memtui.app.screens.lost import LostScreen
from memtui.app.screens.session_detail import _files
from memtui.app.screens.sessions import COLUMNS, SessionsScreen, columns_in, filled, heading, row
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.row_list import RowList
from memtui.ground.files import FileProblem
from memtui.ground.project import Project
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings
from memtui.store.session_list import Session, SessionList
from memtui.transcript.session import SessionSummary
from tests.app.harness import WIDE, Driver, app_on, opened
from tests.app.idle import PATIENCE
from tests.app.painting import held_back
from tests.app.world import KEPT, NOW, World

SEVERAL = "This folder is no project: enter opens the project of the selected session, q quits."
SECOND = "2d1c9a40-7e53-4b1f-9c66-0a5b7e3f8d12"
CLAUDE = '#!/bin/sh\nprintf "%s|" "$PWD" "$@" > "{log}"\n'


@pytest.fixture
def two(full: World) -> World:
    """A second session, a day older, with an edit."""
    session = full.session(SECOND, minutes=24 * 60)
    session.prompt("Paint the harbor wall")
    session.edit(str(full.root / "wall.py"), "grey", "blue")
    session.say("The wall is blue now.")
    full.save(session, minutes=24 * 60)
    return full


async def listed(driver: Driver) -> RowList:
    await driver.press("S")
    assert isinstance(driver.screen, SessionsScreen)
    await driver.until(lambda: "Paint the" in driver.shown, "the sessions")
    return driver.screen.listing


def stand_in(driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `claude` on the path that notes where and how it was called."""
    log, program = tmp_path / "called", tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(CLAUDE.format(log=log))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(driver.app, "suspend", nullcontext)
    monkeypatch.setattr("memtui.app.terminal.terminal_gone", lambda: False)
    return log


async def test_the_filter(two: World) -> None:
    async with opened(two) as driver:
        rows = await listed(driver)
        newest = list(rows.rows)
        await driver.press("/")
        await driver.type("wall.py")
        await driver.until(lambda: len(rows.rows) == 1, "one row")
        await driver.press("enter", "escape")
        assert list(rows.rows) == newest
        assert rows.selected == newest[-1], "what was found stays selected"
        await driver.press("slash", *"zebra")
        assert "Nothing here matches “zebra”." in driver.shown
        await driver.press("enter", "enter")
        assert driver.last_said == "Nothing is selected."


async def test_the_detail_says_what_it_was_about_and_enter_reads_it(two: World) -> None:
    async with opened(two) as driver:
        await listed(driver)
        await driver.press("G", "l")
        assert driver.last_said == "This session was not compacted, so nothing of it is lost."
        detail = driver.screen.query_one("#session", DocumentView)
        await driver.until(lambda: "CLOSING MESSAGE" in detail.document.text, "the facts")
        text = detail.document.text
        assert "❯ Paint the harbor wall" in text and "The wall is blue now." in text and "wall.py" in text
        assert "Claude Code deletes it in 29 days" in text
        await driver.press("o")
        assert isinstance(driver.screen, TranscriptScreen)
        await driver.until(lambda: "The wall is blue now." in driver.shown, "the transcript")
        await driver.press("escape")
        assert isinstance(driver.screen, SessionsScreen)
        # The bottom line says what tab does where one is; enter reads from the detail, too.
        await driver.press("tab")
        await driver.press("enter")
        await driver.until_transcript()
        assert isinstance(driver.app.screen, TranscriptScreen)
        await driver.press("escape")
        assert isinstance(driver.app.screen, SessionsScreen)
        for key, each in driver.app.screen.sessions.items():  # as before the list is complete
            driver.app.screen.sessions[key] = replace(each, summary=SessionSummary())
        await driver.press("l")
        assert isinstance(driver.app.screen, LostScreen)


async def test_enter_before_there_is_a_list_opens_its_first_session(
    two: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, entries = Event(), SessionList.entries

    def late(sessions: SessionList, *, everywhere: bool = False) -> list[Session]:
        assert listed.wait(20)
        return entries(sessions, everywhere=everywhere)

    monkeypatch.setattr(SessionList, "entries", late)
    async with opened(two) as driver:
        driver.app.action_sessions()
        await driver.until(lambda: getattr(driver.app.focused, "unread", False), "the screen")
        driver.app.post_message(Key("enter", None))
        listed.set()
        await driver.until(lambda: isinstance(driver.app.screen, TranscriptScreen), "the reader")


async def test_keys_do_not_wait_for_sessions_that_cannot_be_listed(
    two: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(sessions: SessionList, *, everywhere: bool = False) -> list[Session]:
        raise FileProblem(Path("projects"), "cannot be read")

    monkeypatch.setattr(SessionList, "entries", broken)
    async with opened(two) as driver:
        await driver.press("S")
        screen = driver.app.screen
        assert isinstance(screen, SessionsScreen) and not screen.listing.unread


async def test_claude_goes_on_in_the_sessions_folder(
    two: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(two) as driver:
        await listed(driver)
        log = stand_in(driver, tmp_path, monkeypatch)
        await driver.press("G")
        for where in (SessionsScreen, TranscriptScreen):
            screen = driver.screen
            assert isinstance(screen, where)
            for key, more in (("R", ""), ("F", "--fork-session|")):
                await driver.press(key)
                assert log.read_text() == f"{two.root}|--resume|{SECOND}|{more}", key
                assert driver.screen is screen, key
            if where is SessionsScreen:
                await driver.press("enter")
                await driver.until_transcript()
        (tmp_path / "bin" / "claude").write_text("#!/bin/sh\nexit 3\n")
        await driver.press("R")
        assert driver.last_said == "claude ended with status 3."


async def test_a_session_that_was_written_just_now_is_resumed_as_a_copy_and_says_how(
    two: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(two) as driver:
        rows = await listed(driver)
        log = stand_in(driver, tmp_path, monkeypatch)
        path = two.transcript_path(SECOND)
        now = driver.app.model.clock().timestamp()
        os.utime(path, (now, now))
        rows.select(str(path))
        await driver.press("R")
        asked = " ".join(driver.shown.replace("│", " ").split())
        assert "written 0 s ago. Resume a copy of it? It runs claude --resume" in asked
        await driver.press("n", "R")
        assert not log.exists()
        await driver.press("y")
        assert "--fork-session" in log.read_text()


async def test_a_file_that_is_not_named_by_an_id_is_not_resumed(
    two: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("--dangerously-skip-permissions", "s-3")
    for name in names:
        two.save(two.session(name, minutes=3 * 24 * 60), minutes=3 * 24 * 60)
        two.transcript_path(name).write_bytes(two.transcript_path(SECOND).read_bytes())
    async with opened(two) as driver:
        rows = await listed(driver)
        log = stand_in(driver, tmp_path, monkeypatch)
        copied: list[str] = []
        monkeypatch.setattr(driver.app, "copy_text", lambda text, name="": copied.append(text))
        for name in names:
            rows.select(str(two.transcript_path(name)))
            if name == "s-3":
                await driver.press("enter")
                await driver.until_transcript()
            driver.said.clear()
            await driver.press("R")
            assert "resumes only sessions named by a UUID" in driver.last_said
            await driver.press("F")
            with monkeypatch.context() as patch:
                patch.setenv("PATH", "/nowhere")
                await driver.press("R")
        assert not log.exists() and not copied


async def test_sessions_of_all_projects(two: World) -> None:
    async with opened(two) as driver:
        rows = await listed(driver)
        here = len(rows.rows)
        other = two.claude / "projects" / "-elsewhere" / "s-9.jsonl"
        other.parent.mkdir()
        other.write_text(
            '{"type":"user","cwd":"/elsewhere","message":{"role":"user","content":"Something else"}}\n'
        )
        await driver.press("A")
        await driver.until(lambda: len(rows.rows) == here + 1, "the other project's")
        await driver.until(lambda: "Something else" in driver.shown, "its name")
        await driver.press("A")
        await driver.until(lambda: len(rows.rows) == here, "this project's")


async def test_a_deleted_session_is_read_and_put_back_from_the_archive(
    two: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = two.transcript_path(SECOND)
    data = path.read_bytes()
    Archive(two.home).keep(path, ArchiveSettings())
    path.unlink()
    async with opened(two) as driver:
        rows = await listed(driver)
        assert any("Paint the" in line and " kept" in line for line in driver.lines)
        rows.select(str(path))
        await driver.press("l")
        assert driver.last_said.startswith("Only the archive has this session")
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.screen, TranscriptScreen), "the transcript's screen")
        await driver.until(lambda: "The wall is blue now." in driver.shown, "the transcript")
        await driver.press("escape")
        log = stand_in(driver, tmp_path, monkeypatch)
        await driver.press("R")
        await driver.until(lambda: log.is_file() and f"--resume|{SECOND}" in log.read_text(), "Claude Code")
        assert path.read_bytes() == data


async def test_several_are_marked_and_their_ids_copied(two: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(two) as driver:
        await listed(driver)
        copied: list[str] = []
        monkeypatch.setattr(driver.app, "copy_text", lambda text, name="": copied.append(text))
        await driver.press("space", "space", "y")
        assert copied == [f"s-1\n{SECOND}"]
        assert "2 marked" in driver.lines[0]
        await driver.press("escape", "y")
        assert copied[1:] == [SECOND] and isinstance(driver.screen, SessionsScreen)


async def test_without_a_session_its_keys_say_so(world: World) -> None:
    async with opened(world) as driver:
        await driver.press("S")
        await driver.settled()
        for key in ("space", "y", "enter", "E"):
            driver.app.clear_notifications()
            await driver.press(key)
            await driver.until_said("Nothing is selected.")


async def test_the_marked_sessions_are_exported(
    two: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with opened(two) as driver:
        await listed(driver)
        await driver.press("space", "space")
        await driver.press("E")
        await driver.until(lambda: "Export 2 sessions into a folder" in driver.shown, "the question")
        assert driver.screen.query_one(Input).value == str(tmp_path)
        await driver.press("enter")
        assert (await driver.until_said("Wrote 2 pages")) == f"Wrote 2 pages into {tmp_path}, secrets masked."
        assert "The wall is blue now." in (tmp_path / f"session-{SECOND[:8]}.html").read_text()


async def test_forgetting_asks_first(two: World) -> None:
    archive = Archive(two.home)
    archive.keep(two.transcript_path(SECOND), ArchiveSettings())
    async with opened(two) as driver:
        await listed(driver)
        await driver.press("G", "D")
        await driver.until(lambda: isinstance(driver.screen, ConfirmScreen), "the question")
        assert "the archived transcript" in driver.shown and "What stays:" in driver.shown
        answers = next(at for at, line in enumerate(driver.lines) if "Forget (y)" in line)
        above = "".join(line.strip("│ ") for line in driver.lines[answers - 4 : answers])
        assert "hooks.jsonl" in above, "no empty lines between"
        await driver.press("enter")
        assert archive.entries()
        await driver.press("D")
        await driver.until(lambda: isinstance(driver.screen, ConfirmScreen), "the question")
        await driver.press("y")
        await driver.until_said("1 session forgotten.")
        assert not archive.entries() and two.transcript_path(SECOND).exists()


async def test_subagents_are_listed_with_their_session(two: World) -> None:
    agents = two.transcript_path(SECOND).with_suffix("") / "subagents"
    records = [
        {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "Count the gulls"}},
        {
            "type": "assistant",
            "isSidechain": True,
            "agentId": "a1",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Twelve gulls."}]},
        },
    ]
    two.write(agents / "agent-a1.jsonl", "".join(json.dumps(each) + "\n" for each in records))
    async with opened(two) as driver:
        await listed(driver)
        await driver.press("G")
        await driver.until(lambda: "▸ SUBAGENTS  1" in driver.shown, "the detail")
        await driver.press("tab", "tab", "enter")
        await driver.until(lambda: "Count the gulls" in driver.shown, "the task")
        await driver.press("tab", "enter")
        await driver.until(lambda: "Twelve gulls." in driver.shown, "its transcript")


async def test_the_home_folder_is_no_project(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session = world.session(minutes=5)
    session.prompt("Fix the login")
    world.save(session)
    monkeypatch.setenv("HOME", str(world.base))
    completed, held = SessionList.completed, Event()

    def slowly(self: SessionList, session: Session, cancelled: Callable[[], bool] = lambda: False) -> Session:
        held.wait(PATIENCE)
        return completed(self, session, cancelled)

    monkeypatch.setattr(SessionList, "completed", slowly)
    app = app_on(Project(world.base), world.home, world.claude)
    with held_back():
        async with app.run_test(size=WIDE, notifications=True) as pilot:
            driver = Driver(app, pilot)
            await driver.until(lambda: "Sessions 1 of all projects" in driver.shown)
            assert driver.last_said == SEVERAL
            app.post_message(Key("enter", None))
            await driver.until(lambda: app.next_project, "the project")
            held.set()
    assert app.next_project == Project(world.root)
    assert not (world.base / ".project").exists()


async def test_a_folder_above_several_projects_is_none_and_only_q_quits_there(two: World) -> None:
    other = World(two.base, "atlas")
    session = other.session("s-7", minutes=5)
    session.prompt("Fix the login")
    other.save(session)
    app = app_on(Project(two.base), two.home, two.claude)
    with held_back():
        async with app.run_test(size=WIDE, notifications=True) as pilot:
            driver = Driver(app, pilot)
            await driver.until(lambda: "Sessions 3 of all projects" in driver.shown)
            assert "q quit" in driver.shown
            for key in ("S", "escape", "l", "r"):
                driver.said.clear()
                await driver.press(key)
                assert driver.last_said == SEVERAL, key
            await driver.press("o")
            assert isinstance(driver.screen, TranscriptScreen)
            await driver.press("escape")
            await driver.press("space", "q")
            assert not app.left  # only the tick is gone
            await driver.press("q")
            assert app.left


def session(
    days_left: int | None = 20, *, archived: bool = False, agents: int = 0, branch: str = "main"
) -> Session:
    summary = SessionSummary(
        title="Paint the harbor", turns=12, tokens=60_600, compactions=3, files=("a", "b"), branch=branch
    )
    written = NOW - timedelta(days=1)
    return Session("s-1", Path("s-1.jsonl"), 3_800_000, written, days_left, summary, agents, archived)


@pytest.mark.parametrize(
    ("days", "archived", "red"), [(7, False, False), (6, False, True), (0, False, True), (3, True, False)]
)
def test_less_than_7_days_are_red_unless_there_is_a_copy(days: int, archived: bool, red: bool) -> None:
    made = row(session(days, archived=archived), 90, ())
    (left,) = (span for span in made.spans if f"{days} d" in made.plain[span.start : span.end])
    assert ("$error" in str(left.style)) is red


def test_files_stand_below_their_folder() -> None:
    made = session()
    made = replace(made, summary=replace(made.summary, files=("src/a.py", "b.py", "src/c.py")))
    assert [each.text for each in _files(made, ())][2:] == ["  b.py", "  src/", "    a.py", "    c.py"]


ALL = columns_in(200, COLUMNS)


def test_a_column_with_nothing_in_it_takes_no_room() -> None:
    two = [session(branch=each) for each in ("main", "feature/a")]
    assert filled(two) == [*COLUMNS] and "branch" not in {each.name for each in filled(two[:1])}
    few = [replace(each, summary=replace(each.summary, compactions=0)) for each in two]
    assert [each.name for each in columns_in(78, filled(few))] == ["branch", "tokens", "turns"]


def test_a_row_has_every_column_under_its_name() -> None:
    text, names = row(session(agents=2), 90, ALL).plain, heading(90, ALL, project=False).plain
    assert text.index("Paint") == names.index("session") and text.index("main") == names.index("branch")
    numbers = {"turns": "12", "tokens": "61k", "compacted": "3", "size": "3.8 MB", "left": "20 d "}
    assert all(text[: names.index(name) + len(name)].endswith(value) for name, value in numbers.items())
    assert " +2" in text and len(text) == 90


@pytest.mark.parametrize("branches", [True, False])
@pytest.mark.parametrize("width", [36, 50, 64, 76, 80, 90, 120, 200])
def test_columns_leave_room_for_the_title(width: int, branches: bool) -> None:
    shown = columns_in(width, COLUMNS[not branches :])
    names = heading(width, shown, project=False).plain
    after = names.partition("session")[2].lstrip()
    assert len(names) == width and (not shown or width - len(after) - 13 >= 30)
    assert len(row(session(), width, shown).plain) == width


@pytest.mark.parametrize(
    ("branch", "shown"),
    [("fix/a", "fix/a"), ("someone/login", "login"), ("someone/a-very-long", "a-very-lo…")],
)
def test_a_long_branch_takes_nothing_from_the_title(branch: str, shown: str) -> None:
    made = row(session(branch=branch), 82, COLUMNS[:1]).plain
    assert "Paint the harbor" in made and shown in made.split()


TREE = [
    "RESULTS  2 compactions · 3 captures · 2 memories",
    "▼ 05 Mar 12:19  auto",
    "  └ capture 05 Mar 12:00 reviewed\n",
    "    └ memory file  Billing moved",
    "▼ 05 Mar 12:33  auto",
    "  └ capture 05 Mar 12:30 pending\n",
    "\n● capture 05 Mar 13:15 pending\n",
    "\n● CMEM-20260305-140007  A note on paint",
]


@pytest.fixture
def compacted(world: World) -> World:
    """A session with two compactions, a capture of each, a third capture, and two memories."""
    session = world.session("s-1", minutes=82)
    for number in range(12):
        session.prompt(f"Paint pier {number}" if number else "Paint the pier")
        session.say("Painted.")
    for minutes in (60, 40):
        session.wait(minutes=minutes / 3)
        session.compaction("The pier is half painted.")
    session.prompt("And the rest?")
    session.say("All of it is blue.")
    world.save(session)
    world.reviewed_capture(80, "Paint the pier", KEPT)
    world.capture(50, "Paint the pier")
    world.capture(5, "Not compacted in the end")
    world.capture(4, "Of another session", session="s-9")
    world.memory(20, "A note on paint", session="s-1")
    world.memory(19, "Of another session", session="s-9")
    return world


async def detail(driver: Driver) -> DocumentView:
    await driver.press("S")
    view = driver.screen.query_one("#session", DocumentView)
    await driver.until(lambda: "RESULTS" in view.document.text, "the tree")
    return view


async def test_it_shows_what_came_of_the_session_as_a_tree(compacted: World) -> None:
    async with opened(compacted) as driver:
        text = (await detail(driver)).document.text
        at = -1
        for part in TREE:
            found = text.find(part, at + 1)
            assert found > at, f"{part!r} in:\n{text}"
            at = found
        assert "Of another session" not in text
        assert "Context size" in text and "2 compactions" in text
        assert "CLOSING MESSAGE" in text and "All of it is blue." in text
        await driver.press("l")
        await driver.until(lambda: "The pier is half painted." in driver.shown, "its newest compaction")


async def mark(driver: Driver, view: DocumentView, part: str) -> None:
    """Press tab until a line is marked."""
    driver.screen.set_focus(view)
    for _ in view.document.links:
        await driver.press("tab")
        if part in view.document.lines[view._link].text:
            return
    raise AssertionError(f"{part!r} is no link")


OPENED: list[tuple[str, str, type[object]]] = [
    ("▼ ", "COMPACTED", TranscriptScreen),
    ("13:15", "Not compacted in the end", ReadingScreen),
    ("memory file", "Move billing", ReadingScreen),
    ("CMEM-20260305-140007", "Keep every session valid", ReadingScreen),
]


async def test_enter_opens_what_a_line_names_and_comes_back_or_unfolds_the_older_asks(
    compacted: World,
) -> None:
    async with opened(compacted) as driver:
        view = await detail(driver)
        for part, shows, where in OPENED:
            await mark(driver, view, part)
            await driver.press("enter")
            assert isinstance(driver.screen, where)
            await driver.until(lambda shows=shows: shows in driver.shown, shows)  # type: ignore[misc]
            await driver.press("escape")
            assert isinstance(driver.screen, SessionsScreen)
            assert driver.screen.focused is view and part in view.document.lines[view._link].text
        assert "❯ Paint the pier" not in view.document.text and "❯ And the rest?" in view.document.text
        await mark(driver, view, "3 earlier")
        await driver.press("enter")
        assert "❯ Paint the pier" in view.document.text
        await driver.press("enter")
        assert "❯ Paint the pier" not in view.document.text
