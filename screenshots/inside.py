"""The picture of a real Claude Code with memtui's mod in it, beside memtui itself. Needs tmux."""

from __future__ import annotations

import io
import json
import os
import shlex
import time
from pathlib import Path
from typing import Any

from rich.ansi import AnsiDecoder
from rich.console import Console
from tests.e2e.api import serving
from tests.e2e.resuming import settled
from tests.e2e.run import Run
from tests.tmux_run import Tmux, command

from sharing import joined

_SIZE = (100, 42)
_TALK = (
    (
        "Move the prices to integer cents. Never touch legacy/: the till still reads it.",
        "The prices are parsed in src/prices.ts and shown in src/ui/price.tsx; legacy/ has its own.",
    ),
    (
        "Run the tests with `npm test -- --runInBand`: two of them share port 4711.",
        "42 pass and 1 is skipped with `npm test -- --runInBand`.",
    ),
    (
        "No, do not round each line of the invoice: round the sum, or Dana's totals differ.",
        "Only the sum is rounded now, in src/invoice.ts.",
    ),
    (
        "When it is green, tell Dana before you push to fix/cents.",
        "src/invoice.ts is green. What is left: the CSV export still writes euros.",
    ),
)
_NEXT = "Now the CSV export."
_SUMMARY = """<summary>
1. Primary Request and Intent: the prices become integer cents.
2. Files: src/prices.ts, src/ui/price.tsx, src/invoice.ts.
3. Current Work: src/invoice.ts is green with 42 tests.
</summary>"""


def inside(client: str, folder: Path) -> str:
    """A compaction in the client, with the row above its prompt and its pane, and the same in memtui.

    Args:
        client: the path of a Claude Code that loads mods.
        folder: an empty one.
    """
    with serving() as api:

        def answer(messages: list[Any]) -> str | None:
            last = json.dumps(messages[-1], ensure_ascii=False)
            if "create a detailed summary" in last.lower():
                return _SUMMARY
            if _NEXT in last and _SUMMARY[10:40] not in json.dumps(messages):
                return None  # too long
            if _NEXT in last:
                return "The CSV export is next: src/export.ts."
            return next((said for asked, said in _TALK if json.dumps(asked)[1:-1] in last), "Done.")

        api.answer = answer  # type: ignore[method-assign]
        api.tokens = 104_000
        run = Run(client, folder, api)
        run.memtui("init", "--yes")
        settled(run)
        shown = {**run.env, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        words = shlex.join(["env", "-i", *(f"{name}={value}" for name, value in shown.items()), client])
        in_project = f"cd {shlex.quote(str(run.project))} && exec {words} --model claude-opus-4-5"
        left = Tmux(f"memtui-inside-{os.getpid()}", _SIZE, f"sh -c {shlex.quote(in_project)}")
        right = None
        try:
            left.until(lambda: "Claude Code v" in left.shown and "❯" in left.shown, "the client's screen")
            for asked, said in _TALK:
                _typed(left, asked, said[:20])
            _typed(left, _NEXT, "let a model choose")
            left.keys("C-x")
            left.keys("Tab")
            left.keys("n")
            left.until(lambda: "let a model choose" not in left.shown, "the row without the question")
            left.keys("Escape")
            _typed(left, "/lost", "chosen by no model")
            right = Tmux(f"memtui-beside-{os.getpid()}", _SIZE, command(shown, str(run.project), only=True))
            right.until_shown("● live")
            right.until_shown("LOST")
            time.sleep(1)  # both have drawn what they have
            return joined(_picture(left, "claude"), _picture(right, "memtui"))
        finally:
            left.run("kill-server")
            if right is not None:
                right.run("kill-server")


def _typed(tmux: Tmux, text: str, answer: str) -> None:
    tmux.run("send-keys", "-l", text)
    tmux.until_shown(text[:40])
    tmux.keys("Enter")
    tmux.until_shown(answer)


def _picture(tmux: Tmux, title: str) -> str:
    console = Console(record=True, width=_SIZE[0], force_terminal=True, file=io.StringIO())
    for line in AnsiDecoder().decode(tmux.run("capture-pane", "-e", "-p", "-N")):
        console.print(line, no_wrap=True, crop=True)
    return console.export_svg(title=title, unique_id=title)
