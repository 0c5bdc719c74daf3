"""The Claude Code plugin: the folder that the client loads, installing it, and checking what it does.

``launch`` finds memtui for the client; ``commands`` are its slash commands. The Python modules are not the
plugin's own but memtui's: `installing` for init and uninstall, `doctor`, and `receipts`.
"""
