"""Pins: lines that must never be lost, in two files that the user may edit. Standard library only.

The project's file may come with a clone, written by anyone: its lines only count once this user has written
them with memtui or confirmed them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memtui.documents.pins import Pin, parse_pins, with_pin, without_pin
from memtui.ground.clean import clean_line
from memtui.ground.files import (
    FileChanged,
    FileMissing,
    FileProblem,
    create_exclusive,
    existing_above,
    private_folder,
    read_within,
    shared_folder,
    write_atomic,
)
from memtui.ground.project import Home, Project
from memtui.secrets.secrets import masked
from memtui.store.confirmed_pins import Confirmed

ROOM = 2_000
"""Maximum length of all pins together, the project's and the user's, in characters."""


class PinProblem(FileProblem):
    """A pin cannot be added or removed."""


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
        here = parse_pins(self._text(everywhere=False)[0])
        confirmed = Confirmed(self._home) if here else ()
        return [
            *(Pinned(pin, False, pin.text in confirmed) for pin in here),
            *(Pinned(pin, True, True) for pin in parse_pins(self._text(everywhere=True)[0])),
        ]

    def active(self) -> list[Pinned]:
        """Those of `all` that Claude is handed."""
        return [each for each in self.all() if each.confirmed]

    def confirm(self, texts: Iterable[str], at: datetime | None = None) -> None:
        """Confirm lines of the project's file, or of any other: from now on they are pins of this user."""
        Confirmed(self._home).add(texts, at)

    def add(self, pin: Pin, *, everywhere: bool = False) -> Pin:
        """Pin a line with its secrets masked; returns the stored pin. One from the repository is confirmed.

        A `PinProblem` if it is empty, already pinned, or does not fit.
        """
        pin = pin._replace(text=clean_line(masked(pin.text)))
        path = self.path(everywhere=everywhere)
        known = self.all()
        if not pin.text:
            raise PinProblem(path, "takes no empty pin")
        if any(each.pin.text == pin.text and each.confirmed for each in known):
            raise PinProblem(f"“{_short(pin.text)}”", "is pinned already")
        total = sum(len(each.pin.text) for each in known if each.confirmed) + len(pin.text)
        if total > ROOM:
            reason = (
                f"has no room: pins have {ROOM:,} characters together, with this one {total:,}; remove one"
            )
            raise PinProblem(path, reason)
        if not everywhere:
            self.confirm([pin.text])
        if everywhere or all(each.pin.text != pin.text for each in known):
            self._change(everywhere, lambda text: with_pin(text, pin))
        return pin

    def remove(self, words: str, *, everywhere: bool | None = None) -> None:
        """Remove the first pin with this text, from only one of the files if `everywhere` is given.

        A `PinProblem` if there is none.
        """
        known = self.all()
        files = (False, True) if everywhere is None else (everywhere,)
        fits = (each for each in known if each.pin.text == words and each.everywhere in files)
        found = next(fits, None)
        if found is None:
            raise PinProblem(self.path(everywhere=False), f"has no such pin: {_short(words)}")
        self._change(found.everywhere, lambda text: without_pin(text, words))

    def _change(self, everywhere: bool, change: Callable[[str], str]) -> None:
        path, root = self.path(everywhere=everywhere), self._root(everywhere)
        for _ in range(5):
            text, before = self._text(everywhere)
            after = change(text).encode()
            if before is None:
                if everywhere:
                    private_folder(path.parent, within=existing_above(root))
                else:
                    shared_folder(path.parent, within=root)
                if create_exclusive(path, after, mode=0o600 if everywhere else 0o644, within=root):
                    break
                continue
            try:
                write_atomic(path, after, mode=None, expected=before, within=root)
            except FileChanged:
                continue
            break
        else:
            raise PinProblem(path, "is being written by another program; try again in a moment")

    def _text(self, everywhere: bool) -> tuple[str, bytes | None]:
        return read_pins_file(self.path(everywhere=everywhere), self._root(everywhere))

    def _root(self, everywhere: bool) -> Path:
        return self._home.data if everywhere else self._project.root


def read_pins_file(path: Path, root: Path) -> tuple[str, bytes | None]:
    """The text of a pins file and its bytes; "" and None if there is no file."""
    try:
        data = read_within(path, root, limit=64 << 10)
    except FileMissing:
        return "", None
    return data.decode("utf-8-sig", "replace"), data


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39].rstrip() + "…"
