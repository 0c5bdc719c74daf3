"""Cancelled readings of transcripts; apart from the reading itself, which takes long to import."""


class ReadingCancelledError(Exception):
    """The reading was cancelled."""
