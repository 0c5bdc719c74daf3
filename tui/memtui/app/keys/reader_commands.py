"""The commands of the reading screens: a transcript, a document, a compaction's aftermath."""

from __future__ import annotations

from memtui.app.keys.screen_table import DOWN, END, HELP, REDO, START, CommandTable, ScreenCommand

TRANSCRIPT = CommandTable(
    "Transcript",
    "The conversation as it stands in Claude Code's file; it follows the session. "
    "A number goes before G (a line) or % (a part of the file).",
    (
        ScreenCommand(
            "slash", "/", "find", "find as you type; capitals count when you type one", "screen.find"
        ),
        ScreenCommand("n", "n", "next", "go to the next hit", "screen.again(1)"),
        ScreenCommand("N", "N", "hit before", "go to the previous hit", "screen.again(-1)", bar=False),
        ScreenCommand(
            "left_square_bracket", "[", "turn before", "go to the previous turn", "screen.turn(-1)", bar=False
        ),
        ScreenCommand("right_square_bracket", "]", "next turn", "go to the next turn", "screen.turn(1)"),
        ScreenCommand(
            "left_curly_bracket",
            "{",
            "before",
            "go to the previous compaction",
            "screen.compaction(-1)",
            bar=False,
        ),
        ScreenCommand(
            "right_curly_bracket", "}", "compaction", "go to the next compaction", "screen.compaction(1)"
        ),
        ScreenCommand(
            "l", "l", "lost", "what this compaction lost, to give it back", "screen.lost", bar=False
        ),
        ScreenCommand(
            "enter",
            "enter",
            "unfold",
            "unfold what is folded here, or fold it; go to typed line",
            "screen.unfold",
        ),
        ScreenCommand("space", "space", "mark", "mark this block, or unmark it", "screen.mark"),
        ScreenCommand(
            "y",
            "y",
            "copy",
            "copy the selection, marked blocks or this one; masks secrets",
            "screen.copy",
        ),
        ScreenCommand("R", "R", "resume", "resume this session in Claude Code", "screen.resume"),
        ScreenCommand(
            "F", "F", "fork", "resume a copy of it in Claude Code", "screen.resume(True)", bar=False
        ),
        ScreenCommand(
            "e", "e", "pager", "open the same in $PAGER or $EDITOR, secrets masked", "screen.pager", bar=False
        ),
        ScreenCommand(
            "exclamation_mark",
            "!",
            "pin",
            "pin the selection or this line: no compaction may lose it",
            "screen.pin",
        ),
        ScreenCommand("u", "u", "undo", "undo the last change", "app.undo", bar=False),
        REDO,
        ScreenCommand("t", "t", "show", "show all, no tools, or asks and closing messages", "screen.cycle"),
        ScreenCommand(
            "E", "E", "export", "write the session to a file, secrets masked (asks where)", "screen.export"
        ),
        ScreenCommand("g", "g", "start", "go to the start", "screen.first", bar=False),
        ScreenCommand("G", "G", "end", "go to the end, or to the typed line", "screen.last", bar=False),
        ScreenCommand(
            "percent_sign",
            "%",
            "part",
            "go to the typed percentage of the file",
            "screen.percent",
            bar=False,
        ),
        ScreenCommand(
            "tab",
            "tab",
            "next fold",
            "go to the next line that unfolds",
            "focused.link(1)",
            bar=False,
            bound=False,
        ),
        HELP,
        ScreenCommand(
            "escape,o,q", "esc", "back", "back: drop the number, marks, hits, leave", "screen.back"
        ),
    ),
)

READING = CommandTable(
    "Reading",
    "A document.",
    (
        DOWN,
        START,
        END,
        HELP,
        ScreenCommand("escape,q,enter", "esc", "back", "back to where you were", "screen.dismiss"),
    ),
)

_ROWS, _SUMMARY = frozenset({"rows"}), frozenset({"summary"})

AFTERMATH = CommandTable(
    "Lost",
    "What a compaction lost and kept at the left, its summary with the evidence at the right.",
    (
        ScreenCommand("space", "space", "tick", "tick this lost row, or untick it", "screen.tick", _ROWS),
        ScreenCommand(
            "a", "a", "all", "tick all that is lost and has room, or untick all", "screen.tick_all"
        ),
        ScreenCommand("w", "w", "hand over", "hand the ticked rows to the session, once", "screen.hand_over"),
        ScreenCommand(
            "p", "p", "copy prompt", "copy a prompt that gives the ticked rows back", "screen.copy_prompt"
        ),
        ScreenCommand(
            "exclamation_mark", "!", "pin", "pin this row: no compaction may lose it", "screen.pin"
        ),
        ScreenCommand(
            "m",
            "m",
            "kept",
            "mark this row as kept, said in other words (?); or unmark it",
            "screen.mark",
            _ROWS,
        ),
        ScreenCommand(
            "enter", "enter", "evidence", "read what keeps it", "screen.switch", _ROWS, bound=False
        ),
        ScreenCommand("tab,shift+tab", "tab", "rows", "go to the rows, or back", "screen.switch", _SUMMARY),
        ScreenCommand("o", "o", "transcript", "read its line in the transcript", "screen.transcript"),
        ScreenCommand("u", "u", "undo", "undo the last change: a hand-over, a pin, a mark", "screen.undo"),
        ScreenCommand("ctrl+r", "ctrl+r", "redo", REDO.help, "screen.undo(True)", bar=False),
        HELP,
        ScreenCommand("escape", "esc", "back", "back: to the rows, to where you were", "screen.back"),
        ScreenCommand("q,l", "q", "leave", "leave it", "screen.dismiss", bar=False),
    ),
)
