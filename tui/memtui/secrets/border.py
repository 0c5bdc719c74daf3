"""The border that a transcript's text passes whole: private parts are removed, then secrets masked.

Whoever keeps, cuts, glues or quotes such a text takes it from here first: half a secret, or one without its
name, is not recognised any more. Text that nobody asks for is not looked at.
"""

from __future__ import annotations

from typing import Any

from memtui.secrets.private import may_hold_private_in, without_private, without_private_in
from memtui.secrets.secrets import masked, masked_in


def cleared(text: str) -> str:
    """A whole text without private parts, its secrets masked."""
    return masked(without_private(text))


def cleared_in(value: Any) -> Any:
    """The same for the texts of a JSON value or an event, names included."""
    if may_hold_private_in(value):
        bare = without_private_in([*value] if isinstance(value, tuple) else value)
        value = type(value)(*bare) if hasattr(value, "_fields") else bare
    return masked_in(value)
