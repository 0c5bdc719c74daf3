"""Merging a reviewer's changes into the recovery text."""

from __future__ import annotations

from memtui.documents.memory_draft import draft_memory
from memtui.formats.memory import MemoryFile
from memtui.formats.recovery import Recovery, is_unknown
from memtui.transcript.facts import Facts


def with_review(recovery: Recovery, memory: MemoryFile, facts: Facts) -> Recovery:
    """A recovery text with a reviewer's additions to the draft of the memory file.

    The draft's own lines are already in the recovery text, each in its section.
    """
    drafted = draft_memory(facts)
    learnt = [line for line in memory.learnings if line not in drafted.learnings]
    asked = [line for line in memory.questions if line not in drafted.questions]
    changes: dict[str, object] = {}
    if memory.goal and memory.goal != drafted.goal:
        changes["objective"] = memory.goal
    if asked:
        named = (issue for issue in recovery.known_issues if not is_unknown(issue))
        changes["known_issues"] = (*named, *asked)
    if learnt:
        learned = "**From the review**\n" + "\n".join(f"- {line}" for line in learnt)
        changes["notes"] = f"{learned}\n\n{recovery.notes}".strip()
    return recovery.replace(**changes) if changes else recovery
