"""The story's data as the documents of `memtui.documents`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from memtui.demo.story.load import Saved
from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.documents.recovery import Plan, Recovery, RoleFile, render_recovery


def recovery_text(saved: Saved, root: Path) -> str:
    root = root.parent / saved.project

    def files(named: Sequence[tuple[str, str]]) -> tuple[RoleFile, ...]:
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
            decisions=tuple(saved.decisions),
            constraints=tuple(saved.constraints),
            dependencies=tuple(saved.dependencies),
            known_issues=tuple(saved.known_issues),
            changes=tuple(saved.changes),
            pending=tuple(saved.pending),
            notes=saved.notes,
        )
    )


def recovery_id(moment: datetime) -> str:
    """The Recovery ID of a memory that is stored at `moment`."""
    return f"CMEM-{moment:%Y%m%d-%H%M%S}"


def stored_memory(saved: Saved, root: Path, moment: datetime) -> bytes:
    meta = MemoryMeta(
        id=recovery_id(moment),
        project=str(root.parent / saved.project),
        created=moment,
        updated=moment,
        description=saved.description,
        tags=tuple(saved.tags),
        session_id=saved.session,
        source="import",
    )
    return render_stored(StoredMemory(meta=meta, body=recovery_text(saved, root).encode()))
