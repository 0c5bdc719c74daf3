"""Short lists of many files, grouped by folder, with every name unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def grouped(paths: Iterable[str], limit: int) -> str:
    """Paths in one line: ``src/{a.py, b.py}, README.md``, folders in order of appearance.

    Args:
        paths: paths in display form, with ``/``.
        limit: maximum length in characters; the remaining files are counted.
    """
    folders: dict[str, list[str]] = {}
    for path in dict.fromkeys(paths):
        folder, slash, name = path.rpartition("/")
        folders.setdefault(folder + slash, []).append(name)
    parts: list[str] = []
    room = limit
    left = 0
    for folder, names in _groups(folders):
        part = f"{folder}{{{', '.join(names)}}}" if len(names) > 1 else folder + names[0]
        if len(part) + 2 > room:
            fitting = _fitting(folder, names, room)
            left += len(names) - len(fitting)
            if not fitting:
                continue
            part = f"{folder}{{{', '.join(fitting)}}}"
        room -= len(part) + 2
        parts.append(part)
    return ", ".join([*parts, *([f"and {left} more"] if left else [])])


def _groups(folders: dict[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    """Folders with their names; a name without a folder forms its own group."""
    for folder, names in folders.items():
        yield from ((folder, names),) if folder else (("", [name]) for name in names)


def _fitting(folder: str, names: list[str], room: int) -> list[str]:
    """The names of a folder that fit."""
    room -= len(folder) + 4
    fitting = []
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        fitting.append(name)
    return fitting
