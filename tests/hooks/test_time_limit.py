"""A hook ends in time: it waits for no lock for long, stops itself, and captures first."""

from __future__ import annotations

import json
import subprocess
import sys

from memtui.ground.files import lock
from memtui.hooks import compaction
from memtui.hooks import run as running
from memtui.plugin.installing import FOLDER
from memtui.store.commands_file import HOOK_PATIENCE, lock_file
from tests.hooks.world import SESSION, World


def test_a_lock_that_is_held_costs_no_more_than_a_second(world: World) -> None:
    path = world.activate("babysit")
    world.project.compacts.mkdir(parents=True)
    with lock(world.project.compacts / SESSION), lock_file(path, timeout=2, within=world.project.root):
        for event in ("pre-compact", "session-start"):
            done = world.run(event, trigger="auto", source="startup")
            assert (done.code, done.err) == (0, "")
    before, start = world.runs
    assert "is held by another process" in before.outcome
    assert "session-state.json locked: it was made" in start.outcome
    assert before.ms >= 900 and start.ms >= 900
    assert max(compaction.LOCK_SECONDS, HOOK_PATIENCE) < 1
    assert len(world.captures) == 1  # nothing is lost for a lock


def test_it_stops_itself(world: World) -> None:
    # Standard input that never ends. The last moment is longer: a busy machine, too, has to write the log.
    limits = "run.CAPTURE_STOP_SECONDS = 0.5; run._LAST_SECONDS = 30.0"
    program = f"from memtui.hooks import main, run; {limits}; main.main()"
    command = [sys.executable, "-I", "-c", program, "pre-compact"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=world.environment
    ) as process:
        assert process.wait(timeout=60) == 0
    (run,) = world.runs
    assert run.outcome == "took too long, and was stopped"
    assert run.ms >= 450
    events = json.loads((FOLDER / "hooks" / "hooks.json").read_text())["hooks"]
    granted = {event: groups[0]["hooks"][0]["timeout"] for event, groups in events.items()}
    last = running._LAST_SECONDS + 2  # to start Python
    assert running.CAPTURE_STOP_SECONDS + last <= granted.pop("PreCompact")
    assert running.HARD_STOP_SECONDS + last <= min(granted.values())


def test_a_run_that_cannot_be_stopped_is_logged_before_it_ends(world: World) -> None:
    program = (
        "import time\nfrom memtui.hooks import main, run\n"
        "run.CAPTURE_STOP_SECONDS, run._LAST_SECONDS = 0.2, 0.2\n"
        "def deaf(*given):\n"
        "    while True:\n"
        "        try: time.sleep(60)\n"
        "        except BaseException: pass\n"
        "run.handle = deaf\nmain.main()"
    )
    done = world.run("", command=[sys.executable, "-I", "-c", program, "pre-compact"])
    assert (done.code, done.out, done.err) == (0, "", "")
    assert [run.event for run in world.runs] == ["pre-compact"]


def test_the_capture_comes_first(world: World) -> None:
    program = (
        "import time\nfrom memtui.hooks import compaction, main, run\n"
        "run.CAPTURE_STOP_SECONDS = 60.0\n"
        "def stopped(*given, **named): raise run.Stopped\n"
        "compaction.context_block = stopped\n"
        "main.main()"
    )
    world.run("", command=[sys.executable, "-I", "-c", program, "pre-compact"], trigger="auto")
    (run,) = world.runs
    (capture,) = world.captures
    assert run.outcome == "took too long, and was stopped"
    assert run.detail == f"captured {capture.name}"
