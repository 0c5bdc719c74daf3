"""Files that a session modified or only read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui.secrets.border import cleared
from memtui.transcript.events import Result
from memtui.transcript.paths import absolute, is_absolute, path_identity
from memtui.transcript.record_order import is_after, later, with_late
from memtui.transcript.records import NOWHERE, FileFact, Source
from memtui.transcript.removals import PUT_BACK, THERE, Removal, moved_to
from memtui.transcript.tools import EDIT_TOOLS

_LIMIT = 20_000


@dataclass(slots=True)
class _Touched:
    path: str
    times: int
    subagent: bool
    created: bool
    source: Source
    fate: str = ""
    last: Source = NOWHERE

    def fact(self) -> FileFact:
        return FileFact(self.path, self.times, self.subagent, self.created, self.source, self.fate, self.last)


class FileLog:
    """Collects files by path; an edit counts once however often the transcript repeats it."""

    def __init__(self) -> None:
        self._modified: dict[str, _Touched] = {}
        self._read: dict[str, _Touched] = {}
        self._seen: set[str] = set()
        self._moved: dict[str, list[_Touched]] = {}
        """For moved files, by their new path: earlier changes and reads."""

    def resume(self, modified: Iterable[FileFact], read: Iterable[FileFact]) -> None:
        """Restore the files."""
        for facts, log in ((modified, self._modified), (read, self._read)):
            for fact in facts:
                touched = log[path_identity(fact.path)] = _Touched(
                    fact.path,
                    fact.times,
                    fact.subagent,
                    fact.created,
                    fact.source,
                    fact.fate,
                    last=fact.last,
                )
                if target := moved_to(fact.fate):
                    self._moved.setdefault(path_identity(target), []).append(touched)

    def result(self, result: Result, path: str, tool: str, source: Source, at: Source) -> None:
        """Record the successful result of an edit or a read, at a place; `source` is that of its call."""
        if result.id in self._seen or not path:
            return
        if len(self._seen) < _LIMIT:
            self._seen.add(result.id)
        log = self._modified if tool in EDIT_TOOLS else self._read
        touched = log.get(path_identity(path))
        if touched is None:
            if len(log) < _LIMIT:
                created = tool == "Write" and _is_creation(result.detail)
                log[path_identity(path)] = _Touched(path, 1, bool(result.agent), created, source)
            return
        touched.times += 1
        if is_after(at, touched.last):
            touched.fate = ""
        touched.last = later(touched.last, at)
        touched.subagent = touched.subagent and bool(result.agent)

    def removed(self, removal: Removal, at: Source) -> None:
        """Record the effect on a file of a command that ended at a place."""
        if removal.fate == THERE:
            self.written(removal.path, at)
            return
        key = path_identity(removal.path)
        gone = [] if removal.fate == PUT_BACK else self._moved_to(key)
        gone += [log[key] for log in (self._modified, self._read) if key in log]
        for touched in gone:
            touched.fate, touched.last = removal.fate, later(touched.last, at)
        if removal.target:
            self.written(removal.target, at)
            self._moved[path_identity(removal.target)] = gone

    def _moved_to(self, key: str) -> list[_Touched]:
        """The files that were moved to a path and have not come back since."""
        return [each for each in self._moved.get(key, ()) if path_identity(moved_to(each.fate)) == key]

    def written(self, path: str, at: Source) -> None:
        """Record that a command that ended at a place wrote a file, perhaps over an existing one."""
        for log in (self._modified, self._read):
            if (touched := log.get(path_identity(path))) is not None:
                touched.fate, touched.last = "", later(touched.last, at)

    def finish(self, late_from: int | None = None) -> tuple[tuple[FileFact, ...], tuple[FileFact, ...]]:
        """Modified files in order of their first change, and the files that were only read.

        Args: late_from: the number of modified files in the transcript itself; later ones come from
        subagents' transcripts and are ordered by time.
        """
        modified = [touched.fact() for touched in self._modified.values()]
        if late_from is not None:
            modified = with_late(modified[:late_from], modified[late_from:])
        read = tuple(touched.fact() for key, touched in self._read.items() if key not in self._modified)
        return tuple(modified), read

    def knows(self, path: str) -> bool:
        """Whether the file was read or changed, under this path or before it was moved there."""
        key = path_identity(path)
        return key in self._read or key in self._modified or bool(self._moved_to(key))

    @property
    def count(self) -> int:
        """Number of modified files."""
        return len(self._modified)


def target_path(tool: str, arguments: dict[str, object], detail: object, cwd: str) -> str:
    """The absolute path of an edit or a read: as requested, or else as in the result."""
    wanted = arguments.get("notebook_path" if tool.startswith("Notebook") else "file_path")
    path = wanted if isinstance(wanted, str) else ""
    if not is_absolute(path):
        path = _stated_path(detail) or path
    return absolute(cleared(path), cwd) if path else ""


def tool_of(detail: object) -> str:
    """The tool behind a result whose call is not in the file, "" when that is not certain."""
    if not isinstance(detail, dict):
        return ""
    if isinstance(detail.get("filePath"), str) and isinstance(detail.get("structuredPatch"), list):
        return "Write" if detail.get("type") in ("create", "update") else "Edit"
    file = detail.get("file")
    return "Read" if isinstance(file, dict) and isinstance(file.get("filePath"), str) else ""


def _stated_path(detail: object) -> str:
    if not isinstance(detail, dict):
        return ""
    file = detail.get("file")
    stated = file.get("filePath") if isinstance(file, dict) else detail.get("filePath")
    return stated if isinstance(stated, str) and is_absolute(stated) else ""


def _is_creation(detail: object) -> bool:
    return isinstance(detail, dict) and detail.get("type") == "create"
