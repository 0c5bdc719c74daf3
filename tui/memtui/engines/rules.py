"""What holds for a model's document, too: nothing known is lost, and nothing invented passes unmarked."""

from __future__ import annotations

import ntpath
import re
from collections.abc import Collection, Iterable, Sequence

from memtui.extract.facts import Facts
from memtui.formats.memory import MemoryFile
from memtui.formats.recovery import Recovery, RoleFile
from memtui.formats.session_state import Decision, SessionState

UNSEEN = "not in the transcript"
"""The mark of a file that the model names and the facts do not know."""

_WORD = re.compile(r"\w+")


def ruled_memory(answer: MemoryFile, facts: Facts) -> MemoryFile:
    """A model's memory file whose invented key files are marked."""
    known = _Known(facts)
    files = tuple(file if known.has(file) else f"{file} ({UNSEEN})" for file in answer.key_files)
    return answer.replace(key_files=files)


def ruled_recovery(answer: Recovery, draft: Recovery, facts: Facts) -> Recovery:
    """A model's recovery text with everything that the draft from the facts knows for certain.

    Session, root and plan are the draft's: the plan has to be verbatim. Files keep the model's roles and
    order, the draft's others follow; decisions, constraints, open issues and next steps only grow.
    """
    known = _Known(facts)
    return answer.replace(
        session_id=draft.session_id,
        project_root=draft.project_root,
        plan=draft.plan if draft.plan.content else answer.plan,
        working_files=_files(answer.working_files, draft.working_files, known),
        reference_files=_files(answer.reference_files, draft.reference_files, known),
        last_action=answer.last_action or draft.last_action,
        decisions=with_forgotten(answer.decisions, draft.decisions),
        constraints=with_forgotten(answer.constraints, draft.constraints),
        dependencies=with_forgotten(answer.dependencies, draft.dependencies),
        known_issues=with_forgotten(answer.known_issues, draft.known_issues),
        changes=answer.changes or draft.changes,
        pending=with_forgotten(answer.pending, draft.pending),
        notes=answer.notes or draft.notes,
        extra=(),
    )


def ruled_state(answer: SessionState, draft: SessionState) -> SessionState:
    """A model's session state with the draft's hard facts: project, branch, files, outcomes; decisions grow.

    What the facts know for certain (files, the last check, the last error) is not the model's to say. Rules
    that need the version before are those of `memtui.extract.compactor`, which this passes next.
    """
    working = answer.working.replace(
        files_modified=draft.working.files_modified,
        last_compile=draft.working.last_compile,
        last_error=draft.working.last_error or answer.working.last_error,
        technical_state=answer.working.technical_state or draft.working.technical_state,
        dependencies=answer.working.dependencies or draft.working.dependencies,
    )
    told = [decision.text for decision in answer.decisions]
    forgotten = [each for each in draft.decisions if not _is_told(each.text, told)]
    return answer.replace(
        version=draft.version,
        identity=answer.identity.replace(project=draft.identity.project, branch=draft.identity.branch),
        tasks=answer.tasks or draft.tasks,
        decisions=(*answer.decisions, *(Decision(kind=each.kind, text=each.text) for each in forgotten)),
        working=working,
        extra=draft.extra,
    )


def with_forgotten(answer: Sequence[str], draft: Iterable[str]) -> tuple[str, ...]:
    """The model's items, and those of the draft that none of them tells."""
    return (*answer, *(item for item in draft if not _is_told(item, answer)))


def _is_told(item: str, told: Collection[str]) -> bool:
    """Whether one of the texts has all words of `item`; in doubt it is kept."""
    words = set(_WORD.findall(item.casefold()))
    return any(words <= set(_WORD.findall(text.casefold())) for text in told)


def _files(answer: Sequence[RoleFile], draft: Sequence[RoleFile], known: _Known) -> tuple[RoleFile, ...]:
    roles: dict[str, RoleFile] = {}
    unseen: list[RoleFile] = []
    own = {_key(file.path): file for file in draft}
    for file in answer:
        key = _key(file.path)
        if key in own:
            roles[key] = RoleFile(path=own[key].path, role=file.role or own[key].role)
        elif known.has(file.path):
            roles[key] = file
        else:
            unseen.append(RoleFile(path=file.path, role=f"{file.role}, {UNSEEN}" if file.role else UNSEEN))
    rest = [file for key, file in own.items() if key not in roles]
    return (*roles.values(), *rest, *unseen)


class _Known:
    """The files that the facts know."""

    def __init__(self, facts: Facts) -> None:
        paths = [file.path for file in (*facts.modified_files, *facts.read_files)]
        self._paths = {_key(path) for path in (*paths, *facts.shell_files)}
        self._ends = {key.rsplit("/", 1)[-1] for key in self._paths}

    def has(self, path: str) -> bool:
        """Whether a path, absolute or from the project on, is one of them."""
        key = _key(path).removeprefix("./")
        if key in self._paths:
            return True
        if key.rsplit("/", 1)[-1] not in self._ends:
            return False
        return any(known.endswith(f"/{key}") for known in self._paths)


def _key(path: str) -> str:
    return ntpath.normcase(path).replace("\\", "/") if "\\" in path else path.strip("`")
