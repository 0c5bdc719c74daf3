"""The hook process: what Claude Code runs at its events. Standard library only; no harm to its host."""
