"""Isolation of every test from the developer's machine."""

from __future__ import annotations

import gc
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import HealthCheck, Phase, settings

import memtui
from tests import limits, tables
from tests.disk import use_memory, without_flushing

_EXAMPLES = int(os.environ.get("MEMTUI_EXAMPLES", "40"))
"""Number of examples per property; set higher when searching for a fault."""

settings.register_profile(
    "memtui",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.nested_given],  # see tests/examples.py
    max_examples=_EXAMPLES,
    # A failing example is shown as it was found: looking for the smallest one may take minutes.
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("memtui")

# Modules and tests are no garbage; it is looked for again when they have all been collected.
gc.disable()

limits.reset_signals()
use_memory()

# What a test makes has the modes that it has on most machines; the tests about modes set a mask of their own.
os.umask(0o022)

_LEFT = ("PATH", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
"""Variables of the environment that the interpreter and its children need."""
_OF_PLUGINS = ("PYTEST_", "TEXTUAL_SNAPSHOT_", "COV")
_LONGEST_ID = 60


def pytest_configure(config: pytest.Config) -> None:
    limits.keep_stderr()
    _import_tests(config)


def _import_tests(config: pytest.Config) -> None:
    """Import the test files beginning elsewhere in each worker of pytest-xdist.

    All workers import all of them. In one order, they would compile each file of a fresh clone at the same
    moment; like this, one finds compiled what another has compiled before.
    """
    number, count = _place_of(config)
    if not count:
        return
    files = sorted(Path("tests").rglob("test_*.py"))
    first = len(files) * number // count
    for file in files[first:] + files[:first]:
        with suppress(Exception, pytest.skip.Exception):  # collecting imports it again, and reports it
            import_module(".".join(file.with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)  # before Hypothesis asks for them
def pytest_collection_modifyitems(config: pytest.Config) -> None:
    number, count = _place_of(config)
    if count:
        tables.make_some(number, count)


def _place_of(config: pytest.Config) -> tuple[int, int]:
    """Number of this worker of pytest-xdist and of all of them, when they run all tests; otherwise zeros."""
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args != config.getini("testpaths"):
        return 0, 0
    return int(worker["workerid"].removeprefix("gw")), worker["workercount"]


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: tests also wait, for programs that they start."""
    return (os.cpu_count() or 1) + 1


def pytest_make_parametrize_id(val: object) -> str | None:
    """Long texts are named by their beginning: every worker sends the names of all tests several times."""
    if isinstance(val, (str, bytes)) and len(val) > _LONGEST_ID:
        return f"{val[:_LONGEST_ID]!a}...{len(val)}"
    return None


def pytest_collection_finish() -> None:
    """Import all of memtui, now that it is clear that tests run here: pytest-xdist's own process runs none.

    A module first imported while a test has something patched would keep the patch for the tests after it.
    """
    for module in walk_packages(memtui.__path__, "memtui."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    # The developer's variables are kept from all tests at once: `_isolated` has none left to take away.
    for name in set(os.environ) - set(_LEFT):
        if not name.startswith(_OF_PLUGINS):
            del os.environ[name]
    # The collector need not go through all of this again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(400_000, 20, 50)
    gc.enable()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """End the whole process when a test hangs; pytest-xdist reports which one it was and goes on."""
    limits.begin()
    yield
    limits.end()


_numbers: Counter[str] = Counter()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder in the test's home: above that no project is looked for, whatever lies beside pytest's.

    Named as pytest's own fixture does, which looks for a free number among the folders of all tests before.
    It is removed after the test unless that fails: together they would fill hundreds of megabytes.
    """
    failed = request.session.testsfailed
    name = re.sub(r"\W", "_", request.node.name)[:30]
    while True:
        home = tmp_path_factory.getbasetemp() / f"{name}{_numbers[name]}"
        _numbers[name] += 1
        with suppress(FileExistsError):
            home.mkdir(0o700)
            break
    inside = home / "tmp"
    inside.mkdir()
    yield inside
    if request.session.testsfailed == failed:
        _remove(home, inside)


def _remove(home: Path, inside: Path) -> None:
    try:
        os.rmdir(inside)  # noqa: PTH106 - most tests leave nothing
        os.rmdir(home)  # noqa: PTH106
    except OSError:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def _isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test an empty home, a fixed zone and locale, and nothing of the developer's environment.

    Nor does any wait for the disk: whether files are flushed, and when, is seen by the calls.
    """
    without_flushing(monkeypatch.setattr)
    home = str(tmp_path.parent)
    variables = {
        "HOME": home,
        "MEMTUI_HOME": f"{home}/memtui",
        "CLAUDE_CONFIG_DIR": f"{home}/.claude",
        "GIT_CEILING_DIRECTORIES": home,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    for name in os.environ:
        if name not in variables and name not in _LEFT and not name.startswith(_OF_PLUGINS):
            monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    time.tzset()
