"""``memtui completion``: shell completion of memtui's commands, options and Recovery IDs."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from memtui.cli.output import say


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
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
    script = found(click.get_current_context().find_root().command, {}, "memtui", "_MEMTUI_COMPLETE")
    say((script.source_template % script.source_vars()).strip())
