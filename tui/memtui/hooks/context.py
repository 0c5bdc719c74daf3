"""The context block for a compaction's summariser, in the layout of seed 002's "Output Format"."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from itertools import islice
from typing import Any

from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileMissing, FileProblem, read_within, resolved_within, tail_within
from memtui.ground.project import Home, Project, git_branch
from memtui.hooks import in_force
from memtui.hooks.records import Report
from memtui.hooks.sections import Section, abridged, fitting, joined
from memtui.secrets.quoting import fenced, harmless, safe

SUMMARISER_LIMIT = 9_900
"""Upper limit of the block in characters (`size_of`). Claude Code 2.1.330 cuts what a PreCompact hook prints
off at 10,000 (2.1.197 passes it whole); of a manual compaction it also stays in the conversation, in
``<local-command-stdout>``."""

_STATUS, _PINS, _RULES, _FILES, _CONVENTIONS, _ACTIONS, _ACTIVITY = 0, 1, 2, 100, 101, 102, 103
"""Ranks; those of the commands begin at `_RULES`."""

_TAIL = 16 << 10
_SHORT, _LONG, _CONVENTIONS_ROOM = 120, 300, 2_000
"""Length of a title, of a log line and of the conventions, in characters."""
_MOST_STORIES, _MOST_PRACTICES, _MOST_ACTIVITY, _MOST_NAMES = 10, 8, 3, 5_000

_STATUS_JSON = "docs/09-agents/status.json"
_AGILEFLOW = (".agileflow", "packages/cli/src/core/commands", ".claude/commands/agileflow", _STATUS_JSON)
"""docs/09-agents alone does not identify AgileFlow: `memtui command activate` creates it anywhere."""
_KEY_FILES = {
    "CLAUDE.md": "Project system prompt with conventions",
    "AGENTS.md": "Conventions for agents",
    "README.md": "Project overview and setup",
    _STATUS_JSON: "Story statuses and assignments",
}
_ALWAYS = {"CLAUDE.md", "README.md", _STATUS_JSON}
_ACTIONS_ON = {
    "CLAUDE.md": "Re-read CLAUDE.md if unsure about conventions",
    _STATUS_JSON: "Check status.json for current story state",
    "docs/02-practices": "Review docs/02-practices/ for implementation patterns",
    ".git": "Check git log for recent changes",
}

_IN_PROGRESS = {"in_progress", "in-progress", "in progress"}
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_HEADED_CONVENTIONS = re.compile(r"(key|critical|important)\b|.*\bconventions?\b", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


def context_block(project: Project, home: Home, report: Report) -> str:
    """The text for a compaction's summariser: status, pins, rules of active commands, key files.

    It is clean, shorter than `SUMMARISER_LIMIT`, and ends in a line feed: long rules are abridged, of the
    other sections whole ones are left out. AgileFlow is named only where its folders are, as in seed 002;
    then what its own script always prints is there, too.
    """
    agile = any(_is_present(project, place) for place in _AGILEFLOW)
    known = safe(_conventions(project, report))
    conventions = [fenced(known)] if known else ["- Read CLAUDE.md for project conventions"] if agile else []
    activity = [safe(each) for each in _recent_activity(project, report)]
    actions = [what for name, what in _ACTIONS_ON.items() if agile or _is_present(project, name)]
    rules, slash = in_force.active_rules(project, report), "/agileflow:" if agile else "/"
    sections = [
        Section(_status(project, agile, report), _STATUS),
        Section(in_force.pins_text(project, home, in_force.FOR_SUMMARISER, report), _PINS),
        *(
            Section(f"## ACTIVE COMMAND: {slash}{each.name}\n\n{fenced(safe(each.text))}", _RULES + each.rank)
            for each in in_force.abridged_rules(rules, in_force.SUMMARISER_ROOM - in_force.FENCE * len(rules))
        ),
        Section(_titled("Key Files to Check After Compact", _key_files(project, agile)), _FILES),
        Section(_titled("Key Conventions (from CLAUDE.md)", conventions), _CONVENTIONS),
        Section(_titled("Recent Agent Activity", activity), _ACTIVITY),
        Section(
            _titled("Post-Compact Actions", [f"{number}. {each}" for number, each in enumerate(actions, 1)]),
            _ACTIONS,
        ),
    ]
    return joined(fitting(sections, SUMMARISER_LIMIT - 2)) + "\n"


def _titled(title: str, lines: list[str]) -> str:
    return "\n".join((f"## {title}", *lines)) if lines else ""


def _status(project: Project, agile: bool, report: Report) -> str:
    package = _json(project, "package.json", report)
    name, version = (package.get(key) if isinstance(package, dict) else "" for key in ("name", "version"))
    name, version = safe(_short(name) or _short(project.name) or "project"), safe(_short(version))
    if agile:
        owner, named = "AGILEFLOW", f"AgileFlow v{version or 'unknown'}"
    else:
        # A brace in front would be taken for JSON (Claude Code fact).
        owner = name.upper() if name[:1].isalnum() else f"THIS PROJECT {name.upper()}".rstrip()
        named = f"{name} v{version}" if version else name
    title = f"{owner} PROJECT CONTEXT (preserve during compact):"
    lines = [title, "=" * len(title), "", "## Project Status", f"- Project: {named}"]
    branch = safe(clean_line(git_branch(project.root))[:200])
    if branch or agile:
        lines.append(f"- Branch: {branch or 'unknown'}")
    active = _stories(project, report)
    if active is None and _is_present(project, _STATUS_JSON):
        lines.append(f"- Active Stories: Unable to read {_STATUS_JSON}")
    elif active is not None or agile:
        shown = [safe(each) for each in active or ["None in progress"]]
        if len(shown) > _MOST_STORIES:
            shown[_MOST_STORIES:] = [f"{len(shown) - _MOST_STORIES} more"]
        lines += [f"- Active Stories: {', '.join(shown)}", f"- WIP Count: {len(active or ())}"]
    return "\n".join(lines)


def _stories(project: Project, report: Report) -> list[str] | None:
    """The stories in progress in docs/09-agents/status.json as ``id: title``; None if it lists none."""
    content = _json(project, _STATUS_JSON, report)
    found = content.get("stories") if isinstance(content, dict) else None
    if not isinstance(found, dict):
        return None
    return [
        f"{_short(name)}: {_short(story.get('title'))}".removesuffix(": ")
        for name, story in found.items()
        if isinstance(story, dict) and str(story.get("status")).lower() in _IN_PROGRESS
    ]


def _key_files(project: Project, agile: bool) -> list[str]:
    lines = [
        f"- {name} - {what}"
        for name, what in _KEY_FILES.items()
        if (agile and name in _ALWAYS) or _is_present(project, name)
    ]
    names = list[str]()
    with suppress(OSError, FileProblem):
        folder = resolved_within(project.root / "docs" / "02-practices", project.root)
        with os.scandir(folder) as found:
            names = sorted(each.name for each in islice(found, _MOST_NAMES) if each.name.endswith(".md"))
    shown = [_short(name.removesuffix(".md")) for name in names[:_MOST_PRACTICES]]
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown)} more")
    if shown or agile:
        lines.append(f"- docs/02-practices/ - Codebase practices ({', '.join(shown or ['check folder'])})")
    # Names of files and our own words need no masking, which takes time.
    return [harmless(line) for line in lines]


def _conventions(project: Project, report: Report) -> str:
    """The section of CLAUDE.md that holds the key conventions, abridged if it is long."""
    kept: list[str] = []
    level, fence = 0, ""
    for line in _text(project, "CLAUDE.md", report).split("\n"):
        heading = None if fence else _HEADING.match(line)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and not level and _HEADED_CONVENTIONS.match(heading[2]):
            level = len(heading[1])
        elif level:
            kept.append(clean(line).rstrip())
        if mark := _FENCE.match(line):
            fence = "" if fence == mark[1] else fence or mark[1]
    return abridged("\n".join(kept).strip("\n"), _CONVENTIONS_ROOM, "CLAUDE.md")


def _recent_activity(project: Project, report: Report) -> list[str]:
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


def _is_present(project: Project, name: str) -> bool:
    """Whether a file or folder of the project exists; unreadable counts as missing."""
    return os.path.exists(project.root / name)  # noqa: PTH110 - Path.exists raises then


def _json(project: Project, name: str, report: Report) -> Any:
    text = _text(project, name, report)
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        report.problem(f"{name} is not valid JSON")
        return None


def _text(project: Project, name: str, report: Report) -> str:
    try:
        return read_within(project.root / name, project.root, limit=4 << 20).decode("utf-8-sig", "replace")
    except FileProblem as problem:
        _tell(problem, report)
        return ""


def _tell(problem: FileProblem, report: Report) -> None:
    if not isinstance(problem, FileMissing):
        report.problem(problem)


def _short(value: object) -> str:
    return _cut(clean_line(value), _SHORT) if isinstance(value, str) else ""


def _cut(line: str, size: int) -> str:
    return line if len(line) <= size else line[: size - 3].rstrip() + "..."
