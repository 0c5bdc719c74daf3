"""The changes that mutation testing makes to a module, each to one node of its tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

_SWAPPED: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or,
    ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip
_NEGATED = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
"""Operators whose swap already is the negation of the whole comparison."""
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    path: Path
    line: int
    change: str
    number: int
    """Of the changed node, in the order of `ast.walk`."""
    way: int
    first: int
    """The line of the changed statement; of one with a body, only the part before it counts."""
    last: int
    in_function: bool
    """Whether the change is in the body of a function, else it has its effect when the module is imported."""

    def tree(self) -> ast.Module:
        """The changed module."""
        tree = ast.parse(self.path.read_text("utf-8"))
        _change(next(node for number, node in enumerate(ast.walk(tree)) if number == self.number), self.way)
        return ast.fix_missing_locations(tree)

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.change}"


@dataclass(frozen=True)
class _Place:
    """A node that can be changed: its number in the order of `ast.walk`, and what it is part of."""

    number: int
    node: ast.AST
    statement: ast.stmt
    in_function: bool


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a source file, in the order of its lines."""
    tree = ast.parse(path.read_text("utf-8"))
    found = []
    for place in _places(tree):
        for way in range(_ways(place.node)):
            changed = deepcopy(place.node)
            _change(changed, way)
            change = f"{_short(place.node)} -> {_short(changed)}"
            line = getattr(place.node, "lineno", place.statement.lineno)
            first, last = _lines(place.statement)
            found.append(Mutant(path, line, change, place.number, way, first, last, place.in_function))
    return sorted(found, key=lambda mutant: mutant.line)


def _short(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:90]


def _lines(statement: ast.stmt) -> tuple[int, int]:
    body = getattr(statement, "body", None)
    last = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno
    return statement.lineno, last or statement.lineno


def _places(tree: ast.Module) -> list[_Place]:
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    return [
        _Place(numbers[id(node)], node, statement, inside)
        for node, statement, inside in _nodes(tree, ast.Pass(), False)
    ]


def _nodes(parent: ast.AST, statement: ast.stmt, inside: bool) -> Iterator[tuple[ast.AST, ast.stmt, bool]]:
    """The nodes below one; what is there for the type checker, decorators and `strict=` are left out."""
    for field, value in ast.iter_fields(parent):
        if field in ("decorator_list", "annotation", "returns"):
            continue
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.LShift):
            continue
        if isinstance(parent, ast.keyword) and parent.arg in ("strict", "width"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_for_types(child):
                continue
            own = child if isinstance(child, ast.stmt) else statement
            within = inside or (isinstance(parent, _FUNCTION) and field == "body")
            yield child, own, within
            yield from _nodes(child, own, within)


def _is_for_types(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_size(number: bool | int) -> bool:
    """Whether it is large: one more or less hardly makes a difference."""
    return number >= 1000


def _ways(node: ast.AST) -> int:
    """In how many ways a node can be changed."""
    if isinstance(node, ast.Compare):
        return sum(type(operator) in _SWAPPED for operator in node.ops)
    if isinstance(node, ast.Constant):
        return int(isinstance(node.value, (bool, int)) and not _is_size(node.value))
    if isinstance(node, ast.Return):
        return int(node.value is not None and not isinstance(node.value, ast.Constant))
    if isinstance(node, ast.Expr):
        return int(isinstance(node.value, ast.Call))
    if isinstance(node, (ast.BoolOp, ast.BinOp, ast.AugAssign)):
        return int(type(node.op) in _SWAPPED)
    if isinstance(node, ast.comprehension):
        return len(node.ifs)
    return int(isinstance(node, (ast.If, ast.IfExp)) and not _is_swapped(node.test))


def _is_swapped(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _NEGATED)


def _change(node: Any, way: int) -> None:
    match node:
        case ast.Compare():
            node.ops[way] = _SWAPPED[type(node.ops[way])]()
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int(number)):
            node.value = number + 1
        case ast.Return() | ast.Expr():
            node.value = ast.Constant(None)
        case ast.BoolOp() | ast.BinOp() | ast.AugAssign():
            node.op = _SWAPPED[type(node.op)]()
        case ast.comprehension():
            node.ifs[way] = ast.Constant(True)
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
