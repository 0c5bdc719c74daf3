"""The position in a list after its rows changed: nothing jumps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.app.widgets.row_keys import RowKeys, Spot, carry_over

KEYS = st.lists(st.integers(0, 40).map(lambda number: f"{number:03}"), unique=True, max_size=40).map(sorted)


def carry(old: list[str], new: list[str], spot: Spot, height: int, *, moved: bool, at_top: bool) -> Spot:
    rows = RowKeys(new)
    return carry_over(
        RowKeys(old),
        rows,
        spot,
        height,
        moved=moved,
        at_top=at_top,
        selectable=lambda index, _: index if 0 <= index < len(new) else -1,
    )


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[str], list[str], Spot, int]:
    old, new = draw(KEYS.filter(bool)), draw(KEYS)
    height = draw(st.integers(1, 12))
    top = draw(st.integers(0, max(0, len(old) - height)))
    return old, new, Spot(draw(st.integers(0, len(old) - 1)), top), height


@given(changes(), st.booleans())
def test_the_selected_row_stays_or_its_neighbour_takes_over(
    change: tuple[list[str], list[str], Spot, int], at_top: bool
) -> None:
    old, new, spot, height = change
    after = carry(old, new, spot, height, moved=True, at_top=at_top)
    heirs = [key for key in old[spot.selected :] if key in new] or [
        key for key in reversed(old[: spot.selected]) if key in new
    ]
    if heirs:
        assert new[after.selected] == heirs[0]
    else:
        assert after.selected == min(spot.selected, len(new) - 1)


@given(changes(), st.booleans(), st.booleans())
def test_the_place_exists(change: tuple[list[str], list[str], Spot, int], moved: bool, at_top: bool) -> None:
    old, new, spot, height = change
    after = carry(old, new, spot, height, moved=moved, at_top=at_top)
    assert -1 <= after.selected < len(new)
    assert (after.selected == -1) == (not new)
    assert 0 <= after.top <= max(0, len(new) - height)


@given(changes())
def test_the_first_row_in_sight_keeps_its_screen_line(change: tuple[list[str], list[str], Spot, int]) -> None:
    old, new, spot, height = change
    after = carry(old, new, spot, height, moved=True, at_top=False)
    kept = [index for index in range(spot.top, len(old)) if old[index] in new]
    if not kept:
        return
    there = new.index(old[kept[0]]) - after.top
    here = kept[0] - spot.top
    at_an_end = after.top in (0, max(0, len(new) - height))
    beside_selected = after.selected in (after.top, after.top + height - 1)
    assert there == here or at_an_end or beside_selected


@given(changes(), st.booleans(), st.booleans())
def test_a_selected_row_in_sight_stays_in_sight(
    change: tuple[list[str], list[str], Spot, int], moved: bool, at_top: bool
) -> None:
    old, new, spot, height = change
    if new and spot.top <= spot.selected < spot.top + height:
        after = carry(old, new, spot, height, moved=moved, at_top=at_top)
        assert after.top <= after.selected < after.top + height


def test_rows_above_do_not_move_what_is_in_sight() -> None:
    old = [f"{number:03}" for number in range(10, 60)]
    assert carry(old, ["001", "002", *old], Spot(12, 10), 5, moved=True, at_top=False) == Spot(14, 12)
    assert carry(old, old[3:], Spot(12, 10), 5, moved=True, at_top=False) == Spot(9, 7)
    assert carry(old, old[:5] + old[11:], Spot(12, 10), 5, moved=True, at_top=False) == Spot(6, 4)


def test_the_newest_row_is_selected_until_the_user_moves() -> None:
    old = ["b", "c"]
    assert carry(old, ["a", *old], Spot(0, 0), 5, moved=False, at_top=True) == Spot(0, 0)
    assert carry(old, ["a", *old], Spot(0, 0), 5, moved=True, at_top=True) == Spot(1, 0)


def test_a_list_that_shows_its_top_goes_on_showing_it() -> None:
    old = [f"{number:03}" for number in range(50)]
    assert carry(old, ["a", *old], Spot(0, 0), 5, moved=True, at_top=True) == Spot(1, 0)
    assert carry(old, ["a", *old], Spot(3, 0), 5, moved=True, at_top=False) == Spot(4, 1)
