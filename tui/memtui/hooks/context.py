"""The context block for a compaction's summariser, in the layout of seed 002's "Output Format"."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal

from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileMissing, FileProblem, folder_within, read_within, tail_within
from memtui.ground.project import Home, Project, git_branch
from memtui.hooks.in_force import (
    FENCE,
    FOR_SUMMARISER,
    SUMMARISER_ROOM,
    Rules,
    abridged_rules,
    active_rules,
    pins_text,
)
from memtui.hooks.records import Report
from memtui.hooks.sections import Section, fitting, joined
from memtui.secrets.quoting import fenced, harmless, safe

Profile = Literal["agileflow", "plain"]

SUMMARISER_LIMIT = 9_900
"""Upper limit of the block in characters (`size_of`). Claude Code 2.1.330 cuts what a PreCompact hook prints
off at 10,000 (2.1.197 passes it whole); of a manual compaction it also stays in the conversation, in
``<local-command-stdout>``."""

_STATUS, _PINS, _RULES, _FILES, _CONVENTIONS, _ACTIONS, _ACTIVITY = 0, 1, 2, 100, 101, 102, 103
"""Ranks; those of the commands begin at `_RULES`."""

_MOST_STORIES = 10


def context_block(
    project: Project, home: Home, profile: Profile | None = None, report: Report | None = None
) -> str:
    """The text for a compaction's summariser: status, pins, rules of active commands, key files.

    Args:
        project: the project.
        home: where the user's own pins are.
        profile: ``agileflow`` names it and its commands as seed 002 does; ``plain`` by the project's own
            name. None looks for AgileFlow's folders.
        report: receives read problems.

    Returns:
        Clean text of less than `SUMMARISER_LIMIT` characters, ending in a line feed. Long rules are
        abridged; of the other sections whole ones are left out where there is no room.
    """
    report = report or Report()
    profile = profile or ("agileflow" if is_agileflow(project) else "plain")
    # AgileFlow's own script always prints these.
    fixed = profile == "agileflow"
    known = _quoted(conventions(project, report))
    if fixed and not known:
        known = ["- Read CLAUDE.md for project conventions"]
    # Names of folders and our own words need no masking, which takes time.
    files = [harmless(each) for each in key_files(project, whole=fixed)]
    rules = active_rules(project, report)
    sections = [
        Section(_status(project, profile, report), _STATUS),
        Section(pins_text(project, home, FOR_SUMMARISER, report), _PINS),
        *(
            Section(_rules(each, profile), _RULES + each.rank)
            for each in abridged_rules(rules, SUMMARISER_ROOM - FENCE * len(rules))
        ),
        Section(_titled("Key Files to Check After Compact", files), _FILES),
        Section(_titled("Key Conventions (from CLAUDE.md)", known), _CONVENTIONS),
        Section(_titled("Recent Agent Activity", _safe(recent_activity(project, report))), _ACTIVITY),
        Section(_actions(project, profile), _ACTIONS),
    ]
    return joined(fitting(sections, SUMMARISER_LIMIT - 2)) + "\n"


def _status(project: Project, profile: Profile, report: Report) -> str:
    name, version = package(project, report)
    name, version = safe(name), safe(version)
    title = f"{_owner(name, profile)} PROJECT CONTEXT (preserve during compact):"
    lines = [
        title,
        "=" * len(title),
        "",
        "## Project Status",
        f"- Project: {_versioned(name, version, profile)}",
    ]
    branch = safe(clean_line(git_branch(project.root))[:200])
    if branch or profile == "agileflow":
        lines.append(f"- Branch: {branch or 'unknown'}")
    return "\n".join(lines + _stories(project, profile, report))


def _stories(project: Project, profile: Profile, report: Report) -> list[str]:
    active = stories(project, report)
    if active is None and is_present(project, "docs/09-agents/status.json"):
        return ["- Active Stories: Unable to read docs/09-agents/status.json"]
    if active is None and profile == "plain":
        return []
    shown = _safe(active or ["None in progress"])
    if len(shown) > _MOST_STORIES:
        shown[_MOST_STORIES:] = [f"{len(shown) - _MOST_STORIES} more"]
    return [f"- Active Stories: {', '.join(shown)}", f"- WIP Count: {len(active or ())}"]


def _versioned(name: str, version: str, profile: Profile) -> str:
    if profile == "agileflow":
        return f"AgileFlow v{version or 'unknown'}"
    return f"{name} v{version}" if version else name


def _owner(name: str, profile: Profile) -> str:
    if profile == "agileflow":
        return "AGILEFLOW"
    # A brace in front would be taken for JSON (Claude Code fact).
    return name.upper() if name[:1].isalnum() else f"THIS PROJECT {name.upper()}".rstrip()


def _rules(rules: Rules, profile: Profile) -> str:
    return f"## ACTIVE COMMAND: {_called(rules, profile)}\n\n{fenced(safe(rules.text))}"


def _called(rules: Rules, profile: Profile) -> str:
    return f"/agileflow:{rules.name}" if profile == "agileflow" else f"/{rules.name}"


def _actions(project: Project, profile: Profile) -> str:
    fixed = profile == "agileflow"
    actions = []
    if fixed or is_present(project, "CLAUDE.md"):
        actions.append("Re-read CLAUDE.md if unsure about conventions")
    if fixed or is_present(project, "docs/09-agents/status.json"):
        actions.append("Check status.json for current story state")
    if fixed or is_present(project, "docs/02-practices"):
        actions.append("Review docs/02-practices/ for implementation patterns")
    if fixed or is_present(project, ".git"):
        actions.append("Check git log for recent changes")
    return _titled("Post-Compact Actions", [f"{number}. {each}" for number, each in enumerate(actions, 1)])


def _safe(lines: Sequence[str]) -> list[str]:
    return [safe(each) for each in lines]


def _quoted(lines: Sequence[str]) -> list[str]:
    return [fenced(safe("\n".join(lines)))] if lines else []


def _titled(title: str, lines: Sequence[str]) -> str:
    return "\n".join((f"## {title}", *lines)) if lines else ""


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
_HEADED_CONVENTIONS = re.compile(r"(key|critical|important)\b|.*\bconventions?\b", re.IGNORECASE)
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
            if not level and _HEADED_CONVENTIONS.match(heading[2]):
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
        with os.scandir(folder_within(folder, project.root)) as found:
            names = sorted(each.name for each in islice(found, _MOST_NAMES) if each.name.endswith(".md"))
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
