"""Finding the user's own words in a transcript's user lines.

Most lines of type ``user`` are something else: tool results, command output, hook feedback, notifications,
summaries, skill texts. They are recognised by marks and openings observed in Claude Code.
"""

from __future__ import annotations

import re
from typing import Any, Literal

WordsKind = (
    Literal["typed", "command", "local command", "plan", "comment", "interruption", "memory", "shell"]
    | Literal["shell output", "output", "notification", "machine"]
)
"""The kind of a user line.

Words of the user: ``typed``, ``command`` (a slash command with its words), ``plan`` (given to a fresh
context), ``comment`` (given with an approval), ``memory`` (a ``#`` note), ``shell`` (a ``!`` line).
``local command`` is a slash command that is the user's unless ``output`` follows: then Claude Code
itself carried it out. A ``notification`` of a task or of another session wakes the model; ``machine``
does not.
"""

_BLOCK_OPENING = re.compile(r"<(ide_[a-z_]+|system-reminder|[a-z]+(?:-[a-z]+)*-hook)>")
_TYPED_COMMAND = re.compile(r"/([A-Za-z][\w:.-]*)(?:\s+|$)")


_NOTICE = re.compile(
    "<(?:task-notification|teammate-message|agent-notification|agent-message|channel |cross-session-message"
    "|channel-message|mcp-resource-update|mcp-polling-update|tick>|github-webhook-activity|background-task)"
    "|Another Claude session sent a message:"
)

CAVEATS = ("<local-command-caveat>", "Caveat: The messages below were generated")

HOOK_FEEDBACK = "Stop hook feedback:"
_MACHINE = re.compile(
    "<(?:bash-|local-command-|fork-boilerplate|new-diagnostics|tool_use_error|command-contents)"
    r"|Base directory for this skill:|\[Image: source:|Operation stopped by hook"
    "|UserPromptSubmit operation blocked by hook|Unknown (?:slash command|skill):"
)

SUMMARY_OPENING = "This session is being continued from a previous conversation"

_PLAN_OPENING = "Implement the following plan:\n"
_PLAN_ENDINGS = (
    "\n\nUser feedback on this plan:",
    "\n\nIf this plan can be broken down into multiple independent tasks",
    "\n\nIf you need specific details from before exiting plan mode",
)
"""Texts that Claude Code appends to a plan given to a fresh context."""

_BUILT_IN_NAMES = """
add-dir agents allowed-tools approved-tools bashes branch btw bug chrome clear color compact config context
continue copy cost desktop diff doctor effort exit export extra-usage fast feedback files fork heapdump help
hooks ide install-github-app install-slack-app keybindings login logout mcp memory migrate-installer mobile
model new output-style output-style:new passes permissions plugin plugins privacy-settings quit
rate-limit-options release-notes reload-plugins remote-control remote-env rename reset resume rewind sandbox
session settings skills stats status statusline stickers tag tasks teleport terminal-setup theme think-back
todos undo upgrade usage vim voice
"""

_BUILT_IN = frozenset(_BUILT_IN_NAMES.split())
"""Commands that Claude Code executes itself.

Their arguments steer the program, not the work; the exception is /compact, whose arguments say what to keep.
"""

_WORDED = frozenset({"goal", "plan"})
"""Commands that Claude Code executes itself, but whose arguments are work for the model."""

_SKILL = re.compile(r"<skill-format>|\bskill is (?:loading|running)</command-message>")
"""Marks of a skill called by the model; its name has no slash."""


def joined_text(content: Any) -> str:
    """The text of a message's content: a string, or a list of blocks of which the text ones count."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(
        block["text"]
        for block in content
        if isinstance(block, dict)
        and isinstance(block.get("text"), str)
        and block.get("type", "text") == "text"
    )


def user_words(record: dict[str, Any]) -> tuple[WordsKind, str]:
    """The kind of text in a user line, and the text as typed by the user.

    The caller has to sort out lines of subagents and compaction summaries.
    """
    content = record["message"].get("content")
    if record.get("isMeta") or record.get("isVisibleInTranscriptOnly") or record.get("sourceToolUseID"):
        return "machine", ""
    if not of_human(record.get("origin")):
        return "notification", joined_text(content)
    if record.get("promptSource") == "system":
        return "machine", ""
    if isinstance(content, str):
        kind, text = text_words(content)
    elif isinstance(content, list):
        kind, text = _block_words(content)
    else:
        return "machine", ""
    if kind == "typed" and (record.get("planContent") or text.startswith(_PLAN_OPENING)):
        return "plan", text
    return kind, text


def given_plan(record: dict[str, Any], text: str) -> tuple[str, bool]:
    """The plan in a line of kind ``plan``, and whether it has a field of its own (2.1.29 to 2.1.42)."""
    plan = record.get("planContent")
    if isinstance(plan, str) and plan.strip():
        return plan, True
    plan = text.removeprefix(_PLAN_OPENING)
    for ending in _PLAN_ENDINGS:
        before, found, _ = plan.rpartition(ending)
        plan = before if found else plan
    return plan.strip(), False


def of_human(origin: Any) -> bool:
    """Whether an `origin` field allows a text to be the user's: absent, or of kind ``human``."""
    return not isinstance(origin, dict) or origin.get("kind") in (None, "human")


def _block_words(content: list[Any]) -> tuple[WordsKind, str]:
    """Words in a list of blocks; next to a tool result they are a comment on it."""
    blocks = [block for block in content if isinstance(block, dict)]
    found = [text_words(block["text"]) for block in blocks if isinstance(block.get("text"), str)]
    said = [(kind, text) for kind, text in found if kind in ("typed", "command")]
    if not said:
        return next((kind for kind, _ in reversed(found) if kind != "machine"), "machine"), ""
    beside_result = any(block.get("type") == "tool_result" for block in blocks)
    return "comment" if beside_result else said[0][0], "\n".join(text for _, text in said)


def text_words(text: str) -> tuple[WordsKind, str]:
    text = without_blocks(text).strip() if "<" in text else text.strip()
    if not text or text == "(no content)":
        return "machine", ""
    if text.startswith("<"):
        return _tagged(text)
    return ("interruption", text) if text.startswith("[Request interrupted by user") else _untagged(text)


def _untagged(text: str) -> tuple[WordsKind, str]:
    if text.startswith((SUMMARY_OPENING, HOOK_FEEDBACK, *CAVEATS)) or _MACHINE.match(text):
        return "machine", text
    return ("notification" if _NOTICE.match(text) else "typed"), text


def without_blocks(text: str) -> str:
    """A text without what the editor and Claude Code add to it: reminders, what is selected, hooks' words."""
    kept: list[str] = []
    at = 0
    while opening := _BLOCK_OPENING.search(text, at):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end == -1:
            break
        kept.append(text[at : opening.start()])
        at = end + len(closing)
    return "".join((*kept, text[at:]))


def _inside(text: str, tag: str) -> str:
    """The content of the first element of that name; searched by hand, in linear time."""
    inside, end, _ = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")
    return inside.strip() if end else ""


def _tagged(text: str) -> tuple[WordsKind, str]:
    if text.startswith("<command-message>"):
        return _command(text, "command")
    if text.startswith("<command-name>"):
        return _command(text, "local command")
    if text.startswith(("<local-command-stdout>", "<local-command-stderr>")):
        return "output", text
    if text.startswith("<user-memory-input>"):
        return "memory", _inside(text, "user-memory-input")
    if text.startswith("<bash-input>"):
        return "shell", _inside(text, "bash-input")
    if text.startswith(("<bash-stdout>", "<bash-stderr>")):
        return "shell output", "\n".join(
            filter(None, (_inside(text, "bash-stdout"), _inside(text, "bash-stderr")))
        )
    return _untagged(text)


def _command(text: str, kind: WordsKind) -> tuple[WordsKind, str]:
    """A slash command: its name and its words.

    Claude Code writes ``<command-message>`` first for commands whose text goes to the model, and
    ``<command-name>`` first for those that it carries out itself.
    """
    name = _inside(text, "command-name")
    if not name or (not name.startswith("/") and _SKILL.search(text)):
        return "machine", ""
    name, arguments = name.lstrip("/"), _inside(text, "command-args")
    typed = f"/{name} {arguments}".strip()
    if kind == "local command" and _carried_out(name, arguments):
        return "machine", typed
    return "command" if name in _WORDED and arguments else kind, typed


def _carried_out(name: str, arguments: str) -> bool:
    return name in _BUILT_IN and not (name == "compact" and arguments)


def queued_words(text: str) -> str:
    """The user's words in a queued input, or "": notifications and built-in commands are queued too."""
    kind, words = text_words(text)
    if kind not in ("typed", "command") or words.startswith('{"task_id":'):
        return ""
    if (command := _TYPED_COMMAND.match(words)) and _carried_out(command[1], words[command.end() :]):
        return ""
    return words
