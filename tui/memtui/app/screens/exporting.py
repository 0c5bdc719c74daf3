"""Exporting sessions to files, from any screen that shows them, after asking for a path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from memtui.app.base import BaseApp
from memtui.app.screens.dialogs import AskScreen
from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem

_ENDS = "Secrets are masked. Existing files are kept.\nenter writes · esc leaves"
_HINT = f"A page of HTML; Markdown if the name ends in .md. {_ENDS}"
_FOLDER = f"A page of HTML for each. {_ENDS}"


async def export_sessions(
    app: BaseApp, transcripts: Sequence[Path], readable: Callable[[Path], Path] = lambda path: path
) -> None:
    """Ask for a path, write the sessions there, and report it; to be called by a worker.

    Args:
        app: shows the question and the message.
        transcripts: the sessions'; several are written into a folder.
        readable: returns a readable transcript, unpacked from the archive if necessary.
    """
    from memtui.ground.clock import system_clock
    from memtui.ground.project import expanded
    from memtui.store.export import export_session, session_file

    several, here = len(transcripts) > 1, Path.cwd()
    question = (
        f"Write {len(transcripts)} sessions into a folder" if several else "Write this session to a file"
    )
    proposed = here if several else here / session_file(transcripts[0])
    hint = _FOLDER if several else _HINT
    answer = await app.push_screen_wait(AskScreen(question, value=clean_line(str(proposed)), hint=hint))
    if answer is None or not answer.strip():
        return
    target = here / expanded(answer.strip())

    def write(transcript: Path, file: Path) -> str:
        return export_session(readable(transcript), file, system_clock())

    written: list[str] = []
    failed: list[FileProblem] = []
    with app.reporting("exporting"):
        if several and not target.is_dir():
            raise FileProblem(target, "is no folder")
        for each in transcripts:
            file = target / session_file(each) if target.is_dir() else target
            try:
                said = await asyncio.to_thread(write, each, file)
                written.append(said)
            except FileProblem as problem:
                failed.append(problem)
        if several and written:
            app.say(f"Wrote {len(written)} pages into {target}, secrets masked.")
        elif written:
            app.say(written[0])
        if failed:
            raise failed[0]
