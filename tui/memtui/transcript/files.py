"""Files that a session modified, read, deleted or moved, by its tools and by its shell commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from memtui.secrets.secrets import masked
from memtui.transcript.events import Result
from memtui.transcript.lines import text_in
from memtui.transcript.paths import absolute, is_inside, name_of, path_identity
from memtui.transcript.records import FileFact, Source, is_after, later, with_late
from memtui.transcript.shell import EDIT_TOOLS, segments

DELETED = "deleted"
_MOVED = "moved to "
GONE = "deleted or moved outside the record"  # as the output of a command shows
PUT_BACK = "put back"  # to its last commit, so that committed content remains, or by an edit

_DELETES = frozenset({"rm", "unlink", "trash", "del", "erase", "remove-item", "ri"})
_MOVES = frozenset({"mv", "move", "move-item", "mi"})
_HINTS = re.compile(r"(?:rm|unlink|trash|del|erase|ri|mv|mi|move|checkout|restore|remove)\b")
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
    """`DELETED`, `PUT_BACK`, or ``moved to`` with the absolute path."""

    @property
    def target(self) -> str:
        return moved_to(self.fate)


def moved_to(fate: str) -> str:
    """The new path of a file with that fate, "" when it was not moved."""
    return fate.removeprefix(_MOVED) if fate.startswith(_MOVED) else ""


def path_now(file: FileFact) -> str:
    return moved_to(file.fate) or file.path


def may_remove(command: str) -> bool:
    """Cheap pre-filter for `removals`."""
    return _HINTS.search(command.lower()) is not None


def removals(command: str, cwd: str) -> list[Removal]:
    """Paths that a successful command, of a Unix shell or PowerShell, names as deleted, moved or restored."""
    if not may_remove(command):
        return []
    found: list[Removal] = []
    for words in segments(command):
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
    return found


def _by_git(words: list[str], cwd: str) -> Iterator[Removal]:
    verb = words[0] if words else ""
    rest = words[1:]
    picked = {"--ours", "--theirs"} & set(rest)
    if verb == "rm" and "--cached" not in rest:
        yield from (Removal(absolute(path, cwd), DELETED) for path in _paths(rest))
    elif verb == "mv":
        yield from (Removal(source, f"{_MOVED}{where}") for source, where in _pairs(_paths(rest), cwd))
    elif verb == "checkout" and "--" in rest:
        behind = rest[rest.index("--") + 1 :]
        yield from (Removal(absolute(path, cwd), PUT_BACK) for path in _paths(behind))
    elif (verb == "checkout" and picked) or (verb == "restore" and not {"--staged", "-S"} & set(rest)):
        yield from (Removal(absolute(path, cwd), PUT_BACK) for path in _paths(rest))


def _pairs(paths: list[str], cwd: str) -> Iterator[tuple[str, str]]:
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
IN_PROGRAM = "named in a program that ran"  # fate of a file that an inline program may have changed
_INTERPRETERS = ("python", "node", "ruby", "perl", "php", "deno", "bun")
_PROGRAM = re.compile(
    r"\b(?:python[\d.]*|node|ruby|perl|php|deno|bun)\b[^\n;&|]*?(?:<<|\s-\w*[ceip]\b)", re.IGNORECASE
)
"""An interpreter with an inline program."""
_WRITES = re.compile(r"write|rename|unlink|remove|[\"'][wa][bt]?\+?[\"']|\s-\w*i\b", re.IGNORECASE)
_LITERAL = re.compile(r"(?<=[\"'\s])[\w@.~:/\\-]{1,300}\.\w{1,10}(?=[\"'\s]|$)")
_SCANNED, _QUOTES = 20_000, "'\""
_CD = re.compile(r"\s*cd\s+(?P<folder>[^\s;&|]+)\s*(?:&&|;)")


def may_write(command: str) -> bool:
    """Cheap pre-filter for `written_files` and `programmed_files`."""
    return "<<" in command or "tee " in command or "sed -i" in command or _program(command) is not None


def _program(command: str) -> re.Match[str] | None:
    """The interpreter with an inline program in a command line, if any."""
    lower = command.lower()
    return _PROGRAM.search(command) if any(name in lower for name in _INTERPRETERS) else None


def programmed_files(command: str, cwd: str) -> list[str]:
    """Absolute paths in an inline program that may write files.

    The files that it really wrote are not on record.
    """
    if not (program := _program(command)) or not _WRITES.search(command, program.start()):
        return []
    if moved := _CD.match(command):
        cwd = absolute(moved["folder"].strip(_QUOTES), cwd)
    paths = dict.fromkeys(_LITERAL.findall(command[program.start() : program.start() + _SCANNED]))
    return [absolute(path, cwd) for path in paths]


def written_files(command: str, cwd: str) -> list[str]:
    if "<<" not in command and "tee " not in command and "sed -i" not in command:
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


_SHOWN_GONE = re.compile(
    r"(?m)^(?:\tdeleted: +| D | delete mode \d{6} )(?P<file>\S.*)$|(?<= )(?P<path>[^\s:]+): No such file"
)
_SIGNS_OF_GONE = ("deleted:", " D ", "delete mode", "No such file")
"""Cheap pre-filter: every output that shows a file as gone has one of these."""
_STANDS = ("", IN_PROGRAM)  # fates of a file that exists


class FileLog:
    """Collects files by path; an edit counts once however often the transcript repeats it."""

    def __init__(self) -> None:
        self._modified: dict[str, FileFact] = {}
        self._read: dict[str, FileFact] = {}
        self._seen: set[str] = set()
        self._moved: dict[str, list[FileFact]] = {}
        """For moved files, by their new path: earlier changes and reads."""
        self._first: dict[str, int] = {}
        """Hashes of what files held before their first edit; 0 if unknown, or committed since."""
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
        same = False
        if tool in EDIT_TOOLS:
            after = _text_after(result.fields)
            before = hash(text_in(result.fields, "originalFile")) if after else 0
            same = self._first.setdefault(path_identity(path), before) == hash(after) and bool(after)
        touched = log.get(path_identity(path))
        if touched is None:
            created = tool == "Write" and result.fields.get("type") == "create"
            log[path_identity(path)] = FileFact(path, 1, bool(result.agent), created, source)
            return
        if touched.fate == PUT_BACK and is_after(at, touched.last):  # its earlier edits are gone
            touched.times, touched.created, touched.source = 0, False, source
        touched.times += 1
        if is_after(at, touched.last):
            touched.fate = PUT_BACK if same else ""
        touched.last = later(touched.last, at)
        touched.subagent = touched.subagent and bool(result.agent)

    def _gone(self, removal: Removal, at: Source) -> None:
        """Record the effect on a file of a command that ended at a place."""
        key = path_identity(removal.path)
        gone = [] if removal.fate == PUT_BACK else self._moved_to(key)
        gone += [log[key] for log in (self._modified, self._read) if key in log]
        for touched in gone:
            touched.fate, touched.last = removal.fate, later(touched.last, at)
        if removal.target:
            self._written(removal.target, at)
            self._moved[path_identity(removal.target)] = gone

    def shown(self, output: str, folder: str, at: Source) -> None:
        """Record files that output of git or a shell shows as gone."""
        if not any(sign in output for sign in _SIGNS_OF_GONE):
            return
        for found in _SHOWN_GONE.finditer(output[:_SCANNED]):
            gone = absolute((found["file"] or found["path"]).rstrip("/"), folder)
            for file in (*self._modified.values(), *self._read.values()):
                if not file.fate and (file.path == gone or is_inside(file.path, gone)):
                    file.fate, file.last = GONE, later(file.last, at)

    def _moved_to(self, key: str) -> list[FileFact]:
        """The files that were moved to a path and have not come back since."""
        return [each for each in self._moved.get(key, ()) if path_identity(moved_to(each.fate)) == key]

    def _written(self, path: str, at: Source) -> None:
        """Record that a command that ended at a place wrote a file, perhaps over an existing one."""
        for log in (self._modified, self._read):
            if (touched := log.get(path_identity(path))) is not None:
                touched.fate, touched.last = "", later(touched.last, at)

    def finish(self) -> tuple[tuple[FileFact, ...], tuple[FileFact, ...], tuple[FileFact, ...]]:
        """Modified files by their first change, those only read, and those that only commands changed."""
        modified = self._modified.values()
        # Those of subagents' own transcripts, which are read at the end, are ordered by time.
        own = [file for file in modified if file.source.line]
        late = [file for file in modified if not file.source.line]
        read = tuple(touched for key, touched in self._read.items() if key not in self._modified)
        known = self._modified.keys() | self._read.keys()
        shell = tuple(
            file
            for key, file in self._found.items()
            if key not in (self._modified if file.fate in _STANDS else known)
        )
        return tuple(with_late(own, late)), read, shell

    def _knows(self, path: str) -> bool:
        """Whether the file was read or changed, under this path or before it was moved there."""
        key = path_identity(path)
        return key in self._read or key in self._modified or bool(self._moved_to(key))

    def ran(self, command: str, folder: str, agent: bool, source: Source, at: Source) -> None:
        """Record a command that ran in `folder` and ended at a place; `source` is that of its call."""
        if "git commit" in command:
            self._first = dict.fromkeys(self._first, 0)  # put back later, they still differ by the commit
        for removal in removals(command, folder):
            file = FileFact(removal.path, 1, agent, source=source, fate=removal.fate)
            self._follow(removal, file, at)
            self._gone(removal, at)
        for path in written_files(command, folder):
            self._written(path, at)
            before = self._found.get(path_identity(path))
            if before is None or before.fate:
                self._put(FileFact(path, 1, agent, source=source))
            else:
                self._put(replace(before, last=at))
        for path in programmed_files(command, folder):
            if self._knows(path):
                named = FileFact(path, 1, agent, source=source, fate=IN_PROGRAM)
                before = self._found.get(path_identity(path))
                self._put(replace(before, last=at) if before else named)

    def _follow(self, removal: Removal, unseen: FileFact, at: Source) -> None:
        """Take a removal; `unseen` is its record if nothing is known of the file."""
        key, back = path_identity(removal.path), path_identity(removal.target or removal.path)
        if removal.fate == PUT_BACK:
            self._comes_back(back, even_if_there=True)
            return
        here = [
            name
            for name, file in self._found.items()
            if file.fate != DELETED and path_identity(path_now(file)) == key
        ]
        moved = {name: self._found.pop(name) for name in here}
        if removal.target:
            self._comes_back(back)
        for name, file in moved.items():
            if file.fate not in _STANDS and name != back:
                self._put(replace(file, fate=removal.fate, last=at))
            elif file.fate in _STANDS and removal.target:
                self._put(replace(file, path=removal.target, last=at))
        known = moved or key in self._removed or self._knows(removal.path)
        if not known and not _WILD.search(removal.path):
            self._put(unseen)
        self._removed.add(key)

    def _comes_back(self, key: str, *, even_if_there: bool = False) -> None:
        before = self._found.get(key)
        if before is not None and (even_if_there or before.fate not in _STANDS):
            del self._found[key]
            self._removed.discard(key)

    def _put(self, file: FileFact) -> None:
        self._found[path_identity(file.path)] = file


def _text_after(fields: dict[str, Any]) -> str:
    """A file's text after an edit, "" if it is not on record."""
    before, old = text_in(fields, "originalFile"), text_in(fields, "oldString")
    most = -1 if fields.get("replaceAll") is True else 1
    return before.replace(old, text_in(fields, "newString"), most) if old else text_in(fields, "content")


def target_path(tool: str, arguments: dict[str, object], cwd: str) -> str:
    path = text_in(arguments, "notebook_path" if tool.startswith("Notebook") else "file_path")
    return absolute(masked(path), cwd) if path else ""
