"""Finding a session by its id, the beginning of an id, or its transcript."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memtui.ground.clean import clean_line
from memtui.ground.files import FileMissing, FileProblem
from memtui.ground.project import Places, Project, current_session, expanded, find_root
from memtui.store.archive import Archive, only_one
from memtui.store.transcripts import Sources, TranscriptGone, TranscriptStore, check_transcript
from memtui.transcript.paths import is_inside
from memtui.transcript.records import Facts


class SeveralProjects(FileProblem):
    """A folder is no project itself, but holds some."""


def find_transcript(places: Places, session: str = "") -> Path:
    """The transcript of a session of the project.

    It is named by its id, the beginning of one, the path of a transcript, or a subagent's name
    (``agent-a41f3dc``); by default it is the session that started this process, else the newest.
    """
    if session.endswith(".jsonl"):
        path = expanded(session)
        if not path.is_file():
            raise FileProblem(path, "is not a file; name a transcript or a session's id")
        return path
    if session.startswith("agent-"):
        entries = Sources(places.home, places.claude).entries()
        agents = [path for path in map(Path, entries) if path.stem == session]
        if len(agents) != 1:
            how_many = "several subagents" if agents else "no subagent"
            raise FileProblem(places.project.root, f"has {how_many} of this name: {session}")
        return Archive(places.home).readable_at(agents[0])
    found = transcripts_of(places)
    named, archived = named_session(places, found, session)
    return archived or found[named]


def captured_transcript(places: Places, path: str) -> Path:
    """The transcript named by a capture: Claude Code's own, else a copy unpacked from the archive."""
    try:
        return check_transcript(path, places.claude)
    except TranscriptGone:
        with suppress(FileMissing):
            return Archive(places.home).readable_at(expanded(path.strip()))
        raise


def transcripts_of(places: Places) -> dict[str, Path]:
    """The project's transcripts by session, newest first."""
    found: dict[str, Path] = {}
    for entry in TranscriptStore(places.project, places.claude).entries():
        found.setdefault(entry.session_id, entry.path)
    return found


def refuse_several(places: Places) -> None:
    """Raise `SeveralProjects` for a folder that holds several: it has no sessions of its own."""
    below = list[Path]()
    with suppress(FileProblem):  # what needs the transcripts says so itself
        below = TranscriptStore(places.project, places.claude).projects_below()
    if below:
        more = f" and {len(below) - 5} more" if below[5:] else ""
        names = ", ".join(clean_line(each.name) for each in below[:5])
        reason = f"is not a project; below it are {names}{more}: go to one, or name it with --root"
        raise SeveralProjects(places.project.root, reason)


def named_session(places: Places, sessions: Iterable[str], session: str) -> tuple[str, Path | None]:
    """The one of `sessions` that begins with `session`, by default this process's own, else the first.

    If none is meant it may be an archived one, which comes with its transcript, unpacked.
    """
    names = list(dict.fromkeys(sessions))
    if not session:
        if not names:
            reason = "has no session: Claude Code was not used here, or its transcripts are gone"
            raise FileProblem(places.project.root, reason)
        here = current_session()
        if here not in names:
            refuse_several(places)
        return here if here in names else names[0], None
    try:
        return only_one(names, session, places.project.root), None
    except FileProblem as problem:
        archive = Archive(places.home)
        try:
            kept = archive.find(session)
        except FileProblem:  # none, or several
            raise problem from None
        return kept.session_id, archive.readable(kept)


def refuse_strange(transcript: Path, facts: Facts) -> None:
    """Refuse a file that is not a transcript: its empty facts would look like a session."""
    if facts.lines and facts.skipped_lines == facts.lines:
        lines = f"not one of its {facts.lines} lines is" if facts.lines > 1 else "its one line is not"
        raise FileProblem(transcript, f"is not a transcript: {lines} JSON")


def session_root(facts: Facts, project: Project) -> Path:
    """The root for a session's paths: the project's, unless the session worked elsewhere."""
    root = str(project.root)
    if not facts.cwds or any(is_inside(cwd, root) for cwd in facts.cwds):
        return project.root
    if any(Path(cwd).is_dir() and find_root(Path(cwd)) == project.root for cwd in facts.cwds):
        return project.root
    first = Path(facts.cwds[0])
    return find_root(first) if first.is_dir() else first
