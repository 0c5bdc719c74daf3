"""Messages for a session, each delivered once, with its next prompt or at its next start.

Each message is a file in ``handover/<session>/``. The hook that renames the file delivers it, so that hooks
which run twice or at the same time deliver it once. The new name has the mark of the text that is printed
next; the file is removed once it is printed. If the hook is killed in between, the message waits again after
a while, and is delivered unless its mark is in the transcript. Standard library only.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from memtui.files import (
    FileMissing,
    FileProblem,
    create_exclusive,
    existing_above,
    private_folder,
    read_within,
)
from memtui.files.problems import writing
from memtui.named import NamedTuple
from memtui.project import Home
from memtui.store.keys import session_key

RESCUE = "rescue"
"""Facts that a person has chosen."""
PINS = "pins"
"""Pins whose delivery is to be made sure of."""

_LIMIT = 256 << 10
_ENDING = ".json"
_TAKEN = ".taken"
LEASE = 30.0
"""Seconds after which the hook that has taken a message is dead for certain: it was granted ten."""
_TRIES = 5


class Message(NamedTuple):
    """Something that waits for a session."""

    kind: str
    """`RESCUE` or `PINS`."""
    text: str
    rows: int = 0
    """Facts in it."""
    unless: str = ""
    """The mark of an earlier hand-over: delivered only if that is not in the transcript."""
    printed: tuple[str, ...] = ()
    """Marks of those that hooks were about to print when they were killed: the same holds for them."""
    at: str = ""
    """When it was put there, ISO 8601."""
    path: Path = Path()


class Outbox:
    """The messages that wait for one session."""

    def __init__(self, home: Home, session_id: str) -> None:
        self._home = home
        self.folder = home.handover / session_key(session_id)

    def waiting(self) -> list[Message]:
        """The waiting messages, oldest first; unreadable files are skipped."""
        try:
            names = [path.name for path in self.folder.iterdir()]
        except OSError:
            return []
        names = [self._put_back(name) if name.endswith(_TAKEN) else name for name in names]
        paths = sorted(self.folder / name for name in names if name.endswith(_ENDING))
        if not paths:
            self._tidy()
        found = map(_read, paths)
        return [message for message in found if message is not None]

    def put(self, message: Message) -> Message:
        """Leave a message; returns it with its path, by which it can be taken back.

        Raises:
            FileProblem: it cannot be written.
        """
        private_folder(self._home.state, within=existing_above(self._home.state))
        fields = message._asdict()
        del fields["path"], fields["printed"]
        data = json.dumps(fields).encode()
        tries = 0
        while True:
            with writing(self.folder):  # without a .gitignore, so that it can be removed when it is empty
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self.folder / f"{time.time_ns():020d}-{message.kind}{_ENDING}"
            try:
                if create_exclusive(path, data):
                    return message._replace(path=path)
            except FileMissing:  # a hook has just taken the last message, and the folder with it
                tries += 1
                if tries == _TRIES:
                    raise

    def take(self, message: Message) -> Message | None:
        """Take a message to deliver it, under its new name; None when it is gone or another hook has it.

        The caller says `note` before it prints, and `remove` afterwards.
        """
        try:
            os.utime(message.path)  # from now on it is the caller's, and for others once that has died
        except OSError:
            return None
        return self._renamed(message, message.path.name + _TAKEN)

    def note(self, message: Message, mark: str) -> Message:
        """Note under which mark a message is about to be printed."""
        stem = message.path.name.removesuffix(_TAKEN).removesuffix(_ENDING)
        return self._renamed(message, f"{stem}.{mark}{_ENDING}{_TAKEN}") or message

    def remove(self, message: Message) -> bool:
        """Remove a message; whether it was still there."""
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
        """Let a message wait again whose taker has died; returns its name."""
        path, waiting = self.folder / name, name.removesuffix(_TAKEN)
        try:
            if not 0 <= time.time() - path.stat().st_mtime < LEASE:
                path.replace(self.folder / waiting)
                return waiting
        except OSError:
            pass
        return name

    def _tidy(self) -> None:
        """Remove the folder where nothing waits: a prompt costs more as long as it is there."""
        with suppress(OSError):
            self.folder.rmdir()


def _read(path: Path) -> Message | None:
    try:
        fields = json.loads(read_within(path, path.parent, limit=_LIMIT, follow=False))
        return Message(
            kind=str(fields["kind"]),
            text=str(fields["text"]),
            rows=int(fields.get("rows", 0)),
            unless=str(fields.get("unless", "")),
            at=str(fields.get("at", "")),
            printed=tuple(path.name.removesuffix(_ENDING).split(".")[1:]),
            path=path,
        )
    except FileMissing:
        return None
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
