"""Installing the plugin by Claude Code's own commands, and taking everything away again.

Besides the plugin, two slash commands of the seeds are written, as a plugin's commands are only reachable as
``/memtui:NAME`` (Claude Code fact), and a file that tells the plugin's launcher where memtui is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from memtui.ground import files
from memtui.ground.clean import clean_line
from memtui.ground.files import FileMissing, FileProblem
from memtui.ground.machine import find_program, run
from memtui.ground.project import Home, Places, object_in, read_settings, settings_paths
from memtui.hooks.settings import ALL, find_entries, split_settings

FOLDER = Path(__file__).parent
"""The plugin, and a marketplace that has it alone."""
NAME = "memtui"
PLUGIN = f"{NAME}@{NAME}"
EVENTS: Mapping[str, str] = {
    "PreCompact": "pre-compact",
    "PostCompact": "post-compact",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "UserPromptSubmit": "user-prompt-submit",
}
"""Claude Code's events that memtui handles, and their names on `memtui-hook`'s command line."""

COMMANDS = ("review-compact.md", "memory/compact.md")
"""The slash commands that the seeds call by their short names."""

_SEAL = re.compile(rb"\n<!-- written by memtui ([0-9a-f]{16}) -->\n\Z")
_CALL = re.compile(r"(?<=[(`\n])memtui(?= [a-z])")


class Installation(NamedTuple):
    """The plugin as Claude Code records it."""

    plugin: str
    """With its marketplace: ``memtui@memtui``."""
    scope: str
    """``user``, ``project`` or ``local``."""
    enabled: bool


class Plan(NamedTuple):
    """What `apply` does. Empty if there is nothing to do."""

    commands: tuple[tuple[str, ...], ...] = ()
    """Words behind ``claude``."""
    files: tuple[tuple[Path, bytes | None], ...] = ()
    """Files to write, or to delete (None)."""
    settings: tuple[Path, ...] = ()
    """Settings from which entries are taken (`init`), or which are put back (`uninstall`)."""
    notes: tuple[str, ...] = ()
    """Sentences for the user."""

    def __bool__(self) -> bool:
        return bool(self.commands or self.files or self.settings)

    def lines(self) -> Iterator[str]:
        for words in self.commands:
            yield f"claude {shlex.join(words)}"
        for path, data in self.files:
            yield f"{'remove' if data is None else 'write'} {path}"
        for path in self.settings:
            yield f"change {path}"


def installations(places: Places) -> list[Installation]:
    """The plugin's installations that hold in this project; none if Claude Code's files cannot be read."""
    known = object_in(places.claude / "plugins" / "installed_plugins.json").get("plugins")
    enabled: dict[str, Any] = {}
    for path in settings_paths(places.claude, places.project.root):  # the later ones are stronger
        stated = object_in(path).get("enabledPlugins")
        enabled |= stated if isinstance(stated, dict) else {}
    found = []
    for plugin, records in known.items() if isinstance(known, dict) else ():
        if plugin.partition("@")[0] != NAME or not isinstance(records, list):
            continue
        for each in records:
            project = each.get("projectPath") if isinstance(each, dict) else None
            if isinstance(each, dict) and project in (None, str(places.project.root)):
                scope = str(each.get("scope", "user"))
                found.append(Installation(plugin, scope, enabled.get(plugin) is True))
    return found


def has_all_hooks(places: Places) -> bool:
    """Whether memtui runs at every event: by the enabled plugin, or by entries of the settings."""
    if any(each.enabled for each in installations(places)):
        return True
    entries = find_entries(places.claude, places.project.root)
    return set(EVENTS) <= {each.event for each in entries if each.job == ALL}


def hooks_off(places: Places) -> FileProblem | None:
    """What makes Claude Code run no hooks of ours: settings that say so, or that it cannot read."""
    for path in settings_paths(places.claude, places.project.root):
        try:
            settings = read_settings(path)
        except FileProblem as problem:
            return problem
        if settings.get("disableAllHooks") is True:
            return FileProblem(path, "turns all hooks off (disableAllHooks)")
        if settings.get("allowManagedHooksOnly") is True:
            return FileProblem(path, "allows managed hooks only (allowManagedHooksOnly)")
    return None


def settings_block() -> dict[str, Any]:
    """The hooks as a block for Claude Code's settings, in the shape of seed 002, for use without plugins."""
    ours = {event: {"type": "command", "command": f"memtui-hook {name}"} for event, name in EVENTS.items()}
    return {"hooks": {event: [{"matcher": "", "hooks": [each]}] for event, each in ours.items()}}


def plan_init(places: Places, *, project: bool = False, replace: bool = False) -> Plan:
    """Plan to install the plugin and the short commands, for this `project` on this machine or for all.

    `replace` takes entries out of the settings that do a job of the plugin's hooks.
    """
    scope = "local" if project else "user"
    commands: list[tuple[str, ...]] = []
    there = [each for each in installations(places) if each.scope == scope and each.enabled]
    if not there or _is_gone(places):
        commands.append(("plugin", "marketplace", "add", str(FOLDER)))
    if not there:
        commands.append(("plugin", "install", PLUGIN, "--scope", scope))
    writes: list[tuple[Path, bytes | None]] = []
    notes = []
    for name in COMMANDS:
        path = _commands_folder(places, scope) / name
        wanted, before = slash_command(name), _read(path)
        if before is not None and not is_untouched(before):
            notes.append(f"{path} is not memtui's, or was edited; it stays as it is.")
        elif before != wanted:
            writes.append((path, wanted))
    record, program = record_in(places.home), f"{scripts_folder()}\n".encode()
    if _read(record) != program:
        writes.append((record, program))
    entries = find_entries(places.claude, places.project.root)
    taken = tuple(dict.fromkeys(each.path for each in entries)) if replace else ()
    if entries and not replace:
        notes += [f"{each.path} has {each.command!r}: the plugin leaves that to it." for each in entries]
        notes.append("With --replace, memtui takes these entries out, and `memtui uninstall` puts them back.")
    return Plan(tuple(commands), tuple(writes), taken, tuple(notes))


def plan_uninstall(places: Places) -> Plan:
    """Plan to take away everything that `plan_init` installs, for all projects and for this one."""
    commands: list[tuple[str, ...]] = [
        ("plugin", "uninstall", each.plugin, "--scope", each.scope) for each in installations(places)
    ]
    if NAME in object_in(places.claude / "plugins" / "known_marketplaces.json"):
        commands.append(("plugin", "marketplace", "remove", NAME))
    writes: list[tuple[Path, bytes | None]] = []
    notes = []
    for scope in ("local", "user"):
        for name in COMMANDS:
            path = _commands_folder(places, scope) / name
            before = _read(path)
            if before is not None and is_untouched(before):
                writes.append((path, None))
            elif before is not None and _SEAL.search(_unix(before)):
                notes.append(f"{path} was edited; it stays.")
    record = record_in(places.home)
    writes += [(record, None)] if _read(record) is not None else []
    entries = [each for each in find_entries(places.claude, places.project.root) if each.job == ALL]
    changed = dict.fromkeys([*(each.path for each in entries), *_replaced(places)])
    return Plan(tuple(commands), tuple(writes), tuple(changed), tuple(notes))


def typed_lines(plan: Plan) -> list[str]:
    """What the user has to type at Claude Code's prompt, as claude is not on the PATH; none if it is."""
    if find_program("claude", os.environ.get("PATH")):
        return []
    return [f"/{shlex.join(words).removesuffix(' --scope user')}" for words in plan.commands]


def apply(plan: Plan, places: Places) -> Iterator[str]:
    """Do what is planned, but for `typed_lines`; yields a sentence for all that the user has to know."""
    if claude := find_program("claude", os.environ.get("PATH")):
        for words in plan.commands:
            if problem := _run([claude, *words], places.project.root):
                raise FileProblem(claude, f"{shlex.join(words)}: {problem}")
    for path, data in plan.files:
        if data is not None:
            _write(path, data, places)
            continue
        path.unlink(missing_ok=True)
        for folder in path.parents[:2]:
            if folder.name in ("memory", "commands"):
                with suppress(OSError):  # it has other content
                    folder.rmdir()
    for path in plan.settings:
        yield from _change_settings(path, places)
    if any(words[1] == "uninstall" for words in plan.commands) and not installations(places):
        yield from _left_by_claude(places)


def _left_by_claude(places: Places) -> Iterator[str]:
    for path in settings_paths(places.claude, places.project.root):
        if object_in(path).get("enabledPlugins") == {}:
            yield f'Claude Code leaves an empty "enabledPlugins" in {path}, which does nothing.'


def slash_command(name: str) -> bytes:
    """A slash command's file: the plugin's, started by this memtui, with a seal to know it again."""
    start = "memtui" if shutil.which("memtui") else shlex.join([sys.executable, "-P", "-m", "memtui"])
    text = _CALL.sub(lambda _: start, (FOLDER / "commands" / name).read_text("utf-8")).encode()
    return text + b"\n<!-- written by memtui %s -->\n" % _hash(text)


def is_untouched(data: bytes) -> bool:
    """Whether memtui wrote this file and it is unchanged; line ends do not count (git)."""
    data = _unix(data)
    seal = _SEAL.search(data)
    return seal is not None and _hash(data[: seal.start()]) == seal[1]


def recorded_program(home: Home) -> Path | None:
    folder = (_read(record_in(home)) or b"").decode("utf-8", "replace").strip()
    program = Path(folder) / "memtui-hook"
    return program if folder and program.is_file() else None


def scripts_folder() -> Path:
    folders = [Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))]
    folders.append(Path(sysconfig.get_path("scripts", f"{os.name}_user")))
    return next((each for each in folders if (each / "memtui-hook").is_file()), folders[0])


def _is_gone(places: Places) -> bool:
    """Whether Claude Code reads the plugin from a folder that is no longer there, as after an upgrade."""
    known = object_in(places.claude / "plugins" / "known_marketplaces.json").get(NAME)
    folder = known.get("installLocation") if isinstance(known, dict) else None
    return isinstance(folder, str) and not Path(folder).is_dir()


def _change_settings(path: Path, places: Places) -> Iterator[str]:
    """Take our own and replaced entries out of a settings file, or put it back as it was before that."""
    kept = _kept_file(places.home, path)
    before = _read(path)
    copy = object_in(kept)
    if copy.get("after") == (before or b"").decode("utf-8", "replace"):
        _write(path, str(copy.get("before")).encode(), places)
        kept.unlink(missing_ok=True)
        return
    if before is None:
        return
    text = before.decode("utf-8-sig", "strict")
    after = _rendered(split_settings(read_settings(path))[0], text)
    files.private_folder(kept.parent, within=files.existing_above(places.home.state))
    fields = {"path": str(path), "before": before.decode(), "after": after}
    files.write_atomic(kept, json.dumps(fields).encode())
    _write(path, after.encode(), places)
    yield f"{path} as it was before is in {kept}."


def _replaced(places: Places) -> list[Path]:
    """Settings that `init --replace` has changed and nobody since."""
    paths = settings_paths(places.claude, places.project.root)
    left = {path: object_in(_kept_file(places.home, path)).get("after") for path in paths}
    return [path for path in paths if (_read(path) or b"").decode("utf-8", "replace") == left[path]]


def _rendered(settings: dict[str, Any], like: str) -> str:
    indent = re.search(r"\n([ \t]+)\S", like)
    end = "\n" if like.endswith("\n") else ""
    return json.dumps(settings, indent=indent[1] if indent else 2, ensure_ascii=False) + end


def _run(words: list[str], folder: Path) -> str:
    """The problem with a run of Claude Code; "" if it ended well."""
    try:
        done = run(words, seconds=120, cwd=folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        return clean_line(str(error))
    if done.returncode == 0:
        return ""
    said = (done.stderr + done.stdout).decode("utf-8", "replace").strip().splitlines()
    return clean_line(said[-1]) if said else f"ended with {done.returncode}"


def _commands_folder(places: Places, scope: str) -> Path:
    return (places.claude if scope == "user" else places.project.root / ".claude") / "commands"


def record_in(home: Home) -> Path:
    """The file that tells the launcher where memtui is."""
    return home.data / "program"


def _kept_file(home: Home, path: Path) -> Path:
    return home.state / "settings" / f"{_hash(os.fsencode(path)).decode()}.json"


def _write(path: Path, data: bytes, places: Places) -> None:
    """Write a file of the project (below it no link is followed), of the user's, or of memtui's own."""
    root, own = places.project.root, places.home.data
    if path.is_relative_to(own):
        files.private_folder(path.parent, within=files.existing_above(own))
        files.write_atomic(path, data)
        return
    within = root if path.is_relative_to(root) else None
    real = path if within else Path(os.path.realpath(path))
    files.shared_folder(real.parent, within=within or files.existing_above(real.parent))
    files.write_atomic(real, data, mode=None if real.exists() else 0o644, within=within)


def _read(path: Path) -> bytes | None:
    with suppress(FileMissing):
        real = Path(os.path.realpath(path))
        return files.read_within(real, real.parent, limit=4 << 20)
    return None


def _unix(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:16].encode()
