"""The commands of the small screens that ask a question or show a message over another screen."""

from __future__ import annotations

from memtui.app.keys.commands import PROMPT
from memtui.app.keys.screen_table import HELP, CommandTable, ScreenCommand

_HELP = HELP._replace(bound=True)
"""Help is bound here, as such a screen does not pass on the app's own keys."""

CONFIRM = CommandTable(
    "Question",
    "Yes or no; enter takes the answer that is highlighted.",
    (
        ScreenCommand("y", "y", "yes", "do it", "screen.answer(True)"),
        ScreenCommand("n,escape,q", "n", "no", "leave everything as it is", "screen.answer(False)"),
        ScreenCommand("left,right", "← →", "other", "go to the other answer", "app.focus_next"),
        ScreenCommand(
            "down,j", "j k", "scroll", "scroll what there is to read", "screen.read('lines', 1)", bound=False
        ),
        _HELP,
    ),
)

ASK = CommandTable(
    "Line",
    "One line to type.",
    (
        ScreenCommand("enter", "enter", "save", "take the line", "focused.submit", bound=False),
        ScreenCommand("escape", "esc", "leave", "leave everything as it is", "screen.dismiss"),
        _HELP,
    ),
)

STORED = CommandTable(
    "Recovery ID",
    "The id that a new session restores this one by.",
    (
        ScreenCommand("y", "y", "copy id", "copy the Recovery ID", "screen.copy('{id}')"),
        ScreenCommand("Y", "Y", "copy prompt", "copy the restore prompt", f"screen.copy('{PROMPT}')"),
        ScreenCommand("escape,enter,q,space", "esc", "close", "back to where you were", "screen.dismiss"),
        _HELP,
    ),
)

QUESTIONS = (CONFIRM, ASK, STORED)
"""All tables of this module."""
