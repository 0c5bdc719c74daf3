"""The rules for a model's text: no known fact is lost, and inventions are marked.

A session state has rules of its own, in `memtui.engines.state_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memtui.documents.checklist import Verdict, check_recovery
from memtui.engines.known_names import UNSEEN, Known, key_of
from memtui.engines.process import EngineError
from memtui.engines.wording import is_covered, wording
from memtui.formats.memory import MemoryFile
from memtui.formats.model import FormatError
from memtui.formats.recovery import Recovery, RoleFile, is_unknown, render_recovery
from memtui.transcript.short_text import one_line, shortened

ITEMS = 25
"""The most items that a model may add to a list."""
LINE = 320
"""Maximum length of an item, in characters."""

_TITLE = 120
_TEXT = 600
_NOTES = 3_000
_ROLE = 160
_FILES = 12
"""The most key files of a memory file, and files that a model may add to a recovery text."""
_LEVEL = re.compile(r"\W*(?:high|medium|low)\b", re.IGNORECASE)


def ruled_memory(answer: MemoryFile, draft: MemoryFile, known: Known) -> MemoryFile:
    """A model's memory file: limited in length, with invented files marked and the draft's files added."""
    theirs = [file for file in map(one_line, answer.key_files) if file][:_FILES]
    own = {known.file(file, ""): file for file in theirs}  # each file once
    files = [file if known.is_seen(file) else f"{shortened(file, LINE)} ({UNSEEN})" for file in own.values()]
    files += [file for file in draft.key_files if known.file(file, "") not in own]
    return MemoryFile(
        title=known.marked(answer.title, _TITLE),
        goal=known.block(answer.goal, _TEXT),
        learnings=_items(answer.learnings, draft.learnings, known) or draft.learnings,
        questions=_items(answer.questions, draft.questions, known),
        confidence=known.marked(answer.confidence, LINE)
        if _LEVEL.match(answer.confidence)
        else draft.confidence,
        key_files=tuple(files[: max(_FILES, len(draft.key_files))]),
        extra=draft.extra,
    )


def ruled_recovery(answer: Recovery, draft: Recovery, known: Known) -> Recovery:
    """A model's recovery text, completed with the certain facts of the draft.

    Session, root, plan and last action are the draft's. Files keep the model's roles and order, followed by
    the draft's other files; no list item is lost.

    Raises:
        EngineError: it fails a point of the checklist that the draft passes.
    """
    root = draft.project_root
    working, reference = _files(answer, draft, known, root)
    ruled = draft.replace(
        objective=known.block(answer.objective, _TEXT),
        plan=draft.plan if draft.plan.content else answer.plan,
        working_files=working,
        reference_files=reference,
        last_action=draft.last_action or known.marked_block(answer.last_action, _TEXT),
        decisions=_list(answer.decisions, draft.decisions, known),
        constraints=_list(answer.constraints, draft.constraints, known),
        dependencies=_list(answer.dependencies, draft.dependencies, known),
        known_issues=_list(answer.known_issues, draft.known_issues, known),
        changes=_list(answer.changes, draft.changes, known),
        pending=_list(answer.pending, draft.pending, known),
        notes=_notes(answer.notes, draft.notes, known),
    )
    _check(ruled, draft)
    return ruled


def _list(answer: Sequence[str], draft: Sequence[str], known: Known) -> tuple[str, ...]:
    return with_forgotten(_items(answer, draft, known), draft)


def with_forgotten(items: Sequence[str], others: Iterable[str]) -> tuple[str, ...]:
    """The items, followed by the others that none of them covers."""
    known = [wording(item) for item in items]
    left = [item for item in dict.fromkeys(others) if not is_covered(item, known)]
    return (*items, *(item for item in left if not (items and is_unknown(item))))


def _items(items: Iterable[str], drafted: Iterable[str], known: Known) -> tuple[str, ...]:
    """A model's items, limited in number and length; those of the draft in the draft's words."""
    own = {wording(item): item for item in drafted}
    named = (item for item in list(items)[:ITEMS] if not is_unknown(item))
    lines = (own.get(wording(item)) or known.item(item, LINE) for item in named)
    return tuple(dict.fromkeys(line for line in lines if wording(line).words))


def _notes(answer: str, draft: str, known: Known) -> str:
    """The model's notes, with the draft's missing lines added under their titles."""
    theirs = known.lines(answer, _NOTES, draft)
    if not theirs or not draft:
        return theirs or draft
    covered = [wording(line) for line in theirs.split("\n")]
    kept: list[str] = []
    for group in draft.split("\n\n"):
        lines = [line for line in group.split("\n") if line.startswith("**") or not is_covered(line, covered)]
        if any(not line.startswith("**") for line in lines):
            kept.append("\n".join(lines))
    return "\n\n".join((theirs, *kept))


def _files(
    answer: Recovery, draft: Recovery, known: Known, root: str
) -> tuple[tuple[RoleFile, ...], tuple[RoleFile, ...]]:
    """Working and reference files, each in one list: only changed files are working files."""
    working = {key_of(file.path): file for file in draft.working_files if not is_unknown(file.path)}
    reference = {key_of(file.path): file for file in draft.reference_files if not is_unknown(file.path)}
    first: dict[str, RoleFile] = {}
    second: dict[str, RoleFile] = {}
    more = 0
    named = [(file, True) for file in answer.working_files] + [
        (file, False) for file in answer.reference_files
    ]
    for file, as_working in named:
        if is_unknown(file.path):
            continue
        path = known.file(shortened(file.path, LINE), root)
        key, role = key_of(path), shortened(one_line(file.role), _ROLE)
        if key in first or key in second:
            continue
        own = working.get(key) or reference.get(key)
        if own is None:
            more += 1
            if more > _FILES:
                continue
            role = role if known.is_seen(file.path) else ", ".join(filter(None, (role, UNSEEN)))
            is_invented = not known.is_seen(file.path)
            into = first if as_working and (is_invented or known.is_modified(path)) else second
            into[key] = RoleFile(path=path, role=role)
        else:
            into = first if key in working else second
            into[key] = own.replace(role=role or own.role)
    first |= {key: file for key, file in working.items() if key not in first}
    second |= {key: file for key, file in reference.items() if key not in second and key not in first}
    return _unseen_last(first) or draft.working_files, _unseen_last(second) or draft.reference_files


def _unseen_last(files: dict[str, RoleFile]) -> tuple[RoleFile, ...]:
    return tuple(sorted(files.values(), key=lambda file: file.role.endswith(UNSEEN)))


def _check(ruled: Recovery, draft: Recovery) -> None:
    """Raise if a point of the checklist fails that passes for the draft."""
    try:
        points = check_recovery(render_recovery(ruled))
    except FormatError as error:
        raise EngineError(f"claude's answer is not a recovery text: {error}") from error
    before = {point.name for point in check_recovery(render_recovery(draft)) if point.verdict is Verdict.FAIL}
    for point in points:
        if point.verdict is Verdict.FAIL and point.name not in before:
            raise EngineError(f"claude's answer fails the checklist: {point.name} {point.message}")
