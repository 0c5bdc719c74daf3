"""Regular expressions that are compiled on first use.

Compiling all patterns of a hook's modules takes longer than its work, which needs few of them. Standard
library only.
"""

from __future__ import annotations

import re

from memtui.ground.named import TYPE_CHECKING

if TYPE_CHECKING:
    from re import compile as deferred
else:

    class deferred:  # noqa: N801 - used like `re.compile`
        """Like the result of `re.compile`, but compiled at the first use of a method."""

        def __init__(self, pattern, flags=0):
            self._arguments = (pattern, flags)

        def __getattr__(self, name):
            value = getattr(re.compile(*self._arguments), name)
            setattr(self, name, value)  # found without this method from now on
            return value


__all__ = ["deferred"]
