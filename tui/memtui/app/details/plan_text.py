"""The changes of an installation, as a document to read before confirming."""

from __future__ import annotations

from pathlib import Path

from memtui.app.widgets.document import Document, Line, line
from memtui.setup.file_change import diff
from memtui.setup.install import Plan
from memtui.transcript.paths import shown_path

_ROLES = {"+": "good", "-": "bad", "@": "dim"}


def plan_document(plan: Plan, root: Path, archive: str) -> Document:
    """The folder of the archive, the diff of every file, named as in the project, then the plan's notes.

    Args:
        plan: the planned changes.
        root: the project's.
        archive: the archive's folder.
    """
    lines = [line(archive), Line("")]
    for change in plan.changes:
        for text in diff(change, shown_path(str(change.target.path), root)).rstrip("\n").split("\n"):
            heading = text.startswith(("+++", "---"))
            lines.append(line(text, "label" if heading else _ROLES.get(text[:1], "")))
        lines.append(Line(""))
    lines += [line(note, "warn") for note in plan.notes]
    return Document(lines)
