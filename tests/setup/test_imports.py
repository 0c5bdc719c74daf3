"""Imports of the setup modules, which the app uses, too."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["install", "hooks_check"])
def test_the_light_part_of_the_setup(module: str) -> None:
    program = f"import sys, memtui.setup.{module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert not set(done.stdout.split()) & {"pydantic", "pydantic_core", "textual", "rich", "click", "yaml"}
