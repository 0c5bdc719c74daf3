"""The one error of all formats. Standard library only: the hook's formats raise it, too."""

from __future__ import annotations


class FormatError(ValueError):
    """A text does not have the expected format. The message is one clause; the caller names the file."""
