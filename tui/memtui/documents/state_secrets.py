"""Masking the secrets in a session state, in quotes and paths, too."""

from __future__ import annotations

from memtui.formats.session_state import SessionState, Task
from memtui.safety.secrets import masked


def without_secrets(state: SessionState) -> SessionState:
    """The same document, its secrets masked by the rules of `memtui.safety.secrets`."""
    working, dynamics = state.working, state.dynamics
    return state.replace(
        identity=state.identity.replace(goal=_bare(state.identity.goal)),
        tasks=tuple(map(_task, state.tasks)),
        decisions=tuple(each.replace(text=_bare(each.text)) for each in state.decisions),
        working=working.replace(
            last_compile=_bare(working.last_compile),
            last_error=_bare(working.last_error),
            technical_state=_bare(working.technical_state),
            files_modified=_bare(working.files_modified),
            dependencies=_bare(working.dependencies),
        ),
        dynamics=dynamics.replace(last_intent=_bare(dynamics.last_intent)),
    )


def _task(task: Task) -> Task:
    return task.replace(text=_bare(task.text), children=tuple(map(_task, task.children)))


def _bare(text: str) -> str:
    return masked(text)
