"""Transcript to turns and facts: structure only, no model.

One pass over Claude Code's JSONL, a module for each kind of fact; `records` defines them. The stream of
`lines` never holds a whole file, resumes at any byte offset, and skips and counts what is no record. A file
that cannot be read is an `OSError`.
"""


class ReadingCancelledError(Exception):
    """The reading was cancelled. Here because the reader takes long to import."""
