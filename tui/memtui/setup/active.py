"""The doctor's check of active commands: they need a compact summary to outlive a compaction."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.hooks.active import shortenings
from memtui.project import Places
from memtui.setup.findings import Finding, ok, warning
from memtui.store.commands_file import CommandProblem, CommandsFile, NoCommandFile, normalised


def check_active(places: Places) -> Iterator[Finding]:
    """Whether every active command has a file with a compact summary."""
    commands = CommandsFile(places.project)
    try:
        names = [entry.name for entry in commands.entries()]
    except CommandProblem as problem:
        yield warning("active", str(problem), "Correct it, or move it away.")
        return
    good = []
    notes = shortenings(places.project)
    for name in names:
        plain = normalised(name)
        advice = f"Clear it with `memtui command clear {plain}`, or write that file."
        try:
            commands.summary(name)
        except NoCommandFile:
            message = f"/{plain} is active, but there is no command file of that name"
            yield warning("active", message, advice)
        except CommandProblem as problem:
            yield warning("active", f"/{plain} is active, but {problem}", advice)
        else:
            if note := notes.get(plain):
                advice = "Put what matters most first, and under headings: every part keeps its first lines."
                yield warning("active", f"The rules of /{plain} have {note}", advice)
            good.append(f"/{plain}")
    if good:
        yield ok("active", f"{', '.join(good)}: the rules outlive a compaction")
