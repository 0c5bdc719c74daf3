"""Plans that the user lays out in a message of their own (seed 000, section 8, priority 3).

By structure: a list of steps, numbered (also on one line behind a colon) or, in the first message, with
bullets. Only the seed's ``I want to: first ..., then ..., finally ...`` is known by its words. What was
pasted is no plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memtui.transcript.records import Turn

_LEAST = 3
"""Minimum number of items in a plan."""
_LONGEST = 20_000
"""Maximum length in characters; longer texts were pasted."""
_ITEM = re.compile(
    r"^[ \t]{0,4}(?:\**[(（]?(?P<number>\d{1,2})[.)）、．:：]|[-*•])[ \t]*(?P<text>\S.*)", re.MULTILINE
)
_IN_LINE = re.compile(
    r"(?:(?<=[\s:：;；,，、。.)）])|^|(?<=\w)(?=（))[(（]?(?P<number>\d{1,2})[.)）、．](?!\d)[ \t]*(?=\S)"
)
_FIRST = r"(?:^|[.:;!\n]\s{0,8}|\b(?:to|will|should|we|i|you):?\s+)first(?:ly)?\b"
_SEQUENCE = re.compile(
    rf"{_FIRST}.{{3,300}}?\b(?:then|next|second(?:ly)?|after that)\b"
    r".{3,300}?\b(?:finally|lastly|third(?:ly)?)\b"
    r"|首先.{2,200}?(?:然后|接着|其次).{2,200}?(?:最后|最終)|まず.{2,200}?(?:次に|それから).{2,200}?(?:最後に)"
    r"|\bd['’]abord\b.{3,300}?\b(?:ensuite|puis)\b.{3,300}?\benfin\b",
    re.IGNORECASE | re.DOTALL,
)
_NO_STEP = re.compile(r"https?://\S+$|[\w./\\-]+\.\w{1,6}(?::\d+.*)?$")
_PASTED = re.compile(r"^\[pasted at L\d+, ", re.MULTILINE)
"""The placeholder of a pasted block, see `memtui.transcript.pasted`."""
_SPEAKER = re.compile(r"^\w{2,20}:\s", re.MULTILINE)
_QUESTION = re.compile(r"[?？][\s)\"'”]*\Z")


def stated_plan(turns: Iterable[Turn]) -> str:
    """The last message of the user that lays out steps, whole; "" when none does.

    Bullets list anything; only in the first message, which says what is to be done, they are steps.
    """
    asked = tuple(turns)
    return next((each.ask.strip() for each in reversed(asked) if _states_plan(each, each is asked[0])), "")


def _states_plan(turn: Turn, opens: bool) -> bool:
    own = turn.ask
    if turn.kind == "plan":
        return True
    if turn.kind not in ("typed", "command", "queued") or len(own) > _LONGEST:
        return False
    if _QUESTION.search(own) or sum(each.characters for each in turn.pasted) > len(own):
        return False
    if len(set(_SPEAKER.findall(own))) > 1 and len(_SPEAKER.findall(own)) >= _LEAST:
        return False  # a conversation
    steps = [found.start() for found in _ITEM.finditer(own)]
    if any(steps[0] < found.start() < steps[-1] for found in _PASTED.finditer(own) if steps):
        return False  # the list was pasted, too
    bare = re.sub(r"```.*?(?:```|\Z)", "", own, flags=re.DOTALL)
    return _lists_steps(bare, opens) or _steps_in_line(bare) or _SEQUENCE.search(bare) is not None


def _lists_steps(text: str, bullets: bool) -> bool:
    """Whether lines are numbered from 1 on, or with `bullets` these, behind a line that ends with a colon."""
    numbered = bulleted = 0
    introduced = False
    for found in _ITEM.finditer(text):
        if not _can_be_step(found["text"]):
            continue
        if found["number"] is not None:
            numbered += int(found["number"]) in (1, numbered + 1)
            continue
        introduced = introduced or text[: found.start()].rstrip().endswith((":", "："))
        bulleted += 1
    return numbered >= _LEAST or (bullets and bulleted >= _LEAST and introduced)


def _steps_in_line(text: str) -> bool:
    """Whether a line has steps numbered from 1 after a colon: ``Here's my plan: 1. ... 2. ...``."""
    for line in text.split("\n"):
        marks = list(_IN_LINE.finditer(line))
        steps = [mark for at, mark in enumerate(marks) if int(mark["number"]) == at + 1]
        if len(steps) < 2 or not line[: steps[0].start()].rstrip().endswith((":", "：")):
            continue
        ends = [*(mark.start() for mark in steps[1:]), len(line)]
        if all(
            _can_be_step(line[mark.end() : end].strip(" ;；,，、"))
            for mark, end in zip(steps, ends, strict=True)
        ):
            return True
    return False


def _can_be_step(text: str) -> bool:
    words = len(text.split())
    return (words > 1 or not text.isascii()) and not text.endswith(("?", "？")) and not _NO_STEP.match(text)
