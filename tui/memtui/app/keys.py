"""Every key of memtui, from the BINDINGS of the classes that act: README's table, and the user's own keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import Keys

from memtui.app.base import bindings_of, moving, shown

_OWNERS = (
    ("panes.pending", "PendingPane", "Pending", "pane_1"),
    ("panes.memories", "MemoriesPane", "Memories", "pane_2"),
    ("screens.lost", "LostScreen", "the list of losses", "lost"),
    ("panes.commands", "CommandsPane", "Commands", "pane_3"),
    ("panes.state", "StatePane", "Session state", "pane_4"),
    ("browser", "BrowserScreen", "the panes", "back"),
    ("screens.transcript", "TranscriptScreen", "the transcript", "transcript"),
    ("screens.search", "SearchScreen", "search", "search"),
    ("screens.versions", "VersionsScreen", "the versions", "versions"),
    ("screens.review", "ReviewScreen", "a review", "review"),
    ("app", "MemtuiApp", "", ""),
    ("screens.sessions", "SessionsScreen", "the sessions", "sessions"),
)
"""The modules and classes whose keys have ids, in the order of README's table; where they work, and the id of
the key that leads there."""
_MOVING = ("j k ↑ ↓ g G", "move; page up, page down, ctrl+d and ctrl+u work too")
_TOGETHER = (
    ("pane_1", "pane_2", "pane_3", "pane_4"),
    ("newer", "older"),
    ("undo", "redo"),
    ("copy_id", "copy_prompt"),
    ("clear", "clear_all"),
    ("update", "model"),
    ("edit", "export"),
    ("search", "sessions"),
)
MOVING = frozenset(key for each in moving("move") for key in each.key.split(","))
_FIXED = MOVING | {"space", "enter", "ctrl+q", "ctrl+c", "ctrl+p"}
"""Keys that lists and documents move by, and keys of every screen."""
_NAMED = frozenset(key.value for key in Keys if not key.value.startswith("<"))


def identified() -> dict[str, Binding]:
    found: dict[str, Binding] = {}
    for owner in _owners():
        for binding in bindings_of(owner):
            if binding.id:
                found.setdefault(binding.id, binding)
    return found


def where_it_works(key: str, keymap: Mapping[str, str], here: Sequence[DOMNode]) -> str:
    """A sentence that says in which places other than `here` a key works, or what took its place."""
    known = identified()
    found: list[str] = []
    for owner, (_, _, place, way) in zip(_owners(), _OWNERS, strict=True):
        for binding in bindings_of(owner):
            keys = keymap.get(binding.id or "", binding.key).split(",")
            works = key in keys and binding.tooltip and binding.action != "dismiss"
            if works and place and not any(isinstance(each, owner) for each in here):
                found.append(f"{place} ({shown(keymap.get(way, known[way].key))})")
    for name, binding in known.items():
        if name in keymap and key in binding.key.split(","):
            does = binding.description
            return f"{shown(key)} does nothing here: {shown(keymap[name])} is your key for {does}."
    if found:
        return f"{shown(key)} does nothing here, but in {', '.join([*dict.fromkeys(found)][:3])}."
    if len(shown(key)) > 1 or not getattr(here[-1], "about", ""):
        return ""
    return f"{shown(key)} does nothing here: {shown(keymap.get('help', known['help'].key))} shows the keys."


def _owners() -> Iterator[type[DOMNode]]:
    for module, name, _, _ in _OWNERS:
        yield getattr(import_module(f"memtui.app.{module}"), name)


def key_table() -> list[tuple[str, str]]:
    """(key, what it does) for README."""
    rows: dict[str, dict[str, Binding]] = {}
    for each in (each for owner in _owners() for each in bindings_of(owner) if each.id):
        rows.setdefault(each.id or "", {}).setdefault(each.description, each)
    for first, *others in _TOGETHER:
        for name in others:
            rows[first] |= rows.pop(name)
    keys = [" ".join(dict.fromkeys(shown(each.key) for each in row.values())) for row in rows.values()]
    texts = ["; ".join(dict.fromkeys(each.tooltip for each in row.values())) for row in rows.values()]
    return [_MOVING, *zip(keys, texts, strict=True)]


def markdown_key_table() -> str:
    rows = [f"| {' '.join(f'`{key}`' for key in keys.split())} | {text} |" for keys, text in key_table()]
    return "\n".join(("| key | does |", "|---|---|", *rows))


def checked(keys: Mapping[str, object]) -> tuple[dict[str, str], list[str]]:
    """The user's own keys as a keymap of Textual, and a sentence for each that cannot be used."""
    named = (each for owner in _owners() for each in bindings_of(owner) if each.id)
    words = {each.description.lower().replace(" ", "_"): each.id or "" for each in named}
    names = words | {name: name for name in identified()}  # the footer's words, and ids
    keymap, problems = dict[str, str](), list[str]()
    for word, key in keys.items():
        name, canonical = names.get(word, ""), _canonical(key) if isinstance(key, str) else ""
        if not name:
            near = get_close_matches(word, names, 1, cutoff=0)[0]
            problems.append(f"{word!r} is not a command; did you mean {near}?")
        elif not canonical:
            problems.append(f"{name}: {key!r} is not a key. A key is one character, or like f5 or ctrl+x.")
        elif canonical in _FIXED:
            problems.append(f"{name}: {key} moves in lists or works everywhere; choose another key.")
        else:
            keymap[name] = canonical
    while clash := _clash(keymap):
        name, key, other = clash
        problems.append(f"{name}: {key} is the key of {other} in the same place.")
        del keymap[name]
    return keymap, problems


def _clash(keymap: Mapping[str, str]) -> tuple[str, str, str] | None:
    """An own key that is taken in the same place: its id, the key, and whose it is."""
    owners = {owner.__name__: owner for owner in _owners()}
    browser, app = owners["BrowserScreen"], owners["MemtuiApp"]
    for owner in owners.values():
        taken: dict[str, str] = {}
        places = (owner, browser, app) if owner.__module__.startswith("memtui.app.panes.") else (owner, app)
        for binding in (each for place in places for each in bindings_of(place)):
            name = binding.id or binding.description
            for key in keymap.get(binding.id or "", binding.key).split(","):
                other = taken.setdefault(key, name)
                if other != name and {other, name} & keymap.keys():
                    return (name, shown(key), other) if name in keymap else (other, shown(key), name)
    return None


def _canonical(key: str) -> str:
    """Textual's name of a key; "" if invalid."""
    if key == ",":
        return "comma"
    if len(key) == 1 and key.isprintable() and not key.isspace():
        return next(iter(Binding.make_bindings([Binding(key, "", "")]))).key
    return key if key in _NAMED else ""
