"""Mutation testing: changes one thing in a module, runs its tests, and names the changes they did not notice.

    python benchmarks/mutants.py [--most N] [--tests FILE ...] tui/memtui/formats/capture.py ...
    python benchmarks/mutants.py tui/memtui/formats/capture.py:84      the changes of one line

The tests are those of the modules' packages, unless `--tests` names others. They are collected once, and
run once to see which lines each of them executes. Then every mutant gets a fork of that process, in which the
code of the changed function is exchanged, and only the tests that execute the changed statement run, the
quickest first, until one fails, often in 0.04 s. A change that has its effect at import (a default, a field)
is tried in a process that has imported nothing of memtui yet; a function that runs at import keeps what it
made then. Programs that tests start run without the change. The same N of a module are tried each time.
`MEMTUI_EXAMPLES=10` makes survivors, which run all of their tests, quicker. Whether a survivor means the same
as the original is for a person to find.
"""

from __future__ import annotations

import argparse
import ast
import gc
import math
import os
import pickle
import pkgutil
import random
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest

from mutations import ROOT, Mutant, mutants_of

LIBRARIES = ("hypothesis", "pydantic", "yaml", "click", "rich.console", "textual.widgets", "mcp")
OPTIONS = ("-n0", "-s", "--tb=no", "--disable-warnings", "-p", "no:randomly", "-o", "filterwarnings=")
_DAY = 24 * 3600
_MEMORY = 4 << 30
"""Memory limit of a changed program."""


@dataclass(frozen=True)
class Limits:
    """Limits of a fork."""

    processor: float
    """Seconds of processor time, however busy the machine is: a loop without end takes no longer."""
    seconds: float

    def apply(self) -> None:
        """Limit this process, and let nothing be read from it or seen of it."""
        limit = math.ceil(self.processor)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)


Line = tuple[str, int]
"""A line of a file."""


@dataclass(frozen=True)
class Run:
    """One test without a change: the seconds of processor time, the lines it executes, whether it fails."""

    seconds: float
    lines: frozenset[Line]
    failed: bool


class _Mutated(MetaPathFinder, Loader):
    """Imports one module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = name_of(mutant.path)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        return spec_from_loader(fullname, self, origin=str(self._mutant.path))

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self._mutant.path)
        exec(compiled(self._mutant), module.__dict__)


def name_of(path: Path) -> str:
    """The name of the module in a source file."""
    return ".".join(path.relative_to(ROOT / "tui").with_suffix("").parts)


def compiled(mutant: Mutant) -> CodeType:
    """The code of the changed module."""
    return compile(mutant.tree(), str(mutant.path), "exec")


def _functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _functions(constant)


def exchange(mutant: Mutant, functions: Sequence[FunctionType]) -> bool:
    """Give the functions of an imported module the changed code; False if one of them cannot take it."""
    changed = {(code.co_qualname, code.co_firstlineno): code for code in _functions(compiled(mutant))}
    for function in functions:
        new = changed[function.__code__.co_qualname, function.__code__.co_firstlineno]
        if new.co_freevars != function.__code__.co_freevars:
            return False
        function.__code__ = new
    return True


def functions_in(paths: Iterable[Path]) -> dict[Path, list[FunctionType]]:
    """The functions that there are now, by their source files."""
    gc.unfreeze()  # tests/conftest.py has frozen them
    found: dict[Path, list[FunctionType]] = {path: [] for path in paths}
    for each in gc.get_objects():
        if type(each) is FunctionType and (path := Path(each.__code__.co_filename)) in found:
            found[path].append(each)
    gc.freeze()  # what forks do not touch need not be copied
    return found


def rebind(mutant: Mutant) -> bool:
    """Evaluate the changed constant of an imported module anew; False if it is no constant."""
    module = sys.modules[name_of(mutant.path)]
    for statement in mutant.tree().body:
        if statement.lineno == mutant.first and isinstance(statement, (ast.Assign, ast.AnnAssign)):
            before = dict(vars(module))
            exec(compile(ast.Module([statement], []), str(mutant.path), "exec"), vars(module))
            changed = {name: new for name, new in vars(module).items() if before.get(name) is not new}
            for other in list(sys.modules.values()):
                for name in changed.keys() & vars(other).keys():
                    if vars(other)[name] is before.get(name):
                        setattr(other, name, changed[name])
            return True
    return False


def in_fork(do: Callable[[], object], limits: Limits | None = None) -> Any:
    """The result of a function in a fork of this process; None when it took too long or died.

    Unless it is limited, it may also print.
    """
    sys.stdout.flush()
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:  # pragma: no cover - another process
        os.setsid()
        if limits is not None:
            limits.apply()
        try:
            answer = pickle.dumps(do())
            while answer:
                answer = answer[os.write(theirs, answer) :]
        finally:
            os._exit(0)
    os.close(theirs)
    answer, end = b"", time.monotonic() + (limits.seconds if limits else _DAY)
    while select.select([ours], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(ours, 1 << 16)
        if not part:
            break
        answer += part
    os.close(ours)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with suppress(EOFError, pickle.UnpicklingError):
        return pickle.loads(answer)
    return None


def following_each(items: Sequence[pytest.Item]) -> Iterable[tuple[pytest.Item, pytest.Item | None]]:
    """Each test with the one after it."""
    return zip_longest(items, items[1:])


def tracing(lines: set[Line], paths: frozenset[str]) -> Callable[[FrameType, str, Any], Any]:
    """A function for `sys.settrace` that notes the lines of some files that are executed."""

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        return within if frame.f_code.co_filename in paths else None

    def within(frame: FrameType, event: str, _: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return within

    return enter


def lines_at_import(paths: Collection[Path]) -> frozenset[Line]:
    """The lines of some modules that are executed when they are imported."""
    lines: set[Line] = set()
    sys.settrace(tracing(lines, frozenset(map(str, paths))))
    for path in paths:
        import_module(name_of(path))
    return frozenset(lines)


def traced(session: pytest.Session, paths: Collection[Path]) -> dict[str, Run]:
    """Run all tests without a change; by their ids."""
    lines: set[Line] = set()
    enter = tracing(lines, frozenset(map(str, paths)))
    threading.settrace(enter)
    runs = {}
    for item, following in following_each(session.items):
        lines.clear()
        sys.settrace(enter)  # for each: a test that recurses too deeply ends it
        failures, began = session.testsfailed, time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds = time.process_time() - began
        runs[item.nodeid] = Run(seconds, frozenset(lines), session.testsfailed > failures)
    return runs


def exchanged(
    session: pytest.Session, mutant: Mutant, functions: Sequence[FunctionType], items: Sequence[pytest.Item]
) -> str:
    """Change what is imported, and run tests until one fails: "passed", "failed" or "impossible"."""
    if not (exchange(mutant, functions) if mutant.in_function else rebind(mutant)):
        return "impossible"
    try:
        for item, following in following_each(items):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return "failed"
    finally:
        session._setupstate.teardown_exact(None)  # servers that tests share
    return "passed"


def imported(mutant: Mutant, tests: Sequence[str]) -> str:
    """Import the changed module before anything else of memtui, and run tests: "passed" or "failed"."""
    sys.meta_path.insert(0, _Mutated(mutant))
    pkgutil.walk_packages = lambda *_: []  # type: ignore[assignment] # tests/conftest.py need not import everything
    return "failed" if pytest.main([*OPTIONS, "-x", *tests]) else "passed"


class Mutating:
    """A plugin that runs the tests against mutants."""

    def __init__(self, modules: Mapping[Path, Sequence[Mutant]], at_import: frozenset[Line]) -> None:
        self.cold: list[tuple[Mutant, list[str]]] = []
        """The mutants that have to be imported, with the tests to run."""
        self._modules = modules
        self._at_import = at_import
        self._runs: dict[str, Run] = {}
        self._not_run: set[int] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run them instead of once."""
        if session.testsfailed:
            return True
        functions = functions_in(self._modules)
        self._runs = in_fork(lambda: traced(session, self._modules), Limits(_DAY, _DAY))
        for name, run in self._runs.items():
            if run.failed:
                print(f"left out, as it fails without a change: {name}", flush=True)
        for path, mutants in self._modules.items():
            began = time.monotonic()
            for mutant in mutants:
                self._try(session, mutant, functions[path])
            lines = sorted(self._not_run)
            if lines:
                print(f"  no test runs the lines {', '.join(map(str, lines))}", flush=True)
            self._not_run.clear()
            taken = time.monotonic() - began
            print(f"{path.relative_to(ROOT)}: {len(mutants)} mutants in {taken:.0f} s", flush=True)
        return True

    def _try(self, session: pytest.Session, mutant: Mutant, functions: Sequence[FunctionType]) -> None:
        early = not mutant.in_function or not self._at_import.isdisjoint(places_of(mutant))
        items = self._items(session, mutant, early)
        if not items:
            self._not_run.add(mutant.line)
            return
        seconds = sum(self._runs[item.nodeid].seconds for item in items)
        limits = Limits(2 + 3 * seconds, 60 + 10 * seconds)
        answer = in_fork(lambda: exchanged(session, mutant, functions, items), limits)
        if answer == "impossible" or (answer == "passed" and early):
            self.cold.append((mutant, [item.nodeid for item in items]))
        elif answer == "passed":
            survived(mutant, f"{len(items)} tests")

    def _items(self, session: pytest.Session, mutant: Mutant, early: bool) -> list[pytest.Item]:
        """The tests that execute the changed statement, or anything of its module; the quickest first."""
        runs, path, places = self._runs, str(mutant.path), places_of(mutant)
        found = [
            item
            for item in session.items
            if not runs[item.nodeid].failed
            and any(place in places or (early and place[0] == path) for place in runs[item.nodeid].lines)
        ]
        return sorted(found, key=lambda item: runs[item.nodeid].seconds)


def places_of(mutant: Mutant) -> set[Line]:
    """The lines of the changed statement."""
    return {(str(mutant.path), line) for line in range(mutant.first, mutant.last + 1)}


def run(plugin: Mutating, tests: Sequence[str]) -> list[tuple[Mutant, list[str]]]:
    """Print the survivors; the mutants that have to be imported, with their tests."""
    pytest.main([*OPTIONS, *tests], plugins=[plugin])
    return plugin.cold


def survived(mutant: Mutant, tests: str) -> None:
    """Print a survivor."""
    print(f"  survived ({tests}): {mutant}", flush=True)


def chosen(module: str, most: int) -> tuple[Path, list[Mutant]]:
    """The mutants to try of `path` or `path:line`."""
    name, _, line = module.partition(":")
    path = Path(name).resolve()
    mutants = [mutant for mutant in mutants_of(path) if not line or mutant.line == int(line)]
    numbers = sorted(random.Random(0).sample(range(len(mutants)), min(most, len(mutants))))
    return path, [mutants[number] for number in numbers]


def main() -> None:
    """Print the survivors of the modules that are named."""
    parser = argparse.ArgumentParser(description="Name changes of a module that its tests do not notice.")
    parser.add_argument("modules", nargs="+", help="source files below tui/memtui, or file:line")
    parser.add_argument("--most", type=int, default=40, help="mutants of each module")
    parser.add_argument("--tests", nargs="*", default=[], help="what to run instead of the packages' tests")
    options = parser.parse_args()
    modules: dict[Path, list[Mutant]] = {}
    for module in options.modules:
        path, mutants = chosen(module, options.most)
        modules.setdefault(path, []).extend(mutants)
    packages = {path.relative_to(ROOT / "tui" / "memtui").parts[0] for path in modules}
    tests = options.tests or sorted(f"tests/{package}" for package in packages)
    os.chdir(ROOT)
    for library in LIBRARIES:
        import_module(library)
    at_import = in_fork(lambda: lines_at_import(modules))
    cold = in_fork(lambda: run(Mutating(modules, at_import), tests))
    for mutant, names in cold or []:
        if in_fork(partial(imported, mutant, names), Limits(300, 900)) == "passed":
            survived(mutant, f"{len(names)} tests")


if __name__ == "__main__":
    main()
