"""The meaning of signs that several screens draw, for help."""

from __future__ import annotations

FATE_SIGNS = {
    "✗": "lost: neither the summary nor a note has it",
    "×": "lost, of less weight: not counted",
    "?": "not in its own words: the summary may say it in others",
    "✓": "kept by the summary",
    "↺": "handed over by memtui",
    "⏳": "waits for the next prompt",
    "⚠": "said by the summary alone",
    "↻": "needed again after the compaction",
}
TASK_SIGNS = {"▸": "a task in progress", "○": "an open task", "✓": "done"}
FOLD_SIGNS = {"▸": "folded: enter opens it", "▾": "open: enter folds it"}
CLAUDE_SIGNS = {
    "u": "about you, as Claude noted it",
    "f": "your feedback, as Claude noted it",
    "p": "about the project, as Claude noted it",
    "r": "where to look things up, as Claude noted it",
    "≡": "the index of Claude's memories",
    "●": "a memory of Claude's that is new or has changed",
}
