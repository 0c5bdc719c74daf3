"""The light of each pin: its fate at a session's last compaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from memtui.lost.naming import SearchedText

PinFate = Literal["not delivered", "handed over", "kept", "new"]
"""`kept` by the summary, `handed over` by memtui, `not delivered` by either; `new`: pinned later."""


def pin_fates(
    pins: Iterable[str], summary: str, handed: str, later: Collection[str] = frozenset()
) -> dict[str, PinFate]:
    """The light of each pin.

    Args:
        pins: the texts of the pins.
        summary: the compaction's.
        handed: the texts handed over by memtui since.
        later: pins added after the compaction.
    """
    said, given = SearchedText(summary), SearchedText(handed)

    def light(pin: str) -> PinFate:
        if said.find_text(pin) is not None:
            return "kept"
        if given.find_text(pin) is not None:
            return "handed over"
        return "new" if pin in later else "not delivered"

    return {pin: light(pin) for pin in pins}
