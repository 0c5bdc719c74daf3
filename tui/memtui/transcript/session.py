"""A session as a whole: place and time, its two ends, its summary for lists, its subagents' transcripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from memtui.ground.text import opening
from memtui.secrets.private import without_private
from memtui.secrets.secrets import masked
from memtui.transcript import events
from memtui.transcript.events import Boundary, Call, Event, Queued, Request, Result, Title, Words, events_of
from memtui.transcript.lines import Record, branch_of, fields_in, only_record, read_lines, text_in, time_of
from memtui.transcript.records import ContextSize
from memtui.transcript.shell import EDIT_TOOLS
from memtui.transcript.short_text import without_persona


class Setting:
    """Tracks the fields that records repeat. The last non-empty value wins."""

    def __init__(self) -> None:
        self.versions: dict[str, None] = {}
        self.models: dict[str, None] = {}
        self.folders: dict[str, None] = {}
        self.branches: dict[str, None] = {}
        self.folder = self.branch = self.started = self.ended = ""
        self._session = self._model = ""
        self._repeated: tuple[Any, ...] = ()
        self._sessions: dict[str, None] = {}
        self.context_sizes: list[ContextSize] = []

    def take(self, record: Record) -> str:
        """Record the fields of a record; returns its timestamp, "" when it has none."""
        repeated = record.get("sessionId"), record.get("cwd"), record.get("gitBranch"), record.get("version")
        if repeated != self._repeated:
            self._repeated = repeated
            self._changed(*(value if isinstance(value, str) else "" for value in repeated))
        value = time_of(record)
        if not value:
            return ""
        # Records are not always in chronological order.
        if value > self.ended:
            self.ended = value
        if value < self.started or not self.started:
            self.started = value
        return value

    def _changed(self, session: str, folder: str, branch: str, version: str) -> None:
        self._session, self.folder = session or self._session, folder or self.folder
        self.branch = branch or self.branch
        seen = (self._sessions, self.folders, self.branches, self.versions)
        for known, value in zip(seen, (session, folder, branch, version), strict=True):
            if value:
                known[value] = None

    def request(self, request: Request, timestamp: str) -> None:
        if request.model not in ("", self._model):
            self._model = request.model
            self.models[request.model] = None
        if request.tokens:
            self.context_sizes.append(ContextSize(timestamp, request.tokens))

    def session(self, stem: str) -> str:
        """The session's id.

        The records of a resumed or forked session may carry its parent's id, too: the file is named after its
        own. If no record has that one, the last id counts.
        """
        return stem if stem in self._sessions else self._session or stem


_ENDS = 64 * 1024
_FAMILY = re.compile(r"\b(opus|sonnet|haiku)\b")


class SessionHead(NamedTuple):
    """The values for a session's title; "" for those found at neither end of the file."""

    model: str = ""
    """Short name: ``opus``; the whole name for models of other makers."""
    started: str = ""
    ended: str = ""
    name: str = ""


def session_head(path: Path, end: int) -> SessionHead:
    """Read both ends of a transcript; at the later one from `end`, where a line begins."""
    model = started = ended = ""
    reading = _Reading()
    for line in islice(read_lines(path, stop=_ENDS), 50):
        for record in line.records:
            started = started or time_of(record)
            reading.take(record)
    asked = reading.summary.first_ask
    for line in read_lines(path, start=end):
        for record in line.records:
            reading.take(record)
            ended, name = max(ended, time_of(record)), text_in(fields_in(record, "message"), "model")
            if name and name != "<synthetic>" and record.get("isSidechain") is not True:
                model = name
    family = _FAMILY.search(model)
    reading.summary.first_ask = asked  # what was asked late does not name it, as a title does
    model = family[1] if family else model
    return SessionHead(model, started or ended, ended or started, reading.summary.name)


_TELLING = 3  # the least words of a request by which a session is named
_STAMP = b'"timestamp":'


@dataclass
class SessionSummary:
    """One session in a few fields."""

    title: str = ""
    first_ask: str = ""
    """The beginning of the first prompt, with secrets masked and without private parts, like the title."""
    started: str = ""
    ended: str = ""
    turns: int = 0
    tokens: int = 0
    """Size of the context at the last request to the model."""
    compactions: int = 0
    files: tuple[str, ...] = ()
    """Files modified by the session's own calls."""
    branch: str = ""
    folder: str = ""
    end: int = 0
    """Number of bytes read."""

    @property
    def name(self) -> str:
        """Claude Code's title, else what was asked first, a bare command with its branch; "" for neither."""
        name = opening(without_persona(self.title or self.first_ask))
        return f"{name} · {self.branch}" if _is_command(name) and self.branch else name


def summarize(path: Path, cancelled: Callable[[], bool] = lambda: False) -> SessionSummary:
    """The summary of a transcript; only of a part of it if `cancelled`, which is polled, returns True."""
    reading = _Reading()
    for line in read_lines(path, skip=reading.passes_over):
        if cancelled():
            break
        for record in line.records:
            reading.take(record)
        reading.summary.end = line.end
    return reading.finish()


class _Reading:
    def __init__(self) -> None:
        self.summary = SessionSummary()
        self._files: dict[str, None] = {}
        self._waiting: dict[str, str] = {}
        """Edits without a result yet: the file by the id of the call."""
        self._usage = b""

    def passes_over(self, row: bytes) -> bool:
        """Whether a line need not be parsed, as most; takes its time."""
        self.summary.started = self.summary.started or _stamp(row)
        self.summary.ended = max(self.summary.ended, _stamp(row))
        if b'"usage"' in row:
            self._usage = row
        if not self.summary.folder or events.may_ask(row) or b'"compact_boundary"' in row:
            return False
        if b'"ai-title"' in row or b'"custom-title"' in row:
            return False
        if b'"tool_use_id"' in row:
            return not any(name.encode() in row for name in self._waiting)
        return not (b'"tool_use"' in row and (b'Edit"' in row or b'"Write"' in row))

    def take(self, record: Record) -> None:
        summary = self.summary
        self._place(record)
        for event in events_of(record):
            if isinstance(event, Title):
                summary.title = _safe(event.text)
            elif isinstance(event, Boundary):
                summary.compactions += 1
            elif isinstance(event, (Words, Queued)) and events.is_ask(event):
                summary.turns += 1
                summary.first_ask = better_name(summary.first_ask, _safe(event.text))
            else:
                self._edited(event)

    def _place(self, record: Record) -> None:
        self.summary.folder = self.summary.folder or text_in(record, "cwd")
        self.summary.branch = branch_of(record) or self.summary.branch

    def _edited(self, event: Event) -> None:
        """Record an edit by the session itself, once its result confirms it."""
        if isinstance(event, Call) and event.name in EDIT_TOOLS and not event.agent:
            path = event.input.get("file_path") or event.input.get("notebook_path")
            if isinstance(path, str):
                self._waiting[event.id] = path
        elif isinstance(event, Result):
            path = self._waiting.pop(event.id, "")
            if path and not event.failed and len(self._files) < 2_000:
                self._files[path] = None

    def finish(self) -> SessionSummary:
        if self._usage and (record := only_record(self._usage)) is not None:
            self._place(record)
            request = events.request_of(record)
            self.summary.tokens = request.tokens if request else 0
        self.summary.files = tuple(self._files)
        return self.summary


def better_name(name: str, ask: str) -> str:
    """The name of a session without a title after one more request, masked: the first that is no command.

    A command with at most an argument or two says little, "continue" less.
    """
    words = len(ask.split())
    telling = (words >= _TELLING or not ask.isascii()) and not _is_command(ask)
    return ask if not name or (_is_command(name) and telling) else name


def _is_command(text: str) -> bool:
    return text.startswith("/") and len(text.split()) <= _TELLING


def _safe(text: str) -> str:
    """The beginning of a text, masked before it is cut, as half a secret is not recognised."""
    return masked(text.strip())[:300]


def _stamp(row: bytes) -> str:
    at = row.rfind(_STAMP)
    _, quote, found = row[at + len(_STAMP) :].partition(b'"') if at >= 0 else (b"", b"", b"")
    return without_private(found.partition(b'"')[0].decode("ascii", "replace")) if quote else ""


def last_time(path: Path) -> str:
    """The time of a transcript's last record, read from its last bytes; "" if they have none."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _ENDS))
        return max(filter(None, map(_stamp, file.read().split(b"\n"))), default="")


_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\]+)"')
_LIMIT = 1_000
_START = 4 << 10  # number of bytes in which a subagent's transcript names its session


def agent_transcripts(path: Path, agents: Collection[str]) -> Iterator[tuple[str, Path]]:
    """The transcripts of a session's subagents: id and file of each; its lines name `agents`.

    Newer versions keep them in ``<session>/subagents/agent-*.jsonl``, older ones next to the session's own
    file; there a transcript counts if it names the session, or the session names it.
    """
    folder = path.with_suffix("") / "subagents"
    seen: set[str] = set()
    inside, beside = list[Path](), list[Path]()
    with suppress(OSError):
        inside = sorted(folder.rglob("agent-*.jsonl"))[:_LIMIT] if folder.is_dir() else []
        beside = _by_session(path.parent, path.parent.stat().st_mtime_ns).get(path.stem, [])
    named = [path.parent / f"agent-{agent}.jsonl" for agent in agents if _NAME.fullmatch(agent)]
    for file in (*inside, *named, *beside):
        agent = file.stem.removeprefix("agent-")
        if agent not in seen and file != path and file.is_file() and not file.is_symlink():
            seen.add(agent)
            yield agent, file


@lru_cache(maxsize=256)
def _by_session(folder: Path, _changed: int) -> dict[str, list[Path]]:
    """The transcripts of subagents in a folder, by the session that their first lines name."""
    found: dict[str, list[Path]] = {}
    for file in sorted(folder.glob("agent-*.jsonl"))[:_LIMIT]:
        with suppress(OSError), file.open("rb") as opened:
            if named := _SESSION.search(opened.read(_START)):
                found.setdefault(named[1].decode("utf-8", "replace"), []).append(file)
    return found


def worker_of(result: Result) -> str:
    """The subagent that a result reports on; "" for none."""
    agent = text_in(result.fields, "agentId")
    return agent if _NAME.fullmatch(agent) else ""


def first_words(transcript: Path) -> str:
    for line in read_lines(transcript, stop=64 << 10):
        for record in line.records:
            if record.get("type") == "user" and (text := events.task_of(record)):
                return masked(text)[:300]
    return ""
