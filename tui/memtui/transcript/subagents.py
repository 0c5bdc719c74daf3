"""Paths of the transcripts of a session's subagents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from memtui.secrets.secrets import masked
from memtui.transcript.events import Result, task_of
from memtui.transcript.lines import read_lines

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\]+)"')
_LIMIT = 1_000
_HEAD = 64 << 10
_START = 4 << 10
"""Number of bytes in which a subagent's transcript names its session."""
_WORDS = 300


def agent_transcripts(path: Path, agents: Collection[str]) -> Iterator[tuple[str, Path]]:
    """The transcripts of a session's subagents: id and file of each.

    Newer versions keep them in ``<session>/subagents/agent-*.jsonl``, older ones next to the session's own
    file; there a transcript counts if it names the session, or the session names it.

    Args:
        path: the session's transcript.
        agents: ids of the subagents that its lines name.
    """
    folder = path.with_suffix("") / "subagents"
    seen: set[str] = set()
    try:
        inside = sorted(folder.rglob("agent-*.jsonl"))[:_LIMIT] if folder.is_dir() else []
    except OSError:
        inside = []
    named = [path.parent / f"agent-{agent}.jsonl" for agent in agents if _NAME.fullmatch(agent)]
    for file in (*inside, *named, *_beside(path)):
        agent = file.stem.removeprefix("agent-")
        if agent not in seen and file != path and file.is_file() and not file.is_symlink():
            seen.add(agent)
            yield agent, file


def _beside(path: Path) -> Iterator[Path]:
    """Transcripts next to the session's own that name it."""
    folder = path.parent
    with suppress(OSError):
        for file in _in_folder(folder, folder.stat().st_mtime_ns):
            with suppress(OSError, ValueError):
                if _session_of(file) == path.stem:
                    yield file


@lru_cache(maxsize=256)
def _in_folder(folder: Path, _changed: int) -> tuple[Path, ...]:
    """The transcripts in a folder."""
    return tuple(sorted(folder.glob("agent-*.jsonl"))[:_LIMIT])


@lru_cache(maxsize=4 * _LIMIT)
def _session_of(file: Path) -> str:
    """The session that the first lines of a subagent's transcript name.

    Raises:
        OSError: they cannot be read.
        ValueError: they name none yet; not cached, as it may be written later.
    """
    with file.open("rb") as opened:
        named = _SESSION.search(opened.read(_START))
    if named is None:
        raise ValueError(file)
    return named[1].decode("utf-8", "replace")


def worker_of(result: Result) -> str:
    """The subagent that a result reports on; "" for none."""
    detail = result.detail if isinstance(result.detail, dict) else {}
    agent = detail.get("agentId")
    return agent if isinstance(agent, str) and _NAME.fullmatch(agent) else ""


def first_words(transcript: Path) -> str:
    """The task of a subagent: the first words of its transcript; "" when it has none.

    Raises:
        OSError: it cannot be read.
    """
    for line in read_lines(transcript, stop=_HEAD):
        for record in line.records:
            if record.get("type") == "user" and (text := task_of(record)):
                return masked(text)[:_WORDS]
    return ""
