"""A full disk and a write limit at every place of an archive run: what is not whole is never called whole."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.files import FileProblem
from memtui.ground.project import Places, Project, memtui_home, transcript_slug
from memtui.plugin.doctor import check_archive
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings, answer_keeping
from memtui.store.session_list import SessionList
from tests.faults import watched

NOW = datetime(2026, 3, 5, tzinfo=UTC)


class Place:
    """A session and its subagent; a part of them is kept if they have grown since."""

    def __init__(self, folder: Path, *, grown: bool = True, lines: int = 60) -> None:
        root = folder / "p"
        root.mkdir()
        record = {"type": "user", "cwd": str(root), "message": {"content": "x" * 300}}
        words = [json.dumps({**record, "uuid": f"{number}"}) + "\n" for number in range(lines)]
        home = memtui_home({"MEMTUI_HOME": str(folder / "memtui")})
        self.places = Places(Project(root), home, folder / "claude")
        self.transcript = folder / "claude" / "projects" / transcript_slug(root) / "s-1.jsonl"
        self.agent = self.transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
        self.agent.parent.mkdir(parents=True)
        self.archive = Archive(home)
        answer_keeping(home, True)
        self.safe: dict[Path, bytes] = {}
        if grown:
            self.transcript.write_text("".join(words[: lines // 3]))
            self.agent.write_text("".join(words[: lines // 12]))
            self.keep()
            self.safe = self.kept()
        self.transcript.write_text("".join(words))
        self.agent.write_text("".join(words[: lines // 6]))

    def keep(self) -> None:
        """Archive the session."""
        self.archive.keep(self.transcript, ArchiveSettings())

    @property
    def sources(self) -> dict[Path, bytes]:
        """What is to be kept."""
        return {each: each.read_bytes() for each in (self.transcript, self.agent)}

    def kept(self) -> dict[Path, bytes]:
        """The content of each archived file by the path of the original; verify has to pass."""
        kept = self.archive.find("s-1")
        problem = self.archive.verify(kept)
        assert not problem, problem
        return {each.source: b"".join(each.parts()) for each in kept.copies}

    def assert_claims(self, where: str) -> None:
        """Each of verify, sessions, doctor and restore calls whole only what was kept to the last byte."""
        sources = self.sources
        entries = self.archive.entries()
        whole = [each for each in entries if not each.problem]
        verified = [each for each in entries if not self.archive.verify(each)]
        listing = SessionList(self.places, lambda: NOW)
        (session,) = listing.entries()
        said = " ".join(each.message for each in check_archive(self.places, lambda: NOW))
        assert bool(whole) == bool(verified) == session.archived == ("1 session kept" in said), where
        assert bool(entries) == (session.archived or session.incomplete), where
        for path in sources:
            path.unlink()
        if entries:
            with suppress(FileProblem):
                self.archive.restore(entries[0])
                assert verified, where
        for path, data in sources.items():
            if path.exists():  # the whole, or what an earlier run has kept
                assert path.read_bytes() in (data, self.safe.get(path)), where
            path.write_bytes(data)

    def assert_completed(self, where: str) -> None:
        """The next run completes the copy."""
        self.keep()
        assert self.kept() == self.sources, where


@contextmanager
def write_limit(size: int) -> Iterator[None]:
    """No file may get larger than this, as with `ulimit -f`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def disk_full(after: int) -> Iterator[None]:
    """Every write fails after so many that succeed; the one before leaves half of its data."""
    real, calls = os.write, 0

    def call(fd: int, data: Any) -> int:
        nonlocal calls
        calls += 1
        if calls <= after:
            return real(fd, data)
        if calls == after + 1 and len(data) > 1:
            return real(fd, bytes(data)[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", call)
        yield


def failing_call(at: int) -> AbstractContextManager[list[str]]:
    """The call into the system with this number fails for lack of space, and no other; yields the calls."""

    def before(number: int, name: str) -> None:
        if number == at + 1 and name in {"open", "write", "fsync", "mkdir", "link", "replace", "close"}:
            raise OSError(errno.ENOSPC, "No space left on device")

    return watched(before)


def sweep(
    folder: Path, fault: Callable[[int], AbstractContextManager[list[str] | None]], step: int, **place: Any
) -> int:
    """Archive with the fault at 0, `step` and so on, until there is none; returns the number of tries."""
    for number in count():
        at, inside, refused = number * step, folder / f"{fault.__name__}-{number}", False
        where = f"{fault.__name__}({at})"
        inside.mkdir()
        one = Place(inside, **place)
        with fault(at) as calls:
            try:
                one.keep()
            except FileProblem:
                refused = True
        if refused:
            one.assert_claims(where)
        else:
            assert one.kept() == one.sources, where
        one.assert_completed(where)
        shutil.rmtree(inside)
        if len(calls) <= at if calls is not None else not refused:
            return number
    raise AssertionError
