"""memtui in Claude Code: installed, taken out again, and looked after.

Imported by the app and by the command line; nothing here shows anything.
"""
