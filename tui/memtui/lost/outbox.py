"""Messages for a session, each delivered once, with its next prompt or at its next start.

Each message is a file in ``handover/<session>/``. The hook that renames the file delivers it, so that hooks
running twice or concurrently deliver it once. The new name has the mark of the text to be printed; the file
is removed after printing. If the hook is killed in between, the message waits again after a while, and is
delivered unless its mark is in the transcript. Standard library only.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memtui.ground.files import (
    FileMissing,
    FileProblem,
    create_exclusive,
    private_folder,
    private_parents,
    read_within,
    write_atomic,
    writing,
)
from memtui.ground.project import Home, session_key

RESCUE = "rescue"
"""Facts chosen by the user."""
PINS = "pins"
"""Pins that may not have arrived."""
NOTE = "note"
"""What a summary left out."""

_MOD = "mod"
_ENDING = ".json"
_TAKEN = ".taken"
LEASE = 30.0
"""Seconds after which the hook that took a message is certainly dead: its limit is ten."""


_COMPACTING = 300.0
"""Seconds within which a note belongs to the same compaction."""


class Message(NamedTuple):
    """A message for a session."""

    kind: str
    """`RESCUE`, `PINS` or `NOTE`."""
    text: str
    rows: int = 0
    """Number of facts in it."""
    keys: tuple[str, ...] = ()
    """The `Row.key` of facts that the user chose."""
    unless: str = ""
    """The mark of an earlier hand-over; delivered only if the transcript lacks it."""
    printed: tuple[str, ...] = ()
    """Marks of hand-overs by hooks that were killed while printing; treated like `unless`."""
    at: str = ""
    """Its time of creation, ISO 8601."""
    path: Path = Path()


def what_of(message: Message) -> str:
    """What the hook log says of a message: ``handed over 2 chosen lines``."""
    if message.kind == PINS:
        return "handed over pins again"
    plural = "" if message.rows == 1 else "s"
    if message.kind == NOTE:
        return f"handed over {message.rows} line{plural} that the summary left out"
    return f"handed over {message.rows} chosen line{plural}"


class Outbox:
    """The waiting messages of one session."""

    def __init__(self, home: Home, session_id: str) -> None:
        self._home = home
        self.folder = home.handover / session_key(session_id)

    def waiting(self) -> list[Message]:
        """The waiting messages, oldest first; unreadable files are skipped."""
        names: list[str] = []
        with suppress(OSError):
            names = [path.name for path in self.folder.iterdir()]
        names = [self._put_back(name) if name.endswith(_TAKEN) else name for name in names]
        paths = sorted(self.folder / name for name in names if name.endswith(_ENDING))
        if not paths:
            self._tidy()
        found = map(_read, paths)
        return [message for message in found if message is not None]

    def put(self, message: Message) -> Message:
        """Leave a message; returns it with its path, for withdrawing it. A `FileProblem` if that fails."""
        private_folder(self._home.state)
        fields = message._asdict()
        del fields["path"], fields["printed"]
        data = json.dumps(fields).encode()
        tries = 0
        while True:
            with writing(self.folder):  # without a .gitignore, so that the empty folder can be removed
                private_parents(self.folder)
            path = self.folder / f"{time.time_ns():020d}-{message.kind}{_ENDING}"
            try:
                if create_exclusive(path, data):
                    return message._replace(path=path)
            except FileMissing:  # a hook has just taken the last message and removed the folder
                tries += 1
                if tries == 5:
                    raise

    def take(self, message: Message) -> Message | None:
        """Claim a message for delivery, under its new name; None if it is gone or another hook has it.

        The caller calls `note` before printing, and `remove` afterwards.
        """
        try:
            os.utime(message.path)  # from now on only this caller has it, until the lease ends
        except OSError:
            return None
        return self._renamed(message, message.path.name + _TAKEN)

    def note(self, message: Message, mark: str) -> Message:
        """Note the mark under which a message is about to be printed."""
        stem = message.path.name.removesuffix(_TAKEN).removesuffix(_ENDING)
        return self._renamed(message, f"{stem}.{mark}{_ENDING}{_TAKEN}") or message

    def remove(self, message: Message) -> bool:
        """Remove a message; returns whether it still existed."""
        try:
            message.path.unlink()
        except OSError:
            return False
        self._tidy()
        return True

    def _renamed(self, message: Message, name: str) -> Message | None:
        path = self.folder / name
        try:
            message.path.replace(path)
        except OSError:
            return None
        return message._replace(path=path)

    def _put_back(self, name: str) -> str:
        """Release a message whose claimant has died; returns its name."""
        path, waiting = self.folder / name, name.removesuffix(_TAKEN)
        with suppress(OSError):
            if not 0 <= time.time() - path.stat().st_mtime < LEASE:
                path.replace(self.folder / waiting)
                return waiting
        return name

    def _tidy(self) -> None:
        """Remove the folder where nothing waits: a prompt costs more as long as it is there."""
        with suppress(OSError):
            self.folder.rmdir()


def rows_waiting(home: Home, session_id: str) -> list[Message]:
    """The messages with rows that wait for a session's next prompt, oldest first."""
    return [each for each in Outbox(home, session_id).waiting() if each.kind in (RESCUE, NOTE)]


def waiting_by_session(home: Home) -> dict[str, int]:
    """The number of rows that wait for the next prompt of each session, by its id."""
    names: list[str] = []
    with suppress(OSError):
        names = sorted(path.name for path in home.handover.iterdir())
    found = {name: sum(each.rows for each in rows_waiting(home, name)) for name in names}
    return {name: rows for name, rows in found.items() if rows}


def lines_wait(number: int, *, hooks: bool = True) -> str:
    """``2 lines wait for the next prompt``, which gets them only by a hook."""
    end = "the next prompt" if hooks else "a hook: none is installed"
    return f"{number} line{' waits' if number == 1 else 's wait'} for {end}"


def _read(path: Path) -> Message | None:
    try:
        fields = json.loads(read_within(path, path.parent, limit=256 << 10, follow=False))
        return Message(
            kind=str(fields["kind"]),
            text=str(fields["text"]),
            rows=int(fields.get("rows", 0)),
            keys=tuple(map(str, fields.get("keys", ()))),
            unless=str(fields.get("unless", "")),
            at=str(fields.get("at", "")),
            printed=tuple(path.name.removesuffix(_ENDING).split(".")[1:]),
            path=path,
        )
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None


# -- the plugin's mod, which hands a note over itself --------------------------------------------------------


def note_mod(home: Home, session_id: str) -> None:
    """Note that the mod is at work in a session, and will hand its notes over."""
    _touch(home, f"{session_key(session_id)}.mod")


def has_mod(home: Home, session_id: str) -> bool:
    """Whether the mod is at work in a session."""
    return (home.state / _MOD / f"{session_key(session_id)}.mod").exists()


def take_delivery(home: Home, session_id: str) -> None:
    """Note that a session is handed its note now, and withdraw one that waits for its next prompt."""
    outbox = Outbox(home, session_id)
    for message in outbox.waiting():
        if message.kind == NOTE:
            outbox.remove(message)
    _touch(home, session_key(session_id))


def has_delivery(home: Home, session_id: str, now: datetime) -> bool:
    """Whether the mod has handed a session the note of its present compaction."""
    try:
        status = (home.state / _MOD / session_key(session_id)).stat()
    except OSError:
        return False
    return 0 <= now.timestamp() - status.st_mtime < _COMPACTING


def _touch(home: Home, name: str) -> None:
    folder = home.state / _MOD
    private_folder(folder)
    write_atomic(folder / name, b"", durable=False)
    for path in folder.iterdir():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > 40 * 86_400:
                path.unlink()
