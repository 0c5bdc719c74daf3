"""Reading only within an allowed folder, and making private folders without following links."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from memtui.ground.files.atomic import is_temp_name, sweep, write_new, write_temp
from memtui.ground.files.folder import CHECKS_LINKS, READ, Folder, read_up_to, steps_below
from memtui.ground.files.problems import (
    FileNotRegular,
    FileOutside,
    FileProblem,
    FileTooLarge,
    reading,
    writing,
)
from memtui.ground.named import NamedTuple

Signature = tuple[int, int, int]
"""(mtime in ns, size, inode): differs whenever the file has changed; the time alone is not enough"""


class Content(NamedTuple):
    """The content of a file, and its signature."""

    data: bytes
    signature: Signature


def read_within(
    path: Path, root: Path, *, limit: int, follow: bool = True, inside: Path | None = None
) -> bytes:
    """Return the whole content of a regular file that lies in `root` when every link is resolved.

    The path is resolved once if it has links. Its components are opened one within the other, from `root`,
    without following links: a folder that becomes a link meanwhile is refused.

    Args:
        path: the file.
        root: the folder it must be in, which is trusted.
        limit: the most bytes to accept.
        follow: False refuses a file that is itself a link; its folder may still be reached through links.
        inside: a folder in `root` above `path` that must contain the file, too.

    Raises:
        FileMissing, FileOutside, FileNotRegular, FileTooLarge, FileUnreadable: see there.
    """
    return load_within(path, root, limit=limit, follow=follow, inside=inside).data


def load_within(
    path: Path, root: Path, *, limit: int, follow: bool = True, inside: Path | None = None
) -> Content:
    """Like `read_within`, with the signature of the very file that was read."""
    with reading(path):
        fd = _open_within(path, root, follow, inside)
        try:
            status = os.fstat(fd)
            data = read_up_to(fd, limit + 1)
        finally:
            os.close(fd)
    if len(data) > limit:
        raise FileTooLarge(path, f"is larger than {human_size(limit)}")
    return Content(data, signature_of(status))


def head_within(path: Path, root: Path, *, size: int) -> bytes:
    """Return the first `size` bytes of a file within `root`, under the rules of `read_within`."""
    with reading(path):
        fd = _open_within(path, root, follow=False)
        try:
            return read_up_to(fd, size)
        finally:
            os.close(fd)


def heads_within(folder: Path, names: Iterable[str], root: Path, *, size: int) -> Iterator[bytes | None]:
    """The first `size` bytes of many files of one folder, at a tenth of the cost of separate calls.

    None where `head_within` would raise.
    """
    try:
        opened = folder_within(folder, root)
    except (FileProblem, OSError):
        yield from (None for _ in names)
        return
    with opened:
        for name in names:
            try:
                yield _head_in(opened, name, size)
            except (OSError, ValueError):
                yield None


def _head_in(folder: Folder, name: str, size: int) -> bytes | None:
    # See `_open_within`: checked before opening.
    if not stat.S_ISREG(folder.status(name).st_mode):
        return None
    fd = folder.open(name, READ)
    try:
        return read_up_to(fd, size)
    finally:
        os.close(fd)


def tail_within(path: Path, root: Path, *, size: int) -> bytes:
    """Return the last `size` bytes of a file within `root`, under the rules of `read_within`."""
    with reading(path):
        fd = _open_within(path, root, follow=True)
        try:
            os.lseek(fd, max(0, os.fstat(fd).st_size - size), os.SEEK_SET)
            return read_up_to(fd, size)
        finally:
            os.close(fd)


def signature_of(status: os.stat_result) -> Signature:
    """The signature in a status."""
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def resolved(path: Path) -> Path:
    """The path with every link resolved; it may be outdated at once: open it component by component.

    Raises:
        FileProblem: it changes meanwhile, or is not a possible path.
    """
    with reading(path):
        return Path(os.path.realpath(path))


def is_within(path: Path, root: Path) -> bool:
    """Whether `path`, every link resolved, is `root` or below it.

    The answer may be outdated at once: open the file by `read_within`, `folder_within` or the like.
    """
    try:
        return resolved(path).is_relative_to(resolved(root))
    except FileProblem:
        return False


def folder_within(folder: Path, root: Path) -> Folder:
    """Open a folder that lies in `root` when every link is resolved, under the rules of `read_within`.

    Raises:
        FileOutside: it leads out of `root`.
        OSError: it cannot be opened.
    """
    real, top = resolved(folder), resolved(root)
    if not real.is_relative_to(top):
        raise FileOutside(
            folder, "leads out of the project through a symbolic link; memtui does not look there"
        )
    return Folder(real, within=top)


def existing_above(folder: Path) -> Path:
    """The folder itself, or its nearest existing ancestor."""
    # Not Path.is_dir, which raises in an unreadable folder.
    return next(place for place in (folder, *folder.parents) if os.path.isdir(place))  # noqa: PTH112


def try_writing(folder: Path, *, within: Path | None = None) -> None:
    """Write a file in `folder`, or in what there is above it, and remove it again.

    Args:
        folder: a folder that need not exist; it is not made.
        within: a folder above it; below it no symbolic link is followed.

    Raises:
        FileProblem: that is refused.
    """
    place = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    with writing(folder), Folder(place, within=within) as opened:
        opened.unlink(write_temp(opened, b"x", durable=False))


def private_folder(folder: Path, *, within: Path) -> None:
    """Make `folder` and its missing parents, for this user alone (0700 whatever the umask).

    A new folder gets a ``.gitignore`` with ``*`` before anything else: captures hold typed text
    and must not get into a repository by accident. Folders that exist keep their mode.

    Args:
        folder: the folder to make.
        within: an existing folder above it; below it no component may be a symbolic link.

    Raises:
        FileOutside: a component is a link or not a folder, or `folder` is not below `within`.
        FileUnwritable, FileMissing: the system refuses, or `within` does not exist.
    """
    made = False
    above = within
    for step in steps_below(folder, within):
        with writing(above / step), Folder(above, within=within) as opened:
            made = _make_folder(opened, step)
            if made:
                opened.sync()
        above = above / step
    with writing(folder), Folder(folder, within=within) as opened:
        if made or all(is_temp_name(name) for name in opened.names()):
            sweep(opened)
            write_new(opened, ".gitignore", b"*\n")


def private_parents(folder: Path) -> None:
    """Make `folder` and its missing parents for this user alone, without a ``.gitignore``.

    `Path.mkdir` gives its mode to the last folder only; the others get that of the umask.

    Raises:
        OSError: the system refuses.
    """
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def shared_folder(folder: Path, *, within: Path) -> None:
    """Make `folder` and its missing parents with the modes of the umask, as other programs do.

    Args:
        folder: the folder to make.
        within: an existing folder above it; below it no component may be a symbolic link.

    Raises:
        FileProblem: see `private_folder`.
    """
    above = within
    for step in steps_below(folder, within):
        with writing(above / step), Folder(above, within=within) as opened, suppress(FileExistsError):
            opened.make(step, 0o777)
        above = above / step
    with writing(folder), Folder(folder, within=within):
        return


def human_size(size: int) -> str:
    """A size for a sentence: ``1 MB``, ``64 KB``."""
    for unit, name in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} bytes"


def _make_folder(above: Folder, name: str) -> bool:
    where = above.path / name
    try:
        above.make(name)
    except FileExistsError:
        mode = above.status(name).st_mode
        if stat.S_ISLNK(mode):
            reason = "is a symbolic link; memtui does not write through links, make it a folder"
            raise FileOutside(where, reason) from None
        if not stat.S_ISDIR(mode):
            raise FileOutside(where, "is not a folder; move it away so that memtui can make one") from None
        return False
    if stat.S_IMODE(above.status(name).st_mode) != 0o700:  # a umask such as 0277 removes our own access
        with Folder(where, within=above.path) as made:
            made.make_private()
    return True


def _open_within(path: Path, root: Path, follow: bool, inside: Path | None = None) -> int:
    if (direct := _without_links(path, root, inside)) is not None:
        with direct:
            if not (follow and stat.S_ISLNK(direct.status(path.name).st_mode)):
                return _open_regular(direct, path.name, path)
    top = resolved(root)
    above = top
    if inside is not None:
        above = resolved(inside)
        if not above.is_relative_to(top):
            raise FileOutside(path, f"leads out of {root}")
        path = above.joinpath(*steps_below(path, inside))
    real = resolved(path) if follow else resolved(path.parent) / path.name
    if not real.is_relative_to(above) or real == above:
        raise FileOutside(path, f"leads out of {inside or root}")
    with Folder(real.parent, within=top) as folder:
        return _open_regular(folder, real.name, path)


def _without_links(path: Path, root: Path, inside: Path | None) -> Folder | None:
    """The folder of a path that needs not be resolved; None if it may have links below `root`.

    Most paths have none, and resolving one takes longer than reading the file.
    """
    if not CHECKS_LINKS:
        return None
    try:
        if inside is not None:
            steps_below(path.parent, inside)
            steps_below(inside, root)
        return Folder(path.parent, within=root)
    except FileNotFoundError:
        raise
    except (FileOutside, OSError):
        return None


def _open_regular(folder: Folder, name: str, path: Path) -> int:
    # Checked first: opening a link fails differently on every system, opening a device may have effects.
    mode = folder.status(name).st_mode
    if not stat.S_ISREG(mode):
        raise FileNotRegular(path, f"is {KINDS.get(stat.S_IFMT(mode), 'no regular file')}")
    fd = folder.open(name, READ)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise FileNotRegular(path, "is not a regular file")
    return fd


KINDS = {
    stat.S_IFLNK: "a symbolic link, which memtui does not follow here",
    stat.S_IFDIR: "a folder, not a file",
    stat.S_IFIFO: "a pipe, not a file",
    stat.S_IFSOCK: "a socket, not a file",
}
