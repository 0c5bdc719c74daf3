"""Text as a hook hands it over: without secrets, and without marks that read as Claude Code's own."""

from __future__ import annotations

from memtui.safety.hits import may_hold_secret
from memtui.safety.quoting import harmless


def safe(text: str) -> str:
    """The text with its secrets masked and its tags made harmless; documents may be older than the rules."""
    if may_hold_secret(text):
        from memtui.safety.secrets import masked  # takes time to import, and most text needs it not

        text = masked(text)
    return harmless(text)
