"""A text file that other programs also write, most of them in place and without a lock.

It is read only when complete. It is changed under the lock that some of them use, only if it is still as it
was read, and checked again until the change stays. A program that had the file open while it was replaced
writes into the old one; that is detected and carried over.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from memtui.formats.errors import FormatError
from memtui.ground.files import (
    Content,
    FileChanged,
    FileLocked,
    FileOutside,
    FileUnreadable,
    Replaced,
    load_within,
    lock_file,
    replace_expected,
    resolved,
)
from memtui.ground.files.problems import reading
from memtui.ground.named import NamedTuple

LIMIT = 16 << 20
"""Size of the largest file that is read, in bytes."""

LOCK_SECONDS = 2.0
"""Seconds to wait for a program that holds the lock; it needs milliseconds."""

STILL_SECONDS = 0.25
"""Seconds without a change after which an unreadable file counts as broken."""

BUSY_SECONDS = 2.0
"""Seconds to wait for a complete text while the file keeps changing."""

SETTLE_SECONDS = 3.0
"""Seconds for which to repeat a change that others overwrite."""

LOOK_AGAIN = (0.0, 0.005, 0.02, 0.04)
"""Seconds after which a change must still be there: programs that read the file before write within them."""

_PAUSE = 0.006
"""Maximum time between two reads; random, so as not to run in step with a writer."""

_CAREFUL_TRIES = 3
"""Number of flushed tries: flushing is so slow that a busy writer always wins, so later tries skip it."""


class Patience(NamedTuple):
    """Waiting times for other programs, in seconds."""

    whole: float
    """For a complete text while the file keeps changing."""
    lock: float
    """For other programs to release the lock; at most 2 s for each of them."""
    settle: float
    """For a program that keeps overwriting the change."""
    look_again: tuple[float, ...]
    """Successive pauses; after each of them a change must still be there."""


HOOK_PATIENCE = Patience(whole=0.3, lock=0.9, settle=0.4, look_again=LOOK_AGAIN)
"""A hook's: it gives up on any lock within a second."""


class Edit(NamedTuple):
    """A change: the text before and after."""

    old: str
    new: str


class _Late(NamedTuple):
    """A text that another program wrote into the file just replaced by `over`."""

    text: str
    over: str


class SharedText:
    """A shared file."""

    def __init__(
        self, path: Path, root: Path, check: Callable[[str], object], patience: Patience | None = None
    ) -> None:
        """Make the object; nothing is opened.

        Args:
            path: the file, which is never created. A link within `root` stays a link.
            root: the folder that it has to be in, every link resolved.
            check: raises `FormatError` for an incomplete text.
            patience: how long to wait for others; by default, as long as suits interactive use.
        """
        self.path = path
        self._root = root
        self._check = check
        self._given_patience = patience

    def read(self) -> str:
        """The file's text, as soon as it is complete.

        Raises:
            FileMissing: there is no file.
            FileUnreadable: it stays broken.
            FileProblem: it is outside, too large, not a regular file or unreadable.
        """
        started = since = time.monotonic()
        last: Content | None = None
        while True:
            content = load_within(self.path, self._root, limit=LIMIT)
            try:
                return self._whole(content.data)
            except FormatError as error:
                now = time.monotonic()
                if content != last:
                    last, since = content, now
                if now - since > STILL_SECONDS or now - started > self._patience.whole:
                    raise FileUnreadable(self.path, f"is broken: {error}") from error
            time.sleep(_PAUSE * (1 + os.urandom(1)[0]) / 256)

    def edit(self, change: Callable[[str], str], holds: Callable[[str], bool]) -> Edit:
        """Apply `change` to the text until it `holds`. The lock is held only while writing.

        Args:
            change: makes the new text from the old one; may be called several times, and may raise.
            holds: whether a text has the change.

        Returns:
            The last write that changed anything: at the end another program may itself have written a text
            that has the change in it.

        Raises:
            FileLocked: another program holds the lock, or writes over the change all the time.
            FileProblem: see `read`; or the system refuses to write.
        """
        deadline = time.monotonic() + self._patience.settle
        late: _Late | None = None
        made: Edit | None = None
        for number in count():
            edit, aside = self._write(change, late, durable=number < _CAREFUL_TRIES)
            if edit is not None:
                if made is None or edit.old != edit.new:
                    made = edit
                with aside:
                    settled, late = self._watch(edit, aside, holds)
                if settled:
                    return made
            if time.monotonic() > deadline:
                break
        raise FileLocked(self.path, "is being overwritten by another program; try again in a moment")

    @property
    def _patience(self) -> Patience:
        return self._given_patience or Patience(BUSY_SECONDS, LOCK_SECONDS, SETTLE_SECONDS, LOOK_AGAIN)

    def _write(
        self, change: Callable[[str], str], late: _Late | None, *, durable: bool
    ) -> tuple[Edit | None, Replaced]:
        target = self._target()
        lockable = resolved(self.path.parent) / self.path.name
        root = resolved(self._root)
        with lock_file(lockable, timeout=self._patience.lock, within=root):
            now = self.read()
            old = late.text if late is not None and late.over == now else now
            new = change(old)
            if new == now:
                return Edit(old, new), Replaced(target)
            try:
                aside = replace_expected(
                    target, new.encode(), expected=now.encode(), within=root, durable=durable
                )
            except FileChanged:
                return None, Replaced(target)
            return Edit(old, new), aside

    def _watch(self, edit: Edit, aside: Replaced, holds: Callable[[str], bool]) -> tuple[bool, _Late | None]:
        for pause in self._patience.look_again:
            text = self._text(aside.settled((pause,), self._is_whole))
            if text is not None:
                return False, _Late(text, edit.new)
            if not holds(self.read()):
                return False, None
        return True, None

    def _text(self, data: bytes | None) -> str | None:
        return self._whole(data) if data is not None and self._is_whole(data) else None

    def _is_whole(self, data: bytes) -> bool:
        try:
            self._whole(data)
        except FormatError:
            return False
        return True

    def _whole(self, data: bytes) -> str:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise FormatError("it is not valid UTF-8") from error
        self._check(text)
        return text

    def _target(self) -> Path:
        """The file itself, when its path leads through links of the project."""
        with reading(self.path):
            self.path.stat()
        target = resolved(self.path)
        if not target.is_relative_to(resolved(self._root)):
            raise FileOutside(self.path, "leads out of the project through a symbolic link")
        return target
