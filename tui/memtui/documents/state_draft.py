"""A draft of a session state document (seed 003), made from facts alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from memtui.documents.compactor_decisions import merged_decisions
from memtui.documents.compactor_size import fitted
from memtui.documents.compactor_tasks import collapsed
from memtui.documents.state_secrets import without_secrets
from memtui.documents.state_tasks import task_tree
from memtui.documents.state_working import shown_error, working_context
from memtui.formats.session_state import Decision, Dynamics, Identity, SessionState
from memtui.reading.checks import SENTENCE, last_checks
from memtui.reading.records import Facts
from memtui.reading.requests import goal, last_intent, request
from memtui.reading.sentences import is_question
from memtui.reading.short_text import one_line, shortened
from memtui.reading.topics import settled

_KANA = re.compile(r"[\u3040-\u30ff]")
_SCRIPTS = (
    ("Chinese", re.compile(r"[\u4e00-\u9fff]")),
    ("Korean", re.compile(r"[\uac00-\ud7af]")),
    ("Russian", re.compile(r"[\u0400-\u04ff]")),
)
_WORDS = {
    "English": r"\b(?:the|is|to|of|and|in|it|for|please|this|that|with|can|you|let)\b",
    "French": r"\b(?:le|la|les|des|une|est|pas|pour|avec|dans|que|qui|je|il|fais)\b|[éèêçàù]",
    "German": r"\b(?:der|die|das|und|ist|nicht|ein|eine|mit|für|bitte|ich|wir|zu)\b|[äöüß]",
    "Spanish": r"\b(?:el|los|las|una|y|por|para|con|que|no|es|haz|como|está)\b|[ñ¿¡áíóú]",
}
_LETTERS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _WORDS.items()}
_REVIEW = re.compile(r"\breview|\brelis|审查|评审|レビュー", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:this|that|it|these|those|them)\b|这|那|これ|それ", re.IGNORECASE)
_SHORT = 80
_ABOUT = 100
_PROMPTS = 20
"""Words of the user by which language and style are told: the last ones."""


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
    raw = without_secrets(raw_state(facts, project))
    decisions = merged_decisions((), raw.decisions)
    return fitted(raw.replace(version=version, tasks=collapsed(raw.tasks), decisions=decisions))


def raw_state(facts: Facts, project: ProjectLike) -> SessionState:
    """What the facts make of each section, as long as it gets: every decision, every task."""
    return SessionState(
        identity=Identity(
            project=f"{project.name} ({project.root})", branch=facts.branch, goal=one_line(goal(facts))
        ),
        tasks=task_tree(facts),
        decisions=_decisions(facts, project.root),
        working=working_context(facts, project.root),
        dynamics=Dynamics(
            language=_language(facts),
            style=_style(facts),
            phase=_phase(facts),
            last_intent=last_intent(facts),
        ),
    )


def _decisions(facts: Facts, root: Path) -> tuple[Decision, ...]:
    """Decisions and constraints in the order in which they were said: later ones come behind earlier ones."""
    stopped = (each for each in facts.corrections if each.about and each.timestamp)
    about = {each.timestamp: each.about.replace(f"{root}/", "") for each in stopped}
    said = [(each, "decision", settled(each)) for each in facts.decisions]
    said += [(each, "constraint", one_line(each.text)) for each in facts.constraints]
    said.sort(key=lambda each: each[0].timestamp)
    return tuple(
        Decision(
            kind="constraint" if kind == "constraint" else "decision",
            text=shortened(_pointed(text, about.get(each.timestamp, "")), SENTENCE),
        )
        for each, kind, text in said
    )


def _pointed(text: str, about: str) -> str:
    """A short sentence on ``this`` or ``it``, with the step that the user refused or stopped in saying so."""
    if not about or len(text) > _SHORT or not _POINTING.search(text):
        return text
    return f"{text} (about {shortened(one_line(about), _ABOUT)})"


def _language(facts: Facts) -> str:
    """The language of the user's own words; English when they tell nothing else."""
    words = " ".join(prompt.text for prompt in facts.prompts[-_PROMPTS:])
    if len(_KANA.findall(words)) >= 3:
        return "Japanese"
    for name, letters in _SCRIPTS:
        if len(letters.findall(words)) >= 3:
            return name
    if not words.strip():
        return ""
    return max(_LETTERS, key=lambda name: len(_LETTERS[name].findall(words)))


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
    last = facts.last_action
    checks = last_checks(facts)
    if last is not None and last.outcome == "failed" and not facts.last_words:
        return "debugging"
    if (checks and checks[-1].outcome == "failed") or shown_error(facts):
        return "debugging"
    waits = last is not None and last.tool == "ExitPlanMode" and last.outcome != "ok"
    if facts.plans and (waits or not facts.modified_files or facts.plans[-1].fate == "unknown"):
        return "planning"
    if _REVIEW.search(last_intent(facts)):
        return "review"
    if not facts.modified_files:
        return "exploration"
    return "review" if _is_finished(facts) else "execution"


def _is_finished(facts: Facts) -> bool:
    """Whether all that was on the list is done, and nothing else was asked for since."""
    if not facts.todos or any(todo.status != "completed" for todo in facts.todos):
        return False
    later = (prompt for prompt in reversed(facts.prompts) if prompt.source.timestamp > facts.todos_changed)
    return not any((told := request(prompt)) and not is_question(told) for prompt in later)
