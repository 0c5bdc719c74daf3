"""The hook as a process: whatever happens, exit code 0, nothing on stderr, and a line in the log."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.files import lock, lock_file
from memtui.hooks import capture, time_limit
from memtui.project import HOOKS_OFF
from memtui.store.shared_text import HOOK_PATIENCE
from tests.disk import mode_of, names
from tests.hooks.world import MEMTUI_HOOK, SESSION, World

EVENTS = ("pre-compact", "session-start", "session-end")

Fault = Callable[[World], dict[str, object]]
"""Breaks something; returns other fields for the hook's JSON."""


def _gone(place: Callable[[World], Path]) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        return {}

    return fault


def _pipe(place: Callable[[World], Path]) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        return {}

    return fault


def _holds(place: Callable[[World], Path], content: bytes) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        path.write_bytes(content)
        return {}

    return fault


def _folder(place: Callable[[World], Path]) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        path.unlink(missing_ok=True)
        path.mkdir(parents=True)
        return {}

    return fault


def _says(**fields: object) -> Fault:
    return lambda world: fields


def _transcript(world: World) -> Path:
    return world.transcript


def _commands(world: World) -> Path:
    return world.project.session_state_json


def _status(world: World) -> Path:
    return world.project.root / "docs" / "09-agents" / "status.json"


def _log(world: World) -> Path:
    return world.home.hook_log


def _note(world: World) -> Path:
    return world.home.state / "captured" / f"{SESSION}.json"


FAULTS: dict[str, Fault] = {
    "no transcript": _gone(_transcript),
    "transcript a folder": lambda world: {"transcript_path": str(world.claude)},
    "transcript a pipe": _pipe(_transcript),
    "transcript empty": _holds(_transcript, b""),
    "transcript torn": _holds(_transcript, b'{"type":"user","message":{"content":"abc'),
    "transcript binary": _holds(_transcript, bytes(range(256)) * 999),
    "transcript of one long line": _holds(_transcript, b'{"type":"user",' + b"x" * 5_000_000),
    "transcript nested": _holds(_transcript, b'{"type":"user","a":' + b"[" * 200_000 + b"\n"),
    "transcript elsewhere": _says(transcript_path="/etc/passwd"),
    "transcript no path": _says(transcript_path="\0/x.jsonl"),
    "transcript of surrogates": _says(transcript_path="/\ud800.jsonl"),
    "transcript not said": _says(transcript_path=None),
    "session not said": _says(session_id=None),
    "session climbs": _says(session_id="../../../../etc/cron.d/x"),
    "session very long": _says(session_id="x" * 100_000),
    "session a number": _says(session_id=7),
    "trigger unknown": _says(trigger="sometimes", source="sometimes"),
    "trigger a list": _says(trigger=["auto"], source=["clear"]),
    "cwd deleted": _says(cwd="/nowhere/at/all"),
    "cwd relative": _says(cwd="harbor"),
    "cwd with NUL": _says(cwd="a\0b"),
    "cwd a file": lambda world: {"cwd": str(world.transcript)},
    "cwd not said": _says(cwd=None),
    "state file broken": _holds(_commands, b'{"active_commands": ['),
    "state file empty": _holds(_commands, b""),
    "state file of another kind": _holds(_commands, b'{"active_commands": {"name": 1}}'),
    "state file huge": _holds(_commands, b" " * (17 << 20)),
    "state file nested": _holds(_commands, b"[" * 200_000),
    "state file a pipe": _pipe(_commands),
    "state file a folder": _folder(_commands),
    "status broken": _holds(_status, b'{"stories": {"US-1": '),
    "status of another kind": _holds(_status, b'{"stories": [1, null, {}]}'),
    "status nested": _holds(_status, b'{"stories":' * 100_000),
    "status a folder": _folder(_status),
    "package of another kind": _holds(lambda world: world.project.root / "package.json", b"[]"),
    "log a folder": _folder(_log),
    "log a pipe": _pipe(_log),
    "note broken": _holds(_note, b'{"size": '),
    "note of another kind": _holds(_note, b'{"size": "x", "at": 1, "name": [], "project": 0}'),
    "note a folder": _folder(_note),
    "home a file": _holds(lambda world: world.memtui_home, b""),
    ".project a file": _holds(lambda world: world.project.root / ".project", b""),
    "compacts a pipe": _pipe(lambda world: world.project.compacts),
    "config broken": lambda world: (
        _holds(lambda w: w.home.config / "config.toml", b"[hooks")(world) | {"trigger": "manual"}
    ),
    "HEAD a folder": lambda world: _folder(lambda w: w.project.root / ".git" / "HEAD")(world),
}


_OF_CAPTURES = ("transcript", "note", "compacts", ".project", "status", "package", "HEAD", "config")


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_harms_claude_code(world: World, name: str) -> None:
    world.command("babysit", "Ask first.")
    world.activate("babysit")
    fields: dict[str, Any] = {"trigger": "auto", "source": "clear"}
    fields |= FAULTS[name](world)
    events = ("pre-compact",) if name.startswith(_OF_CAPTURES) else ("pre-compact", "session-start")
    for event in events:
        done = world.run(event, **fields)
        assert (done.code, done.err) == (0, "")
        assert not done.out.startswith("{") or event == "session-start"
    if not name.startswith(("log", "home")):
        assert [run.event for run in world.runs] == list(events)


@pytest.mark.parametrize(
    ("stdin", "outcome"),
    [
        (b"", "standard input is empty"),
        (b"{", "standard input is not JSON"),
        (b"[]", "standard input is not a JSON object"),
        (b"\xff\xfe{}", "standard input is not JSON"),
        (b"[" * 300_000, "standard input is not JSON"),
        (b'{"cwd": "' + b"x" * (13 << 20) + b'"}', "standard input is too long"),
        (b'{"cwd": "' + b"x" * (10 << 20) + b'"}', "the folder of the session does not exist"),
        (b"{}", "the folder of the session does not exist"),
    ],
)
def test_any_input(world: World, stdin: bytes, outcome: str) -> None:
    event = EVENTS[len(outcome) % 3]
    done = world.run(event, stdin)
    assert (done.code, done.out, done.err) == (0, "", "")
    (run,) = world.runs
    assert (run.event, run.outcome) == (event, outcome)


def test_a_large_input_is_read(world: World) -> None:
    done = world.run("pre-compact", trigger="manual", custom_instructions="x" * (10 << 20))
    assert done.out.startswith("HARBOR PROJECT CONTEXT")


@pytest.mark.parametrize("words", [(), ("",), ("--help",), ("stop",), ("x" * 100_000,)])
def test_any_event(world: World, words: tuple[str, ...]) -> None:
    done = world.run("", command=[*MEMTUI_HOOK, *words])
    assert (done.code, done.out, done.err) == (0, "", "")
    assert [run.outcome for run in world.runs] == ["there is no such event"]


def test_without_a_word_the_json_names_the_event(world: World) -> None:
    done = world.run("", command=MEMTUI_HOOK, hook_event_name="PreCompact", trigger="manual")
    assert done.out.startswith("HARBOR PROJECT CONTEXT")
    assert [run.event for run in world.runs] == ["pre-compact"]


@pytest.mark.parametrize("event", ["pre-compact", "session-start"])
def test_streams_that_are_closed(world: World, event: str) -> None:
    data = json.dumps(world.payload(trigger="auto", source="compact")).encode()
    for closing in ("<&-", ">&- 2>&-", "<&- >&- 2>&-"):
        shell = f'home="$1"; shift; exec env -i MEMTUI_HOME="$home" "$0" "$@" {event} {closing}'
        python, *words = MEMTUI_HOOK
        command = ["/bin/sh", "-c", shell, python, str(world.memtui_home), *words]
        done = world.run(event, data, command=command)
        assert (done.code, done.err) == (0, "")


def test_a_closed_stdout_is_logged(world: World) -> None:
    assert world.run_unread("pre-compact", trigger="auto") == (0, b"")
    assert [run.outcome for run in world.runs] == ["the output was not read"]
    assert len(world.captures) == 1


@pytest.mark.parametrize("event", EVENTS)
def test_an_empty_environment_and_a_deleted_folder(world: World, event: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    shell = 'cd "$0" && rmdir "$0" && exec env -i "$@"'
    variables = (f"HOME={tmp_path}", f"MEMTUI_HOME={world.memtui_home}")
    words = ["/bin/sh", "-c", shell, str(gone), *variables, *MEMTUI_HOOK, event]
    done = world.run(event, command=words, trigger="auto", source="startup")
    assert (done.code, done.err) == (0, "")
    assert [run.outcome for run in world.runs] == ["ok"]
    assert len(world.captures) == (1 if event == "pre-compact" else 0)


def test_the_project_is_where_the_session_was_started(world: World, tmp_path: Path) -> None:
    environment = world.environment | {"CLAUDE_PROJECT_DIR": str(world.project.root)}
    done = world.run("pre-compact", environment=environment, trigger="auto", inside=tmp_path)
    assert done.code == 0
    assert [run.project for run in world.runs] == [str(world.project.root)]


def test_a_full_disk(world: World) -> None:
    # A limit of zero bytes for every file is the nearest thing that needs no file system of its own.
    shell = 'ulimit -f 0; trap "" XFSZ; exec "$0" "$@" pre-compact'
    done = world.run("pre-compact", command=["/bin/sh", "-c", shell, *MEMTUI_HOOK], trigger="auto")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("HARBOR PROJECT CONTEXT")
    assert world.captures == []


def test_no_more_files_can_be_opened(world: World) -> None:
    for limit in (3, 4, 5, 6, 8):
        shell = f'ulimit -n {limit}; exec "$0" -I -m memtui.hooks pre-compact'
        done = world.run("", command=["/bin/sh", "-c", shell, sys.executable], trigger="auto")
        # With less than it needs to start the interpreter itself gives up, and not with the code that blocks.
        assert done.code == 0 or (limit < 6 and done.code != 2)


def test_a_lock_that_is_held_costs_no_more_than_a_second(world: World) -> None:
    world.activate("babysit")
    note = world.home.state / "captured" / f"{SESSION}.json"
    note.parent.mkdir(parents=True)
    with lock(note), lock_file(world.project.session_state_json):
        for event in ("pre-compact", "session-start"):
            done = world.run(event, trigger="auto", source="startup")
            assert (done.code, done.err) == (0, "")
    before, start = world.runs
    assert "is held by another process" in before.outcome
    assert "session-state.json locked: process" in start.outcome
    assert before.ms >= 900 and start.ms >= 900
    assert max(capture.LOCK_SECONDS, HOOK_PATIENCE.lock) < 1
    assert len(world.captures) == 1  # nothing is lost for a lock


def test_it_stops_itself(world: World) -> None:
    # Standard input that never ends. The last moment is longer: a busy machine, too, has to write the log.
    limits = "time_limit.CAPTURE_STOP_SECONDS = 0.5; time_limit._LAST_SECONDS = 30.0"
    program = f"from memtui.hooks import main, time_limit; {limits}; main.main()"
    command = [sys.executable, "-I", "-c", program, "pre-compact"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=world.environment
    ) as process:
        assert process.wait(timeout=60) == 0
    (run,) = world.runs
    assert run.outcome == "took too long, and was stopped"
    assert run.ms >= 450
    last = time_limit._LAST_SECONDS + 2  # to start Python
    assert time_limit.HARD_STOP_SECONDS + last <= time_limit.GRANTED_SECONDS
    assert time_limit.CAPTURE_STOP_SECONDS + last <= time_limit.GRANTED_FOR_CAPTURE


def test_a_capture_may_take_longer_than_other_hooks(world: World) -> None:
    program = "from memtui.hooks import main, time_limit; time_limit.HARD_STOP_SECONDS = 0.0; main.main()"
    world.run("", command=[sys.executable, "-I", "-c", program, "pre-compact"], trigger="auto")
    assert [run.outcome for run in world.runs] == ["ok"]
    assert len(world.captures) == 1


def test_a_run_that_cannot_be_stopped_is_logged_before_it_ends(world: World) -> None:
    program = (
        "import time\nfrom memtui.hooks import main, run, time_limit\n"
        "time_limit.CAPTURE_STOP_SECONDS, time_limit._LAST_SECONDS = 0.2, 0.2\n"
        "def deaf(*given):\n"
        "    while True:\n"
        "        try: time.sleep(60)\n"
        "        except BaseException: pass\n"
        "run.handle = deaf\nmain.main()"
    )
    done = world.run("", command=[sys.executable, "-I", "-c", program, "pre-compact"])
    assert (done.code, done.out, done.err) == (0, "", "")
    assert [run.event for run in world.runs] == ["pre-compact"]


def test_a_slow_disk_costs_no_capture(world: World) -> None:
    program = (
        "import os, time\nfrom memtui.hooks import main, time_limit\n"
        "time_limit.CAPTURE_STOP_SECONDS *= 10\nsync = os.fsync\n"
        "def slow(fd): time.sleep(0.4); sync(fd)\n"
        "os.fsync = slow\nmain.main()"
    )
    world.run("", command=[sys.executable, "-I", "-c", program, "pre-compact"], trigger="auto")
    (run,) = world.runs
    assert (run.outcome, len(world.captures)) == ("ok", 1)
    assert run.ms >= 1_400


def test_the_capture_comes_first(world: World) -> None:
    program = (
        "import time\nfrom memtui.hooks import main, pre_compact, time_limit\n"
        "time_limit.CAPTURE_STOP_SECONDS = 60.0\n"
        "def stopped(*given, **named): raise time_limit.Stopped\n"
        "pre_compact.ask_for_state = pre_compact.context_block = pre_compact.sweep_captures = stopped\n"
        "main.main()"
    )
    world.run("", command=[sys.executable, "-I", "-c", program, "pre-compact"], trigger="auto")
    (run,) = world.runs
    (capture,) = world.captures
    assert run.outcome == "took too long, and was stopped"
    assert run.detail == f"captured {capture.name}"


def test_fifty_compactions_at_once_are_all_captured_and_logged(world: World) -> None:
    sessions = [f"session-{number}" for number in range(50)]
    running = [world.start("pre-compact") for _ in sessions]
    for session, process in zip(sessions, running, strict=True):
        process.stdin.write(json.dumps(world.payload(trigger="auto", session_id=session)).encode())
        process.stdin.close()
    for process in running:
        assert process.wait(timeout=120) == 0
        process.end()
    said = "".join(path.read_text() for path in world.captures)
    assert [f"**Session ID:** {session}\n" in said for session in sessions] == [True] * 50
    assert sorted(run.session_id for run in world.runs) == sorted(sessions)
    assert {run.outcome for run in world.runs} == {"ok"}
    assert names(world.project.compacts) == [".gitignore", *sorted(path.name for path in world.captures)]


def test_errors_of_our_own_are_logged(world: World) -> None:
    program = "import memtui.hooks.run as r, memtui.hooks.main as m; r.handle = None; m.main()"
    done = world.run("", command=[sys.executable, "-c", program, "session-start"], source="startup")
    assert (done.code, done.out, done.err) == (0, "", "")
    (run,) = world.runs
    assert run.outcome.startswith("TypeError: 'NoneType' object is not callable (hooks/run.py:")


@pytest.mark.parametrize("broken", ["memtui.hooks.run", "json", "signal"])
def test_an_installation_that_is_broken(world: World, broken: str) -> None:
    program = f"import sys; sys.modules[{broken!r}] = None; import memtui.hooks.main as m; m.main()"
    done = world.run("", command=[sys.executable, "-c", program, "pre-compact"], trigger="auto")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_missing_installation_is_no_block(world: World) -> None:
    # What settings.json names when memtui is gone: 2 would block the person.
    assert world.run("", command=[sys.executable, "-I", "-m", "memtui_is_gone.hooks"]).code == 1


@pytest.mark.parametrize("event", EVENTS)
def test_a_call_of_our_own_does_nothing(world: World, event: str) -> None:
    environment = world.environment | {HOOKS_OFF: "off"}
    done = world.run(event, environment=environment, trigger="auto", source="compact")
    assert (done.code, done.out) == (0, "")
    assert not world.captures
    assert [run.detail for run in world.runs] == ["nothing: switched off"]


def test_the_log_is_ours_alone(world: World) -> None:
    for event in EVENTS:
        world.run(event, trigger="auto", source="startup")
    assert mode_of(world.home.hook_log) == 0o600
    assert mode_of(world.home.state) == 0o700
    assert all(run.session_id == SESSION and run.at for run in world.runs)


@pytest.mark.parametrize(
    ("event", "source"),
    [("pre-compact", ""), ("session-start", "clear"), ("session-start", "compact"), ("session-end", "")],
)
def test_hooks_import_the_standard_library_alone(world: World, event: str, source: str) -> None:
    world.command("babysit", "Ask first.")
    world.activate("babysit")
    world.state("=== SESSION STATE v1 ===\n")
    world.run("session-end", reason="clear")
    program = (
        "import os, sys, memtui.hooks.main as m; leave = os._exit\n"
        "os._exit = lambda code: (print(*sorted(sys.modules), file=sys.stderr, flush=True), leave(code))\n"
        "m.main()"
    )
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({SOURCE!r}); {program}", event]
    done = world.run("", command=command, source=source, trigger="auto")
    assert world.runs[-1].outcome == "ok"
    modules = {name.partition(".")[0] for name in done.err.split()}
    assert modules <= set(sys.stdlib_module_names) | {"__main__", "memtui"}
    # Each of these takes longer to import than all that a hook does.
    assert not modules & {"dataclasses", "inspect", "subprocess", "logging", "random", "asyncio", "argparse"}


SOURCE = str(Path(__file__).parents[2] / "tui")
