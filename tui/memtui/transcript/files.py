"""Files that a session modified, read, deleted or moved, by its tools and by its shell commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from memtui.secrets.secrets import masked
from memtui.transcript.events import Result
from memtui.transcript.lines import text_in
from memtui.transcript.paths import absolute, name_of, path_identity
from memtui.transcript.records import FileFact, Source, is_after, later, with_late
from memtui.transcript.shell import EDIT_TOOLS, segments

DELETED = "deleted"
_MOVED = "moved to "
PUT_BACK = "put back with git"  # to its last commit: committed content remains

_HINTS = re.compile(r"(?:rm|mv|checkout)\b")
"""Cheap pre-filter: most commands have none of these words."""
_UNKNOWN = re.compile(r"-$|~|Q$|.*[$`*]")
_WILD = re.compile(r"[*?]")
_NO_PATH = re.compile(r"[<>&|$`{}]|^-|^\\+$|^Q$|^\.{0,2}/?$|^[*]$|^~")


class Removal(NamedTuple):
    """Effect of a command on a file or a folder."""

    path: str
    """Absolute."""
    fate: str
    """`DELETED`, `PUT_BACK`, or ``moved to`` with the absolute path."""


def moved_to(fate: str) -> str:
    """The new path of a file with that fate, "" when it was not moved."""
    return fate.removeprefix(_MOVED) if fate.startswith(_MOVED) else ""


def path_now(file: FileFact) -> str:
    return moved_to(file.fate) or file.path


def may_remove(command: str) -> bool:
    """Cheap pre-filter for `removals`."""
    return _HINTS.search(command) is not None


def removals(command: str, cwd: str) -> list[Removal]:
    """Paths that a successful command names as deleted, moved or restored."""
    if not may_remove(command):
        return []
    found: list[Removal] = []
    for words in segments(command):
        program, *rest = words[1:] if words[0] == "git" and len(words) > 1 else words
        if program == "cd" and rest:
            # The folder is unknown, so paths relative to it are, too.
            cwd = "" if _UNKNOWN.match(rest[0]) else absolute(rest[0].rstrip(")"), cwd)
        elif program == "rm" and "--cached" not in rest:
            found += [Removal(absolute(path, cwd), DELETED) for path in _paths(rest)]
        elif program == "mv":
            found += (Removal(source, f"{_MOVED}{where}") for source, where in _pairs(_paths(rest), cwd))
        elif program == "checkout" and {"--", "--ours", "--theirs"} & set(rest):
            behind = rest[rest.index("--") + 1 :] if "--" in rest else rest
            found += [Removal(absolute(path, cwd), PUT_BACK) for path in _paths(behind)]
    return found


def _pairs(paths: list[str], cwd: str) -> Iterator[tuple[str, str]]:
    if len(paths) < 2:
        return
    *sources, target = (absolute(path, cwd) for path in paths)
    into = len(sources) > 1 or paths[-1].endswith("/")
    for source in sources:
        as_folder = into or ("." in name_of(source) and "." not in name_of(target))
        where = f"{target.rstrip('/')}/{name_of(source)}" if as_folder else target
        if where != source and not _WILD.search(source):
            yield source, where


def _paths(words: list[str]) -> list[str]:
    paths: list[str] = []
    for word in words:
        bare = word.rstrip(")") if "(" not in word else word
        if not _NO_PATH.search(bare):
            paths.append(bare)
    return paths


_HEREDOC_TO = re.compile(
    r"\bcat\s*(?:>>?\s*(?P<before>[^\s<>|&;]+)\s*<<|<<-?\s*['\"]?\w+['\"]?\s*>>?\s*(?P<after>[^\s<>|&;]+))"
)
_TEE = re.compile(r"\btee\s+(?:-a\s+)?(?P<path>[^\s<>|&;-][^\s<>|&;]*)")
_SED = re.compile(r"(?:^|[;&|]\s*)sed\s+-i[^\n;&|]*")
_QUOTES = "'\""
_CD = re.compile(r"\s*cd\s+(?P<folder>[^\s;&|]+)\s*(?:&&|;)")


def may_write(command: str) -> bool:
    """Cheap pre-filter for `written_files`."""
    return "<<" in command or "tee " in command or "sed -i" in command


def written_files(command: str, cwd: str) -> list[str]:
    if not may_write(command):
        return []
    if moved := _CD.match(command):
        cwd = absolute(moved["folder"].strip(_QUOTES), cwd)
    found = [match["before"] or match["after"] for match in _HEREDOC_TO.finditer(command)]
    script = command.split("<<", 1)[0]
    found += [match["path"] for match in _TEE.finditer(script)]
    edits = (part[0] for part in _SED.finditer(script))
    found += [each.split()[-1] for each in edits if not (each.count("'") % 2 or each.count('"') % 2)]
    paths = (path.strip(_QUOTES) for path in found)
    return [
        absolute(path, cwd)
        for path in paths
        if path and not path.startswith(("/dev/", "&", "~")) and "$" not in path
    ]


class FileLog:
    """Collects files by path; an edit counts once however often the transcript repeats it."""

    def __init__(self) -> None:
        self._modified: dict[str, FileFact] = {}
        self._read: dict[str, FileFact] = {}
        self._seen: set[str] = set()
        self._found: dict[str, FileFact] = {}
        """Files that only commands wrote or removed."""
        self._removed: set[str] = set()
        """Paths that were removed: a second removal is not recorded."""

    def result(self, result: Result, path: str, tool: str, source: Source, at: Source) -> None:
        """Record the successful result of an edit or a read, at a place; `source` is that of its call."""
        if result.id in self._seen or not path:
            return
        self._seen.add(result.id)
        log = self._modified if tool in EDIT_TOOLS else self._read
        touched = log.get(path_identity(path))
        if touched is None:
            created = tool == "Write" and result.fields.get("type") == "create"
            log[path_identity(path)] = FileFact(path, 1, bool(result.agent), created, source)
            return
        if touched.fate == PUT_BACK and is_after(at, touched.last):  # its earlier edits are gone
            touched.times, touched.created, touched.source = 0, False, source
        touched.times += 1
        if is_after(at, touched.last):
            touched.fate = ""
        touched.last = later(touched.last, at)
        touched.subagent = touched.subagent and bool(result.agent)

    def finish(self) -> tuple[tuple[FileFact, ...], tuple[FileFact, ...], tuple[FileFact, ...]]:
        """Modified files by their first change, those only read, and those that only commands changed."""
        modified = self._modified.values()
        # Those of subagents' own transcripts, which are read at the end, are ordered by time.
        own = [file for file in modified if file.source.line]
        late = [file for file in modified if not file.source.line]
        read = tuple(touched for key, touched in self._read.items() if key not in self._modified)
        known = self._modified.keys() | self._read.keys()
        shell = tuple(
            file for key, file in self._found.items() if key not in (known if file.fate else self._modified)
        )
        return tuple(with_late(own, late)), read, shell

    def ran(self, command: str, folder: str, agent: bool, source: Source, at: Source) -> None:
        """Record a command that ran in `folder` and ended at a place; `source` is that of its call."""
        for removal in removals(command, folder):
            self._take_away(FileFact(removal.path, 1, agent, source=source, fate=removal.fate), at)
        for path in written_files(command, folder):
            self._touched(path, "", at)
            before = self._found.get(path_identity(path))
            if before is None or before.fate:
                self._put(FileFact(path, 1, agent, source=source))
            else:
                before.last = at

    def _take_away(self, file: FileFact, at: Source) -> None:
        """Record what a command took away: with the files that are known, else as `file`."""
        key, target = path_identity(file.path), moved_to(file.fate)
        before = self._found.get(key)
        known = self._touched(file.path, file.fate, at) or before or key in self._removed
        if before and (not before.fate or file.fate == PUT_BACK):
            del self._found[key]
        if target:
            self._touched(target, "", at)
            self._found.pop(path_identity(target), None)
            if before and not before.fate:
                self._put(replace(before, path=target, last=at))
        if not known and file.fate != PUT_BACK and not _WILD.search(file.path):
            self._put(file)
        self._removed.add(key)

    def _touched(self, path: str, fate: str, at: Source) -> bool:
        """Set the fate of a file that tools changed or read, after a command; False for any other file."""
        logs = [log for log in (self._modified, self._read) if path_identity(path) in log]
        for log in logs:
            file = log[path_identity(path)]
            file.fate, file.last = fate, later(file.last, at)
        return bool(logs)

    def _put(self, file: FileFact) -> None:
        self._found[path_identity(file.path)] = file


def target_path(arguments: dict[str, object], cwd: str) -> str:
    path = text_in(arguments, "file_path")
    return absolute(masked(path), cwd) if path else ""
