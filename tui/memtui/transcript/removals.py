"""Files that a shell command evidently deleted, moved, or put back to their last commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtui.transcript.paths import absolute
from memtui.transcript.records import FileFact
from memtui.transcript.roles import name_of
from memtui.transcript.shell import segments

DELETED = "deleted"
THERE = ""
"""A copy was put there."""
_MOVED = "moved to "
PUT_BACK = "put back with git"
"""To its last commit: committed content remains."""

_DELETES = frozenset({"rm", "unlink", "trash", "del", "erase", "remove-item", "ri"})
_MOVES = frozenset({"mv", "move", "move-item", "mi"})
_COPIES = frozenset({"cp", "copy", "copy-item"})
_HINTS = re.compile(r"(?:rm|cp|copy|unlink|trash|del|erase|ri|mv|mi|move|checkout|restore|remove)\b")
"""Cheap pre-filter: most commands, in lower case, have none of these words."""
_CHANGES_FOLDER = frozenset({"cd", "pushd", "chdir", "set-location"})
_UNKNOWN = re.compile(r"-$|~|Q$|.*[$`*]")
_WILD = re.compile(r"[*?]")
_NO_PATH = re.compile(r"[<>&|$`{}]|^-|^\\+$|^Q$|^\.{0,2}/?$|^[*]$|^~")


class Removal(NamedTuple):
    """Effect of a command on a file or a folder."""

    path: str
    """Absolute."""
    fate: str
    """`DELETED`, `PUT_BACK`, `THERE`, or ``moved to`` with the absolute path."""

    @property
    def target(self) -> str:
        """Its new path if it was moved, or ""."""
        return moved_to(self.fate)

    @property
    def is_lasting(self) -> bool:
        """Whether it names a single path as deleted or moved, without a wildcard."""
        return self.fate not in (THERE, PUT_BACK) and not _WILD.search(self.path)


def moved_to(fate: str) -> str:
    """The new path of a file with that fate, "" when it was not moved."""
    return fate.removeprefix(_MOVED) if fate.startswith(_MOVED) else ""


def path_now(file: FileFact) -> str:
    """The current path of a file: the new one if it was moved."""
    return moved_to(file.fate) or file.path


def may_remove(command: str) -> bool:
    """Cheap pre-filter for `removals`."""
    return _HINTS.search(command.lower()) is not None


def removals(command: str, cwd: str) -> list[Removal]:
    """Paths that a successful command names as deleted, moved or restored.

    Args:
        command: a command line of a Unix shell or of PowerShell.
        cwd: where it ran.
    """
    if not may_remove(command):
        return []
    found: list[Removal] = []
    for words in segments(command):
        words[0] = words[0].lstrip("({")
        program = name_of(words[0]).casefold()
        if program in _CHANGES_FOLDER and len(words) > 1:
            # The folder is unknown, so paths relative to it are, too.
            cwd = "" if _UNKNOWN.match(words[1]) else absolute(words[1].rstrip(")"), cwd)
        elif program == "git" and words[1:2] == ["-C"]:
            found += _by_git(words[3:], absolute(words[2], cwd)) if len(words) > 3 else ()
        elif program == "git":
            found += _by_git(words[1:], cwd)
        elif program in _DELETES:
            found += [Removal(absolute(path, cwd), DELETED) for path in _paths(words[1:])]
        elif program in _MOVES:
            found += (Removal(source, f"{_MOVED}{where}") for source, where in _pairs(_paths(words[1:]), cwd))
        elif program in _COPIES:
            found += (Removal(where, THERE) for _, where in _pairs(_paths(words[1:]), cwd))
    return found


def _by_git(words: list[str], cwd: str) -> Iterator[Removal]:
    verb = words[0] if words else ""
    rest = words[1:]
    if verb == "rm" and "--cached" not in rest:
        yield from (Removal(absolute(path, cwd), DELETED) for path in _paths(rest))
    elif verb == "mv":
        yield from (Removal(source, f"{_MOVED}{where}") for source, where in _pairs(_paths(rest), cwd))
    elif verb == "checkout" and "--" in rest:
        behind = rest[rest.index("--") + 1 :]
        yield from (Removal(absolute(path, cwd), PUT_BACK) for path in _paths(behind))
    elif verb == "restore" and "--staged" not in rest and "-S" not in rest:
        yield from (Removal(absolute(path, cwd), PUT_BACK) for path in _paths(rest))


def _pairs(paths: list[str], cwd: str) -> Iterator[tuple[str, str]]:
    """Pairs of source and target of a move or copy."""
    if len(paths) < 2:
        return
    *sources, target = (absolute(path, cwd) for path in paths)
    into = len(sources) > 1 or paths[-1].endswith(("/", "\\"))
    for source in sources:
        as_folder = into or ("." in name_of(source) and "." not in name_of(target))
        separator = "\\" if "\\" in target and "/" not in target else "/"
        where = f"{target.rstrip('/')}{separator}{name_of(source)}" if as_folder else target
        if where != source and not _WILD.search(source):
            yield source, where


def _paths(words: list[str]) -> list[str]:
    """The words that are paths, up to a redirection."""
    paths: list[str] = []
    for word in words:
        if word[:1] in "<>" or ">" in word[:2]:
            break
        bare = word.rstrip(")") if "(" not in word else word
        if not _NO_PATH.search(bare):
            paths.append(bare)
    return paths
