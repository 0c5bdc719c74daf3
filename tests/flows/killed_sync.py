"""A sync that is killed or refused at any point: what it is to do, and what has to be true afterwards."""

from __future__ import annotations

from pathlib import Path

from memtui.flows import syncing
from memtui.ground.files.atomic import is_temp_name
from memtui.share.remote import Outgoing, Remote
from memtui.store.base import New
from memtui.store.memory_files import FilesBackend
from tests.disk import age
from tests.flows.machines import Machine
from tests.share.contract import Opener, everything
from tests.share.records import outgoing, record

_TEXTS = [b"newer", b"one", b"theirs 1"]
_RECORDS = 5
"""Three of others, and a text and marks of this machine."""


def theirs() -> list[Outgoing]:
    """Records of another machine."""
    return [outgoing(record(number, b"theirs %d" % number)) for number in range(2)]


def machine(place: Path, remote: Opener) -> Machine:
    """The machine in a folder, which is made where it is missing. It sets how all remotes are opened."""
    made = Machine(place, "desk", known=(place / "desk").exists())
    vars(syncing)["open_remote"] = lambda *_: remote("desk")
    return made


def begin(place: Path, remote: Opener) -> None:
    """Make a machine with a shared memory, changed and not sent yet, and news that wait for it."""
    other: Remote = remote("laptop-1a2b")
    other.set_up()
    other.put(theirs()[:1])
    desk = machine(place, remote)
    desk.sync()
    desk.store.update(desk.share(b"one"), tags=("new",))
    other.put([*theirs(), outgoing(record(0, b"newer", at=record(9).at))])


def check(place: Path, remote: Opener) -> None:
    """Sync once more: everything has to be there, once, and nothing else."""
    age(place / "desk")
    desk = machine(place, remote)
    done = desk.sync()
    assert not done.notes, done.notes
    assert sorted(desk.texts().values()) == _TEXTS, desk.texts()
    assert len(everything(remote("other"))) == _RECORDS, sorted(everything(remote("other")))
    again = desk.sync()
    assert (again.sent, again.received, again.memories) == (0, 0, 0), again
    if _left(place):
        _work(desk)
        assert not _left(place), _left(place)


def _left(place: Path) -> list[Path]:
    """Leftovers of killed processes."""
    return [path for path in (place / "desk").rglob("*.tmp") if is_temp_name(path.name)]


def _work(desk: Machine) -> None:
    """A later change: it removes what a killed process has left."""
    store = FilesBackend(desk.home, desk.clock)
    store.update(store.create(New(b"later")).id, tags=("later",))
