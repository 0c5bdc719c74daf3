"""Transcript to turns and facts: structure only, no model.

One pass over Claude Code's JSONL, a module for each kind of fact; `records.py` defines them. The stream of
`lines` never holds a whole file, resumes at any byte offset, and skips and counts what it cannot
read. What a later reading needs is a `Checkpoint`, kept beside the versions of a session state.
"""
