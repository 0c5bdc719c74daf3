"""Messages for a session are delivered once; missing pins are handed over again after a compaction."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from memtui.documents.pins import Pin
from memtui.hooks.records import Report
from memtui.hooks.sections import LIMIT, size_of
from memtui.lost.handover_marks import is_whole, mark_of
from memtui.lost.outbox import PINS, RESCUE, Message, Outbox
from memtui.lost.pins import Pins
from tests.hooks.world import SESSION, World, context

PROMPT = "user-prompt-submit"
PIN = "Never push to main, whatever happens"


def outbox(world: World) -> Outbox:
    return Outbox(world.home, SESSION)


def pin(world: World) -> None:
    Pins(world.project, world.home).add(Pin(PIN))


def test_a_rescue_comes_with_the_next_prompt_once_and_marked(world: World) -> None:
    outbox(world).put(Message(RESCUE, "Notes: src/tax.ts was changed", rows=2))
    report = Report()
    text = context(world.within(PROMPT, report, prompt="go on"))
    assert text.startswith("Notes: src/tax.ts was changed\n\nmemtui:")
    assert is_whole(text)
    expected = f"handed over 2 chosen lines; {len(text)} characters of context, memtui:{mark_of(text)}"
    assert report.detail == expected
    assert world.within(PROMPT, prompt="go on") == ""


def test_a_resumed_session_gets_it_at_its_start(world: World) -> None:
    outbox(world).put(Message(RESCUE, "the rescue"))
    assert "the rescue" in context(world.within("session-start", source="resume"))
    assert world.within("session-start", source="resume") == ""


def test_hooks_that_run_at_the_same_time_deliver_it_once(world: World) -> None:
    for number in range(3):
        outbox(world).put(Message(RESCUE, f"rescue {number}"))
    with ThreadPoolExecutor(6) as pool:
        printed = list(pool.map(lambda _: world.within(PROMPT, prompt="go on"), range(6)))
    result = "".join(context(text) for text in printed)
    assert [result.count(f"rescue {number}") for number in range(3)] == [1, 1, 1]


def test_no_other_session_gets_it_and_no_subagent(world: World) -> None:
    outbox(world).put(Message(RESCUE, "the rescue"))
    assert world.within(PROMPT, prompt="x", session_id="another") == ""
    assert world.within(PROMPT, prompt="x", agent_id="a1") == ""
    assert len(outbox(world).waiting()) == 1


def test_messages_without_room_wait_for_the_next_prompt(world: World) -> None:
    for letter in "ab":
        outbox(world).put(Message(RESCUE, letter * 6_000))
    outbox(world).put(Message(RESCUE, "c" * 20_000))
    texts = [context(world.within(PROMPT, prompt="x")) for _ in range(4)]
    assert [(text[:1], size_of(text) <= LIMIT) for text in texts] == [
        ("a", True),
        ("b", True),
        ("c", True),
        ("", True),
    ]


def test_as_a_process(world: World) -> None:
    outbox(world).put(Message(RESCUE, "the rescue"))
    command = [sys.executable, "-I", "-m", "memtui.hooks", PROMPT]
    first, second = (world.run(PROMPT, command=command, prompt="go on") for _ in range(2))
    assert (first.code, "the rescue" in context(first.out), first.err) == (0, True, "")
    assert (second.code, second.out, second.err) == (0, "", "")
    assert [run.event for run in world.runs] == [PROMPT]  # the second had nothing to do, and logged nothing


def test_pins_that_the_transcript_lacks_come_again(world: World) -> None:
    pin(world)
    notes = context(world.within("session-start", source="compact"))
    assert PIN in notes
    world.within("post-compact", summary="", compact_summary="nothing of it")
    (message,) = outbox(world).waiting()
    assert (message.kind, message.unless) == (PINS, mark_of(notes))
    again = context(world.within(PROMPT, prompt="go on"))
    assert PIN in again and "missing in the summary" in again
    assert world.within(PROMPT, prompt="go on") == ""


def test_pins_that_arrived_or_were_kept_do_not_come_again(world: World) -> None:
    pin(world)
    notes = context(world.within("session-start", source="compact"))
    record = {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [notes]}}
    world.write_transcript([record])
    report = Report()
    assert world.within(PROMPT, report, prompt="go on") == ""
    assert report.detail == "the pins have arrived already"
    world.within("session-start", source="compact")
    report = Report()
    world.within("post-compact", report, compact_summary=f"1. All:\n   - {PIN.lower()}.")
    assert report.detail == "the summary kept 1 of 1 pins"
    assert outbox(world).waiting() == []


def test_without_the_start_the_summary_decides(world: World) -> None:
    pin(world)
    for _ in range(2):  # should the hook run twice, they wait once
        world.within("post-compact", compact_summary="nothing of it")
    assert PIN in context(world.within(PROMPT, prompt="go on"))
    assert world.within(PROMPT, prompt="go on") == ""


def test_runs_of_post_compact_at_the_same_time_leave_one_message(world: World) -> None:
    pin(world)
    notes = context(world.within("session-start", source="compact"))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: world.within("post-compact", compact_summary="nothing"), range(4)))
    assert [message.unless for message in outbox(world).waiting()] == [mark_of(notes)]
