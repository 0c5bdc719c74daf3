"""The rule by which memories belong to a project, for lists, searches and the app."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path


class ProjectTest:
    """Whether memories belong to a project: those of its folder or one below, and those without a project."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._name = root.name
        self._known: dict[str, bool] = {"": True}

    def __call__(self, project: str) -> bool:
        """Whether a memory's project, as stored, is this one."""
        found = self._known.get(project)
        if found is None:
            found = self._known[project] = self._ask(project)
        return found

    def _ask(self, project: str) -> bool:
        if not os.path.isabs(project):  # noqa: PTH117
            return project == self._name
        try:
            real = os.path.realpath(project)
        except (OSError, ValueError):
            return False
        return real == self._root or real.startswith(self._root.rstrip(os.sep) + os.sep)


@lru_cache(maxsize=8)
def project_test(root: str) -> ProjectTest:
    """The test for a root; it caches its answers, as each needs the disk."""
    return ProjectTest(Path(root))
