"""Plan of a session without a written one: requests, finished work, open work."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.documents.events import check_event
from memtui.documents.goal import ONLY_CAPTURE
from memtui.documents.open_work import nothing_open, open_work
from memtui.documents.sources import source_label, with_source
from memtui.documents.user_requests import user_requests
from memtui.transcript.facts import Facts
from memtui.transcript.paths import shown_path
from memtui.transcript.records import FileFact, Landmark
from memtui.transcript.short_text import capitalised, one_line, shortened

_SINCE = {
    "amend": ", followed by an amend",
    "rebase": ", followed by a rebase",
    "reset": ", followed by a reset",
}
_DONE_FILES = 12
_ASKED = 25
_FIRST = 2_000
_LATER = 400


def inferred_plan(facts: Facts) -> str:
    """The user's requests with the finished and open work on record."""
    found = user_requests(facts)
    blocks = []
    if found:
        first = shortened(found[-1].text.strip(), _FIRST)
        blocks.append(f"{source_label('First asked', found[-1].source)}\n{first}")
    if later := [with_source(ask.within(_LATER), ask.source) for ask in found[:-1]]:
        more = f"\n- and {len(later) - _ASKED} earlier ones" if len(later) > _ASKED else ""
        listed = "\n".join(f"- {text}" for text in later[:_ASKED])
        blocks.append(f"Asked since, newest first:\n{listed}{more}")
    if facts.from_capture:
        return "\n\n".join([*blocks, f"Of the work itself {ONLY_CAPTURE}."])
    if done := [f"- [x] {text}" for text in _finished_work(facts)]:
        blocks.append("Done, by the record:\n" + "\n".join(done))
    if work := open_work(facts):
        blocks.append("Open, by the record:\n" + "\n".join(f"- [ ] {text}" for text in work))
    else:
        blocks.append(capitalised(nothing_open(facts)))
    return "\n\n".join(blocks)


def _finished_work(facts: Facts) -> Iterator[str]:
    yield from map(landmark_line, facts.landmarks)
    for file in facts.modified_files[:_DONE_FILES]:
        yield file_line(file)
    if len(facts.modified_files) > _DONE_FILES:
        yield f"changed {len(facts.modified_files) - _DONE_FILES} other files"
    if (check := check_event(facts)).startswith("SUCCESS"):
        yield f"last check: {check}"


def landmark_line(mark: Landmark, *, clock: bool = False) -> str:
    """A commit, a tag or a pull request, with its fate since."""
    what = {"commit": f"committed {one_line(mark.text)}", "pull request": f"pull request {mark.text}"}
    line = f"{what.get(mark.kind, mark.text)}{f' ({mark.commit})' if mark.commit else ''}"
    return with_source(f"{line}{since(mark)}", mark.source, clock=clock)


def since(mark: Landmark) -> str:
    """The git commands that may have replaced a commit, after a comma; "" for none."""
    return _SINCE.get(mark.superseded, "")


def file_line(file: FileFact) -> str:
    """A changed file, with its fate since."""
    later = f", later {file.fate}" if file.fate else ""
    done = "created" if file.created else "changed"
    return with_source(f"{done} {shown_path(file.path, None)}{later}", file.source)
