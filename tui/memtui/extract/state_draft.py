"""A draft of a session state document (seed 003), made from facts alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from memtui.extract.checks import SENTENCE, bare_command, error_line, last_check, worth_telling
from memtui.extract.commands import SHELL_TOOLS
from memtui.extract.evidence import shown
from memtui.extract.facts import Facts
from memtui.extract.phrasing import one_line, shortened, telling_line
from memtui.extract.records import Command, ErrorFact, FileFact, PlanFact
from memtui.extract.topics import settled, wish
from memtui.formats.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
)

_TASKS = 15
"""Tasks of a session state (seed 003)."""
_DECISIONS = 20
_FILES = 25

_KANA = re.compile(r"[\u3040-\u30ff]")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_KOREAN = re.compile(r"[\uac00-\ud7af]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_FRENCH = re.compile(
    r"\b(?:le|la|les|des|une|est|pas|pour|avec|dans|que|qui|je|il|fais)\b|[éèêçàù]", re.IGNORECASE
)
_ENGLISH = re.compile(r"\b(?:the|is|to|of|and|in|it|for|please|this|that|with|can|you|let)\b", re.IGNORECASE)


class ProjectLike(Protocol):
    """What a draft needs to know of a project."""

    @property
    def name(self) -> str:
        """The project's name."""

    @property
    def root(self) -> Path:
        """The project's folder."""


def draft_session_state(facts: Facts, project: ProjectLike, version: int = 1) -> SessionState:
    """The session state document by the rules of seed 003, first run."""
    root = project.root
    return SessionState(
        version=version,
        identity=Identity(
            project=f"{project.name} ({root})",
            branch=facts.branch,
            goal=shortened(one_line(wish(facts)), SENTENCE),
        ),
        tasks=_tasks(facts),
        decisions=_decisions(facts),
        working=WorkingContext(
            files_modified=_files(facts.modified_files, root),
            last_compile=_compiled(last_check(facts)),
            last_error=_last_error(facts.errors, root),
            technical_state=_last_action(facts, root),
            dependencies="",
        ),
        dynamics=Dynamics(
            language=_language(facts),
            style=_style(facts),
            phase=_phase(facts),
            last_intent=shortened(one_line(facts.last_prompt), SENTENCE),
        ),
    )


def _tasks(facts: Facts) -> tuple[Task, ...]:
    done = [todo.content for todo in facts.todos if todo.status == "completed"]
    doing = [todo.content for todo in facts.todos if todo.status == "in_progress"]
    coming = [todo.content for todo in facts.todos if todo.status not in ("completed", "in_progress")]
    if not facts.todos and facts.plans and facts.plans[-1].fate != "rejected":
        coming = _steps(facts.plans[-1])
    room = max(3, _TASKS - len(doing) - len(coming))
    tasks = []
    if len(done) > room:
        earlier, done = done[: len(done) - room + 1], done[len(done) - room + 1 :]
        named = "; ".join(shortened(one_line(text), 60) for text in earlier[:3])
        tasks.append(
            Task(kind=TaskKind.DONE, text=f"Earlier: completed {len(earlier)} tasks including {named}")
        )
    tasks += [Task(kind=TaskKind.DONE, text=one_line(text)) for text in done]
    for text in doing[:1]:
        blocker = Task(kind=TaskKind.BLOCKER, text=_blocker(facts) or "None")
        tasks.append(Task(kind=TaskKind.IN_PROGRESS, text=one_line(text), children=(blocker,)))
    tasks += [Task(kind=TaskKind.OPEN, text=one_line(text)) for text in doing[1:]]
    kinds = (TaskKind.NEXT, *(TaskKind.LATER for _ in coming))
    tasks += [Task(kind=kind, text=one_line(text)) for kind, text in zip(kinds, coming, strict=False)]
    return tuple(tasks)


_STEP = re.compile(
    r"^\s*(?:[-*]\s+(?:\[[ x>]\]\s+)?|\d+[.)]\s+|#{2,4}\s+(?:(?:Step|Phase|Task)\s+)?\d+[.:)]?\s*)(.+)$"
)


def _steps(plan: PlanFact) -> list[str]:
    """The numbered or listed steps of a plan, at most eight."""
    found = [match[1] for line in plan.content.split("\n") if (match := _STEP.match(line))]
    return [shortened(one_line(text), SENTENCE) for text in found[:8]]


def _blocker(facts: Facts) -> str:
    last = facts.last_action
    return shortened(one_line(last.result), 120) if last is not None and last.outcome == "failed" else ""


def _decisions(facts: Facts) -> tuple[Decision, ...]:
    made = [Decision(kind="decision", text=shortened(settled(each), SENTENCE)) for each in facts.decisions]
    limits = [
        Decision(kind="constraint", text=shortened(one_line(each.text), SENTENCE))
        for each in facts.constraints
    ]
    return tuple((*made, *limits)[:_DECISIONS])


def _files(files: tuple[FileFact, ...], root: Path) -> str:
    paths = [shown(file.path, root) for file in files]
    more = f", and {len(paths) - _FILES} more" if len(paths) > _FILES else ""
    return ", ".join(paths[-_FILES:]) + more


def _compiled(check: Command | None) -> str:
    if check is None:
        return ""
    told = shortened(bare_command(check.text), 120)
    if check.outcome == "ok":
        return f"SUCCESS: {told}"
    return f"FAILURE: {told}: {shortened(one_line(telling_line(check.output)), SENTENCE)}"


def _last_error(errors: tuple[ErrorFact, ...], root: Path) -> str:
    if not errors:
        return ""
    errors = tuple(error for error in errors if worth_telling(error)) or errors
    last = next((error for error in reversed(errors) if not error.resolved), errors[-1])
    return f"{error_line(last, root)} ({'resolved' if last.resolved else 'open'})"


def _last_action(facts: Facts, root: Path) -> str:
    action = facts.last_action
    if action is None:
        return ""
    shell = action.tool in SHELL_TOOLS
    target = shortened(bare_command(action.target) if shell else one_line(shown(action.target, root)), 120)
    result = shortened(one_line(action.result), 160)
    return f"Last action: {action.tool} {target} ({action.outcome}){f': {result}' if result else ''}"


def _language(facts: Facts) -> str:
    words = " ".join(prompt.text for prompt in facts.prompts[-20:])
    if len(_KANA.findall(words)) >= 3:
        return "Japanese"
    for name, letters in (("Chinese", _CHINESE), ("Korean", _KOREAN), ("Russian", _CYRILLIC)):
        if len(letters.findall(words)) >= 3:
            return name
    if not words.strip():
        return ""
    return "French" if len(_FRENCH.findall(words)) > len(_ENGLISH.findall(words)) else "English"


def _style(facts: Facts) -> str:
    """How the user writes, by length and by how often they step in."""
    if not facts.prompts:
        return ""
    lengths = sorted(len(prompt.text) for prompt in facts.prompts)
    middle = lengths[len(lengths) // 2]
    style = "terse" if middle < 60 else "direct" if middle < 300 else "detailed"
    if len(facts.corrections) >= 3:
        style += ", steps in often"
    elif len(facts.prompts) <= 3 and len(facts.commands) + len(facts.modified_files) > 20:
        style += ", lets it work on its own"
    return style


def _phase(facts: Facts) -> str:
    if facts.last_action is not None and facts.last_action.outcome == "failed":
        return "debugging"
    if facts.plans and not facts.modified_files:
        return "planning"
    if not facts.modified_files:
        return "exploration"
    return (
        "review" if facts.todos and all(todo.status == "completed" for todo in facts.todos) else "execution"
    )
