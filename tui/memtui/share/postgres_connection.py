"""A connection to PostgreSQL with time limits, in case the server stops answering. Needs psycopg."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from threading import Timer
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memtui.share.remote import SECONDS

# psycopg logs its exceptions, too: without a handler that goes to standard error, over the app's screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_CONNECT_SECONDS = 10
_GRACE_SECONDS = 5.0
"""Seconds added to the server's own limit before the connection is cut."""
_KEEP_ALIVE = {"keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3}


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which no single exchange takes longer than `seconds`."""

    seconds = SECONDS

    def wait(self, *arguments: Any, **options: Any) -> Any:
        """Wait for an answer as psycopg does, but not forever: a server may hang, a network may be down."""
        late = False

        def cut() -> None:
            nonlocal late
            late = True
            with suppress(OSError), socket.socket(fileno=self.fileno()) as ours:
                try:
                    ours.shutdown(socket.SHUT_RDWR)
                finally:
                    ours.detach()  # libpq still owns it

        timer = Timer(self.seconds + _GRACE_SECONDS, cut)
        timer.daemon = True
        timer.start()
        try:
            return super().wait(*arguments, **options)
        except psycopg.OperationalError:
            if late:
                raise psycopg.OperationalError(f"it did not answer within {self.seconds:.0f} s") from None
            raise
        finally:
            timer.cancel()


def connect(url: str) -> BoundedConnection:
    """Connect; options in the address override memtui's own.

    Raises:
        psycopg.Error: the server cannot be reached, or the address is invalid.
    """
    said = conninfo_to_dict(url)
    ours: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        "application_name": "memtui",
        **_KEEP_ALIVE,
        "options": f"{said.pop('options', '') or ''} -c statement_timeout={SECONDS * 1000:.0f}".strip(),
    }
    return BoundedConnection.connect(**{**ours, **said}, autocommit=True)
