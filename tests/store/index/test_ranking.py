"""Scores by the formula in the module's docstring."""

from __future__ import annotations

from math import log

import pytest

from memtui.store.index.ranking import HALF_LIFE, Match, count, ranked

NOW = 1_000_000_000.0


def scores(*matches: Match, terms: tuple[str, ...] = ("lock",), average: float = 100) -> dict[str, float]:
    found = ranked(matches, terms, {"lock": 3}, memories=9, average=average, now=NOW)
    assert [score for score, _ in found] == sorted((score for score, _ in found), reverse=True)
    return {match.name: score for score, match in found}


def test_a_score_is_bm25_times_recency() -> None:
    found = scores(
        Match("new", NOW, 100, (2,)),
        Match("old", NOW - HALF_LIFE, 100, (2,)),
        Match("long", NOW, 300, (2,)),
        Match("later", NOW + 5, 100, (2,)),
    )
    idf = log(1 + (9 - 3 + 0.5) / (3 + 0.5))
    of_average = idf * 2 * 2.2 / (2 + 1.2)
    assert found == pytest.approx(
        {
            "new": of_average,
            "later": of_average,
            "old": of_average * 0.75,
            "long": idf * 2 * 2.2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 3)),
        }
    )


def test_a_term_without_a_count_weighs_most_and_no_term_weighs_one() -> None:
    assert scores(Match("a", NOW, 100, (1,)), terms=("rare",))["a"] == pytest.approx(log(1 + 9.5 / 0.5))
    assert scores(Match("a", NOW - HALF_LIFE, 7, ()), terms=())["a"] == pytest.approx(0.75)
    assert scores(Match("a", NOW, 1, (1,)), average=0) == scores(Match("a", NOW, 1, (1,)), average=1)


def test_equal_scores_are_ordered_by_time_and_name() -> None:
    matches = [Match(name, NOW + later, 1, (1,)) for name, later in (("a", 1), ("b", 1), ("c", 2))]
    assert [match.name for _, match in ranked(matches, ["lock"], {}, memories=3, average=1, now=NOW)] == [
        "c",
        "b",
        "a",
    ]


def test_beginnings_of_words_and_the_head_count_more() -> None:
    assert count([b"lock", b"key", b"x"], b"lock\nunlock the lock", 4) == (3 + 1 + 4, 0, 0)
