"""The doctor's check of active commands: they need a compact summary to outlive a compaction."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from memtui.ground.project import Places
from memtui.hooks.active_commands import LEFT_OUT, command_statuses
from memtui.setup.findings import Finding, ok, warning
from memtui.store.commands_file import CommandProblem, CommandsFile, NoCommandFile, normalised

_SHORTEN = "Put what matters most first, and under headings: every part keeps its first lines."


def check_active(places: Places) -> Iterator[Finding]:
    """Whether every active command has a file with a compact summary."""
    commands = CommandsFile(places.project)
    try:
        statuses = command_statuses(commands, commands.entries())
    except CommandProblem as problem:
        yield warning("active", str(problem), "Correct it, or move it away.")
        return
    good = []
    for entry, _, why_not, shortage in statuses:
        plain = normalised(entry.name)
        advice = f"Clear it with `memtui command clear {quote(plain)}`, or write that file."
        left_out = shortage is not None and shortage.mark == LEFT_OUT
        if isinstance(why_not, NoCommandFile):
            message = f"/{plain} is active, but there is no command file of that name"
            yield warning("active", message, advice)
        elif why_not:
            yield warning("active", f"/{plain} is active, but {why_not}", advice)
        elif shortage:
            advice = "Clear commands that are no longer in use." if left_out else _SHORTEN
            yield warning("active", f"The rules of /{plain} have {shortage.note}", advice)
        if not why_not and not left_out:
            good.append(f"/{plain}")
    if good:
        yield ok("active", f"{', '.join(good)}: the rules outlive a compaction")
