"""Stored text made safe for the model to read: quoted, and without what looks like a system message.

What was saved once is read by a model that did not write it: it is fenced, and tags in which Claude Code
wraps its own messages are taken out.
"""

from __future__ import annotations

import re

from memtui.clean import clean

_START, _END = r"(?:<|＜|&lt;)[/／]?\s*", r"(?:\s[^<>＜＞&]{0,300})?/?(?:>|＞|&gt;)"

# No part of it can be matched in two ways, or a hostile text would take for ever. A name of several words
# needs no end to be taken for a tag: the text may have been cut in it.
_SYSTEM_TAGS = re.compile(
    rf"{_START}(?:system{_END}|(?:antml:[\w-]+|system[-_][\w-]*|persisted-output|claude-mem-context"
    r"|memtui-notes|local-command-\w+|command-(?:name|message|args|contents)|task-notification"
    r"|teammate-message|user-memory-input|[a-z]+(?:-[a-z]+)*-hook|ide_\w+|bash-(?:input|stdout|stderr)"
    rf"|tool_use_error|function_(?:calls|results)|new-diagnostics)(?![\w-])(?:{_END})?)",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"[\u00ad\u200b\u2060\ufeff]+|(?<=[!-~])[\u200c\u200d]+(?=[!-~])")
"""Characters without a width, between which a tag would not be known; joiners of other scripts stay."""
_PRIVATE = re.compile(r"<\s*private\b[^<>]*>.*?(?:<\s*/\s*private\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_RUN = re.compile(r"`{3,}")


def harmless(text: str) -> str:
    """Clean text without private parts and system tags; an unclosed private part reaches to the end."""
    text = _PRIVATE.sub("[private]", _UNSEEN.sub("", clean(text)))
    # Something stays in the place of a tag, so that what is around it cannot become a tag in turn.
    return _SYSTEM_TAGS.sub("[tag]", text)


def fenced(text: str) -> str:
    """`text` in a fence that it cannot close."""
    longest = max((len(run) for run in _RUN.findall(text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}text\n{text}\n{marks}"
