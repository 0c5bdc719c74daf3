"""``memtui review``: reviews a capture without opening the app."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from memtui.cli.accept_draft import accepted_draft, edited
from memtui.cli.changes import changes_in
from memtui.cli.engine import asking, engine_option
from memtui.cli.output import can_answer, print_document, print_json, say
from memtui.cli.project import project_of, root_option
from memtui.cli.recovery_box import print_recovery_box
from memtui.cli.review_draft import Draft, as_text, by_claude, draft_of, from_review, from_text
from memtui.engines.engine_choice import Engine
from memtui.flows.citation_check import cited_review
from memtui.flows.review import Reviewed, review
from memtui.formats.capture import Capture
from memtui.formats.memory import render_memory
from memtui.formats.model import FormatError
from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock
from memtui.ground.project import Places, Project, claude_config, expanded, memtui_home
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry

_LIMIT = 1 << 20
"""Maximum size of a review on standard input in bytes; usual ones have some thousand."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a review, with the keys of ``--json``."""

    capture: str = ""
    """The capture's file name; "" if there was nothing to review."""
    path: str = ""
    status: str = "nothing"
    """The capture's status now: ``pending`` or ``reviewed``; ``nothing`` when none was pending."""
    changed: bool = False
    """Whether this run reviewed it."""
    memory: str = ""
    """The memory file's path; "" while the capture is pending."""
    recovery_id: str = ""
    """The id under which this run stored the recovery text."""
    summary: str = ""
    text: str = ""
    """The memory file's text: the draft while the capture is pending."""
    engine: str = ""
    """The origin of the draft's wording: ``facts`` or ``claude``; "" for --from-stdin or without a draft."""
    note: str = ""
    """The source of the draft, if not the transcript."""


@click.command("review")
@click.argument("capture", required=False)
@click.option("--yes", "-y", is_flag=True, help="Accept the draft without asking.")
@click.option("--from-stdin", is_flag=True, help="Take the memory file from standard input, ask nothing.")
@click.option("--cited", is_flag=True, help="With --from-stdin: check the lines of the transcript it cites.")
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, ask nothing.")
@root_option
def command(
    capture: str | None,
    yes: bool,
    from_stdin: bool,
    cited: bool,
    engine: str,
    as_json: bool,
    root: Path | None,
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
    if from_stdin and engine == Engine.CLAUDE:
        raise click.UsageError("either --from-stdin or --engine claude writes the memory file.")
    project = _project(root, capture)
    changes = changes_in(project.root)
    store = CaptureStore(project, changes.wrote)
    entry = store.resolve(capture) if capture else store.newest_pending()
    if entry is None:
        _report(Outcome(), f"Nothing to review: no capture of {store.project.name} is pending.", as_json)
        return
    loaded = store.load(entry)
    before = Outcome(entry.name, str(entry.path), loaded.status)
    if loaded.status == "reviewed":
        memory = str(store.folder / loaded.memory) if loaded.memory else ""
        _report_earlier(replace(before, memory=memory, summary=loaded.summary), as_json)
        return
    places = Places(store.project, memtui_home(), claude_config())
    draft = _from_standard_input(loaded, places, cited) if from_stdin else _drafted(loaded, engine, places)
    accepted = draft if yes or from_stdin else _ask(draft, entry, before, as_json)
    if accepted is None:
        say(f"{entry.name} stays pending.")
        return
    reviewed = review(
        places,
        system_clock,
        store,
        entry,
        memory=accepted.memory,
        summary=accepted.summary,
        facts=accepted.facts,
        changes=changes,
    )
    _report_new(before, accepted, reviewed, as_json)


def _project(root: Path | None, capture: str | None) -> Project:
    """The project: by option, else by the capture's path, else the current folder's."""
    folder = expanded(capture).absolute().parent if capture and root is None else None
    if folder is not None and folder.is_dir() and folder.parts[-2:] == (".project", "compacts"):
        return Project(folder.parent.parent.resolve())
    return project_of(root)


def _drafted(capture: Capture, engine: str, places: Places) -> Draft:
    """The draft from the facts, or the model's version of it."""
    draft = draft_of(capture, places)
    if engine != Engine.CLAUDE:
        return draft
    with asking() as called_off:
        return by_claude(draft, capture, places, called_off)


def _from_standard_input(capture: Capture, places: Places, cited: bool) -> Draft:
    """The review on standard input. If it has no summary, the draft's is used."""
    data = sys.stdin.buffer.read(_LIMIT + 1) if sys.stdin is not None else b""
    if len(data) > _LIMIT:
        raise click.ClickException("standard input is longer than 1 MB; nothing was changed.")
    text = data.decode("utf-8", "replace")
    try:
        draft = from_review(text)
    except FormatError as error:
        reason = f"standard input is not a review: {error}; nothing was changed."
        raise click.ClickException(reason) from error
    if cited:
        draft = draft._replace(memory=cited_review(draft.memory, text, capture, places))
    if draft.summary:
        return draft
    return draft._replace(summary=draft_of(capture, places).summary)


def _ask(draft: Draft, entry: Entry, before: Outcome, as_json: bool) -> Draft | None:
    """Show the draft and ask the user; None to leave the capture unchanged."""
    if as_json or not can_answer():
        _report(_with_draft(before, draft), _shown(draft), as_json)
        raise click.ClickException(f"{entry.name} stays pending; accept the draft with --yes.")
    return accepted_draft(
        draft,
        "Accept (y), edit (e) or leave it (n)?",
        lambda shown: print_document(_shown(shown)),
        lambda old: edited(as_text(old), lambda text: _edited(text, old), "memory file") or old,
    )


def _edited(text: str, old: Draft) -> Draft:
    return from_text(text)._replace(note=old.note, facts=old.facts, engine=old.engine)


def _with_draft(outcome: Outcome, draft: Draft) -> Outcome:
    return replace(
        outcome,
        summary=draft.summary,
        text=render_memory(draft.memory),
        engine=draft.engine,
        note=draft.note,
    )


def _shown(draft: Draft) -> str:
    note = f"({clean_line(draft.note)})\n\n" if draft.note else ""
    return f"{note}Summary: {clean_line(draft.summary)}\n\n{render_memory(draft.memory)}"


def _report_earlier(outcome: Outcome, as_json: bool) -> None:
    memory = outcome.memory or "not named"
    sentence = f"{outcome.capture} is already reviewed, nothing was changed. Its memory: {memory}"
    _report(outcome, sentence, as_json)


def _report_new(before: Outcome, accepted: Draft, reviewed: Reviewed, as_json: bool) -> None:
    done = replace(
        before,
        status="reviewed",
        changed=True,
        memory=str(reviewed.memory_path),
        recovery_id=reviewed.recovery_id,
    )
    note = f" ({accepted.note})" if accepted.note else ""
    _report(
        _with_draft(done, accepted._replace(memory=reviewed.memory)),
        f"Reviewed {done.capture}. Its memory: {done.memory}{note}",
        as_json,
    )
    if not as_json:
        print_recovery_box(done.recovery_id)


def _report(outcome: Outcome, sentence: str, as_json: bool) -> None:
    if as_json:
        print_json(asdict(outcome))
    else:
        say(sentence)
