"""``memtui review``: drafts a capture's memory file from the transcript, and accepts it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import click

from memtui.cli import options
from memtui.cli.output import can_answer, print_document, print_recovery_box, print_result, say
from memtui.documents.capture import Capture
from memtui.documents.markdown import escape, name_of
from memtui.documents.memory_file import MemoryFile, draft_memory, draft_summary, parse_memory, render_memory
from memtui.engines.drafts import cited_review
from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock
from memtui.ground.project import Places, Project, expanded
from memtui.ground.text import FormatError
from memtui.store.captures import CaptureStore
from memtui.store.compact import capture_facts
from memtui.store.compact import review as accept
from memtui.store.listing import Entry
from memtui.store.sessions import refuse_several
from memtui.transcript.records import Facts

_SUMMARY = "Summary"
_AHEAD = re.compile(r"\s*\**summary:\**(?P<summary>.*?)(?=^#)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
"""The beginning of a memory file's title line."""


class Draft(NamedTuple):
    """The draft of a review, written when accepted."""

    memory: MemoryFile
    summary: str
    note: str = ""
    """Why the transcript was not used; "" if it was."""
    facts: Facts | None = None
    """The facts it was made from; None for a review written elsewhere."""
    engine: str = ""
    """The origin of the wording; "" for a review written elsewhere."""


def as_text(draft: Draft) -> str:
    """A draft as one text to edit: the memory file, with the summary as its first section."""
    title, gap, rest = render_memory(draft.memory).partition("\n\n")
    return f"{title}\n\n## {_SUMMARY}\n{escape(draft.summary)}{gap}{rest}"


def from_text(text: str) -> Draft:
    """Read an edited draft; raises `FormatError` if it is no longer a memory file."""
    memory = parse_memory(text)
    ours = [section for section in memory.extra if name_of(section.heading) == name_of(_SUMMARY)]
    rest = tuple(section for section in memory.extra if section not in ours)
    return Draft(memory.replace(extra=rest), " ".join(section.text for section in ours).strip())


@click.command("review")
@click.argument("capture", required=False)
@options.yes_option
@click.option("--from-stdin", is_flag=True, help="Take the memory file from standard input, ask nothing.")
@click.option("--cited", is_flag=True, help="With --from-stdin: check the lines of the transcript it cites.")
@options.engine_option
@options.common_options
def review(
    capture: str | None, yes: bool, from_stdin: bool, cited: bool, engine: str, as_json: bool, places: Places
) -> None:
    """Draft a capture's memory file, and accept it.

    CAPTURE is the path or the file name of a capture, or the time in it (20251225_081500); without one it is
    the newest that is pending. The draft is made from what the transcript says up to that compaction.
    Accepting it writes the memory file beside the capture, marks the capture as reviewed,
    and stores a recovery text of the session up to that compaction under a Recovery ID.

    With --from-stdin a memory file written elsewhere is read instead; a line "Summary: ..." before it, or a
    section "## Summary" in it, becomes the summary in the capture. With --cited, a learning or question keeps
    a source such as (L476: "its words") only if line 476 has these words; without a source it ends with
    (no source).

    With --engine claude, `claude -p` improves the draft. If it fails, the draft from the facts is kept, and a
    line says why.

    Without --yes the draft is shown and memtui asks; without a terminal, nothing is changed and the exit code
    is 1.
    """
    if from_stdin and engine == "claude":
        raise click.UsageError("either --from-stdin or --engine claude writes the memory file.")
    folder = expanded(capture).absolute().parent if capture else None
    if folder is not None and folder.is_dir() and folder.parts[-2:] == (".project", "compacts"):
        places = places._replace(project=Project(folder.parent.parent.resolve()))
    store = CaptureStore(places.project)
    entry = store.resolve(capture) if capture else store.newest_pending()
    if entry is None:
        refuse_several(places)
        nothing = f"Nothing to review: no capture of {store.project.name} is pending."
        print_result(_outcome(), nothing, as_json)
        return
    loaded = store.load(entry)
    before = _outcome(capture=entry.name, path=str(entry.path), status=loaded.status)
    if loaded.status == "reviewed":
        memory = str(store.folder / loaded.memory) if loaded.memory else ""
        already = f"{entry.name} is already reviewed, nothing was changed."
        sentence = f"{already} Its memory: {memory or 'not named'}"
        print_result({**before, "memory": memory, "summary": loaded.summary}, sentence, as_json)
        return
    draft = _from_standard_input(loaded, places, cited) if from_stdin else _drafted(loaded, engine, places)
    accepted = draft if yes or from_stdin else _ask(draft, entry, before, as_json)
    if accepted is None:
        say(f"{entry.name} stays pending.")
        return
    reviewed = accept(
        places,
        system_clock,
        store,
        entry,
        memory=accepted.memory,
        summary=accepted.summary,
        facts=accepted.facts,
    )
    done = _with_draft(before, accepted._replace(memory=reviewed.memory)) | {
        "status": "reviewed",
        "changed": True,
        "memory": str(reviewed.memory_path),
        "recovery_id": reviewed.recovery_id,
    }
    note = f" ({accepted.note})" if accepted.note else ""
    print_result(done, f"Reviewed {entry.name}. Its memory: {reviewed.memory_path}{note}", as_json)
    if not as_json:
        print_recovery_box(reviewed.recovery_id)


def _outcome(**known: str) -> dict[str, Any]:
    """The result of a run, with the keys of ``--json``.

    ``status`` is the capture's: pending, reviewed, or "nothing" if there was nothing to review. ``text`` is
    the memory file, the draft while the capture is pending; ``engine`` and ``note`` say where its wording is
    from.
    """
    empty = dict.fromkeys(("memory", "recovery_id", "summary", "text", "engine", "note"), "")
    return {"capture": "", "path": "", "status": "nothing", "changed": False} | empty | known


def _drafted(capture: Capture, engine: str, places: Places) -> Draft:
    """The draft from the facts, or the model's version of it; if that fails, the former with a note."""
    facts, note = capture_facts(capture, places)
    draft = Draft(draft_memory(facts), draft_summary(facts), note, facts, "facts")
    if engine != "claude":
        return draft
    from memtui.engines.drafts import review_by_claude

    with options.asking_claude() as called_off:
        made = review_by_claude(capture, draft.memory, draft.summary, facts, places, cancelled=called_off)
    if made.problem:
        problem = f"drafted {options.draft_note(made.problem)}"
        return draft._replace(note="; ".join(filter(None, (problem, note))))
    return draft._replace(memory=made.memory, summary=made.summary, engine="claude")


def _from_standard_input(capture: Capture, places: Places, cited: bool) -> Draft:
    """The review on standard input. If it has no summary, the draft's is used."""
    text = options.given_bytes("-", 1 << 20).decode("utf-8", "replace")
    try:
        ahead = _AHEAD.match(text)
        draft = from_text(text[ahead.end() :] if ahead else text)
        if not draft.memory.title:
            raise FormatError("it has no title (# Memory: ...)")
        if not draft.memory.goal:
            raise FormatError("it does not say what the goal was (## Goal)")
    except FormatError as error:
        reason = f"standard input is not a review: {error}; nothing was changed."
        raise click.ClickException(reason) from error
    summary = ahead["summary"] if ahead else draft.summary
    draft = draft._replace(summary=" ".join(summary.split()))
    if cited:
        draft = draft._replace(memory=cited_review(draft.memory, text, capture, places))
    if draft.summary:
        return draft
    return draft._replace(summary=_drafted(capture, "facts", places).summary)


def _ask(draft: Draft, entry: Entry, before: dict[str, Any], as_json: bool) -> Draft | None:
    if as_json or not can_answer():
        print_result(_with_draft(before, draft), _shown(draft), as_json)
        raise click.ClickException(f"{entry.name} stays pending; accept the draft with --yes.")

    def edit(old: Draft) -> Draft:
        def read(text: str) -> Draft:
            return from_text(text)._replace(note=old.note, facts=old.facts, engine=old.engine)

        return options.edited(as_text(old), read, "memory file") or old

    question = "Accept (y), edit (e) or leave it (n)?"
    return options.accepted_draft(draft, question, lambda shown: print_document(_shown(shown)), edit)


def _with_draft(outcome: dict[str, Any], draft: Draft) -> dict[str, Any]:
    text = render_memory(draft.memory)
    return outcome | {"summary": draft.summary, "text": text, "engine": draft.engine, "note": draft.note}


def _shown(draft: Draft) -> str:
    note = f"({clean_line(draft.note)})\n\n" if draft.note else ""
    return f"{note}Summary: {clean_line(draft.summary)}\n\n{render_memory(draft.memory)}"
