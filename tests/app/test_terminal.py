"""memtui in a terminal of its own, by keys alone at two sizes; editors, signals, and how it ends."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from memtui.app.screens.review import from_fields, to_fields
from memtui.documents.capture import Capture, parse_capture, render_capture, reviewed
from memtui.documents.memory_file import draft_memory, draft_summary, render_memory
from memtui.engines.drafts import Reworded
from memtui.transcript.facts import read_facts
from tests.app.harness import SHORT, WIDE, opened
from tests.app.hostile import CONTROL, EVERYTHING, attacked, in_name
from tests.app.reviewing import start
from tests.app.terminal import PATIENCE, SEQUENCE, Terminal, running
from tests.app.world import FIRST, World, captured_session, furnished, told_apart

CTRL_P, CTRL_S, F2, PAGE_UP = "\x10", "\x13", "\x1bOQ", "\x1b[5~"


def write_elsewhere(path: Path, text: str) -> None:
    """Write a file from another process, as a hook does."""
    code = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
    subprocess.run(
        [sys.executable, "-I", "-c", code, str(path)], input=text, text=True, check=True, timeout=60
    )


def expected_review(capture: Capture, memory_name: str) -> tuple[str, str]:
    """The memory file and the capture as the formats write an unchanged draft."""
    facts = read_facts(Path(capture.transcript), until=capture.timestamp)
    memory = draft_memory(facts)
    draft = from_fields(to_fields(Reworded(memory, draft_summary(facts))), memory)
    return render_memory(draft.memory), render_capture(
        reviewed(capture, summary=draft.summary, memory=memory_name)
    )


@pytest.mark.parametrize("size", [WIDE, SHORT])
def test_a_session_of_memtui_by_keys_alone(world: World, size: tuple[int, int], tmp_path: Path) -> None:
    furnished(world)
    captured_session(world, "s-9", "Written by another process", minutes=60)
    name = world.memory(1, "Newest of all")
    path = world.capture_path(5)
    text = render_capture(world.capture_of(5, "Written by another process", session="s-9"))
    states = world.project.session_state_json.read_bytes()
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "tmux").write_text(f'#!/bin/sh\n/bin/cat > "{tools}/buffer"\n')
    (tools / "tmux").chmod(0o755)
    start = [sys.executable, "-m", "memtui"] if size == WIDE else []
    env = {**world.env, "TMUX": "/tmp/x,1,0"}
    with running(world.root, size, env, path=str(tools), start=start) as terminal:
        terminal.until_shown("● live")
        terminal.until_shown(FIRST[:20])
        write_elsewhere(path, text)
        terminal.until_shown("Written by another")
        recovery_id = _review(terminal, world, path)
        terminal.press("2")
        # A row has the whole id or its time; the message has the id, too, but no title.
        row = f"({recovery_id}|{recovery_id[14:16]}:{recovery_id[16:18]}) Wri"
        terminal.until(lambda: re.search(row, terminal.screen.words), "the new row")
        terminal.press("gj")
        terminal.until_shown("Newest of all")
        terminal.press("y")
        terminal.until_shown("tmux buffer")
        assert (tools / "buffer").read_text() == name
        terminal.press("3x")
        terminal.until_shown("Cleared /babysit.")
        assert world.project.session_state_json.read_bytes() != states
        terminal.press("u")
        terminal.until_shown("Undone: cleared /babysit, so")
        assert world.project.session_state_json.read_bytes() == states
        terminal.press("q")
        assert terminal.until_left() == 0
    assert_given_back(terminal.output)


def _review(terminal: Terminal, world: World, path: Path) -> str:
    """Review the newest capture; returns the Recovery ID."""
    capture = parse_capture(path.read_text())
    terminal.press("gr")
    terminal.until_shown("Evidence")
    terminal.until_shown("used")  # the draft is there
    terminal.press(CTRL_S)
    terminal.until_shown("takes it back")
    memory = path.with_name(path.name.replace("-autocompact", "-memory"))
    text, recovery_id = told_apart(memory.read_text())
    assert (text, path.read_text()) == expected_review(capture, memory.name)
    assert list(world.home.memories.rglob(f"{recovery_id}.md"))
    return recovery_id


def assert_given_back(output: bytes) -> None:
    """The terminal is as it was: its own screen, its cursor, no mouse reports, and no word after that."""
    _, left, rest = output.rpartition(b"\x1b[?1049l")
    assert left
    assert b"\x1b[?25h" in rest
    assert b"\x1b[?1000l" in rest
    assert re.sub(rb"\x1b\[[0-?]*[ -/]*[@-~]", b"", rest).strip() == b""


def test_the_editor_takes_the_terminal_and_gives_it_back(world: World, tmp_path: Path) -> None:
    world.memory(1, "Edited in place", body="As it was\n")
    editor = tmp_path / "an editor"
    editor.write_text(
        '#!/bin/sh\necho "editing, press enter"\nread answer\n[ "$answer" ] || exit 3\n'
        'echo "By hand: $answer" >> "$1"\n'
    )
    editor.chmod(0o755)
    with running(world.root, (140, 45), {**world.env, "EDITOR": f"'{editor}'"}) as terminal:
        terminal.until_shown("● live")
        terminal.press("2")
        terminal.until_shown("As it was")
        terminal.press("e")
        terminal.until(lambda: b"editing, press enter" in terminal.output, "the editor")
        terminal.press("a word\n")
        terminal.until_shown("By hand: a word")
        terminal.press("e")
        terminal.until(lambda: terminal.output.count(b"editing, press enter") == 2, "the editor")
        terminal.press("\n")
        terminal.until_shown("ended with status 3")
        terminal.press("z")
        terminal.until_gone("1 Pending")
        terminal.press("q")
        assert terminal.until_left() == 0
    assert_given_back(terminal.output)


WALK = ("R" + "j" * 10 + "G", "2" + "j" * 8 + "G", "3jjjjjG", "4jjjj", "\rG")
_WRITTEN = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\]22;[a-z-]*\x07")
"""Textual's output: CSI sequences, and OSC 22 for the shape of the pointer."""
_KNOWN = re.compile(r"\x1b\[([0-9;]*[mH]|\?[0-9]+([hl]|\$p)|[<>][0-9]*u)")
"""The CSI sequences among them: colours, places, modes and the keyboard protocol."""


def test_no_control_code_of_the_data_reaches_the_terminal(tmp_path: Path) -> None:
    world = World(tmp_path, name=in_name(EVERYTHING)[:90])
    attacked(world)
    with running(world.root, (100, 24), world.env) as terminal:
        terminal.until_shown("● live")
        for keys in WALK:
            terminal.press(keys)
            terminal.until_quiet()
        terminal.press("4z")
        terminal.until_gone("1 Pending")
        terminal.press("z")
        terminal.until_shown("1 Pending")
        terminal.press(CTRL_P + PAGE_UP)  # before the palette has its commands
        terminal.until_shown("Search for commands")
        terminal.press("\x1b")
        terminal.until_gone("Search for commands")
        terminal.press("?")
        terminal.until_shown("Help for")
        terminal.press("q")
        terminal.until_gone("Help for")
        _read_transcript(terminal)
        _look_at_a_review(terminal)
        terminal.press("q")
        assert terminal.until_left() == 0
    assert "pwned" in terminal.output.decode()  # the texts themselves were shown
    assert_harmless(terminal.output)


def _read_transcript(terminal: Terminal) -> None:
    terminal.press("4o")
    terminal.until_shown("] next turn")
    for _ in range(5):
        terminal.press(PAGE_UP)
        terminal.until_quiet()
    terminal.press("q")
    terminal.until_gone("] next turn")


def _look_at_a_review(terminal: Terminal) -> None:
    terminal.press("1gr")
    terminal.until_shown("No facts:")
    terminal.press(F2)
    terminal.until_gone("add fact")  # from the facts to the form
    terminal.press("   \x1b")
    terminal.until_shown("is not saved")
    terminal.press("y")
    terminal.until_shown("● live")


def assert_harmless(output: bytes) -> None:
    """Everything that acts on a terminal is Textual's own; no payload came through as it was."""
    text = output.decode()  # no byte that is not UTF-8, so no raw C1 control either
    for payload in CONTROL.values():
        for match in SEQUENCE.finditer(payload):
            assert payload[match.start() : match.end() + 5] not in text, payload
    strange = {sequence for sequence in _WRITTEN.findall(text) if not _KNOWN.fullmatch(sequence)}
    assert all(sequence.startswith("\x1b]22;") for sequence in strange), strange
    rest = _WRITTEN.sub("", text)
    acting = "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
    assert re.findall(acting, rest) == []


SHELL = ("/bin/bash", "-c", 'trap : HUP; set -m; "$@"', "sh")
"""Starts its arguments. The kernel tells only this process, the first, that the terminal was closed."""
MODES = "\x1b[?2026;2$y\x1b[?2048;2$y"
"""Answers of a terminal that supports synchronized output and in-band resize reports."""
DEMO = (sys.executable, "-c", "import sys; sys.argv[1:] = ['demo']; from memtui.__main__ import main; main()")
"""The demo goes on writing to the screen while the editor is open."""


def test_closing_the_terminal_while_the_editor_is_open_ends_memtui(world: World, tmp_path: Path) -> None:
    editor, saved, number = tmp_path / "ed", tmp_path / "saved", tmp_path / "pid"
    editor.write_text(
        f'#!/bin/sh\necho $PPID > "{number}"\necho "editing"\n'
        f"while read answer; do :; done\necho > {saved}; exit 1\n"
    )
    editor.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**world.env, "EDITOR": f"'{editor}'", "TMPDIR": str(temporary)}
    with running(world.root, (140, 45), env, start=[*SHELL, *DEMO]) as terminal:
        terminal.until_shown("● live")
        terminal.press(MODES)
        terminal.press("2")
        terminal.until_shown("CMEM-")
        terminal.press("e")
        terminal.until(lambda: b"editing" in terminal.output, "the editor")
        memtui = int(number.read_text())
        terminal.hang_up()
        assert gone(memtui)
    assert saved.exists()  # the editor had its chance to save
    assert not any(temporary.iterdir())


def gone(pid: int) -> bool:
    """Wait for a process to end; False when it does not, and then it is killed."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended, _, _ = select.select([process], [], [], PATIENCE)
    os.close(process)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    return bool(ended)


CRASHING = (
    "import sys; sys.argv[:] = ['memtui', sys.argv[1]]\n"
    "from memtui.__main__ import main\n"
    "from memtui.app.screens.dialogs import HelpScreen\n"
    "HelpScreen.on_mount = lambda self: 1 / 0\n"
    "main()"
)


def test_an_unexpected_error_ends_with_status_1(world: World) -> None:
    with running(world.root, (100, 30), world.env, program=CRASHING) as terminal:
        terminal.until_shown("● live")
        terminal.press("?")
        assert terminal.until_left() == 1
    assert b"ZeroDivisionError" in terminal.output


_WAITS_LONG = """
from memtui.__main__ import main
from memtui.store import commands_file
commands_file.PATIENCE = 120.0
main()
"""


def test_leaving_while_a_lock_is_waited_for_leaves_at_once(world: World) -> None:
    furnished(world)
    lock = world.write(
        world.project.session_state_json.with_name("session-state.json.lock"), f"{os.getpid()}\n"
    )
    os.utime(lock)  # its holder has only just begun, and is alive
    with running(world.root, (100, 30), world.env, program=_WAITS_LONG) as terminal:
        terminal.until_shown("babysit")
        terminal.press("3")
        terminal.until_quiet()
        terminal.press("xq")
        started = time.monotonic()
        assert terminal.until_left() == 0
        assert time.monotonic() - started < 60
    assert lock.exists()


def test_a_signal_to_end_gives_the_terminal_back(world: World) -> None:
    furnished(world)
    with running(world.root, (100, 30), world.env) as terminal:
        terminal.until_shown("● live")
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.until_left() == 0
    assert b"\x1b[?1049l" in terminal.output
    assert b"\x1b[?1000l" in terminal.output
    assert b"\x1b[?25h" in terminal.output.rpartition(b"\x1b[?1049l")[2]


def test_an_editor_that_is_not_there_gives_the_terminal_back(world: World) -> None:
    furnished(world)
    with running(world.root, (100, 30), {**world.env, "EDITOR": "no-such-editor"}) as terminal:
        terminal.until_shown("● live")
        terminal.press("1e")
        terminal.until_shown("no-such-editor does not start")
        terminal.press("q")
        assert terminal.until_left() == 0


async def test_ctrl_z_stops_the_group_until_fg(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[tuple[int, int, Any]] = []

    def kill(process: int, number: int) -> None:
        stopped.append((process, number, signal.getsignal(signal.SIGTSTP)))
        go_on = signal.getsignal(signal.SIGCONT)
        if shell and callable(go_on):
            go_on(signal.SIGCONT, None)

    handlers = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    async with opened(full) as driver:
        for shell in (True, False):
            with monkeypatch.context() as patch:
                patch.setattr(driver.app, "suspend", nullcontext)
                patch.setattr(os, "kill", kill)
                await driver.press("ctrl+z")
            assert stopped.pop() == (0, signal.SIGTSTP, signal.SIG_DFL)
            assert not stopped
            assert bool(driver.said) is not shell
        assert driver.said == ["No shell waits below memtui: ctrl+z has nothing to go back to."]
    assert (signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)) == handlers


async def test_ctrl_z_takes_back_what_was_typed_in_a_field(
    full: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(full) as driver:
        monkeypatch.setattr(driver.app, "action_suspend_process", lambda: pytest.fail("it stopped"))
        goal = (await start(driver)).form.fields["goal"]
        before = goal.text
        goal.focus()
        await driver.press("x")
        assert goal.text != before
        await driver.press("ctrl+z")
        assert goal.text == before
