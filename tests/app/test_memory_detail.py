"""The detail of a stored memory: what it is related to, its plan folded."""

from __future__ import annotations

import threading

import pytest

from memtui.app.details.memory import recovery_lines
from memtui.app.panes.pane import PaneId
from memtui.app.widgets.document import Document, Layout
from memtui.documents.recovery import Plan, Recovery, RoleFile, render_recovery
from tests.app.harness import SHORT, WIDE, Driver, opened
from tests.app.world import World

STEPS = tuple(f"{number}. Step {number} of the plan" for number in range(1, 9))


def body(world: World, objective: str, *files: str) -> str:
    return render_recovery(
        Recovery(
            project_root=str(world.root),
            objective=objective,
            plan=Plan(source="todo", content="\n".join(STEPS)),
            working_files=tuple(RoleFile(path=f"{world.root}/{path}", role="changed") for path in files),
            last_action="Ran the tests: all passed",
        )
    )


@pytest.fixture
def names(world: World) -> list[str]:
    """Three memories: the first shares a file with the second, and its session with the third."""
    return [
        world.memory(1, "First", body=body(world, "Do one", "src/a.py", "src/b.py"), session="s-9"),
        world.memory(2, "Second", body=body(world, "Do two", "src/b.py"), session="s-8"),
        world.memory(3, "Third", body=body(world, "Do three", "src/c.py"), session="s-9"),
        world.memory(4, "Fourth", body=body(world, "Do four", "src/d.py"), session="s-7"),
    ]


async def read(driver: Driver) -> None:
    await driver.press("2")
    await driver.until(lambda: "related 2 memories" in driver.detail, "the relations")


async def test_it_begins_with_what_a_person_wrote_in_its_review(world: World) -> None:
    notes = "- **From the review**\n  - Ask the till\n  - Twice"
    world.memory(1, "First", body=render_recovery(Recovery(objective="Round once", notes=notes)))
    async with opened(world) as driver:
        await driver.press("2")
        await driver.until(lambda: "Ask the till" in driver.detail, "the detail")
        assert driver.detail.index("Twice") < driver.detail.index("Objective\nRound once")


async def test_it_tells_the_relations_and_what_is_named_and_tab_and_enter_fold(
    world: World, names: list[str]
) -> None:
    async with opened(world) as driver:
        await read(driver)
        detail = driver.detail
        assert f"  {names[1]} Second  src/b.py" in detail
        assert f"  {names[2]} Third  s-9" in detail
        assert names[3] not in detail
        assert "▸ names  2 files · 1 session · 1 project" in detail
        assert "▸ Full Execution Plan  8 lines" in detail
        assert STEPS[0] not in detail
        assert "Objective\nDo one" in detail
        await driver.press("enter", "tab", "tab", "tab", "enter")
        await driver.until(lambda: "▾ names" in driver.detail, "the names")
        assert "src/a.py" in driver.detail.partition("▾ names")[2].partition("Objective")[0]
        await driver.press("tab", "enter")
        await driver.until(lambda: "▾ Full Execution Plan" in driver.detail, "the plan")
        assert "\n".join(STEPS) in driver.detail
        await driver.press("enter")
        await driver.until(lambda: STEPS[0] not in driver.detail, "folding")
        assert "▾ names" in driver.detail
        below = [fold for fold in driver.detail.split("\n") if fold.startswith("▸")]
        await driver.press(*["tab"] * len(below))  # beyond the last link it is the browser's own again
        assert driver.at(PaneId.COMMANDS)


async def test_enter_follows_to_a_related_memory_and_esc_comes_back(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        for size, enters in ((WIDE, 2), (SHORT, 3)):  # there it is out of sight at first
            await driver.resize(size)
            await read(driver)
            pane = driver.pane(PaneId.MEMORIES)
            await driver.press(*["enter"] * enters)
            assert pane.selected == f"{names[1]}.md", size
            assert driver.reading(), size
            await driver.until(lambda: "Objective\nDo two" in driver.detail, "the other memory")
            await driver.press("escape")
            assert pane.selected == f"{names[0]}.md", size
            assert driver.reading(), size
            await driver.press("escape")
            assert driver.at(PaneId.MEMORIES), size


async def test_a_related_memory_that_is_hidden_is_shown(world: World, names: list[str]) -> None:
    other = world.memory(
        5, "Other", body=body(world, "Five", "src/b.py"), project="/elsewhere", session="s-9"
    )
    async with opened(world) as driver:
        await driver.press("2")
        await driver.until(lambda: other in driver.detail, "the relation")
        row = driver.line_of(f"{other} Other")
        await driver.pilot.click(offset=(70, row))
        await driver.until(lambda: "Objective\nFive" in driver.detail, "the other memory")
        assert "A hides those again" in driver.last_said
        assert driver.reading()


async def test_a_text_that_is_none_says_so(world: World) -> None:
    world.memory(1, "Just words", body="Nothing but words.\n\n<details>\nNever closed\n")
    async with opened(world) as driver:
        assert driver.browser.focused is driver.browser.memories, "the pane that has something"
        await driver.until(lambda: "▸ names" in driver.detail, "the detail")
        assert "Never closed" in driver.detail


FOLDED = {
    "plain": (
        "<details>\n<summary>Plan (Click to expand)</summary>\n\na\nb\n\n</details>",
        "▸ Plan  2 lines",
    ),
    "no summary": ("<details>\na\n</details>\nafter", "▸ Details  1 line\nafter"),
    "not closed": ("<details>\na", "<details>\na"),
    "its own end inside": (
        "<details>\na\n</details>\nb\n</details>\n## Working Files (Modified)\nc",
        "▸ Details  3 lines\nWorking Files (Modified)\nc",
    ),
    "two": ("<details>\na\n</details>\n<details>\nb\n</details>", "▸ Details  1 line\n▸ Details  1 line"),
    "windows": ("<details>\r\na\r\n</details>\r\n", "▸ Details  1 line\n"),
}


async def test_it_begins_with_what_was_wanted_and_what_comes_next(world: World) -> None:
    text = render_recovery(
        Recovery(project_root=str(world.root), objective="Do one\nand more", pending=("Ship it", "Rest"))
    )
    name = world.memory(1, "First", body=text)
    async with opened(world) as driver:
        await driver.press("2")
        await driver.until(lambda: "▸ names" in driver.detail, "the detail")
        lines = driver.detail.split("\n")
        assert lines[1:6] == ["First", "objective Do one", "next step Ship it", "", lines[5]]
        assert lines[5].startswith(f"Recovery ID {name} · ")


EMPTY = """## Objective
Do one

## Decisions
- N/A: no answer on record

## Constraints
- (none)

## Pending
- Ship it

## Notes

## Plan
<details>
a
</details>"""


def test_sections_in_which_nothing_stands_are_left_out_but_in_code() -> None:
    shown = ["Objective", "Do one", "", "Pending", "• Ship it", "", "Plan", "▸ Details  1 line"]
    assert [line.text for line in recovery_lines(EMPTY, ())] == shown
    text = "## Notes\n```\n## Empty\n```"
    assert [line.text for line in recovery_lines(text, ())] == ["Notes", "```", "## Empty", "```"]


@pytest.mark.parametrize("name", FOLDED)
def test_details_are_folded(name: str) -> None:
    text, expected = FOLDED[name]
    assert "\n".join(line.text for line in recovery_lines(text, ())) == expected


def test_to_read_it_whole_shows_the_plan_below_its_own_heading() -> None:
    plan = "<details>\n<summary>Plan (Click to expand)</summary>\n\n# Build\n- a\n\n</details>"
    shown = [(line.text, line.role) for line in recovery_lines(f"## Execution Plan\n{plan}")]
    assert shown == [
        ("Execution Plan", "heading"),
        ("Plan", "label"),
        ("Build", "strong"),
        ("• a", ""),
        ("", ""),
    ]


async def test_a_secret_in_the_text_is_named(world: World) -> None:
    world.memory(1, "First", body=body(world, f"Rotate gh{'p_'}{'a1B2' * 9}"))
    async with opened(world) as driver:
        await driver.press("2")
        await driver.until(lambda: "It holds a secret: github token" in driver.detail, "the secret")
        assert "masked where it is handed over" in driver.detail.replace("\n", " ")


async def test_files_that_have_changed_since_are_marked_and_named(world: World) -> None:
    for name, minutes in (("src/a.py", -1), ("src/b.py", 500)):
        world.write(world.root / name, "x", minutes=minutes)
    world.memory(1, "First", body=body(world, "Do one", "src/a.py", "src/b.py", "src/c.py"))
    async with opened(world) as driver:
        await driver.press("2")
        await driver.until(lambda: "△ First" in driver.drawn(PaneId.MEMORIES)[0], "the mark")
        said = "▸ △ 1 of 3 files changed since, 1 gone"
        await driver.until(lambda: said in driver.detail, "what has changed")
        driver.pane(PaneId.MEMORIES).toggled.add("stale")
        driver.browser.show_detail()
        await driver.until(lambda: "changed src/a.py" in driver.detail, "which")
        assert "gone src/c.py" in driver.detail


async def test_keys_do_not_wait_for_the_layout_of_a_long_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited_for = [0]
    make = Layout.__init__

    def noted(layout: Layout, document: Document, width: int) -> None:
        if threading.current_thread() is threading.main_thread():
            waited_for.append(len(document))
        make(layout, document, width)

    monkeypatch.setattr(Layout, "__init__", noted)
    world.memory(1, "Long", body="\n".join(f"- line {number}" for number in range(3000)))
    async with opened(world) as driver:
        await driver.press("2")
        await driver.until(lambda: "line 2999" in driver.detail, "the text")
    assert max(waited_for) < 1000
