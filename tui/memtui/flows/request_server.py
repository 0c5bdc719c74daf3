"""``python -m memtui.flows.request_server``: serves the hooks' requests, one process at a time, and exits.

Hooks start it and do not wait. If a request fails, hangs or kills this process, the next one is still served,
and the failed one is tried at most twice.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from memtui.ground.clock import Clock, system_clock
from memtui.ground.files import FileProblem, lock
from memtui.ground.project import Home, Places, Project, claude_config, memtui_home
from memtui.hooks.log import SERVER_EVENT, Run, record
from memtui.hooks.report import Report, describe
from memtui.hooks.requests import Claimed, Request, claim, close, has_requests, requests_folder
from memtui.hooks.settings import switched

Update = Callable[[Places, Request], str]
"""Brings a session up to date; returns the work done, in a few words."""

_LIMIT_SECONDS = 120.0
"""Time limit for one request; reading 500 MB takes some ten seconds."""

_NICE = 5
"""Low priority, in favour of hooks: many sessions may be compacted at once."""


class TookTooLongError(Exception):
    """A request exceeded its time limit and is dropped."""


def serve(home: Home, claude: Path, clock: Clock, update: Update) -> None:
    """Serve all requests; return at once if there are none, or if another process serves them.

    Args:
        home: memtui's own folders.
        claude: Claude Code's configuration folder.
        clock: for the log.
        update: serves one request; its exceptions are logged.
    """
    # Checked again after the lock is released: a late request may have found it held.
    while has_requests(home):
        try:
            with lock(requests_folder(home) / "server", timeout=0):
                if not _serve_all(home, claude, clock, update):
                    return
        except FileProblem:  # held by another process, or not writable: then nothing else is, either
            return


def _serve_all(home: Home, claude: Path, clock: Clock, update: Update) -> int:
    served = 0
    while claimed := claim(home):
        served += 1
        _serve_one(claimed, home, claude, clock, update)
    return served


def _serve_one(claimed: Claimed, home: Home, claude: Path, clock: Clock, update: Update) -> None:
    started = time.monotonic()
    outcome, detail = "ok", ""
    request = claimed.request
    if request is None:
        outcome = f"the request {claimed.path.name} is dropped: it is broken, or was begun twice before"
    else:
        try:
            with _limited(_LIMIT_SECONDS):
                detail = update(Places(Project(request.root), home, claude), request)
        except FileProblem as problem:
            outcome = str(problem)
        except Exception as error:  # a worker's boundary: the next request must still be served
            outcome = describe(error)
    close(claimed)
    record(
        home.hook_log,
        Run(
            at=clock().isoformat(timespec="milliseconds"),
            event=SERVER_EVENT,
            ms=round((time.monotonic() - started) * 1000),
            outcome=outcome,
            detail=detail,
            session_id=request.session_id if request else "",
            project=str(request.root) if request else "",
        ),
    )


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Interrupt the block after `seconds`; in the main thread only."""
    if sys.platform == "win32":  # has no such timer
        yield
        return
    before = signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _give_up(number: int, frame: FrameType | None) -> None:
    raise TookTooLongError(f"not done after {_LIMIT_SECONDS:.0f} s")


def _update(places: Places, request: Request) -> str:
    # Imported here: these imports take most of the time, and another server may be running.
    from memtui.store.state_updates import update_state
    from memtui.store.states import VersionTaken

    kept = _keep(places.home, request)
    if not switched("session_states", places.home.config, Report(), default=True):
        return f"session states are switched off{kept}"
    try:
        stored = update_state(places, system_clock, transcript=request.transcript)
    except VersionTaken:
        return f"another program is writing the versions of this session{kept}"
    return (f"wrote version {stored.version}" if stored is not None else "nothing has changed") + kept


def _keep(home: Home, request: Request) -> str:
    """Archive the session's new data; returns a phrase for the log."""
    from memtui.store.archive import Archive
    from memtui.store.archive_settings import archive_settings

    try:
        added = Archive(home, system_clock).keep(request.transcript, archive_settings(home))
    except FileProblem as problem:
        return f"; not archived: {problem}"
    return f"; archived {added} bytes" if added > 0 else ""


def main() -> None:
    """Serve the requests in this user's folders."""
    home, claude = memtui_home(), claude_config()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    os.chdir(os.path.abspath(os.sep))  # noqa: PTH100 - a project's folder must not be kept busy
    serve(home, claude, system_clock, _update)


if __name__ == "__main__":
    main()
