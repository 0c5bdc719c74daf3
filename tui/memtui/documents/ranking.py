"""The most important files of a session with their roles (seed 000, sections 3 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log2

from memtui.documents.sources import citation
from memtui.formats.recovery import RoleFile
from memtui.transcript.facts import Facts
from memtui.transcript.paths import path_identity
from memtui.transcript.records import FileFact
from memtui.transcript.removals import PUT_BACK, moved_to
from memtui.transcript.roles import (
    OTHER,
    Kind,
    Role,
    folder_of,
    inside_of,
    name_of,
    name_under_test,
    role_of,
    stem_of,
)
from memtui.transcript.shell_files import IN_PROGRAM

_REFERENCES = 12
"""Maximum number of files that were only read; they save a search, and are no complete list."""

_CHANGED = {
    Kind.SOURCE: 6.0,
    Kind.TYPES: 5.0,
    Kind.CONFIG: 3.5,
    Kind.TEST: 3.0,
    Kind.DOCS: 1.5,
    Kind.ASSET: 0.0,
    Kind.SCRATCH: -6.0,
}
"""Source before types, configuration, tests, documents."""
_NO_CODE = frozenset({"styles", "web page", "page template"})
_LOOKS = 4.0
"""Penalty for styles and pages, next to code."""
_OUTSIDE = 4.0
"""Penalty for files outside the project."""
_GONE = 8.0
"""Penalty for files that were deleted or moved."""
_BY_SUBAGENT = 1.5
_RECENT = 2.0
"""Bonus for the file whose first change was the latest."""

_MANY = 2
"""Minimum number of edits for a file to be called the most edited one."""

_FIRST = frozenset({"project instructions", "dependencies", "TypeScript configuration"})
"""Configuration that a new session reads first."""

_HIGH, _MEDIUM, _LOW, _LOWEST = 9.0, 6.0, 4.0, 2.0
"""The seed's priorities: project configuration and types; related modules and tests; documents; the rest."""


def working_files(facts: Facts, root: str) -> tuple[RoleFile, ...]:
    """All files that the session changed, the most important first; those only written by commands last."""
    files = facts.modified_files
    weights = {file.path: _weight(file, index, len(files), root) for index, file in enumerate(files)}
    ranked = sorted(files, key=lambda file: -weights[file.path])
    top = _most_edited(files)
    named = [_named(file, _changed_role(file, files, root, top)) for file in ranked]
    for file in facts.shell_files:
        role = role_of(file.path, root)
        if role.kind is not Kind.SCRATCH:
            text = "path" if role.text == OTHER and _is_gone(file) else role.text  # possibly a folder
            named.append(_named(file, f"{text}, {_by_a_command(file)}"))
    return tuple(named)


def _most_edited(files: Sequence[FileFact]) -> str:
    """The path with the most edits, "" if there is a tie; the purpose of a file is not on record."""
    most, *others = sorted((file.times for file in files), reverse=True) or (0,)
    if most < _MANY or most in others:
        return ""
    return next(file.path for file in files if file.times == most)


def _named(file: FileFact, role: str) -> RoleFile:
    """A file with its role and the line of its first change or read."""
    where = citation(file.source)
    return RoleFile(path=file.path, role=f"{role}, {where}" if where else role)


def _is_code(role: Role) -> bool:
    return role.kind is Kind.SOURCE and role.text not in _NO_CODE


def _weight(file: FileFact, index: int, number: int, root: str) -> float:
    role = role_of(file.path, root)
    weight = _CHANGED[role.kind] if role.kind is not Kind.SOURCE or _is_code(role) else _LOOKS
    weight += 1.5 * log2(1 + file.times)
    weight += _RECENT * index / max(1, number - 1)
    if inside_of(file.path, root) == file.path:
        weight -= _OUTSIDE
    if _is_gone(file):
        weight -= _GONE
    return weight - _BY_SUBAGENT if file.subagent else weight


def _is_gone(file: FileFact) -> bool:
    """Whether the file was deleted or moved."""
    return file.fate not in ("", PUT_BACK)


def _changed_role(file: FileFact, files: Sequence[FileFact], root: str, top: str) -> str:
    parts = [_with_subject(role_of(file.path, root), file.path, files)]
    parts.append("most edited" if file.path == top else "")
    parts.append("created" if file.created else "")
    parts.append(f"{file.times} edits" if file.times > 1 else "")
    parts.append("by a subagent" if file.subagent else "")
    parts.append(f"later {_fate(file)}" if file.fate else "")
    return ", ".join(part for part in parts if part)


def _by_a_command(file: FileFact) -> str:
    if file.fate == IN_PROGRAM:
        return IN_PROGRAM
    return f"{_fate(file) or 'written'} by a command"


def _fate(file: FileFact) -> str:
    """Fate of a file; a path that would break the syntax of roles is left out."""
    return "moved" if ")" in file.fate else file.fate


def _with_subject(role: Role, path: str, files: Sequence[FileFact]) -> str:
    """A role; for tests including the tested file, if that was changed, too."""
    stem = name_under_test(path)
    if role.kind is not Kind.TEST or stem == stem_of(path):
        return role.text
    tested = next((f.path for f in files if f.path != path and stem_of(f.path) == stem), "")
    return f"{role.text} of {name_of(tested)}" if tested else role.text


def reference_files(facts: Facts, root: str) -> tuple[RoleFile, ...]:
    """The files that were only read and that a new session would look for first."""
    changed = {path_identity(file.path) for file in facts.modified_files}
    changed |= {path_identity(file.path) for file in facts.shell_files}
    folders = {folder_of(file.path) for file in facts.modified_files}
    unsure = ", changes by subagents unknown" if facts.missing_agents else ""
    rated = []
    for file in map(_where_it_is, facts.read_files):
        role = role_of(file.path, root)
        if path_identity(file.path) not in changed and role.kind is not Kind.SCRATCH and not _is_gone(file):
            weight, text = _rated(file, role, facts.modified_files, folders)
            weight += log2(1 + min(file.times, 8)) - (1.5 if file.subagent else 0.0)
            weight -= _OUTSIDE if inside_of(file.path, root) == file.path else 0.0
            rated.append((weight, _named(file, f"{text}{unsure}")))
    rated.sort(key=lambda pair: -pair[0])
    return tuple(file for _, file in rated[:_REFERENCES])


def _where_it_is(file: FileFact) -> FileFact:
    """A moved file with its new path."""
    return replace(file, path=moved_to(file.fate), fate="") if moved_to(file.fate) else file


def _rated(file: FileFact, role: Role, changed: Sequence[FileFact], folders: set[str]) -> tuple[float, str]:
    """Weight and role of a file that was only read."""
    related = folder_of(file.path) in folders
    if role.kind is Kind.TYPES or role.text in _FIRST:
        return _HIGH, role.text
    if role.kind is Kind.CONFIG:
        return _MEDIUM, role.text
    if role.kind is Kind.TEST:
        text = _with_subject(role, file.path, changed)
        return (_MEDIUM if related or text != role.text else _LOW), text
    if role.kind is Kind.SOURCE:
        generic = role.text == "implementation"
        if related:
            return _MEDIUM + 1, "related module" if generic else f"{role.text}, related module"
        return _LOW, role.text
    return (_LOW if role.kind is Kind.DOCS else _LOWEST), role.text
