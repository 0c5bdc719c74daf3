"""``memtui captures``: what auto-compactions captured, and captures of those that no hook saw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache

import click

from memtui.cli.options import agreed, common_options, yes_option
from memtui.cli.output import print_json, print_list, print_table, say
from memtui.ground.clock import local_minute, parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.ground.text import counted, opening
from memtui.store.captures import CaptureStore, find_missing, first_message, write_missing
from memtui.store.sessions import refuse_several
from memtui.store.transcripts import check_transcript
from memtui.transcript.session import summarize
from memtui.transcript.short_text import without_persona


@click.command("captures")
@click.option("--pending", is_flag=True, help="Only captures that are pending review.")
@click.option("--backfill", is_flag=True, help="Write captures for auto-compactions that have none.")
@yes_option
@common_options
def captures(pending: bool, backfill: bool, yes: bool, as_json: bool, places: Places) -> None:
    """List what auto-compactions captured in this project, newest first.

    Each line shows status, local time, title and file. When the output is not a terminal, tabs separate the
    fields, and a broken capture shows what is wrong with it in place of a title.

    --backfill finds compactions in the transcripts that Claude Code keeps of this project, for 30 days by
    default. Each capture gets its compaction's own time. Nothing is written twice, and
    nothing that exists is changed.
    """
    if backfill:
        _backfill(places, yes, as_json)
        return
    store = CaptureStore(places.project)
    listed = [row for row in _listed(places, store) if row["status"] == "pending" or not pending]
    if not listed:
        refuse_several(places)
    rows = []
    for row in listed:
        moment = parse_iso(row["timestamp"])
        when = local_minute(moment) if moment else "-"
        rows.append((row["status"], when, row["title"] or row["problem"], row["file"]))
    hook = "Claude Code's PreCompact hook writes them there"
    nothing = f"No captures in {store.folder} yet. {hook}, and `memtui captures --backfill` those of past"
    nothing += " compactions; `memtui demo` shows what they look like."
    nothing = f"Nothing waits for a review in {store.project.name}." if pending else nothing
    print_list(listed, ("Status", "Time", "Title", "File"), rows, nothing, as_json, flexible=2)


def _listed(places: Places, store: CaptureStore) -> Iterator[dict[str, str]]:
    """Captures with the keys of ``--json``. Missing values of a broken one are empty."""

    @cache
    def name(transcript: str) -> str:
        """The session's, as in the app; "" without a transcript."""
        with suppress(FileProblem, OSError):
            return summarize(check_transcript(transcript, places.claude)).name
        return ""

    for entry in store.entries():
        row = {"file": entry.name, "path": str(entry.path), "status": "broken"}
        try:
            capture = store.load(entry)
        except FileProblem as problem:
            empty = ("timestamp", "session_id", "transcript", "title", "summary", "memory")
            yield row | dict.fromkeys(empty, "") | {"problem": problem.reason.removeprefix("is broken: ")}
            continue
        yield row | {
            "status": capture.status,
            "timestamp": capture.timestamp.isoformat(),
            "session_id": capture.session_id,
            "transcript": capture.transcript,
            "title": name(capture.transcript) or _title(capture.first_message),
            "summary": capture.summary,
            "memory": capture.memory,
            "problem": "",
        }


def _title(message: str) -> str:
    return opening(without_persona(message)) or "(no message)"


def _backfill(places: Places, yes: bool, as_json: bool) -> None:
    project = places.project
    missing = find_missing(places)
    if not as_json:
        if not missing:
            say(f"Nothing to do: every auto-compaction in the transcripts of {project.name} has a capture.")
            return
        rows = [(local_minute(each.at), each.session_id, _title(first_message(each))) for each in missing]
        print_table(("Time", "Session", "First message"), rows, flexible=2)
    write = yes or (not as_json and agreed(f"Write {counted(len(missing), 'capture')}?", yes))
    listed = [
        {
            "timestamp": each.at.astimezone().isoformat(timespec="seconds"),
            "session_id": each.session_id,
            "transcript": str(each.transcript),
            "first_message": first_message(each),
            "capture": str((write and write_missing(project, each)) or ""),
        }
        for each in missing
    ]
    if as_json:
        print_json(listed)
    elif write:
        written = sum(bool(each["capture"]) for each in listed)
        say(f"Wrote {counted(written, 'capture')} to {project.compacts}")
    else:
        say("Nothing was written.")
