"""The mark at the end of whatever memtui hands over, by which a transcript shows that it arrived.

Standard library only: hooks write marks, everything else finds them.
"""

from __future__ import annotations

from memtui.patterns import deferred

MARK = deferred(r"memtui:([0-9a-f]{8})\b")
"""A mark; its eight characters identify what was handed over."""
