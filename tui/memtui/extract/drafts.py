"""Drafts of a memory file, a summary and a session state, made from facts alone.

The same facts give the same words. Nothing is claimed that the transcript does not show: what is not known
stays empty, and a person adds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from memtui.extract.evidence import shown
from memtui.extract.facts import Facts
from memtui.extract.phrasing import first_sentence, one_line, shortened, telling_line
from memtui.extract.records import Command, ErrorFact, FileFact, PlanFact
from memtui.formats.memory import MemoryFile
from memtui.formats.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
)

_TITLE = 60
_SENTENCE = 240
_GOAL = 600
_KEY_FILES = 12
_LEARNINGS = 12
_QUESTIONS = 10
_TELLING = 25
"""Characters from which a correction may tell something."""
_RESOLVED = 3
"""Resolved errors that are worth a learning: the last ones."""
_TASKS = 15
"""Tasks of a session state (seed 003)."""
_DECISIONS = 20
_FILES = 25

_TEST = re.compile(
    r"\b(?:pytest|jest|vitest|mocha|rspec|phpunit|ctest|tox|nox|unittest)\b"
    r"|\b(?:npm|pnpm|yarn|bun|cargo|go|make|mvn|gradle|dotnet|swift|mix|just|deno|rake)\s+(?:run\s+)?[\w:.-]*"
    r"(?:test|check|build|compile|tsc|lint)"
    r"|\b(?:tsc|gcc|clang|javac|rustc|mypy|ruff|eslint)\b"
)
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


# -- memory file (seed 001) --------------------------------------------------------------------------------


def draft_memory(facts: Facts) -> MemoryFile:
    """A memory file as a reviewer would begin it (seed 001)."""
    return MemoryFile(
        title=_title(facts),
        goal=_goal(facts),
        learnings=tuple(_unique(_learnings(facts)))[:_LEARNINGS],
        questions=tuple(_unique(_questions(facts)))[:_QUESTIONS],
        confidence=_confidence(facts),
        key_files=tuple(_key_files(facts)),
    )


def _title(facts: Facts) -> str:
    return shortened(_topic(facts), _TITLE) or "Session without words of the user"


def _topic(facts: Facts) -> str:
    """What the session is about, in a sentence: a bare `/command` says less than anything else."""
    words = (first_sentence(prompt.text) for prompt in facts.prompts or ())
    plan = next((line for line in _plan_lines(facts) if line.startswith("#")), "").lstrip("# ")
    told = (facts.title, plan, first_sentence(facts.first_prompt))
    return one_line(next((text for text in (*_sayings(words), *told) if text), ""))


def _sayings(words: Iterable[str]) -> Iterable[str]:
    return (
        text for text in words if " " in text.strip() or len(_CHINESE.findall(text)) > 2 or _KANA.search(text)
    )


def _plan_lines(facts: Facts) -> list[str]:
    return facts.plans[-1].content.split("\n") if facts.plans else []


def _goal(facts: Facts) -> str:
    goal = shortened(facts.first_prompt.strip(), _GOAL)
    later = first_sentence(facts.last_prompt) if len(facts.prompts) > 1 else ""
    if later and later not in goal:
        goal += f"\n\nLast asked: {shortened(one_line(later), _SENTENCE)}"
    return goal


def _learnings(facts: Facts) -> Iterable[str]:
    for each in (*facts.decisions, *facts.causes):
        yield shortened(one_line(each.text), _SENTENCE)
    for constraint in facts.constraints:
        yield shortened(f"Constraint: {one_line(constraint.text)}", _SENTENCE)
    for correction in facts.corrections:
        # Few words, or a question, teach nothing to somebody who was not there.
        if len(correction.text) >= _TELLING and not correction.text.rstrip().endswith(("?", "？")):
            yield shortened(f"The user corrected: {one_line(correction.text)}", _SENTENCE)
    root = Path(facts.cwd) if facts.cwd else None
    for error in [error for error in facts.errors if error.resolved][-_RESOLVED:]:
        yield shortened(f"Resolved: {_error_line(error, root)}", _SENTENCE)


def _questions(facts: Facts) -> Iterable[str]:
    for todo in facts.todos:
        if todo.status != "completed":
            doing = " (in progress)" if todo.status == "in_progress" else ""
            yield shortened(one_line(todo.content), _SENTENCE) + doing
    root = Path(facts.cwd) if facts.cwd else None
    for error in reversed(facts.errors):
        if not error.resolved:
            yield _error_line(error, root)


def _error_line(error: ErrorFact, root: Path | None) -> str:
    target = shortened(one_line(shown(error.target, root)), 100)
    return shortened(f"{error.tool} {target} failed: {one_line(telling_line(error.message))}", _SENTENCE)


def _confidence(facts: Facts) -> str:
    """How much of the goal is shown to be reached, by todos, tests and errors; never more than they show."""
    open_todos = [todo for todo in facts.todos if todo.status != "completed"]
    open_errors = [error for error in facts.errors if not error.resolved]
    last = _last_check(facts)
    if not facts.modified_files and not facts.todos:
        return "Low — nothing was changed, so there is little to go by; drafted from the transcript"
    if last is not None and last.outcome == "failed":
        return f"Low — the last check failed: {shortened(one_line(last.text), 80)}"
    if not open_todos and not open_errors and (facts.todos or (last is not None and last.outcome == "ok")):
        shows = [f"{_counted(len(facts.todos), 'todo')} done" if facts.todos else ""]
        shows.append(f"{shortened(one_line(last.text), 60)} passed" if last and last.outcome == "ok" else "")
        return f"High — {', '.join(each for each in shows if each)}, no error left open"
    left = [_counted(len(open_todos), "todo"), _counted(len(open_errors), "error")]
    told = " and ".join(each for each in left if each) or "no todo list and no test run"
    return f"Medium — {told}{' left open' if any(left) else ' to judge by'}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' if number > 1 else ''}" if number else ""


def _key_files(facts: Facts) -> list[str]:
    """The files edited most, by the user's agent before its subagents'; in a tie the one edited last."""
    root = Path(facts.cwd) if facts.cwd else None
    ranked = sorted(facts.modified_files, key=lambda file: (file.subagent, -file.times))
    return [shown(file.path, root) for file in ranked[:_KEY_FILES]]


def draft_summary(facts: Facts) -> str:
    """One or two sentences on what the session was about."""
    wish = shortened(_topic(facts), 160).rstrip(".。")
    done = [
        _counted(len(facts.modified_files), "file") + " modified" if facts.modified_files else "",
        _counted(sum(todo.status == "completed" for todo in facts.todos), "todo") + " done"
        if any(todo.status == "completed" for todo in facts.todos)
        else "",
        _counted(len(facts.decisions), "decision"),
    ]
    told = ", ".join(each for each in done if each)
    sentences = [
        f"{wish}." if wish else "",
        f"{told[0].upper()}{told[1:]}." if told else "No file was changed.",
    ]
    return " ".join(each for each in sentences if each)


# -- session state (seed 003) ------------------------------------------------------------------------------


def draft_session_state(facts: Facts, project: ProjectLike, version: int = 1) -> SessionState:
    """The session state document by the rules of seed 003, first run."""
    root = project.root
    return SessionState(
        version=version,
        identity=Identity(
            project=f"{project.name} ({root})",
            branch=facts.branch,
            goal=shortened(one_line(facts.first_prompt), _SENTENCE),
        ),
        tasks=_tasks(facts),
        decisions=_decisions(facts),
        working=WorkingContext(
            files_modified=_files(facts.modified_files, root),
            last_compile=_compiled(_last_check(facts)),
            last_error=_last_error(facts.errors, root),
            technical_state=_last_action(facts, root),
            dependencies="",
        ),
        dynamics=Dynamics(
            language=_language(facts),
            style=_style(facts),
            phase=_phase(facts),
            last_intent=shortened(one_line(facts.last_prompt), _SENTENCE),
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
    return [shortened(one_line(text), _SENTENCE) for text in found[:8]]


def _blocker(facts: Facts) -> str:
    last = facts.last_action
    return shortened(one_line(last.result), 120) if last is not None and last.outcome == "failed" else ""


def _decisions(facts: Facts) -> tuple[Decision, ...]:
    made = [
        Decision(kind="decision", text=shortened(one_line(each.text), _SENTENCE)) for each in facts.decisions
    ]
    limits = [
        Decision(kind="constraint", text=shortened(one_line(each.text), _SENTENCE))
        for each in facts.constraints
    ]
    return tuple((*made, *limits)[:_DECISIONS])


def _files(files: tuple[FileFact, ...], root: Path) -> str:
    paths = [shown(file.path, root) for file in files]
    more = f", and {len(paths) - _FILES} more" if len(paths) > _FILES else ""
    return ", ".join(paths[-_FILES:]) + more


def _last_check(facts: Facts) -> Command | None:
    """The last compile, lint or test run whose outcome is known."""
    checks = (command for command in reversed(facts.commands) if _TEST.search(command.text))
    return next((command for command in checks if command.outcome in ("ok", "failed")), None)


def _compiled(check: Command | None) -> str:
    if check is None:
        return ""
    told = shortened(one_line(check.text), 120)
    if check.outcome == "ok":
        return f"SUCCESS: {told}"
    return f"FAILURE: {told}: {shortened(one_line(telling_line(check.output)), _SENTENCE)}"


def _last_error(errors: tuple[ErrorFact, ...], root: Path) -> str:
    if not errors:
        return ""
    last = next((error for error in reversed(errors) if not error.resolved), errors[-1])
    return f"{_error_line(last, root)} ({'resolved' if last.resolved else 'open'})"


def _last_action(facts: Facts, root: Path) -> str:
    action = facts.last_action
    if action is None:
        return ""
    target = shortened(one_line(shown(action.target, root)), 120)
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


def _unique(lines: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(line for line in lines if line)
