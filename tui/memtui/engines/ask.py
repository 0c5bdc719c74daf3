"""Asking the program ``claude`` one question: limited in time and size, without tools, with its hooks off.

The prompts have the rules of the seeds, and show the conversation as seed 003 does.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from memtui.ground.clean import clean_line
from memtui.ground.files import os_error_reason
from memtui.ground.machine import find_program, run
from memtui.ground.project import HOOKS_OFF
from memtui.transcript.messages import Role, read_messages
from memtui.transcript.records import Facts, to_json
from memtui.transcript.short_text import ends_of, one_line

PATIENCE = 180.0
"""Maximum seconds for an answer."""
MOST = 256 << 10
"""Maximum length of an answer in characters; a good one has some 20 KB."""

_COMMAND = (
    # Without tools there is a single answer, and no text in the prompt can trigger an action.
    *("-p", "--output-format", "text", "--tools", "", "--strict-mcp-config"),
    # No hooks run in that call; memtui's own check HOOKS_OFF as well.
    *("--settings", json.dumps({"disableAllHooks": True}), "--no-session-persistence"),
)
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
"""The variables by which Claude Code recognises a nested session, which it refuses."""


class EngineError(Exception):
    """The model gave no usable answer; the text is the reason in one clause."""


def ask(prompt: str, cancelled: Callable[[], bool] = lambda: False) -> str:
    """Ask ``claude -p`` in an empty folder of its own, away from the project's settings and transcripts.

    For `cancelled` see `run`. `EngineError` then, and if claude is missing, too slow, too long, empty, or
    ended with an error.
    """
    program = find_program("claude", os.environ.get("PATH"))
    if program is None:
        raise EngineError("the program claude is not on PATH")
    own = {name: value for name, value in os.environ.items() if name not in _NESTED} | {HOOKS_OFF: "off"}
    question = prompt.encode("utf-8", "replace")
    try:
        with tempfile.TemporaryDirectory(prefix="memtui-claude-", ignore_cleanup_errors=True) as folder:
            command = [program, *_COMMAND]
            done = run(command, question, seconds=PATIENCE, cancelled=cancelled, cwd=folder, env=own)
    except OSError as error:  # a full disk, a program that cannot be started
        raise EngineError(f"claude cannot be asked: {os_error_reason(error)}") from error
    except subprocess.TimeoutExpired:
        late = f"claude gave no answer in {PATIENCE:g} seconds"
        raise EngineError("cancelled" if cancelled() else late) from None
    said, errors = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
    if len(said) > MOST:
        raise EngineError(f"claude answered more than {MOST >> 10} KB")
    if done.returncode:
        lines = [line for line in map(clean_line, (errors or said).split("\n")) if line.strip()]
        reason = f": {lines[-1].strip()[:200]}" if lines else ""
        raise EngineError(f"claude ended with exit code {done.returncode}{reason}")
    if not said.strip():
        raise EngineError("claude answered nothing")
    return said


OPENING, CLOSING = "<document>", "</document>"
"""The lines around the document that the prompts ask for; text outside them is chatter."""

_FACTS = 60_000


class Kind(NamedTuple):
    """A kind of document to ask for; its prompt is a file in ``prompts/``."""

    name: str
    first: str
    """The beginning of its first line."""
    last: str
    """A part of its end: without it, it is incomplete."""


MEMORY = Kind("memory", "# Memory:", "\n## Confidence Level")
RECOVERY = Kind("recovery", "## Session ID", "\n## Notes")
STATE = Kind("state", "=== SESSION STATE", "=== END STATE ===")


def prompt_for(kind: Kind, facts: Facts, material: Mapping[str, str]) -> str:
    folder = Path(__file__).with_name("prompts")
    task, sources = (folder.joinpath(f"{each}.md").read_text("utf-8") for each in (kind.name, "sources"))
    known = {
        name: value[-60:] if isinstance(value, list) else value for name, value in to_json(facts).items()
    }
    text = json.dumps(known, ensure_ascii=False, indent=0, default=str)
    shown = {"facts": text if len(text) <= _FACTS else text[:_FACTS] + "\n[...]", **material}
    # No text may imitate the lines that frame the answer.
    quoted = "\n\n".join(f"===== {title} =====\n{text}" for title, text in shown.items())
    quoted = quoted.replace(OPENING, "(document)").replace(CLOSING, "(/document)")
    return "\n".join((task, sources, f"{quoted}\n\n===== end =====\n", task))


_ONE, _CALL = 4_000, 200
"""Maximum length of one message, and of one call, in characters."""
_CALLS = {Role.COMMAND, Role.EDIT, Role.READ, Role.CALL}


def conversation(path: Path, last: int, limit: int) -> str:
    """A transcript up to line `last`: the first message, then what of the end fits `limit` characters."""
    shown = []
    for line, role, text in (
        (each.line, each.role, each.path or each.text)
        for reading in takewhile(lambda reading: reading.next_number <= last + 1, read_messages(path))
        for each in reading.messages
    ):
        if role in _CALLS:
            shown.append(f"[CLAUDE L{line}] ({role.name.lower()} {one_line(text)[:_CALL]})")
        elif role in (Role.ASK, Role.SAID):
            name = "USER" if role is Role.ASK else "CLAUDE"
            shown.append(f"[{name} L{line}] {ends_of(text.strip(), _ONE)}")
    room, start = limit - len(shown[0]) if shown else 0, len(shown)
    while start > 1 and len(shown[start - 1]) < room:
        start -= 1
        room -= len(shown[start]) + 1
    return "\n".join([*shown[:1], *(["[...]"] if start > 1 else []), *shown[start:]])
