"""Installing memtui into Claude Code, removing it, and checking the installation.

Used by the app and by the command line; nothing here prints.
"""
