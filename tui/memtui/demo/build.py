"""The demo: a shop's backend after some days of work with Claude Code, and the sessions that go on in it.

Its files are in ``story/``. They hold marks for what only a build knows: ``{{/harbor}}`` is a path in the
demo's folder, ``{{slug}}`` the name of the folder of the project's transcripts, ``{{shelves}}`` more lines
than Claude Code loads of an index, and ``{{1d 02:30:00 iso}}`` a time by its age (that of the file if there
is none), as ISO, as ``Z`` in UTC as JavaScript writes it, or in a format of `strftime`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from memtui.documents.capture import Capture, Status, capture_name, memory_name, render_capture
from memtui.documents.recovery import parse_recovery, render_recovery
from memtui.ground.clock import Clock, system_clock
from memtui.ground.files import FileProblem, private_folder, write_atomic
from memtui.ground.machine import handling
from memtui.ground.project import Home, Places, Project, memtui_home, transcript_slug
from memtui.plugin.installing import settings_block
from memtui.store.commands_file import CommandsFile
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


class DemoProject(NamedTuple):
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


_WORK = (3, 6, 16, 19, 25, 33, 41, 49)
"""Times in seconds at which the session continues; the app follows it and writes versions of its state."""

Step = tuple[float, Callable[[], object]]
"""An event of the demo: its time in seconds, and what happens."""


def run_demo(run_app: Callable[..., None], clock: Clock = system_clock) -> None:
    """Let `run_app` open a demo project with a running session; all of it is removed in the end."""
    # A closed terminal and `kill` become an exception, so that nothing is left behind.
    ended = handling(lambda number, _: sys.exit(128 + number), signal.SIGTERM, signal.SIGHUP)
    with ended, _temporary() as folder:
        demo = build_demo(folder, clock)
        stopped = threading.Event()
        player = threading.Thread(target=play, args=(demo, clock, stopped), name="memtui-demo", daemon=True)
        player.start()
        try:
            run_app(demo.project, demo.home, demo.claude_config, clock=clock, demo=True)
        finally:
            stopped.set()
            player.join(timeout=5)


@contextmanager
def _temporary() -> Iterator[Path]:
    """A new folder for this user alone, removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="memtui-demo-"))
    try:
        yield folder
    finally:
        # An ending thread of the app may write once more during the removal.
        for _ in range(40):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.05)


def script(demo: DemoProject, clock: Clock) -> list[Step]:
    """The events of the first minute, in order. Every action can be called without waiting."""

    def say(session: str, lines: str) -> Callable[[], object]:
        return lambda: demo.say(session, lines, clock())

    arriving = read("live")
    (compaction,) = scenes("typos-live")
    incident = {"incident": "2 of 214 refunds without a charge"}
    events: list[Step] = [
        *((at, say("refunds", scene)) for at, scene in zip(_WORK, scenes("refunds-live"), strict=True)),
        (12, lambda: demo.capture(clock(), **arriving["capture"])),
        (14, say("typos", compaction)),
        (21, lambda: CommandsFile(demo.project, 5).activate("hotfix", clock(), incident)),
        (30, lambda: demo.remember(clock(), **arriving["memory"])),
    ]
    return sorted(events, key=lambda event: event[0])


def play(demo: DemoProject, clock: Clock, stopped: threading.Event) -> None:
    played = 0.0
    for seconds, act in script(demo, clock):
        if stopped.wait(seconds - played):
            return
        played = seconds
        try:
            act()
        except (FileProblem, OSError):
            # The folder is being removed: the demo has ended.
            return
