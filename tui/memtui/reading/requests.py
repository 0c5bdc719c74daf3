"""What the user asked for: the last request, the session's goal, and where it changed direction."""

from __future__ import annotations

import re

from memtui.reading.plans import plan_title
from memtui.reading.records import Answer, Facts, Prompt
from memtui.reading.sentences import prose_lines
from memtui.reading.short_text import first_sentence, one_line, says_something, shortened, telling_line
from memtui.reading.sizes import tokens
from memtui.reading.topics import wish
from memtui.reading.user_plans import is_order, is_pasted

_WIDTH = 240
_BEFORE = 90
_GOAL = 400
_OPENING = 600
_PASTE = 8
"""Lines of what may be a program's output."""
_SENTENCE = 5
"""Words of a line that somebody wrote."""

_ADDRESS = re.compile(r"https?://\S+")
PASTED = "Pasted output: "
_OUTPUT = re.compile(r"[❯$%>#\[│┃✓✗=*+-]|\d+[:%]|\S+@\S+[:~]")
"""How a line of a program's output begins."""
_PLAIN = re.compile(r"[^\W\d_][^\d/<>=(){}\[\]|\\:;#$%&*+~^✓✗]{2,}")
"""A line of words alone, as people write and programs seldom do."""
_NEAR = 80

_ROUTINE = re.compile(
    r"(?:please |ok(?:ay)?[,.! ]+|yes[,.! ]+)*(?:yes|no|y|ok(?:ay)?|sure"
    r"|thanks?(?: you)?|continue|proceed|go(?: ahead| on)?"
    r"|start|approved?|done|lgtm|commit(?: (?:it|this|that|everything|and push|the changes|these changes))?"
    r"|push(?: it| again)?|run it|try again|retry|do it|perfect|great|nice|cool|stop|skip"
    r"|oui|non|d'accord|vas-y|continue[rz]?|merci|commite?"
    r"|好的?|可以|继续|嗯|是的?|对|提交(?:一下)?|推送|谢谢"
    r"|はい|いいえ|いいよ|お願いします?|おねがい(?:します)?|続けて|コミット(?:して|プッシュして|してプッシュして)?"
    r"|プッシュして|push ?して|ok です|ありがとう)[\s.!。！、,]*(?:please|よ|ね|吧|了)?[\s.!。！]*",
    re.IGNORECASE,
)
"""Words that let the work go on and say nothing about it."""

_DIRECTION = re.compile(
    r"(?:(?:ok(?:ay)?|alright|all right|great|cool|thanks?|so|now|next|and|but|good|perfect)[,.!:]?\s+)*"
    r"(?:(?:a |the )?(?:new|next|different|another) (?:task|topic|goal|feature|thing|issue|problem)\b"
    r"|change of plans?\b"
    r"|(?:let['’]?s|we (?:will|should|can)|i want to) (?:now )?(?:move on|switch|turn) to\b"
    r"|let['’]?s (?:now )?(?:work|focus) on\b|let['’]?s (?:do|build|make) something else\b"
    r"|moving on\b|switch(?:ing)? (?:gears|to (?:the|a)\b)|forget (?:about )?(?:that|all that|the)\b"
    r"|nouvelle tâche|autre chose\b|passons à|on passe à|changement de plan|maintenant,? (?:on|je veux|passe)"
    r"|(?:那|好的?)?[，,]?(?:接下来|下一步|下一个任务|新任务|新的任务|换个|另外一个)"
    r"|现在(?:我们|我)(?:要|来|想|开始)|先不(?:管|做|弄)"
    r"|(?:では|じゃあ|それでは)?[、,]?(?:次は|次に|次の|別件|話は変わ|新しいタスク|方針変更|方針を変え|今度は))",
    re.IGNORECASE,
)
"""How a request begins that leaves what was done so far."""

_PURPOSE = re.compile(
    r"\b(?:my|the|our) (?:overall |main |end |real |actual |ultimate )?(?:goal|objective|aim) (?:here )?is\b"
    r"|\bwhat i (?:really|actually|ultimately) want (?:is|to)\b"
    r"|\b(?:mon|le|notre) (?:objectif|but) (?:est|c'est)\b"
    r"|(?:我|我们)的?(?:最终|真正)?的?(?:目的|目标)(?:[:：是]|就是)|明确一下.{0,6}(?:目的|目标)|最终的?(?:目的|目标)是"
    r"|(?:目的|目標|ゴール)は",
    re.IGNORECASE,
)
"""How a message says what it is all for."""


def asked(text: str, width: int = _WIDTH) -> str:
    """What a message asks for, on one line: its prose, without the logs and code that are pasted into it."""
    start = first_sentence(text)
    if not start:
        return ""
    at = text.find(start)
    lines: list[str] = []
    size = 0
    for line in prose_lines(text[max(at, 0) :]):
        lines.append(line)
        size += len(line)
        if size > width:
            break
    told = one_line(" ".join(lines))
    return shortened(told if len(told) >= len(start) else one_line(start), width)


def is_routine(text: str) -> bool:
    """Whether words only let the work go on."""
    bare = text.strip()
    return not bare or _ROUTINE.fullmatch(bare) is not None


def is_paste(text: str) -> bool:
    """Whether a message is the output of a program, and none of the user's own words are around it."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    own = (line for line in (*lines[:2], *lines[-1:]) if not _OUTPUT.match(line))
    return len(lines) >= _PASTE and not any(len(line.split()) >= _SENTENCE or _is_wide(line) for line in own)


def _closing_order(text: str) -> str:
    """What the user asks for below a program's output; "" when the message begins with their words."""
    output, _, last = text.strip().rpartition("\n")
    if output.count("\n") < _PASTE - 1 or not is_pasted(output):
        return ""
    begins = output.partition("\n")[0].strip().rstrip(":：")
    return (
        last.strip()
        if is_order(last) and _PLAIN.fullmatch(last.strip()) and not _PLAIN.fullmatch(begins)
        else ""
    )


def _is_wide(line: str) -> bool:
    return not line.isascii() and tokens(line) >= _SENTENCE * 2


def request(prompt: Prompt, width: int = _WIDTH) -> str:
    """What one message asks for, on one line; "" when it only lets the work go on."""
    if is_routine(prompt.text):
        return ""
    if prompt.kind == "plan":
        title = first_sentence(prompt.text.partition("\n")[2]) or first_sentence(prompt.text)
        return shortened(one_line(title), _WIDTH)
    if prompt.kind == "command":
        return shortened(one_line(prompt.text), _WIDTH)
    if is_paste(prompt.text):
        return shortened(f"{PASTED}{one_line(telling_line(prompt.text))}", _WIDTH)
    if order := _closing_order(prompt.text):
        return shortened(f"{PASTED}{one_line(telling_line(prompt.text))}; {order}", _WIDTH)
    told = asked(prompt.text, width)
    if _ADDRESS.fullmatch(told):
        return ""
    return told if says_something(told) or len(told) > 3 else ""


def requests(facts: Facts) -> list[str]:
    """All requests, oldest first."""
    return [told for prompt in facts.prompts if (told := request(prompt))]


def last_request(facts: Facts) -> str:
    """The request that is being worked on."""
    return next((told for prompt in reversed(facts.prompts) if (told := request(prompt))), "")


def last_intent(facts: Facts) -> str:
    """What the user said last; where that says little, also what it was about."""
    if not facts.prompts:
        return ""
    last = facts.prompts[-1]
    answer = facts.answers[-1] if facts.answers else None
    if answer is not None and answer.source.timestamp > last.source.timestamp:
        return _answered(answer)
    told = request(last)
    if told:
        return told
    about = last_request(facts)
    said = shortened(one_line(last.text), _NEAR)
    return f"{said} (after: {shortened(about, _WIDTH)})" if about else said


def goal(facts: Facts) -> str:
    """What the session is for: the first wish, its plan, and the last change of direction."""
    first = shortened(_first_wish(facts), _GOAL)
    turn = next((told for told in reversed(directions(facts)) if told != first), "")
    turn = shortened(turn, _GOAL)
    if turn:
        return f"{turn} (before: {shortened(first, _BEFORE)})" if first else turn
    plan = next((each for each in reversed(facts.plans) if each.fate == "approved"), None)
    title = one_line(plan_title(plan)) if plan is not None else ""
    if title and title.casefold() not in first.casefold():
        return f"{first} (plan: {shortened(title, _BEFORE)})" if first else title
    return first


def directions(facts: Facts) -> list[str]:
    """The requests with which the user changed direction, oldest first."""
    later = facts.prompts[1:]
    return [told for prompt in later if turns(prompt) and (told := request(prompt, _GOAL))]


def turns(prompt: Prompt) -> bool:
    """Whether a message changes the direction of the session."""
    if prompt.kind == "plan":
        return True
    if prompt.kind not in ("typed", "queued"):
        return False
    return bool(_DIRECTION.match(prompt.text.lstrip()) or _PURPOSE.search(prompt.text[:_OPENING]))


def _first_wish(facts: Facts) -> str:
    text = wish(facts)
    if is_routine(text):
        later = next((told for prompt in facts.prompts if (told := request(prompt))), "")
        return f"{one_line(text)}: {facts.title or later}" if facts.title or later else one_line(text)
    if facts.first_prompt.startswith("/") or text != facts.first_prompt.strip():
        return one_line(text)
    return asked(text, _GOAL) or one_line(text)


def _answered(answer: Answer) -> str:
    return shortened(f"{one_line(answer.question)} → {one_line(answer.answer)}", _WIDTH)
