"""Where Claude's memories come from: the calls in transcripts that wrote, read or deleted them.

Claude Code writes memories with its ordinary tools, so every version stands in a transcript, which is parsed
only where the folder's name occurs in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.ground.files import FileProblem, Signature
from memtui.ground.project import Places
from memtui.store.archive import Archive
from memtui.store.transcripts import Sources, TranscriptStore, is_agent
from memtui.transcript import events
from memtui.transcript.facts import read_facts
from memtui.transcript.files import PUT_BACK, removals
from memtui.transcript.lines import Record, read_lines, text_in, time_of
from memtui.transcript.session import summarize


class Call(NamedTuple):
    """A successful call that read or changed a memory."""

    file: Path
    line: int
    """1-based, in the transcript."""
    timestamp: str
    how: str
    """``read``, ``written``, ``edited`` or ``deleted``."""
    text: str | None = None
    """The new text of a written file, and of an edited one whose result shows it."""
    before: str | None = None
    """The file's text before an edit or a rewriting, where the transcript has it."""


class Version(NamedTuple):
    """A text that a memory had."""

    text: str | None
    """None where it was deleted, or where the transcripts do not show the text."""
    how: str
    """``written``, ``edited``, ``deleted``, or ``changed outside`` for a change that no transcript shows."""
    transcript: Path | None = None
    line: int = 0
    timestamp: str = ""


class ClaudeHistory:
    """The history of one project's memories. Each transcript is read once for as long as it is the same."""

    def __init__(self, places: Places, folder: Path) -> None:
        self._places = places
        self._folder = folder
        self._sources = Sources(places.home, places.claude)
        self._calls: dict[Path, tuple[Signature, list[Call]]] = {}
        self._origins: dict[Path, tuple[str, list[tuple[int, str]]]] = {}

    def read(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Read what is new in the transcripts of the project, archived ones included."""
        own = {folder.name for folder in TranscriptStore(self._places.project, self._places.claude).folders()}
        own.add(self._folder.parent.name)
        projects = self._places.claude / "projects"
        archive = Archive(self._places.home)
        known, self._calls = self._calls, {}
        for source, entry in self._sources.entries().items():
            path = Path(source)
            ours = path.is_relative_to(projects) and path.relative_to(projects).parts[0] in own
            if cancelled() or not ours:
                continue
            before = known.get(path)
            if before is not None and before[0] == entry.signature:
                self._calls[path] = before
                continue
            self._origins.pop(path, None)
            with suppress(OSError, FileProblem):  # deleted meanwhile
                calls = calls_in(archive.readable_at(path), self._folder)
                self._calls[path] = entry.signature, list(calls)

    def versions(self, file: Path, now: str | None) -> list[Version]:
        """The versions of a memory, oldest first; `now` is its text on the disk, None without a file."""
        calls: list[tuple[str, Path, Call]] = []
        for path, (_, made) in self._calls.items():
            latest = ""  # a transcript's own times may go back
            for call in made:
                latest = max(latest, call.timestamp)
                if call.file == file and call.how != "read":
                    calls.append((latest, path, call))
        found: list[Version] = []
        text: str | None = None
        for _, path, call in sorted(calls, key=lambda each: each[0]):
            if call.before is not None and text is not None and call.before != text:
                found.append(Version(call.before, "changed outside"))
            text = call.text
            found.append(Version(text, call.how, path, call.line, call.timestamp))
        last = found[-1].text if found else None
        if last != now and (found or now is not None):
            found.append(Version(now, "changed outside" if now is not None else "deleted outside"))
        return found

    def origin(self, version: Version) -> tuple[str, str]:
        """The title of the session that led to a version, and the last words of the user before it."""
        if version.transcript is None:
            return "", ""
        if version.transcript not in self._origins:
            with suppress(OSError, FileProblem):
                path = Archive(self._places.home).readable_at(version.transcript)
                asked = [(turn.source.line, turn.ask) for turn in read_facts(path).asked]
                self._origins[version.transcript] = summarize(path).name, asked
        title, asked = self._origins.get(version.transcript, ("", []))
        return title, next((ask for line, ask in reversed(asked) if line <= version.line), "")

    def recalls(self, file: Path) -> tuple[int, int]:
        """Number of the last sessions that read a memory, and of these sessions: ten at the most."""
        sessions = [made for path, made in self._calls.items() if not is_agent(path)]
        last = sorted(sessions, key=lambda made: made[0])[-10:]
        return sum(any(c.how == "read" and c.file == file for c in calls) for _, calls in last), len(last)


def calls_in(transcript: Path, folder: Path) -> Iterator[Call]:
    """The successful calls of a transcript that concern memories in a folder, in order; raises `OSError`."""
    marks = [f"{folder.parent.name}/{folder.name}".encode()]
    waiting: dict[str, list[Call]] = {}
    for line in read_lines(transcript, skip=lambda raw: not any(each in raw for each in marks)):
        for record in line.records:
            # A subagent's progress repeats what its own transcript has.
            for event in events.events_of(record) if record.get("type") in ("user", "assistant") else ():
                if isinstance(event, events.Call):
                    if calls := list(_calls(event, record, line.number, folder)):
                        waiting[event.id] = calls
                elif isinstance(event, events.Result):
                    calls = waiting.pop(event.id, [])
                    yield from [] if event.failed else _with_result(calls, event.fields)
            marks[1:] = [each.encode() for each in waiting]


def _calls(call: events.Call, record: Record, line: int, folder: Path) -> Iterator[Call]:
    stamp, given = time_of(record), call.input
    if call.name == "Bash":
        command = text_in(given, "command").replace("~/", f"{Path.home()}/")
        for gone in removals(command, text_in(record, "cwd") or "/"):
            file = Path(gone.path)
            if file.parent == folder and file.suffix == ".md" and gone.fate != PUT_BACK:
                yield Call(file, line, stamp, "deleted")
        return
    path = Path(text_in(given, "file_path"))
    if path.parent != folder or path.suffix != ".md":
        return
    if call.name == "Read":
        yield Call(path, line, stamp, "read")
    elif call.name == "Write":
        yield Call(path, line, stamp, "written", text=text_in(given, "content"))
    elif call.name in ("Edit", "MultiEdit"):
        yield Call(path, line, stamp, "edited")


def _with_result(calls: Iterable[Call], result: Record) -> Iterator[Call]:
    """Calls with what their result says of the file before and after.

    Claude Code fact (2.1.197, 2.1.332): a memory's front matter is stamped with session and time as it is
    written: the file is not what the call gave, but what the result's `content` and `structuredPatch` say.
    """
    before, content = result.get("originalFile"), result.get("content")
    for call in calls:
        if call.how == "written" and isinstance(content, str):
            call = call._replace(text=content)
        elif call.how == "edited" and isinstance(before, str):
            call = call._replace(text=_patched(before, result.get("structuredPatch")))
        known = isinstance(before, str) and call.how in ("written", "edited")
        yield call._replace(before=before) if known else call


def _patched(text: str, hunks: object) -> str | None:
    """A text after a `structuredPatch`; None where it does not fit."""
    lines, at = text.split("\n"), 0
    patched: list[str] = []
    try:
        for hunk in hunks if isinstance(hunks, list) else ():
            start = hunk["oldStart"] - 1
            patched += lines[at:start]
            at = start + hunk["oldLines"]
            patched += [line[1:] for line in hunk["lines"] if line[:1] in (" ", "+")]
    except (KeyError, TypeError):
        return None
    return "\n".join([*patched, *lines[at:]]) if patched else None
