"""Mutation testing: changes one thing in a module, runs its tests, and names what they did not notice.

    python benchmarks/mutants.py [--most N] [--tests FILE ...] tui/memtui/formats/capture.py ...

Every mutant runs in a fork of a process that has imported the libraries, but nothing of memtui. Without
`--tests`, a module is tested by the test file of its name, else by the tests of its package. The same N of a
module's mutants are taken each time. Survivors that mean the same as the original are for a person to find.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
LIBRARIES = ("pytest", "hypothesis", "pydantic", "yaml", "click", "rich.console", "textual.widgets", "mcp")
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or,
    ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    path: Path
    line: int
    change: str
    tree: ast.Module

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.change}"


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a source file, in the order of its lines."""
    tree = ast.parse(path.read_text("utf-8"))
    found = []
    for place, node in enumerate(ast.walk(tree)):
        for way in range(_ways(node)):
            copy = deepcopy(tree)
            changed = next(each for number, each in enumerate(ast.walk(copy)) if number == place)
            before = ast.unparse(node)
            _change(changed, way)
            line = getattr(node, "lineno", 0)
            found.append(Mutant(path, line, f"{before[:90]} -> {ast.unparse(changed)[:90]}", copy))
    return sorted(found, key=lambda mutant: mutant.line)


def _ways(node: ast.AST) -> int:
    """In how many ways a node can be changed."""
    if isinstance(node, ast.Compare):
        return sum(type(operator) in _SWAPPED for operator in node.ops)
    if isinstance(node, ast.Constant):
        return int(isinstance(node.value, (bool, int)))
    if isinstance(node, ast.Return):
        return int(node.value is not None and not isinstance(node.value, ast.Constant))
    if isinstance(node, ast.Expr):
        return int(isinstance(node.value, ast.Call))
    if isinstance(node, (ast.BoolOp, ast.BinOp)):
        return int(type(node.op) in _SWAPPED)
    return int(isinstance(node, (ast.If, ast.IfExp)))


def _change(node: ast.AST, way: int) -> None:
    if isinstance(node, ast.Compare):
        node.ops[way] = _SWAPPED[type(node.ops[way])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else int(str(node.value)) + 1
    elif isinstance(node, (ast.Return, ast.Expr)):
        node.value = ast.Constant(None)
    elif isinstance(node, (ast.BoolOp, ast.BinOp)):
        node.op = _SWAPPED[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, (ast.If, ast.IfExp)):
        node.test = ast.UnaryOp(ast.Not(), node.test)


class _Mutated(MetaPathFinder, Loader):
    """Imports one module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        self._tree = ast.fix_missing_locations(mutant.tree)
        self._path = str(mutant.path)
        self._name = ".".join(mutant.path.relative_to(ROOT / "tui").with_suffix("").parts)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_loader(fullname, self, origin=self._path) if fullname == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._path
        exec(compile(self._tree, self._path, "exec"), module.__dict__)


def passes(tests: Sequence[str], mutant: Mutant | None, seconds: float) -> bool:
    """Whether the tests pass, in a process of their own, with a mutant or without; False when it hangs."""
    sys.stdout.flush()
    child = os.fork()
    if not child:  # pragma: no cover - another process
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        if mutant is not None:
            sys.meta_path.insert(0, _Mutated(mutant))
        import pytest

        os._exit(pytest.main(["-n0", "-x", "-p", "no:randomly", "-o", "filterwarnings=", *tests]))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def tests_of(path: Path) -> list[str]:
    """The tests of a module."""
    package = ROOT / "tests" / path.relative_to(ROOT / "tui" / "memtui").parent
    own = package / f"test_{path.stem}.py"
    return [str(own if own.exists() else package)]


def survivors(path: Path, tests: Sequence[str], most: int) -> Iterator[Mutant]:
    """The mutants of a module that its tests do not notice; says how many there are."""
    started = time.monotonic()
    if not passes(tests, None, 600):
        sys.exit(f"{' '.join(tests)}: fails without a mutant")
    limit = 10 + 3 * (time.monotonic() - started)
    mutants = mutants_of(path)
    chosen = sorted(random.Random(0).sample(range(len(mutants)), min(most, len(mutants))))
    print(f"{path.relative_to(ROOT)}: {len(chosen)} of {len(mutants)} mutants", flush=True)
    for number in chosen:
        if passes(tests, mutants[number], limit):
            yield mutants[number]


def main() -> None:
    """Print the survivors of the modules that are named."""
    parser = argparse.ArgumentParser(description="Name changes of a module that its tests do not notice.")
    parser.add_argument("modules", nargs="+", type=Path, help="source files below tui/memtui")
    parser.add_argument("--most", type=int, default=40, help="mutants of each module")
    parser.add_argument("--tests", nargs="*", default=[], help="what to run instead of its own tests")
    options = parser.parse_args()
    modules = [module.resolve() for module in options.modules]
    os.chdir(ROOT)
    for library in LIBRARIES:
        import_module(library)
    for module in modules:
        for mutant in survivors(module, options.tests or tests_of(module), options.most):
            print(f"  survived: {mutant}", flush=True)


if __name__ == "__main__":
    main()
