"""The commands of the screens over the browser: bindings, bottom line, help and palette come from here."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding, BindingType

from memtui.app.keys.commands import PROMPT

BarKeys = tuple[tuple[str, str, str], ...]
"""(key, label, action) of a bottom line."""


class ScreenCommand(NamedTuple):
    """One thing a person can do on a screen.

    Attributes:
        keys: Textual's key names, comma separated.
        shown: the key as written for people.
        label: one or two words for the bottom line.
        help: what it does, as a phrase for help and palette.
        action: the Textual action, with its namespace.
        where: the parts of the screen that have the focus when the bottom line shows it; empty: any.
        bar: whether the bottom line shows it at all.
        priority: acts before the widget that has the focus.
        bound: the screen binds it; otherwise the widget with the focus does.
    """

    keys: str
    shown: str
    label: str
    help: str
    action: str
    where: frozenset[str] = frozenset()
    bar: bool = True
    priority: bool = False
    bound: bool = True


class CommandTable(NamedTuple):
    """The commands of one screen, in the order of its bottom line; the last two always show there."""

    title: str
    about: str
    commands: tuple[ScreenCommand, ...]

    def bindings(self) -> list[BindingType]:
        """Textual's bindings for the screen."""
        return [
            Binding(each.keys, each.action, each.label, show=False, priority=each.priority, tooltip=each.help)
            for each in self.commands
            if each.bound
        ]

    def bar(self, where: str = "") -> BarKeys:
        """The bottom line, while `where` has the focus."""
        return tuple(
            (each.shown, each.label, each.action)
            for each in self.commands
            if each.bar and (not each.where or where in each.where)
        )

    def rows(self) -> list[tuple[str, str]]:
        """(key, what it does) for the help."""
        return [(each.shown, each.help) for each in self.commands]


HELP = ScreenCommand("question_mark,f1", "?", "help", "these keys; f1 while typing", "app.help", bound=False)
_DOWN = ScreenCommand("space", "space", "page down", "page down", "focused.page(1)", bound=False)
_START = ScreenCommand("g", "g", "start", "go to the start", "focused.first", bound=False)
_END = ScreenCommand("G", "G", "end", "go to the end", "focused.last", bound=False)
_MODEL = ScreenCommand(
    "f4", "f4", "ask claude", "let claude -p improve on the draft", "screen.ask_model", priority=True
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
        ScreenCommand(
            "left_square_bracket",
            "[",
            "group before",
            "go to the group of facts before",
            "screen.group(-1)",
            _FACTS,
            bar=False,
        ),
        _NEXT,
        _MODEL,
        HELP,
        ScreenCommand(
            "f3", "f3", "transcript", "read the session's transcript", "screen.transcript", priority=True
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
        ScreenCommand("u", "u", "undo", "take back the last change", "app.undo", _FACTS, bar=False),
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

TRANSCRIPT = CommandTable(
    "Transcript",
    "The conversation as it stands in Claude Code's file; it follows the session. "
    "A number goes before G (a line) or % (a part of the file).",
    (
        ScreenCommand(
            "slash", "/", "find", "find as you type; capitals count when you type one", "screen.find"
        ),
        ScreenCommand("n", "n", "next", "go to the next hit", "screen.again(1)"),
        ScreenCommand("N", "N", "hit before", "go to the hit before", "screen.again(-1)", bar=False),
        ScreenCommand(
            "left_square_bracket", "[", "turn before", "go to the turn before", "screen.turn(-1)", bar=False
        ),
        ScreenCommand("right_square_bracket", "]", "next turn", "go to the next turn", "screen.turn(1)"),
        ScreenCommand(
            "left_curly_bracket",
            "{",
            "before",
            "go to the compaction before",
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
        ScreenCommand("R", "R", "resume", "go on with this session in Claude Code", "screen.resume"),
        ScreenCommand(
            "F", "F", "fork", "go on with a copy of it in Claude Code", "screen.resume(True)", bar=False
        ),
        ScreenCommand(
            "e", "e", "pager", "open them in $PAGER or $EDITOR, secrets masked", "screen.pager", bar=False
        ),
        ScreenCommand(
            "exclamation_mark",
            "!",
            "pin",
            "pin the selection or this line: no compaction may lose it",
            "screen.pin",
        ),
        ScreenCommand("u", "u", "undo", "take back the last change", "app.undo", bar=False),
        ScreenCommand("t", "t", "show", "show all, no tools, or asks and closing messages", "screen.cycle"),
        ScreenCommand(
            "E", "E", "export", "write the session to a file, secrets masked (asks where)", "screen.export"
        ),
        ScreenCommand("g", "g", "start", "go to the start", "screen.first", bar=False),
        ScreenCommand(
            "G", "G", "end", "go to the end, or to the line whose number you typed", "screen.last", bar=False
        ),
        ScreenCommand(
            "percent_sign",
            "%",
            "part",
            "go to as many hundredths of the file as you typed",
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

_SESSIONS, _SESSION = frozenset({"sessions"}), frozenset({"session"})

SESSIONS = CommandTable(
    "Sessions",
    "The conversations with Claude Code, the newest first, and how many days it keeps each.",
    (
        ScreenCommand("enter", "enter", "read", "read the session", "screen.read", _SESSIONS),
        ScreenCommand(
            "enter",
            "enter",
            "open",
            "open what tab has marked: an ask, a compaction, a capture, a memory; else the session",
            "focused.follow",
            _SESSION,
            bound=False,
        ),
        ScreenCommand(
            "tab", "tab", "next", "mark the next line that opens", "focused.link(1)", _SESSION, bound=False
        ),
        ScreenCommand("R", "R", "resume", "go on with the session in Claude Code", "screen.resume"),
        ScreenCommand(
            "F", "F", "fork", "go on with a copy of the session in Claude Code", "screen.resume(True)"
        ),
        ScreenCommand("tab", "tab", "detail", "go from the list to the detail", "screen.switch", _SESSIONS),
        ScreenCommand(
            "slash", "/", "filter", "filter by words of the name, branch, folder, files", "screen.filter"
        ),
        ScreenCommand(
            "greater_than_sign", ">", "sort", "sort by the next column", "screen.sort(1)", _SESSIONS
        ),
        ScreenCommand(
            "less_than_sign", "<", "sort", "sort by the column before", "screen.sort(-1)", bar=False
        ),
        ScreenCommand(
            "A",
            "A",
            "all",
            "show the sessions of all projects, or of this one",
            "screen.everywhere",
            _SESSIONS,
        ),
        ScreenCommand(
            "space",
            "space",
            "mark",
            "mark this session: y, a, E and D act on all marked ones",
            "screen.mark",
            _SESSIONS,
        ),
        ScreenCommand("y", "y", "copy id", "copy the session's id", "screen.copy"),
        ScreenCommand(
            "a", "a", "keep", "keep a copy of the session in the archive", "screen.several('keep')"
        ),
        ScreenCommand(
            "E",
            "E",
            "export",
            "write the session to a file, secrets masked (asks where)",
            "screen.several('export')",
        ),
        ScreenCommand(
            "D", "D", "forget", "delete what memtui keeps of the session (asks)", "screen.several('forget')"
        ),
        ScreenCommand(
            "right", "→", "agents", "list the session's subagents under it", "screen.agents(True)", _SESSIONS
        ),
        ScreenCommand("left", "←", "fold", "fold its subagents away", "screen.agents(False)", bar=False),
        HELP,
        ScreenCommand(
            "escape,q,S",
            "esc",
            "back",
            "back: to the list, out of the filter, out of here",
            "screen.back",
            _SESSIONS,
        ),
        ScreenCommand(
            "escape", "esc", "list", "go back from the detail", "screen.back", _SESSION, bound=False
        ),
    ),
)

READING = CommandTable(
    "Reading",
    "A document.",
    (
        _DOWN,
        _START,
        _END,
        HELP,
        ScreenCommand("escape,q,enter", "esc", "back", "back to where you were", "screen.dismiss"),
    ),
)

_LISTED, _READ = frozenset({"versions"}), frozenset({"changes"})

VERSIONS = CommandTable(
    "Versions",
    "The versions of a session state, and what has changed between two of them.",
    (
        ScreenCommand(
            "m,space",
            "space",
            "mark",
            "mark this version, to compare the others with it",
            "screen.mark",
            _LISTED,
        ),
        ScreenCommand(
            "enter", "enter", "read", "read what has changed", "screen.switch", _LISTED, bound=False
        ),
        ScreenCommand("space", "space", "page down", "page down", "focused.page(1)", _READ, bound=False),
        ScreenCommand("m", "m", "mark", "mark the selected version", "screen.mark", _READ, bound=False),
        ScreenCommand("a", "a", "all", "show unchanged lines, too, or hide them", "screen.everything"),
        ScreenCommand(
            "tab,shift+tab",
            "tab",
            "versions",
            "go from the changes to the list, or back",
            "screen.switch",
            _READ,
        ),
        HELP,
        ScreenCommand("escape", "esc", "back", "back: to the list, to where you were", "screen.back"),
        ScreenCommand("q,v", "q", "leave", "leave the versions", "screen.dismiss", bar=False),
    ),
)

CHANGES = CommandTable(
    "Changes",
    "What memtui has changed, newest first.",
    (
        ScreenCommand("u", "u", "undo", "undo this change", "screen.undo"),
        ScreenCommand("ctrl+r", "ctrl+r", "redo", "redo this change, which was undone", "screen.redo"),
        ScreenCommand("enter", "enter", "open", "read the files of this change", "screen.open"),
        ScreenCommand(
            "A,a", "A", "all", "show the changes of all projects, or of this one alone", "screen.everywhere"
        ),
        HELP,
        ScreenCommand("escape,q,L", "esc", "back", "back to where you were", "screen.dismiss"),
    ),
)

_TYPING, _CHOOSING = frozenset({"query"}), frozenset({"results"})

SEARCH = CommandTable(
    "Search",
    "What holds all the words; quotes keep words together. file:PART and cmd:PART find turns that touched a "
    "file or ran a command; in:sessions (memories, files, captures, states, pins), before:2026-03, "
    "after:2026-02-23 and is:pinned narrow it down.",
    (
        ScreenCommand("enter", "enter", "open", "open what is selected", "screen.open", bound=False),
        ScreenCommand("down", "↑ ↓", "move", "move in the results", "screen.move(1)", _TYPING, bound=False),
        ScreenCommand(
            "y",
            "y",
            "copy id",
            "copy the Recovery ID, the session's id, or the name",
            "screen.copy('{id}')",
            _CHOOSING,
        ),
        ScreenCommand(
            "Y",
            "Y",
            "copy command",
            "copy the restore prompt, or the command that resumes the session or reviews the capture",
            f"screen.copy('{PROMPT}')",
            _CHOOSING,
        ),
        ScreenCommand("o", "o", "in its pane", "go to it in its pane", "screen.show", _CHOOSING, bar=False),
        ScreenCommand(
            "R", "R", "resume", "go on with the session in Claude Code", "screen.resume", _CHOOSING
        ),
        ScreenCommand(
            "F", "F", "fork", "go on with a copy of the session", "screen.resume(True)", _CHOOSING, bar=False
        ),
        ScreenCommand(
            "tab", "tab", "where", "search in this session, this project, everywhere", "screen.scope"
        ),
        ScreenCommand(
            "shift+tab", "⇧tab", "results", "go from the line to the results", "screen.switch", _TYPING
        ),
        ScreenCommand(
            "shift+tab",
            "⇧tab",
            "type",
            "go from the results to the line",
            "screen.switch",
            _CHOOSING,
            bound=False,
        ),
        ScreenCommand("s,slash", "s /", "type", "go back to the line", "screen.type", bar=False),
        HELP,
        ScreenCommand("escape,q", "esc", "leave", "back to where you were", "screen.leave"),
    ),
)

_ROWS, _SUMMARY = frozenset({"rows"}), frozenset({"summary"})

AFTERMATH = CommandTable(
    "Aftermath",
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
            "mark this row as kept, said in other words (?); or take the mark back",
            "screen.mark",
            _ROWS,
        ),
        ScreenCommand(
            "enter", "enter", "evidence", "read what keeps it", "screen.switch", _ROWS, bound=False
        ),
        ScreenCommand("tab,shift+tab", "tab", "rows", "go to the rows, or back", "screen.switch", _SUMMARY),
        ScreenCommand("o", "o", "transcript", "read its line in the transcript", "screen.transcript"),
        ScreenCommand("u", "u", "undo", "take back what was not delivered yet", "screen.undo"),
        HELP,
        ScreenCommand("escape", "esc", "back", "back: to the rows, to where you were", "screen.back"),
        ScreenCommand("q,l", "q", "leave", "leave the aftermath", "screen.dismiss", bar=False),
    ),
)

TABLES = (REVIEW, COMPACT, TRANSCRIPT, READING, VERSIONS, CHANGES, SEARCH, AFTERMATH, SESSIONS)
"""Every table, for the help, the tests, and a person's own keys."""
