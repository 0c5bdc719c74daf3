"""A project's own files, for the context block: read defensively, cut and cleaned.

Nothing here fails: broken or huge files, and links out of the project, are treated as missing.
"""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from typing import Any

from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileMissing, FileProblem, folder_within, read_within, tail_within
from memtui.ground.project import Project
from memtui.hooks.report import Report

_JSON_LIMIT = 4 << 20
_TEXT_LIMIT = 1 << 20
_TAIL = 16 << 10
_SHORT, _LONG = 120, 300
"""Length of a title and of a log line, in characters."""
_MOST_PRACTICES, _MOST_LINES, _MOST_ACTIVITY = 8, 30, 3
_MOST_NAMES = 5_000

_AGILEFLOW = (
    ".agileflow",
    "packages/cli/src/core/commands",
    ".claude/commands/agileflow",
    "docs/09-agents/status.json",
)
"""docs/09-agents alone does not identify AgileFlow: `memtui command activate` creates it anywhere."""

_IN_PROGRESS = {"in_progress", "in-progress", "in progress"}
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_CONVENTIONS = re.compile(r"(key|critical|important)\b|.*\bconventions?\b", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


def is_agileflow(project: Project) -> bool:
    """Whether AgileFlow is in use in a project."""
    return any(is_present(project, place) for place in _AGILEFLOW)


def is_present(project: Project, name: str) -> bool:
    """Whether a file or folder of the project exists; unreadable counts as missing."""
    return os.path.exists(project.root / name)  # noqa: PTH110 - Path.exists raises then


def package(project: Project, report: Report) -> tuple[str, str]:
    """Name and version in package.json; the folder's name if there is none."""
    content = _json(project, "package.json", report)
    name, version = (content.get("name"), content.get("version")) if isinstance(content, dict) else ("", "")
    return _short(name) or _short(project.name) or "project", _short(version)


def stories(project: Project, report: Report) -> list[str] | None:
    """The stories in progress in docs/09-agents/status.json as ``id: title``; None if it lists none."""
    content = _json(project, "docs/09-agents/status.json", report)
    found = content.get("stories") if isinstance(content, dict) else None
    if not isinstance(found, dict):
        return None
    return [
        f"{_short(name)}: {_short(story.get('title'))}".removesuffix(": ")
        for name, story in found.items()
        if isinstance(story, dict) and str(story.get("status")).lower() in _IN_PROGRESS
    ]


def key_files(project: Project, *, whole: bool = False) -> list[str]:
    """The key files, as list items.

    Args:
        project: the project.
        whole: all files that AgileFlow names, not only existing ones.
    """
    known = [
        ("CLAUDE.md", "Project system prompt with conventions"),
        ("AGENTS.md", "Conventions for agents"),
        ("README.md", "Project overview and setup"),
        ("docs/09-agents/status.json", "Story statuses and assignments"),
    ]
    always = {"CLAUDE.md", "README.md", "docs/09-agents/status.json"} if whole else set()
    lines = [f"- {name} - {what}" for name, what in known if name in always or is_present(project, name)]
    practices = _practices(project) or (["check folder"] if whole else [])
    if practices:
        lines.append(f"- docs/02-practices/ - Codebase practices ({', '.join(practices)})")
    return lines


def conventions(project: Project, report: Report) -> list[str]:
    """The lines of the section of CLAUDE.md that holds the key conventions."""
    text = _text(project, "CLAUDE.md", report)
    if not text:
        return []
    kept: list[str] = []
    level, fence = 0, ""
    for line in text.split("\n"):
        heading = None if fence else _HEADING.match(line)
        if heading:
            if level and len(heading[1]) <= level:
                break
            if not level and _CONVENTIONS.match(heading[2]):
                level = len(heading[1])
                continue
        if level:
            kept.append(line.rstrip())
        if mark := _FENCE.match(line):
            fence = "" if fence == mark[1] else fence or mark[1]
    return _bounded(kept)


def recent_activity(project: Project, report: Report) -> list[str]:
    """The last entries of AgileFlow's log of its agents, as list items."""
    path = project.root / "docs" / "09-agents" / "bus" / "log.jsonl"
    try:
        data = tail_within(path, project.root, size=_TAIL)
    except FileProblem as problem:
        _tell(problem, report)
        return []
    lines = [clean_line(line) for line in data.decode("utf-8", "replace").split("\n")]
    if len(data) == _TAIL:
        del lines[0]  # its beginning is missing
    return [f"- {_cut(line, _LONG)}" for line in lines if line][-_MOST_ACTIVITY:]


def _practices(project: Project) -> list[str]:
    folder = project.root / "docs" / "02-practices"
    try:
        with folder_within(folder, project.root) as opened:
            names = sorted(name for name in islice(opened.names(), _MOST_NAMES) if name.endswith(".md"))
    except (OSError, FileProblem):
        return []
    shown = [_short(name.removesuffix(".md")) for name in names[:_MOST_PRACTICES]]
    return [*shown, f"{len(names) - len(shown)} more"] if len(names) > len(shown) else shown


def _bounded(lines: list[str]) -> list[str]:
    """The lines without blank ends; only the beginning of a long section."""
    text = "\n".join(lines).strip("\n")
    lines = [_cut(clean(line), _LONG) for line in text.split("\n")] if text.strip() else []
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], "(more in CLAUDE.md)"]
        if sum(1 for line in lines if _FENCE.match(line)) % 2:
            lines.insert(_MOST_LINES, "```")
    return lines


def _json(project: Project, name: str, report: Report) -> Any:
    text = _text(project, name, report, _JSON_LIMIT)
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        report.problem(f"{name} is not valid JSON")
        return None


def _text(project: Project, name: str, report: Report, limit: int = _TEXT_LIMIT) -> str:
    try:
        data = read_within(project.root / name, project.root, limit=limit)
    except FileProblem as problem:
        _tell(problem, report)
        return ""
    return data.decode("utf-8-sig", "replace")


def _tell(problem: FileProblem, report: Report) -> None:
    if not isinstance(problem, FileMissing):
        report.problem(problem)


def _short(value: object) -> str:
    return _cut(clean_line(value), _SHORT) if isinstance(value, str) else ""


def _cut(line: str, size: int) -> str:
    return line if len(line) <= size else line[: size - 3].rstrip() + "..."
