"""Compare what this checkout prints with what another commit prints, over real transcripts.

    python benchmarks/same.py BASE           # the transcripts in $MEMTUI_SHARED/transcripts
    python benchmarks/same.py BASE FOLDER    # those in FOLDER

For each transcript: what was lost, the recovery text, the facts, the session state before and after a version
was written, and the notes of the hooks at a compaction; then 50 searches over all of them. Both run in the
same empty home at the same frozen moment. A difference is a defect, unless the commit says why.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

_CHECKOUT = Path(__file__).resolve().parents[1]
_SHOWN, _PAIRS = 20, 50  # maximum lines printed of a difference; searches
_FIXED = {"PATH": os.environ["PATH"], "TZ": "UTC", "LANG": "C.UTF-8", "COLUMNS": "100"}
_MOMENT = "2026-03-01T12:00:00+00:00"  # when all of it runs
_WRITTEN = 1_772_280_000  # the transcripts' modification time, a day before

# The newest name of a command comes first; the next is tried when a word of it is unknown (exit code 2).
_COMMANDS: dict[str, tuple[str, ...]] = {
    "lost": ("lost SESSION --json --all",),
    "compact": ("compact --print --session SESSION",),
    "facts": ("transcript SESSION --facts --json", "facts --json --session SESSION"),
    "state, drafted": ("state show --session SESSION",),
    "pre-compact": ("hook pre-compact",),
    "captures": ("captures --json",),
    "state, written": ("state update --session SESSION",),
    "state, shown": ("state show --session SESSION",),
    "session-start": ("hook session-start",),
}

# Runs in the checked program's own interpreter, with arguments as JSON; prints one list of outputs.
_DRIVER = """
import contextlib, io, json, os, subprocess, sys
from datetime import datetime
from importlib import import_module
from pathlib import Path
moment = datetime.fromisoformat(sys.argv[1]).astimezone()
for name in ("memtui.ground.clock", "memtui.clock"):
    with contextlib.suppress(ImportError):
        import_module(name).system_clock = lambda: moment
if sys.argv[2] == "--hook":
    from memtui.hooks.main import main as hook
    sys.argv[1:] = sys.argv[3:]
    hook()
from memtui.__main__ import main
frozen, outputs, stdout = sys.argv[1], [], sys.stdout

def run(words):
    if words[0] == "hook":
        ran = subprocess.run(
            [sys.executable, "-c", CODE, frozen, "--hook", words[1]],
            input=words[2].encode(), capture_output=True
        )
        return ran.returncode, (ran.stdout + ran.stderr).decode("utf-8", "replace")
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    sys.argv, sys.stdout, sys.stderr, code = ["memtui", *words], out, out, 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    except Exception as error:
        code = repr(error)
    sys.stdout, sys.stderr = stdout, sys.__stderr__
    return code, out.buffer.getvalue().decode("utf-8", "replace")

for alternatives in json.load(sys.stdin):
    for words in alternatives:
        code, text = run(words)
        if code != 2:
            break
    for path in Path(os.environ["MEMTUI_HOME"]).rglob("*.md"):  # what was written shows its time
        os.utime(path, (moment.timestamp(), moment.timestamp()))
    outputs.append(f"{text.rstrip()}\\n(exit code {code})")
json.dump(outputs, stdout)
"""


class Place:
    """An empty home with transcripts of one project."""

    def __init__(self, root: Path, transcripts: Sequence[Path]) -> None:
        self.root = root
        self.project = root / "project"
        folder = root / "claude" / "projects" / re.sub(r"[^a-zA-Z0-9]", "-", str(self.project))
        for path in (folder, self.project / ".git", root / "home" / "config", root / "tmp"):
            path.mkdir(parents=True)
        # Nothing may go on in the background; versions are written by a command.
        switches = "[hooks]\nsession_states = false\n[archive]\nkeep = false\n"
        (root / "home" / "config" / "config.toml").write_text(switches)
        self.transcripts = [folder / f"{uuid5(NAMESPACE_URL, path.name)}.jsonl" for path in transcripts]
        for path, copy in zip(transcripts, self.transcripts, strict=True):
            data = path.read_bytes()
            if cwd := re.search(rb'"cwd" ?: ?"([^"\\]{2,})"', data):  # the session worked in this project
                data = data.replace(cwd[1], os.fsencode(self.project))
            copy.write_bytes(data)
            os.utime(copy, (_WRITTEN, _WRITTEN))

    def run(self, source: Path, commands: Sequence[Sequence[Sequence[str]]]) -> list[str]:
        """What the program of a checkout prints; the first alternative that it knows counts."""
        environment = {
            "HOME": str(self.root),
            "MEMTUI_HOME": str(self.root / "home"),
            "CLAUDE_CONFIG_DIR": str(self.root / "claude"),
            "TMPDIR": str(self.root / "tmp"),
            "PYTHONPATH": str(source / "tui"),
        } | _FIXED
        driver = [sys.executable, "-c", f"CODE = {_DRIVER!r}\n{_DRIVER}", _MOMENT, "--commands"]
        wanted = json.dumps(commands).encode()
        printed = subprocess.check_output(driver, cwd=self.project, env=environment, input=wanted)
        return [str(output) for output in json.loads(printed)]


def _commands(place: Place) -> Iterator[list[list[str]]]:
    (transcript,) = place.transcripts
    payload = {"session_id": transcript.stem, "transcript_path": str(transcript), "cwd": str(place.project)}
    payload |= {"trigger": "auto", "source": "compact", "custom_instructions": ""}
    for alternatives in _COMMANDS.values():
        words = [each.replace("SESSION", transcript.stem).split() for each in alternatives]
        yield [[*each, json.dumps(payload)] if each[0] == "hook" else each for each in words]


def _both(base: Path, transcripts: Sequence[Path], searches: Sequence[str] = ()) -> list[tuple[str, ...]]:
    """Name, output of the base and output of this checkout, of all commands."""
    outputs = []
    with tempfile.TemporaryDirectory(prefix="same-") as folder:
        for source in (base, _CHECKOUT):
            shutil.rmtree(folder)
            place = Place(Path(folder), transcripts)
            wanted = [[["search", *pair.split(), "--json"]] for pair in searches] or list(_commands(place))
            outputs.append(place.run(source, wanted))
    return list(zip(searches or _COMMANDS, *outputs, strict=True))


def _pairs(transcripts: Sequence[Path]) -> list[str]:
    """Pairs of neighbouring words, the same at each run."""
    found: set[str] = set()
    for path in transcripts:
        text = path.read_text("utf-8", "replace")
        found.update(map(" ".join, re.findall(r"\b([a-zA-Z]{4,12}) ([a-zA-Z]{4,12})\b", text)))
    return random.Random(7).sample(sorted(found), min(_PAIRS, len(found)))


@contextmanager
def _checkout(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="same-base-") as folder:
        git = ("git", "-C", str(_CHECKOUT), "worktree")
        subprocess.run((*git, "add", "--quiet", "--detach", f"{folder}/base", commit), check=True)
        try:
            yield Path(folder) / "base"
        finally:
            subprocess.run((*git, "remove", "--force", f"{folder}/base"), check=True)


def main() -> None:
    """Compare, print the differences, and exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("base", help="a commit")
    parser.add_argument("folder", nargs="?", type=Path, help="default: $MEMTUI_SHARED/transcripts")
    given = parser.parse_args()
    folder = given.folder or Path(os.environ["MEMTUI_SHARED"]) / "transcripts"
    transcripts = sorted(folder.glob("**/*.jsonl")) or sys.exit(f"{folder} has no transcripts")
    began, differing = time.monotonic(), Counter[str]()
    with _checkout(given.base) as base, ThreadPoolExecutor(2) as pool:
        jobs = {"all transcripts": pool.submit(_both, base, transcripts, _pairs(transcripts))}
        jobs |= {path.name: pool.submit(_both, base, [path]) for path in transcripts}
        for name, job in jobs.items():
            for what, before, after in job.result():
                if before != after:
                    differing["search" if name == "all transcripts" else what] += 1
                    old, new = (text.replace("\\n", "\n").splitlines() for text in (before, after))
                    lines = list(unified_diff(old, new, lineterm="", n=1))[:_SHOWN]
                    print(f"\n=== {name}: {what}", *(line[:300] for line in lines), sep="\n")
    number = len(transcripts) * len(_COMMANDS) + _PAIRS
    kinds = "".join(f", {kind} {count}" for kind, count in differing.items())
    print(f"{sum(differing.values())} of {number} outputs differ{kinds} ({time.monotonic() - began:.0f} s)")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
