"""The one error of all formats. Standard library only: the hook's formats raise it, too."""

from __future__ import annotations


class FormatError(ValueError):
    """A text is not of the format. The message is one clear clause and names no file: the caller does."""
