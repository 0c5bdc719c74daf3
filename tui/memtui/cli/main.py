"""The `memtui` command: its subcommands by name, the app on a folder, and the commands beside the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click
from click.shell_completion import get_completion_class

from memtui import __version__
from memtui.cli.options import is_empty, project_of
from memtui.cli.output import need_terminal, say
from memtui.cli.startup import COMMANDS, run_to_end
from memtui.ground.clean import clean_line
from memtui.ground.project import Home, Project, claude_config, expanded, memtui_home


class Openers(NamedTuple):
    """Programs that the command line starts without importing them; `memtui.__main__` passes them in."""

    app: Callable[[Project, Home, Path], None]
    """Opens the app on a project; takes memtui's own folders and Claude Code's configuration folder, too."""
    demo: Callable[[], None]
    """Opens the app on a demo project."""
    mcp: Callable[[Home], None]
    """Serves MCP on stdin and stdout."""


class LazyGroup(click.Group):
    """Commands by name, imported on use; any other first word is a folder to open."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(".")
        command = getattr(import_module(f"memtui.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in COMMANDS:
            return super().resolve_command(ctx, args)
        if expanded(args[0]).is_dir():
            return "open", _open, args
        raise click.UsageError(_unknown(args[0]), ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands with the first sentence of each help, uncut."""
        found = [(name, self.get_command(ctx, name)) for name in COMMANDS]
        rows = [(name, each.get_short_help_str(200)) for name, each in found if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "[PATH]")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...", prefix="       ")


def _unknown(word: str) -> str:
    """A sentence about a word that is neither a command nor a folder, with the nearest one there is."""
    path = expanded(word)
    if path.is_file():
        return f"'{clean_line(word)}' is a file; memtui opens folders."
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, n=1)
    if not near:
        with suppress(OSError):
            folders = {each.name: each for each in path.parent.iterdir() if each.is_dir()}
            near = [str(folders[name]) for name in get_close_matches(path.name, folders, n=1)]
    hint = f" Did you mean '{clean_line(near[0])}'?" if near else ""
    return f"No command or folder '{clean_line(word)}'.{hint}"


@click.group(
    cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option("--demo-if-empty", is_flag=True, hidden=True)
@click.pass_context
def cli(ctx: click.Context, demo_if_empty: bool) -> None:
    """See what Claude Code's compactions took away, review it, and get it back.

    Without a command, memtui opens the app on the project of PATH (the current folder unless given). A folder
    that is named like a command needs a path: ./demo

    `memtui demo` opens a project that shows it all, `memtui completion SHELL` completes these commands.
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


@click.command("demo", hidden=True)
@click.pass_obj
def demo(openers: Openers) -> None:
    """Open a temporary project with a running session.

    In the first minute a capture arrives, a memory is stored, a command becomes active and the session state
    moves on. Everything lies in a temporary folder that is removed at the end.
    """
    need_terminal()
    openers.demo()


@click.command("completion", hidden=True)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes memtui's commands in a shell.

    \b
    bash: put  eval "$(memtui completion bash)"  into ~/.bashrc
    zsh:  put  eval "$(memtui completion zsh)"   into ~/.zshrc
    fish: memtui completion fish > ~/.config/fish/completions/memtui.fish

    Recovery IDs are completed from their beginning, with or without CMEM-, and from their end: 1015 is enough
    for CMEM-20260102-091015.
    """  # noqa: D301 - click's mark for lines that stay as they are
    found = get_completion_class(shell)
    assert found is not None
    script = found(cli, {}, "memtui", "_MEMTUI_COMPLETE")
    say((script.source_template % script.source_vars()).strip())


def run(arguments: Sequence[str], openers: Openers) -> int:
    """Run memtui with `arguments` and return the exit code; see `run_to_end`."""
    return run_to_end(
        lambda: cli.main(list(arguments), prog_name="memtui", standalone_mode=False, obj=openers)
    )
