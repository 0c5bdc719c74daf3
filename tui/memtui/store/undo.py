"""Taking back the last change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memtui.files import FileProblem


class UndoProblem(FileProblem):
    """The change cannot be taken back, because what it changed has changed again; nothing was done."""


@dataclass(frozen=True, slots=True)
class Undo:
    """One change that can be taken back."""

    label: str
    """What it takes back, for a message: ``clear of /babysit``."""

    run: Callable[[], None]
    """Takes it back. Raises `UndoProblem` when that would overwrite somebody's later work."""
