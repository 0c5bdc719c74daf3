"""The objective of a recovery text: what a session is to reach, for somebody who was not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.documents.inferred import later_requests
from memtui.reading.checks import SENTENCE
from memtui.reading.facts import Facts
from memtui.reading.plans import plan_title
from memtui.reading.short_text import first_sentence, one_line, says_something, shortened
from memtui.reading.topics import topic, wish

_LONGEST = 400
_VAGUE, _VAGUE_WIDE = 60, 12
"""Characters under which a first request seldom says what it is about; in scripts without spaces."""
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_COMMON_BRANCHES = frozenset({"", "main", "master", "develop", "HEAD"})
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])|\n+")
_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、．])\s+")
_HEADING = re.compile(r"^\s*(?:#+|>)\s+")
_FENCE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
_LOG = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\b|Traceback \("
    r"|File \"|at \S+ ?\(|[❯$%✓✗✔✖│╭╰]\s|\w+(?:Error|Exception):)"
)
"""How a line of a program's output begins."""


def objective(facts: Facts) -> str:
    """What the session is to reach, in the user's words, as whole sentences."""
    if facts.plans and (not facts.prompts or facts.prompts[0].kind == "plan"):
        return shortened(plan_title(facts.plans[-1]), _LONGEST)
    about = topic(facts)
    told = _sentences(wish(facts), about) or shortened(about, _LONGEST)
    if told and not _is_vague(told):
        return told
    # "Let's work on this bug": what came next, and the branch, tell which.
    later = (_first(prompt.text) for prompt in later_requests(facts))
    more = next((f"then: {text}" for text in map(one_line, later) if _tells_more(text, told)), "")
    if not more and not says_something(told) and (tasks := (*facts.past_todos, *facts.todos)):
        more = f"its first task: {one_line(tasks[0].content)}"
    where = f" (branch {facts.branch})" if facts.branch not in _COMMON_BRANCHES else ""
    told = told or ("" if more else facts.title) or "A session without words of the user"
    return f"{told}{where}" + (f" — {shortened(more, SENTENCE)}" if more else "")


def _is_vague(text: str, least: int = _VAGUE) -> bool:
    return len(text) < (_VAGUE_WIDE if _WIDE.search(text) else least)


def _tells_more(text: str, told: str) -> bool:
    """Whether a later request is of some length, and not the first one with another word in it."""
    known = set(told.casefold().split())
    return not _is_vague(text, _VAGUE // 2) and not (" " in text and set(text.casefold().split()) <= known)


def _first(text: str) -> str:
    sentence = first_sentence(text)
    return text if sentence.endswith((":", "：")) else sentence


def _sentences(text: str, first: str) -> str:
    """Whole sentences of a text, from the one that says what it is about on; a list goes with `;`."""
    kept: list[str] = []
    size, in_list = 0, False
    for sentence, is_item in _from(first, list(_pieces(text))):
        if is_item and not in_list and kept and _announces(kept[-1]) and _is_enough(kept):
            break
        if kept and size + len(sentence) > _LONGEST:
            break
        if is_item and in_list and kept[-1][-1] not in ".!?;。！？；":
            kept[-1] += ";"
        kept.append(sentence)
        size, in_list = size + len(sentence) + 1, is_item
        if size > _LONGEST // 2 and not (is_item and size < _LONGEST * 2 // 3):
            break
    while len(kept) > 1 and _announces(kept[-1]):
        kept.pop()
    return shortened(" ".join(kept), _LONGEST)


def _announces(sentence: str) -> bool:
    return sentence.endswith((":", "："))


def _is_enough(sentences: list[str]) -> bool:
    """Whether they say what is wanted without the list that the last one announces."""
    return sum(len(each) for each in sentences if not _announces(each)) >= 2 * _VAGUE


def _from(first: str, pieces: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The pieces from some words on, with the command before them unless they name it."""
    start = first[:40]
    for at, (sentence, is_item) in enumerate(pieces if start else ()):
        before, found, _ = sentence.partition(start)
        if found:
            command = before.startswith("/") and before.split()[0].rstrip(":") not in first
            return [(sentence if command else sentence[len(before) :], is_item), *pieces[at + 1 :]]
    return pieces


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text without code and output, and whether each is an item of a list."""
    for line in _FENCE.sub("", text).split("\n"):
        if not line.strip() or _LOG.match(line):
            continue
        bare = _HEADING.sub("", line, count=1)
        is_item = _ITEM.match(bare) is not None
        bare = _ITEM.sub("", bare, count=1).replace("**", "").strip()
        if is_item:
            yield one_line(bare), True
            continue
        for sentence in _SENTENCES.split(bare):
            if sentence.strip():
                yield one_line(sentence), False
