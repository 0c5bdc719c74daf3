"""The names of memtui's commands, and where each is defined; importing this imports none of them."""

from __future__ import annotations

from memtui.ground.named import NamedTuple


class Lazy(NamedTuple):
    """A command that is imported when it is run."""

    module: str
    help: str


COMMANDS = {
    "captures": Lazy("memtui.cli.captures", "List what auto-compactions captured in this project."),
    "review": Lazy("memtui.cli.review", "Draft a capture's memory file, and accept it."),
    "compact": Lazy(
        "memtui.cli.compact", "Turn a session into a recovery text, and store it under a Recovery ID."
    ),
    "check": Lazy("memtui.cli.check", "Check a recovery text: thirteen points, each pass, warn or fail."),
    "backfill": Lazy("memtui.cli.backfill", "Write captures for auto-compactions that have none."),
    "facts": Lazy("memtui.cli.facts", "Print the facts of a transcript, read without a model."),
    "turns": Lazy("memtui.cli.turns", "List the turns of a session."),
    "transcript": Lazy(
        "memtui.cli.transcript", "Print a session's transcript, or the surroundings of one of its lines."
    ),
    "export": Lazy("memtui.cli.export", "Write a session or a memory as one file, to read or to attach."),
    "search": Lazy(
        "memtui.cli.search",
        "Find what was said and done: in sessions, memories, captures and session states.",
    ),
    "lost": Lazy("memtui.cli.lost", "Print what a compaction kept and lost."),
    "pin": Lazy("memtui.cli.pin", "Pin a line that no compaction may lose; without TEXT, list the pins."),
    "rescue": Lazy("memtui.cli.rescue", "Give back what a compaction lost."),
    "receipts": Lazy("memtui.cli.receipts", "Show whether hand-overs have arrived."),
    "context": Lazy("memtui.cli.context", "Print what a compaction has to keep of this project."),
    "archive": Lazy(
        "memtui.cli.archive",
        "Keep compressed copies of this project's sessions, beyond Claude Code's 30 days.",
    ),
    "forget": Lazy("memtui.cli.forget", "Delete memtui's data of one session: archive, captures, states."),
    "sessions": Lazy("memtui.cli.sessions", "List the sessions of this project, the newest first."),
    "command": Lazy(
        "memtui.cli.commands", "Activate, list or clear commands whose rules outlive a compaction."
    ),
    "memory": Lazy("memtui.cli.memory", "Store, find and get back memories: recovery texts under IDs."),
    "share": Lazy("memtui.cli.share", "Share a memory with others at the next `memtui sync`."),
    "sync": Lazy(
        "memtui.cli.sync",
        "Send what you have shared, and fetch what others have; NAME is a remote, none means all.",
    ),
    "remote": Lazy(
        "memtui.cli.remote",
        "Manage remotes, which carry memories between machines: git repositories or PostgreSQL databases.",
    ),
    "core-memory": Lazy(
        "memtui.cli.core_memory", "Import and export memories with the calls of the compact command."
    ),
    "restore": Lazy("memtui.cli.restore", "Hand an earlier session's knowledge over to a new one."),
    "handoff": Lazy("memtui.cli.handoff", "Hand a session over to another agent, such as Codex or Gemini."),
    "compactor": Lazy(
        "memtui.cli.compactor", "Keep the session states of this project up to date while Claude Code works."
    ),
    "state": Lazy("memtui.cli.state", "Keep a session's state document, and show its versions."),
    "log": Lazy("memtui.cli.log", "List what memtui has changed in this project, newest first."),
    "undo": Lazy(
        "memtui.cli.undo",
        "Undo the last change that you made in this project, or the change with this ID.",
    ),
    "redo": Lazy(
        "memtui.cli.redo", "Redo the last undone change in this project, or the undone change with this ID."
    ),
    "init": Lazy(
        "memtui.cli.init", "Install memtui's hooks, slash commands and MCP server into Claude Code."
    ),
    "uninstall": Lazy(
        "memtui.cli.uninstall", "Remove memtui's hooks, slash commands and MCP server from Claude Code."
    ),
    "completion": Lazy(
        "memtui.cli.completion", "Print the script that completes memtui's commands in a shell."
    ),
    "doctor": Lazy("memtui.cli.doctor", "Check that hooks run and captures arrive."),
    "mcp": Lazy("memtui.cli.mcp", "Serve memories to Claude Code over MCP, on standard input and output."),
    "demo": Lazy("memtui.cli.demo", "Open a temporary project with a running session."),
}
"""Name -> module and short help, so that ``--help`` imports no command. A test compares the helps."""
