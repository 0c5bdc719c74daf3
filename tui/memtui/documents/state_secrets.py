"""Masking the secrets in a session state, in quotes and paths, too."""

from __future__ import annotations

from memtui.formats.session_state import SessionState, Task
from memtui.secrets.secrets import masked


def without_secrets(state: SessionState) -> SessionState:
    """The same document, its secrets masked by the rules of `memtui.secrets.secrets`."""
    working, dynamics = state.working, state.dynamics
    return state.replace(
        identity=state.identity.replace(goal=masked(state.identity.goal)),
        tasks=tuple(map(_task, state.tasks)),
        decisions=tuple(each.replace(text=masked(each.text)) for each in state.decisions),
        working=working.replace(
            last_compile=masked(working.last_compile),
            last_error=masked(working.last_error),
            technical_state=masked(working.technical_state),
            files_modified=masked(working.files_modified),
            dependencies=masked(working.dependencies),
        ),
        dynamics=dynamics.replace(last_intent=masked(dynamics.last_intent)),
    )


def _task(task: Task) -> Task:
    return task.replace(text=masked(task.text), children=tuple(map(_task, task.children)))
