"""``python -I -m memtui.hooks EVENT``: the command in Claude Code's settings."""

from __future__ import annotations

from memtui.hooks.main import main

main()
