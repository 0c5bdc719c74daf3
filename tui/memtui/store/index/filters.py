"""Filters of a search as conditions in SQL."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from pathlib import Path

from memtui.store.base import Filter
from memtui.store.index.document import seconds
from memtui.store.index.schema import DocKind
from memtui.store.project_test import project_test

_OF_STATE = """ OR source IN (
    SELECT sources.id FROM sources JOIN sources AS own ON own.session = sources.session AND own.kind = 0
    WHERE sources.kind = 4 AND own.project IN ({})
)"""
"""A state document without a project belongs to that of its session's transcript."""


def filter_condition(
    connection: sqlite3.Connection, where: Filter, kind: DocKind
) -> tuple[str, list[object]]:
    """A filter as a condition that begins with AND, "" for no filter, and its values."""
    condition = ""
    values: list[object] = []
    if where.pinned:
        condition += " AND pinned"
    if where.project:
        concerns = project_test(where.project)
        nameless = kind is not DocKind.STATE  # documents without a project of their own
        condition += " AND " + _of_projects(
            connection, kind, lambda path: concerns(path) if path else nameless
        )
    if where.left_out is not None:
        left_out = where.left_out
        condition += " AND NOT " + _of_projects(
            connection, kind, lambda path: bool(path) and left_out(Path(path))
        )
    if where.session:
        condition += " AND source IN (SELECT id FROM sources WHERE session = ?)"
        values.append(where.session)
    for tag in where.tags:
        condition += " AND instr(tags, ?)"
        values.append(f"\n{tag.casefold()}\n")
    if where.since or where.until:
        condition += " AND created BETWEEN ? AND ?"
        values.append(seconds(where.since) if where.since else -math.inf)
        values.append(seconds(where.until) if where.until else math.inf)
    return condition, values


def _of_projects(connection: sqlite3.Connection, kind: DocKind, wanted: Callable[[str], bool]) -> str:
    """The condition that a document belongs to one of the wanted projects."""
    rows = connection.execute("SELECT id, path FROM projects")
    projects = ",".join(str(number) for number, path in rows if wanted(path))
    of_state = _OF_STATE.format(projects) if kind is DocKind.STATE else ""
    return f"(project IN ({projects}){of_state})"
