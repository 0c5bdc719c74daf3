"""One run of a hook: reads the input, does the work, prints, logs."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from types import FrameType
from typing import BinaryIO

from memtui import __version__
from memtui.ground.clock import system_clock
from memtui.ground.project import HOOKS_OFF, Home, Project, claude_config, memtui_home, session_key
from memtui.hooks.records import Payload, Report, Run, describe, project_of, read_payload, record

Handler = Callable[[Payload, Project, Home, datetime, Report], str]
_CAPTURING, _PROMPT = "pre-compact", "user-prompt-submit"
_HANDLERS = {
    _CAPTURING: "compaction.pre_compact",
    "post-compact": "compaction.post_compact",
    "session-start": "session.session_start",
    "session-end": "session.session_end",
    _PROMPT: "session.user_prompt_submit",
}
"""The events on the command line, and what handles them. Each module is imported alone: that takes most of a
hook's time."""


def run(arguments: list[str], started: float) -> None:
    """Do and log the work of an event `started` on the monotonic clock, and print the text for the model."""
    report = Report()
    captures = arguments[:1] == [_CAPTURING]
    limit = (CAPTURE_STOP_SECONDS if captures else HARD_STOP_SECONDS) - (time.monotonic() - started)
    out, text = False, ""
    with _reported(report):
        stop_after(limit, lambda: _log(report, started))
        text = _work(arguments, report)
    with _reported(report):
        out = _print(with_messages(text, report))
    _log(report, started)
    if out:
        with _reported(report):  # last: a hook that Claude Code ends before may not have been listened to
            report.printed()


def _log(report: Report, started: float) -> None:
    if not report.to_log:
        return
    report.to_log = False
    ms = round((time.monotonic() - started) * 1000)
    at = system_clock().isoformat(timespec="milliseconds")
    said = (report.outcome, report.detail, report.session_id, report.project)
    record(memtui_home().hook_log, Run(at, report.event, ms, *said))


@contextmanager
def _reported(report: Report) -> Iterator[None]:
    """A hook's boundary: no error leaves it, and every error is logged."""
    try:
        yield
    except Stopped:
        report.problem("took too long, and was stopped")
    except BrokenPipeError:
        report.problem("the output was not read")
    except BaseException as error:
        report.problem(describe(error))


def _work(arguments: list[str], report: Report) -> str:
    report.event = arguments[0][:40] if arguments else ""
    if os.environ.get(HOOKS_OFF) == "off":  # sessions started by memtui itself are not recorded
        report.to_log = report.event != _PROMPT  # prompts would crowd out all other lines
        report.add_work("nothing: switched off")
        return ""
    payload = read_payload()
    report.session_id = payload.session_id[:100]
    if report.event not in _HANDLERS:
        report.problem("there is no such event")
    elif payload.problem:
        report.problem(payload.problem)
    elif report.event == _PROMPT and not _concerns(payload):
        report.to_log = False  # nothing to do, as for most prompts
    elif (project := project_of(payload)) is None:
        report.problem("the folder of the session does not exist")
    else:
        report.project = str(project.root)
        version = os.environ.get("MEMTUI_PLUGIN", "")[:20]  # from the plugin's launcher
        if version:
            from memtui.hooks.settings import ALL, jobs_left

            report.left = jobs_left(claude_config(), project.root, report.event)
            if ALL in report.left:
                report.add_work(f"nothing: {report.left[ALL]} has an entry that does it")
                return ""
        if version not in ("", __version__):
            report.add_work(f"the plugin is of version {version}")
            if payload.source in ("startup", "resume"):  # once a session
                versions = f"memtui is {__version__}, its plugin {version}"
                report.messages.append(f"{versions}: update one of them (`memtui doctor`).")
        return handle(payload, project, memtui_home(), report)
    return ""


def _concerns(payload: Payload) -> bool:
    """Whether there is work: the prompt may be a command, or messages wait for the session."""
    outbox = memtui_home().handover / session_key(payload.session_id)
    return payload.prompt.startswith("/") or os.path.lexists(outbox)


def with_messages(text: str, report: Report) -> str:
    """A hook's output, "" or JSON, with the messages for the person."""
    if not report.messages:
        return text
    import json

    message = " ".join(report.messages)
    return json.dumps({**(json.loads(text) if text else {}), "systemMessage": message}) + "\n"


def handle(payload: Payload, project: Project, home: Home, report: Report) -> str:
    """Do the work of the report's event; returns the output."""
    module, _, name = _HANDLERS[report.event].partition(".")
    act: Handler = getattr(import_module(f"memtui.hooks.{module}"), name)
    return act(payload, project, home, system_clock(), report)


def _print(text: str) -> bool:
    """Print the text; False when there is no standard output to take it."""
    if not text:
        return True
    if sys.stdout is None:
        return False
    # Bytes, as printing must not fail whatever the hook's locale.
    out: BinaryIO = sys.stdout.buffer
    out.write(text.encode("utf-8", "replace"))
    out.flush()
    return True


HARD_STOP_SECONDS = 7.0
"""Less than the `timeout` in the plugin's ``hooks.json``; optional work has shorter limits of its own."""

CAPTURE_STOP_SECONDS = 50.0
"""The same for PreCompact, which must not lose a capture; the summary takes longer (Claude Code fact)."""

_LAST_SECONDS = 1.0
"""Time for releasing locks and writing the log. The rest of the timeout is for starting Python."""


class Stopped(BaseException):
    """The time is up. Not an `Exception`, so that only the code that logs the run catches it."""


def stop_after(seconds: float, last: Callable[[], None]) -> None:
    """Raise `Stopped` in the main thread after `seconds`; soon after it, call `last` and end the process."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, leave)
        signal.setitimer(signal.ITIMER_REAL, _LAST_SECONDS)
        raise Stopped

    def leave(number: int, frame: FrameType | None) -> None:
        last()
        os._exit(0)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(0.01, seconds))
