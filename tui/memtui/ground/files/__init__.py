"""Files: written whole or not at all, created exclusively, locked, and read only within an allowed folder.

Standard library only: the hook process imports this. Every function raises `FileProblem` (or one of its
kinds) with a plain sentence, never a bare `OSError`.
"""

from importlib import import_module

from memtui.ground.files.atomic import create_exclusive, sweep_temps, write_atomic
from memtui.ground.files.locks import lock, sweep_locks
from memtui.ground.files.problems import (
    FileChanged,
    FileLocked,
    FileMissing,
    FileNotRegular,
    FileOutside,
    FileProblem,
    FileTooLarge,
    FileUnreadable,
    FileUnwritable,
)
from memtui.ground.files.safe import (
    Content,
    Signature,
    existing_above,
    folder_within,
    head_within,
    heads_within,
    is_within,
    load_within,
    private_folder,
    private_parents,
    read_within,
    resolved,
    shared_folder,
    tail_within,
    try_writing,
)
from memtui.ground.named import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.ground.files.moving import move_new
    from memtui.ground.files.replacing import Replaced, replace_expected
    from memtui.ground.files.shared_lock import lock_file
    from memtui.ground.files.streaming import write_parts

_LATER = {
    "lock_file": "shared_lock",
    "move_new": "moving",
    "Replaced": "replacing",
    "replace_expected": "replacing",
    "write_parts": "streaming",
}
"""Name -> module of everything that hooks do not need: imported on first use."""

__all__ = [
    "Content",
    "FileChanged",
    "FileLocked",
    "FileMissing",
    "FileNotRegular",
    "FileOutside",
    "FileProblem",
    "FileTooLarge",
    "FileUnreadable",
    "FileUnwritable",
    "Replaced",
    "Signature",
    "create_exclusive",
    "existing_above",
    "folder_within",
    "head_within",
    "heads_within",
    "is_within",
    "load_within",
    "lock",
    "lock_file",
    "move_new",
    "private_folder",
    "private_parents",
    "read_within",
    "replace_expected",
    "resolved",
    "shared_folder",
    "sweep_locks",
    "sweep_temps",
    "tail_within",
    "try_writing",
    "write_atomic",
    "write_parts",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
