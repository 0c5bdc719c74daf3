"""Builds the demo project: a shop's backend after some days of work with Claude Code.

Its files are in ``story/``. They hold marks for what only a build knows: ``{{/harbor}}`` is a path in the
demo's folder, ``{{slug}}`` the name of the folder of the project's transcripts, ``{{shelves}}`` more lines
than Claude Code loads of an index, and ``{{1d 02:30:00 iso}}`` a time by its age (that of the file if there
is none), as ISO, as ``Z`` in UTC as JavaScript writes it, or in a format of `strftime`.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from memtui.documents.capture import Capture, Status, capture_name, memory_name, render_capture
from memtui.documents.recovery import parse_recovery, render_recovery
from memtui.ground.clock import Clock
from memtui.ground.files import private_folder, write_atomic
from memtui.ground.project import Home, Places, Project, memtui_home, transcript_slug
from memtui.plugin.installing import settings_block
from memtui.store.memories import MemoryStore
from memtui.store.state_updates import update_state
from memtui.store.states import NOTES

_RUNNING = ("refunds", "typos")

_SHELVES = "\n".join(
    f"- Shelf {number} of the harbour depot is counted on the {number % 28 + 1}." for number in range(1, 197)
)
_NOW = timedelta(0)
_JUST = "0d 00:00:00"
_AGE = r"(?P<days>\d+)d (?P<hours>\d\d):(?P<minutes>\d\d):(?P<seconds>\d\d)"
_TIME = re.compile(rf"\{{\{{(?:{_AGE} )?(?P<format>iso|Z|%[^}}]+)\}}\}}")
_PATH = re.compile(r"\{\{/([^}]+)\}\}")


@dataclass(frozen=True, slots=True)
class DemoProject:
    """A demo project on disk."""

    folder: Path
    """Contains everything; removing it removes the demo."""

    @property
    def project(self) -> Project:
        return Project(self.folder / "harbor")

    @property
    def home(self) -> Home:
        return memtui_home(self.env)

    @property
    def claude_config(self) -> Path:
        return self.folder / "claude"

    @property
    def env(self) -> Mapping[str, str]:
        """The variables that make any memtui command work on the demo."""
        return {"MEMTUI_HOME": str(self.folder / "memtui"), "CLAUDE_CONFIG_DIR": str(self.claude_config)}

    def transcript(self, session: str) -> Path:
        session_id = json.loads(_text(f"{session}.jsonl").splitlines()[0])["sessionId"]
        return self._transcripts / f"{session_id}.jsonl"

    @property
    def _transcripts(self) -> Path:
        return self.claude_config / "projects" / transcript_slug(self.project.root)

    def put(self, texts: Mapping[str, str], now: datetime, age: timedelta = _NOW) -> None:
        """Write whole files, by their paths in the demo's folder."""
        for name, text in texts.items():
            path = self.folder / self._filled(name, now, age)
            if name.startswith("memtui/") or "/compacts/" in name:
                private_folder(path.parent, within=self.folder)
            path.parent.mkdir(parents=True, exist_ok=True)
            filled = self._filled(text, now, age, quoted=".json" in path.suffix)
            write_atomic(path, filled.encode(), within=self.folder)
            _stamp(path, now - age)

    def capture(
        self,
        now: datetime,
        session: str,
        message: str,
        at: str = _JUST,
        age: str = "",
        summary: str = "",
        memory: str = "",
    ) -> None:
        """Write a capture of `at`, and with a `memory` file of another age its review."""
        moment = now - _parsed(at)
        name, transcript = capture_name(moment), str(self._transcripts / f"{session}.jsonl")
        files = {memory_name(name): memory} if memory else {}
        status: Status = "reviewed" if memory else "pending"
        made = Capture(status, moment, session, transcript, message, summary, "".join(files))
        files[name] = render_capture(made)
        texts = {f"harbor/.project/compacts/{each}": text for each, text in files.items()}
        self.put(texts, now, _parsed(age or at))

    def remember(
        self, now: datetime, text: str, age: str = _JUST, project: str = "harbor", **about: Any
    ) -> None:
        """Store a memory; the sections that its recovery text leaves out are empty."""
        at = now - _parsed(age)
        root = str(self.folder / project)
        body = render_recovery(parse_recovery(self._filled(text, at)).replace(project_root=root)).encode()
        store = MemoryStore(self.home, lambda: at)
        made = store.create(body, root, id=f"CMEM-{at:%Y%m%d-%H%M%S}", **about)
        _stamp(store.path(made.id), at)

    def say(self, session: str, lines: str, now: datetime) -> datetime:
        """Append lines to a session's transcript; returns the time of the last one."""
        path = self.transcript(session)
        with path.open("ab") as file:
            file.write(self._filled(lines, now, quoted=True).encode())
        moment = now - _age([*_TIME.finditer(lines)][-1])
        _stamp(path, moment)
        return moment

    def _filled(self, text: str, now: datetime, age: timedelta = _NOW, *, quoted: bool = False) -> str:
        """A text without marks; `quoted`: it is JSON."""

        def path(found: re.Match[str]) -> str:
            path = str(self.folder / found[1])
            return json.dumps(path)[1:-1] if quoted else path

        text = text.replace("{{slug}}", transcript_slug(self.project.root)).replace("{{shelves}}", _SHELVES)
        text = _PATH.sub(path, text)
        return _TIME.sub(lambda found: _time(now - _age(found, age), found["format"]), text)


def build_demo(folder: Path, clock: Clock) -> DemoProject:
    """Build the demo in an empty folder. The same folder and time give the same bytes."""
    now = clock()
    demo = DemoProject(folder.resolve())
    demo.project.root.mkdir(mode=0o700)
    for name in ("project", "captures", "claude_memories"):
        for group in read(name)["files"]:
            demo.put(group, now, _parsed(group.pop("age")))
    for capture in read("captures")["captures"]:
        demo.capture(now, **capture)
    for memory in read("memories")["memories"]:
        demo.remember(now, **memory)
    settings = json.dumps(settings_block(), indent=2)
    demo.put({"harbor/.claude/settings.local.json": settings}, now, timedelta(days=7))
    for session in ("coupon", "import", "charged-twice", *_RUNNING):
        for scene in scenes(session):
            moment = demo.say(session, scene, now)
            if session in _RUNNING:
                _keep_state(demo, demo.transcript(session), moment)
    return demo


def _keep_state(demo: DemoProject, transcript: Path, moment: datetime) -> None:
    update_state(Places(demo.project, demo.home, demo.claude_config), transcript=transcript)
    folder = demo.home.states / transcript.stem
    for path in (max(folder.glob("v*.md")), folder / NOTES, folder / "progress.json"):
        _stamp(path, moment)


def scenes(name: str) -> Iterator[str]:
    """The scenes of a transcript, which empty lines separate."""
    for scene in _text(f"{name}.jsonl").split("\n\n"):
        yield scene.rstrip("\n") + "\n"


def read(name: str) -> dict[str, Any]:
    return tomllib.loads(_text(f"{name}.toml"))


def _text(name: str) -> str:
    return (files(__package__) / "story" / name).read_text("utf-8")


def _stamp(path: Path, moment: datetime) -> None:
    seconds = moment.timestamp()
    os.utime(path, (seconds, seconds))


def _parsed(age: str) -> timedelta:
    return _age(re.fullmatch(_AGE, age))


def _age(found: re.Match[str] | None, otherwise: timedelta = _NOW) -> timedelta:
    if found is None or found["days"] is None:
        return otherwise
    return timedelta(**{unit: int(found[unit]) for unit in ("days", "hours", "minutes", "seconds")})


def _time(moment: datetime, style: str) -> str:
    match style:
        case "iso":
            return moment.isoformat(timespec="seconds")
        case "Z":
            # As JavaScript's ``toISOString`` writes it.
            return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
        case _:
            return moment.strftime(style)
