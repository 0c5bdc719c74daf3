"""Forgetting a session: deleting its stored data, and naming the rest."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memtui.ground.files import FileProblem, writing
from memtui.ground.project import Places, Project, find_root, session_key
from memtui.ground.text import counted
from memtui.lost.pins import Pins
from memtui.store.archive import Archive, Kept
from memtui.store.search_index import SearchIndex
from memtui.store.session_list import session_tree
from memtui.store.transcripts import all_transcripts, first_cwd


@dataclass(frozen=True)
class Traces:
    """The stored data of a session."""

    session_id: str
    copies: tuple[Kept, ...]
    """In the archive."""
    paths: tuple[Path, ...]
    """Files and folders to delete: captures, marks, states, waiting messages and requests."""
    indexed: bool
    """Whether the search index has it."""
    stays: tuple[str, ...]
    """Data that is not deleted, each as a phrase."""

    @property
    def is_empty(self) -> bool:
        return not self.copies and not self.paths and not self.indexed


def traces_of(places: Places, session_id: str) -> Traces:
    """All data that memtui has of a session."""
    home, key = places.home, session_key(session_id)
    copies = tuple(each for each in Archive(home).entries() if each.session_id == session_id)
    live = [each.path for each in all_transcripts(places.claude) if each.session_id == session_id]
    stays = [f"Claude Code's own transcript, which a search reads anew: {path}" for path in live]
    found: list[Path] = []
    # It may have left something in the project that it was started in, and in this one.
    whole = [Archive(home).readable(each) for each in copies if not each.problem]
    folders = map(first_cwd, (*live, *whole))
    roots = {find_root(folder) for folder in folders if folder is not None and folder.is_dir()}
    others = sorted(roots - {places.project.root})
    for project in (places.project, *map(Project, others)):
        tree = session_tree(project, home, session_id, ())
        found += [each.entry.path for each in tree.captures]
        old = project.compacts / f"{session_key(session_id)}-kept.md"  # written by versions before 0.2
        found += [old] if old.is_file() else []
        made = (*tree.memories, *(memory for each in tree.captures for memory in each.memories))
        stays += [f"a memory that was made of it: {each.path}" for each in made]
        stays += _pinned(Pins(project, home), session_id)
    found += [each for each in (home.states / key, home.handover / key) if each.is_dir()]
    asked = home.state / "asked" / f"{key}.json"
    found += [asked] if asked.is_file() else []
    stays.append(f"its id, in the log of the hooks: {home.hook_log}")
    indexed = SearchIndex(places).has(session_id)
    return Traces(session_id, copies, tuple(found), indexed, tuple(dict.fromkeys(stays)))


def _pinned(pins: Pins, session_id: str) -> Iterator[str]:
    """A phrase for each file with pins that name the session."""
    for everywhere in (False, True):
        named = [each.pin.session for each in pins.all() if each.everywhere is everywhere]
        if number := sum(bool(each) and session_id.startswith(each) for each in named):
            path = pins.path(everywhere=everywhere)
            yield f"{counted(number, 'pin')} that came of it, which `memtui pin --remove` deletes: {path}"


def forget(places: Places, traces: Traces) -> list[str]:
    """Delete the data; returns a sentence for each failure."""
    archive, failed = Archive(places.home), []
    acts: list[Callable[[], object]] = [partial(archive.remove, kept) for kept in traces.copies]
    acts += [partial(_delete, path) for path in traces.paths]
    for act in [*acts, SearchIndex(places).delete] if traces.indexed else acts:
        try:
            act()
        except FileProblem as problem:
            failed.append(f"{problem}.")
    with suppress(OSError):
        places.home.session_cache.unlink(missing_ok=True)  # the session's entry is recreated if needed
    return failed


def _delete(path: Path) -> None:
    with writing(path):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
