"""Purpose of a slash command: the plan file that it reads, or its own description."""

from __future__ import annotations

import re

from memtui.secrets.border import cleared
from memtui.transcript.short_text import one_line, shortened

_WIDTH = 200
_SCANNED = 20_000
_FRONT = re.compile(r"---[ \t]*\n(.*?)\n---[ \t]*(?:\n|$)", re.DOTALL)
_DESCRIPTION = re.compile(r"^description:[ \t]*(\S.*)$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$")
_FILE = ", plan file "
_LOADED = "Base directory for this skill:"
_NUMBERED = re.compile(r"^[ \t]*\d+[→\t]", re.MULTILINE)
"""Line numbers of a Read result."""
_PLAN_FILE = re.compile(
    r"(?:^|[\\/._-])plans?(?:[._-][^\\/]*)?\.md$|[\\/]plans?[\\/][^\\/]+\.md$", re.IGNORECASE
)


def description_of(expansion: str, name: str) -> str:
    """The description in a command's text, "" when it has none.

    Args:
        expansion: the text that Claude Code puts in the command's place.
        name: the command's name; a heading that only repeats it is passed over.
    """
    text = expansion[:_SCANNED].strip()
    if text.startswith("<"):
        return ""
    if (front := _FRONT.match(text)) is not None:
        if (stated := _DESCRIPTION.search(front[1])) is not None:
            return _short(stated[1].strip("\"'"))
        text = text[front.end() :]
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith(_LOADED)]
    headings = [heading[1] for line in lines if (heading := _HEADING.match(line)) is not None]
    if headings and not _same(headings[0], name):
        return _short(headings[0])
    plain = next((line for line in lines if _HEADING.match(line) is None), "")
    return _short(plain.strip("*_") or (headings[1] if len(headings) > 1 else ""))


def title_in(purpose: str) -> str:
    """The title in a purpose, without the path of the plan file."""
    return purpose.partition(_FILE)[0]


def plan_read(path: str, text: str) -> str:
    """``title, plan file path`` of a plan file, "" for any other file."""
    if not _PLAN_FILE.search(path):
        return ""
    lines = _NUMBERED.sub("", cleared(text)[:_SCANNED]).split("\n")
    title = next((found[1] for line in lines if (found := _HEADING.match(line.strip())) is not None), "")
    return f"{_short(title)}{_FILE}{path}" if title else f"plan file {path}"


def _same(heading: str, name: str) -> bool:
    return _letters(heading) in (_letters(name), _letters(name.rpartition(":")[2]))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _short(text: str) -> str:
    return shortened(one_line(text), _WIDTH)
