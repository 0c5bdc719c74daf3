"""Calls come with their results, few blocks are held, and nothing is lost."""

from __future__ import annotations

from memtui.transcript.blocks import Block, Shown
from memtui.transcript.call_pairs import _MOST_WAITING, paired
from memtui.transcript.events import Boundary, Call, Result, Said, Words


def numbered(*events: Shown) -> list[tuple[int, Block]]:
    return [(at, Block((at, 0), at + 1, event)) for at, event in enumerate(events, 1)]


def called(name: str) -> Call:
    return Call(name, "Bash", {}, "")


def ended(name: str) -> Result:
    return Result(name, "done", False, None, "")


def shape(*events: Shown) -> list[tuple[int, str, bool]]:
    return [
        (each.number, type(each.block.event).__name__, each.result is not None)
        for each in paired(numbered(*events))
    ]


def test_results_stand_with_their_calls_in_the_order_of_the_calls() -> None:
    found = list(paired(numbered(called("a"), called("b"), Said("hm", ""), ended("b"), ended("a"))))
    assert [(each.number, each.result and each.result.id) for each in found] == [
        (1, "a"),
        (2, "b"),
        (3, None),
    ]


def test_a_result_behind_an_ask_or_a_compaction_comes_by_itself() -> None:
    for event in (Words("typed", "stop"), Boundary("auto", None, None)):
        assert shape(called("a"), event, ended("a")) == [
            (1, "Call", False),
            (2, type(event).__name__, False),
            (3, "Result", False),
        ]


def test_a_call_waits_for_a_bounded_number_of_blocks() -> None:
    many = [Said("so", "")] * (_MOST_WAITING + 5)
    found = shape(called("a"), *many, ended("a"))
    assert len(found) == len(many) + 2
    assert found[0] == (1, "Call", False) and found[-1][1] == "Result"


def test_a_call_without_a_result_and_one_without_an_id_are_shown() -> None:
    assert [each[1] for each in shape(called(""), ended(""), called("a"))] == ["Call", "Result", "Call"]
