"""The hook process: what Claude Code runs at its events. Standard library only, and never a harm to its host."""
