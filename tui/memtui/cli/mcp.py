"""``memtui mcp``: the MCP server."""

from __future__ import annotations

import click

from memtui.ground.project import memtui_home


@click.command("mcp")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Serve memories to Claude Code over MCP, on standard input and output.

    Claude Code starts this itself once `memtui init` has registered it. The tools are core_memory (list,
    import, export, search, summary) and session_manager; memories are resources, and a prompt restores one.
    """
    ctx.find_root().obj.mcp(memtui_home())
