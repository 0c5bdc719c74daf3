"""s finds memories, captures and session states while typing; enter opens a result, y copies its id."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.widgets import Input

from memtui.app.base import PROMPT
from memtui.app.panes.pane import PaneId
from memtui.app.screens import search
from memtui.app.screens.dialogs import ReadingScreen, legend
from memtui.app.screens.search import SearchScreen, _known_by
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.documents.session_state import Identity, SessionState
from memtui.lost.pins import Pins
from memtui.store.search import Group, Result, Scope, Searcher
from memtui.store.search_index import File, SearchIndex
from memtui.store.search_query import Kind, Search, parse_search
from tests.app.harness import NARROW, SHORT, WIDE, Driver, opened
from tests.app.world import KEPT, NOW, STATE, World
from tests.transcript_writer import TranscriptWriter

RESUMED = "6f0e1b72-3c48-4d9a-8e15-b7c2d4a9f031"


def screen(driver: Driver) -> SearchScreen:
    assert isinstance(driver.screen, SearchScreen)
    return driver.screen


def found(driver: Driver) -> list[str]:
    """The rows of the results, headings without their numbers."""
    return [key for key in screen(driver).results.rows if not key.startswith("#")]


def idle(driver: Driver) -> bool:
    return all(worker.is_finished for worker in driver.app.workers if worker.group == "search")


async def look_for(driver: Driver, text: str) -> None:
    await driver.press("s")
    await driver.until(lambda: isinstance(driver.screen, SearchScreen), "the search")
    if text:  # pasted: typing would search for each beginning of it
        driver.app.post_message(Paste(text))
    await driver.until(lambda: screen(driver).query_text == text and idle(driver), "the search")
    await driver.settled()


def kinds_of(keys: set[str]) -> set[str]:
    """The kinds of results, by their keys."""
    kinds = sorted(map(str, Kind), key=len, reverse=True)
    return {next(kind for kind in kinds if key.startswith(kind)) for key in keys}


def session_elsewhere(other: World) -> TranscriptWriter:
    """A session of another project."""
    session = other.session("s-9")
    session.prompt("Refresh the paint")
    return session


def replaced(state: SessionState, goal: str, world: World) -> SessionState:
    """The state with another goal, of a world's project."""
    return state.replace(identity=Identity(project=f"x ({world.root})", goal=goal))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_PAUSE", 0.0)
    monkeypatch.setattr("memtui.store.search._FRESH", -1.0)
    monkeypatch.setattr("memtui.store.search._BUDGET", 60.0)


async def test_it_finds_all_kinds_and_labels_them(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    shown_in, made = list[threading.Thread](), search.result_document

    def made_in(*found: Any) -> Any:
        shown_in.append(threading.current_thread())
        return made(*found)

    monkeypatch.setattr(search, "result_document", made_in)
    name = full.memory(1, "About tokens", body="## Objective\n\nRefresh the token once.\n")
    async with opened(full) as driver:
        for size in (WIDE, SHORT):
            await driver.resize(size)
            await look_for(driver, "refresh")
            assert found(driver) == [
                "session s-1 L1 ask",
                "session s-1 L10 said",
                "session s-1 L9 ask",
                f"memory {name}",
                f"capture {full.capture_path(10).name}",
                "state s-1",
            ], size
            assert [key for key in screen(driver).results.rows if key.startswith("#")] == [
                "# session",
                "# session s-1",
                "# memory",
                "# capture",
                "# state",
            ], size
            assert "Memories  1" in driver.shown, size
            await driver.press("down", "down", "down")
            assert "Refresh the" in driver.shown, size  # the place, in any size
            await driver.press("escape")
        await look_for(driver, "token once")
        result = screen(driver)._found[f"memory {name}"]
        assert isinstance(result, Result)
        assert threading.main_thread() not in shown_in  # a long text takes long
        assert {piece for piece, hit in result.pieces() if hit} >= {"token", "once"}


async def test_nothing_typed_shows_what_is_recent_and_nothing_found_says_so(full: World) -> None:
    async with opened(full) as driver:
        await look_for(driver, "")
        assert "Memories  recent" in driver.shown
        assert "Captures  recent" in driver.shown
        assert "Ask as you would ask a person" in driver.shown
        assert len(found(driver)) == 2 + 1 + 4 + 1
        assert search.SEARCH_SIGNS.items() <= legend(driver.screen)[""].items()
        await driver.press("escape")
        await driver.resize(SHORT)
        await look_for(driver, "xyzzy")
        assert "Nothing was found for “xyzzy”" in driver.shown
        await driver.resize(WIDE)
        assert "(sessions," in driver.shown
        assert "tab searches all projects." in driver.shown
        await driver.press("tab")
        await driver.until(lambda: "in any project" in driver.shown, "the search everywhere")
        await driver.press("enter")
        assert driver.last_said == "Nothing is selected."


async def read_result(driver: Driver, results: SearchScreen, text: str) -> None:
    """Open the selected result, see the text, and go back to the same results."""
    selected, rows = results.results.selected, results.results.rows
    await driver.press("enter")
    await driver.until(lambda: isinstance(driver.screen, ReadingScreen), "the text")
    await driver.until(lambda: text in driver.shown, "the hit")
    view = driver.screen.query_one(DocumentView)
    marks = ((line, span) for line in view.document.lines for span in line.spans if span.role == "hit")
    assert {line.text[span.start : span.end] for line, span in marks} == {text}
    await driver.press("escape")
    assert screen(driver) is results
    assert (results.results.selected, results.results.rows) == (selected, rows)


async def test_enter_opens_each_kind_at_the_hit_and_escape_returns_to_the_results(full: World) -> None:
    long = "".join(f"- row {number}\n" for number in range(200))
    full.memory(1, "About it", body=f"## Objective\n\nFix it\n{long}find xyzzy\n{long}")
    full.capture(2, f"{long}find xyzzy\n{long}")
    full.state(f"{long}find xyzzy\n{long}", session="s-1", version=9)
    full.reviewed_capture(4400, "Find it", KEPT.replace(goal=f"find xyzzy\n\n{long}"))
    async with opened(full) as driver:
        for size in (WIDE, SHORT):
            await driver.resize(size)
            await look_for(driver, "xyzzy")
            results = screen(driver)
            kinds = [key.partition(" ")[0] for key in found(driver)]
            assert kinds == ["memory", "memory", "capture", "state"], size
            for _ in range(4):
                await read_result(driver, results, "xyzzy")
                await driver.press("down")
            await driver.press("escape")
            assert driver.at_home(), size


async def test_a_memory_is_read_without_its_empty_sections_and_tags(full: World) -> None:
    plan = "<details>\n<summary>Full Plan (Click to expand)</summary>\n\n# Find xyzzy\n\n</details>"
    full.memory(
        1, "About it", body=f"## Execution Plan\n{plan}\n\n## Session ID\n(none)\n\n## Decisions\n- N/A: no\n"
    )
    async with opened(full, WIDE) as driver:
        await look_for(driver, "xyzzy")
        await driver.until(lambda: "│ Find xyzzy" in driver.shown, "the memory beside its row")
        hit = "\n".join(line.text for line in screen(driver).query_one("#hit", DocumentView).document.lines)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.screen, ReadingScreen), "the text")
        for text in (hit, driver.screen.query_one(DocumentView).document.text):
            assert "\nFind xyzzy" in text
            assert not any(each in text for each in ("(none)", "N/A", "<details>", "Decisions"))


async def test_o_goes_to_the_pane_of_a_result(full: World) -> None:
    name = full.memory(9000, "Hidden", body="## Objective\n\nFind xyzzy\n")
    full.reviewed_capture(4400, "Find xyzzy", KEPT)
    async with opened(full) as driver:
        await look_for(driver, "xyzzy")
        await driver.press("shift+tab", "o")
        assert driver.at_home()
        assert driver.pane(PaneId.MEMORIES).selected == f"{name}.md"
        await driver.until(lambda: "Find xyzzy" in driver.detail, "the memory")
        await look_for(driver, "xyzzy in:captures")
        await driver.press("shift+tab", "o")
        assert driver.pane(PaneId.PENDING).selected == full.capture_path(4400).name
        await look_for(driver, "then switch")
        await driver.press("shift+tab", "o")
        await driver.until(lambda: "Then switch" in driver.detail, "the memory file")


async def test_o_shows_the_current_state_in_its_pane_another_one_to_read_or_says_why_not(full: World) -> None:
    other = World(full.base, "elsewhere")
    other.capture(5, "Look for plugh")
    other.save(session_elsewhere(other))
    goal = SessionState(version=3, identity=Identity(project=f"harbor ({full.root})", goal="Find xyzzy"))
    full.state(goal, session="s-0", version=3)
    full.state("no state at all", session="s-0", version=2)
    async with opened(full) as driver:
        for session in ("s-0", "s-1"):
            await look_for(driver, f"{session} in:states")
            screen(driver).results.select(f"state {session}")
            await driver.press("shift+tab", "o")
            if isinstance(driver.screen, ReadingScreen):
                assert f"Session state of {session}" in driver.shown
                await driver.press("escape")
            else:
                assert driver.browser.current_id is PaneId.STATE
                assert driver.reading()
        assert driver.at_home()
        await look_for(driver, "refresh")
        await driver.press("shift+tab", "o")
        assert driver.last_said == "Only memories, captures and session states have a row in a pane."
        await driver.press("escape")
        await look_for(driver, "plugh")
        await driver.press("tab", "shift+tab")
        await driver.until(lambda: any(key.startswith("capture") for key in found(driver)), "the capture")
        await driver.press("G", "o")
        assert driver.last_said == f"This capture belongs to {other.root}."


async def test_a_memory_of_claudes_is_read_and_shown_in_its_pane(world: World) -> None:
    folder = world.claude_memories.folder
    world.write(folder / "squash.md", "---\nname: squash\ntype: feedback\n---\n\nAlways squash commits.\n")
    async with opened(world, NARROW) as driver:
        await look_for(driver, "squashing a commit")
        assert found(driver) == ["Claude's memory squash.md"]
        await driver.press("enter")
        await driver.until(lambda: "Always squash commits." in driver.shown, "the text")
        await driver.press("escape", "shift+tab", "o")
        await driver.until(lambda: driver.browser.memories.selected == "claude:squash.md", "its row")


async def test_the_arrows_move_while_typing_and_the_query_is_there_again_after_esc(full: World) -> None:
    async with opened(full, NARROW) as driver:
        await driver.press("3")
        await look_for(driver, "to")
        first = screen(driver).results.selected
        await driver.press("down")
        assert screen(driver).results.selected != first
        assert isinstance(screen(driver).focused, Input)
        await driver.press("up", "shift+tab", "j")
        assert screen(driver).results.selected != first
        await driver.press("k")
        assert screen(driver).results.selected == first
        assert "y copy id" in driver.lines[-1]
        await driver.press("s", "x")
        assert screen(driver).query_one(Input).value == "tox"
        await driver.press("escape")
        assert driver.at(PaneId.COMMANDS)
        await driver.press("s")
        assert screen(driver).query_one(Input).value == "tox"
        await driver.press("x")  # it is marked as a whole: typing begins anew
        assert screen(driver).query_one(Input).value == "x"


async def test_y_copies_what_a_result_is_known_by_or_the_command_for_it(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = full.memory(1, "About xyzzy")
    full.capture(2, "xyzzy")
    session = full.session(RESUMED)
    session.prompt("Weigh the anchors")
    full.save(session, minutes=5)
    async with opened(full) as driver:
        await look_for(driver, "xyzzy")
        await driver.press("shift+tab", "y")
        await driver.until(lambda: driver.app.clipboard == name, "the copy")
        await driver.press("Y")
        await driver.until(lambda: f"Memory {name}" in driver.app.clipboard, "the copy")
        capture = full.capture_path(2).name
        await driver.press("j", "y")
        await driver.until(lambda: driver.app.clipboard == capture, "the copy")
        await driver.press("Y")
        await driver.until(lambda: driver.app.clipboard == f"memtui review {capture}", "the copy")
        await driver.press("escape")
        await look_for(driver, "anchors")
        await driver.press("shift+tab", "Y")
        await driver.until(lambda: driver.app.clipboard == f"claude --resume {RESUMED}", "the copy")
        # R resumes it.
        copied: list[str] = []
        monkeypatch.setattr(driver.app, "copy_text", lambda text, **said: copied.append(said["note"] + text))
        monkeypatch.setenv("PATH", "/nowhere")
        await driver.press("R")
        assert len(copied) == 1 and copied[0].endswith(f"claude --resume {RESUMED}")
        assert copied[0].startswith("claude is not on the PATH")


def test_a_name_that_is_no_id_is_never_part_of_a_command() -> None:
    for kind in (Kind.SESSION, Kind.STATE):
        assert _known_by(Result(kind, "s; rm x", ""), PROMPT) == ""


async def test_outdated_results_are_dropped(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    held, real = threading.Event(), Searcher.search

    def slowly(self: Searcher, wanted: Search, *rest: Any, **options: Any) -> list[Group]:
        if wanted.words == ("t",):
            held.wait(20)
        return real(self, wanted, *rest, **options)

    monkeypatch.setattr(Searcher, "search", slowly)
    async with opened(full) as driver:
        await driver.press("s", "t")
        await driver.press("y", "p", "o")
        await driver.until(lambda: "Nothing was found for “typo”" in driver.shown, "the newer one")
        held.set()
        await driver.settled()
        assert "Nothing was found for “typo”" in driver.shown


async def test_an_incomplete_search_says_so(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    SearchIndex(full.places).update()
    monkeypatch.setattr(SearchIndex, "update", lambda *_, **__: False)
    async with opened(full) as driver:
        await driver.press("s", *"xyzzy")
        await driver.until(lambda: "comes by itself" in driver.shown, "the end")
        assert "Nothing" not in driver.shown
        await driver.press("escape")
        await driver.press("s")
        driver.app.post_message(Paste("refresh"))
        await driver.until(lambda: "Sessions  1 · not all searched yet" in driver.shown, "the results")
        assert "Pins" not in driver.shown


async def test_a_search_that_fails_is_said_and_the_next_one_works(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Searcher.search

    def failing(self: Searcher, wanted: Search, *rest: Any, **options: Any) -> list[Group]:
        if wanted.words == ("o",):
            raise OSError(5, "Input/output error", "index.db")
        return real(self, wanted, *rest, **options)

    monkeypatch.setattr(Searcher, "search", failing)
    async with opened(full) as driver:
        await driver.press("s", "o")
        assert "Failed searching" in await driver.until_said("Input/output")
        await driver.press("k")
        await driver.until(lambda: idle(driver) and screen(driver).query_text == "ok")


async def test_right_shows_the_further_lines_of_a_session(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = world.session("s-2")
    for number in range(6):
        session.prompt(f"The gasket, part {number}")
    world.save(session)
    async with opened(world) as driver:
        await look_for(driver, "gasket")
        assert len(found(driver)) == 3 and "3 more →" in driver.shown
        await driver.press("home", "right", "end")
        assert len(found(driver)) == 3
        await driver.press("right")  # from the end of the line
        assert len(found(driver)) == 6
        await driver.press("shift+tab", "left")
        assert len(found(driver)) == 3
        await driver.press("right")
        assert len(found(driver)) == 6 and "part 0" in driver.shown and "all 6 lines" in driver.shown
        monkeypatch.setattr("memtui.store.search._POOL", 5)
        await driver.press("s", *" part")
        await driver.until(lambda: screen(driver).query_text == "gasket part" and idle(driver))
        assert "the best 5 lines" in driver.shown
        await driver.press("shift+tab", "left")
        assert len(found(driver)) == 3 and "2+ more →" in driver.shown
        await driver.press("escape")
        await look_for(driver, "part gasket")
        await driver.press("enter")
        await driver.until(lambda: "/part gasket" in driver.shown, "what was typed")


def test_the_place_found_far_down_in_a_long_text_is_shown_with_what_is_around_it(world: World) -> None:
    text = "\n".join([*(f"row {number}" for number in range(50)), "the hinge", "and behind it"])
    session = world.session("s-1")
    session.prompt(text)
    session.edit("/w/hinge.py", "", text)
    path = world.save(session)
    found = Result(Kind.SESSION, "s-1", "Doors", line=1, what="ask", file=File(str(path)))
    rows = [row.text for row in search._turn(found, parse_search("hinge"), False).lines]
    assert rows[0].startswith("L1") and rows[0].endswith("ask  …")
    assert rows[1:3] == ["the hinge", "and behind it"]
    offset = path.read_bytes().index(b"\n") + 1
    edit = found._replace(line=2, offset=offset, what="edit")
    rows = [row.text for row in search._turn(edit, parse_search("hinge"), False).lines]
    assert rows[0].endswith("edit  hinge.py  …") and rows[1:3] == ["+ the hinge", "+ and behind it"]


def test_a_match_within_code_is_shown_as_code() -> None:
    pad = "pad\n" * 40
    found = Result(Kind.MEMORY, "CMEM-1", "Doors", text=f"## Notes\n```\n{pad}the hinge\n# no heading\n```\n")
    rows = search.result_document(found, "hinge", NOW).lines[2:4]
    assert [(row.text.strip(), row.role) for row in rows] == [("the hinge", "code"), ("# no heading", "code")]


def test_an_edit_s_row_keeps_the_file_s_name_and_what_was_written(tmp_path: Path) -> None:
    file = f"/srv/{'deep/' * 20}lifecycle.py"
    found = Result(Kind.SESSION, "s-1", "Doors", snippet=f"{file} def close", line=1, what="edit")
    drawn = search.draw(found, NOW, 60, tmp_path).plain
    assert drawn.startswith("  ✎ def close ") and drawn.rstrip().endswith(" lifecycle.py")


async def test_a_filter_of_edits_shows_what_went_and_what_came_before_any_talk_of_it(world: World) -> None:
    session = world.session("s-1")
    session.prompt("The hinge of the door squeaks: replace the hinge")
    session.edit("/w/door.py", "door\nhinge = 1\nend", "door\nhinge = 2\nend")
    session.bash("git add /w/door.py", "Stage it", "")
    session.say("The hinge is replaced: the hinge of the door squeaks no more")
    world.save(session)
    async with opened(world, WIDE) as driver:
        for question in ("edited:door.py", "edited:door.py hinge", "replace hinge edited:door.py"):
            await look_for(driver, question)
            assert found(driver)[0] == "session s-1 L2 edit", question
            assert "L4 command" not in str(found(driver)) or question != "edited:door.py"
            assert "- hinge = 1 + hinge = 2" in driver.shown, question
            hit = screen(driver).query_one("#hit", DocumentView).document
            changes = [(line.text, line.role) for line in hit.lines[2:4]]
            assert changes == [("- hinge = 1", "bad"), ("+ hinge = 2", "good")], question
            await driver.press("escape")
        await driver.resize(SHORT)
        await look_for(driver, question)
        rows = [line.strip() for line in driver.lines[-4:-1]]
        assert rows == ["L2  edit  door.py", "- hinge = 1", "+ hinge = 2"]


@pytest.mark.parametrize(
    ("first", "stops"), [("The hinges: a hinge is rusty", [1, 4]), ("The hinge\nis rusty", [1, 1, 2])]
)
async def test_n_goes_to_lines_with_most_of_the_words_or_one_of_them(
    world: World, first: str, stops: list[int]
) -> None:
    session = world.session("s-1")
    question = "why is the hinge rusty nosuch"
    last = "rusty hinge" if stops[-1] == 4 else "Leave"
    for text in (first, "Oil the hinge", "Paint the door", last):
        session.prompt(text)
    world.save(session)
    async with opened(world, WIDE) as driver:
        await look_for(driver, question)
        screen(driver).results.select("session s-1 L1 ask")
        await driver.press("enter")
        await driver.until_transcript()
        reader = driver.screen
        assert isinstance(reader, TranscriptScreen)
        seen = []
        for _ in stops:
            await driver.press("n")
            await driver.until(lambda: " of " in reader.finder.place, "a hit")
            seen.append(reader.view.current_number)
        assert sorted(seen) == stops


async def test_a_session_is_opened_at_its_line_and_copied(full: World) -> None:
    async with opened(full, WIDE) as driver:
        await look_for(driver, "refresh")
        results = screen(driver)
        assert results.selected is not None and results.selected.line == 1
        assert "Refresh" in driver.shown or "refresh" in driver.shown
        await driver.press("enter")
        await driver.until_transcript()
        reader = driver.screen
        assert isinstance(reader, TranscriptScreen)
        window = reader.view.window

        def marked() -> set[int]:
            rows = (number for number, row in enumerate(window.document.lines) if "hit" in str(row.spans))
            return {window.index.at(block.key[0]) for row in rows if (block := window.block_at(row))}

        await driver.until(marked, "the hit")
        assert marked() == {0}
        assert reader.finder.place == ""
        await driver.press("n")
        await driver.until(lambda: " of " in reader.finder.place, "the other hits")
        assert len(marked()) > 1
        # A search from the reader begins with the same words, and leads back to it.
        await driver.press("s")
        assert screen(driver) is not results
        assert screen(driver).query_one(Input).value == "refresh"
        await driver.press("escape", "escape")
        assert screen(driver) is results
        assert results.results.selected == "session s-1 L1 ask"
        assert results.query_one(Input).value == "refresh"
        # y copies the session, Y the command that resumes it.
        if results.focused is not results.results:  # a widget learns later that it has focus again
            await driver.press("shift+tab")
        await driver.press("y")
        await driver.until(lambda: driver.app.clipboard == "s-1", "the copy")
        # A name that is no id of Claude Code's is never part of a command.
        await driver.press("Y")
        assert driver.app.clipboard == "s-1" and "named by a UUID" in driver.last_said
        await driver.press("G", "R")
        assert driver.last_said == "Only a session can be resumed."


async def test_tab_searches_all_kinds_everywhere_and_in_this_session_alone(full: World) -> None:
    (full.root / ".project" / "pins.md").write_text("- refresh once (s-1 L9)\n- refresh twice\n")
    full.memory(1, "Refresh", session="s-1")
    own = f"memory {full.memory(2, 'Refresh', session='s-7')}"
    other = World(full.base, "elsewhere")
    other.save(session_elsewhere(other))
    other.capture(5, "Refresh the paint", session="s-9")
    other.reviewed_capture(7, "Another", KEPT.replace(goal="Refresh it"))
    reviewed = other.capture_path(7)
    reviewed.write_text(reviewed.read_text().replace("s-1", "s-9"))
    other.memory(3, "Refresh the paint", session="s-9")
    other.state(replaced(STATE, "Refresh the paint", other), session="s-9")
    (other.root / ".project" / "pins.md").write_text("- refresh the paint\n")
    for world in (full, other):
        folder = world.claude_memories.folder
        world.write(folder / "paint.md", "---\nname: paint\n---\n\nRefresh it\n")
    Pins(full.project, full.home).confirm(["refresh once", "refresh twice", "refresh the paint"])
    async with opened(full) as driver:
        await look_for(driver, "refresh")
        assert "this project" in driver.lines[0]
        seen = {}
        for _ in range(3):
            await driver.pilot.click("#search-scope")  # as tab does
            await driver.until(lambda: idle(driver), "the search")
            await driver.settled()
            seen[screen(driver)._scope] = set(found(driver))
        session, project, everywhere = (seen[scope] for scope in Scope)
        assert session < project
        assert project < everywhere
        assert kinds_of(session) == {"session", "memory", "capture", "state", "pin"}
        rest = {key for key in project - session if not key.startswith("session")}
        assert rest == {"pin pin 2", own, "Claude's memory paint.md"}
        assert kinds_of(everywhere - project) == set(map(str, Kind))


async def test_rows_show_the_match_at_every_width(world: World) -> None:
    session = world.session("s-2")
    session.prompt(f"Look at /home/ann/work/{'long/' * 6}file.py, and then say why the gasket was dropped")
    world.save(session)
    world.memory(1, "A decision", body="## Objective\n\nNever say it: the gasket is dear.\n")
    async with opened(world, WIDE) as driver:
        await look_for(driver, "why gasket dropped")
        for size in (WIDE, NARROW, SHORT, (40, 20)):
            await driver.resize(size)
            rows = [row.partition("│")[0] for row in driver.shown.splitlines()]
            shown = [row for row in rows if "❯" in row or "CMEM" in row or row.strip("▌ ").startswith("M ")]
            assert shown and all("gasket" in row and "/home/ann" not in row for row in shown), driver.shown


async def test_an_empty_project_and_a_filter_that_is_not_understood_are_named(world: World) -> None:
    async with opened(world, WIDE) as driver:
        await look_for(driver, "")
        assert "Nothing to search in yet." in driver.shown
        await driver.press("escape")
        world.memory(1, "The gasket")
        await look_for(driver, "gasket in:barn")
        assert found(driver) and "⚠ “barn” is searched as a word: in: takes sessions" in driver.shown
        await driver.type("q")
        await driver.until(lambda: "“barnq”" in driver.shown, "the word that is read now")
        await driver.type(" zebra")
        await driver.until(lambda: "⚠ Not found: barnq, zebra." in driver.shown, "the words that are nowhere")
