"""Untrusted text made safe for the model: fenced, and without imitated system messages.

Saved text is read by a model that did not write it: it is fenced, and tags in which Claude Code wraps its own
messages are removed, however they are spelled.
"""

from __future__ import annotations

import re

from memtui.ground.clean import clean
from memtui.secrets.folding import folded
from memtui.secrets.private import without_private
from memtui.secrets.secrets import masked

_WORDS = "channel|functions|system|tick|ultraplan"
"""Names that are ordinary words, too: they count only in brackets."""

_NAMES = (
    r"antml:[\w-]+|system[-_][\w-]*|command-[a-z]+|local-command-\w+|bash-[a-z]+|user-memory-input"
    r"|[a-z]+(?:-[a-z]+)*-hook|ide_\w+|persisted-output|new-diagnostics|tool_(?:use|result)s?(?:_\w+)?"
    r"|function_(?:calls?|results?)|task-notification|teammate-message|agent-(?:message|notification)"
    r"|cross-session-message|channel-message|mcp-(?:resource|polling)-update|github-webhook-activity"
    r"|fork-boilerplate|background-task[\w-]*|skill-format|output-style|available-deferred-tools"
    r"|claude-mem-context|memtui-notes"
)
"""Tags of Claude Code's own messages, as seen in transcripts, and of programs that put text into them.

No part of the pattern can match in two ways, which a hostile text could make take for ever. A name of several
words counts as a tag even without its end: the text may have been cut there.
"""

_END = r"(?:\s[^<>]{0,300})?/?>"
_TAG = re.compile(rf"<\s*(?:/\s*)?(?:(?:{_WORDS})(?:{_END}|\s*>)|(?:{_NAMES})(?![\w-])(?:{_END})?)")
_RUN = re.compile(r"`{3,}")


def harmless(text: str) -> str:
    """Clean text without private parts and system tags; an unclosed private part reaches to the end."""
    text = clean(without_private(text))
    fold = folded(text)
    if "<" not in fold.text:
        return text
    parts: list[str] = []
    begin = 0
    for tag in _TAG.finditer(fold.text):
        # A tag is replaced, not removed, so that the text around it cannot form a tag in turn.
        parts += (text[begin : fold.origin(tag.start())], "[tag]")
        begin = fold.origin(tag.end())
    return "".join((*parts, text[begin:]))


def fenced(text: str) -> str:
    """`text` in a fence that its content cannot close."""
    longest = max((len(run) for run in _RUN.findall(text)), default=2) if "```" in text else 2
    marks = "`" * (longest + 1)
    return f"{marks}text\n{text}\n{marks}"


def safe(text: str) -> str:
    """The text with secrets masked and tags made harmless; stored documents may predate the rules."""
    return harmless(masked(text))
