"""The context block for a compaction's summariser, in the layout of seed 002's "Output Format"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memtui.ground.clean import clean_line
from memtui.ground.project import Home, Project, git_branch
from memtui.hooks.active_commands import FENCE, SUMMARISER_ROOM, Rules, abridged_rules, active_rules
from memtui.hooks.pins import FOR_SUMMARISER, pins_text
from memtui.hooks.project_files import (
    conventions,
    is_agileflow,
    is_present,
    key_files,
    package,
    recent_activity,
    stories,
)
from memtui.hooks.report import Report
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
