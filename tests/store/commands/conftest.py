"""A session-state.json with active commands, like those that AgileFlow leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.ground.project import Project
from memtui.store import shared_text
from memtui.store.active_commands import ActiveCommandStore
from tests.store.memories import home_in
from tests.store.undoing import Undo, Undoing

# In the likeness of the files that AgileFlow leaves behind.
TEXT = """{
  "hook_metrics": {
    "last_updated": "2026-02-27T11:33:05.525Z",
    "session_total_ms": 490.0
  },
  "active_commands": [
    {
      "name": "babysit",
      "type": "interactive",
      "activated_at": "2026-02-04T08:22:48.581Z",
      "state": {},
      "active_sections": [],
      "params": {}
    },
    {
      "name": "research/ask",
      "activated_at": "2026-02-08T21:59:38.272Z",
      "state": {"step": 3, "word": "caf\\u00e9"}
    },
    {
      "name": "epic",
      "activated_at": "2026-02-09T00:00:00.000Z",
      "state": {}
    }
  ],
  "tmux_available": true
}
"""


class Store(ActiveCommandStore):
    """The commands of a project, whose changes are recorded."""

    def __init__(self, project: Project) -> None:
        self._undoing = Undoing(home_in(project.root.parent / "home"), project.root)
        super().__init__(project, self._undoing.changes.wrote)

    def clear(self, names: set[str] | str | None) -> Undo:
        """Make commands inactive, and return how that is taken back."""
        wanted = {names} if isinstance(names, str) else names
        return self._undoing.undo(lambda: self.remove(wanted))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "app")
    project.session_state_json.parent.mkdir(parents=True)
    return project


@pytest.fixture
def store(project: Project) -> Store:
    project.session_state_json.write_text(TEXT)
    return Store(project)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for a file that nobody writes."""
    monkeypatch.setattr(shared_text, "STILL_SECONDS", 0.0)


def active(store: ActiveCommandStore) -> list[str]:
    return [command.name for command in store.read().commands]


def foreign(text: str) -> dict[str, object]:
    """The parts of a text that are not memtui's."""
    content: dict[str, object] = json.loads(text)
    content.pop("active_commands")
    return content
