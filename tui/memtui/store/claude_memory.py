"""Claude's own memories: the files that Claude Code writes for itself (Claude Code fact, 2.1.330).

A folder ``memory/`` beside a project's transcripts: a Markdown file a memory, and ``MEMORY.md``, the index,
which is loaded into every conversation up to its 200th line. It belongs to Claude Code: it is written only by
what a person asks for, no link is followed out of it, and what has changed underneath is left alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memtui.ground import files
from memtui.ground.clock import Clock
from memtui.ground.files import FileChanged, FileMissing, FileProblem
from memtui.ground.project import SLUG_LENGTH, Places, expanded, main_worktree, object_in, transcript_slug
from memtui.ground.text import counted
from memtui.store.listing import Entry, scan

MARKDOWN = re.compile(r"[^.].*\.md")
INDEX = "MEMORY.md"
INDEX_LINES = 200  # lines of the index that Claude Code loads; the others are cut off
INDEX_WIDTH = 150  # characters of an index line that Claude Code asks for at the most
KINDS = ("user", "feedback", "project", "reference")

Seen = Literal["new", "changed", "seen", "approved"]

_LIMIT = 1 << 20
_HEAD = r"(?sm)\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?"
_FIELD = r"(?m)^[ \t]*(name|description|type):[ \t]*(.*?)[ \t]*\r?$"
_ENTRY = r"(?m)^\s*[-*] \[(?P<title>[^\]]*)\]\((?P<file>[^)\s]+)\)"
_LINK = r"\[\[([^\]\n|#]{1,100})"
_FILE = r"`([\w@+-][\w@+./-]*/[\w@+.-]*\.[A-Za-z]\w{0,5})`"
"""A back-ticked relative path with a folder and an ending: other names may be anything."""
_WORD = r"(?i)[a-z0-9_]{3,}|(?=([^\W\da-z_]{2}))"
"""Words, and the pairs of letters of scripts without spaces."""
_ALIKE = 0.6  # share of words in common from which two memories say the same


class ClaudeMemory(NamedTuple):
    """A memory of Claude's."""

    path: Path
    name: str
    """By its front matter, else by its file; ``MEMORY.md`` for the index."""
    description: str
    kind: str
    """One of `KINDS`, ``index``, another word of the front matter, or "" without one."""
    text: str
    changed: datetime
    seen: Seen
    problem: str = ""


class Trouble(NamedTuple):
    """Something that a memory or the index is not as it should be."""

    file: str
    text: str
    """A sentence without its full stop."""
    hint: bool = False
    """Whether it may well be meant."""


class Deleted(NamedTuple):
    """A memory of Claude's in the trash."""

    kept: Path
    file: Path
    text: str


class ClaudeMemories:
    """The memories that Claude keeps for one project."""

    def __init__(self, places: Places, clock: Clock) -> None:
        self._places = places
        self._clock = clock
        self.folder = memory_folder(places)
        self.marks = places.home.data / "claude-memories.json"
        """The digests of what the user has seen and approved, by path."""
        self._trash = places.home.data / "trash" / "claude"
        self._checked: tuple[list[tuple[str, str, str]], list[Trouble]] = ([], [])
        """Names, texts and problems of the memories checked last, and what was wrong with them."""

    # -- reading ---------------------------------------------------------------------------------------------

    def entries(self) -> tuple[ClaudeMemory, ...]:
        """The index first, then the memories, last changed first; none where Claude keeps none."""
        marks = self._read_marks()
        entries = scan(self.folder, MARKDOWN) if self.folder.is_dir() else []
        memories = [self._parse(each, marks.get(os.fspath(each.path), "")) for each in entries]
        memories.sort(key=lambda each: (each.kind != "index", -each.changed.timestamp(), each.name))
        return tuple(memories)

    def get(self, name: str) -> ClaudeMemory:
        for each in self.entries():
            if name in (each.name, each.path.name, each.path.stem):
                return each
        raise FileMissing(self.folder, f"has no memory {name!r}; `memtui memory list --claude` lists them")

    def _parse(self, entry: Entry, mark: str) -> ClaudeMemory:
        path, text, digest, problem = entry.path, "", "", ""
        try:
            data = files.read_within(path, self.folder, limit=_LIMIT, follow=False)
            text, digest = data.decode("utf-8", "replace"), _digest(data)
        except FileProblem as error:
            problem = str(error)
        if path.name == INDEX:
            lines = f"{counted(len(text.splitlines()), 'line')}, loaded into every conversation"
            fields = {"name": INDEX, "type": "index", "description": "" if problem else lines}
        else:
            fields = fields_of(text)
        name, kind = fields.get("name") or path.stem, fields.get("type", "")
        described, seen = fields.get("description", ""), _seen(mark, digest)
        return ClaudeMemory(path, name, described, kind, text, entry.written, seen, problem)

    def troubles(self, memories: Sequence[ClaudeMemory]) -> list[Trouble]:
        """What is wrong with these memories and with the index that lists them.

        Texts are checked once for as long as they are the same; the files that they name, every time.
        """
        texts = [(each.path.name, each.text, each.problem) for each in memories]
        if texts != self._checked[0]:
            self._checked = texts, list(_text_troubles(memories))
        root = self._places.project.root
        return [*self._checked[1], *(trouble for each in memories for trouble in _gone_files(each, root))]

    # -- changing: each refuses what has changed since it was read -------------------------------------------

    def mark(self, memory: ClaudeMemory, seen: Seen) -> None:
        """Remember that the user has seen or approved a memory as it is; ``new`` forgets it."""
        files.private_folder(self.marks.parent)
        with files.lock(self.marks):
            marks = self._read_marks()
            marks.pop(os.fspath(memory.path), None)
            if seen in ("seen", "approved"):
                marks[os.fspath(memory.path)] = f"{seen} {_digest(memory.text.encode())}"
            files.write_atomic(self.marks, json.dumps(marks, indent=1, ensure_ascii=False).encode())

    def put(self, path: Path, text: str, *, expected: str | None) -> None:
        """Write a memory in place of the `expected` text, None for no file, with a line in the index."""
        self._check(path)
        if expected is None and os.path.lexists(path):
            raise FileChanged(path, "has been written meanwhile; it is kept as it is")
        known = None if expected is None else expected.encode()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.write_atomic(path, text.encode(), mode=None, within=self.folder, expected=known)
        if path.name != INDEX:
            from memtui.transcript.short_text import shortened  # slow to import, and not needed for reading

            fields = fields_of(text)
            title = fields.get("name") or path.stem
            line = f"- [{title}]({path.name}) - {fields.get('description', '')}".removesuffix(" - ")
            self._edit_index(lambda index: _with_entry(index, path.name, shortened(line, INDEX_WIDTH)))

    def delete(self, memory: ClaudeMemory) -> None:
        """Move a memory to the trash, and its line out of the index."""
        self._check(memory.path)
        now = files.read_within(memory.path, self.folder, limit=_LIMIT, follow=False)
        if now.decode("utf-8", "replace") != memory.text:
            raise FileChanged(memory.path, "has changed since; it is kept as it is")
        files.private_folder(self._trash)
        kept = {"file": os.fspath(memory.path), "text": memory.text}
        stamp = self._clock().strftime("%Y%m%d-%H%M%S-%f")
        files.write_atomic(self._trash / f"{stamp}-{memory.path.stem}.json", json.dumps(kept).encode())
        if memory.path.name != INDEX:

            def without(index: str) -> str:
                entries = ((line, re.match(_ENTRY, line)) for line in index.splitlines(keepends=True))
                return "".join(line for line, at in entries if not at or at["file"] != memory.path.name)

            self._edit_index(without)
        files.remove(memory.path, within=self.folder)

    def deleted(self) -> list[Deleted]:
        """This project's memories in the trash, last deleted first; those of more than 30 days go."""
        oldest = f"{self._clock() - timedelta(days=30):%Y%m%d}"
        found = []
        for kept in sorted(self._trash.glob("*.json"), reverse=True):
            with suppress(FileProblem, OSError, ValueError, KeyError, TypeError):
                if kept.name < oldest:
                    kept.unlink()
                    continue
                data = files.read_within(kept, self._trash, limit=2 * _LIMIT, follow=False)
                read: dict[str, str] = json.loads(data)
                each = Deleted(kept, Path(read["file"]), read["text"])
                if each.file.parent == self.folder:
                    found.append(each)
        return found

    def undelete(self, deleted: Deleted) -> None:
        self.put(deleted.file, deleted.text, expected=None)
        files.remove(deleted.kept)

    def _check(self, path: Path) -> None:
        if path.parent != self.folder or path.suffix != ".md":
            raise FileProblem(path, f"is not a memory in {self.folder}")

    def _edit_index(self, change: Callable[[str], str]) -> None:
        """Change the index, which Claude may write at the same time."""

        def changed(index: bytes) -> bytes:
            return change(index.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

        files.edit(self.folder / INDEX, changed, within=self.folder, limit=_LIMIT, mode=0o600)

    def _read_marks(self) -> dict[str, str]:
        try:
            data = files.read_within(self.marks, self.marks.parent, limit=8 * _LIMIT, follow=False)
            read: Any = json.loads(data)
        except (FileMissing, ValueError):
            return {}
        found = read.items() if isinstance(read, dict) else ()
        return {key: value for key, value in found if isinstance(value, str)}


def memory_folder(places: Places) -> Path:
    """The folder in which Claude Code keeps a project's memories; it may not exist.

    ``autoMemoryDirectory`` of the user's settings, else the folder beside the transcripts of the repository,
    which all its worktrees share.
    """
    given = object_in(places.claude / "settings.json").get("autoMemoryDirectory")
    if isinstance(given, str) and (folder := expanded(given)).is_absolute():
        return folder
    root = Path(os.path.realpath(places.project.root))
    roots = [root] if (main := main_worktree(root)) is None else [main, root]
    folders = [places.claude / "projects" / transcript_slug(root)[:SLUG_LENGTH] / "memory" for root in roots]
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def fields_of(text: str) -> dict[str, str]:
    """Name, description and type of a memory's front matter, as far as they are on one line each."""
    head = re.match(_HEAD, text)
    if head is None:
        return {}
    found: dict[str, str] = {}
    for field in re.finditer(_FIELD, head[1]):
        value = field[2]
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        found.setdefault(field[1], value)
    return found


def body_of(text: str) -> str:
    return re.sub(_HEAD, "", text, count=1).lstrip("\n")


def _with_entry(index: str, file: str, line: str) -> str:
    if file in {entry["file"] for entry in re.finditer(_ENTRY, index)}:
        return index
    gap = "" if not index or index.endswith("\n") else "\n"
    return f"{index}{gap}{line}\n"


def _digest(data: bytes) -> str:
    import hashlib  # searches would wait for it

    return hashlib.sha256(data).hexdigest()[:16]


def _seen(mark: str, digest: str) -> Seen:
    how, _, marked = mark.partition(" ")
    if not mark:
        return "new"
    return "changed" if marked != digest else "approved" if how == "approved" else "seen"


def _index_troubles(index: str, names: set[str]) -> Iterator[Trouble]:
    lines = index.splitlines()
    if len(lines) > INDEX_LINES:
        over = len(lines) - INDEX_LINES
        cut = "the last one is" if over == 1 else f"the last {over} are"
        yield Trouble(INDEX, f"has {len(lines)} lines; {cut} cut off, as only {INDEX_LINES} are loaded")
    for number, line in enumerate(lines, 1):
        if len(line) > INDEX_WIDTH:
            yield Trouble(INDEX, f"L{number} has {len(line)} characters; {INDEX_WIDTH} are meant")
    listed = [entry["file"] for entry in re.finditer(_ENTRY, index)]
    for name in dict.fromkeys(listed):
        if name.endswith(".md") and "/" not in name and name not in names:
            yield Trouble(INDEX, f"lists {name}, which does not exist")
    for name in sorted(names - set(listed)):
        yield Trouble(name, "has no line in MEMORY.md, so Claude does not know of it")


def _text_troubles(memories: Sequence[ClaudeMemory]) -> Iterator[Trouble]:
    index = next((each for each in memories if each.kind == "index"), None)
    others = [each for each in memories if each.kind != "index"]
    yield from (Trouble(each.path.name, each.problem) for each in memories if each.problem)
    yield from _index_troubles(index.text if index else "", {each.path.name for each in others})
    names = {word for each in others for word in (each.name, each.path.stem)}
    for each in others:
        if not each.problem:
            yield from _file_troubles(each, names)
    yield from _doubles(others)


def _file_troubles(memory: ClaudeMemory, names: set[str]) -> Iterator[Trouble]:
    from memtui.secrets.secrets import find, holds_secrets  # the first paint asks for no troubles

    file = memory.path.name
    if not re.match(_HEAD, memory.text):
        yield Trouble(file, "has no front matter")
    elif memory.kind not in KINDS:
        unknown = f"has the type {memory.kind!r}, not one of {', '.join(KINDS)}"
        yield Trouble(file, unknown if memory.kind else "has no type")
    for name in dict.fromkeys(re.findall(_LINK, memory.text)):
        if name.strip() not in names:
            yield Trouble(file, f"links to [[{name.strip()}]], which does not exist", hint=True)
    if secrets := find(memory.text):
        yield Trouble(file, holds_secrets(secrets).removeprefix("It "))


def _gone_files(memory: ClaudeMemory, root: Path) -> Iterator[Trouble]:
    if memory.kind == "index":
        return
    named = [name for name in dict.fromkeys(re.findall(_FILE, memory.text)) if not name.startswith("../")]
    there = {name for name in named if (root / name).exists()}
    for name in named:
        # Of another project, or of one that is elsewhere, no folder is here either.
        if name not in there and (there or (root / name.partition("/")[0]).is_dir()):
            yield Trouble(memory.path.name, f"names {name}, which this project no longer has")


def _doubles(memories: Iterable[ClaudeMemory]) -> Iterator[Trouble]:
    """Memories that say what another one says; each is named once."""
    said = []
    for each in sorted(memories, key=lambda each: each.changed, reverse=True):
        words = {found[1] or found[0] for found in re.finditer(_WORD, body_of(each.text).lower())}
        if len(words) >= 3:  # fewer say too little to be compared
            said.append((each.path.name, words))
    for at, (name, words) in enumerate(said, 1):
        alike = (other for other, theirs in said[at:] if len(words & theirs) >= _ALIKE * len(words | theirs))
        if (other := next(alike, None)) is not None:
            yield Trouble(name, f"says what {other} says")
