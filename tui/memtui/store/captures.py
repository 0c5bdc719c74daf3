"""Captures and their review (seed 001)."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from memtui.documents.capture import Capture, memory_name, parse_capture, render_capture, reviewed
from memtui.documents.memory_file import MemoryFile, render_memory
from memtui.ground import files
from memtui.ground.clean import without_surrogates
from memtui.ground.files import FileChanged, FileProblem
from memtui.ground.project import Project, expanded
from memtui.ground.text import FormatError
from memtui.store.listing import CAPTURE_NAME, Entry, newest_first, scan

LIMIT = 1 << 20  # maximum size of captures that are read, in bytes; usual ones have 1 KB

_TIME_ALONE = re.compile(r"(\d{8})[-_](\d{6})", re.ASCII)
_SUFFIX = "-autocompact.md"
_CHANGED = "has changed since it was listed; look at it again"


class CaptureStore:
    """The captures of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = project.compacts

    def entries(self) -> list[Entry]:
        """All captures, pending, reviewed and broken, newest first by the time in their names."""
        return newest_first(scan(self.folder, CAPTURE_NAME, within=self.project.root))

    def load(self, entry: Entry) -> Capture:
        """Read one capture; `FileProblem` if that is not possible."""
        return self._load(entry.path)[0]

    def newest_pending(self) -> Entry | None:
        """The newest pending capture, or None. Broken ones are skipped."""
        for entry in self.entries():
            try:
                if self.load(entry).status == "pending":
                    return entry
            except FileProblem:
                continue
        return None

    def resolve(self, argument: str) -> Entry:
        """A capture by its path (absolute, from here or the project), file name, or its time in that."""
        argument = argument.strip()
        if time := _TIME_ALONE.fullmatch(argument.removesuffix(".md").removesuffix("-autocompact")):
            argument = f"{time[1]}_{time[2]}{_SUFFIX}"
        if not argument or "\0" in argument:
            raise FileProblem(self.folder, "is where captures are; name one of them")
        named = expanded(argument)
        paths = [folder / named for folder in (self.folder, Path.cwd(), self.project.root)]
        path = next(filter(os.path.lexists, paths), paths[0])
        if files.resolved(path.parent) != files.resolved(self.folder) or path.name in ("", ".."):
            raise FileProblem(path, f"is not in {self.folder}, where this project's captures are")
        if not CAPTURE_NAME.fullmatch(path.name):
            raise FileProblem(path, f"is not called like a capture (...{_SUFFIX})")
        try:
            return Entry.of(self.folder / path.name)
        except OSError as error:
            raise FileProblem(path, "does not exist; `memtui captures` lists those that do") from error

    def review(self, entry: Entry, *, memory: MemoryFile, summary: str) -> Path:
        """Accept a review: write the memory file, then mark the capture; returns the memory file.

        The memory file is named after the capture (seed 001). If that name is taken, by the remains of an
        earlier review for example, it is left alone and ``-memory-2.md`` (``-3`` ...) is used. A process that
        is killed between the two leaves a memory file that no capture names. Nothing is changed if the
        capture was reviewed, or has changed since `entry` was listed.
        """
        root = self.project.root
        files.private_folder(self.folder, within=root)
        with files.lock(self.folder / ".memtui", within=root):
            with files.reading(entry.path):
                now = Entry.of(entry.path)
            capture, data = self._load(entry.path)
            if capture.status != "pending":
                raise FileProblem(entry.path, "is already reviewed; nothing was changed")
            if now != entry:
                raise FileProblem(entry.path, _CHANGED)
            path = self._create_memory(entry.name, _encode(render_memory(memory)))
            text = _encode(render_capture(reviewed(capture, summary=summary, memory=path.name)))
            try:
                files.write_atomic(self.folder / entry.name, text, expected=data, within=root)
            except BaseException as problem:
                with suppress(FileProblem):
                    files.remove(path, within=root)
                if isinstance(problem, FileChanged):
                    raise FileProblem(entry.path, _CHANGED) from problem
                raise
        return path

    def _create_memory(self, capture: str, body: bytes) -> Path:
        first = self.folder / memory_name(capture)
        others = (first.with_name(f"{first.stem}-{number}.md") for number in range(2, 100))
        for path in (first, *others):
            if files.create_exclusive(path, body, within=self.project.root):
                return path
        raise FileProblem(self.folder / capture, "has too many memory files already; remove some")

    def _load(self, path: Path) -> tuple[Capture, bytes]:
        try:
            data = files.read_within(path, self.project.root, limit=LIMIT, follow=False)
            # A capture by another tool may end in half a character; it is read all the same.
            return parse_capture(data.decode("utf-8", "replace")), data
        except FormatError as error:
            raise FileProblem(path, f"is broken: {error}") from error


def _encode(text: str) -> bytes:
    return without_surrogates(text).encode()
