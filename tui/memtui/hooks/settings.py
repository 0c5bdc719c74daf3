"""The switches under ``[hooks]`` in the person's own config.toml.

A project's file does not count: a cloned repository must not decide what is written, or what runs.
"""

from __future__ import annotations

from pathlib import Path

from memtui.files import FileMissing, FileProblem, read_within
from memtui.hooks.report import Report

_LIMIT = 64 << 10


def switched(name: str, config: Path, report: Report, *, default: bool) -> bool:
    """Whether a switch is on.

    Args:
        name: ``capture_manual``, ``session_states`` or ``typed_commands``.
        config: memtui's configuration folder.
        report: gets why the file cannot be used.
        default: what holds where nothing is said.
    """
    try:
        text = read_within(config / "config.toml", config, limit=_LIMIT).decode("utf-8", "replace")
        # Here and not above: most people have no such file.
        import tomllib

        hooks = tomllib.loads(text).get("hooks")
    except FileMissing:
        return default
    except (FileProblem, ValueError, RecursionError) as problem:
        report.problem(f"config.toml: {problem}")
        return default
    value = hooks.get(name) if isinstance(hooks, dict) else None
    return value if isinstance(value, bool) else default
