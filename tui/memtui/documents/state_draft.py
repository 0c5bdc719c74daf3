"""The session state document as drafted from facts, and brought up to date by them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.documents import events, quotes, work
from memtui.documents.events import action_event, check_event, error_event
from memtui.documents.quotes import TICKED, last_request, user_requests, with_source
from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
)
from memtui.documents.work import awaited_plan, goal, open_steps, unfinished_turn
from memtui.ground.project import Project
from memtui.ground.text import counted
from memtui.transcript.checks import SENTENCE, is_check, last_check, package_changes, worth_telling
from memtui.transcript.files import IN_PROGRAM, moved_to, path_now
from memtui.transcript.paths import Kind, project_of, role_of, shown_path
from memtui.transcript.plans import was_done
from memtui.transcript.records import Facts, FileFact, is_after
from memtui.transcript.shell import SHELL_TOOLS, programs_run
from memtui.transcript.short_text import brief, capitalised, key_of, one_line, shortened, telling_line


def grouped(paths: Iterable[str], limit: int) -> str:
    """Paths in one line: ``src/{a.py, b.py}, README.md``, folders in order of appearance.

    Beyond `limit` characters the remaining files are counted.
    """
    folders: dict[str, list[str]] = {}
    left = 0
    for path in dict.fromkeys(paths):
        folder, slash, name = path.rpartition("/")
        names = folders.setdefault(folder + slash, [])
        limit -= len(name) + 2 + (0 if names else len(folder + slash))
        if limit >= 0:
            names.append(name)
        else:
            left += 1
    parts = [
        f"{folder}{{{', '.join(names)}}}" if folder and len(names) > 1 else folder + ", ".join(names)
        for folder, names in folders.items()
        if names
    ]
    return ", ".join([*parts, *([f"and {left} more"] if left else [])])


_LEAST = 3  # minimum number of letters for a script to count
_LANGUAGES = {"HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean", "CJK": "Chinese"}
_SHARES = {"Japanese": 0.05, "Korean": 0.05, "Chinese": 0.1}
"""The share of letters that identifies a language; Chinese is last, as the others use its signs, too."""
_NAMED = re.compile(r"`[^`]*`|\[pasted at L\d[^\]]*\]|https?://\S+|(?<![\w.@-])/?(?:[\w.@-]+/)+[\w.@-]*")
"""Code, pasted blocks, addresses and paths, which are in no language of the user's."""
PHASES = ("planning (permission mode plan", "planning (no answer to the plan")
"""Beginnings of phases that earlier versions drafted."""


def dynamics(facts: Facts) -> Dynamics:
    refused = sum(turn.kind == "rejection" for turn in facts.turns)
    asked = dict.fromkeys([*filter(None, [last_request(facts)]), *user_requests(facts)[:1]])
    stopped = sum(turn.end == "interrupted" for turn in facts.turns)
    numbers = (
        f"refused {counted(refused, 'step')} with words" if refused else "",
        f"interrupted {counted(stopped, 'turn')}" if stopped else "",
    )
    return Dynamics(
        language=language(facts),
        style="; ".join(filter(None, numbers)),
        last_intent="; ".join(ask.quoted(quotes.label_of(facts, ask)) for ask in asked),
    )


def language(facts: Facts) -> str:
    """The language of the user's own words if the script identifies it; "" if not."""
    words = _NAMED.sub("", "\n".join(ask.text for ask in user_requests(facts)))
    scripts = (unicodedata.name(each, "").partition(" ")[0] for each in words if each.isalpha())
    found = Counter(_LANGUAGES.get(script, "") for script in scripts)
    shares = ((name, share * found.total()) for name, share in _SHARES.items())
    return next((name for name, share in shares if found[name] >= max(_LEAST, share)), "")


_OURS = re.compile(r"(?:Last asked|Claude said last)(?: \(L[^)]*\))?:")
"""Lines that earlier versions generated; other lines are a person's."""
NO_BLOCKER, _BLOCKER = "None on record", 160


def task_key(text: str) -> str:
    """Key by which two wordings of a task are equal, regardless of their source lines."""
    return key_of(quotes.without_source(text))


def is_ours(task: Task) -> bool:
    """Whether a line was generated for an earlier version, not written by a person."""
    return task.kind in (TaskKind.SUB, TaskKind.NOTE) and _OURS.match(task.text) is not None


def task_tree(facts: Facts) -> tuple[Task, ...]:
    tasks, plan = [*work.open_tasks(facts), *open_steps(facts)], awaited_plan(facts)
    doing = [task.line for task in tasks if task.state == "doing"]
    if not doing and (ask := work.open_request(facts)):
        doing = [with_source(ask.with_purpose, ask.source)]
    coming = [task.line for task in tasks if task.state == "due"] + ([work.waiting(plan)] if plan else [])
    tree = [Task(kind=TaskKind.DONE, text=text) for text in done_tasks(facts)]
    if doing:
        why = Task(kind=TaskKind.BLOCKER, text=blocker(facts) or NO_BLOCKER)
        tree.append(Task(kind=TaskKind.IN_PROGRESS, text=doing[0], children=(why,)))
    tree += [Task(kind=TaskKind.OPEN, text=text) for text in doing[1:]]
    kinds = (TaskKind.NEXT, *(TaskKind.LATER for _ in coming))
    tree += [Task(kind=kind, text=text) for kind, text in zip(kinds, coming, strict=False)]
    tree += [Task(kind=TaskKind.NOTE, text=gone)] if (gone := work.dropped(facts)) else []
    return tuple(tree)


def done_tasks(facts: Facts) -> list[str]:
    """Finished tasks: ticked items; without a list the commits, all of which stand in the technical state."""
    if listed := work.listed_tasks(facts):
        listed = (*work.since_asked(facts, facts.past_todos), *listed)
        return [with_source(brief(todo.content), todo.source, by=TICKED) for todo in listed if was_done(todo)]
    commits = (mark for mark in events.standing(facts) if mark.kind == "commit")
    return [with_source(f"{brief(mark.text)} (committed)", mark.source) for mark in commits]


def blocker(facts: Facts) -> str:
    """The blocker on record, "" for none."""
    if question := work.unanswered(facts):
        return question
    if stopped := work.stopped(facts) or work.halted(facts) or events.pasted_failure(facts):
        return stopped
    last = facts.last_action
    if unfinished_turn(facts) is None or last is None or last.outcome != "failed":
        return ""
    return with_source(brief(telling_line(last.result), _BLOCKER), last.source)


_FILES = 6_000  # maximum length of the list of modified files, in characters
_SHELL_FILES = 600
_READ_FILES = 1_000
_RECENT, _COMMANDS = 3, 8
_COMMITS = 20
_GONE = 10


def working_context(facts: Facts, root: Path) -> WorkingContext:
    """The volatile state at the end of the facts."""
    state = list(_technical(facts, root))
    # It is not the last where Claude's own tools failed since; what was settled, or a lookup, is none.
    failed = [each for each in events.failures(facts) if each.tool not in SHELL_TOOLS or worth_telling(each)]
    newest = events.last_errors(facts, 1)
    again = events.ran_again(facts, newest[0]) if newest else ""
    # One program alone says too little: `terraform apply dev` settles no `terraform apply prod`.
    several = newest and not is_check(newest[0].target) and len(programs_run(newest[0].target)) > 1
    settled = events.SETTLED in again or (several and again.startswith(", `"))
    last = [error for error in failed[-1:] if error in newest and not settled]
    error, check = error_event(facts, last[0], root) if last else "", last_check(facts)
    if check and check.outcome == "failed" and not (last and is_after(last[0].source, check.source)):
        error = events.check_line(facts, check)
    packages = package_changes(facts)
    return WorkingContext(
        files_modified=grouped(
            (shown_path(file.path, root) for file in facts.modified_files if not file.fate), _FILES
        ),
        last_compile=check_event(facts, lints=False),
        last_error=error,
        technical_state="\n".join(f"- {line}" for line in state) if len(state) > 1 else "".join(state),
        dependencies=shortened(", ".join(with_source(*each) for each in packages.items()), SENTENCE * 2),
    )


def _technical(facts: Facts, root: Path) -> Iterator[str]:
    """The most important line first: the last ones are dropped if there is no room."""
    if plan := awaited_plan(facts):
        yield capitalised(work.waiting(plan))
    if action := facts.last_action:
        yield f"Last action: {action_event(facts, action, root)}"
    yield from filter(None, ["; ".join(work.procedure(facts))])
    yield from _recorded(facts)
    if gone := gone_files(facts.modified_files, root):
        yield f"Not as edited any more: {gone}"
    if facts.cwd and Path(facts.cwd) != root:
        yield f"Working folder: {facts.cwd}"
    for label, fate in (("Files written by commands", ""), ("Files named in programs that ran", IN_PROGRAM)):
        files = (file.path for file in facts.shell_files if file.fate == fate)
        if written := _listed(files, root, _SHELL_FILES):
            yield f"{label}: {written}"
    others = (f for f in (*facts.shell_files, *facts.read_files) if f.fate not in ("", IN_PROGRAM))
    if removed := gone_files(others, root):
        yield f"Deleted or moved by commands: {removed}"
    if missing := events.missing_work(facts):
        yield missing
    # The last ones: the first files read are often irrelevant in the end.
    if read := _listed(map(path_now, reversed(facts.read_files)), root, _READ_FILES):
        yield f"Files read: {read}"
    yield from _session(facts)


def _session(facts: Facts) -> Iterator[str]:
    yield from events.compacted(facts)
    if facts.session_id:
        yield f"Claude Code session: {facts.session_id}"


def _is_lasting(path: str, root: Path) -> bool:
    """Whether a file is likely to persist: no scratch file, no tool output."""
    return role_of(path, str(root)).kind is not Kind.SCRATCH


def _listed(paths: Iterable[str], root: Path, limit: int) -> str:
    """The lasting ones of these files in one line."""
    return grouped((shown_path(path, root) for path in paths if _is_lasting(path, root)), limit)


def gone_files(files: Iterable[FileFact], root: Path) -> str:
    """The last files that have a fate, with it: ``a.py (deleted), b.py (moved to c.py)``; "" for none."""
    left = (file for file in files if file.fate)
    gone = [file for file in left if _is_lasting(file.path, root)][-_GONE:]
    named = ((shown_path(file.path, root), moved_to(file.fate), file.fate) for file in gone)
    return ", ".join(
        f"{path} ({f'moved to {shown_path(to, root)}' if to else fate})" for path, to, fate in named
    )


def _recorded(facts: Facts) -> Iterator[str]:
    commits = [mark for mark in events.standing(facts) if mark.kind == "commit"]
    if recent := [
        with_source(f"{events.id_of(mark)} {one_line(mark.text)}".lstrip(), mark.source)
        for mark in commits[-_COMMITS:]
    ]:
        more = f" (and {len(commits) - len(recent)} before)" if len(commits) > len(recent) else ""
        yield f"Commits: {'; '.join(recent)}{more}"
    yield from events.repository(facts)
    pulls = [with_source(mark.text, mark.source) for mark in facts.landmarks if mark.kind == "pull request"]
    if pulls:
        yield f"Pull requests: {', '.join(pulls[-_RECENT:])}"
    if seen := events.seen_addresses(facts):
        yield f"{events.SEEN}: {', '.join(seen)}"
    if ran := list(events.commands_run(facts, _COMMANDS)):
        yield f"{events.COMMANDS_RUN}: {'; '.join(ran)}"


def raw_state(facts: Facts, project: Project) -> SessionState:
    """All sections at full length: every task, all quotes, every decision on record.

    A sentence becomes a decision when a person or a model puts it there.
    """
    decided, name = work.recorded_decisions(facts), project_of(str(project.root))
    return SessionState(
        identity=Identity(
            project=f"{name} ({project.root})", branch=work.branch_named(facts), goal=goal(facts)
        ),
        tasks=task_tree(facts),
        decisions=tuple(
            Decision(text=with_source(f"{each.decision} ({each.reason})", each.source)) for each in decided
        ),
        working=working_context(facts, project.root),
        dynamics=dynamics(facts),
        extra=quotes.quotes_section(facts),
    )
