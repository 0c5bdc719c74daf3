"""The last action of a recovery text: what was done last, how it ended, and what the model said of it."""

from __future__ import annotations

import re

from memtui.formats.text import without_blank_ends
from memtui.reading.checks import SENTENCE, bare_command, last_check
from memtui.reading.facts import Facts
from memtui.reading.records import Action
from memtui.reading.shell import SHELL_TOOLS
from memtui.reading.short_text import one_line, shortened, telling_line

_LAST_WORDS = 1_500
_CUT = 590
"""Characters of a result from which on its end is not known: facts keep no more."""
_TARGET = 200

_ENDS = {
    "ok": "succeeded",
    "failed": "failed",
    "rejected": "was rejected by the user",
    "interrupted": "was interrupted",
    "background": "runs in the background",
    "unknown": "has no result in the transcript (unknown)",
}
_SILENT_TOOLS = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit"})
_SAYS = re.compile(r"\w\w|\d")


def last_action(facts: Facts) -> str:
    """The last tool call with its result, the last check, and the model's last words."""
    action, check = facts.last_action, last_check(facts)
    told = [_told(action) if action else ""]
    if check is not None and (action is None or action.target != one_line(check.text)):
        how = "passed" if check.outcome == "ok" else f"failed: {one_line(telling_line(check.output))}"
        told.append(f"Last check: `{shortened(bare_command(check.text), 120)}` {shortened(how, SENTENCE)}")
    if facts.last_words:
        told.append(f"The model's last words:\n{_quoted(facts.last_words)}")
    return "\n\n".join(each for each in told if each) or "Nothing was done: no tool was used."


def action_line(action: Action) -> str:
    """A tool call on one line: the tool and what it worked on."""
    shell = action.tool in SHELL_TOOLS
    target = shortened(bare_command(action.target) if shell else one_line(action.target), _TARGET)
    return f"{action.tool} `{target}`" if target else action.tool


def _told(action: Action) -> str:
    told = f"{action_line(action)} {_ENDS[action.outcome]}"
    result = _result(action)
    return f"{told}: {shortened(result, SENTENCE)}" if result else told


def _result(action: Action) -> str:
    """The line of a result that says most."""
    text = action.result.strip()
    if action.outcome in ("rejected", "interrupted", "background"):
        return ""  # what Claude Code tells the model about it
    if action.outcome != "ok":
        return one_line(telling_line(text))
    if action.tool in _SILENT_TOOLS or text.endswith("completed with no output)"):
        return ""
    lines = [line for line in text.split("\n") if _SAYS.search(line)]
    shell = action.tool in SHELL_TOOLS
    if not lines or (shell and len(text) >= _CUT):
        return ""  # a program's last line sums up, and of a long output only the head is known
    return one_line(lines[-1 if shell else 0])


def _quoted(words: str) -> str:
    """The end of what was said, by whole lines."""
    kept: list[str] = []
    room = _LAST_WORDS
    for line in reversed(words.split("\n")):
        room -= len(line) + 1
        if room < 0 and kept:
            break
        kept.append(line)
    return "\n".join(f"> {line}".rstrip() for line in without_blank_ends(kept[::-1]))
