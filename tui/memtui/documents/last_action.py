"""The last action in a recovery text: the last call, its result, and the last check."""

from __future__ import annotations

import re

from memtui.documents.events import HIDDEN, check_event, outcome_of_action, output
from memtui.documents.goal import ONLY_CAPTURE
from memtui.documents.open_work import turn_line, unfinished_turn
from memtui.documents.quotes import last_said
from memtui.documents.sources import source_label, with_source
from memtui.transcript.checks import SENTENCE, bare_command, last_check
from memtui.transcript.facts import Facts
from memtui.transcript.records import Action
from memtui.transcript.short_text import capitalised, command_line, ends_of, one_line, shortened, telling_line
from memtui.transcript.tools import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS

_CUT = 590
"""Length of a result in facts, in characters; the end of longer ones is unknown."""
_TARGET = 200

_ENDS = {
    "ok": "succeeded",
    HIDDEN: "ended, its exit status is hidden",
    "failed": "failed",
    "rejected": "was rejected by the user",
    "interrupted": "was interrupted",
    "background": "was started in the background",
    "unknown": "has no result in the transcript (unknown)",
}
_SAYS = re.compile(r"\w\w|\d")


def last_action(facts: Facts) -> str:
    """The last tool call with its result, the last check, and how the last turn ended."""
    if facts.from_capture:
        return f"Unknown: {ONLY_CAPTURE}."
    action, check = facts.last_action, last_check(facts)
    parts = [_described(facts, action) if action else ""]
    if check is not None and (action is None or action.target != command_line(check.text)):
        parts.append(f"Last check: {check_event(facts)}")
    if turn := unfinished_turn(facts):
        parts.append(capitalised(turn_line(facts, turn)))
    if said := last_said(facts):
        parts.append(
            f'{source_label("Claude said last", said.source)} "{ends_of(one_line(said.text), SENTENCE)}"'
        )
    return "\n\n".join(each for each in parts if each) or "N/A: no tool call on record, result unknown."


def action_line(action: Action) -> str:
    """A tool call on one line: the tool and its target."""
    shell = action.tool in SHELL_TOOLS
    target = shortened(bare_command(action.target) if shell else one_line(action.target), _TARGET)
    return f"{action.tool} `{target}`" if target else action.tool


def _described(facts: Facts, action: Action) -> str:
    described = with_source(f"{action_line(action)} {_ENDS[outcome_of_action(facts, action)]}", action.source)
    result = _result(action)
    return f"{described}: {output(result)}" if result else described


def _result(action: Action) -> str:
    """The most informative line of a result."""
    text = action.result.strip()
    if action.outcome in ("rejected", "interrupted", "background"):
        return ""  # Claude Code's instructions to the model
    if action.outcome != "ok":
        return one_line(telling_line(text))
    if action.tool in EDIT_TOOLS | READ_TOOLS or text.endswith("completed with no output)"):
        return ""
    lines = [line for line in text.split("\n") if _SAYS.search(line)]
    shell = action.tool in SHELL_TOOLS
    if not lines or (shell and len(text) >= _CUT):
        return ""  # a program's last line sums up, but of a long output only the head is known
    return one_line(lines[-1 if shell else 0])
