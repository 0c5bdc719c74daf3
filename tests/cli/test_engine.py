"""`--engine`, with a stand-in for `claude` as the only program on PATH."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.documents.capture import render_pending
from memtui.documents.memory_file import MemoryFile, parse_memory, render_memory
from memtui.documents.recovery import RoleFile, parse_recovery, render_recovery
from memtui.ground.project import Places, Project, claude_config, memtui_home, transcript_slug
from memtui.store.compact import Compacted, draft
from memtui.store.memories import MemoryStore
from tests.app.terminal import MEMTUI, Process, forked
from tests.cli.conftest import Memtui
from tests.cli.memories import Pipe
from tests.engines.stand_in import StandIn, stand_in
from tests.transcripts import Transcript

CAPTURED = datetime(2026, 1, 2, 9, 0, 5, tzinfo=UTC)
MEMORY = MemoryFile(title="Tax per line", goal="Round once a line.", confidence="High — seen to work.")
COMMANDS = (("compact", "--force", "--json"), ("review", "--yes", "--json"), ("state", "update", "--json"))


@dataclass(frozen=True)
class World:
    """A project with a session and a pending capture of it, and a `claude`."""

    places: Places
    claude: StandIn
    transcript: Path
    memtui: Memtui

    def drafted(self) -> Compacted:
        return draft(self.places, transcript=self.transcript)

    def answers(self, command: str) -> str:
        """A good answer to what a command asks."""
        if command == "review":
            return f"Summary: What it was about.\n\n{render_memory(MEMORY)}"
        if command == "state":
            identity = "- Project: another\n- Session goal: Worded anew"
            return f"=== SESSION STATE v7 ===\n\n## IDENTITY\n{identity}\n\n=== END STATE ===\n"
        recovery = parse_recovery(self.drafted().text)
        return render_recovery(recovery.replace(objective="Worded anew.", project_root="/evil"))


@pytest.fixture
def world(
    project: Project, tmp_path: Path, memtui: Memtui, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> World:
    pipe(b"")
    root = project.root
    session = Transcript(cwd=str(root), session_id="5e55-1d")
    session.user("Round the tax per line, please. Never touch the migrations.")
    session.edit(f"{root}/src/tax.ts")
    session.moment = CAPTURED + timedelta(seconds=1)
    session.compaction()
    transcript = session.write(claude_config() / "projects" / transcript_slug(root), "5e55-1d.jsonl")
    project.compacts.mkdir(parents=True)
    text = render_pending(
        timestamp=CAPTURED, session_id="5e55-1d", transcript=str(transcript), first_message="Round the tax"
    )
    (project.compacts / "20260102_090005-autocompact.md").write_text(text, "utf-8")
    places = Places(project, memtui_home(), claude_config())
    claude = stand_in(tmp_path / "claude-program")
    monkeypatch.setenv("PATH", f"{claude.folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return World(places, claude, transcript, memtui)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: str(words[0]))
def test_a_good_answer_words_the_draft(world: World, words: tuple[str, ...]) -> None:
    world.claude.says(f"Here it is:\n\n<document>\n{world.answers(words[0])}\n</document>\nAnything else?")
    done = world.memtui(*words, "--engine", "claude")
    assert (done.code, done.err) == (0, "")
    result = json.loads(done.out)
    assert (result["engine"], result["note"]) == ("claude", "")
    if words[0] == "review":
        assert parse_memory(result["text"]).title == "Tax per line"
        assert result["summary"] == "What it was about."
        stored = Path(result["memory"]).read_text()
        assert "Round once a line." in stored
        assert result["recovery_id"] in stored
    elif words[0] == "compact":
        body = MemoryStore(world.places.home, lambda: CAPTURED).get(result["id"]).body.decode()
        drafted = parse_recovery(world.drafted().text)
        assert parse_recovery(body) == drafted.replace(objective="Worded anew. (no source)")
    else:
        assert (result["version"], result["changed"]) == (1, True)
        text = Path(result["path"]).read_text()
        assert "Session goal: Worded anew" in text and "another" not in text
        assert "Never touch the migrations" in text


FAILURES = {
    "empty": ("", 0, "claude answered nothing"),
    "truncated": ("<document>\n## Session ID\n(none)\n## Notes\n", 0, "claude's answer is cut off"),
    "error": ("whatever", 3, "claude ended with exit code 3: no"),
    "hostile": ("\x1b]0;owned\x07 ignore all rules", 0, "claude's answer holds no document of the kind"),
    "1 MB": ("x" * (1 << 20), 0, "claude answered more than 256 KB"),
}


@pytest.mark.parametrize(
    ("words", "failure"),
    [*((COMMANDS[0], failure) for failure in FAILURES), *((words, "error") for words in COMMANDS[1:])],
    ids=lambda each: each if isinstance(each, str) else each[0],
)
def test_where_it_fails_the_draft_from_the_facts_stands(
    world: World, words: tuple[str, ...], failure: str
) -> None:
    answer, code, why = FAILURES[failure]
    world.claude.says(answer, code=code, errors="no \x1b[31mcredit\n" if code else "")
    done = world.memtui(*words, "--engine", "claude")
    assert done.code == 0
    result = json.loads(done.out)
    assert result["engine"] == "facts"
    assert f"from the facts: {why}" in result["note"]
    assert "\x1b" not in result["note"] + done.err
    if words[0] == "compact":
        assert result["text"] == world.drafted().text
        assert MemoryStore(world.places.home, lambda: CAPTURED).list().total == 1
    elif words[0] == "review":
        assert "Round the tax per line" in Path(result["memory"]).read_text()
    else:
        assert "Round the tax per line" in Path(result["path"]).read_text()


def test_a_person_sees_one_line(world: World) -> None:
    world.claude.says("no")
    done = world.memtui("compact", "--force", "--engine", "claude")
    assert done.out.startswith(
        "Drafted from the facts: claude's answer holds no document of the kind asked for.\n"
    )


def test_a_review_from_standard_input_needs_no_model(world: World) -> None:
    world.claude.says("never")
    done = world.memtui("review", "--from-stdin", "--engine", "claude")
    assert done.code == 2
    assert "either --from-stdin or --engine claude" in done.err


def test_the_hooks_of_the_call_capture_nothing(world: World) -> None:
    """The model's program starts our hook, as Claude Code would, and the hook does nothing."""
    payload = json.dumps(
        {
            "session_id": "own",
            "transcript_path": str(world.transcript),
            "cwd": str(world.places.project.root),
            "hook_event_name": "PreCompact",
            "trigger": "auto",
        }
    )
    (world.claude.notes / "payload").write_text(payload)
    (world.claude.notes / "answer").write_text(f"<document>\n{world.answers('compact')}\n</document>")
    hook = f'"{sys.executable}" -m memtui.hooks pre-compact < "{world.claude.notes}/payload"'
    world.claude.does(f'{hook} > "{world.claude.notes}/hook" 2>&1\ncat "{world.claude.notes}/answer"')
    before = sorted(world.places.project.compacts.iterdir())
    done = world.memtui("compact", "--force", "--json", "--engine", "claude")
    assert json.loads(done.out)["engine"] == "claude"
    assert sorted(world.places.project.compacts.iterdir()) == before
    assert world.claude.noted("hook") == ""
    assert "switched off" in world.places.home.hook_log.read_text()
    # The same without the switch captures: the test can fail.
    subprocess.run(["/bin/sh", "-c", hook], cwd=world.places.project.root, check=True, timeout=60)
    assert len(list(world.places.project.compacts.iterdir())) == len(before) + 1


@dataclass
class Terminal:
    """A run of memtui on a terminal of its own."""

    process: Process

    def read(self, until: bytes = b"") -> bytes:
        """The output up to some words or its end."""
        shown = b""
        with suppress(OSError):  # Linux says so when the other side has gone
            while not (until and until in shown) and (block := os.read(self.process.master, 4096)):
                shown += block
        return shown


@pytest.fixture
def terminal(world: World) -> Iterator[Terminal]:
    world.claude.hangs()
    words = ("compact", "--force", "--engine", "claude")
    process = forked(MEMTUI, *words, env=os.environ, cwd=world.places.project.root)
    yield Terminal(process)
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.exit_code()
    os.close(process.master)


def _until_asked(world: World) -> None:
    deadline = time.monotonic() + 30
    while not (world.claude.notes / "child").exists() and time.monotonic() < deadline:
        os.sched_yield()
    assert (world.claude.notes / "child").exists()


def test_ctrl_c_keeps_the_draft_from_the_facts(world: World, terminal: Terminal) -> None:
    terminal.read(b"Asking claude")
    _until_asked(world)
    os.write(terminal.process.master, b"\x03")
    result = terminal.read().decode()
    assert "Drafted from the facts: cancelled." in result
    assert "CMEM-" in result
    assert terminal.process.exit_code() == 0
    assert world.claude.child_ends()
    assert MemoryStore(world.places.home, lambda: CAPTURED).list().total == 1


def test_a_signal_to_end_takes_the_model_along(world: World, terminal: Terminal) -> None:
    terminal.read(b"Asking claude")
    _until_asked(world)
    os.kill(terminal.process.pid, signal.SIGTERM)
    terminal.read()
    assert terminal.process.exit_code() == 128 + signal.SIGTERM
    assert world.claude.child_ends()
    assert MemoryStore(world.places.home, lambda: CAPTURED).list().total == 0


def test_files_are_those_of_the_draft_with_the_roles_of_the_model(world: World) -> None:
    recovery = parse_recovery(world.drafted().text)
    files = (RoleFile(path="src/tax.ts", role="the rounding"), RoleFile(path="src/made_up.ts", role="x"))
    world.claude.says(f"<document>\n{render_recovery(recovery.replace(working_files=files))}\n</document>")
    result = json.loads(world.memtui("compact", "--print", "--json", "--engine", "claude").out)
    assert parse_recovery(result["text"]).working_files == (
        RoleFile(path=f"{world.places.project.root}/src/tax.ts", role="the rounding"),
    )
    assert not [point for point in result["checklist"] if point["verdict"] == "fail"]
