"""The plan of a session that nobody wrote down: what was asked for, what was done, what is left."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.reading.checks import SENTENCE, bare_command, last_check
from memtui.reading.corrections import is_going_on
from memtui.reading.facts import Facts
from memtui.reading.records import Prompt
from memtui.reading.short_text import one_line, says_something, shortened
from memtui.reading.user_plans import is_pasted

_DONE_FILES = 12
_REQUEST = 400
"""Characters of a later request; the first one is told whole."""
_PASTE = 120


def inferred_plan(facts: Facts) -> str:
    """What the session was to do, read off the user's requests, and how far it came."""
    blocks = [facts.first_prompt.strip() or facts.title]
    later = [request_line(prompt) for prompt in later_requests(facts)]
    if later:
        blocks.append("Asked for later:\n" + "\n".join(f"{n}. {text}" for n, text in enumerate(later, 1)))
    if done := [f"- [x] {text}" for text in _done(facts)]:
        blocks.append("Done:\n" + "\n".join(done))
    if left := [f"- [ ] {text}" for text in _left(facts)]:
        blocks.append("Left:\n" + "\n".join(left))
    return "\n\n".join(block for block in blocks if block) or "The transcript holds no words of the user."


def later_requests(facts: Facts) -> list[Prompt]:
    """What the user asked for after the first request; words that only let the work go on are left out."""
    later: list[Prompt] = []
    seen = {facts.first_prompt.strip()}
    for prompt in facts.prompts:
        text = prompt.text.strip()
        if text in seen or prompt.kind == "plan" or is_going_on(text) or not says_something(one_line(text)):
            continue
        seen.add(text)
        later.append(prompt)
    return later


def request_line(prompt: Prompt) -> str:
    """A request on one line; of pasted output only the beginning."""
    if is_pasted(prompt.text):
        return f"(pasted) {shortened(one_line(prompt.text), _PASTE)}"
    return shortened(one_line(prompt.text), _REQUEST)


def unanswered(facts: Facts) -> str:
    """The user's last words, when nothing came after them; else ""."""
    if not facts.prompts or not facts.ended:
        return ""
    last = facts.prompts[-1]
    return last.text.strip() if last.source.timestamp and last.source.timestamp >= facts.ended else ""


def _done(facts: Facts) -> Iterator[str]:
    for landmark in facts.landmarks:
        yield f"committed {landmark.text}" if landmark.commit else landmark.text
    for file in facts.modified_files[:_DONE_FILES]:
        later = f", later {file.fate}" if file.fate else ""
        yield f"{'created' if file.created else 'changed'} {file.path}{later}"
    if len(facts.modified_files) > _DONE_FILES:
        yield f"changed {len(facts.modified_files) - _DONE_FILES} other files"
    check = last_check(facts)
    if check is not None and check.outcome == "ok":
        yield f"ran {shortened(bare_command(check.text), 120)}, which went well"


def _left(facts: Facts) -> Iterator[str]:
    check = last_check(facts)
    if check is not None and check.outcome == "failed":
        yield f"the last check failed: {shortened(bare_command(check.text), 120)}"
    if asked := unanswered(facts):
        yield f"asked and not answered: {shortened(one_line(asked), SENTENCE)}"
