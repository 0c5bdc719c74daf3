"""The lines of a conversation that its compaction may lose: quotes, each with its kind, place and state.

They come from everything before the boundary, not only from what followed the compaction before. What a later
record overtakes is no candidate: a failure that went well later, a task that is done, a removed file, a
replaced commit, what the person said again. Nor are announcements, questions, drawings and temporary paths.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memtui.documents.work import open_steps, plan_in_force
from memtui.lost.conversation import ITEM, RECENT, Conversation, placed, plan_lines, spoken, unwritten
from memtui.lost.records import PLAN, QUOTE, Kind, Row, Standing
from memtui.secrets.secrets import masked
from memtui.transcript.checks import (
    all_commands,
    bare_command,
    is_check,
    is_lookup,
    selected_tests,
    worth_telling,
)
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import OPEN
from memtui.transcript.records import Command, CompactionFact, Facts, Source
from memtui.transcript.sentences import is_question, is_rule
from memtui.transcript.shell import TEST_RUNNERS, programs_run
from memtui.transcript.short_text import one_line, shortened, telling_line
from memtui.transcript.text import COMMAND, IDENTIFIER, commands_in, words

MOST = 400
"""The most candidates of a compaction, the ones of most worth."""
_TEMPORARY = re.compile(
    r"(?:^|[\s`\"'(=])/(?:private/)?(?:tmp|var/folders|dev/shm)/|\[masked: |\bpids?\W{1,3}\d", re.I
)
# Blanks alone before them: \s* would read a run of empty lines again from each of its lines.
_SECTION = re.compile(r"^[ \t]*(\d{1,2})\.\s+\S.*?:?\s*$", re.MULTILINE)
_CLAUSE = re.compile(r"[,.;:\n`]\s*(?:and )?|(?:^|\s)(?:Run|run:) ")
_THEN = re.compile(r"&&|;")
_PLACE = re.compile(r"(?<=\s)[\w.@-]*/[\w/.@-]*\w|[\w-]+\.[a-z]{1,4}(?=$|[\s:\"'])")
"""A path or file, but not all of them: ``./...``."""
_BUILDS = re.compile(r"[\w ]*\b(?:build|compile)\b[^&;|]*")
_QUERY = re.compile(r"\bcurl\b|\b(?:psql|sqlite3|mysql)\b|\bkubectl\b|\bdocker (?:exec|compose)\b")
"""A command that asks something of data or of a service, which takes a while to get right."""
_FILTERED = re.compile(r"\| *jq\b|^gh api\b")
_WRITES = re.compile(
    r"\b(?:curl|gh api)\b.*\s(?:-[fFd]|--(?:raw-field|field|input|data[\w-]*)"
    r"|(?:-X ?|--(?:method|request)[ =])(?!GET)\w+)\b"
)
"""A query that sends something, which is not to be done twice."""
_VARIES = re.compile(r"\b(?=\w*\d)[\w-]+\b")
"""What differs between the runs of one form of a query: ids."""
_STALE = frozenset({"8", "9"})
"""Sections of Claude Code's summaries on the work of that moment: current work, optional next step."""
_SUMMARY = re.compile(r"^[ \t]*(?:<summary>|Summary:)[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(r'["“]([^"“”]*)["”](?: \((.*)\)\.?)?')
"""A quote, and the remark behind it."""
_REQUEST, _ASKS, _PENDING = "1", "6", "7"


def candidates(transcript: Path, facts: Facts, before: CompactionFact | None, root: Path) -> list[Row]:
    """The candidates of a compaction, or of a transcript's end without one, in the order of their lines.

    `facts` are those up to it, `root` is the folder that paths are relative to.
    """
    end = before.source.line if before else facts.lines + 1
    conversation = Conversation()
    found = [*spoken(conversation, transcript, before.source.offset if before else None)]
    listed = max((todo.source.line for todo in facts.todos if todo.status in OPEN), default=0)
    # Open tasks tell what is due of a plan file that was read before, except its boxes.
    found = [
        each for each in found if each.target != PLAN or each.standing == "open" or each.source.line > listed
    ]
    said = {word.strip("*`.,()") for each in found if each.kind == "name" for word in each.text.split()}
    for each in _of_records(facts, conversation, end, root):
        if each.kind != "name" or each.text.removeprefix("pull request: ") not in said:
            found.append(each)
    found += _summarised(facts, end)
    ran = {
        part: run.source.line
        for run in all_commands(facts)
        if run.outcome == "ok" and is_check(run.text)
        for part in _parts(bare_command(run.text))
    }
    found = [each for each in found if each.target != PLAN or not _only_runs(each, ran)]
    kept = _once(
        each
        for each in found
        if words(each.text)
        and not _TEMPORARY.search(each.text)
        # Questions that were answered, or stand in an earlier summary.
        and not (each.kind == "ask" and each.standing == "spent" and is_question(each.text))
    )
    return sorted(kept, key=lambda each: each.source.line)


def _once(found: Iterable[Row]) -> list[Row]:
    """Each text once, where it stood last; it keeps the weightier kind."""
    last: dict[str, Row] = {}
    for each in found:
        key = "".join(each.text.casefold().split()).strip('"“”')
        known = last.pop(key, each)
        if known.kind in ("rule", "refused", "task", "step") and each.kind != known.kind:
            each = known
        # What a summary says of a quote is less than what was said before it.
        about = known.about or each.about if each.earlier else each.about or known.about
        last[key] = replace(each, about=about)
    return list(last.values())


def _of_records(facts: Facts, conversation: Conversation, end: int, root: Path) -> Iterator[Row]:
    for answer in facts.answers:
        decided, line = f"{answer.question}\n{answer.answer}", answer.source.line
        if line in conversation.begun or conversation.names_later(decided, line):
            continue  # it was about how to go on, or its subject came up again
        about = shortened(one_line(answer.question), 160)
        yield Row("answer", shortened(one_line(answer.answer), QUOTE), answer.source, about=about)
    for todo in facts.todos:
        if todo.status in OPEN:
            checked = any(map(is_check, _CLAUSE.split(todo.details)))
            told = f"{todo.content}: {todo.details}" if checked else todo.content
            yield Row("task", shortened(one_line(masked(told)), QUOTE), todo.source, "open")
            if todo.details and not checked:
                yield Row("step", shortened(one_line(masked(todo.details)), QUOTE), todo.source, "open", PLAN)
    for work in open_steps(facts):
        yield Row("step", work.text, work.source, "open")
    yield from _commands(facts)
    yield from _failures(facts)
    yield from _names(facts, conversation.pushed, root)
    yield from _planned(facts, conversation)
    yield from _files(facts, end, root)


def _names(facts: Facts, pushed: Row | None, root: Path) -> Iterator[Row]:
    """Where the work stands: branch, last push and what was committed since, pull requests, tags."""
    if pushed:
        yield pushed
    marks = [each for each in facts.landmarks if not each.superseded]
    commits = [each for each in marks if each.kind == "commit"]
    if pushed and commits and commits[-1].commit and commits[-1].commit in pushed.text:
        commits = []
    for mark in [*commits[-1:], *(each for each in marks if each.kind != "commit")][-8:]:
        label = f"{mark.kind} {mark.commit}".strip()
        yield Row("name", shortened(f"{label}: {mark.text}", QUOTE), mark.source)
    files = [shown_path(file.path, root) for file in facts.modified_files]
    elsewhere = files and all(path.startswith(("/", "~")) for path in files)  # of another repository
    named = pushed.text.split() if pushed else ()
    if facts.branch not in ("", "HEAD", "main", "master", *named) and not elsewhere:
        yield Row("name", f"branch {facts.branch}", Source())


def _planned(facts: Facts, conversation: Conversation) -> Iterator[Row]:
    """Lines of the plan in force: its steps, checks and limits, which summaries seldom repeat."""
    plan = plan_in_force(facts)
    tasks = facts.todos or facts.past_todos
    if plan is not None and (not tasks or any(todo.status in OPEN for todo in tasks)):
        if plan.path:
            yield Row("step", f"the approved plan: {plan.path}", plan.source, "open", target=PLAN)
        written = conversation.written_after(plan.source.line)
        yield from unwritten(plan.content, plan.source, written)
        runs = {*commands_in(plan.content)}
        for row in placed(plan_lines(plan.content, plan.source, written), plan.content):
            yield replace(row, standing="open") if row.text in runs else row


def _files(facts: Facts, end: int, root: Path) -> Iterator[Row]:
    for file in facts.modified_files:
        path = shown_path(file.path, root)
        if not file.fate and file.source.line < end and not path.startswith(("/", "~")):
            source = file.last if file.last.line else file.source
            yield Row("file", path, source, target=file.path, times=file.times)


def _commands(facts: Facts) -> Iterator[Row]:
    """Checks, queries and repeated commands whose last run went well."""
    last: dict[str, tuple[str, Command]] = {}
    times = Counter[str]()
    for command in all_commands(facts):
        text = bare_command(command.text)
        times[_form(text)] += command.outcome == "ok"
        last.pop(_form(text), None)
        last[_form(text)] = text, command
    kept = {text: command for form, (text, command) in last.items() if _lasts(text, command, times[form])}
    whole = [
        command.source.line
        for text, command in kept.items()
        if is_check(text) and ("test" in text or programs_run(text) & TEST_RUNNERS) and not _is_part(text)
    ]
    kept = {
        text: command
        for text, command in kept.items()
        if command.source.line >= max(whole, default=0) or not _is_part(text)
    }
    alone = {part for text in kept for part in _parts(text)}
    parts = {text: frozenset(_widest(part, alone) for part in _parts(text)) for text in kept}
    having: defaultdict[str, set[str]] = defaultdict(set)
    for text, own in parts.items():
        for part in own:
            having[part].add(text)
    for text, command in kept.items():
        others = set.intersection(*(having[part] for part in parts[text])) - {text}
        if not any(parts[text] < parts[each] or len(each) < len(text) for each in others):
            kind: Kind = "check" if is_check(command.text) else "command"
            yield Row(kind, text, command.source, "unknown", text, times[_form(text)])


def _form(command: str) -> str:
    """A command; of a query that is filtered only what its runs have in common."""
    return _VARIES.sub("", command) if _FILTERED.search(command) else command


def _only_runs(step: Row, ran: Mapping[str, int]) -> bool:
    """Whether all commands that a step of a plan quotes are checks that went well since."""
    quoted = COMMAND.findall(step.text)
    return bool(quoted) and all(ran.get(each.strip("`"), 0) > step.source.line for each in quoted)


def _parts(command: str) -> list[str]:
    return [part.strip() for part in _THEN.split(command)]


def _widest(part: str, alone: set[str]) -> str:
    """The shortest command that a part of another goes on from: ``make test`` of ``make test web``."""
    words = part.split()
    begins = (" ".join(words[:number]) for number in range(1, len(words)))
    return next((each for each in begins if each in alone), part)


def _is_part(command: str) -> bool:
    """Whether a command only checks some files or tests, or only builds: later tests of all cover it."""
    if not all(map(is_check, _parts(command))):
        return False
    narrow = " | " in command or _PLACE.search(command) or selected_tests(command)
    return bool(narrow or _BUILDS.fullmatch(command))


def _lasts(text: str, command: Command, times: int) -> bool:
    """Whether a command may be worth knowing later: a check, or one that was repeated or asks something."""
    if command.outcome != "ok" or len(text) > QUOTE:
        return False
    did = not is_lookup(text) and ((times > 1 and not text.startswith("git ")) or _QUERY.search(text))
    did = did or (times > 1 and _FILTERED.search(text))
    return bool(did and not _WRITES.search(text)) or is_check(command.text)


def _failures(facts: Facts) -> Iterator[Row]:
    """The last failures without a later success of the same kind."""
    passed = {
        bare_command(command.text): command.source.line
        for command in all_commands(facts)
        if command.outcome == "ok"
    }
    programs = {" ".join(text.split()[:2]): line for text, line in passed.items()}
    given = [(frozenset(text.split()[2:]), line) for text, line in passed.items()]
    for error in facts.errors[-12:]:
        text = bare_command(error.target)
        words = frozenset(text.split()[2:])
        # What `go build` failed on, `go vet` may have found sound.
        ways = (line for own, line in given if words and words <= own)
        later = max(passed.get(text, 0), programs.get(" ".join(text.split()[:2]), 0), *ways)
        recent = error.source.line > RECENT * facts.lines
        if recent and worth_telling(error) and later < error.source.line:
            message = one_line(telling_line(error.message))
            yield Row("failure", shortened(f"{shortened(text, 120)}: {message}", QUOTE), error.source, "open")


def _summarised(facts: Facts, end: int) -> Iterator[Row]:
    """Lines of earlier summaries that another summary may drop; not those on the work of that moment."""
    listed = max((each.source.line for each in (*facts.todos, *facts.past_todos)), default=0)
    for number, compaction in enumerate(facts.compactions, 1):
        if compaction.source.line >= end or not compaction.summary:
            continue
        source = compaction.summary_source if compaction.summary_source.line else compaction.source
        for section, text in _sections(compaction.summary):
            if section in _STALE:
                continue
            for item in map(one_line, ITEM.findall(text.replace("**", ""))):
                quoted = _QUOTED.fullmatch(item)
                line, about = quoted.groups("") if quoted else (item.strip('"“”'), "")
                kind: Kind = "ask" if section == _ASKS else "finding"
                if is_rule(line) and section in (_REQUEST, _ASKS):
                    kind = "rule"
                elif section == _PENDING:
                    if listed > source.line:  # a list of tasks that was kept since tells more
                        continue
                    kind = "task"
                says = kind != "ask" or len(words(line)) > 3  # no mere yes
                if says and (IDENTIFIER.search(line) or kind != "finding"):
                    over: Standing = "spent" if kind == "ask" else "unknown"
                    yield Row(kind, shortened(line, QUOTE), source, over, earlier=number, about=about[:160])


def _sections(summary: str) -> Iterator[tuple[str, str]]:
    summary = _SUMMARY.split(summary)[-1]  # not its analysis, which has numbers, too
    marks: Sequence[re.Match[str]] = [*_SECTION.finditer(summary)]
    for at, mark in enumerate(marks):
        yield mark[1], summary[mark.end() : marks[at + 1].start() if at + 1 < len(marks) else len(summary)]
