"""memtui compared with claude-code-log, another program for transcripts: `make bench-peers`.

claude-code-log is installed into a temporary environment; where that is not possible, the comparison is
skipped and says so. Both get the same transcripts of one project (see `sessions`; ``MEMTUI_MEGABYTES``,
default 100). Measured are, in turn, the time from the start until the newest session is listed, the first
time and again; making the search index; and the same words in both searches. claude-code-log indexes whole
messages; memtui asks, answers, commands, files and errors, and it finds parts of words, too.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

import sessions
from data import Place, make_transcript, write_captures, write_commands
from memtui.ground.project import Places, Project, memtui_home
from memtui.store.search import Scope, Searcher
from memtui.store.search_query import parse_search
from report import milliseconds, percentile
from terminal import Terminal

PEER = "claude-code-log"
FIRST_ASK = "token refresh race"
"""Of the newest session."""
QUERIES = 40
_INSTALL = 600
"""Seconds."""
_CWD = re.compile(rb'"cwd":"[^"]*"')
_PEER_SEARCH = """
import json, sqlite3, sys, time
from pathlib import Path
from claude_code_log.cache import CacheManager, get_cache_db_path, get_library_version
from claude_code_log.converter import ensure_fresh_cache
from claude_code_log.search import ensure_index, search
project = Path(sys.argv[1])
started = time.perf_counter()
ensure_fresh_cache(project, CacheManager(project, get_library_version()), silent=True)
connection = sqlite3.connect(get_cache_db_path(project.parent))
ensure_index(connection)
made = time.perf_counter() - started
taken = []
for word in json.load(sys.stdin):
    started = time.perf_counter()
    search(connection, word)
    taken.append(time.perf_counter() - started)
print(json.dumps({"made": made, "taken": taken}))
"""


def installed(folder: Path) -> Path | None:
    """The peer's folder of programs; None where it cannot be had."""
    print(f"Installing {PEER} into {folder} ...", flush=True)
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", PEER]
    try:
        subprocess.run(pip, check=True, timeout=_INSTALL, capture_output=True)
    except (subprocess.SubprocessError, OSError) as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip()
        print(f"Skipped: {PEER} cannot be installed here. {said[-300:]}")
        return None
    return folder / "bin"


def write_data(place: Place) -> list[str]:
    """A project with transcripts; returns words that are in them."""
    (place.project / ".git").mkdir(parents=True)
    write_commands(place)
    write_captures(place, 1)
    shared = sorted((sessions._SHARED / "transcripts").glob("*.jsonl"))
    make_transcript(place, megabytes=1)
    with tempfile.TemporaryDirectory(dir=place.root) as made:
        _, words = sessions.copies(Path(made), shared or [place.transcript])
        cwd = b'"cwd":' + json.dumps(str(place.project)).encode()
        for path in Path(made).glob("*/*.jsonl"):
            text = _CWD.sub(lambda _: cwd, path.read_bytes())
            (place.transcripts / path.name).write_bytes(text)
            path.unlink()
    os.utime(place.transcript)
    return words[:QUERIES]


def first_row(command: Sequence[str], place: Place, keys: str = "") -> float:
    """Seconds until the newest session is listed."""
    with Terminal(command, cwd=place.project, env=place.environment) as terminal:
        if keys:
            terminal.wait_for("Pending", timeout=60)
            terminal.press(keys)
        return terminal.wait_for(FIRST_ASK, timeout=300) - terminal.started


def peer_search(python: Path, place: Place, words: Sequence[str]) -> tuple[float, list[float]]:
    """Seconds to make the peer's index, and of each of its searches."""
    command = [str(python), "-c", _PEER_SEARCH, str(place.transcripts)]
    done = subprocess.run(
        command, input=json.dumps(words), env=place.environment, capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout.splitlines()[-1])
    return said["made"], said["taken"]


def own_search(place: Place, words: Sequence[str]) -> tuple[float, list[float]]:
    """The same of memtui."""
    home, claude = memtui_home(place.environment), place.root / "claude"
    started = time.perf_counter()
    searcher = Searcher(Places(Project(place.project), home, claude))
    searcher.update()
    made = time.perf_counter() - started
    taken = []
    for word in words:
        started = time.perf_counter()
        searcher.search(parse_search(word), Scope.EVERYWHERE, limit=20)
        taken.append(time.perf_counter() - started)
    return made, taken


def compare(place: Place, programs: Path) -> None:
    """Measure both, and print a line for each figure."""
    words = write_data(place)
    size = sum(path.stat().st_size for path in place.transcripts.glob("*.jsonl"))
    print(f"{size / 1e6:,.0f} MB of transcripts, {len(words)} words sought\n")
    print(f"{'':<34}{'memtui':>16}{PEER:>20}", flush=True)

    def line(what: str, mine: str, theirs: str) -> None:
        print(f"{what:<34}{mine:>16}{theirs:>20}", flush=True)

    peer = [str(programs / PEER), str(place.transcripts), "--tui"]
    for when in ("first row, cold", "first row, warm"):
        line(when, f"{first_row(place.command, place, 'S'):.2f} s", f"{first_row(peer, place):.2f} s")
    (made, taken), (peer_made, peer_taken) = (
        own_search(place, words),
        peer_search(programs / "python", place, words),
    )
    line("index made", f"{made:.1f} s", f"{peer_made:.1f} s")
    for percent in (50, 95):
        mine, theirs = (milliseconds(percentile(each, percent)) for each in (taken, peer_taken))
        line(f"query, p{percent}", mine, theirs)


def main() -> int:
    """Compare; 0 also when the peer cannot be had."""
    with tempfile.TemporaryDirectory(prefix="memtui-peers-", ignore_cleanup_errors=True) as folder:
        root = Path(folder).resolve()
        programs = installed(root / "peer")
        if programs is not None:
            compare(Place(root / "data"), programs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
