"""Rows that the user has marked as kept: the summary has them in other words.

A file for each session, next to the captures, which the user may read and edit: ``- L1832 3f2a9c0d1b22
words``, with the line of the compaction in the transcript, the row's key, and its words for people.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from memtui.ground.clean import clean_line
from memtui.ground.files import FileMissing, create_exclusive, load_within, private_folder, write_atomic
from memtui.ground.project import Project
from memtui.lost.records import Aftermath, Row
from memtui.secrets.secrets import masked
from memtui.store.captures import captures_lock
from memtui.store.note_names import session_key
from memtui.transcript.short_text import shortened

_TITLE = "# Rows of `memtui lost` that were marked as kept by hand\n\n"
_MARK = re.compile(r"^- L(\d{1,9}) ([0-9a-f]{12})\b", re.MULTILINE)
_LIMIT = 1 << 20
_WORDS = 200


def kept_path(project: Project, session_id: str) -> Path:
    """The path of a session's marks."""
    return project.compacts / f"{session_key(session_id)}-kept.md"


def kept_by_hand(project: Project, session_id: str) -> frozenset[tuple[int, str]]:
    """The marks of a session: the line of a compaction, and the key of a row.

    Raises:
        FileProblem: the file exists and cannot be read.
    """
    text = _read(project, kept_path(project, session_id))[0]
    return frozenset((int(line), key) for line, key in _MARK.findall(text))


def with_marks(aftermath: Aftermath, marks: frozenset[tuple[int, str]]) -> Aftermath:
    """The same aftermath, with the marked rows as kept."""
    line = aftermath.compaction.source.line
    rows = [
        replace(row, state="kept", by_hand=True) if row.missing and (line, row.key) in marks else row
        for row in aftermath.rows
    ]
    return replace(aftermath, rows=tuple(rows))


def mark(project: Project, aftermath: Aftermath, row: Row) -> bool:
    """Mark a row as kept, or remove its mark; returns whether it is marked now.

    Raises:
        FileProblem: the file cannot be read or written.
    """
    path = kept_path(project, aftermath.session_id)
    private_folder(path.parent, within=project.root)
    words = shortened(clean_line(masked(row.text)), _WORDS)
    own = (str(aftermath.compaction.source.line), row.key)
    with captures_lock(project):
        text, before = _read(project, path)
        lines = (text or _TITLE).splitlines(keepends=True)
        others = [line for line in lines if own not in _MARK.findall(line)]
        marked = len(others) == len(lines)
        after = "".join([*others, f"- L{own[0]} {own[1]} {words}\n"] if marked else others).encode()
        if before is None:
            create_exclusive(path, after, within=project.root)
        else:
            write_atomic(path, after, mode=None, expected=before, within=project.root)
    return marked


def _read(project: Project, path: Path) -> tuple[str, bytes | None]:
    try:
        data = load_within(path, project.root, limit=_LIMIT).data
    except FileMissing:
        return "", None
    return data.decode("utf-8", "replace"), data
