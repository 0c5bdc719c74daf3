"""``python -I -m memtui.hooks EVENT``: what Claude Code's settings name."""

from __future__ import annotations

from memtui.hooks.main import main

main()
