"""memtui: see what Claude Code's compactions took away, review it, and get it back.

The package root imports nothing: a hook or ``memtui --version`` must not pay for the app.
"""

__version__ = "0.1.0"
