"""The detail of each kind of row, and the reasons for an empty one."""

from __future__ import annotations

import json

from memtui.app.panes.pane import PaneId
from memtui.ground.project import claude_config
from tests.app.harness import NARROW, WIDE, opened
from tests.app.world import FIRST, World, captured_session


async def test_a_capture_then_the_facts_of_what_it_covers(full: World) -> None:
    async with opened(full) as driver:
        await driver.until(lambda: "What it covers" in driver.detail, "the facts")
        head, _, facts = driver.detail.partition("What it covers")
        title, kind, when = head.split("\n")[:3]
        assert title == "Capture 05 Mar 13:10 Fix the token refresh race"
        assert kind == "pending · auto · session s-1"
        assert when == "2026-03-05 13:10 · 10 m ago"
        assert f"First message\n{FIRST}\nIt shows under load." in head
        assert "1 file modified" in facts
        assert "src/tokens.py" in facts


async def test_the_title_of_a_row_is_the_first_line_that_says_something(world: World) -> None:
    world.capture(1, "\n   \nSecond line\nthird")
    world.capture(2, "")
    world.capture(3, "brainstorm:\n\nhow the lock\nis let go")
    async with opened(world, WIDE) as driver:
        first, second, third = driver.drawn(PaneId.PENDING)
        assert "Second line" in first
        assert "third" not in first
        assert "(no first message)" in second
        assert "brainstorm: how the lock" in third
        assert "is let go" not in third


BROKEN = {
    "20260301_100002-autocompact.md": (
        b"# Autocompact Capture\n\n**Status:** lost\n**Timestamp:** 2026-03-01T10:00:02+01:00\n",
        "its status is 'lost'",
    ),
    "20260301_100004-autocompact.md": (b"x" * ((1 << 20) + 1), "is larger than"),
    "20260301_100005-autocompact.md": (b"\x00\xff\xfe\x1b[2J", "neither the title"),
}


async def test_broken_captures_are_listed_with_their_reason(world: World) -> None:
    for name, (data, _) in BROKEN.items():
        world.write(world.project.compacts / name, data)
    (world.project.compacts / "20260301_100006-autocompact.md").mkdir()
    (world.project.compacts / "20260301_100007-autocompact.md").symlink_to("/etc/passwd")
    world.capture(1, "A good one")
    async with opened(world, (200, 45)) as driver:
        assert "1 Pending 1 ⚠5" in driver.shown
        pane = driver.pane(PaneId.PENDING)
        for name, (_, reason) in BROKEN.items():
            assert reason in pane.draw_row(name, 200).plain
            pane.select(name)
            await driver.until(lambda name=name: name in driver.detail)  # type: ignore[misc]
            assert "This capture " in driver.detail
            assert reason in driver.detail
        await driver.press("r")
        assert driver.last_said.startswith("This capture cannot be reviewed: it is broken: ")
        for name in ("20260301_100006-autocompact.md", "20260301_100007-autocompact.md"):
            assert "⚠" in pane.draw_row(name, 200).plain
            assert "root:" not in pane.draw_row(name, 200).plain


async def test_a_compacts_folder_that_leads_elsewhere_is_not_looked_into(world: World) -> None:
    outside = world.base / "outside"
    world.write(outside / "20260301_100000-autocompact.md", "secret")
    world.project.compacts.parent.mkdir(parents=True)
    world.project.compacts.symlink_to(outside, target_is_directory=True)
    async with opened(world) as driver:
        assert "leads out of the project" in driver.shown
        assert "○ lost" in driver.shown
        assert not driver.pane(PaneId.PENDING).rows


async def test_memories_show_time_title_and_tags(full: World) -> None:
    async with opened(full, (180, 45)) as driver:
        stored, reviewed, older = driver.drawn(PaneId.MEMORIES, 100)
        assert stored.startswith("05 Mar 13:50 JWT keys rotate without logging anyone out  #auth #jwt")
        assert reviewed.startswith("03 Mar 12:20 ✎ Billing moved")
        assert "#money" in older
        await driver.press("2")
        assert "Recovery ID CMEM-20260305-135007 · 2026-03-05 12:50 · 30 m ago" in driver.detail
        assert f"project {full.root} · #auth #jwt" in driver.detail
        assert "Keep every session valid while the keys move." in driver.detail


async def test_a_broken_memory_is_listed_with_its_reason(world: World) -> None:
    folder = world.home.memories / "2026-03"
    world.write(folder / "CMEM-20260301-100000.md", "---\nid: nonsense\ncreated: [\n---\nText\n")
    world.write(folder / "CMEM-20260301-100001.md", "No front matter\n\n## Objective\nSaved by hand\n")
    async with opened(world, (200, 45)) as driver:
        by_hand, broken = driver.drawn(PaneId.MEMORIES, 150)
        assert "Saved by hand" in by_hand
        assert "is broken: " in broken
        await driver.press("2", "G")
        assert "Text" in driver.detail


async def test_a_row_says_when_nothing_of_its_command_outlives_a_compaction(world: World) -> None:
    world.commands("ask", "plain", "nosuch", "mine")
    world.command_file("ask", "Name your sources")
    world.write(world.project.command_folders[0] / "plain.md", "# Plain\n\nNo summary here.\n")
    marked = "<!-- COMPACT_SUMMARY_START -->\nx\n<!-- COMPACT_SUMMARY_END -->\n"
    world.write(claude_config() / "commands" / "mine.md", marked)
    async with opened(world) as driver:
        ask, plain, nosuch, mine = driver.drawn(PaneId.COMMANDS, 40)
        assert "⚠ no file" in nosuch
        assert "⚠ no summary" in plain
        assert "⚠" not in ask + mine
        world.command_file("nosuch", "Here I am")
        driver.app.hint("commands")
        await driver.until(lambda: "⚠ no file" not in driver.shown, "the mark's leaving")


async def test_a_row_and_its_detail_say_that_rules_are_too_long(world: World) -> None:
    world.commands("ask")
    world.command_file("ask", "Name your sources. " * 300)
    async with opened(world) as driver:
        await driver.press("3")
        assert driver.drawn(PaneId.COMMANDS, 40)[0].startswith("/ask ⚠ shortened")
        assert "5,700 characters: room for about 3,500 or more after a compaction" in driver.detail


HOSTILE_NAMES = [
    "../../secrets",
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "a/../../../../secrets",
    "nul\x00byte",
    "~/secrets",
    "..",
    "research//ask",
    "back\\slash",
    "link",
]


async def test_names_that_lead_elsewhere_open_nothing(world: World) -> None:
    world.commands(*HOSTILE_NAMES)
    marked = "<!-- COMPACT_SUMMARY_START -->\nTOP SECRET\n<!-- COMPACT_SUMMARY_END -->\n"
    for place in (world.base, world.root, world.root / ".claude", world.root / ".claude" / "commands"):
        world.write(place / "secrets.md", marked)
    world.write(world.project.command_folders[2] / "kept.md", "x")
    (world.project.command_folders[2] / "link.md").symlink_to(world.base / "secrets.md")
    async with opened(world) as driver:
        await driver.press("3")
        pane = driver.pane(PaneId.COMMANDS)
        assert len(pane.rows) == len(HOSTILE_NAMES)
        for name, key in zip(HOSTILE_NAMES, pane.rows, strict=True):
            pane.select(key)
            await driver.handled()
            await driver.settled()
            assert driver.detail.startswith("Command "), name
            assert ": " in driver.detail, name
            assert "Compact summary" not in driver.detail, name
            assert "TOP SECRET" not in driver.detail, name
            await driver.press("j")


async def test_entries_that_cannot_be_used_are_listed_with_their_reason(world: World) -> None:
    text = json.dumps({"active_commands": [{"name": "good"}, {"name": ""}, 7, "text"]})
    world.write(world.project.session_state_json, text)
    async with opened(world) as driver:
        assert driver.drawn(PaneId.COMMANDS)[:2] == ["/good ⚠ no file", "/text ⚠ no file"]
        assert "entry 2 has no name" in driver.shown
        await driver.press("3", "G")
        assert "entry 3" in driver.detail


async def test_a_stored_state_is_shown_whole_and_at_a_glance(full: World) -> None:
    async with opened(full) as driver:
        await driver.until(lambda: "session" in driver.drawn(PaneId.STATE)[0])
        rows = driver.drawn(PaneId.STATE)
        assert rows[:2] == [f"session {FIRST}", "goal Tokens that refresh once"]
        assert "▸ Take the lock before reading" in rows
        assert any("blocker the mock has no clock" in row for row in rows)
        assert "○ Remove the retry" in rows
        assert "4 Session state v7" in driver.shown
        await driver.press("4")
        assert driver.detail.startswith(f"Session · version 7 · {FIRST}\nstored · ")
        assert "▸ Take the lock before reading" in driver.detail
        assert not any(mark in driver.detail for mark in ("===", "[x]", "[ ]", "NEVER delete"))
        assert "one lock a session" in driver.detail


async def test_words_are_no_steps_and_nothing_is_said_of_what_is_not_there(world: World) -> None:
    steps = (
        '- [ ] **IN PROGRESS**: "Lock it" (L9)\n  - Sub: Claude said last (L7): "Done."\n'
        "  - Blocker: None on record\n\n## WORKING CONTEXT\n- Files modified: a.py\n- Dependencies: N/A\n"
        "- Technical state:\n  - Plan: none\n  - Step: 2\n"
    )
    world.state(f"=== SESSION STATE v1 ===\n\n## TASK TREE\n{steps}\n=== END STATE ===\n")
    captured_session(world)
    async with opened(world) as driver:
        assert driver.drawn(PaneId.STATE)[-2:] == ['asked "Lock it" (L9)', 'said "Done."']
        await driver.press("4")
        shown = driver.detail.partition("TASK TREE")[2].split()
        assert " ".join(shown) == (
            '▸ "Lock it" (L9) Claude said last (L7): "Done."'
            " WORKING CONTEXT • Files modified: a.py • Technical state: • Step: 2"
        )


async def test_a_state_with_nothing_to_tell_at_a_glance(world: World) -> None:
    world.state("=== SESSION STATE v1 ===\n\n## TASK TREE\n- N/A\n\n=== END STATE ===\n")
    captured_session(world)
    async with opened(world) as driver:
        assert "Neither a goal nor a task yet: enter shows the document." in driver.pane(PaneId.STATE).empty
        await driver.press("4", "enter")
        assert "Task tree" not in driver.shown


async def test_without_a_stored_state_one_is_drafted_and_marked_so(world: World) -> None:
    captured_session(world)
    async with opened(world) as driver:
        for size in (WIDE, NARROW):
            await driver.resize(size)
            await driver.until(lambda: "4 Session state drafted" in driver.shown, f"the draft at {size}")
            await driver.press("4")
            assert driver.detail.startswith("Session · drafted · "), size
            assert "\ndrafted from the transcript · " in driver.detail, size
            assert FIRST in driver.detail, size
    assert not world.home.states.exists()


async def test_a_broken_state_says_so(world: World) -> None:
    captured_session(world)
    path = world.state("nothing of the kind")
    async with opened(world) as driver:
        assert "is broken" in driver.shown
        await driver.press("4")
        assert "is broken" in driver.detail
        await driver.press("e")
        assert str(path) in driver.last_said


async def test_a_session_has_one_name_everywhere(full: World) -> None:
    session = full.session("s-1", minutes=40)
    session.title("The refresh race")
    full.save(session, minutes=30)
    async with opened(full) as driver:
        await driver.until(lambda: "The refresh race" in driver.drawn(PaneId.PENDING)[0], "the capture's")
        assert "Capture 05 Mar 13:10 The refresh race" in driver.detail
        await driver.until(lambda: "session The refresh race" in driver.drawn(PaneId.STATE), "the state's")
        await driver.press("4", "g", "!")  # a title is no rule
        assert (await driver.until_said("pin")).startswith("This row is no line to pin: enter opens")
        await driver.press("S")
        await driver.until(lambda: "05 Mar 12:40 The refresh race" in driver.shown, "the session's")
