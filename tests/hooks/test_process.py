"""The hook as a process: whatever happens, exit code 0, nothing on stderr, and a line in the log."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memtui.ground.project import HOOKS_OFF
from tests.disk import names
from tests.hooks.world import MEMTUI_HOOK, World

EVENTS = ("pre-compact", "session-start", "session-end")


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


@pytest.mark.parametrize("words", [(), ("",), ("--help",), ("stop",), ("x" * 100_000,)])
def test_any_event(world: World, words: tuple[str, ...]) -> None:
    done = world.run("", command=[*MEMTUI_HOOK, *words])
    assert (done.code, done.out, done.err) == (0, "", "")
    assert [run.outcome for run in world.runs] == ["there is no such event"]


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


@pytest.mark.parametrize("event", EVENTS)
def test_a_call_of_our_own_does_nothing(world: World, event: str) -> None:
    environment = world.environment | {HOOKS_OFF: "off"}
    done = world.run(event, environment=environment, trigger="auto", source="compact")
    assert (done.code, done.out) == (0, "")
    assert not world.captures
    assert [run.detail for run in world.runs] == ["nothing: switched off"]
