"""A real Claude Code compacts against a stand-in API; memtui shows and gives back what was lost.

    CLAUDE_CODE=/path/to/claude make e2e

Nothing leaves the machine. Each step says what it has seen; the first that fails ends the run with 1.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtui.ground.project import Project, memtui_home
from memtui.hooks.context import context_block
from memtui.hooks.records import Report
from tests.e2e.api import CHOICE, Api, serving
from tests.e2e.resuming import drawn_by_the_mod, resumed_from_the_reader, settled
from tests.tmux_run import Tmux, command

PIN = "Never push to main, whatever the otters say"
RULE = "Never rename the lake of the otters: the ferry reads its name"
OURS = "chosen by the user in memtui"
SETTINGS = {"cleanupPeriodDays": 60, "env": {"OTTER": "1"}}
_SECONDS = 180
_WITH_MODS = (2, 1, 287)
"""The first client that loads the plugin's mod (Claude Code fact)."""


class Run:
    """One project, one home, one client."""

    def __init__(self, client: str, base: Path, api: Api) -> None:
        self.client = client
        self.api = api
        self.project = base / "otters"
        (self.project / ".git").mkdir(parents=True)
        self.config = base / ".config" / "memtui" / "config.toml"
        self.config.parent.mkdir(parents=True)
        self.config.write_text("[hooks]\nsession_states = false\n")  # or the notes would lose nothing
        programs = base / "programs"
        programs.mkdir()
        (programs / "claude").symlink_to(Path(client).resolve())
        self.settings = base / ".claude" / "settings.json"
        self.settings.parent.mkdir()
        self.settings.write_text(json.dumps(SETTINGS))
        self.env = {
            "HOME": str(base),
            "PATH": f"{programs}:{Path(sys.executable).parent}:/usr/bin:/bin",
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": api.address,
            "ANTHROPIC_API_KEY": "local-fake",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def memtui(self, *words: str, given: str = "") -> str:
        """Run memtui with something on its standard input; returns what it printed."""
        command = [sys.executable, "-m", "memtui", *words]
        return self._done(command, "memtui " + " ".join(words), given)

    def activates(self, name: str, size: int) -> None:
        """Make a command active whose rules have so many characters."""
        rules = "\n".join(f"- rule {number}: paddle on" for number in range(size // 22))
        path = self.project / ".claude" / "commands" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<!-- COMPACT_SUMMARY_START -->\n{rules}\n<!-- COMPACT_SUMMARY_END -->\n")
        self.memtui("command", "activate", name)

    def claude(self, *words: str) -> str:
        """Run the client once with a prompt, going on with the newest session."""
        return self._done(
            [self.client, "-c", "-p", "--model", "claude-sonnet-4-5", *words], f"claude {words}"
        )

    def client_says(self, *words: str) -> str:
        """Run one of the client's own commands; returns what it printed."""
        return self._done([self.client, *words], "claude " + " ".join(words))

    def has_mods(self) -> bool:
        """Whether the client loads the plugin's mod."""
        return tuple(map(int, self.client_says("--version").split()[0].split("."))) >= _WITH_MODS

    def turns(self, number: int) -> None:
        """A session of so many turns after a rule, in which the client compacts by itself."""
        turns = range(1, number + 1)
        asked = (f"turn {at} of the otter migration: count the pups of river {at + 10}" for at in turns)
        self.types(RULE, *asked)

    def types(self, *contents: str) -> None:
        """A session in which these are typed, one after the other's answer."""
        with self.talking() as say:
            for content in contents:
                say(content)

    @contextmanager
    def talking(self, *options: str) -> Iterator[Callable[[str], None]]:
        """A session; what is called types into it and waits for the answer."""
        streams = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        command = [self.client, "-p", *streams, "--model", "claude-sonnet-4-5", *options]
        with subprocess.Popen(
            command, env=self.env, cwd=self.project, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            assert process.stdin and process.stdout

            def say(content: str) -> None:
                assert process.stdin and process.stdout
                message = {"type": "user", "message": {"role": "user", "content": content}}
                process.stdin.write(json.dumps(message) + "\n")
                process.stdin.flush()
                for line in process.stdout:  # until the turn's result
                    if json.loads(line).get("type") == "result":
                        break

            yield say
            process.stdin.close()
            process.wait(timeout=_SECONDS)

    def transcripts(self) -> str:
        """All transcripts of the project."""
        folder = Path(self.env["HOME"]) / ".claude" / "projects"
        return "".join(path.read_text() for path in sorted(folder.glob("*/*.jsonl")))

    def sessions(self) -> list[str]:
        """The ids of the project's sessions."""
        folder = Path(self.env["HOME"]) / ".claude" / "projects"
        return [path.stem for path in folder.glob("*/*.jsonl")]

    def _done(self, command: list[str], what: str, given: str = "") -> str:
        done = subprocess.run(
            command, env=self.env, cwd=self.project, input=given, capture_output=True, text=True,
            timeout=_SECONDS,
        )  # fmt: skip
        _check(done.returncode == 0, f"{what} ends with 0", done.stdout[-500:] + done.stderr[-500:])
        return done.stdout


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _check(holds: Any, what: str, detail: str = "") -> None:
    _say(f"{'ok    ' if holds else 'FAILED'} {what}")
    if not holds:
        sys.exit(f"{detail}\n" if detail else 1)


def _installed(run: Run) -> None:
    """The plugin, installed from this checkout by the client's own commands."""
    run.memtui("init", "--yes")
    _check(json.loads(run.settings.read_text()).items() >= SETTINGS.items(), "the user's settings are kept")
    _check("memtui@memtui" in run.client_says("plugin", "list"), "the client lists the plugin")
    servers = run.client_says("mcp", "list")
    _check("plugin:memtui:memtui" in servers and "Connected" in servers, "the MCP server connects", servers)


def _typed(run: Run) -> None:
    """Both short names and a name of the plugin's, typed: the client sends what they say."""
    for name, words in (
        ("/review-compact", "Review one capture"),
        ("/memory:compact --force", "Compress the working memory"),
        ("/memtui:pin the otters sleep at noon", "Pin the user's line"),
    ):
        before = len(run.api.requests)
        run.types(name)
        _check(words in "".join(run.api.requests[before:]), f"{name} is known")


def _automatic(run: Run) -> None:
    """An automatic compaction: captured, its losses listed, the pin handed over."""
    run.memtui("pin", PIN)
    run.api.most = 6
    run.turns(5)
    _check("compact_boundary" in run.transcripts(), "the client has compacted by itself")
    _check(json.loads(run.memtui("captures", "--json")), "the compaction is captured")
    summarising = next((each for each in run.api.requests if "create a detailed summary" in each.lower()), "")
    _check(PIN in summarising, "the summariser was given the pin")
    printed = run.memtui("lost", "--json")
    (lost,) = json.loads(printed)
    missing = [row for row in lost["rows"] if row["state"] != "kept"]
    _check(any("river 1" in row["text"] for row in missing), "a request is listed as missing", printed)
    if run.has_mods():
        noted = [line for line in run.transcripts().split("\n") if '"plugin_note"' in line]
        _check(noted and RULE in noted[0], "the mod handed over the rule that the summary lacks")
        arrived = any(RULE in each and "plugin, not from" in each for each in run.api.requests)
        _check(arrived, "and it arrived with the next request")
        _check("memtui: the summary left out" in run.transcripts(), "with a line for the person")
    pin = next(row for row in lost["rows"] if row["kind"] == "pin")
    _check(pin["state"] == "handed over", "the summary has lost the pin, and memtui handed it over")


def _rescue(run: Run) -> None:
    """Two rows handed over: in the next request, in the transcript, once, with a receipt."""
    (lost,) = json.loads(run.memtui("lost", "--json"))
    first, second = [row["key"] for row in lost["rows"] if "river 1" in row["text"]][:2]
    said = run.memtui("lost", "--row", first, "--row", second, "--hand-over")
    _check("2 lines wait" in said, "two rows wait for the session")
    before = len(run.api.requests)
    run.claude("go on with the otters")
    asked = "".join(run.api.requests[before:])
    _check(OURS in asked, "the next request has them")
    _check("river 1" in asked, "word for word")
    run.claude("and on")
    added = [line for line in run.transcripts().split("\n") if '"hook_additional_context"' in line]
    number = sum(OURS in line for line in added)
    _check(number == 1, "the transcript has them once", str(number))
    found = json.loads(run.memtui("doctor", "--receipts", "--json"))
    _check(found and all(each["arrival"] == "whole" for each in found), "all receipts: whole", str(found))
    _check(any("2 chosen lines" in each["what"] for each in found), "one of them is the rescue's")


def _within_a_turn(run: Run) -> None:
    """Rows handed over while Claude works: with the same turn's next request, by the mod, once."""
    if not run.has_mods():
        return
    (lost,) = json.loads(run.memtui("lost", "--json"))
    key = [row["key"] for row in lost["rows"] if "river 1" in row["text"]][-1]
    before = len(run.api.requests)
    # The mod learns in the background where hand-overs wait.
    hand_over = f"sleep 5; {sys.executable} -m memtui lost --row {key} --hand-over"
    for words in (hand_over, "echo paddle"):
        run.api.calls.append(("Bash", {"command": words, "description": "paddle"}))
    run.claude("count them all", "--allowedTools", "Bash")
    first, second, third = run.api.requests[before:]
    _check(second.count(OURS) == first.count(OURS), "it waits while the command runs")
    _check(third.count(OURS) == first.count(OURS) + 1, "and goes out with the next request")
    before = len(run.api.requests)
    run.claude("and on")
    _check(run.api.requests[before].count(OURS) == third.count(OURS), "no hook hands it over again")
    newest = json.loads(run.memtui("doctor", "--receipts", "--json"))[0]
    _check(
        "1 chosen line" in newest["what"] and newest["arrival"] == "whole", "its receipt: whole", str(newest)
    )


def _chosen(run: Run) -> None:
    """A model chooses: right numbers, none, wrong ones, prose, silence."""
    if not run.has_mods():
        return
    before = run.config.read_text()
    # The session's own model chooses before there is a summary: what is kept then is left out.
    for way, name, right in (
        ("small", "haiku", "R 1 / O 2"),
        ("own", "this session's model", "R 1 / O 2 3 4"),
    ):
        run.config.write_text(f'{before}[compaction]\nchoice = "{way}"\n')
        for answer, words, numbers in (
            (right, f"2 handed over, chosen by {name} for 180,020 tokens", 2),
            ("none", f"0 handed over, chosen by {name}", 0),
            ("R 999", f"without {name}: its answer is no choice, 180,020 tokens spent", 1),
            ("The rules matter most.", f"without {name}: its answer is no choice", 1),
            ("", f"without {name}: no answer within 20 seconds", 1),
        ):
            known = run.transcripts()
            asked = len(run.api.requests)
            run.api.choice, run.api.most = answer, 6
            run.turns(5)
            lines = [line for line in run.transcripts().split("\n") if line not in known]
            said = [line for line in lines if "memtui: the summary left out" in line]
            what = f"{way}, {answer or 'silence'}"
            _check(len(said) == 1 and words in said[0], f"{what}: {words}", str(said))
            notes = [
                json.loads(line)["attachment"]["content"][0] for line in lines if '"plugin_note"' in line
            ]
            _check("".join(notes).count("\n- ") == numbers, f"{what}: the note has {numbers}", str(notes))
            questions = [each for each in run.api.requests[asked:] if CHOICE in each.rpartition('"role"')[2]]
            _check(len(questions) == 1, f"{what}: asked once")
            _check(
                (RULE in questions[0].partition(CHOICE)[0]) == (way == "own"), f"{what}: knows what it should"
            )
    run.config.write_text(before)


def _made_ahead(run: Run) -> None:
    """A summary made ahead of its compaction: what it lacks is known before, and handed over after."""
    if not run.has_mods():
        return
    settled(run)
    path = Path(run.env["HOME"]) / ".claude.json"
    # Claude Code fact (2.1.332): its server has to switch this on, besides the setting.
    features = {"tengu_sepia_moth": True, "tengu_amber_packet": True}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"cachedGrowthBookFeatures": features}))
    known, settings = run.transcripts(), run.settings.read_text()
    run.settings.write_text(json.dumps(json.loads(settings) | {"precomputeCompactionEnabled": True}))
    env = run.env.copy()
    del run.env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"]
    run.env |= {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
    folder = path.parent / ".claude" / "projects"
    with run.talking("--settings", '{"precomputeArmTokens": 1000}') as say:
        say(RULE)
        made: list[Path] = []
        for number in range(6):
            say(f"count the pups of river {number}")
            made = made or list(folder.glob("*/*/precompact.json"))
        _check(len(made) == 1, "the client has made a summary ahead")
        given = {"session": made[0].parent.name, "transcript": f"{made[0].parent}.jsonl"}
        shown = run.memtui("mod", "ahead", given=json.dumps(given))
        _check("the summary made ahead lacks" in shown and RULE in shown, "what it lacks is shown", shown)
        run.api.most = 6
        say("and on")
        say("and on")
    run.env = env
    run.settings.write_text(settings)
    lines = [line for line in run.transcripts().split("\n") if line not in known]
    boundaries = [line for line in lines if '"compact_boundary"' in line]
    _check(len(boundaries) == 1 and '"precomputed":true' in boundaries[0], "it counts now", str(boundaries))
    notes = [line for line in lines if '"plugin_note"' in line]
    _check(len(notes) == 1 and RULE in notes[0], "the mod handed over what it lacks, once", str(notes))
    _check(RULE in run.api.requests[-1], "and the next request has it")


def _remembers(run: Run) -> None:
    """Claude writes a memory: its row shows at once, and where it comes from is named."""
    words = "remember: the otters sleep at noon"
    slug = re.sub(r"[^a-zA-Z0-9]", "-", str(run.project.resolve()))
    folder = Path(run.env["HOME"]) / ".claude" / "projects" / slug / "memory"
    head = "name: otter-noon\ndescription: The otters sleep at noon\nmetadata:\n  type: project"
    given = {"file_path": str(folder / "otter-noon.md"), "content": f"---\n{head}\n---\n\nAt noon.\n"}
    if shutil.which("tmux") is None:
        _say("left out: tmux is not installed")
        return
    env = {**run.env, "TERM": "xterm-256color"}
    tmux = Tmux(f"memtui-e2e-memory-{os.getpid()}", (140, 45), command(env, str(run.project), only=True))
    try:
        tmux.until_shown("● live")
        run.api.calls.append(("Write", given))
        with run.talking("--allowedTools", "Write") as say:
            say(words)
            tmux.until_shown("otter-noon")
            seen = time.time() - (folder / "otter-noon.md").stat().st_mtime
    finally:
        tmux.run("kill-server")
    _check(seen < 1, f"its row is seen within a second: {seen:.3f} s")
    (found,) = json.loads(run.memtui("memory", "show", "otter-noon", "--json"))["versions"]
    _check(
        found["line"] > 0 and found["how"] == "written",
        "with its source line, and no other change",
        str(found),
    )


def _by_hand(run: Run) -> None:
    """A compaction by hand, and a resumed session."""
    run.activates("paddle", 60_000)
    home = memtui_home({"XDG_DATA_HOME": f"{run.env['HOME']}/.local/share"})
    block = json.dumps(context_block(Project(run.project), home, Report()).strip(), ensure_ascii=False)[1:-1]
    before = len(run.api.requests)
    run.claude("/compact keep the otters")
    _check(7_000 < len(block) < 10_000, "rules fill the room that a compaction has for them", str(len(block)))
    summarising = next(each for each in run.api.requests[before:] if "create a detailed summary" in each)
    _check(block in summarising, "and reach the summariser whole")
    run.memtui("command", "clear")
    run.claude("what now?")
    asked = "".join(run.api.requests[before:])
    _check("keep the otters" in asked and asked.count(PIN) > 1, "after /compact the pin is there again")
    run.memtui("lost", "--all", "--hand-over")
    before = len(run.api.requests)
    run.claude("go on, resumed")
    _check(OURS in "".join(run.api.requests[before:]), "a resumed session gets its rescue")


def _cleared(run: Run) -> None:
    """After /clear, the new session gets the pins and the state of the one that ended, once."""
    run.config.unlink()  # session states are written
    before = len(run.api.requests)
    run.types("the otters need a dam of willow", "/clear", "what now?", "and then?")
    first, *_, last = run.api.requests[before:]
    _check("its conversation was cleared" not in first, "the session before was not cleared yet")
    _check("its conversation was cleared" in last, "the new session is given notes")
    _check(PIN in last, "with the pin")
    _check("a dam of willow" in last, "and the state of the session that ended")
    newest = json.loads(run.memtui("doctor", "--receipts", "--json"))[0]
    _check(newest["arrival"] == "whole", "the receipt says: whole", str(newest))


def _resumed(run: Run) -> None:
    """The newest session, resumed from the reader with R."""
    if shutil.which("tmux") is None:
        _say("left out: tmux is not installed")
        return
    sessions = set(run.sessions())
    asked = resumed_from_the_reader(run, "the otters say hello from the reader")
    _check("a dam of willow" in asked or "and then?" in asked, "the client goes on with that conversation")
    _check(set(run.sessions()) == sessions, "in the same session, and the reader has followed it")


def _drawn(run: Run) -> None:
    """The mod draws a row after a compaction, its question, the pane, and a row before the next one."""
    if run.has_mods() and shutil.which("tmux"):
        drawn_by_the_mod(run)
        _check(True, "rows, question and pane are drawn, and their buttons answer")


FAULTS = {
    "hangs": "exec sleep 60",
    "prints rubbish": "echo rubbish",
    "prints nothing": "exit 0",
    "prints null": "echo null",
    "prints other JSON": "echo '{}'",
    "prints broken JSON": """echo '{"event": "before", '""",
    "prints bytes": "head -c 300000 /dev/urandom",
    "fails": "echo 'the lake is frozen' >&2; exit 3",
    "is killed": "kill -9 $$",
    "fails with the summary": 'case $2 in note) exit 1 ;; esac; exec {real} "$@"',
    "hangs with the summary": 'case $2 in note) exec sleep 60 ;; esac; exec {real} "$@"',
}
"""Ways of failing, each a script in the place of memtui."""


def _faulty(run: Run) -> None:
    """The mod finds memtui missing, hanging or printing rubbish: the compaction goes on, a line says why."""
    if not run.has_mods():
        return
    program = Path(run.env["PATH"].split(":")[0]) / "memtui"
    real = Path(sys.executable).with_name("memtui")
    for fault, script in {**FAULTS, "is missing": ""}.items():
        known, before = run.transcripts(), len(run.api.requests)
        text = script.replace("{real}", str(real)) if script else "echo 'memtui is not installed' >&2; exit 1"
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        run.api.most = 6
        run.turns(5)
        lines = [line for line in run.transcripts().split("\n") if line not in known]
        boundaries = [line for line in lines if '"compact_boundary"' in line]
        _check(len(boundaries) == 1 and "preservedSegment" in boundaries[0], f"{fault}: compacted")
        said = [line for line in lines if "the summary was not compared" in line]
        _check(len(said) == 1, f"{fault}: said once", str(said))
        _check(not any('"plugin_note"' in line for line in lines), f"{fault}: no note of the mod")
        asked = run.api.requests[before:]
        _check("river 15" in asked[-1] and asked[-1].count(RULE) == 1, f"{fault}: a hook hands over, once")
    program.unlink()


def _switched_off(run: Run) -> None:
    """With all hooks off, a compaction is red."""
    settings = run.project / ".claude" / "settings.local.json"
    settings.write_text(json.dumps({"disableAllHooks": True}))
    begun = int(time.time())  # timestamps of the transcript and of the hook log are compared
    while int(time.time()) == begun:
        time.sleep(0.01)
    run.api.most = 6
    run.turns(5)
    found = json.loads(run.memtui("doctor", "--receipts", "--json"))
    bad = [each for each in found if each["arrival"] == "missing"]
    _check(
        bad and "disableAllHooks" in bad[0]["reason"], "with hooks off, the receipt says so", str(found[:2])
    )
    watched = run.memtui("doctor", "--receipts").split("\n")[0]
    _check("✗ not received: no hook ran" in watched, "in red on the list", watched)
    doctor = subprocess.run(
        [sys.executable, "-m", "memtui", "doctor"],
        env=run.env,
        cwd=run.project,
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout
    _check("did not arrive whole" in doctor, "and the doctor names it", doctor)


def _uninstalled(run: Run) -> None:
    """Everything taken away, the marketplace and the short commands included."""
    run.memtui("uninstall", "--yes")
    left = {key: value for key, value in json.loads(run.settings.read_text()).items() if value != {}}
    _check(left == SETTINGS, "the user's settings are as before", str(left))
    _check("memtui" not in run.client_says("plugin", "list"), "the client lists no plugin of memtui")
    _check("memtui" not in run.client_says("plugin", "marketplace", "list"), "and no marketplace")
    _check("memtui" not in run.client_says("mcp", "list"), "and no MCP server")
    _check(not (run.settings.parent / "commands").exists(), "the short commands are gone")


def main() -> int:
    """Run all steps; 2 without a client."""
    client = os.environ.get("CLAUDE_CODE", "")
    if not client or not Path(client).exists():
        _say("Name the client: CLAUDE_CODE=/path/to/claude make e2e")
        return 2
    with tempfile.TemporaryDirectory(prefix="memtui-e2e-") as base, serving() as api:
        run = Run(client, Path(base), api)
        _say(run.client_says("--version").strip())
        steps = (_installed, _automatic, _rescue, _within_a_turn, _chosen, _by_hand, _cleared, _resumed)
        more = (_drawn, _made_ahead, _remembers, _faulty, _typed, _switched_off, _uninstalled)
        for step in (*steps, *more):
            _say(f"\n{step.__doc__}")
            step(run)
    _say("\nAll of it holds.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
