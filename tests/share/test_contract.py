"""The contract of all remotes, git's and PostgreSQL's alike, and the document."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.ground.text import FormatError
from memtui.share import contract
from memtui.share.contract import Document, Remote, RemoteProblemError
from memtui.share.git import GitRemote
from memtui.share.postgres import PostgresRemote
from tests.share.machines import documents

Opener = Callable[[str], Remote]
"""Opens the remote as a machine of this name."""
NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
KEY, OTHER = "CMEM-20260102-000001@laptop-1a2b", "CMEM-20260102-000002@desk-9f"


def document(version: int = 1, body: bytes = b"one", **values: object) -> tuple[int, bytes]:
    made = Document.model_validate({"version": version, "at": NOW, "created": NOW, "body": body, **values})
    return version, made.render()


@pytest.fixture(params=["git", "postgres"])
def machines(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    if request.param == "postgres":
        database = request.getfixturevalue("database")
        return lambda _: PostgresRemote(database)
    hub = request.getfixturevalue("hub")
    return lambda name: GitRemote(str(hub), tmp_path / f"{name}.git", author="ann", machine=name)


@pytest.fixture
def laptop(machines: Opener) -> Remote:
    remote = machines("laptop")
    remote.set_up()
    remote.heads()
    return remote


@pytest.fixture
def desk(laptop: Remote, machines: Opener) -> Remote:
    return machines("desk")


def test_one_that_is_not_set_up_says_so(machines: Opener) -> None:
    for use in (machines("desk").check, machines("desk").heads):
        with pytest.raises(RemoteProblemError, match="memtui remote init"):
            use()


def test_setting_up_again_changes_nothing(laptop: Remote, desk: Remote) -> None:
    laptop.write({KEY: document()})
    desk.set_up()
    assert desk.check().partition(",")[0] == "1 memory"


def test_what_one_machine_writes_another_reads_byte_for_byte(laptop: Remote, desk: Remote) -> None:
    bodies = [b"", b"a\r\n\xff\0---\n", "購物車".encode()]
    sent = {f"CMEM-20260102-00000{number}@laptop": document(1, body) for number, body in enumerate(bodies)}
    assert set(laptop.write(sent)) == set(sent)
    heads = desk.heads()
    assert {key: head.digest for key, head in heads.items()} == {
        key: desk.digest(data) for key, (_, data) in sent.items()
    }
    assert dict(desk.read(heads)) == {key: data for key, (_, data) in sent.items()}


def test_who_was_not_first_writes_nothing(laptop: Remote, desk: Remote) -> None:
    desk.heads()
    assert set(laptop.write({KEY: document()})) == {KEY}
    assert not desk.write({KEY: document(1, b"two")})
    assert documents(desk)[KEY].body == b"one"
    assert set(desk.write({KEY: document(2, b"two")})) == {KEY}
    assert [Document.parse(each).body for each in laptop.history(KEY)] == [b"one", b"two"]
    assert documents(laptop)[KEY].body == b"two"


def test_a_line_holds_every_version_it_has_had(laptop: Remote) -> None:
    first, second = document(), document(2, b"two")
    laptop.write({KEY: first, OTHER: first})
    laptop.write({KEY: second})
    digest = laptop.digest
    assert laptop.holds({KEY: digest(first[1]), OTHER: digest(b"never")}) == {KEY}
    assert laptop.holds({KEY: digest(second[1])}) == {KEY}
    assert laptop.holds({}) == set()


def test_machines_that_write_at_the_same_time_lose_nothing(laptop: Remote, machines: Opener) -> None:
    def add(number: int) -> None:
        remote = machines(f"m{number}")
        for step in range(2):
            key = f"CMEM-20260102-0000{number}{step}@m{number}"
            for _ in range(50):
                remote.heads()
                if remote.write({key: document()}):
                    return

    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(add, number) for number in range(3)]:
            done.result(120)
    assert len(laptop.heads()) == 3


def test_a_forgotten_memory_leaves_its_tombstone_alone(laptop: Remote, desk: Remote) -> None:
    laptop.write({KEY: document(), OTHER: document()})
    laptop.write({KEY: document(2, b"two")})
    desk.heads()
    gone = document(3, b"", deleted=True, forgotten=True)
    assert desk.forget(KEY, gone)
    found = documents(laptop)
    assert (found[KEY].forgotten, found[KEY].body) == (True, b"")
    assert found[OTHER].body == b"one"


def test_portions_and_what_is_too_large(laptop: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [f"CMEM-20260102-00000{number}@laptop" for number in range(4)]
    laptop.write({key: document(1, b"x" * (number * 100)) for number, key in enumerate(keys)})
    size = laptop.heads()[keys[2]].size
    monkeypatch.setattr(contract, "_PORTION", size)
    monkeypatch.setattr(contract, "LIMIT", size)
    assert [key for key, _ in laptop.read(laptop.heads())] == keys[:3]


def test_waiting_ends_when_something_is_new_or_when_it_is_stopped(machines: Opener, laptop: Remote) -> None:
    stopped = threading.Event()
    stopped.set()
    started = time.monotonic()
    laptop.wait(60, stopped)
    if isinstance(laptop, PostgresRemote):
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(laptop.wait, 60, threading.Event())
            desk = machines("desk")
            desk.heads()
            desk.write({KEY: document()})
            waiting.result(30)
        laptop.wait(60, threading.Event())  # added since `heads`, before LISTEN
    assert time.monotonic() - started < 40


_TEXTS = st.text(max_size=30)


@given(
    _TEXTS, _TEXTS, st.lists(_TEXTS, max_size=3), st.binary(max_size=50), st.booleans(), st.integers(1, 10**9)
)
def test_every_document_is_read_as_it_was_written(
    author: str, description: str, tags: list[str], body: bytes, deleted: bool, version: int
) -> None:
    made = Document(
        version=version, author=author, at=NOW, created=NOW, description=description, tags=tuple(tags),
        deleted=deleted, body=body,
    )  # fmt: skip
    assert Document.parse(made.render()) == made


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_an_error(data: bytes) -> None:
    for each in (data, b"---\n" + data + b"\n---\n", b"---\nversion: v1\n" + data + b"\n---\n"):
        try:
            Document.parse(each)
        except FormatError:
            continue


@pytest.mark.parametrize(
    "head", ["version: v0", "version: v99999999999999999999", "version: x", "version: v1\nat: never", "{", ""]
)
def test_a_document_without_a_proper_head_is_refused(head: str) -> None:
    with pytest.raises(FormatError):
        Document.parse(f"---\n{head}\n---\nbody".encode())
