"""Trying what Claude Code would start: memtui's own programs, and nothing else.

Settings and ``.mcp.json`` may come with a cloned repository. So only the Python that runs this, and the
console scripts installed with it, are ever started, with exactly the arguments that memtui itself writes.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

from memtui.aftermath.outbox import RESCUE, Message, Outbox
from memtui.hooks.main import PROMPT_EVENT
from memtui.project import Places, Project, memtui_home
from memtui.store.commands_file import CommandsFile

BARE_PATH = "/usr/bin:/bin"
"""What a hook may count on: Claude Code is not always started from a shell (Claude Code fact)."""

_SECONDS = 5.0
_COMMAND = "memtui-doctor"
_SESSION = "5e5510d0-0000-4000-8000-000000000000"
_WAITING = "what the doctor left"


class Apart(NamedTuple):
    """What came of a command that was tried."""

    problem: str
    """Why it did not come to a good end in time; "" when it did."""
    printed: str = ""
    logged: bool = False
    """It has written the hook log."""
    registered: bool = False
    """It has registered the command that lies in the project made for it."""
    waits: bool = False
    """Something waits for the session; before, it does so only for the hook of prompts."""


def is_this_python(interpreter: str) -> bool:
    """Whether a path names the interpreter that runs us; ``python`` and ``python3`` of a folder are one."""
    mine, other = Path(sys.executable), Path(interpreter)
    return mine == other or (mine.parent == other.parent and _real(mine) == _real(other))


def is_this_script(name: str, path: str) -> bool:
    """Whether a search path leads to the console script that was installed with this memtui."""
    found = shutil.which(name, path=path)
    return found is not None and _real(Path(found)) in {_real(folder / name) for folder in _script_folders()}


def why_not_tried(interpreter: str, places: Places) -> str:
    """Why another interpreter is not started, as the end of a sentence about what names it."""
    root = _real(places.project.root)
    if any(Path(each).is_relative_to(root) for each in (interpreter, _real(Path(interpreter)))):
        return f"uses {interpreter}, which lies in the project; it was not tried"
    return f"uses {interpreter}, not the Python that runs this ({sys.executable}); it was not tried"


def probe(command: str, path: str) -> str:
    """Run a hook's command as Claude Code does, with folders of its own: a dry run.

    The hook of prompts is given a typed command, and something that waits for its session; the one behind a
    compaction a summary without the pin of its project; the others get an empty input.

    Args:
        command: the command.
        path: its search path; of the environment nothing else is passed on.

    Returns:
        "" when it came to its end in time and has written its log, else why not.
    """
    typed, summed = PROMPT_EVENT in command, "post-compact" in command
    given: dict[str, str] = {}
    if typed or summed:
        given = {"session_id": _SESSION, "compact_summary": "", "prompt": f"/{_COMMAND}"}
    apart = run_apart(command, path, given=json.dumps(given) if given else "", seconds=_SECONDS)
    if apart.problem or not apart.logged:
        return apart.problem or "does not start memtui"
    if typed and not apart.registered:
        return "does not register a typed command"
    if typed and (_WAITING not in apart.printed or apart.waits):
        return "does not hand over what waits for a session"
    return "does not look after pins" if summed and not apart.waits else ""


def run_apart(command: str, path: str, *, given: str = "", seconds: float) -> Apart:
    """Run a command in a shell, with folders of its own and nothing of the environment but the search path.

    Args:
        command: the command; the caller has made sure that it starts memtui.
        path: its search path.
        given: its standard input.
        seconds: how long it may take.
    """
    with tempfile.TemporaryDirectory(prefix="memtui-doctor-") as folder:
        project = _project(Path(folder) / "project")
        outbox = Outbox(memtui_home({"MEMTUI_HOME": folder}), _SESSION)
        if PROMPT_EVENT in command:
            outbox.put(Message(RESCUE, _WAITING))
        env = {"PATH": path, "HOME": folder, "MEMTUI_HOME": folder, "CLAUDE_PROJECT_DIR": str(project.root)}
        with subprocess.Popen(
            ["/bin/sh", "-c", command],
            env=env, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                printed, errors = process.communicate(given.encode(), timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return Apart(f"does not end within {seconds:.0f} s")
        if process.returncode:
            said = errors.decode("utf-8", "replace").strip().splitlines()
            return Apart(f"ends with {process.returncode}" + (f": {said[-1]}" if said else ""))
        logged = memtui_home(env).hook_log.exists()
        registered = any(entry.name == _COMMAND for entry in CommandsFile(project).entries())
        return Apart("", printed.decode("utf-8", "replace"), logged, registered, bool(outbox.waiting()))


def _project(root: Path) -> Project:
    """A project with a command whose rules outlive a compaction."""
    file = root / ".claude" / "commands" / f"{_COMMAND}.md"
    file.parent.mkdir(parents=True)
    pins = root / ".project" / "pins.md"
    pins.parent.mkdir()
    pins.write_text("- a pin of the doctor's\n")
    file.write_text("<!-- COMPACT_SUMMARY_START -->\nx\n<!-- COMPACT_SUMMARY_END -->\n")
    return Project(root)


def _script_folders() -> list[Path]:
    return [
        Path(sys.executable).parent,
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", f"{os.name}_user")),
    ]


def _real(path: Path) -> str:
    return os.path.realpath(path)
