"""Sharing a limited room among texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.hooks.sections import abridged, shares, shortened_sections, size_of

PATH = ".claude/commands/babysit.md"

LINES = st.lists(
    st.sampled_from(["", "# Rules", "## Part two", "```", "- ask first", "x" * 90, "日本語の規則"])
)


@given(st.lists(st.integers(0, 10_000)), st.integers(0, 20_000))
def test_shares_fit_and_waste_nothing(sizes: list[int], room: int) -> None:
    given_room = shares(sizes, room)
    assert all(share <= size for share, size in zip(given_room, sizes, strict=True))
    assert sum(given_room) == min(sum(sizes), room) or sum(sizes) > room >= sum(given_room)
    cut = [share for share, size in zip(given_room, sizes, strict=True) if share < size]
    assert not cut or max(given_room) - min(cut) <= 1


def test_a_short_text_stays_as_it_is() -> None:
    assert abridged("# Rules\nask first", 100, PATH) == "# Rules\nask first"


def test_every_part_keeps_its_first_lines() -> None:
    body = "\n".join(f"line {number} of a long part" for number in range(200))
    text = "\n\n".join(f"## Part {number}\n\n{body}" for number in range(3))
    short = abridged(text, 3_000, PATH)
    assert size_of(short) <= 3_000
    for number in range(3):
        assert f"## Part {number}" in short
    assert short.count("line 1 of a long part") == 3
    assert short.endswith(f" more characters: read {PATH}")
    missing = int(short.rpartition("... ")[2].partition(" ")[0].replace(",", ""))
    assert missing == size_of(text) - size_of(short.rpartition("\n\n...")[0])


def test_a_hash_inside_a_fence_begins_no_part() -> None:
    text = "\n".join(["# Rules", "```sh", "# a comment", "run", "```", *["more rules"] * 400])
    assert "# a comment\nrun\n```" in abridged(text, 1_000, PATH)


@given(LINES, st.integers(300, 3_000))
def test_an_abridged_text_has_room(lines: list[str], room: int) -> None:
    text = "\n".join(lines * 3)
    assert size_of(abridged(text, room, PATH)) <= max(room, 0)


@given(st.lists(st.lists(st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=80))))
def test_shortened_sections_have_room(sections: list[list[str]]) -> None:
    text = "\n\n".join("\n".join((f"## Section {n}", *(f"- {x}" for x in s))) for n, s in enumerate(sections))
    short = shortened_sections(text, 2_000, PATH)
    assert size_of(short) <= max(2_000, 300 * len(sections))
