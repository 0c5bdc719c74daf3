"""memtui: see what Claude Code's compactions took away, review it, and get it back.

The package root imports nothing, so that hooks and ``memtui --version`` start fast.
"""

__version__ = "0.1.0"
