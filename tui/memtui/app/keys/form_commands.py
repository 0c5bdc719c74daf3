"""The commands of the screens with a text form: review and compact."""

from __future__ import annotations

from memtui.app.keys.screen_table import HELP, REDO, CommandTable, ScreenCommand

_MODEL = ScreenCommand(
    "f4", "f4", "ask claude", "let claude -p improve the draft", "screen.ask_model", priority=True
)
_NEXT = ScreenCommand(
    "tab", "tab", "next field", "go to the next field", "app.focus_next", frozenset({"form"}), bound=False
)

_FACTS, _FORM = frozenset({"facts"}), frozenset({"form"})

REVIEW = CommandTable(
    "Review",
    "Facts of the session at the left, the memory that you write at the right.",
    (
        ScreenCommand(
            "ctrl+s", "ctrl+s", "save", "save the review under a Recovery ID", "screen.save", priority=True
        ),
        ScreenCommand(
            "space", "space", "add fact", "add this fact to the field used last", "screen.add", _FACTS
        ),
        _NEXT,
        _MODEL,
        HELP,
        ScreenCommand(
            "f3",
            "f3",
            "transcript",
            "read the session's transcript, at the selected fact",
            "screen.transcript",
            priority=True,
        ),
        ScreenCommand(
            "left_square_bracket",
            "[",
            "group before",
            "go to the previous group of facts",
            "screen.group(-1)",
            _FACTS,
            bar=False,
        ),
        ScreenCommand(
            "right_square_bracket",
            "]",
            "next group",
            "go to the next group of facts",
            "screen.group(1)",
            _FACTS,
        ),
        ScreenCommand(
            "exclamation_mark", "!", "pin", "pin this fact: no compaction may lose it", "screen.pin", _FACTS
        ),
        ScreenCommand("u", "u", "undo", "undo the last change", "app.undo", _FACTS, bar=False),
        REDO,
        ScreenCommand("w", "w", "whole text", "read this fact in full", "screen.read_fact", _FACTS),
        ScreenCommand(
            "f2", "f2", "facts", "go from the form to the facts", "screen.switch", _FORM, priority=True
        ),
        ScreenCommand(
            "f2", "f2", "form", "go from the facts to the form", "screen.switch", _FACTS, bound=False
        ),
        ScreenCommand("escape", "esc", "leave", "leave; asks if something is not saved", "screen.leave"),
    ),
)

COMPACT = CommandTable(
    "Compact",
    "The recovery text of the current session, its description and tags, and its checklist.",
    (
        ScreenCommand(
            "ctrl+s", "ctrl+s", "store", "store the text under a Recovery ID", "screen.save", priority=True
        ),
        _NEXT,
        _MODEL,
        HELP,
        ScreenCommand(
            "f2",
            "f2",
            "checks",
            "go from the text to description, tags and checks, or back",
            "screen.switch",
            priority=True,
        ),
        ScreenCommand("escape", "esc", "leave", "leave; asks if something is not stored", "screen.leave"),
    ),
)
