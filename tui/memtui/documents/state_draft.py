"""A draft of a session state document (seed 003), made from facts alone."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from memtui.documents.compactor_decisions import merged_decisions
from memtui.documents.compactor_size import fitted
from memtui.documents.compactor_tasks import collapsed
from memtui.documents.decisions import recorded_decisions
from memtui.documents.dynamics import dynamics
from memtui.documents.goal import goal
from memtui.documents.quotes import quotes_section
from memtui.documents.sources import with_source
from memtui.documents.state_secrets import without_secrets
from memtui.documents.state_tasks import task_tree
from memtui.documents.state_working import working_context
from memtui.formats.session_state import Decision, Identity, SessionState
from memtui.transcript.records import Facts
from memtui.transcript.short_text import one_line


class ProjectLike(Protocol):
    """The project fields that a draft uses."""

    @property
    def name(self) -> str:
        """The project's name."""

    @property
    def root(self) -> Path:
        """The project's folder."""


def draft_session_state(facts: Facts, project: ProjectLike, version: int = 1) -> SessionState:
    """The session state document by the rules of seed 003, first run."""
    raw = without_secrets(raw_state(facts, project))
    decisions = merged_decisions((), raw.decisions)
    return fitted(raw.replace(version=version, tasks=collapsed(raw.tasks), decisions=decisions))


def raw_state(facts: Facts, project: ProjectLike) -> SessionState:
    """All sections at full length: every decision, every task, all quotes."""
    return SessionState(
        identity=Identity(
            project=f"{project.name} ({project.root})", branch=facts.branch, goal=one_line(goal(facts))
        ),
        tasks=task_tree(facts),
        decisions=_decisions(facts),
        working=working_context(facts, project.root),
        dynamics=dynamics(facts),
        extra=quotes_section(facts),
    )


def _decisions(facts: Facts) -> tuple[Decision, ...]:
    """Only certain ones; a sentence becomes a decision when a person or a model puts it here."""
    entries = ((f"{each.decision} ({each.reason})", each.source) for each in recorded_decisions(facts))
    return tuple(Decision(text=with_source(text, source)) for text, source in entries)
