"""Masking and quoting: secrets, private parts, and text that imitates Claude Code's own.

Standard library only, because hooks use it. Import the modules where text is to be checked: `secrets`
compiles a few hundred patterns when it is first used.
"""
