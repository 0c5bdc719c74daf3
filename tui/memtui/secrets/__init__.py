"""Masking and quoting: secrets, private parts, and text that imitates Claude Code's own.

Standard library only, because hooks use it, but for pydantic's engine of patterns where that is loaded.
Import its modules where they are used: `secrets` compiles a few hundred patterns on first use.
"""
