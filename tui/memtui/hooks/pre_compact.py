"""PreCompact: the capture, then what the summariser has to keep."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from memtui.files import FileMissing, FileProblem, read_within
from memtui.hooks.capture import capture
from memtui.hooks.context import context_block
from memtui.hooks.payload import Payload
from memtui.hooks.report import Report
from memtui.project import Home, Project

_CONFIG_LIMIT = 64 << 10


def pre_compact(payload: Payload, project: Project, home: Home, now: datetime, report: Report) -> str:
    """Capture what an automatic compaction covers; returns the context block.

    A manual one is the person's own decision and is captured only on request (seed 001: "Only triggered on
    auto").
    """
    if payload.trigger == "auto" or (payload.trigger == "manual" and captures_manual(home.config, report)):
        try:
            name = capture(payload, project, home, now, report)
            report.did(f"captured {name}" if name else "this compaction is captured already")
        except FileProblem as problem:
            report.problem(problem)
    return context_block(project, report=report)


def captures_manual(config: Path, report: Report) -> bool:
    """The setting ``capture_manual`` under ``[hooks]`` of the person's own config.toml.

    A project's file does not count: a cloned repository must not decide what is written.
    """
    import tomllib

    try:
        text = read_within(config / "config.toml", config, limit=_CONFIG_LIMIT).decode("utf-8", "replace")
        hooks = tomllib.loads(text).get("hooks")
    except FileMissing:
        return False
    except (FileProblem, ValueError, RecursionError) as problem:
        report.problem(f"config.toml: {problem}")
        return False
    return isinstance(hooks, dict) and hooks.get("capture_manual") is True
