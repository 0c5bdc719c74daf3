"""Git in repositories of tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git(*arguments: str, folder: Path, data: str = "", raw: bytes = b"") -> str:
    """Run a command of git in a folder, without the developer's settings; returns its output."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**environment, **who}, input=raw or data.encode(),
        capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.decode().strip()
