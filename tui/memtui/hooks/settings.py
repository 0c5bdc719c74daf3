"""The switches in the user's own config.toml, most of them under ``[hooks]``.

A project's file is ignored: a cloned repository must not decide what is written or run.
"""

from __future__ import annotations

from pathlib import Path

from memtui.ground.files import FileMissing, FileProblem, read_within
from memtui.hooks.report import Report

_LIMIT = 64 << 10


def switched(name: str, config: Path, report: Report, *, default: bool) -> bool:
    """Whether a switch is on.

    Args:
        name: ``capture_manual``, ``session_states``, ``typed_commands``.
        config: memtui's configuration folder.
        report: receives the reason when the file cannot be used.
        default: the value if the switch is missing.
    """
    try:
        text = read_within(config / "config.toml", config, limit=_LIMIT).decode("utf-8", "replace")
        # Imported here: most people have no such file.
        import tomllib

        switches = tomllib.loads(text).get("hooks")
    except FileMissing:
        return default
    except (FileProblem, ValueError, RecursionError) as problem:
        report.problem(f"config.toml: {problem}")
        return default
    value = switches.get(name) if isinstance(switches, dict) else None
    return value if isinstance(value, bool) else default
