"""Documents worded by ``claude -p``, and checking what it said.

What is on record stays the draft's; what the model adds is checked: its citations are looked up in the
transcript, its files in the facts. What asks can be called from any thread, and ends soon after `cancelled`
returns True; whatever fails, the draft made from facts is the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from memtui.documents.capture import Capture
from memtui.documents.checklist import CheckedText, Verdict, check_recovery
from memtui.documents.compactor import MOST_TASKS, count_of, flat
from memtui.documents.memory_file import MemoryFile, draft_memory, parse_memory, render_memory
from memtui.documents.recovery import Recovery, RoleFile, is_unknown, parse_recovery, render_recovery
from memtui.documents.recovery_draft import draft_recovery
from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    parse_session_state,
    render_session_state,
)
from memtui.documents.state_draft import task_key
from memtui.engines import ask
from memtui.engines.ask import EngineError, Kind
from memtui.ground.clean import clean
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.ground.text import FormatError
from memtui.secrets.secrets import masked
from memtui.store.compact import Compacted, capture_facts
from memtui.store.sessions import captured_transcript
from memtui.store.state_updates import update_state
from memtui.store.states import StoredState
from memtui.transcript.facts import read_facts
from memtui.transcript.lines import read_lines
from memtui.transcript.paths import absolute
from memtui.transcript.records import Facts
from memtui.transcript.short_text import one_line, shortened

NO_SOURCE = "(no source)"
"""The mark of a model's statement without a valid citation."""
UNSEEN = "not in the transcript"
"""The mark of a file that only the model mentions."""

_LINE, _TEXT, _TITLE, _FIELD = 320, 600, 120, 200
"""Maximum lengths of an item, a text, a title and a field, in characters."""

_OPEN, _CLOSE = "\"“”„«「『'", "\"“”»」』'"
_CITATION = re.compile(
    rf"[ \t]*[(\[（]L(?P<line>\d{{1,9}})(?:[ ,:;：]+[{_OPEN}](?P<words>[^\n]{{1,600}}?)[{_CLOSE}])?[)\]）]"
)
_SOURCES = re.compile(r"(?: \((?:L\d{1,9}(?: \d\d:\d\d)?|no source)\)){1,9}$")
_PATH = re.compile(
    r"(?<![\w/.:@~-])(?:~|\.{1,2})?/?(?:[A-Za-z0-9_.@+-]{1,100}/){1,40}[A-Za-z0-9_.@+-]{1,100}?"
    rf"\.[A-Za-z]\w{{0,7}}\b(?![/-])(?! \({UNSEEN}\))"
)
_LEVEL = re.compile(r"\W*(?:high|medium|low)\b", re.IGNORECASE)
_RECORDED = {TaskKind.DONE, TaskKind.SUB, TaskKind.BLOCKER, TaskKind.NOTE}
"""Kinds of tasks that only what is on record adds."""
_FENCE = re.compile(r"\A`{3,}[a-z]*\n(.*?)\n`{3,}\s*\Z", re.DOTALL)

Parsed = TypeVar("Parsed")


class Checked:
    """A model's statements: cited lines are checked, and files that the prompt did not show are marked.

    Without a readable transcript no citation is valid. `answer` is the model's whole one, `shown` the prompt.
    """

    def __init__(self, transcript: Path | None, answer: str, shown: str = "") -> None:
        wanted = {int(match["line"]) for match in _CITATION.finditer(answer)}
        self._shown = shown
        self._lines: dict[int, str] = {}
        if transcript is not None and wanted:
            with suppress(OSError):
                for line in islice(read_lines(transcript), max(wanted)):
                    if line.number in wanted:
                        self._lines[line.number] = _folded("\n".join(_strings(line.records)))

    def sourced(self, text: str) -> str:
        """A statement with its valid citations as ``(L476)``, or with `NO_SOURCE`."""
        held: list[str] = []

        def check(match: re.Match[str]) -> str:
            quoted = _folded(match["words"] or "")
            if sum(map(str.isalnum, quoted)) >= 4 and quoted in self._lines.get(int(match["line"]), ""):
                held.append(match[0])
                return f" (L{match['line']})"
            return ""

        statement = _CITATION.sub(check, text.replace(NO_SOURCE, "")).strip()
        return statement if held or not statement else f"{statement} {NO_SOURCE}"

    def is_seen(self, path: str) -> bool:
        return path.strip("`") in self._shown

    def plain(self, text: str, width: int) -> str:
        """A text that needs no source, on one line."""
        return self._marked(shortened(one_line(text), width))

    def item(self, text: str, width: int = _LINE) -> str:
        """A statement on one line, with its sources, or with `NO_SOURCE`."""
        checked = self.sourced(one_line(text))
        found = _SOURCES.search(checked)
        statement, sources = (checked[: found.start()], found[0]) if found else (checked, "")
        return self._marked(shortened(statement, width)) + sources

    def items(self, said: Iterable[str], drafted: Iterable[str]) -> tuple[str, ...]:
        """The model's statements, then those of the draft that none of them repeats or words anew.

        A statement of the draft is worded anew by one that cites the same lines; it stays as it is where the
        model has copied it.
        """
        own = {_bare(text): text for text in drafted}
        mine = [
            own.get(_bare(text)) or self.item(text) for text in list(said)[:25] if any(map(str.isalnum, text))
        ]
        known = {_bare(text) for text in mine}
        lines = {line for text in mine if not text.endswith(NO_SOURCE) for line in _lines(text)}
        left = [
            text
            for bare, text in own.items()
            if bare not in known and not (_lines(text) and _lines(text) <= lines)
        ]
        return tuple(dict.fromkeys((*mine, *left)))

    def _marked(self, text: str) -> str:
        return _PATH.sub(lambda match: match[0] if self.is_seen(match[0]) else f"{match[0]} ({UNSEEN})", text)


def _bare(text: str) -> str:
    """A statement without its sources, for comparison."""
    return _folded(_SOURCES.sub("", _CITATION.sub("", text)))


def _lines(text: str) -> set[str]:
    return set(re.findall(r"\(L(\d{1,9})\b", text))


def _folded(text: str) -> str:
    """A text in lower case with single spaces, for searching."""
    return " ".join(text.casefold().split())


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _asked(
    kind: Kind,
    parse: Callable[[str], Parsed],
    facts: Facts,
    material: Mapping[str, str],
    transcript: Path | None,
    cancelled: Callable[[], bool],
) -> tuple[str, Parsed, Checked]:
    """The model's document, cleaned and without secrets, the same read, and what checks it.

    The conversation follows `material`, as far as the facts go; for that see `prompt_for`. `EngineError` if
    there is no answer, or it is no such document, or is cut off.
    """
    said = "(the transcript is gone)"
    if transcript is not None:
        try:
            said = ask.conversation(transcript, facts.lines, 120_000)
        except OSError:
            said = "(the transcript cannot be read)"
    prompt = ask.prompt_for(kind, facts, {**material, "conversation": said})
    answer = ask.ask(prompt, cancelled)
    text = masked(clean(answer))
    _, opened, rest = text.partition(ask.OPENING)
    if opened:
        text, closed, _ = rest.rpartition(ask.CLOSING)
        if not closed:
            raise EngineError("claude's answer is cut off")
    text = text.strip()
    if fenced := _FENCE.match(text):
        text = fenced[1]
    if not re.search(rf"^{re.escape(kind.first)}", text, re.MULTILINE):
        raise EngineError("claude's answer holds no document of the kind asked for")
    if kind.last not in text:
        raise EngineError("claude's answer is incomplete")
    try:
        return text, parse(text), Checked(transcript, answer, prompt)
    except FormatError as error:
        raise EngineError(f"claude's answer cannot be read: {error}") from error


def compact_by_claude(
    compacted: Compacted, *, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Compacted, str]:
    """Let ``claude -p`` improve a recovery text: the new one and "", or the old one and why, in a clause."""
    facts, material = compacted.facts, {"draft": compacted.text}
    assert facts is not None
    try:
        _, answer, check = _asked(
            ask.RECOVERY, parse_recovery, facts, material, compacted.transcript, cancelled
        )
        better = render_recovery(_better_recovery(parse_recovery(compacted.text), answer, check))
        if failed := _failed(better) - _failed(compacted.text):
            raise EngineError(f"claude's answer fails the checklist: {min(failed)}")
    except EngineError as error:
        return compacted, str(error)
    return replace(compacted, text=better, engine="claude"), ""


def _failed(text: str) -> set[str]:
    return {point.name for point in check_recovery(text) if point.verdict is Verdict.FAIL}


def _better_recovery(draft: Recovery, answer: Recovery, check: Checked) -> Recovery:
    """The draft with the model's wording: session, root, plan, the files and last action are the draft's."""
    names = ("decisions", "constraints", "dependencies", "known_issues", "changes", "pending")
    lists = {name: check.items(_known(getattr(answer, name)), getattr(draft, name)) for name in names}
    notes = check.items(_known(answer.notes.split("\n")), draft.notes.split("\n")) if answer.notes else ()
    return draft.replace(
        objective=check.item(answer.objective, _TEXT),
        working_files=_with_roles(draft.working_files, answer, draft.project_root, check),
        reference_files=_with_roles(draft.reference_files, answer, draft.project_root, check),
        notes=draft.notes if answer.notes.split() == draft.notes.split() else "\n".join(notes),
        **lists,
    )


def _with_roles(
    files: tuple[RoleFile, ...], answer: Recovery, root: str, check: Checked
) -> tuple[RoleFile, ...]:
    roles = {
        absolute(file.path.removeprefix("./"), root): check.plain(file.role, _FIELD)
        for file in (*answer.working_files, *answer.reference_files)
    }
    return tuple(file.replace(role=roles.get(file.path) or file.role) for file in files)


def _known(items: Iterable[str]) -> list[str]:
    return [item for item in items if not is_unknown(item)]


def unsourced_lines(text: str, transcript: Path, root: Path) -> list[int]:
    """Lines of a recovery text with statements that lack a valid citation and are not marked.

    Raises `FormatError` if it has no section of a recovery text, `OSError` if the transcript cannot be read.
    """
    checked = CheckedText(text)
    draft = draft_recovery(read_facts(transcript), root)
    drafted = {*draft.decisions, *draft.constraints, *draft.known_issues}
    check = Checked(transcript, text)
    unsourced = (
        checked.line(title, item)
        for title in ("Decisions", "Constraints", "Known Issues")
        for item in checked.items(title)
        if item not in drafted and not item.endswith(NO_SOURCE) and check.sourced(item).endswith(NO_SOURCE)
    )
    return [line for line in unsourced if line]


class Reworded(NamedTuple):
    """The review of a capture, from the facts or worded by the model."""

    memory: MemoryFile
    summary: str
    problem: str = ""
    """Why the model was not used, in one clause; "" if it was."""


def review_by_claude(
    capture: Capture,
    memory: MemoryFile,
    summary: str,
    facts: Facts,
    places: Places,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> Reworded:
    """Let ``claude -p`` improve what was made from facts; it sees the conversation up to the compaction."""
    material = {"draft": f"Summary: {summary}\n\n{render_memory(memory)}"}
    transcript = _transcript_of(capture, places)
    try:
        text, answer, check = _asked(
            ask.MEMORY,
            lambda text: parse_memory(text[text.index("# Memory:") :]),
            facts,
            material,
            transcript,
            cancelled,
        )
    except EngineError as error:
        return Reworded(memory, summary, str(error))
    files = [each if check.is_seen(each) else f"{each} ({UNSEEN})" for each in answer.key_files]
    certain = _LEVEL.match(answer.confidence)
    better = memory.replace(
        title=check.plain(answer.title, _TITLE) or memory.title,
        goal=check.item(answer.goal, _TEXT) or memory.goal,
        learnings=check.items(answer.learnings, memory.learnings),
        questions=check.items(answer.questions, memory.questions),
        confidence=check.plain(answer.confidence, _LINE) if certain else memory.confidence,
        key_files=tuple(dict.fromkeys((*files, *memory.key_files))),
    )
    said = check.plain(text.partition("# Memory:")[0].partition("Summary:")[2], _TEXT)
    return Reworded(better, said or summary)


def cited_review(memory: MemoryFile, text: str, capture: Capture, places: Places) -> MemoryFile:
    """A model's memory file with its valid citations; statements without one end with ``(no source)``."""
    check = Checked(_transcript_of(capture, places), text)
    drafted = draft_memory(capture_facts(capture, places)[0])
    own = {*drafted.learnings, *drafted.questions}
    return memory.replace(
        learnings=tuple(each if each in own else check.sourced(each) for each in memory.learnings),
        questions=tuple(each if each in own else check.sourced(each) for each in memory.questions),
    )


def _transcript_of(capture: Capture, places: Places) -> Path | None:
    """The capture's transcript; None if it is gone: then the facts are the capture's own."""
    with suppress(FileProblem):
        return captured_transcript(places, capture.transcript)
    return None


def update_by_claude(
    places: Places, *, transcript: Path, cancelled: Callable[[], bool] = lambda: False
) -> tuple[StoredState | None, str]:
    """Write the next version of a session's state, worded by ``claude -p``, or from facts if that fails.

    Returns it, None if there was nothing new, and why the model was not used, in a clause.
    """
    asked: tuple[SessionState, Checked, int] | None = None
    problem = ""

    def improve(draft: SessionState, previous: SessionState | None, facts: Facts) -> SessionState:
        """Asks once: if another program writes a version meanwhile, the answer goes into the next one."""
        nonlocal asked, problem
        if asked is None and not problem:
            before = render_session_state(previous) if previous is not None else "none"
            material = {"draft": render_session_state(draft), "previous version": before}
            try:
                _, answer, check = _asked(
                    ask.STATE, parse_session_state, facts, material, transcript, cancelled
                )
                asked = answer, check, facts.lines
            except EngineError as error:
                problem = str(error)
        if asked is None:
            return draft
        answer, check, lines = asked
        if facts.lines != lines:  # the session went on: what it is at now is no longer known to the model
            tasks = (task for task in flat(answer.tasks) if task.kind is not TaskKind.IN_PROGRESS)
            answer = answer.replace(identity=Identity(), dynamics=Dynamics(), tasks=tuple(tasks))
        return _better_state(draft, answer, check)

    return update_state(places, transcript=transcript, improve=improve), problem


def _better_state(draft: SessionState, answer: SessionState, check: Checked) -> SessionState:
    """A draft with the model's goal, its new tasks and decisions, and how the talk goes; facts stay."""
    known = {each.text for each in draft.decisions}
    worded = check.items([each.text for each in answer.decisions], known)
    kinds = {check.item(each.text): each.kind for each in answer.decisions}
    new = [text for text in worded if text not in known and text in kinds]
    drafted = {task_key(task.text) for task in flat(draft.tasks)}
    tasks: dict[str, Task] = {}
    for task in flat(answer.tasks):
        text = check.item(task.text)
        keys = {task_key(task.text), task_key(text)}
        if task.kind not in _RECORDED and not count_of(task) and not keys & drafted:
            tasks.setdefault(task_key(text), Task(kind=task.kind, text=text))
    goal = answer.identity.goal
    names = ("language", "style", "phase", "last_intent")
    values = {name: check.plain(getattr(answer.dynamics, name), _FIELD) for name in names}
    return draft.replace(
        identity=draft.identity.replace(
            goal=goal if goal in ("", draft.identity.goal) else check.item(goal, _TEXT)
        ),
        tasks=(*draft.tasks, *list(tasks.values())[:MOST_TASKS]),
        decisions=(*draft.decisions, *(Decision(kind=kinds[text], text=text) for text in new)),
        dynamics=draft.dynamics.replace(**{name: value for name, value in values.items() if value}),
    )
