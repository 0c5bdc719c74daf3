"""The client's own screen in a tmux: a session resumed from memtui's reader, and what the mod draws there."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tests.tmux_run import Tmux, command

if TYPE_CHECKING:
    from tests.e2e.run import Run

_SIZE = (120, 40)


def resumed_from_the_reader(run: Run, words: str) -> str:
    """Read the newest session, resume it, and say something in it; returns what the client asked for.

    Args:
        run: the project and the client.
        words: what is typed.
    """
    settled(run)
    for transcript in Path(run.env["HOME"], ".claude", "projects").rglob("*.jsonl"):
        # Of a session just written, memtui asks first; their order stays.
        os.utime(transcript, (transcript.stat().st_mtime - 120,) * 2)
    env = {**run.env, "TERM": "xterm-256color"}
    tmux = Tmux(f"memtui-e2e-{os.getpid()}", _SIZE, command(env, str(run.project), only=True))
    try:
        tmux.until_shown("● live")
        tmux.keys("S")
        tmux.until_shown("R resume")
        tmux.keys("Enter")
        tmux.until_shown("100 %")
        before = len(run.api.requests)
        tmux.keys("R")
        tmux.until(lambda: "Claude Code v" in tmux.shown and "❯" in tmux.shown, "the client's screen")
        tmux.keys(words)
        tmux.until_shown(words)
        tmux.keys("Enter")
        tmux.until(lambda: any(words in each for each in run.api.requests[before:]), "the request")
        asked = next(each for each in run.api.requests[before:] if words in each)
        # A request that is interrupted gives its words back to the prompt, which ctrl+c then clears.
        tmux.until(lambda: "Done." in tmux.shown.rpartition(words)[2], "the answer")

        def left() -> bool:  # twice leaves the client, once more if it was still at work
            tmux.keys("C-c")
            return "Claude Code v" not in tmux.shown

        tmux.until(left, "the reader again")
        tmux.until_shown(words)  # the reader has followed
        return asked
    finally:
        tmux.run("kill-server")


def drawn_by_the_mod(run: Run) -> None:
    """A compaction by hand, its row, the question, the pane and its buttons, and the row before the next one.

    Args:
        run: the project and the client.
    """
    settled(run)
    choice = Path(run.env["HOME"], ".local", "state", "memtui", "choice")
    env = {**run.env, "TERM": "xterm-256color"}
    given = [f"{name}={value}" for name, value in env.items()]
    client = shlex.join(["env", "-i", *given, run.client, "--model", "claude-sonnet-4-5"])
    words = f"cd {shlex.quote(str(run.project))} && exec {client}"
    tmux = Tmux(f"memtui-e2e-mod-{os.getpid()}", (140, 45), f"sh -c {shlex.quote(words)}")

    def says(text: str, shown: str) -> None:
        tmux.keys(text)
        tmux.until_shown(text)
        tmux.keys("Enter")
        tmux.until_shown(shown)

    try:
        tmux.until(lambda: "Claude Code v" in tmux.shown and "❯" in tmux.shown, "the client's screen")
        for number in (1, 2, 3):
            rule = f"Never paddle on river {number}: the ferry crosses there"
            tmux.keys(rule)
            tmux.until_shown(rule)
            tmux.keys("Enter")
            tmux.until(lambda number=number: tmux.shown.count("Done.") >= number, "the answer")  # type: ignore[misc]
        says("/compact", "left out")
        tmux.until_shown("let a model choose what goes back?")
        tmux.keys("C-x")
        tmux.keys("Tab")
        tmux.keys("n")
        tmux.until(choice.exists, "the choice")
        tmux.until(lambda: "let a model choose" not in tmux.shown, "the row without the question")
        tmux.keys("Escape")
        says("/lost", "chosen by no model")
        tmux.until_shown("a summary has to keep: rules")
        run.api.tokens = 181_000
        says("and on", "Done.")
        tmux.keys("C-x")
        tmux.keys("Tab")
        tmux.keys("Right")
        tmux.keys("Enter")  # hide
        tmux.until_shown("compacts at 180k · any turn now")
        tmux.until_shown("[ what would go ]")
    finally:
        run.api.tokens = 180_000
        tmux.run("kill-server")


def settled(run: Run) -> None:
    """Answer in advance what the client's own screen asks a new user."""
    path = Path(run.env["HOME"]) / ".claude.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    keys = {"approved": [run.env["ANTHROPIC_API_KEY"][-20:]], "rejected": []}
    projects = {**known.get("projects", {}), str(run.project): project}
    more = {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": keys}
    path.write_text(json.dumps({**known, **more, "projects": projects}))
