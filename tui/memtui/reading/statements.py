"""Decisions, constraints and causes, read from single sentences by fixed rules.

Precision goes before recall: a sentence counts only when its wording leaves little doubt. Constraints come
from the user alone. Decisions come from the user's choices, from answers, and from the model where it says
that it decided, and why.
"""

from __future__ import annotations

import re

from memtui.reading.records import Statement, StatementSource
from memtui.reading.sentences import is_question, line_sentences, prose_lines, sentences_with
from memtui.reading.short_text import key_of
from memtui.reading.wordings import (
    CAUSE,
    CAUSE_STEMS,
    CONSTRAINTS,
    DECISION_STEMS,
    DECISIONS,
    MODEL_DECISION,
    REASON,
    words_of,
)

_COUNT_LIMIT = 300
_TEXT_LIMIT = 320
_SHORTEST = 30

_OPTION = re.compile(r"(?:option\s+)?\(?([A-Ha-h]|[1-9])\s*[).。、,:]?(?:\s+|$|(?=[.,!]))", re.IGNORECASE)
_PICKED = re.compile(
    r"(?i:\b(?:go(?:ing)? with|i (?:think|prefer|choose|pick|like)|let['’]?s (?:do|take|pick)))\s+"
    r"(?:(?i:option)\s+|#)?\(?([A-H]|[1-9])\b(?!\w|\s+(?:more|or|of|other|files|tests|minutes))"
)
_OPTION_LINE = re.compile(
    r"^\s*[|>]?\s*(?:[-*]\s+)?(?:\*\*|#+\s*)?(?:option\s+)?\(?([A-H]|[1-9])[).:：、](?:\*\*)?\s+(.+)$",
    re.IGNORECASE,
)
_QUESTION_MARK = re.compile(
    r"^(?:(?:first|second|next|last|final|another) )?question(?: \d+)?:\s*", re.IGNORECASE
)
_NO_OPTION = re.compile(r"something else|other\b|none of", re.IGNORECASE)
_LONGEST_CHOICE = 200
_ASIDE = re.compile(
    r"(.{12,}?)\s*[,，、]\s*(?:and )?(?:can|could|would|will) (?:you|we)\b.*[?？]", re.IGNORECASE
)
"""What is settled before a question: ``let's store it in metadata, can you give an example?``"""
_OFFER = 6_000
_OTHERS_WORDS = re.compile(
    r"\W*(?:(?:some|more|the|new|latest|another|here(?:['’]s| is| are)|and) ){0,4}"
    r"(?:code review (?:for|of|by|from)\b|(?:pr|pull request|reviewer) (?:feedback|comments?|review)\b"
    r"|(?:evaluate |address |fix |check )?(?:this |the |these )?(?:feedback|comments?|review) from\b"
    r"|(?:copilot|coderabbit|bugbot|greptile|codex) (?:says?|said|comments?|review|feedback|found)\b)",
    re.IGNORECASE,
)
"""How a message begins that hands on what a reviewer wrote."""
_HANDED_ON = 3
"""Lines of such a message."""


def settled_in(text: str) -> tuple[list[str], list[str]]:
    """The sentences of a user's message that decide something, and those that limit how work is done."""
    decisions: list[str] = []
    constraints: list[str] = []
    if _OTHERS_WORDS.match(text) and text.strip().count("\n") >= _HANDED_ON:
        text = text.strip().partition("\n")[0]  # a reviewer's demands are none of the user's rules
    for line in prose_lines(text):
        lowered = line.lower()
        words = words_of(lowered)
        deciding = [rule for rule in DECISIONS if rule.hinted(lowered, words)]
        limiting = [rule for rule in CONSTRAINTS if rule.hinted(lowered, words)]
        if deciding or limiting:
            for sentence in line_sentences(line):
                if is_question(sentence):
                    head = _ASIDE.match(sentence)
                    if head is None or is_question(head[1]):
                        continue
                    sentence = head[1]
                sentence = sentence.rstrip(";；")
                if sentence.endswith((":", "：")):
                    continue  # what it announces says it
                if any(rule.fits(sentence) for rule in deciding):
                    decisions.append(sentence)
                elif any(rule.fits(sentence) for rule in limiting):
                    constraints.append(sentence)
    return decisions, constraints


def found_in(text: str, lowered: str) -> tuple[list[str], list[str]]:
    """The sentences of the model that decide something and say why, and those that name a problem's cause.

    Args:
        text: a message of the model.
        lowered: the same in lower case.
    """
    if len(text) <= _SHORTEST:
        return [], []
    decisions = [
        sentence.rstrip(":：")
        for sentence in sentences_with(text, lowered, DECISION_STEMS)
        if _states(sentence) and MODEL_DECISION.fits(sentence) and REASON.fits(sentence)
    ]
    causes = [
        sentence
        for sentence in sentences_with(text, lowered, CAUSE_STEMS)
        if _states(sentence) and CAUSE.fits(sentence) and not sentence.endswith((":", "："))
    ]
    return decisions, causes


def _states(sentence: str) -> bool:
    return len(sentence) > _SHORTEST and not is_question(sentence)


def chosen_option(choice: str, offer: str) -> str:
    """What an answer such as ``A.``, ``option 2`` or ``let's go with B`` chose from the model's last message.

    Returns the question and the option on one line, "" when it is not clear that something was chosen.
    """
    mark = _chosen_mark(choice.strip())
    if not mark:
        return ""
    question = option = asked = ""
    fenced = False
    for line in offer[-_OFFER:].split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced:
            continue
        elif (found := _OPTION_LINE.match(line)) is None:
            bare = _QUESTION_MARK.sub("", line.replace("**", "").strip(" -*#>|"))
            question = bare if bare.endswith(("?", "？", ":", "：")) else question
        elif found[1].upper() == mark:
            option, asked = _bare_option(found[2]), question
    if len(option) < 3 or _NO_OPTION.match(option) or option[:40].casefold() in choice.casefold():
        return ""
    return f"{asked.rstrip(':：')} → {option}" if asked else option


def _chosen_mark(choice: str) -> str:
    """The letter or number that a short answer names."""
    if len(choice) > _LONGEST_CHOICE or "\n2" in choice:
        return ""
    mark = _OPTION.match(choice)
    if mark is not None and not re.match(r"a\s+[a-z]", choice):
        return mark[1].upper()
    mark = _PICKED.search(choice)
    return mark[1] if mark is not None else ""


def _bare_option(text: str) -> str:
    cells = [cell.strip() for cell in text.replace("**", "").strip(" |").split("|")]
    return " — ".join(cell for cell in cells if cell)


class StatementLog:
    """Keeps statements, each wording once."""

    def __init__(self) -> None:
        self._statements: dict[str, Statement] = {}

    def add(self, statement: Statement) -> None:
        """Take a statement; the first of several with the same words stays."""
        if len(self._statements) < _COUNT_LIMIT:
            self._statements.setdefault(key_of(statement.text), statement)

    def finish(self) -> tuple[Statement, ...]:
        """All statements, first to last."""
        return tuple(self._statements.values())


def statement(text: str, sentence: str, source: StatementSource, timestamp: str) -> Statement:
    """A statement on one line, its sentence as it stands."""
    line = " ".join(text.split())
    return Statement(line[:_TEXT_LIMIT], sentence.strip()[:_TEXT_LIMIT], source, timestamp)
