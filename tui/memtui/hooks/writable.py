"""Whether what a compaction leaves behind can be written. Standard library only."""

from __future__ import annotations

from memtui.ground.files import FileProblem, check_writable
from memtui.ground.project import Home, Project


def not_writable(project: Project, home: Home) -> FileProblem | None:
    """The first of the folders of captures, notes and states that cannot be written."""
    for folder in (project.compacts, home.state, home.data):
        try:
            check_writable(folder)
        except FileProblem as problem:
            return problem
    return None
