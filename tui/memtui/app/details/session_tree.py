"""The results of a session as a tree; each line is a link to its target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memtui.app.widgets.document import Line, line, styled
from memtui.app.widgets.wrap import short_tokens
from memtui.documents.capture_text import opening
from memtui.ground.clock import day_and_minute, parse_iso
from memtui.secrets.secrets import masked
from memtui.transcript.short_text import one_line, shortened

if TYPE_CHECKING:
    from memtui.store.session_tree import Captured, Made, SessionTree
    from memtui.transcript.records import CompactionFact

LINE, CAPTURE, MEMORY = "line:", "capture:", "memory:"
"""Prefixes of the links; a transcript's line or a file name follows."""
_TITLE = 120


def tree_lines(tree: SessionTree) -> list[Line]:
    """The compactions with their captures and memories; empty without any."""
    rows = list(_rows(tree))
    return [Line(""), line(f"RESULTS  {_counts(tree)}", "heading"), *rows] if rows else []


def _counts(tree: SessionTree) -> str:
    captures = [*(each for branch in tree.branches for each in branch.captures), *tree.captures]
    memories = [*(each for capture in captures for each in capture.memories), *tree.memories]
    counts = (
        (len(tree.branches), "compaction", "compactions"),
        (len(captures), "capture", "captures"),
        (len(memories), "memory", "memories"),
    )
    return " · ".join(f"{number} {one if number == 1 else many}" for number, one, many in counts if number)


def _rows(tree: SessionTree) -> Iterator[Line]:
    for branch in tree.branches:
        yield _compaction(branch.compaction)
        yield from _captures(branch.captures, "  └ ")
    yield from _captures(tree.captures, "● ")
    yield from (_memory(each, "") for each in tree.memories)


def _compaction(fact: CompactionFact) -> Line:
    moment = parse_iso(fact.source.timestamp)
    sizes = [short_tokens(size) for size in (fact.pre_tokens, fact.post_tokens) if size]
    parts = [day_and_minute(moment) if moment else "", fact.trigger, " -> ".join(sizes)]
    text = "  ".join(part for part in parts if part)
    return styled(("▼ ", "warn"), text, (f"  L{fact.source.line}", "dim"), link=f"{LINE}{fact.source.line}")


def _captures(captures: Iterable[Captured], lead: str) -> Iterator[Line]:
    for each in captures:
        capture = each.capture
        said = shortened(one_line(masked(opening(capture.first_message))), _TITLE)
        role = "warn" if capture.status == "pending" else "good"
        yield styled(
            f"{lead}capture ",
            (f"{day_and_minute(capture.timestamp)} ", "dim"),
            (capture.status, role),
            f"  {said}",
            hang=len(lead),
            link=CAPTURE + each.entry.name,
        )
        yield from (_memory(memory, " " * len(lead) + "└ ") for memory in each.memories)


def _memory(made: Made, lead: str) -> Line:
    title = shortened(one_line(masked(made.head.title)), _TITLE)
    name = made.head.id if made.entry.name.startswith("CMEM-") else "memory file"
    return styled(
        lead or "● ", (name, "accent"), f"  {title}", hang=len(lead) or 2, link=MEMORY + made.entry.name
    )
