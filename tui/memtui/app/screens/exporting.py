"""Writing the session that is read as one file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.screens.ask import AskScreen
from memtui.clean import clean_line

if TYPE_CHECKING:
    from memtui.app.host import HostApp

_HINT = "A page of HTML; Markdown if the name ends in .md. Secrets are masked. A file that is there stays."


async def export_session(app: HostApp, transcript: Path) -> None:
    """Ask where, write the session there, and say so; to be called by a worker."""
    from memtui.clock import system_clock
    from memtui.flows.export import form_of, session_file, session_parts, write_export
    from memtui.project import expanded
    from memtui.store.session_list import size_text

    downloads = Path.home() / "Downloads"
    folder = downloads if downloads.is_dir() else Path.home()
    proposed = str(folder / session_file(transcript))
    answer = await app.push_screen_wait(
        AskScreen("Write this session to a file", value=clean_line(proposed), hint=_HINT)
    )
    if answer is None or not answer.strip():
        return
    target = expanded(answer.strip())
    with app.reporting("exporting"):
        parts = session_parts(transcript, form_of(target.name), system_clock())
        size = await asyncio.to_thread(write_export, target, parts)
        app.say(f"Wrote {target}, {size_text(size)}, secrets masked.")
