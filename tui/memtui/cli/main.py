"""The `memtui` command: its subcommands, options and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click

from memtui.clean import clean_line
from memtui.cli.errors import exit_code
from memtui.cli.output import need_terminal, prepare_streams
from memtui.cli.project import is_empty, project_of
from memtui.cli.version import print_version
from memtui.project import Home, Project, claude_config, expanded, memtui_home


class Openers(NamedTuple):
    """Programs that the command line starts without importing them; `memtui.__main__` passes them in."""

    app: Callable[[Project, Home, Path], None]
    """Opens the app on a project; takes memtui's own folders and Claude Code's configuration folder, too."""
    demo: Callable[[], None]
    """Opens the app on a demo project."""
    mcp: Callable[[Home], None]
    """Serves MCP on stdin and stdout."""


class _Lazy(NamedTuple):
    """A command that is imported when it is run."""

    module: str
    help: str


COMMANDS = {
    "captures": _Lazy("memtui.cli.captures", "List what auto-compactions captured in this project."),
    "review": _Lazy("memtui.cli.review", "Draft a capture's memory file, and accept it."),
    "compact": _Lazy(
        "memtui.cli.compact", "Turn a session into a recovery text, and store it under a Recovery ID."
    ),
    "check": _Lazy("memtui.cli.check", "Check a recovery text: thirteen points, each pass, warn or fail."),
    "backfill": _Lazy("memtui.cli.backfill", "Write captures for auto-compactions that have none."),
    "facts": _Lazy("memtui.cli.facts", "Print what can be read off a transcript without a model."),
    "turns": _Lazy("memtui.cli.turns", "List the turns of a session."),
    "transcript": _Lazy(
        "memtui.cli.transcript", "Print a session's transcript, or the surroundings of one of its lines."
    ),
    "export": _Lazy("memtui.cli.export", "Write a session or a memory as one file, to read or to attach."),
    "search": _Lazy(
        "memtui.cli.search",
        "Find what was said and done: in sessions, memories, captures and session states.",
    ),
    "lost": _Lazy("memtui.cli.lost", "Print what a compaction kept and lost."),
    "pin": _Lazy("memtui.cli.pin", "Pin a line that no compaction may lose; without TEXT, list the pins."),
    "rescue": _Lazy("memtui.cli.rescue", "Give back what a compaction lost."),
    "receipts": _Lazy("memtui.cli.receipts", "Print whether what memtui handed over has arrived."),
    "context": _Lazy("memtui.cli.context", "Print what a compaction has to keep of this project."),
    "archive": _Lazy(
        "memtui.cli.archive",
        "Keep compressed copies of this project's sessions, beyond Claude Code's 30 days.",
    ),
    "forget": _Lazy(
        "memtui.cli.forget", "Delete what memtui keeps of one session: archive, captures, states."
    ),
    "sessions": _Lazy("memtui.cli.sessions", "List the sessions of this project, the newest first."),
    "command": _Lazy(
        "memtui.cli.commands", "Activate, list or clear commands whose rules outlive a compaction."
    ),
    "memory": _Lazy("memtui.cli.memory", "Store, find and get back memories: recovery texts under IDs."),
    "share": _Lazy("memtui.cli.share", "Choose a memory that goes to others with the next `memtui sync`."),
    "sync": _Lazy(
        "memtui.cli.sync",
        "Send what you have shared, and fetch what others have; NAME is a remote, none means all.",
    ),
    "remote": _Lazy(
        "memtui.cli.remote",
        "Name the places that carry memories between machines: a git repository, or a PostgreSQL database.",
    ),
    "core-memory": _Lazy(
        "memtui.cli.core_memory", "Import and export memories with the calls of the compact command."
    ),
    "restore": _Lazy("memtui.cli.restore", "Hand over to a new session what an earlier one knew."),
    "handoff": _Lazy("memtui.cli.handoff", "Hand a session over to another agent, such as Codex or Gemini."),
    "compactor": _Lazy(
        "memtui.cli.compactor", "Keep the session states of this project up to date while Claude Code works."
    ),
    "state": _Lazy("memtui.cli.state", "Keep a session's state document, and show its versions."),
    "log": _Lazy("memtui.cli.log", "List what memtui has changed in this project, newest first."),
    "undo": _Lazy(
        "memtui.cli.undo",
        "Take back the last change that you made in this project, or the change with this ID.",
    ),
    "redo": _Lazy(
        "memtui.cli.redo", "Do again what was undone last in this project, or the undone change with this ID."
    ),
    "init": _Lazy(
        "memtui.cli.init", "Install memtui's hooks, slash commands and MCP server into Claude Code."
    ),
    "uninstall": _Lazy(
        "memtui.cli.uninstall", "Take memtui's hooks, slash commands and MCP server out of Claude Code."
    ),
    "completion": _Lazy(
        "memtui.cli.completion", "Print the script that completes memtui's commands in a shell."
    ),
    "doctor": _Lazy("memtui.cli.doctor", "Check that hooks run and captures arrive."),
    "mcp": _Lazy("memtui.cli.mcp", "Serve memories to Claude Code over MCP, on standard input and output."),
    "demo": _Lazy("memtui.cli.demo", "Open a throw-away project with a session going on."),
}
"""Name -> module and short help, so that ``--help`` imports no command. A test compares the helps."""


class LazyGroup(click.Group):
    """Commands by name, imported on use; any other first word is a folder to open."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name].module).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take the first word for a command, else for a folder."""
        if args[0] in COMMANDS:
            return super().resolve_command(ctx, args)
        if expanded(args[0]).is_dir():
            return "open", _open, args
        raise click.UsageError(_unknown(args[0]), ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from `COMMANDS`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in COMMANDS.items()])

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the two ways to call memtui."""
        formatter.write_usage(ctx.command_path, "[PATH]")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...", prefix="       ")


def _unknown(word: str) -> str:
    shown = clean_line(word)
    if expanded(word).is_file():
        return f"'{shown}' is a file; memtui opens folders."
    near = get_close_matches(word, COMMANDS, n=1)
    return f"No command or folder '{shown}'." + (f" Did you mean '{near[0]}'?" if near else "")


def _version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        print_version()
        ctx.exit()


@click.group(
    cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@click.option("--demo-if-empty", is_flag=True, hidden=True)
@click.pass_context
def cli(ctx: click.Context, demo_if_empty: bool) -> None:
    """See what Claude Code's compactions took away, review it, and get it back.

    Without a command, memtui opens the app on the project of PATH (the current folder unless given). A folder
    that is named like a command needs a path: ./demo
    """
    if ctx.invoked_subcommand is None:
        _open_folder(ctx.obj, Path(), demo_if_empty)


@click.command(hidden=True)
@click.argument("path", type=click.Path(path_type=Path))
@click.pass_context
def _open(ctx: click.Context, path: Path) -> None:
    """Open the app on a folder's project."""
    parent = ctx.find_root()
    _open_folder(parent.obj, expanded(path), bool(parent.params["demo_if_empty"]))


def _open_folder(openers: Openers, folder: Path, demo_if_empty: bool) -> None:
    need_terminal()
    project, home, claude = project_of(folder), memtui_home(), claude_config()
    if demo_if_empty and is_empty(project, home, claude):
        openers.demo()
    else:
        openers.app(project, home, claude)


def run(arguments: Sequence[str], openers: Openers) -> int:
    """Run memtui with `arguments` and return the exit code.

    0 done, 1 bad input (one sentence on stderr), 2 wrong usage, 130 interrupted. Unexpected exceptions are
    bugs and raised as they are, with their traceback.
    """
    prepare_streams()
    try:
        code = cli.main(list(arguments), prog_name="memtui", standalone_mode=False, obj=openers)
        sys.stdout.flush()
    except BaseException as error:
        known = exit_code(error)
        if known is None:
            raise
        return known
    return code if isinstance(code, int) else 0
