"""The story's data as the documents of `memtui.formats`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from memtui.demo.story.memories import Saved
from memtui.demo.story.refunds import BRANCH
from memtui.demo.story.states import DECISIONS, FILES, GOAL, MOMENTS, tasks_of
from memtui.formats.recovery import Plan, Recovery, RoleFile, render_recovery
from memtui.formats.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    render_session_state,
)
from memtui.formats.stored_memory import MemoryMeta, StoredMemory, render_stored


def recovery_text(saved: Saved, root: Path) -> str:
    """The recovery text of a saved session; `root` is the demo's own project."""
    root = root.parent / saved.project

    def files(named: tuple[tuple[str, str], ...]) -> tuple[RoleFile, ...]:
        return tuple(RoleFile(path=str(root / path), role=role) for path, role in named)

    return render_recovery(
        Recovery(
            project_root=str(root),
            objective=saved.objective,
            plan=Plan(
                source="user-stated" if saved.plan else "inferred", content=saved.plan or saved.objective
            ),
            working_files=files(saved.working),
            reference_files=files(saved.reference),
            last_action=saved.last_action,
            decisions=saved.decisions,
            constraints=saved.constraints,
            dependencies=saved.dependencies,
            known_issues=saved.known_issues,
            changes=saved.changes,
            pending=saved.pending,
            notes=saved.notes,
        )
    )


def recovery_id(moment: datetime) -> str:
    """The Recovery ID of a memory that is stored at `moment`."""
    return f"CMEM-{moment:%Y%m%d-%H%M%S}"


def stored_memory(saved: Saved, root: Path, moment: datetime) -> bytes:
    """The stored memory's file."""
    meta = MemoryMeta(
        id=recovery_id(moment),
        project=str(root.parent / saved.project),
        created=moment,
        updated=moment,
        description=saved.description,
        tags=saved.tags,
        session_id=saved.session,
        source="import",
        archived=saved.archived,
        pinned=saved.pinned,
    )
    return render_stored(StoredMemory(meta=meta, body=recovery_text(saved, root).encode()))


def session_state(version: int, root: Path) -> str:
    """Version `version` (from 1) of the document of the session that is going on."""
    moment = MOMENTS[version - 1]
    done, current, later = tasks_of(moment)
    tasks = [Task(kind=TaskKind.DONE, text=text) for text in done]
    if current:
        tasks.append(Task(kind=TaskKind.IN_PROGRESS, text=current, children=tuple(map(_sub, moment.subs))))
    tasks += [
        Task(kind=TaskKind.LATER if number else TaskKind.NEXT, text=text) for number, text in enumerate(later)
    ]
    return render_session_state(
        SessionState(
            version=version,
            identity=Identity(project=f"{root.name} ({root})", branch=BRANCH, goal=GOAL),
            tasks=tuple(tasks),
            decisions=tuple(
                Decision(kind=kind, text=text) for since, kind, text in DECISIONS if since <= version
            ),
            working=WorkingContext(
                files_modified=", ".join(path for since, path in FILES if since <= version) or "none yet",
                last_compile=moment.last_compile,
                last_error=moment.last_error,
                technical_state=moment.technical,
                dependencies="none added",
            ),
            dynamics=Dynamics(
                language="English",
                style="direct, decides at every fork",
                phase=moment.phase,
                last_intent=moment.intent,
            ),
        )
    )


def _sub(text: str) -> Task:
    label, _, rest = text.partition(": ")
    if label == "Blocker":
        return Task(kind=TaskKind.BLOCKER, text=rest)
    return Task(kind=TaskKind.SUB, text=text)
