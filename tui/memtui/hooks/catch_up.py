"""Bringing a session's stored state and archived transcript up to date, within a hook."""

from __future__ import annotations

import time

from memtui.ground.clock import system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places, Project, claude_config, session_key
from memtui.hooks.report import Report, describe
from memtui.hooks.settings import switched
from memtui.store.transcripts import TranscriptProblem, check_transcript
from memtui.transcript import ReadingCancelledError

SECONDS = 1.5
"""Limit for reading: 4 MB take a fifth of a second. The app reads what is larger."""


def catch_up(session_id: str, transcript: str, project: Project, home: Home, report: Report) -> bool:
    """Write the next version of a session's state, and archive its transcript; False if there was no time.

    Whatever goes wrong is reported, as it must not cost what the hook prints.
    """
    if session_key(session_id) != session_id:  # not an id under which a state could be stored
        return True
    try:
        path = check_transcript(transcript)
    except TranscriptProblem:  # a session without messages has no state
        return True
    places = Places(project, home, claude_config())
    until = time.monotonic() + SECONDS
    try:
        # Imported here: they are heavy, and a broken library must not cost the rest.
        if switched("session_states", home.config, report, default=True):
            from memtui.store.state_updates import update_state

            stored = update_state(
                places, system_clock, transcript=path, cancelled=lambda: time.monotonic() > until
            )
            report.add_work(f"wrote version {stored.version}" if stored else "the state has not changed")
        from memtui.store.archive_settings import archive_settings

        if (settings := archive_settings(home)).keep:
            from memtui.store.archive import Archive

            if (added := Archive(home, system_clock).keep(path, settings)) > 0:
                report.add_work(f"archived {added} bytes")
    except ReadingCancelledError:
        report.add_work("had no time for the session's last version")
        return False
    except FileProblem as problem:
        report.problem(problem)
    except Exception as error:  # a worker's edge, see above
        report.problem(describe(error))
    return True
