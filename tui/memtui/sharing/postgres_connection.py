"""A connection to PostgreSQL that ends when the server stops answering. Needs psycopg."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from threading import Timer
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memtui.sharing.remote import SECONDS

# It also warns of what its exceptions say: without a handler on standard error, over the app's screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_CONNECT_SECONDS = 10
_GRACE_SECONDS = 5.0
"""How much longer than the server's own limit a query may take until the connection is cut."""
_KEEP_ALIVE = {"keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3}


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which no single exchange takes longer than `seconds`."""

    seconds = SECONDS

    def wait(self, *arguments: Any, **options: Any) -> Any:
        """Wait for an answer as psycopg does, but not for ever: a server may hang, a network be gone."""
        late = False

        def cut() -> None:
            nonlocal late
            late = True
            with suppress(OSError), socket.socket(fileno=self.fileno()) as ours:
                try:
                    ours.shutdown(socket.SHUT_RDWR)
                finally:
                    ours.detach()  # it stays libpq's

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
    """Connect; what the address says counts more than what memtui would choose.

    Raises:
        psycopg.Error: it cannot be reached, or the address is none.
    """
    said = conninfo_to_dict(url)
    ours: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        "application_name": "memtui",
        **_KEEP_ALIVE,
        "options": f"{said.pop('options', '') or ''} -c statement_timeout={SECONDS * 1000:.0f}".strip(),
    }
    return BoundedConnection.connect(**{**ours, **said}, autocommit=True)
