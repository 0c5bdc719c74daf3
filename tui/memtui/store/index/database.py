"""Sharing the index's file among threads and processes: the write lock, and checks for damage.

SQLite notices damage only in pages it happens to read, and otherwise gives wrong answers silently. So the
size and time of the file are noted next to it after each change. If the file differs from the note while it
is not being written, something else changed it, or a process was killed: it is rebuilt.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from memtui.ground.files import FileLocked, FileProblem, existing_above, lock, private_folder
from memtui.ground.files.safe import signature_of
from memtui.store.index import schema
from memtui.store.index.schema import IndexBroken, IndexUnavailable, index_error

T = TypeVar("T")


class Database:
    """The index's file, with one connection per thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mark = path.with_name(f"{path.name}.mark")
        self._local = threading.local()

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a read-only function.

        Raises:
            IndexUnavailable: the index cannot be used now.
            IndexBroken: it has to be rebuilt.
        """
        connection = self._connection()
        try:
            with _ending(connection):
                return work(connection)
        except sqlite3.Error as error:
            raise index_error(error) from error
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            if schema.is_sound(connection):
                raise  # a programming error: the data is fine
            raise IndexBroken(str(error)) from error

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function that changes the index; within `locked` only. Raises as `read` does."""

        def work_whole(connection: sqlite3.Connection) -> T:
            done = work(connection)
            # Closing the last connection would move the write-ahead log into the file and change it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return done

        result = self.read(work_whole)
        self._note()
        return result

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock for writing.

        Raises:
            IndexUnavailable: another process or thread holds it, or nothing can be written.
        """
        try:
            private_folder(self.path.parent, within=existing_above(self.path.parent))
            with lock(self.path, timeout=0):
                self._local.locked = True
                try:
                    yield
                finally:
                    self._local.locked = False
        except FileProblem as problem:
            raise IndexUnavailable(str(problem)) from problem

    def update(self, work: Callable[[], bool]) -> bool:
        """Run a function that reads and writes, after making the index if it is missing or broken.

        Returns:
            What the function returns; False if another process is writing, or nothing can be written.
        """
        try:
            with self.locked():
                for _ in range(2):
                    try:
                        return work()
                    except IndexBroken:
                        pass
                    except IndexUnavailable:
                        if self.path.exists():  # locked, or not writable
                            raise
                    self.create()
        except IndexUnavailable:
            pass
        return False

    def create(self) -> None:
        """Replace it by an empty one; within `locked` only.

        Raises:
            IndexUnavailable: it cannot be written.
        """
        self._close()
        schema.create(self.path)
        self._note()

    def delete(self) -> None:
        """Delete it; within `locked` only.

        Raises:
            OSError: it cannot be deleted.
        """
        self._close()
        schema.remove(self.path)
        self._mark.unlink(missing_ok=True)

    @property
    def inode(self) -> int:
        """The inode of this thread's open file; a rebuilt index has another."""
        return int(self._local.inode)

    def _note(self) -> None:
        with suppress(OSError):
            signature = signature_of(self.path.stat())
            self._mark.touch(0o600)
            self._mark.write_text(repr(signature))
            self._local.signature = signature

    def _connection(self) -> sqlite3.Connection:
        signature = self._checked()
        known: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if known is not None and self._local.inode == signature[2]:
            return known
        self._close()
        self._local.connection = schema.connect(self.path)
        self._local.inode = signature[2]
        return self._local.connection  # type: ignore[no-any-return]

    def _checked(self) -> tuple[int, int, int]:
        """The signature of the file, after the checks."""
        signature = self._signature()
        if getattr(self._local, "signature", None) == signature:
            return signature
        if not self._is_noted(signature):
            if getattr(self._local, "locked", False):
                raise IndexBroken("changed by something else")
            try:
                with lock(self.path, timeout=0):  # it is not being written
                    signature = self._signature()
                    if not self._is_noted(signature):
                        raise IndexBroken("changed by something else")
            except FileLocked:  # it is being written
                return signature
            except FileProblem as problem:
                raise IndexUnavailable(str(problem)) from problem
        self._local.signature = signature
        return signature

    def _signature(self) -> tuple[int, int, int]:
        try:
            return signature_of(self.path.stat())
        except (OSError, ValueError) as error:
            raise IndexUnavailable(str(error)) from error

    def _is_noted(self, signature: tuple[int, int, int]) -> bool:
        try:
            return self._mark.read_text() == repr(signature)
        except (OSError, ValueError):
            return False

    def _close(self) -> None:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            self._local.connection = None
            with suppress(sqlite3.Error):
                connection.close()


@contextmanager
def _ending(connection: sqlite3.Connection) -> Iterator[None]:
    """End a read transaction."""
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
