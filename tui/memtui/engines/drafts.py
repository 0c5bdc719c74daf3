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
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from memtui.documents.capture import Capture
from memtui.documents.checklist import CheckedText, Verdict, check_recovery
from memtui.documents.compactor import MOST_TASKS, count_of, flat
from memtui.documents.memory_file import MemoryFile, draft_memory, parse_memory, render_memory
from memtui.documents.recovery import (
    Recovery,
    RoleFile,
    draft_recovery,
    is_unknown,
    parse_recovery,
    render_recovery,
)
from memtui.documents.session_state import (
    Decision,
    SessionState,
    Task,
    TaskKind,
    parse_session_state,
    render_session_state,
    task_key,
)
from memtui.engines.ask import (
    CLOSING,
    MEMORY,
    OPENING,
    RECOVERY,
    STATE,
    Engine,
    EngineError,
    ask,
    conversation,
    prompt_for,
)
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

_ITEMS, _FILES = 25, 12
"""The most items, and files, that a model may add to a list."""
_LINE, _TEXT, _TITLE, _FIELD = 320, 600, 120, 200
"""Maximum lengths of an item, a text, a title and a field, in characters."""
_CONVERSATION = 120_000
"""Length of the conversation shown to the model in characters: some 30,000 tokens."""

_OPEN, _CLOSE = "\"“”„«「『'", "\"“”»」』'"
_CITATION = re.compile(
    rf"[ \t]*[(\[（]L(?P<line>\d{{1,9}})(?:[ ,:;：]+[{_OPEN}](?P<words>[^\n]{{1,600}}?)[{_CLOSE}])?[)\]）]"
)
_SOURCES = re.compile(r"(?: \((?:L\d{1,9}(?: \d\d:\d\d)?|no source)\)){1,9}$")
_PATH = re.compile(
    r"(?<![\w/.:@~-])(?:~|\.{1,2})?/?(?:[A-Za-z0-9_.@+-]{1,100}/){1,40}[A-Za-z0-9_.@+-]{1,100}?"
    rf"\.[A-Za-z]\w{{0,7}}\b(?![/-])(?! \({UNSEEN}\))"
)
_LEAST = 4
"""Minimum length of a meaningful quotation, in letters."""
_LEVEL = re.compile(r"\W*(?:high|medium|low)\b", re.IGNORECASE)
_FENCE = re.compile(r"\A`{3,}[a-z]*\n(.*?)\n`{3,}\s*\Z", re.DOTALL)

Parsed = TypeVar("Parsed")


class Checked:
    """A model's statements: cited lines are checked, and files that were never seen are marked.

    Args:
        transcript: the session's; without one, or if it cannot be read, no citation is valid.
        answer: the model's whole answer.
        shown: the whole prompt, which names what the model has seen.
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
            if sum(map(str.isalnum, quoted)) >= _LEAST and quoted in self._lines.get(int(match["line"]), ""):
                held.append(match[0])
                return f" (L{match['line']})"
            return ""

        statement = _CITATION.sub(check, text.replace(NO_SOURCE, "")).strip()
        return statement if held or not statement else f"{statement} {NO_SOURCE}"

    def is_seen(self, path: str) -> bool:
        """Whether the prompt names a file."""
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
            own.get(_bare(text)) or self.item(text)
            for text in list(said)[:_ITEMS]
            if any(map(str.isalnum, text))
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
    """All strings in a record, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _asked(
    words: tuple[str, str, str],
    beginning: str,
    parse: Callable[[str], Parsed],
    facts: Facts,
    material: Mapping[str, str],
    transcript: Path | None,
    cancelled: Callable[[], bool],
    until: datetime | None = None,
) -> tuple[str, Parsed, Checked]:
    """The model's document, cleaned and without secrets, the same read, and what checks it.

    Args:
        words: see `prompt_for`.
        beginning: the beginning of the document's first line.
        parse: reads the document.
        facts: those of the transcript, up to `until`.
        material: see `prompt_for`; the conversation follows it.
        transcript: the source of the facts; None if it was deleted.
        cancelled: whether to stop waiting; polled.
        until: see `conversation`.

    Raises:
        EngineError: there is no answer, or it is no such document, or is cut off.
    """
    said = "(the transcript is gone)"
    if transcript is not None:
        try:
            said = conversation(transcript, _CONVERSATION, until=until)
        except OSError:
            said = "(the transcript cannot be read)"
    prompt = prompt_for(words, facts, {**material, "conversation": said})
    answer = ask(prompt, cancelled)
    text = masked(clean(answer))
    _, opened, rest = text.partition(OPENING)
    if opened:
        text, closed, _ = rest.rpartition(CLOSING)
        if not closed:
            raise EngineError("claude's answer is cut off")
    text = text.strip()
    if fenced := _FENCE.match(text):
        text = fenced[1]
    if not re.search(rf"^{re.escape(beginning)}", text, re.MULTILINE):
        raise EngineError("claude's answer holds no document of the kind asked for")
    try:
        return text, parse(text), Checked(transcript, answer, prompt)
    except FormatError as error:
        raise EngineError(f"claude's answer cannot be read: {error}") from error


def compact_by_claude(
    compacted: Compacted, *, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Compacted, str]:
    """Let ``claude -p`` improve the draft of a recovery text.

    Args:
        compacted: a draft with its facts.
        cancelled: polled while waiting.

    Returns:
        The improved text, and ""; or the unchanged draft, and the reason in one clause.
    """
    facts = compacted.facts
    assert facts is not None
    try:
        text, answer, check = _asked(
            RECOVERY, "## Session ID", parse_recovery,
            facts, {"draft": compacted.text}, compacted.transcript, cancelled,
        )  # fmt: skip
        if not answer.objective or "\n## Notes" not in text:
            raise EngineError("claude's answer is incomplete")
        better = render_recovery(_better_recovery(parse_recovery(compacted.text), answer, check))
        if failed := _failed(better) - _failed(compacted.text):
            raise EngineError(f"claude's answer fails the checklist: {min(failed)}")
    except EngineError as error:
        return compacted, str(error)
    return replace(compacted, text=better, engine=Engine.CLAUDE), ""


def _failed(text: str) -> set[str]:
    return {point.name for point in check_recovery(text) if point.verdict is Verdict.FAIL}


def _better_recovery(draft: Recovery, answer: Recovery, check: Checked) -> Recovery:
    """The draft with the model's wording: session, root, plan, files and last action are the draft's."""
    names = ("decisions", "constraints", "dependencies", "known_issues", "changes", "pending")
    lists = {name: check.items(_known(getattr(answer, name)), getattr(draft, name)) for name in names}
    notes = check.items(_known(answer.notes.split("\n")), draft.notes.split("\n")) if answer.notes else ()
    return draft.replace(
        objective=check.item(answer.objective, _TEXT),
        working_files=_files(answer.working_files, draft, draft.working_files, check),
        reference_files=_files(answer.reference_files, draft, draft.reference_files, check),
        notes=draft.notes if answer.notes.split() == draft.notes.split() else "\n".join(notes),
        **lists,
    )


def _files(
    answer: tuple[RoleFile, ...], draft: Recovery, own: tuple[RoleFile, ...], check: Checked
) -> tuple[RoleFile, ...]:
    """The draft's files in the model's order and with its roles, then a few that only the model names."""
    drafted = [file for file in (*draft.working_files, *draft.reference_files) if not is_unknown(file.path)]
    known: dict[str, RoleFile] = {}
    more: dict[str, RoleFile] = {}
    for file in answer:
        role, name = check.plain(file.role, _FIELD), file.path.removeprefix("./")
        mine = next((each for each in drafted if f"/{each.path}".endswith(f"/{name.lstrip('/')}")), None)
        if mine is not None and mine in own:
            known[mine.path] = mine.replace(role=role or mine.role)
        elif mine is None and not is_unknown(file.path) and len(more) < _FILES:
            path = absolute(name, draft.project_root)
            marked = role if check.is_seen(name) else ", ".join(filter(None, (role, UNSEEN)))
            more[path] = RoleFile(path=path, role=marked)
    rest = [file for file in own if file.path not in known and not is_unknown(file.path)]
    return (*known.values(), *rest, *more.values()) or own


def _known(items: Iterable[str]) -> list[str]:
    return [item for item in items if not is_unknown(item)]


def unsourced_lines(text: str, transcript: Path, root: Path) -> list[int]:
    """Lines of a recovery text with statements that lack a valid citation and are not marked.

    Raises:
        FormatError: the text holds none of the sections of a recovery text.
        OSError: the transcript cannot be read.
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
    """Let ``claude -p`` improve the draft of a review.

    Args:
        capture: the capture; the model sees the conversation up to its compaction.
        memory: the memory file made from facts.
        summary: the summary made from facts.
        facts: the facts for both.
        places: no transcript outside Claude Code's folder and the archive is opened.
        cancelled: polled while waiting.
    """
    material = {"draft": f"Summary: {summary}\n\n{render_memory(memory)}"}
    transcript = _transcript_of(capture, places)
    try:
        text, answer, check = _asked(
            MEMORY, "# Memory:", lambda text: parse_memory(text[text.index("# Memory:") :]),
            facts, material, transcript, cancelled, capture.timestamp,
        )  # fmt: skip
        if not (answer.title and answer.goal and answer.confidence):
            raise EngineError("claude's answer is incomplete")
    except EngineError as error:
        return Reworded(memory, summary, str(error))
    files = [each if check.is_seen(each) else f"{each} ({UNSEEN})" for each in answer.key_files]
    certain = _LEVEL.match(answer.confidence)
    better = memory.replace(
        title=check.plain(answer.title, _TITLE),
        goal=check.item(answer.goal, _TEXT),
        learnings=check.items(answer.learnings, memory.learnings),
        questions=check.items(answer.questions, memory.questions),
        confidence=check.plain(answer.confidence, _LINE) if certain else memory.confidence,
        key_files=tuple(dict.fromkeys((*files, *memory.key_files))),
    )
    return Reworded(
        better, check.plain(text.partition("# Memory:")[0].partition("Summary:")[2], _TEXT) or summary
    )


def cited_review(memory: MemoryFile, text: str, capture: Capture, places: Places) -> MemoryFile:
    """A memory file with its valid citations; statements without one end with ``(no source)``.

    Args:
        memory: the model's memory file.
        text: its original text.
        capture: the reviewed capture.
        places: no transcript outside Claude Code's folder and the archive is opened.
    """
    check = Checked(_transcript_of(capture, places), text)
    drafted = draft_memory(capture_facts(capture, places)[0])

    def sourced(said: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each if each in own else check.sourced(each) for each in said)

    return memory.replace(
        learnings=sourced(memory.learnings, drafted.learnings),
        questions=sourced(memory.questions, drafted.questions),
    )


def _transcript_of(capture: Capture, places: Places) -> Path | None:
    """The capture's transcript; None if it is gone: then the facts are the capture's own."""
    try:
        return captured_transcript(places, capture.transcript)
    except FileProblem:
        return None


class Asked(NamedTuple):
    """The result of asking the model."""

    stored: StoredState | None = None
    """The written version; None if there was nothing new."""
    problem: str = ""
    """Why the model was not used, in one clause; "" if it was."""


def update_by_claude(
    places: Places,
    *,
    transcript: Path,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Asked:
    """Write the next version of a session's state document, worded by ``claude -p``.

    If claude is missing, slow, wrong or cancelled, the facts-only version is written.

    Args:
        places: the project and the folders.
        transcript: the session's.
        progress: see `update_state`.
        cancelled: polled while waiting.

    Raises:
        FileProblem: something of the session cannot be read or written.
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
                text, answer, check = _asked(
                    STATE, "=== SESSION STATE", parse_session_state, facts, material, transcript, cancelled
                )
                if not answer.identity.goal or "=== END STATE ===" not in text:
                    raise EngineError("claude's answer is incomplete")
                asked = answer, check, facts.lines
            except EngineError as error:
                problem = str(error)
        if asked is None:
            return draft
        answer, check, lines = asked
        return _better_state(draft, answer, check, late=facts.lines != lines)

    stored = update_state(places, transcript=transcript, progress=progress, improve=improve)
    return Asked(stored, problem)


def _better_state(draft: SessionState, answer: SessionState, check: Checked, *, late: bool) -> SessionState:
    """A draft with the model's wording of the goal, its new tasks and decisions, and how the talk goes.

    Facts on record stay. If the session has gone on since the question (`late`), goal and talk stay, too, and
    no task is in progress.
    """
    known = {each.text for each in draft.decisions}
    worded = check.items([each.text for each in answer.decisions], known)
    kinds = {check.item(each.text): each.kind for each in answer.decisions}
    new = [text for text in worded if text not in known and text in kinds]
    refused = {TaskKind.DONE, TaskKind.SUB, TaskKind.BLOCKER, TaskKind.NOTE}
    refused |= {TaskKind.IN_PROGRESS} if late else set()
    drafted = {task_key(task.text) for task in flat(draft.tasks)}
    tasks: dict[str, Task] = {}
    for task in flat(answer.tasks):
        text = check.item(task.text)
        if (
            task.kind not in refused
            and not count_of(task)
            and not {task_key(task.text), task_key(text)} & drafted
        ):
            tasks.setdefault(task_key(text), Task(kind=task.kind, text=text))
    better = draft.replace(
        tasks=(*draft.tasks, *list(tasks.values())[:MOST_TASKS]),
        decisions=(*draft.decisions, *(Decision(kind=kinds[text], text=text) for text in new)),
    )
    if late:
        return better
    if answer.identity.goal != draft.identity.goal:
        better = better.replace(identity=draft.identity.replace(goal=check.item(answer.identity.goal, _TEXT)))
    names = ("language", "style", "phase", "last_intent")
    values = {name: check.plain(getattr(answer.dynamics, name), _FIELD) for name in names}
    return better.replace(
        dynamics=draft.dynamics.replace(**{name: value for name, value in values.items() if value})
    )
