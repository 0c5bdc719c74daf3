"""Plans that the user lays out in a message of their own (seed 000, section 8, priority 3).

By fixed rules, and careful: a numbered list may as well be a pasted log, a review, or a list of questions. A
message counts whole, for what stands around the steps belongs to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memtui.reading.records import Prompt

_LEAST = 3
"""Items that make a list a plan."""
_LONGEST = 20_000
"""Characters; what is longer was pasted."""
_INTRO = 300
"""Characters before a list in which it may be called a plan."""

_ITEM = re.compile(r"^[ \t]{0,4}(?:\**(?P<number>\d{1,2})[.)、．:]|[-*•])[ \t]*(?P<text>\S.*)", re.MULTILINE)
_CALLED = re.compile(
    r"\bplan\b|\b(?:steps?|phases?|tasks?|to-?dos?|workflow)\b|\bi(?:['’]d like| want| need)(?: you)? to\b"
    r"|\b(?:we|you) (?:need to|should|must|will|have to)\b|\bdo (?:the following|these|this)\b"
    r"|\b(?:please|implement|instructions?|goals?|requirements?|étapes?|schritte?|pasos)\b"
    r"|计划|計劃|步骤|步驟|任务|任務|首先|目的|目标|計画|手順|タスク|목표|계획|단계|план|шаг",
    re.IGNORECASE,
)
_FIRST = r"(?:^|[.:;!\n]\s{0,8}|\b(?:to|will|should|we|i|you):?\s+)first(?:ly)?\b"
_SEQUENCE = re.compile(
    rf"{_FIRST}.{{3,300}}?\b(?:then|next|second(?:ly)?|after that)\b"
    r".{3,300}?\b(?:finally|lastly|third(?:ly)?)\b"
    r"|首先.{2,200}?(?:然后|接着|其次).{2,200}?(?:最后|最終)|まず.{2,200}?(?:次に|それから).{2,200}?(?:最後に)"
    r"|\bd['’]abord\b.{3,300}?\b(?:ensuite|puis)\b.{3,300}?\benfin\b",
    re.IGNORECASE | re.DOTALL,
)
_ORDERS = re.compile(
    r"(?:\W*)(?:add|analy[sz]e|ask|build|change|check|clean|commit|compare|configure|convert|copy|create|define"
    r"|delete|deploy|design|document|download|ensure|explore|expose|extend|extract|find|fix|generate|get|go"
    r"|handle|implement|import|improve|inspect|install|integrate|introduce|list|look|make|merge|migrate|modify"
    r"|move|open|parse|port|prepare|push|put|read|refactor|remove|rename|replace|report|research|review|rewrite"
    r"|run|save|search|send|set|setup|show|start|stop|store|support|test|track|try|update|upgrade|use|validate"
    r"|verify|wire|write)\b",
    re.IGNORECASE,
)
_NO_STEP = re.compile(r"https?://\S+$|[\w./\\-]+\.\w{1,6}(?::\d+.*)?$|(?:error|warning|at)\b", re.IGNORECASE)
_PASTED = re.compile(
    r"^(?:[ \t]*(?:[✓✗✔✖!$>❯]|=>|\[\+\])\s|\[\d+/\d+\]|(?:User|Agent|Assistant|Human):\s|[ \t]+at \S+\("
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:)",
    re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"[?？][\s)\"'”]*\Z")


def stated_plan(prompts: Iterable[Prompt]) -> str:
    """The last message of the user that lays out steps, whole; "" when none does."""
    return next((each.text.strip() for each in reversed(tuple(prompts)) if _states_plan(each)), "")


def is_pasted(text: str) -> bool:
    """Whether a message holds a program's output or a conversation, rather than the user's words."""
    return len(_PASTED.findall(text)) >= _LEAST


def is_order(text: str) -> bool:
    """Whether a line tells somebody to do something; of other languages than English that is not asked."""
    return bool(text.strip()) and (_ORDERS.match(text) is not None or not text.isascii())


def _states_plan(prompt: Prompt) -> bool:
    if prompt.kind == "plan":
        return True
    text = prompt.text
    if prompt.kind not in ("typed", "command", "queued") or len(text) > _LONGEST:
        return False
    if _QUESTION.search(text) or is_pasted(text):
        return False
    bare = _FENCE.sub("", text)
    return _lists_steps(bare) or _SEQUENCE.search(bare) is not None


def _lists_steps(text: str) -> bool:
    """Whether a message holds a list of things to do: called so before it, or worded as orders."""
    numbered: list[str] = []
    bulleted: list[str] = []
    start = len(text)
    for found in _ITEM.finditer(text):
        if not _can_be_step(found["text"]):
            continue
        start = min(start, found.start())
        if found["number"] is None:
            bulleted.append(found["text"])
        elif int(found["number"]) in (1, len(numbered) + 1):
            numbered.append(found["text"])
    called = _CALLED.search(text[max(0, start - _INTRO) : start]) is not None
    if len(numbered) >= _LEAST and (called or _are_orders(numbered)):
        return True
    return len(bulleted) >= _LEAST and called and _are_orders(bulleted)


def _can_be_step(text: str) -> bool:
    words = len(text.split())
    return (words > 1 or not text.isascii()) and not text.endswith(("?", "？")) and not _NO_STEP.match(text)


def _are_orders(items: list[str]) -> bool:
    """Whether half of the items tell somebody to do something; of other languages that is not asked."""
    return 2 * sum(map(is_order, items)) >= len(items)
