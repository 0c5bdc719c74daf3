"""The configured remotes, ``remotes.json`` in the configuration folder, and this machine's own name."""

from __future__ import annotations

import json
import os
import re
import socket
from contextlib import suppress
from getpass import getuser
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from memtui.ground import files
from memtui.ground.files import FileMissing, FileProblem
from memtui.ground.project import Home
from memtui.secrets.secrets import find
from memtui.share.contract import MACHINE, Remote
from memtui.share.git import GitRemote, local_folder

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,29}", re.ASCII)
_PASSWORD = re.compile(r"://[^/@]*:[^/@]+@|password=")
_POSTGRES = re.compile(r"postgres(?:ql)?://|service=[\w.-]+$")
_URL = r"(?:https?|ssh|git|file|postgres|postgresql)://[^\s]+|[\w.-]+@[\w.-]+:[^\s:]+|service=[\w.-]+|[/~.].*"


class NamedRemote(BaseModel):
    """A configured remote."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # older versions knew more

    url: str
    """In the form that git or libpq accepts."""
    sync: Literal["shared", "all"] = "shared"
    """The memories to send: the shared ones, or all if every machine is one's own."""


_REMOTES = TypeAdapter(dict[str, NamedRemote])


class Remotes:
    """The configured remotes of one user."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.path = home.config / "remotes.json"

    def all(self) -> dict[str, NamedRemote]:
        try:
            return _REMOTES.validate_json(files.read_within(self.path, self._home.config, limit=1 << 20))
        except FileMissing:
            return {}
        except ValidationError as error:
            raise FileProblem(self.path, f"is broken: {error.errors()[0]['msg']}") from error

    def find(self, name: str) -> tuple[str, NamedRemote]:
        """A remote by its name; "" means the only one."""
        remotes = self.all()
        if name in remotes or (not name and len(remotes) == 1):
            name = name or next(iter(remotes))
            return name, remotes[name]
        known = f"there are {', '.join(sorted(remotes))}" if remotes else "memtui remote add makes one"
        reason = "several remotes" if remotes and not name else f"no remote {name}".strip()
        raise FileProblem(self.path, f"has {reason}; {known}")

    def add(self, name: str, remote: NamedRemote) -> None:
        remotes = self.all()
        if not _NAME.fullmatch(name):
            raise FileProblem(self.path, f"cannot hold {name!r}: a name has small letters, digits, - and _")
        if name in remotes:
            raise FileProblem(self.path, f"has a remote {name} already: {remotes[name].url}")
        if not re.fullmatch(_URL, remote.url) or "::" in remote.url or not remote.url.isprintable():
            known = "an address is https://, ssh://, user@host:path, a folder or postgresql://"
            raise FileProblem(self.path, f"cannot hold {remote.url!r}: {known}")
        if _PASSWORD.search(remote.url) or find(remote.url):
            where = "PGPASSFILE" if _POSTGRES.match(remote.url) else "git's credential helper"
            reason = f"does not hold passwords: leave it out of the address; {where} knows it"
            raise FileProblem(self.path, reason)
        if remote.url.startswith("."):  # absolute, as it may be used from another folder later
            remote = remote.model_copy(update={"url": os.path.abspath(remote.url)})  # noqa: PTH100
        folder = local_folder(remote.url)
        if folder is not None and not (folder / "HEAD").is_file():
            what = "repository" if folder.is_dir() else "folder"
            raise FileProblem(folder, f"is no {what}; `git init --bare FOLDER` makes a repository")
        self._write({**remotes, name: remote})

    def remove(self, name: str) -> NamedRemote:
        """Remove a remote; memories fetched from it stay."""
        found, remote = self.find(name)
        self._write({key: value for key, value in self.all().items() if key != found})
        return remote

    def _write(self, remotes: dict[str, NamedRemote]) -> None:
        files.private_folder(self._home.config)
        values = {name: remote.model_dump(exclude_defaults=True) for name, remote in remotes.items()}
        files.write_atomic(self.path, json.dumps(values, indent=2, ensure_ascii=False).encode() + b"\n")


def open_remote(name: str, remote: NamedRemote, home: Home, author: str, machine: str) -> Remote:
    """The remote for a configuration, not opened yet; refused if a program or library it needs is missing."""
    if _POSTGRES.match(remote.url):
        from memtui.share.postgres import PostgresRemote

        return PostgresRemote(remote.url, name)
    folder = home.cache / "sharing" / place_of(home, name, remote).with_suffix(".git").name
    return GitRemote(remote.url, folder, author=author, machine=machine, name=name)


def place_of(home: Home, name: str, remote: NamedRemote) -> Path:
    """The path of what this machine knows of a remote, without a suffix; different for each address."""
    return home.data / "sharing" / f"{name}-{sha256(remote.url.encode()).hexdigest()[:8]}"


def this_machine(home: Home) -> str:
    """The unique name of this machine for sharing, created once."""
    path = home.data / "machine"
    if not path.exists():
        host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().partition(".")[0].lower())[:30].strip("-")
        files.private_folder(home.data)
        made = f"{host or 'machine'}-{os.urandom(2).hex()}\n"
        files.create_exclusive(path, made.encode(), within=home.data)
    name = files.read_within(path, home.data, limit=1 << 10).decode("utf-8", "replace").strip()
    if not MACHINE.fullmatch(name):
        raise FileProblem(path, "is broken: a machine's name has small letters, digits and hyphens")
    return name


def this_author() -> str:
    with suppress(KeyError, OSError):
        return getuser()
    return ""
