"""A git repository as a remote: one Markdown file a memory, one commit a sync; its history is git's log.

This machine has a bare copy in the cache, which can be deleted at any time. No file is ever checked out, so
links, filters and attributes of a remote have no effect. The user's own configuration of hosts (ssh,
credential helpers) is respected. A repository in a folder is configured by whoever can write there, and git
obeys that when it serves it: so only harmless ones are used (`GitRemote._address`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from hashlib import sha1
from pathlib import Path

from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem, private_folder, read_within
from memtui.ground.machine import find_program, git_environment, run
from memtui.ground.project import expanded
from memtui.ground.text import counted
from memtui.share.contract import LIMIT, MEMORY, Head, Remote, RemoteProblemError, refuse_schema

SCHEMA, MOST = 2, 10_000
"""The version of what is in a repository, and the maximum number of its memories."""
_CONFIG_LIMIT, _TREE_LIMIT = 64 << 10, MOST * 300
"""Bytes of a folder's configuration, and of the list of all memories: 255 of a name, and what git adds."""
_SECONDS, _BLOCKS = 120.0, 1 << 21
"""Limits of a command, and of the size of a file that it may write in blocks of 512 bytes: a remote may be
hostile."""
_BOUNDED = 'ulimit -f "$1"; ulimit -t 60; shift; exec "$@"'
_STALE_SECONDS = 10.0  # age at which a lock was left behind by a killed git, which needs milliseconds

_TIP, _OUTGOING = "refs/remotes/origin/main", "refs/memtui/outgoing"
_FOLDER, _ABOUT, _MARKER = "memories", "memtui.json", b'{"memtui": 2}\n'
_README = b"""# Memories shared with memtui

Each file is a memory, as somebody last wrote it; git's history has the earlier versions. `memtui remote add
NAME URL` and `memtui sync` bring them to a machine. What is in them is text, never run.
"""
_SETTINGS = """
core.hooksPath=/dev/null core.attributesFile=/dev/null core.fsmonitor=false core.alternateRefsCommand=
transfer.fsckObjects=true fetch.recurseSubmodules=false submodule.recurse=false push.gpgSign=false
commit.gpgSign=false gc.autoDetach=false init.templateDir=
"""
_NO_HOOKS = "--receive-pack=git -c core.hooksPath=/dev/null receive-pack"
_HARMLESS = """
core.repositoryformatversion core.filemode core.bare core.ignorecase core.symlinks core.sharedrepository
core.precomposeunicode gc.auto receive.denydeletes receive.denynonfastforwards receive.fsckobjects
receive.maxinputsize remote.origin.url transfer.fsckobjects
"""
"""The keys that a folder's configuration may have."""
_UNSAFE = ("commondir", "logs", "objects/info/alternates", "objects/info/http-alternates", ".git")
_NO_LINKS = ("HEAD", "config", "objects", "refs", "refs/heads", "refs/heads/main", "packed-refs")
_HOSTS = ("GIT_SSH", "GIT_ASKPASS", "GIT_SSL")
"""Variables that configure access to a host; git's others select or configure repositories."""
_HINTS = ("fatal: ", "error: ", "remote: ", "ssh: ")
_LATE = rb"\((?:fetch first|non-fast-forward|failed to update ref)\)|cannot lock ref|incorrect old"
_LOCKED = re.compile(rb"Unable to create '([^']+\.lock)': File exists")
_BROKEN = rb"\.lock': File exists|bad object|corrupt|issing (?:blob|tree|commit)|not a git repository"
_SCHEMA = re.compile(rb'\s*\{[^{}]*"memtui": ?(\d{1,9})\b[^{}]*\}\s*')
_LOCAL = re.compile(r"(?:file://|/|\.{1,2}/|~)")
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class _GitFailedError(RemoteProblemError):
    """Git failed; the message has the line of its output that gives the reason."""

    def __init__(self, url: str, reason: str, printed: bytes = b"") -> None:
        refused = b"permission denied" in printed.lower()
        trouble = "no permission" if refused else "unreachable"
        super().__init__(url, f"cannot be used: {reason}", trouble)
        self.printed = printed


def local_folder(url: str) -> Path | None:
    """The folder that git takes for an address, which may leave out ``.git``; None if it is on a host."""
    if not _LOCAL.match(url):
        return None
    folder = expanded(url.removeprefix("file://"))
    bare = Path(f"{folder}.git")
    return bare if not (folder / "HEAD").is_file() and bare.is_dir() else folder


class GitRemote(Remote):
    """A repository as a remote."""

    def __init__(self, url: str, folder: Path, *, author: str, machine: str, name: str = "") -> None:
        """Make the object; nothing is run. `folder` is the bare copy here, made when it is missing."""
        program = find_program("git", os.environ.get("PATH"))
        if program is None:
            reason = "is not installed; a remote that is a repository needs it"
            raise RemoteProblemError("git", reason, "not installed")
        self._program, self._url, self._folder, self._machine = program, url, folder, machine
        self._name = name
        self._author = f"{_NO_NAME.sub(' ', author).strip() or machine} <{machine}@memtui.invalid>"
        self._seen = ""
        """The commit that `heads` has read."""

    def check(self) -> str:
        number = counted(len(self.heads()), "memory", "memories")
        last = self._git("log", "-1", "--format=%an", self._seen).decode("utf-8", "replace").strip()
        return f"{number}, last change by {clean_line(last)}"

    def set_up(self) -> None:
        for _ in range(3):
            tip, about, _ = self._fetch()
            if tip:
                refuse_schema(self._url, self._schema(about), SCHEMA, self._name)
                return
            self._commit(tip, "Set up for memtui", {_ABOUT: _MARKER, "README.md": _README})
            if self._push():
                return
        raise _GitFailedError(self._url, "others change it all the time; try again")

    def heads(self) -> dict[str, Head]:
        try:
            return self._heads()
        except _GitFailedError as error:
            if not re.search(_BROKEN, error.printed) or not self._folder.is_dir():
                raise
            shutil.rmtree(self._folder, ignore_errors=True)  # a killed process may have left it half made
            return self._heads()

    def _heads(self) -> dict[str, Head]:
        self._seen, about, folder = self._fetch()
        refuse_schema(self._url, self._schema(about) if self._seen else 0, SCHEMA, self._name)
        tree, _, size = folder.partition(" tree ")
        large = int(size or 0) > _TREE_LIMIT
        listed = self._git("ls-tree", "-z", "-l", tree) if size and not large else b""
        if large or listed.count(b"\0") > MOST:
            reason = f"holds more than {MOST:,} memories; PostgreSQL is made for so many"
            raise RemoteProblemError(self._url, reason, "not memtui's")
        heads: dict[str, Head] = {}
        for entry in listed.split(b"\0")[:-1]:
            details, _, name = entry.partition(b"\t")
            mode, kind, blob, length = details.split()
            key = name.decode("ascii", "replace").removesuffix(".md")
            if kind == b"blob" and mode != b"120000" and name.endswith(b".md") and MEMORY.fullmatch(key):
                heads[key] = Head(blob.decode(), int(length))
        return heads

    def _read(self, digests: Mapping[str, str]) -> dict[str, bytes]:
        contents = self._contents(list(digests.values()))
        return {key: data for key, data in zip(digests, contents, strict=True) if data is not None}

    def _contents(self, names: Collection[str]) -> list[bytes | None]:
        """The contents of objects; None for missing ones."""
        output = self._git("cat-file", "--batch", data="".join(f"{each}\n" for each in names).encode())
        found, place = list[bytes | None](), 0
        for _ in names:
            end = output.index(b"\n", place)
            size = output[place:end].split()[-1]
            place = end + 1
            if size == b"missing":
                found.append(None)
            else:
                found.append(output[place : place + int(size)])
                place += int(size) + 1
        return found

    def holds(self, digests: Mapping[str, str]) -> Collection[str]:
        lines = self._git("rev-list", "--objects", self._seen, "--", _FOLDER).splitlines()
        reachable = {line[:40].decode() for line in lines}
        return {key for key, digest in digests.items() if digest in reachable}

    def digest(self, data: bytes) -> str:
        """See `Remote.digest`: the name that git gives to this content."""
        return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

    def write(self, documents: Mapping[str, tuple[int, bytes]]) -> Collection[str]:
        """See `Remote.write`: all or none."""
        files = {f"{_FOLDER}/{key}.md": data for key, (_, data) in documents.items()}
        title = f"Change {counted(len(files), 'memory', 'memories')} from {self._machine}"
        commit = self._commit(self._seen, title, files)
        if not self._push():
            return ()
        self._seen = commit
        return documents.keys()

    def history(self, key: str) -> list[bytes]:
        self.heads()
        path = f"{_FOLDER}/{key}.md"
        commits = self._git("log", "-n", "1000", "--format=%H", self._seen, "--", path).decode().split()
        names = "".join(f"{each}:{path}\n" for each in reversed(commits)).encode()
        listed = [each.split() for each in self._git("cat-file", "--batch-check", data=names).splitlines()]
        # Others have written it: what is too large is not even read.
        blobs = [each[0].decode() for each in listed if each[1:2] == [b"blob"] and int(each[2]) <= LIMIT]
        return [data for data in self._contents(blobs) if data is not None]

    def forget(self, key: str, tombstone: tuple[int, bytes]) -> str:
        """See `Remote.forget`: the history keeps the texts until somebody rewrites it."""
        if not self.write({key: tombstone}):
            raise _GitFailedError(self._url, "it was changed meanwhile; try again")
        path, blob = f"{_FOLDER}/{key}.md", self.digest(tombstone[1])
        remove = f"git rm -q --cached --ignore-unmatch {path}"
        keep = f"git rev-parse -q --verify :{path} | grep -q {blob}"
        return (
            "its text is gone from the newest commit; the history keeps it until you rewrite it, in a clone:"
            f' git filter-branch --index-filter "{keep} || {remove}" main && git push --force origin main'
        )

    def _fetch(self) -> tuple[str, str, str]:
        """Fetch the branch: its last commit, and what git says of `_ABOUT` and `_FOLDER`; "" for none."""
        url = self._address()
        if not (self._folder / "HEAD").is_file():
            shutil.rmtree(self._folder, ignore_errors=True)
            private_folder(self._folder)
            self._git("init", "--quiet", "--bare", "--initial-branch=main", str(self._folder))
        names = self._git("ls-remote", "--heads", "--", url, "refs/heads/main").split()
        if not names:
            return "", "", ""
        tip = names[0].decode()
        known = self._git("for-each-ref", "--format=%(objectname)", _TIP, _OUTGOING).decode().split()
        if tip not in known:
            command = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"]
            self._git(*command, "--", url, f"+refs/heads/main:{_TIP}")
        asked = f"{tip}\n{tip}:{_ABOUT}\n{tip}:{_FOLDER}\n".encode()
        listed = self._git("cat-file", "--batch-check", data=asked).decode().splitlines()
        commit, about, folder = ("" if each.endswith("missing") else each for each in listed)
        if not commit:
            raise _GitFailedError(self._url, "it was changed meanwhile; try again")
        return tip, about, folder

    def _schema(self, listed: str) -> int:
        blob, _, size = listed.partition(" blob ")
        about = self._contents([blob])[0] if size and int(size) <= _CONFIG_LIMIT else None
        found = _SCHEMA.fullmatch(about or b"")
        if found is None:
            reason = "holds something else than memtui's memories"
            raise RemoteProblemError(self._url, reason, "not memtui's")
        return int(found[1])

    def _commit(self, parent: str, title: str, files: Mapping[str, bytes]) -> str:
        head = f"commit {_OUTGOING}\nmark :1\ncommitter {self._author} now\n"
        lines = [head.encode(), _data(title.encode())]
        lines += [f"from {parent}\n".encode()] if parent else []
        lines += [b"M 100644 inline " + path.encode() + b"\n" + _data(data) for path, data in files.items()]
        command = ("fast-import", "--quiet", "--force", "--date-format=now", "--done")
        return self._git(*command, data=b"".join([*lines, b"get-mark :1\ndone\n"])).decode().strip()

    def _push(self) -> bool:
        """Push the commit; False if somebody was first."""
        no_hooks = [_NO_HOOKS] if local_folder(self._url) else []
        what = ("--", self._address(), f"{_OUTGOING}:refs/heads/main")
        try:
            self._git("push", "--quiet", "--no-verify", *no_hooks, *what)
        except _GitFailedError as error:
            if self._removed_lock(error.printed) or re.search(_LATE, error.printed):
                return False
            raise
        return True

    def _removed_lock(self, printed: bytes) -> bool:
        """Whether a lock of a folder's repository stood in the way; one left by a killed git is removed."""
        found = _LOCKED.search(printed)
        path = Path(os.path.realpath(os.fsdecode(found[1]))) if found else None
        folder = local_folder(self._url)
        if path is None or folder is None or not path.is_relative_to(os.path.realpath(folder)):
            return False
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > _STALE_SECONDS:
                path.unlink()
        return True

    def _address(self) -> str:
        """The address for git; a folder is looked at first, each time: git would run what its files name."""
        if (folder := local_folder(self._url)) is None:
            return self._url
        if not folder.is_dir():
            raise _GitFailedError(self._url, "there is no such folder")
        config, found = b"", [f"it has {each}" for each in _UNSAFE if os.path.lexists(folder / each)]
        found += [f"{each} is a link" for each in _NO_LINKS if (folder / each).is_symlink()]
        with suppress(FileProblem):
            config = read_within(folder / "config", folder, limit=_CONFIG_LIMIT, follow=False)
        listed = self._git("config", "--file", "-", "--no-includes", "-l", "-z", data=config)
        entries = (each.partition("\n") for each in listed.decode("utf-8", "replace").split("\0")[:-1])
        values = {key: value for key, _, value in entries}
        if values.get("core.bare") != "true":
            raise RemoteProblemError(self._url, "is no bare repository: git init --bare makes one")
        found += [f"its configuration has {each}" for each in values.keys() - _HARMLESS.split()]
        if found:
            reason = f"is not used, as it could run commands or write elsewhere: {clean_line(found[0])[:100]}"
            raise RemoteProblemError(self._url, reason, "not safe")
        return str(folder)

    def _git(self, *arguments: str, data: bytes = b"") -> bytes:
        command = ["sh", "-c", _BOUNDED, "sh", str(_BLOCKS), self._program, "--git-dir", str(self._folder)]
        command += [part for each in _SETTINGS.split() for part in ("-c", each)]
        try:
            env = git_environment(*_HOSTS) | {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
            done = run([*command, *arguments], data, seconds=_SECONDS, env=env, cwd=os.sep)
        except OSError as error:
            raise _GitFailedError(self._url, f"git cannot be run: {error.strerror}") from error
        except subprocess.TimeoutExpired:
            raise _GitFailedError(self._url, f"it did not answer within {_SECONDS:.0f} s") from None
        if done.returncode:
            printed = done.stderr.decode("utf-8", "replace").splitlines()
            lines = [clean_line(line) for line in printed if line.strip()]
            telling = [line for line in lines if line.startswith(_HINTS)]
            reason = (telling or lines or [""])[0][:300] or f"git ended with {done.returncode}"
            raise _GitFailedError(self._url, reason, done.stderr)
        return done.stdout


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
