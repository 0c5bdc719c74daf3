"""The project root, all paths that memtui uses, and the user's configuration.

Standard library only: the hook process imports this.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

from memtui.ground.files import FileMissing, FileProblem, read_within

HOOKS_OFF = "MEMTUI_HOOKS"
"""The environment variable that disables memtui's hooks when set to ``off``."""

_MARKERS = (".git", "package.json", ".claude")
"""Names that mark a project folder (seed 000, section 7)."""

# Other contents of a file called HEAD are not branches.
_BRANCHES = "refs/heads/"
_COMMIT = r"[0-9a-f]{40,64}"


# Named tuples: the module of dataclasses takes longer to import than a hook has for its work.


class Project(NamedTuple):
    """A project folder and the places in it that memtui reads and writes."""

    root: Path

    @property
    def name(self) -> str:
        windows = PureWindowsPath(self.root)  # from a session on another system
        return (windows.name if windows.is_absolute() else self.root.name) or str(self.root)

    @property
    def compacts(self) -> Path:
        """Captures and memory files (seed 001)."""
        return self.root / ".project" / "compacts"

    @property
    def pins(self) -> Path:
        return self.root / ".project" / "pins.md"

    @property
    def session_state_json(self) -> Path:
        """The file that holds `active_commands[]`, shared with other programs (seed 002)."""
        return self.root / "docs" / "09-agents" / "session-state.json"

    @property
    def command_folders(self) -> tuple[Path, ...]:
        """The folders that are searched for a command's file, in order (seed 002)."""
        return (
            self.root / "packages" / "cli" / "src" / "core" / "commands",
            self.root / ".agileflow" / "commands",
            self.root / ".claude" / "commands" / "agileflow",
            self.root / ".claude" / "commands",  # the project's own commands, where AgileFlow is not in use
        )


class Home(NamedTuple):
    """memtui's own folders, outside any project. They are only created when needed."""

    data: Path
    cache: Path
    state: Path
    config: Path

    @property
    def memories(self) -> Path:
        """Stored memories: ``YYYY-MM/CMEM-*.md``."""
        return self.data / "memories"

    @property
    def pins(self) -> Path:
        return self.data / "pins.md"

    @property
    def confirmed_pins(self) -> Path:
        """Digests of the lines of projects' pins files that this user has written or confirmed."""
        return self.data / "confirmed-pins"

    @property
    def trash(self) -> Path:
        """Deleted memories, beside the others and in no month, so that no list shows them."""
        return self.data / "trash"

    @property
    def states(self) -> Path:
        """Session states: ``<session-id>/v0001.md``."""
        return self.data / "states"

    @property
    def hook_log(self) -> Path:
        """One line for each run of a hook."""
        return self.state / "hooks.jsonl"

    @property
    def handover(self) -> Path:
        """The outbox: messages for sessions, a folder for each."""
        return self.state / "handover"

    @property
    def archive(self) -> Path:
        return self.data / "archive"

    @property
    def search_index(self) -> Path:
        return self.cache / "index.db"

    @property
    def session_cache(self) -> Path:
        return self.cache / "sessions.json"

    @property
    def failure_log(self) -> Path:
        return self.state / "failures.log"


class Places(NamedTuple):
    """A project, memtui's own folders and Claude Code's configuration folder."""

    project: Project
    home: Home
    claude: Path


def downloads() -> Path:
    """The folder for files that the user asks for: Downloads if there is one, else the home folder."""
    folder = Path.home() / "Downloads"
    return folder if folder.is_dir() else Path.home()


def find_root(start: Path) -> Path:
    """The project root of an existing folder: the topmost one above it that holds a marker, else itself.

    Never above the user's home folder, never the home folder itself or the file system's root.
    """
    start = start.resolve()
    home = Path.home().resolve()
    root = start
    for folder in (start, *start.parents):
        if folder == home or folder == Path(folder.anchor):
            break
        if any((folder / marker).exists() for marker in _MARKERS):
            root = folder
    return root


def is_project(folder: Path) -> bool:
    """Whether a folder may be a project: neither the user's home folder nor the file system's root."""
    return folder not in (Path.home().resolve(), Path(folder.anchor))


def git_branch(root: Path) -> str:
    """The branch, the first 8 digits of a detached commit, or "": from ``.git/HEAD``, without git."""
    try:
        head = _first_line((_worktree_folder(root) or root / ".git") / "HEAD")
    except (OSError, ValueError):
        return ""
    if head.startswith("ref:"):
        reference = head.removeprefix("ref:").lstrip()
        return reference.removeprefix(_BRANCHES) if reference.startswith(_BRANCHES) else ""
    return head[:8] if re.fullmatch(_COMMIT, head) else ""


def main_worktree(root: Path) -> Path | None:
    """The repository's own folder, if `root` is a further worktree of it, as both of them say."""
    with suppress(OSError, ValueError):
        folder = _worktree_folder(root)
        if folder is not None and folder.parts[-3:-1] == (".git", "worktrees"):
            back = folder / _first_line(folder / "gitdir")  # relative with git 2.48
            if back.resolve() == (root / ".git").resolve():
                return folder.resolve().parents[2]
    return None


def _worktree_folder(root: Path) -> Path | None:
    """The folder that the file ``.git`` of a further worktree or a submodule names: "gitdir: /path"."""
    marker = root / ".git"
    return root / _first_line(marker).removeprefix("gitdir:").strip() if marker.is_file() else None


def _first_line(path: Path) -> str:
    """The first line of a small text file; a pipe does not block, and the rest of a large one is not read."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        data = os.read(fd, 4096) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    finally:
        os.close(fd)
    return data.decode("utf-8", "replace").partition("\n")[0].strip()


def expanded(path: str | Path) -> Path:
    """A path with ``~`` and ``~user`` expanded; unchanged if the user does not exist."""
    with suppress(RuntimeError):
        return Path(path).expanduser()
    return Path(path)


def memtui_home(env: Mapping[str, str] = os.environ) -> Home:
    """Memtui's own folders: under ``MEMTUI_HOME`` when set, else by the XDG base directories."""
    if base := env.get("MEMTUI_HOME"):
        top = expanded(base).absolute()
        return Home(top / "data", top / "cache", top / "state", top / "config")
    return Home(
        _xdg(env, "XDG_DATA_HOME", ".local/share"),
        _xdg(env, "XDG_CACHE_HOME", ".cache"),
        _xdg(env, "XDG_STATE_HOME", ".local/state"),
        _xdg(env, "XDG_CONFIG_HOME", ".config"),
    )


def _xdg(env: Mapping[str, str], variable: str, fallback: str) -> Path:
    value = env.get(variable, "")
    # By the XDG specification, relative paths are ignored.
    base = Path(value) if value and Path(value).is_absolute() else Path.home() / fallback
    return base / "memtui"


def claude_config() -> Path:
    """Claude Code's configuration folder: ``CLAUDE_CONFIG_DIR`` or ``~/.claude``."""
    if value := os.environ.get("CLAUDE_CONFIG_DIR"):
        return expanded(value).absolute()
    return Path.home() / ".claude"


def settings_paths(claude: Path, root: Path) -> tuple[Path, ...]:
    """Claude Code's settings files: of the user, of the project's team and of the project on this machine."""
    folder = root / ".claude"
    return claude / "settings.json", folder / "settings.json", folder / "settings.local.json"


def read_settings(path: Path) -> dict[str, Any]:
    """A settings file, empty without one; a `FileProblem` if Claude Code would not accept it."""
    import json  # a prompt waits for this module

    try:
        real = Path(os.path.realpath(path))  # often a link into a folder of dotfiles
        text = read_within(real, real.parent, limit=4 << 20).decode("utf-8-sig")
        value = json.loads(text) if text.strip() else {}
    except FileMissing:
        return {}
    except (ValueError, RecursionError):
        raise FileProblem(path, "is not valid JSON") from None
    if not isinstance(value, dict):
        raise FileProblem(path, "is not a JSON object")
    return value


def object_in(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds; empty if there is none that can be read."""
    with suppress(FileProblem):
        return read_settings(path)
    return {}


SLUG_LENGTH = 200  # Claude Code cuts longer slugs, and adds a hash


def transcript_slug(folder: Path) -> str:
    """The name Claude Code gives a project's transcript folder: every other character becomes ``-``."""
    return re.sub(r"[^a-zA-Z0-9]", "-", str(folder))


def current_session() -> str:
    """The id of the Claude Code session that started this process, "" outside of one (Claude Code fact)."""
    return os.environ.get("CLAUDE_CODE_SESSION_ID", "")


_LONGEST_KEY = 100
"""Characters of a session's id that names a file as it is, and of a path's end in the name of a file."""


def session_key(session_id: str) -> str:
    """A file name for a session; an unusual id gets a checksum, so that no two share a name."""
    plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", session_id)
    return session_id if plain and len(session_id) <= _LONGEST_KEY else keyed(session_id)


def keyed(text: str) -> str:
    """A file name for a path or an unusual id."""
    import zlib  # rarely needed

    checksum = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    return f"{transcript_slug(Path(text))[-_LONGEST_KEY:]}-{checksum:08x}"


def config_path(home: Home) -> Path:
    return home.config / "config.toml"


def config_sections(home: Home) -> dict[str, dict[str, Any]]:
    """The sections of the user's config.toml, their values unchecked; a `FileProblem` if it is no such file.

    A project's file is ignored: a cloned repository must not decide what is written or run.
    """
    path = config_path(home)
    try:
        text = read_within(path, home.config, limit=64 << 10).decode()
        import tomllib  # most people have no such file, and the first paint and a prompt wait for this

        sections = tomllib.loads(text)
    except FileMissing:
        return {}
    except (ValueError, RecursionError) as problem:
        raise FileProblem(path, f"is not valid TOML: {problem}") from problem
    for name, section in sections.items():
        if not isinstance(section, dict):
            raise FileProblem(path, f"says {name}, but not as a section: [{name}]")
    return sections
