"""Trying the commands that Claude Code would start, but only memtui's own programs.

Settings and ``.mcp.json`` may come with a cloned repository. So only the current Python and the console
scripts installed with it are ever started, with exactly the arguments that memtui itself writes.
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

from memtui.formats.pins import Pin
from memtui.ground.project import Places, Project, memtui_home
from memtui.hooks import PROMPT_EVENT
from memtui.lost.outbox import RESCUE, Message, Outbox
from memtui.lost.pins import Pins
from memtui.store.commands_file import CommandsFile

BARE_PATH = "/usr/bin:/bin"
"""A minimal search path: Claude Code is not always started from a shell (Claude Code fact)."""

_SECONDS = 5.0
_COMMAND = "memtui-doctor"
_SESSION = "5e5510d0-0000-4000-8000-000000000000"
_WAITING = "what the doctor left"


class TrialRun(NamedTuple):
    """The result of trying a command."""

    problem: str
    """Why it failed or took too long; "" for success."""
    printed: str = ""
    logged: bool = False
    """Whether it wrote the hook log."""
    registered: bool = False
    """Whether it registered the command of the test project."""
    waits: bool = False
    """Whether the session's outbox has a message; before the run it only has one for the prompt hook."""


def is_this_python(interpreter: str) -> bool:
    """Whether a path is the current interpreter; ``python`` and ``python3`` in a folder are the same."""
    mine, other = Path(sys.executable), Path(interpreter)
    return mine == other or (mine.parent == other.parent and _real(mine) == _real(other))


def is_this_script(name: str, path: str) -> bool:
    """Whether a search path finds the console script of this memtui."""
    found = shutil.which(name, path=path)
    return found is not None and _real(Path(found)) in {_real(folder / name) for folder in _script_folders()}


def why_not_tried(interpreter: str, places: Places) -> str:
    """Why another interpreter is not started, as the predicate of a sentence."""
    root = _real(places.project.root)
    if any(Path(each).is_relative_to(root) for each in (interpreter, _real(Path(interpreter)))):
        return f"uses {interpreter}, which lies in the project; it was not tried"
    return f"uses {interpreter}, not the Python that runs this ({sys.executable}); it was not tried"


def probe(command: str, path: str) -> str:
    """Try a hook's command as Claude Code would run it, with separate folders.

    The prompt hook gets a typed command and a waiting message; PostCompact gets a summary that lacks the
    project's pin; the others get empty input.

    Args:
        command: the command.
        path: its search path, the only variable passed on.

    Returns:
        "" if it ended in time and wrote its log, else the problem.
    """
    typed, summed = PROMPT_EVENT in command, "post-compact" in command
    given: dict[str, str] = {}
    if typed or summed:
        given = {"session_id": _SESSION, "compact_summary": "", "prompt": f"/{_COMMAND}"}
    apart = run_isolated(command, path, given=json.dumps(given) if given else "", seconds=_SECONDS)
    if apart.problem or not apart.logged:
        return apart.problem or "does not start memtui"
    if typed and not apart.registered:
        return "does not register a typed command"
    if typed and (_WAITING not in apart.printed or apart.waits):
        return "does not hand over what waits for a session"
    return "does not look after pins" if summed and not apart.waits else ""


def run_isolated(command: str, path: str, *, given: str = "", seconds: float) -> TrialRun:
    """Run a command in a shell, with separate folders and only the search path as environment.

    Args:
        command: the command, which the caller has verified to start memtui.
        path: its search path.
        given: its standard input.
        seconds: the time limit.
    """
    with tempfile.TemporaryDirectory(prefix="memtui-doctor-") as folder:
        project, home = _project(Path(folder) / "project"), memtui_home({"MEMTUI_HOME": folder})
        Pins(project, home).add(Pin("a pin of the doctor's"))
        outbox = Outbox(home, _SESSION)
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
                return TrialRun(f"does not end within {seconds:.0f} s")
        if process.returncode:
            said = errors.decode("utf-8", "replace").strip().splitlines()
            return TrialRun(f"ends with {process.returncode}" + (f": {said[-1]}" if said else ""))
        logged = memtui_home(env).hook_log.exists()
        registered = any(entry.name == _COMMAND for entry in CommandsFile(project).entries())
        return TrialRun("", printed.decode("utf-8", "replace"), logged, registered, bool(outbox.waiting()))


def _project(root: Path) -> Project:
    """A project with a command whose rules outlive a compaction."""
    file = root / ".claude" / "commands" / f"{_COMMAND}.md"
    file.parent.mkdir(parents=True)
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
