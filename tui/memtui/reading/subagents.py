"""Paths of the transcripts of a session's subagents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from memtui.formats.transcript import read_lines
from memtui.formats.transcript_events import task_of

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_LIMIT = 1_000
_HEAD = 64 << 10
_WORDS = 300


def agent_transcripts(path: Path, agents: Collection[str]) -> Iterator[tuple[str, Path]]:
    """The subagents' transcripts that lie beside a session's: agent and file.

    Newer versions keep them in ``<session>/subagents/agent-*.jsonl``, older ones next to the session's own
    file, where only those are taken that the session names.

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
    beside = [path.parent / f"agent-{agent}.jsonl" for agent in agents if _NAME.fullmatch(agent)]
    for file in (*inside, *beside):
        agent = file.stem.removeprefix("agent-")
        if agent not in seen and file != path and file.is_file() and not file.is_symlink():
            seen.add(agent)
            yield agent, file


def first_words(transcript: Path) -> str:
    """The task of a subagent: the first words of its transcript; "" when it has none.

    Raises:
        OSError: it cannot be read.
    """
    for line in read_lines(transcript, stop=_HEAD):
        for record in line.records:
            if record.get("type") == "user" and (text := task_of(record)):
                return text[:_WORDS]
    return ""
