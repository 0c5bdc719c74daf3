"""What happened in a session, with its age: checks, failures, commands, commits, changed files.

`evidence` has the facts as titled groups of one-line items, for the detail pane, the review and the CLI.
Messages appear as quotes to choose from: none enters a memory automatically.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.documents import quotes
from memtui.documents.quotes import citation, user_requests, with_source
from memtui.documents.work import ONLY_CAPTURE, open_work, plan_status, recorded_decisions
from memtui.ground.text import counted
from memtui.transcript import checks, records, shell
from memtui.transcript.checks import SENTENCE, all_commands, bare_command, did_run, is_check, last_check
from memtui.transcript.landmarks import GIT, tree_exchanged
from memtui.transcript.paths import Kind, role_of, shown_path
from memtui.transcript.plans import mark_of
from memtui.transcript.records import Action, Command, ErrorFact, Facts, FileFact, Landmark, Source, is_after
from memtui.transcript.shell import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS, programs_run, shows_outcome
from memtui.transcript.short_text import GAP, capitalised, one_line, shortened, telling_line

_COMMAND, _LEAST = 120, 40  # characters
_MISSING = 5
_RECENT = 15
_CALL_WIDTH = 100
_PARTS = re.compile(r" (?:&&|;|⏎) |; ")
_TARGET = 400  # characters by which commands are compared: of one that failed, facts keep 500
TYPED = "typed by the user, exit status not on record"  # outcome of a `!` line
STARTED = "started in the background"
SETTLED = ", ok when it ran again"
HIDDEN = "exit status hidden"
"""Outcome of a command line joined by more than ``&&``, when no failure is visible."""


def failures(facts: Facts) -> list[ErrorFact]:
    """Failed calls and failures in pasted output; the latter have no tool."""
    pasted = [
        ErrorFact("", "", GAP.join(each.failed), turn.source)
        for turn in facts.turns
        for each in turn.pasted
        if each.failed
    ]
    return records.in_order((*facts.errors, *pasted)) if pasted else list(facts.errors)


def last_errors(facts: Facts, most: int) -> list[ErrorFact]:
    """The last failures of commands and of what the user pasted, newest first, if not long ago.

    Failures of other tools are left out, as no record shows whether they were made good.
    """
    old = [command.source for command in facts.commands][:-_RECENT][-1:]
    told = (each for each in reversed(failures(facts)) if not each.tool or each.tool in SHELL_TOOLS)
    near = (each for each in told if not old or is_after(each.source, old[0]))
    return list(filter(checks.worth_telling, near))[:most]


def pasted_failure(facts: Facts) -> str:
    """The newest failure if the user pasted it and no check ran since; "" otherwise."""
    last, check = failures(facts)[-1:], last_check(facts)
    if not last or last[0].tool or (check and is_after(check.source, last[0].source)):
        return ""
    return error_event(facts, last[0], None)


def error_event(facts: Facts, error: ErrorFact, root: Path | None) -> str:
    """``Bash `npm test` failed at L174, 30 commands since: the message``."""
    what = quotes.named_call(facts, error, root, _CALL_WIDTH) or "What the user pasted shows that something"
    what += " of a subagent" if error.source.speaker == "subagent" else ""
    where = citation(error.source)
    since = ran_again(facts, error) or _since(facts, error.source)
    event = f"{what} failed{f' at {where}' if where else ''}{since}"
    message = one_line(telling_line(error.message))
    return f"{event}: {output(message, SENTENCE - len(what))}" if message else event


def ran_again(facts: Facts, error: ErrorFact) -> str:
    """The first success of the same command, alone or in a chain; else its last run that hides how it ended.

    Without either, the first success of its checks or programs in another form, which the reader may judge.
    """
    if error.tool not in SHELL_TOOLS:
        return ""
    target, hidden, alike = bare_command(error.target, facts.cwd)[:_TARGET], "", ""
    programs = frozenset() if is_check(error.target) else programs_run(error.target)
    folder = checks.folder_of(error.target, facts.cwd)
    for command in all_commands(facts):
        if not is_after(command.source, error.source):
            continue
        text, outcome = bare_command(command.text, facts.cwd), outcome_of(command)
        if outcome not in ("ok", HIDDEN):
            continue
        where = citation(command.source)
        place = f" at {where}" if where else ""
        parts = [] if text.startswith("cd ") else _PARTS.split(text)  # in another folder they are others
        # Without a `cd` the folder is the one that an earlier command left the shell in.
        moved = "cd " in error.target and "cd " in command.text
        away = moved and checks.folder_of(command.text, facts.cwd) != folder
        if target in (text[:_TARGET], *parts) and not away:
            if outcome == "ok":
                return f"{SETTLED}{place}"
            hidden = f", ran again{place} with its {HIDDEN}"
        elif not alike and outcome == "ok":
            same = programs and programs <= programs_run(command.text)
            if same or checks.passes_again(command, error.target, error.message):
                alike = f", `{shortened(text, _CALL_WIDTH)}` ok{place}"
    return hidden or alike


def check_event(facts: Facts, *, lints: bool = True) -> str:
    """The last compile, lint or test run with its outcome and age; "" if none is on record."""
    check = last_check(facts, lints=lints)
    if check is None:
        return ""
    ended = "SUCCESS" if check.outcome == "ok" else "FAILURE"
    ended = ended if is_sure(check) else "no failure recognised, its exit status is hidden"
    return f"{ended}: {check_line(facts, check)}"


def check_line(facts: Facts, check: Command) -> str:
    """A check's command with its line, its age and, if it failed, its message."""
    where = citation(check.source)
    since = _since(facts, check.source).removeprefix(", ")
    pasted = "a failure pasted by the user since" if pasted_failure(facts) else ""
    place = "; ".join(filter(None, (where, since, changed_since(facts, check.source), pasted)))
    summary = f"{shortened(bare_command(check.text, facts.cwd), _COMMAND)}{f' ({place})' if place else ''}"
    said = one_line(telling_line(check.output)) if check.outcome == "failed" else ""
    return f"{summary}: {output(said)}" if said else summary


CLAUDES = re.compile(r"[\\/]\.claude[\\/](?:plans|projects)[\\/]")  # Claude Code's plans and memories


def changed_since(facts: Facts, source: Source) -> str:
    """``at least 2 files changed, `git pull` run since``, not covered by a check; "" for neither.

    Commands, formatters for example, may have changed more. Documents and what was only passing do not count.
    """
    removed = (file for file in facts.read_files if file.fate)
    files = (*facts.modified_files, *facts.shell_files, *removed) if source != records.NOWHERE else ()
    number = sum(
        is_after(records.later(file.source, file.last), source)
        for file in files
        if role_of(file.path, facts.cwd).kind not in (Kind.SCRATCH, Kind.DOCS)
        and not (file.created and file.fate)
    )
    moved = shortened(tree_exchanged(facts.commands, source), _LEAST)
    changed = f"at least {counted(number, 'file')} changed" if number else ""
    parts = ", ".join(filter(None, (changed, f"`{moved}` run" if moved else "")))
    return f"{parts} since" if parts else ""


def output(text: str, limit: int = SENTENCE) -> str:
    """A line of a tool's output, marked as such: neither the user nor the model said it."""
    return f'output "{shortened(text, max(limit, _LEAST)).replace(chr(34), chr(39))}"'


def missing_work(facts: Facts) -> str:
    """The subagents whose transcripts are missing, so that their work is unknown; "" if there are none."""
    missing = [f"subagent {with_source(each.text, each.source)}" for each in facts.missing_agents]
    named = ", ".join(missing[:_MISSING]) + (
        f" and {len(missing) - _MISSING} more" if missing[_MISSING:] else ""
    )
    return f"{named}: transcript missing; changes are known only from the result" if missing else ""


def is_sure(check: Command) -> bool:
    """Whether the status of a check is its own: behind a pipe, it is that of ``tail``."""
    return check.outcome == "failed" or check.passed or not checks.hides_outcome(check.text)


def outcome_of(command: Command) -> str:
    """A command's outcome as shown by the transcript: ``ok``, ``failed``, `HIDDEN` and others."""
    if command.by == "user" and command.outcome == "unknown":
        return TYPED
    hidden = command.outcome == "ok" and not command.passed and not shows_outcome(command.text)
    shown = f"exit status {command.exit_code}" if command.exit_code else HIDDEN
    return shown if hidden else command.outcome


def outcome_of_action(facts: Facts, action: Action) -> str:
    """The same for the last action, which may be another tool's."""
    command = next((each for each in reversed(facts.commands) if each.source == action.source), None)
    return outcome_of(command) if command is not None and action.source.line else action.outcome


def _since(facts: Facts, source: Source) -> str:
    ran = (each for each in facts.commands if each.outcome != "rejected")
    later = [each for each in ran if is_after(each.source, source)]
    if source == records.NOWHERE or not later:
        return ""
    return f", {counted(len(later), 'command')} since"


_CUT = 590  # length of a result in facts, in characters; longer ones are cut there
_ACTION = 200
_ENDS = {
    "ok": "succeeded",
    HIDDEN: "ended, its exit status is hidden",
    "failed": "failed",
    "rejected": "was rejected by the user",
    "interrupted": "was interrupted",
    "background": f"was {STARTED}",
    "unknown": "has no result in the transcript (unknown)",
}
_SAYS = re.compile(r"\w\w|\d")


def action_event(facts: Facts, action: Action, root: Path | None) -> str:
    """``Bash `npm test` failed (L174): output "the most informative line"``."""
    named = quotes.named_call(facts, action, root, _ACTION)
    outcome = outcome_of_action(facts, action)
    event = with_source(f"{named} {_ENDS.get(outcome, f'ended, {outcome}')}", action.source)
    result = _result(action)
    return f"{event}: {output(result, 2 * SENTENCE)}" if result else event


def _result(action: Action) -> str:
    text = action.result.strip()
    if action.outcome in ("rejected", "interrupted", "background"):
        return ""  # Claude Code's instructions to the model
    if action.outcome != "ok":
        return one_line(telling_line(text))
    if action.tool in EDIT_TOOLS | READ_TOOLS or text.endswith(checks.NO_OUTPUT):
        return ""
    lines = [line for line in text.split("\n") if _SAYS.search(line)]
    if not lines or action.tool not in SHELL_TOOLS:
        return ""
    # A program's last line sums up what does not fit, but of a long output only the head is known.
    short = " ⏎ ".join(map(str.strip, lines))
    last = short if len(short) <= 2 * SENTENCE or len(text) >= _CUT else lines[-1]
    return one_line(next((line for line in lines if checks.PASSED.search(line)), last))


COMMANDS_RUN = "Commands and their last outcome"

_WIDTH = 145
_MARKS = {"unknown": "no result on record", "rejected": "refused", "background": STARTED}


def commands_run(facts: Facts, most: int) -> Iterator[str]:
    """Checks and what runs in the background, then repeated commands, then the rest; each newest first."""
    last: dict[str, Command] = {}
    times: dict[str, int] = {}
    for command in all_commands(facts):
        text, counts = bare_command(command.text, facts.cwd), did_run(command)
        times[text] = times.get(text, 0) + counts
        if counts or text not in last:
            last.pop(text, None)
            last[text] = command
    newest_first = list(reversed(last))
    ranked = sorted(newest_first, key=lambda text: _rank(last[text], times[text] or 2))
    for text in ranked[:most]:
        outcome = outcome_of(last[text])
        if outcome == "failed":
            outcome += ran_again(facts, ErrorFact("Bash", text, last[text].output, last[text].source))
        count = f"{times[text]} times, last: " if times[text] > 1 else ""
        by = ", by a subagent" if last[text].by == "subagent" else ""
        line = f"`{shortened(text, _WIDTH)}`: {count}{_MARKS.get(outcome, outcome)}{by}"
        yield with_source(line, last[text].source)


def _rank(command: Command, times: int) -> int:
    if is_check(command.text) or command.outcome == "background":
        return 0
    return 1 if times > 1 else 3 if checks.is_lookup(command.text) else 2


_DONE_FILES = 12


def compacted(facts: Facts) -> Iterator[str]:
    for last in facts.compactions[-1:]:
        summary = with_source("its summary", last.summary_source)
        so_far = f"{counted(len(facts.compactions), 'compaction')} so far"
        yield f"{so_far}, {with_source('the last one', last.source)}{f'; {summary}' if last.summary else ''}"


def changes(facts: Facts) -> Iterator[str]:
    """Commits that stand, and the files changed since; what Claude ticked in its list stands in the plan."""
    stands = standing(facts)
    yield from map(landmark_line, stands)
    last = max((mark.source.line for mark in stands), default=-1)
    files = [f for f in facts.modified_files if records.later(f.source, f.last).line > last]
    for file in files[-_DONE_FILES:]:
        # With the line of its last change; of its first if it is gone since.
        fate, latest = f", later {file.fate}" if file.fate else "", records.later(file.source, file.last)
        done = "created" if file.created and (fate or latest == file.source) else "changed"
        yield with_source(f"{done} {shown_path(file.path, None)}{fate}", file.source if fate else latest)
    if len(files) > _DONE_FILES:
        yield f"changed {counted(len(files) - _DONE_FILES, 'other file')}"


def standing(facts: Facts) -> list[Landmark]:
    """The landmarks but commits undone or replaced; a rebased one lives on under another hash."""
    return [mark for mark in facts.landmarks if mark.superseded not in ("amend", "reset")]


def landmark_line(mark: Landmark) -> str:
    what = {"commit": f"committed {one_line(mark.text)}", "pull request": f"pull request {mark.text}"}
    known = id_of(mark)
    return with_source(f"{what.get(mark.kind, mark.text)}{f' ({known})' if known else ''}", mark.source)


def id_of(mark: Landmark) -> str:
    """A commit's id; "" for one that may have got another since."""
    return "" if mark.superseded else mark.commit


_PUSH = re.compile(
    rf"(?:^|[;&|\n]|then|do|if|!) *(?:\w+=\S* +)*((?:{GIT} push|gt submit|gt ss)\b"
    r"(?![^\n;&|]*--dry-run)(?:(?! \d?>)[^\n;&|])*)"
)
_SHARES = re.compile("push|create|commit|gt s")  # cheap pre-filter of such commands, and of commits


def repository(facts: Facts) -> Iterator[str]:
    """The last push, what is not committed or was undone by a reset, and that nothing pushes or checks."""
    ran = [run for run in facts.commands if _SHARES.search(run.text)]
    said = "\n".join(shell.without_heredoc(run.text) for run in ran)
    pushes = [(text, run) for run in filter(did_run, ran) for text in shell.outside_quotes(_PUSH, run.text)]
    for text, run in pushes[-1:]:
        yield with_source(f"Last push: `{shortened(one_line(text), _WIDTH)}`: {outcome_of(run)}", run.source)
    commits = [mark.source for mark in standing(facts) if mark.kind == "commit"]
    if commits and (since := changed_since(facts, commits[-1])):
        yield with_source(f"{capitalised(since)} the last commit", commits[-1])
    changed = any(not file.fate for file in facts.modified_files)
    if not (re.search("push|pr create", said) or pushes or facts.addresses):
        if commits or (changed and "commit" in said):
            yield "No command on record pushes"
        elif changed:
            yield "No command on record commits or pushes"
    if undone := [mark for mark in facts.landmarks if mark.superseded == "reset"]:
        named = "; ".join(shortened(mark.text, _COMMAND) for mark in undone[-_MISSING:])
        yield with_source(f"Commits undone by a reset: {named}", undone[-1].source)
    if changed and not last_check(facts):
        yield "No command on record is recognised as a check"


SEEN = "Pull requests and issues seen"
_SEEN = 3


def seen_addresses(facts: Facts) -> list[str]:
    """The last pull requests and issues in results that the session did not create, with their lines."""
    own = {mark.text for mark in facts.landmarks}
    return [with_source(each.text, each.source) for each in facts.addresses if each.text not in own][-_SEEN:]


_ITEM_WIDTH = 200  # maximum length of an item in characters
_PLAN_LINES = 12  # number of a plan's lines listed; the first item's detail has the whole plan
_SIGNS = {"ok": "✓", "failed": "✗", "rejected": "⊘", "interrupted": "⊘", "background": "…"}
_UNSURE = "?"  # outcomes without a result on record, or with a hidden exit status


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One line of evidence."""

    text: str
    """One line, with its source at the end: ``(L476 14:53)``."""
    kind: str
    """`file`, `reference`, `todo`, `plan`, `decision`, `open`, `error`, `command`, `quote`, `prompt`,
    `commit`, `compaction`, `action` or `lost`."""
    detail: str = ""
    """The full text, if `text` is shortened."""
    line: int = 0
    """The transcript's line; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Items of one kind under a title."""

    title: str
    items: tuple[EvidenceItem, ...]


def evidence(facts: Facts, root: Path | None) -> tuple[EvidenceGroup, ...]:
    """Facts grouped for display; paths inside `root` are relative to it, empty groups are left out.

    The groups most useful for resuming the work come first. Messages, failures and commands are listed newest
    first, all else in the order of the session.
    """
    turns, missing = facts.turns[::-1], missing_work(facts)
    left = [ONLY_CAPTURE] if facts.from_capture else open_work(facts)
    groups = (
        ("Files modified", [_file(file, root) for file in facts.modified_files]),
        ("Tasks", [_item("todo", f"[{mark_of(todo)}] {todo.content}", todo.source) for todo in facts.todos]),
        ("Plan", list(_plan(facts))),
        (
            "Settled",
            [_item("decision", f"{e.decision}: {e.reason}", e.source) for e in recorded_decisions(facts)],
        ),
        ("Open, by the record", [EvidenceItem(text, "open") for text in left]),
        (
            "Claude, at the end of each turn",
            [_item("quote", turn.closing.text, turn.closing.source) for turn in turns if turn.closing],
        ),
        ("The user", [_item("prompt", ask.text, ask.source) for ask in user_requests(facts)]),
        (
            "Commits and pull requests",
            [_item("commit", f"{id_of(mark)} {mark.text}".lstrip(), mark.source) for mark in standing(facts)],
        ),
        ("Failures", [_item("error", error_event(facts, e, root), e.source) for e in reversed(facts.errors)]),
        ("Last action", list(_last_action(facts, root))),
        ("Commands", [_command(command) for command in reversed(facts.commands)]),
        (
            "Claude, at work",
            [_item("quote", each.text, each.source) for turn in turns for each in reversed(turn.texts)],
        ),
        ("Files written by commands", [_named(f, "file", root) for f in facts.shell_files if not f.fate]),
        ("Not on record", [EvidenceItem(missing, "open")] if missing else []),
        ("Files read", [_named(file, "reference", root) for file in facts.read_files]),
        ("Compactions", [_compaction(each) for each in facts.compactions]),
    )
    return tuple(EvidenceGroup(title, tuple(items)) for title, items in groups if items)


def _item(kind: str, text: str, source: Source | None = None, detail: str = "") -> EvidenceItem:
    source = source or Source()
    line = shortened(one_line(text), _ITEM_WIDTH)
    whole = detail or text
    cited = with_source(line, source, clock=True)
    return EvidenceItem(cited, kind, whole if whole.strip() != line else "", source.line)


def _file(file: FileFact, root: Path | None) -> EvidenceItem:
    # The path alone, for use in a memory file's key files.
    edits = file.times - file.created
    details = [f"{edits} edits" if edits > 1 else "", "new" if file.created else ""]
    details += ["by a subagent" if file.subagent else "", citation(file.source, clock=True)]
    detail = ", ".join(part for part in details if part)
    return EvidenceItem(shown_path(file.path, root), "file", detail, file.source.line)


def _named(file: FileFact, kind: str, root: Path | None) -> EvidenceItem:
    return EvidenceItem(
        shown_path(file.path, root), kind, citation(file.source, clock=True), file.source.line
    )


def _plan(facts: Facts) -> Iterator[EvidenceItem]:
    if not facts.plans:
        return
    plan = facts.plans[-1]
    status = f", {plan_status(plan)}" if plan_status(plan) else ""
    where = f" ({shown_path(plan.path, None)})" if plan.path else ""
    yield _item("plan", f"from {plan.origin}{status}{where}", plan.source, plan.content)
    lines = [line for line in plan.content.split("\n") if line.strip()]
    for line in lines[:_PLAN_LINES]:
        yield _item("plan", line)
    if len(lines) > _PLAN_LINES:
        yield EvidenceItem(f"… {len(lines) - _PLAN_LINES} more lines", "plan")


def _last_action(facts: Facts, root: Path | None) -> Iterator[EvidenceItem]:
    if action := facts.last_action:
        mark = _SIGNS.get(outcome_of_action(facts, action), _UNSURE)
        shown_action = f"{mark} {action.tool} {shown_path(action.target, root)}".rstrip()
        text = f"{shown_action}: {action.result}" if action.result else shown_action
        yield _item("action", text, action.source, action.result)


def _command(command: Command) -> EvidenceItem:
    code = f" (exit {command.exit_code})" if command.exit_code else ""
    mark = _SIGNS.get(outcome_of(command), _UNSURE)
    return _item("command", f"{mark} {command.text}{code}", command.source, command.output)


def _compaction(compaction: records.CompactionFact) -> EvidenceItem:
    before, after = compaction.pre_tokens, compaction.post_tokens
    size = f", {before:,} tokens before" if before else ""
    size += f", {after:,} after" if after else ""
    summary = f", summary of {len(compaction.summary):,} characters" if compaction.summary else ""
    line = f"{compaction.trigger or 'compacted'}{size}{summary}"
    return _item("compaction", line, compaction.source, compaction.summary)
