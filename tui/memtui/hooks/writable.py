"""Whether what a compaction leaves behind can be written. Standard library only."""

from __future__ import annotations

from memtui.ground.files import FileProblem, try_writing
from memtui.ground.project import Home, Project


def not_writable(project: Project, home: Home) -> FileProblem | None:
    """The first of the folders of captures, notes and states that cannot be written; each is tried."""
    for folder, within in ((project.compacts, project.root), (home.state, None), (home.data, None)):
        try:
            try_writing(folder, within=within)
        except FileProblem as problem:
            return problem
    return None
