"""Claude's own memories in ``memtui memory``: list --claude, show NAME, check, and undelete NAME."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from memtui.cli import output
from memtui.cli.output import print_document, print_groups, print_json, print_result, say
from memtui.ground.clock import local_minute, parse_iso, system_clock
from memtui.ground.files import FileMissing
from memtui.ground.project import Places
from memtui.ground.text import counted, one_line
from memtui.secrets.secrets import masked
from memtui.store.claude_history import ClaudeHistory, Version
from memtui.store.claude_memory import ClaudeMemories, ClaudeMemory, Trouble

_STORED_ID = re.compile(r"(?i)(?:CMEM-?)?\d|CMEM")
_LONGEST = 200
_COLUMNS = ("Name", "Time", "Type", "State", "Description")


def is_claudes(name: str) -> bool:
    """Whether a name cannot be the beginning of a Recovery ID."""
    return _STORED_ID.match(name) is None


def print_list(places: Places, *, trash: bool, as_json: bool) -> None:
    """Print Claude's memories of a project, or those in the trash."""
    memories = ClaudeMemories(places, system_clock)
    if trash:
        deleted = memories.deleted()
        names = "\n".join(each.file.stem for each in deleted)
        gone = [{"name": each.file.stem, "path": str(each.file)} for each in deleted]
        print_result({"memories": gone}, names or "No memory of Claude's is in the trash.", as_json)
        return
    found = memories.entries()
    troubles = memories.troubles(found)
    rows = [
        (each.name, local_minute(each.changed), each.kind, _state(each, troubles), masked(each.description))
        for each in found
    ]
    values = {"folder": str(memories.folder), "memories": [_as_json(each, troubles) for each in found]}
    nothing = f"Claude has written no memories for {places.project.name}; it keeps them in {memories.folder}."
    output.print_list(values, _COLUMNS, rows, nothing, as_json, flexible=4)


def _state(memory: ClaudeMemory, troubles: Sequence[Trouble]) -> str:
    own = sum(each.file == memory.path.name and not each.hint for each in troubles)
    seen = memory.seen if memory.seen != "seen" else ""
    return ", ".join(filter(None, (seen, counted(own, "trouble") if own else "")))


def _as_json(memory: ClaudeMemory, troubles: Sequence[Trouble]) -> dict[str, Any]:
    return {
        "name": memory.name,
        "path": str(memory.path),
        "type": memory.kind,
        "description": masked(memory.description),
        "changed": memory.changed.isoformat(timespec="seconds"),
        "seen": memory.seen,
        "troubles": [each.text for each in troubles if each.file == memory.path.name],
    }


def print_memory(places: Places, name: str, *, as_json: bool) -> None:
    """Print a memory of Claude's: where it comes from, its versions, what is wrong with it, and its text."""
    memories = ClaudeMemories(places, system_clock)
    memory = memories.get(name)
    troubles = memories.troubles(memories.entries())
    history = ClaudeHistory(places, memories.folder)
    history.read()
    versions = history.versions(memory.path, memory.text)
    readers, sessions = history.recalls(memory.path)
    if as_json:
        shown: dict[str, Any] = {"memory": _as_json(memory, troubles)}
        shown["versions"] = [_version_json(each, history) for each in versions]
        print_json(shown | {"recalled": {"sessions": readers, "of": sessions}, "text": masked(memory.text)})
        return
    about = [memory.description, f"type: {memory.kind}" if memory.kind else "", str(memory.path)]
    if memory.kind != "index":
        about.append(f"recalled in {readers} of {sessions} recent session{'s' * (sessions != 1)}")
    wrong = [each.text for each in troubles if each.file == memory.path.name]
    groups = [
        (memory.name, [masked(each) for each in about if each]),
        ("Versions", [_version_line(each, history) for each in versions]),
        ("Troubles", wrong),
    ]
    print_groups([(title, items) for title, items in groups if items])
    say()
    print_document(masked(memory.text))


def _version_line(version: Version, history: ClaudeHistory) -> str:
    if version.transcript is None:
        return version.how
    title, after = history.origin(version)
    at = parse_iso(version.timestamp)
    said = f', after: "{one_line(masked(after))[:_LONGEST]}"' if after else ""
    when = f"{local_minute(at)} " if at else ""
    return f'{when}{version.how} in "{one_line(masked(title))[:_LONGEST]}" (L{version.line}){said}'


def _version_json(version: Version, history: ClaudeHistory) -> dict[str, Any]:
    title, after = history.origin(version)
    return {
        "how": version.how,
        "session": version.transcript.stem if version.transcript else "",
        "title": masked(title),
        "line": version.line,
        "timestamp": version.timestamp,
        "after": masked(after),
        "text": None if version.text is None else masked(version.text),
    }


def print_check(places: Places, *, as_json: bool) -> None:
    """Print what is wrong with Claude's memories of a project; exit code 1 if anything is."""
    memories = ClaudeMemories(places, system_clock)
    found = memories.entries()
    troubles = memories.troubles(found)
    wrong = [each for each in troubles if not each.hint]
    if as_json:
        print_json({"folder": str(memories.folder), "troubles": [each._asdict() for each in troubles]})
    else:
        for each in troubles:
            say(f"{each.file} {each.text}{' (a hint)' if each.hint else ''}.")
        if not troubles:
            number = counted(sum(each.kind != "index" for each in found), "memory", "memories")
            say(f"Nothing is wrong in {memories.folder} ({number}).")
    if wrong:
        raise click.exceptions.Exit(1)


def undelete(places: Places, name: str) -> str:
    """Bring the memory of Claude's that was deleted last under a name back; returns its path."""
    memories = ClaudeMemories(places, system_clock)
    for each in memories.deleted():
        if name in (each.file.stem, each.file.name):
            memories.undelete(each)
            return str(each.file)
    reason = f"has had no memory {name!r}: see `memtui memory list --trash`, or add --claude"
    raise FileMissing(memories.folder, reason)
