"""Outcome of a tool call, from the sentences that Claude Code writes into results."""

from __future__ import annotations

import re

from memtui.secrets.secrets import masked
from memtui.transcript.events import Result
from memtui.transcript.records import Fate, Outcome
from memtui.transcript.short_text import telling_line

_REJECTED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "The agent proposed a plan that was rejected by the user",
    "User rejected tool use",
    "User rejected update to",
    "User rejected edits to",
    "User declined to answer questions",
    "User chose to stay in plan mode",
    "Tool use rejected",
    "Permission for this tool use was denied",
    "Claude requested permissions to",
)
_REFUSED_PLAN = ("User chose to stay in plan mode", "The agent proposed a plan that was rejected")
_BY_RULE = (
    "Permission for this action",
    "Permission for this command",
    "Permission to use ",
    "This command requires",
)
_INTERRUPTED = (
    "[Request interrupted by user",
    "Request interrupted by user",
    "Command was aborted",
    "<error>Command was aborted",
)
_SIBLING = ("Sibling tool call errored", "Cancelled: parallel tool call")
_SAID = (
    "the user said:\n",
    "The user said:\n",
    "The user provided the following reason for the rejection:",
    "User chose to stay in plan mode and continue planning",
)
_COMMENTS = "Comments on the plan:"
_HINT = "\n\nNote: The user's next message may contain a correction"
_NOT_SAID = (
    "The user wants to clarify these questions",
    "The user has indicated that they have provided enough",
)

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?\d{1,10})\b")
_HEAD = 1_000
_SCANNED = 20_000
_CUT = "\n…\n"


def outcome_of(result: Result) -> Outcome:
    """`ok`, `failed`, `rejected`, `interrupted` or `background`."""
    detail = result.detail
    if isinstance(detail, dict):
        if detail.get("backgroundTaskId"):
            return "background"
        if detail.get("interrupted") is True:
            return "interrupted"
    if not result.failed:
        return "ok"
    head = error_text(result)[:200]
    if head.startswith(_INTERRUPTED) or result.denial == "interrupted":
        return "interrupted"
    if head.startswith(_REJECTED + _BY_RULE) or result.denial not in ("", "cancelled"):
        return "rejected"
    return "failed"


def is_sibling_error(result: Result) -> bool:
    """Whether the call failed only because another one of the same message did."""
    return result.denial == "cancelled" or error_text(result)[:200].startswith(_SIBLING)


def said_with_rejection(result: Result) -> str:
    """The user's words in a rejection, or ""."""
    text = error_text(result)
    for opening in _SAID:
        _, found, words = text.partition(opening)
        if found:
            words = words.split(_HINT)[0].strip().removeprefix(_COMMENTS).strip()
            return "" if words.startswith(_NOT_SAID) else words
    return ""


def fate_of_plan(result: Result) -> Fate:
    """The fate of a plan whose ExitPlanMode call was rejected: ``rejected`` or ``dismissed``.

    A rejection without words is no decision: a plan that the user takes into a fresh context is rejected in
    the same way (7 of 44 such rejections).
    """
    text = error_text(result)[:200]
    return "rejected" if text.startswith(_REFUSED_PLAN) or said_with_rejection(result) else "dismissed"


def error_text(result: Result) -> str:
    """A result's text without its error tag."""
    text = result.text.strip()
    return text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>").strip()


def exit_code(result: Result) -> int | None:
    """The exit code that a result states."""
    if not result.failed:
        return None
    found = _EXIT_CODE.match(result.text[:40])
    if found is None and isinstance(result.detail, str):
        found = _EXIT_CODE.match(result.detail[:40])
    return int(found[1]) if found else None


def error_head(result: Result, limit: int = _HEAD) -> str:
    """An error's text without the line that states the exit code; of a long one the head and the tail.

    The cause is at the end as often as at the beginning; the most telling line stays in any case. Cut between
    lines where these are short, as half a line can be misleading.
    """
    text = masked(error_text(result))
    if _EXIT_CODE.match(text):
        text = text.partition("\n")[2].strip() or text
    if len(text) <= limit:
        return text
    ends = _ends(text, limit)
    telling = telling_line(text[:_SCANNED])[: limit // 3]
    if any(telling in end for end in ends):
        return _CUT.join(ends)
    head, tail = _ends(text, limit - len(telling) - len(_CUT))
    return _CUT.join((head, telling, tail))


def _ends(text: str, limit: int) -> tuple[str, str]:
    half = (limit - len(_CUT)) // 2
    head, tail = text[:half].rstrip(), text[-half:].lstrip()
    if text[half : half + 1] != "\n" and (cut := head.rfind("\n")) > half // 2:
        head = head[:cut].rstrip()
    if text[-half - 1] != "\n" and 0 <= (cut := tail.find("\n")) < half // 2:
        tail = tail[cut:].lstrip()
    return head, tail
