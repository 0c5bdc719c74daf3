"""What must not be passed on as it came: secrets, private parts, text that looks like Claude Code's own.

Standard library only, because hooks use it. Import the modules where text is to be checked: `secrets`
compiles a few hundred patterns when it is first used.
"""
