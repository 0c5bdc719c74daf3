"""Many files in few words: grouped by folder, every name as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def grouped(paths: Iterable[str], limit: int) -> str:
    """Paths in one line: ``src/{a.py, b.py}, README.md``, folders in order of appearance.

    Args:
        paths: paths as they are to be shown, with ``/``.
        limit: characters of the whole; what does not fit is counted.
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
    """Folders with their names; names without a folder each by itself."""
    for folder, names in folders.items():
        yield from ((folder, names),) if folder else (("", [name]) for name in names)


def _fitting(folder: str, names: list[str], room: int) -> list[str]:
    """As many of a folder's names as there is room for."""
    room -= len(folder) + 4
    fitting = []
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        fitting.append(name)
    return fitting
