"""``memtui --version``, without click, whose import takes several times as long as starting Python."""

from __future__ import annotations

from memtui import __version__


def print_version() -> None:
    """Print name and version on one line."""
    print(f"memtui {__version__}", flush=True)  # noqa: T201 - the output of memtui, and click is not there yet
