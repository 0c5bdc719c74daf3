"""Tables that Hypothesis makes from the code and from Unicode, and keeps in its folder for the next time."""

from __future__ import annotations

import sys
from contextlib import suppress

from hypothesis import strategies as st


def make_some(worker: int, workers: int) -> None:
    """Make them beginning elsewhere in each of some processes.

    Every process needs all of them, at the same moment. Like this, one finds what another has made before.
    """
    with suppress(ImportError):  # no part of what Hypothesis promises to keep
        from hypothesis.internal.constants_ast import constants_from_module

        modules = [module for name, module in sys.modules.items() if name.startswith("memtui.")]
        first = len(modules) * worker // workers
        for module in modules[first:] + modules[:first]:
            constants_from_module(module)
    if worker == workers - 1:
        st.text().validate()  # the characters that can be encoded
