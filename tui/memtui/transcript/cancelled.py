"""The error of a cancelled reading; on its own because the reader takes long to import."""


class ReadingCancelledError(Exception):
    """The reading was cancelled."""
