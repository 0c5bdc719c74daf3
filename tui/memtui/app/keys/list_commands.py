"""The commands of the list screens: sessions, versions, changes, search results."""

from __future__ import annotations

from memtui.app.keys.commands import PROMPT
from memtui.app.keys.screen_table import HELP, CommandTable, ScreenCommand

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
        ScreenCommand("R", "R", "resume", "resume the session in Claude Code", "screen.resume"),
        ScreenCommand("F", "F", "fork", "resume a copy of the session in Claude Code", "screen.resume(True)"),
        ScreenCommand("tab", "tab", "detail", "go from the list to the detail", "screen.switch", _SESSIONS),
        ScreenCommand(
            "slash", "/", "filter", "filter by words of the name, branch, folder, files", "screen.filter"
        ),
        ScreenCommand(
            "greater_than_sign", ">", "sort", "sort by the next column", "screen.sort(1)", _SESSIONS
        ),
        ScreenCommand(
            "less_than_sign", "<", "sort", "sort by the previous column", "screen.sort(-1)", bar=False
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
            "D", "D", "forget", "delete memtui's data of the session (asks)", "screen.several('forget')"
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
        ScreenCommand("R", "R", "resume", "resume the session in Claude Code", "screen.resume", _CHOOSING),
        ScreenCommand(
            "F", "F", "fork", "resume a copy of the session", "screen.resume(True)", _CHOOSING, bar=False
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
