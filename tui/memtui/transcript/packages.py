"""Packages that a session added, changed or removed, by its successful commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from memtui.transcript.hidden_failures import hides_outcome
from memtui.transcript.records import Command, Facts, Source
from memtui.transcript.roles import Kind, name_of, role_of
from memtui.transcript.shell import statements
from memtui.transcript.tools import PACKAGE_MANAGERS

_BETWEEN = ("pub", "global", "package")
"""Words between a package manager and its verb, or between the verb and the packages."""
_REMOVE = ("uninstall", "remove", "rm", "un")
_VERBS = re.compile(rf"\b(?:{'|'.join({*_REMOVE, *chain.from_iterable(PACKAGE_MANAGERS.values())})})\b")
"""Cheap pre-filter: most commands have none of these words."""
_VALUE_OPTIONS = """
-r --requirement -c --constraint -e --editable -i --index-url --extra-index-url -t --target --prefix
--registry -C --dir -w --workspace --filter -F --features --group -G --python -p --cwd --source --version
--git --branch --tag --rev --path --channel -n --name --root --index --extra
"""
_TAKES_VALUE = frozenset(_VALUE_OPTIONS.split())
_FOR_DEVELOPMENT = frozenset({"-D", "--save-dev", "--dev", "-d"})
_PACKAGE = re.compile(r"@?[A-Za-z][\w./@:\[\],=<>~^!*+-]*")
_NO_PACKAGE = re.compile(r"package$|\.{0,2}/|.*\.(?:whl|tgz|tar\.gz|txt|toml)$|\.|.*\$|https?:")
_SHELL_END = frozenset({">", ">>", "2>&1", "<", "&", ")", "\\", "2>/dev/null", "||", "|"})
_MANIFEST = "dependencies"


class _Change(NamedTuple):
    """Packages that one part of a command line adds or removes."""

    manager: str
    verb: str
    packages: list[str]
    development: bool

    @property
    def adds(self) -> bool:
        return self.verb not in _REMOVE


def package_changes(facts: Facts) -> dict[str, Source]:
    """One line for each package change, in order, and for each manifest edited by hand."""
    lines = {
        _described(change, command): command.source
        for command in facts.commands
        if command.outcome in ("ok", "background")
        for change in _changes(command.text)
    }
    for file in facts.modified_files:
        if role_of(file.path).text == _MANIFEST and role_of(file.path).kind is Kind.CONFIG:
            how = "created" if file.created else "edited"
            lines[f"{file.path}: {how} by hand; it lists the dependencies"] = file.source
    return lines


def packages_of(command: str) -> list[str]:
    """The packages that a command line adds by name, with their tool: ``requests (pip)``."""
    return [
        f"{package} ({change.manager})"
        for change in _changes(command)
        if change.adds
        for package in change.packages
    ]


def _described(change: _Change, command: Command) -> str:
    names = ", ".join(change.packages)
    how = ", in the background" if command.outcome == "background" else ""
    how = how or (", exit status hidden" if hides_outcome(command.text) else "")
    if not change.adds:
        return f"removed {names} ({change.manager}{how})"
    how = f", for development{how}" if change.development else how
    return f"added {names} ({change.manager} {change.verb}{how})"


def _changes(command: str) -> Iterator[_Change]:
    if not _VERBS.search(command):
        return
    for alternatives in statements(command):
        changes = [list(_changed(parts)) for parts in alternatives]
        # Of `a || b` only one needs to have succeeded, and nothing says which.
        if len({tuple(sorted(name for each in some for name in each.packages)) for some in changes}) == 1:
            yield from changes[0]


def _changed(parts: list[list[str]]) -> Iterator[_Change]:
    for words in parts:
        found = _manager(words)
        if found is None:
            continue
        manager, verb, rest = found
        if packages := _packages(rest):
            yield _Change(manager, verb, packages, bool(_FOR_DEVELOPMENT & set(rest)))


def _manager(words: list[str]) -> tuple[str, str, list[str]] | None:
    """The package manager, its verb and the words after it; None for any other command."""
    if words[:1] and words[0].startswith("python") and words[1:3] == ["-m", "pip"]:
        words = words[2:]
    if words[:2] == ["uv", "pip"]:
        words = words[1:]
    manager = name_of(words[0]) if words else ""
    if manager not in PACKAGE_MANAGERS:
        return None
    plain = [index for index in _plain(words) if words[index] not in _BETWEEN]
    if not plain or words[plain[0]] not in (*PACKAGE_MANAGERS[manager], *_REMOVE):
        return None
    return manager, words[plain[0]], words[plain[0] + 1 :]


def _plain(words: list[str]) -> Iterator[int]:
    """Indices of the arguments, without the program, options and their values."""
    skip = True
    for index, word in enumerate(words):
        if skip or word.startswith("-"):
            skip = word in _TAKES_VALUE and not (skip and index)
        else:
            yield index


def _packages(words: list[str]) -> list[str]:
    named = [""]
    for word in words:
        if word in _SHELL_END or ">" in word[:2]:
            break
        named.append(word.strip("'\""))
    plain = (named[index] for index in _plain(named))
    return [word for word in plain if _PACKAGE.fullmatch(word) and not _NO_PACKAGE.match(word)]
