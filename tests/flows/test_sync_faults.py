"""Syncs that are killed or refused at any point: nothing is lost or doubled, and the next completes."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memtui.flows import syncing
from memtui.ground.files import FileLocked, FileProblem
from memtui.ground.files.locks import lock
from memtui.share.remote import Batch, Outgoing, Remote, RemoteProblemError
from memtui.share.replica import Replica
from tests import faults
from tests.flows.killed_sync import begin, check, machine, theirs
from tests.flows.machines import Machine
from tests.share.contract import Opener
from tests.share.memory_remote import MemoryRemote
from tests.share.records import outgoing, record


class FileRemote(Remote):
    """A remote in one file, which outlives its process; before and after each use it touches a disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[list[str]]:
        return json.loads(self.path.read_text()) if self.path.exists() else []

    def check(self) -> str:
        return ""

    def set_up(self) -> None:
        return

    def put(self, records: Sequence[Outgoing]) -> None:
        try:
            self._put(records)
        except OSError as error:
            raise RemoteProblemError("file", "cannot be written") from error

    def _put(self, records: Sequence[Outgoing]) -> None:
        _touch(self.path)
        known = {row[0] for row in self.rows()}
        new = [[each.name, each.project, each.data.hex()] for each in records if each.name not in known]
        aside = self.path.with_suffix(".new")
        aside.write_text(json.dumps([*self.rows(), *new]))
        aside.rename(self.path)
        _touch(self.path)

    def erase(self, key: str, tombstone: Outgoing) -> str:
        raise NotImplementedError

    def since(self, place: str, projects: Sequence[str] = ()) -> Iterator[Batch]:
        try:
            rows = self.rows()
        except OSError as error:
            raise RemoteProblemError("file", "cannot be read") from error
        for number in range(int(place or 0), len(rows)):  # each a batch of its own
            name, _, data = rows[number]
            _touch(self.path)
            yield Batch(str(number + 1), ((name, bytes.fromhex(data)),))


def _touch(path: Path) -> None:
    """A change on a disk that a kill may follow."""
    with suppress(FileNotFoundError):
        os.utime(path)


def _marked(name: str) -> None:
    """Let a kill fall before and after a method of the replica, whose own writes SQLite makes whole."""
    real: Any = getattr(Replica, name)

    def method(self: Replica, *arguments: Any, **options: Any) -> Any:
        _touch(self._db.path)
        done = real(self, *arguments, **options)
        _touch(self._db.path)
        return done

    setattr(Replica, name, method)


def _remote(place: Path) -> Opener:
    return lambda _: FileRemote(place / "remote.json")


class _Again:
    """The same machine in the same folder again and again: it is made once, and copied from then on."""

    def __init__(self, base: Path) -> None:
        self._place, self._made = base / "x", base / "made"
        self._place.mkdir(parents=True)
        begin(self._place, _remote(self._place))
        shutil.copytree(self._place, self._made)

    def make(self, number: int) -> Path:
        """The machine as it was at first."""
        shutil.rmtree(self._place)
        return Path(shutil.copytree(self._made, self._place))


def _sync(place: Path) -> None:
    machine(place, _remote(place)).sync()


def _check(place: Path) -> None:
    check(place, _remote(place))


def test_a_sync_may_be_killed_at_any_point(tmp_path: Path) -> None:
    assert faults.run_sweep(_sweep, tmp_path) > 30


def _sweep(base: Path) -> int:
    for name in ("add_batch", "mark_sent", "add", "store_results"):
        _marked(name)
    return faults.kill_sweep(_Again(base).make, _sync, _check)


def test_a_full_disk_at_any_call_leaves_the_rest_to_the_next_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(syncing), "open_remote", None)  # what `machine` sets is taken back
    number, again = 0, _Again(tmp_path)
    while True:
        place, number = again.make(number), number + 17
        with suppress(FileProblem), faults.watched(faults.failing(number, errno.ENOSPC)) as log:
            _sync(place)
        _check(place)
        if len(log) < number:
            break
    assert number > 50


def test_a_second_sync_meanwhile_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(syncing), "open_remote", None)
    remote = _remote(tmp_path)
    begin(tmp_path, remote)
    desk = machine(tmp_path, remote)
    with lock(desk.sharing._path), pytest.raises(FileLocked, match="is held by another process"):
        desk.sync()
    check(tmp_path, remote)


class _ReadOnly(MemoryRemote):
    def put(self, records: Sequence[Outgoing]) -> None:
        raise RemoteProblemError("team", "cannot be used: permission denied")


def test_without_write_access_reading_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = _ReadOnly()
    remote.rows = {each.name: each for each in theirs()}
    monkeypatch.setattr(syncing, "open_remote", lambda *_: remote)
    desk = Machine(tmp_path, "desk")
    desk.share(b"mine")
    with pytest.raises(RemoteProblemError, match="permission denied"):
        desk.sync()
    assert sorted(desk.texts().values()) == [b"mine", b"theirs 0", b"theirs 1"]


def test_after_many_problems_the_rest_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = MemoryRemote()
    monkeypatch.setattr(os, "sync", lambda: None)
    made = [outgoing(record(number)) for number in range(40)]
    remote.rows = {each.name: each for each in made}
    monkeypatch.setattr(syncing, "open_remote", lambda *_: remote)
    desk = Machine(tmp_path, "desk")
    with monkeypatch.context() as patch:
        patch.setattr("memtui.store.memory_batch.write_temp", _full)
        done = desk.sync()
    assert len(done.notes) == 21
    assert desk.sync().memories == 40


def _full(*_: object, **__: object) -> str:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
