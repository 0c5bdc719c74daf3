"""Sharing a memory in the project itself: the file ``.memtui/shared/CMEM-...@machine.md``.

It is reviewed, committed and cloned with the code; `shared_folder_import` reads it on other machines.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from memtui.flows.shared_names import Names, neutral, shared_root
from memtui.flows.sharing_out import check_to_share
from memtui.formats.errors import FormatError
from memtui.formats.shared_record import SharedRecord, render_record
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem, shared_folder, sweep_temps, write_atomic
from memtui.ground.project import Home, Project
from memtui.share.remotes import this_author, this_machine
from memtui.store.memory_files import FilesBackend
from memtui.store.project_test import ProjectTest

_SESSION = re.compile(rb"^(##\s*Session ID[^\n]*\n)(?:(?!##).*\n?)*", re.MULTILINE | re.IGNORECASE)


def share_here(
    project: Project, home: Home, clock: Clock, memory_id: str, allowed: Collection[int] = ()
) -> Path:
    """Write one of this machine's memories into its project; returns the file's path.

    Paths in it are relative to the project's root, and it names no session.

    Args:
        project: the project.
        home: memtui's own folders.
        clock: gives the current time.
        memory_id: the memory's id.
        allowed: lines that the user allows although they look like secrets.

    Raises:
        SecretsFoundError: it holds secrets in other lines.
        FileProblem: it is private, another machine's or another project's, or cannot be written.
    """
    stored = FilesBackend(home, clock).get(memory_id)
    if "@" in memory_id:
        raise FileProblem(Path(memory_id), "was shared by its author: it is not yours to share")
    if not ProjectTest(project.root)(stored.meta.project):
        raise FileProblem(Path(memory_id), f"is of another project: {stored.meta.project}")
    body = _relative(stored)
    check_to_share(home, clock, stored, body, allowed)
    meta = stored.meta
    machine = this_machine(home)
    memory = Names(machine).everywhere(memory_id)
    record = SharedRecord(
        kind="text",
        memory=memory,
        machine=machine,
        author=this_author(),
        at=clock(),
        project=project.name,
        created=meta.created,
        source=meta.source,
        description=meta.description,
        tags=tuple(sorted(meta.tags)),
        body=body,
    )
    try:
        data = render_record(record)
    except FormatError as error:
        raise FileProblem(Path(memory_id), f"is not shared: {error}") from None
    path = project.shared / f"{memory}.md"
    shared_folder(path.parent, within=project.root)
    sweep_temps(path.parent, within=project.root)
    write_atomic(path, data, mode=0o644, within=project.root)
    return path


def _relative(stored: StoredMemory) -> bytes:
    """A memory's text with paths relative to the project's root, and without its session."""
    root = Path(stored.meta.project)
    body = neutral(stored.body, str(root), str(Path.home()))
    name = re.escape(shared_root(root.name).encode())
    body = re.sub(name + rb"/(?=[\w.])", b"", body)
    body = re.sub(name + rb"(?![\w.-])", b".", body)
    body = _SESSION.sub(rb"\1N/A\n\n", body)
    session = stored.meta.session_id.encode()
    return body.replace(session, b"N/A") if len(session) >= 8 else body
