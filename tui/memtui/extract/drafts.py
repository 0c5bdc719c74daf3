"""Drafts of a memory file, a summary and a session state, made from facts alone."""

from __future__ import annotations

from typing import Protocol

from memtui.extract.facts import Facts
from memtui.formats.memory import MemoryFile
from memtui.formats.session_state import SessionState


class ProjectLike(Protocol):
    """What a draft needs to know of a project."""

    @property
    def name(self) -> str:
        """The project's name."""

    @property
    def root(self) -> object:
        """The project's folder."""


def draft_memory(facts: Facts) -> MemoryFile:
    """A memory file as a reviewer would begin it (seed 001)."""
    raise NotImplementedError


def draft_summary(facts: Facts) -> str:
    """One or two sentences on what the session was about."""
    raise NotImplementedError


def draft_session_state(facts: Facts, project: ProjectLike, version: int = 1) -> SessionState:
    """The session state document by the rules of seed 003, first run."""
    raise NotImplementedError
