"""Examples that several properties share: drawing them takes longer than trying them."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

T = TypeVar("T")


def shared(strategy: st.SearchStrategy[T], number: int = 0) -> st.SearchStrategy[T]:
    """One of some examples, which are drawn when the first is asked for; not to be changed.

    Args:
        strategy: what they are.
        number: how many; twice as many as a property is tried with unless given.
    """

    # Now, and not in a property with a number of its own: the examples must not depend on which one is first.
    number = number or 2 * settings().max_examples

    @cache
    def drawn() -> list[T]:
        found: list[T] = []

        @settings(max_examples=number)
        @given(strategy)
        def keep(example: T) -> None:
            found.append(example)

        keep()
        return found

    return st.deferred(lambda: st.sampled_from(drawn()))
