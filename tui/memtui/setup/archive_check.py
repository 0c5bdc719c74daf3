"""The doctor's check of the archive: its size, sessions without a copy, and the integrity of a sample."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.setup.findings import Finding, broken, note, ok, warning
from memtui.store.archive import Archive, is_private, sessions_text
from memtui.store.archive_settings import archive_settings
from memtui.store.session_list import SessionList, size_text

_SOON = 7
_SAMPLE = 3


def check_archive(places: Places, clock: Clock) -> Iterator[Finding]:
    """Findings on the archive, if there are any."""
    try:
        settings = archive_settings(places.home)
        archive = Archive(places.home, clock)
        entries = archive.entries()
        sessions = SessionList(places.project, places.home, places.claude, clock).entries()
    except FileProblem as problem:
        yield broken("archive", str(problem))
        return
    ending = [each for each in sessions if each.days_left is not None and each.days_left <= _SOON]
    lost = [each for each in ending if not each.archived and not is_private(each.path, settings)]
    if lost:
        number = sessions_text(len(lost))
        message = f"Claude Code deletes {number} in the next {_SOON} days of which there is no whole copy"
        if settings.keep:
            yield warning("archive", message, "Run `memtui archive`.")
        else:
            yield note("archive", f"{message}: [archive] keep = false")
    elif not settings.keep:
        yield note("archive", "No session is kept: [archive] keep = false")
    sample = entries[:_SAMPLE]
    damaged = False
    for each in entries:
        if damage := each.problem or (archive.verify(each) if each in sample else ""):
            damaged = True
            advice = "Run `memtui archive`, which completes what Claude Code still has."
            yield broken("archive", f"{each.session_id[:8]} is ✗ incomplete: {damage}", advice)
    if entries:
        total = sum(each.packed for each in entries)
        whole = "" if damaged else f"; {_sampled(len(sample), len(entries))} whole"
        message = f"{sessions_text(len(entries))} kept, {size_text(total)}{whole}"
        if total > settings.budget:
            advice = "Run `memtui archive prune --max-size`, or raise [archive] budget_gb."
            yield warning("archive", f"{message}: more than {size_text(settings.budget)}", advice)
        else:
            yield ok("archive", message)


def _sampled(sample: int, all_: int) -> str:
    if sample == all_:
        return "it is" if sample == 1 else "all are"
    return f"the {sample} kept last are"
