"""The user's config.toml, of which every part of memtui reads a section of its own.

A project's file is ignored: a cloned repository must not decide what is written or run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui.ground.files import FileMissing, FileProblem, read_within
from memtui.ground.project import Home


def config_path(home: Home) -> Path:
    return home.config / "config.toml"


def config_sections(home: Home) -> dict[str, dict[str, Any]]:
    """The sections of config.toml, their values unchecked; a `FileProblem` if it is no TOML of sections."""
    path = config_path(home)
    try:
        text = read_within(path, home.config, limit=64 << 10).decode()
        import tomllib  # most people have no such file, and the first paint and a prompt wait for this

        sections = tomllib.loads(text)
    except FileMissing:
        return {}
    except (ValueError, RecursionError) as problem:
        raise FileProblem(path, f"is not valid TOML: {problem}") from problem
    for name, section in sections.items():
        if not isinstance(section, dict):
            raise FileProblem(path, f"says {name}, but not as a section: [{name}]")
    return sections
