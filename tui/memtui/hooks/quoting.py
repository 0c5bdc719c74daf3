"""Stored text as the model may read it: quoted, and without what looks like a word of the system.

What was saved once is read by a model that did not write it: it is fenced, and tags in which Claude Code
wraps its own messages are taken out.
"""

from __future__ import annotations

import re

from memtui.clean import clean

_SYSTEM_TAGS = re.compile(
    r"</?\s*(?:antml:[\w-]+|system(?:[-_]\w+)*|persisted-output|claude-mem-context|memtui-notes"
    r"|local-command-\w+|command-(?:name|message|args|contents)|task-notification|teammate-message"
    r"|user-prompt-submit-hook|user-memory-input|ide_\w+|bash-(?:input|stdout|stderr)|tool_use_error)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_PRIVATE = re.compile(r"<\s*private\b[^<>]*>.*?(?:<\s*/\s*private\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_RUN = re.compile(r"`{3,}")


def harmless(text: str) -> str:
    """Clean text without private parts and system tags; an unclosed private part reaches to the end."""
    text = _PRIVATE.sub("[private]", clean(text))
    # Something stays in the place of a tag, so that what is around it cannot become a tag in turn.
    return _SYSTEM_TAGS.sub("[tag]", text)


def fenced(text: str) -> str:
    """`text` in a fence that it cannot close."""
    longest = max((len(run) for run in _RUN.findall(text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}text\n{text}\n{marks}"
