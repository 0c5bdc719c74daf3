from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memtui.ground.files import create_exclusive
from memtui.ground.project import memtui_home
from memtui.lost import outbox as outbox_module
from memtui.lost.handover_marks import is_whole, mark_of, with_mark
from memtui.lost.outbox import RESCUE, Message, Outbox

SESSION = "90dd90a0-1111-4222-8333-444455556666"


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(memtui_home({"MEMTUI_HOME": str(tmp_path)}), SESSION)


def test_messages_wait_in_their_order_until_they_are_taken(outbox: Outbox) -> None:
    for text in ("one", "two"):
        outbox.put(Message(RESCUE, text, rows=2))
    first, second = outbox.waiting()
    assert (first.text, second.text, first.rows) == ("one", "two", 2)
    taken = outbox.take(first)
    assert taken and not outbox.take(first)
    assert [message.text for message in outbox.waiting()] == ["two"]
    assert outbox.remove(taken) and outbox.remove(second)
    assert outbox.waiting() == []
    assert not outbox.folder.exists()


def test_of_many_takers_one_gets_it(outbox: Outbox) -> None:
    outbox.put(Message(RESCUE, "x"))
    (message,) = outbox.waiting()
    with ThreadPoolExecutor(8) as pool:
        assert sum(map(bool, pool.map(lambda _: outbox.take(message), range(8)))) == 1


def test_messages_of_a_killed_hook_wait_again_with_their_mark(outbox: Outbox) -> None:
    outbox.put(Message(RESCUE, "x"))
    for marks in ((), ("0a1b2c3d",), ("0a1b2c3d", "0a1b2c3d")):
        (message,) = outbox.waiting()
        assert (message.text, message.printed) == ("x", marks)
        taken = outbox.take(message)
        assert taken and outbox.waiting() == []
        noted = outbox.note(taken, "0a1b2c3d")
        assert outbox.waiting() == []
        os.utime(noted.path, (0, 0))


def test_a_message_can_be_withdrawn_until_delivered(outbox: Outbox) -> None:
    left = outbox.put(Message(RESCUE, "x"))
    assert outbox.remove(left)
    assert outbox.waiting() == []


def test_a_folder_that_is_removed_meanwhile_is_made_again(
    outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = create_exclusive
    calls: list[Path] = []

    def create(path: Path, data: bytes) -> bool:
        calls.append(path)
        if len(calls) == 1:
            path.parent.rmdir()
        return real(path, data)

    monkeypatch.setattr(outbox_module, "create_exclusive", create)
    outbox.put(Message(RESCUE, "x"))
    assert len(calls) == 2
    assert [message.text for message in outbox.waiting()] == ["x"]


def test_broken_messages_are_passed_over(outbox: Outbox) -> None:
    outbox.put(Message(RESCUE, "x"))
    (outbox.folder / "9.json").write_text('{"kind": "rescue", "text": "x", "rows": Infinity}')
    (outbox.folder / "0-rescue.json").write_text("{")
    (outbox.folder / "1-rescue.json").write_text('{"kind": "rescue"}')
    assert [message.text for message in outbox.waiting()] == ["x"]


def test_a_mark_shows_whether_all_of_a_text_is_there() -> None:
    text = with_mark("Notes on 税\n\nwith lines\n")
    assert text == f"Notes on 税\n\nwith lines\n\nmemtui:{mark_of(text)}"
    assert is_whole(text) and is_whole(f"{text}\nsaid another hook")
    assert mark_of(text[9:]) == mark_of(text) and not is_whole(text[9:])
    assert not is_whole("no mark")
