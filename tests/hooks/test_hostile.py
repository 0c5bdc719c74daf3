"""Projects that were made to harm: nothing outside is read or written, whatever stands where."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from memtui.hooks.records import Report
from memtui.store import commands_file
from tests.disk import mode_of
from tests.hooks.world import World

SECRET = "PRIVATE-KEY-0451"

PLACES = (
    ".project",
    ".project/compacts",
    ".project/compacts/.gitignore",
    "docs",
    "docs/09-agents",
    "docs/09-agents/session-state.json",
    "docs/09-agents/status.json",
    "docs/09-agents/bus",
    "docs/09-agents/bus/log.jsonl",
    "docs/02-practices",
    ".agileflow",
    ".agileflow/commands",
    ".agileflow/commands/babysit.md",
    ".claude/commands/agileflow",
    "packages/cli/src/core/commands",
    "package.json",
    "CLAUDE.md",
    ".git/HEAD",
)


def _huge(path: Path, outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 34)


KINDS: dict[str, Callable[[Path, Path], object]] = {
    "to outside": lambda path, outside: path.symlink_to(outside),
    "to a file outside": lambda path, outside: path.symlink_to(
        outside / path.name if (outside / path.name).exists() else outside / "secret.md"
    ),
    "up and out": lambda path, outside: path.symlink_to(os.path.relpath(outside / "secret.md", path.parent)),
    "to nothing": lambda path, outside: path.symlink_to(outside / "made-by-memtui"),
    "to itself": lambda path, outside: path.symlink_to(path.name),
    "a pipe": lambda path, outside: os.mkfifo(path),
    "binary": lambda path, outside: path.write_bytes(bytes(range(256)) * 16),
    "huge": _huge,
}
LAYOUTS = list(product(PLACES, KINDS))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_file, "STILL_SECONDS", 0.0)


def _lay(world: World) -> Path:
    """A project with everything, and a folder outside with the same names and a secret in each file."""
    outside = world.base / "outside"
    summary = f"<!-- COMPACT_SUMMARY_START -->\n{SECRET}\n<!-- COMPACT_SUMMARY_END -->\n"
    entry = {"name": "babysit", "activated_at": "2026-01-02T10:00:00Z", "state": {}}
    files = {
        "secret.md": f"{SECRET}\n## Key\n{SECRET}\n{summary}",
        "babysit.md": summary,
        "commands/babysit.md": summary,
        "session-state.json": json.dumps({"active_commands": [entry], "secret": SECRET}),
        "09-agents/session-state.json": json.dumps({"active_commands": [entry], "secret": SECRET}),
        "status.json": json.dumps({"stories": {SECRET: {"status": "in_progress", "title": SECRET}}}),
        "package.json": json.dumps({"name": SECRET}),
        "log.jsonl": SECRET,
        "CLAUDE.md": f"## Key\n{SECRET}\n",
        "HEAD": SECRET,
        f"{SECRET}.md": "",
        "bus/log.jsonl": SECRET,
    }
    for name, text in files.items():
        path = outside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    world.command("babysit", "Ask first.")
    world.activate("babysit")
    world.put("docs/09-agents/status.json", "{}")
    world.put("docs/09-agents/bus/log.jsonl", "{}")
    world.put("docs/02-practices/testing.md", "")
    world.put("package.json", "{}")
    world.put("CLAUDE.md", "## Key\nx\n")
    return outside


def _seen(folder: Path) -> dict[str, object]:
    """The contents of a folder: names, modes, contents and times of change."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path)] = (status.st_mode, status.st_mtime_ns, status.st_ino, content)
    return found


@pytest.mark.parametrize(("place", "kind"), LAYOUTS)
def test_nothing_outside_is_read_or_written(world: World, place: str, kind: str) -> None:
    outside = _lay(world)
    path = world.project.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        path.rename(world.base / "taken-away")
    KINDS[kind](path, outside)
    before = _seen(outside)
    before_home = _seen(world.claude)
    printed = [
        world.within("pre-compact", trigger="auto"),
        world.within("session-start", source="compact"),
        world.within("session-start", source="clear"),
        world.within("session-end", reason="clear"),
    ]
    assert _seen(outside) == before
    assert _seen(world.claude) == before_home
    assert SECRET not in "".join(printed)
    assert printed[0].startswith(("AGILEFLOW PROJECT", "HARBOR PROJECT"))
    # What was written is in two places, and for this person alone.
    prepared = {path, *path.parents}
    for made in (world.project.root / ".project", world.memtui_home):
        for each in [made, *made.rglob("*")] if made.is_dir() and not made.is_symlink() else []:
            if each not in prepared:
                assert each.is_dir() or SECRET.encode() not in each.read_bytes()
                assert mode_of(each) & 0o077 == 0


@pytest.mark.parametrize(
    "name",
    [
        "../../outside/secret",
        "../../../outside/secret",
        "..",
        "../secret",
        "/etc/passwd",
        "{outside}/secret",
        "/{outside}/secret",
        "a/../../../../outside/secret",
        "babysit/../../../../outside/secret",
        "agileflow:../../../outside/secret",
        "..:..:..:outside:secret",
        "secret\0.md",
        "\0",
        "link/secret",
        "link",
        "~/secret",
        "$HOME/secret",
        "secret;cat",
        "sec ret",
        "x" * 5_000,
        "a/" * 500 + "b",
        ".",
        "./secret",
        "%2e%2e/secret",
        "..\\secret",
        "\u2025/secret",
        "secret.md/",
    ],
)
def test_a_command_name_leads_nowhere(world: World, name: str) -> None:
    outside = _lay(world)
    (world.project.root / ".agileflow" / "commands" / "link").symlink_to(outside)
    (world.project.root / ".agileflow" / "commands" / "link.md").symlink_to(outside / "secret.md")
    world.activate(name.replace("{outside}", str(outside)), "babysit")
    report = Report()
    printed = world.within("pre-compact", report, trigger="auto")
    printed += world.within("session-start", source="compact")
    assert SECRET not in printed
    assert printed.count("Ask first.") == 2
    assert report.outcome == "ok"
