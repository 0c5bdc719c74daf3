"""Drafts of session states, made from transcripts."""

from __future__ import annotations

from collections.abc import Callable

from memtui.app.model.project_model import Browser
from memtui.app.model.views import DraftWanted, StateView
from memtui.ground.clock import parse_iso


def draft_state(
    browser: Browser, wanted: DraftWanted, cancelled: Callable[[], bool] = lambda: False
) -> StateView:
    """Draft a session state from a transcript; takes as long as reading it.

    Raises:
        ReadingCancelledError: the browser was stopped meanwhile, or `cancelled` answered True.
    """
    from memtui.documents.state_draft import draft_session_state
    from memtui.formats.session_state import render_session_state

    known = wanted.meanwhile._replace(reading=False)
    try:
        facts = browser.facts.read(
            wanted.transcript, None, lambda share: None, lambda: browser.stopped or cancelled()
        )
    except OSError as error:
        return known._replace(problem=f"{wanted.transcript} cannot be read: {error.strerror}")
    state = draft_session_state(facts, browser.project)
    text = render_session_state(state)
    return known._replace(state=state, text=text, written=parse_iso(facts.ended))
