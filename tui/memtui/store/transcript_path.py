"""Checks of transcript paths before they are opened. Standard library only, for the hook."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from memtui.ground.files import FileProblem
from memtui.ground.project import claude_config


class TranscriptProblem(FileProblem):
    """A transcript is missing, or not opened for safety."""


class TranscriptGone(TranscriptProblem):
    """Claude Code has deleted it; the archive may have a copy."""


def check_transcript(path: str | Path, config: Path | None = None) -> Path:
    """Check a transcript's path that was read from a file.

    Only Claude Code's own files are opened: regular ``.jsonl`` files of this user under its folder. A capture
    may come with a cloned repository and name any file of this machine.

    Raises:
        TranscriptGone: it is missing.
        TranscriptProblem: it is elsewhere, not a transcript, or another user's.
    """
    text = os.fspath(path).strip()
    config = config if config is not None else claude_config()
    if not text or "\0" in text:
        raise TranscriptProblem("the transcript", "is not named in the capture")
    where = Path(text).expanduser() if text.startswith("~/") else Path(text)
    if where.suffix != ".jsonl" or not where.is_absolute():
        raise TranscriptProblem(where, "is not the path of a transcript (absolute, ending in .jsonl)")
    real = Path(os.path.realpath(where))
    if not real.is_relative_to(os.path.realpath(config)) or real.suffix != ".jsonl":
        raise TranscriptProblem(where, f"is not opened, because it lies outside {config}")
    try:
        status = os.lstat(real)
    except OSError as error:
        reason = "is gone; Claude Code deletes transcripts after 30 days (setting cleanupPeriodDays)"
        raise TranscriptGone(where, reason) from error
    if not stat.S_ISREG(status.st_mode):
        raise TranscriptProblem(where, "is not a regular file")
    if hasattr(os, "geteuid") and os.geteuid() not in (0, status.st_uid):
        raise TranscriptProblem(where, "belongs to another user")
    return real
