"""A session-state.json with active commands, like those that AgileFlow leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.ground.project import Project
from memtui.store import commands_file
from memtui.store.commands_file import CommandsFile

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
      "state": {
        "step": 3,
        "word": "café"
      }
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


class Store(CommandsFile):
    """The commands of a project."""

    def clear(self, names: set[str] | str | None) -> Callable[[], None]:
        """Make commands inactive, and return how that is taken back."""
        gone = self.remove({names} if isinstance(names, str) else names)
        return lambda: self.put_back(gone)


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
    monkeypatch.setattr(commands_file, "STILL_SECONDS", 0.0)


def active(store: CommandsFile) -> list[str]:
    return [command.name for command in store.read().commands]


def foreign(text: str) -> dict[str, object]:
    """The parts of a text that are not memtui's."""
    content: dict[str, object] = json.loads(text)
    content.pop("active_commands")
    return content
