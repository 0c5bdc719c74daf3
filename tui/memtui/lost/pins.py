"""Pins: lines that must never be lost, in two files that the user may edit. Standard library only.

The project's file may come with a clone, written by anyone: its lines only count once this user has written
them with memtui or confirmed them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memtui.documents.pins import Pin, parse_pins, with_pin, without_pin
from memtui.ground import files
from memtui.ground.clean import clean_line
from memtui.ground.files import FileMissing, FileProblem
from memtui.ground.project import Home, Project
from memtui.secrets.secrets import masked
from memtui.store.confirmed_pins import Confirmed

ROOM = 2_000
"""Maximum length of all pins together, the project's and the user's, in characters."""
_LIMIT = 64 << 10


class Pinned(NamedTuple):
    """A pin and its scope."""

    pin: Pin
    everywhere: bool
    """Whether it is one of the user's own, for all projects."""
    confirmed: bool
    """Whether this user has written or confirmed it; the others are shown, and not handed to Claude."""


class Pins:
    """The pins for a project."""

    def __init__(self, project: Project, home: Home) -> None:
        self._project = project
        self._home = home

    def path(self, *, everywhere: bool) -> Path:
        return self._home.pins if everywhere else self._project.pins

    def all(self) -> list[Pinned]:
        """The project's pins, then the user's own; a `FileProblem` if a file exists and cannot be read."""
        return [*self.of(everywhere=False), *self.of(everywhere=True)]

    def of(self, *, everywhere: bool) -> list[Pinned]:
        """Those of one file, none without it; raises as `all` does."""
        path, pins = self.path(everywhere=everywhere), list[Pin]()
        with suppress(FileMissing):
            pins = parse_pins(_text(files.read_within(path, self._root(everywhere), limit=_LIMIT)))
        confirmed = Confirmed(self._home) if pins and not everywhere else ()
        return [Pinned(pin, everywhere, everywhere or pin.text in confirmed) for pin in pins]

    def active(self) -> list[Pinned]:
        """Those of `all` that Claude is handed."""
        return [each for each in self.all() if each.confirmed]

    def confirm(self, texts: Iterable[str], at: datetime | None = None) -> None:
        """Confirm lines of the project's file, or of any other: from now on they are pins of this user."""
        Confirmed(self._home).add(texts, at)

    def add(self, pin: Pin, *, everywhere: bool = False) -> Pin:
        """Pin a line with its secrets masked; returns the stored pin. One from the repository is confirmed.

        A `FileProblem` if it is empty, already pinned, or does not fit.
        """
        pin = pin._replace(text=clean_line(masked(pin.text)))
        path = self.path(everywhere=everywhere)
        known = self.all()
        if not pin.text:
            raise FileProblem("A pin", "cannot be empty")
        if any(each.pin.text == pin.text and each.confirmed for each in known):
            raise FileProblem(f"“{_short(pin.text)}”", "is pinned already")
        total = sum(len(each.pin.text) for each in known if each.confirmed) + len(pin.text)
        if total > ROOM:
            reason = (
                f"has no room: pins have {ROOM:,} characters together, with this one {total:,}; remove one"
            )
            raise FileProblem(path, reason)
        if not everywhere:
            self.confirm([pin.text])
        if everywhere or all(each.pin.text != pin.text for each in known):
            self._change(everywhere, lambda text: with_pin(text, pin))
        return pin

    def remove(self, words: str, *, everywhere: bool | None = None) -> None:
        """Remove the first pin with this text, from only one of the files if `everywhere` is given.

        A `FileProblem` if there is none.
        """
        known = self.all()
        where = (False, True) if everywhere is None else (everywhere,)
        fits = (each for each in known if each.pin.text == words and each.everywhere in where)
        found = next(fits, None)
        if found is None:
            raise FileProblem(f"“{_short(words)}”", "is not pinned; give a pin's whole text or its number")
        self._change(found.everywhere, lambda text: without_pin(text, words))

    def _change(self, everywhere: bool, change: Callable[[str], str]) -> None:
        path, root = self.path(everywhere=everywhere), self._root(everywhere)
        if everywhere:
            files.private_folder(path.parent, within=files.existing_above(root))
        else:
            files.shared_folder(path.parent, within=root)
        mode = 0o600 if everywhere else 0o644
        files.edit(path, lambda data: change(_text(data)).encode(), within=root, limit=_LIMIT, mode=mode)

    def _root(self, everywhere: bool) -> Path:
        return self._home.data if everywhere else self._project.root


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39].rstrip() + "…"
