"""The goal of a session, what is open, and what was decided, by the record alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from memtui.documents import quotes
from memtui.documents.quotes import UserRequest, last_request, plan_line, user_requests, with_source
from memtui.ground.text import counted
from memtui.transcript.checks import did_run
from memtui.transcript.landmarks import halted_merge
from memtui.transcript.pasted import NAMED
from memtui.transcript.paths import is_inside, shown_path
from memtui.transcript.plans import OPEN, mark_of, plan_title, was_done
from memtui.transcript.procedure import due
from memtui.transcript.records import NOWHERE, Facts, PlanFact, Source, Todo, Turn, in_order, is_after, later
from memtui.transcript.sentences import is_question, is_rule, sentences
from memtui.transcript.short_text import (
    begins_with_persona,
    brief,
    ends_of,
    one_line,
    says_something,
    shortened,
    tokens,
    without_persona,
)
from memtui.transcript.turns import title_in

_STEPS = 8
_NAMED, _NAME, _FIRST, _GOAL, _DUE = 5, 80, 240, 740, 20

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_BOX = re.compile(r"^[ \t]*[-*+][ \t]+\[([ xX>])\][ \t]+(\S.*)$", re.MULTILINE)
_CODE = re.compile(r"\b(?:\w+_\w+|\w*[a-z][A-Z]\w*)")

_ENDED = {"interrupted": "was interrupted", "api error": "ended with an API error"}


_UNDECIDED = {"unknown": "", "dismissed": "sent back"}
"""By fate: of the first nothing is on record, the second was rejected without words."""


class OpenWork(NamedTuple):
    """Unfinished work on record."""

    text: str
    source: Source
    state: Literal["doing", "due"] = "due"

    @property
    def line(self) -> str:
        return with_source(self.text, self.source)


def open_tasks(facts: Facts) -> list[OpenWork]:
    """Tasks of the last list that are not ticked off, those in progress first."""
    found = [
        OpenWork(brief(todo.content), todo.source, "doing" if todo.status == "in_progress" else "due")
        for todo in facts.todos
        if todo.status in OPEN
    ]
    return sorted(found, key=lambda work: work.state != "doing")


def listed_tasks(facts: Facts) -> tuple[Todo, ...]:
    """The list of tasks, unless it is finished and the user laid out other work since that was begun.

    That is an option of Claude's or a long request: short ones only correct it. A ticked task is left out
    if the user said something, not a question, about code that it names: that may have overtaken it.
    """
    edited, picked = _edits(facts), {each.source for each in facts.answers}
    asked = [ask for ask in user_requests(facts) if not is_question(ask.text)]
    long = (ask for ask in asked if ask.source in picked or tokens(ask.text) >= _LONG)
    new = max((ask.source for ask in long if _acted_on(facts, edited, ask.source)), default=NOWHERE)
    if not open_tasks(facts) and all(is_after(new, todo.source) for todo in facts.todos):
        return ()

    named = [(ask.source, {*_CODE.findall(ask.text)}) for ask in asked]

    def is_overtaken(todo: Todo) -> bool:
        names = {*_CODE.findall(todo.content)}
        return any(names & said for at, said in named if is_after(at, todo.source))

    return tuple(todo for todo in facts.todos if todo.status in OPEN or not is_overtaken(todo))


def ticked(todos: Sequence[Todo]) -> str:
    """How many of these tasks are done, with the line of the last change; "" without any."""
    skipped = f", {each} skipped" if (each := sum(mark_of(todo) == "-" for todo in todos)) else ""
    said = f"{sum(map(was_done, todos))} of {counted(len(todos), 'task')} {quotes.TICKED}{skipped}"
    return with_source(said, max(todo.source for todo in todos)) if todos else ""


def since_asked(facts: Facts, todos: tuple[Todo, ...]) -> tuple[Todo, ...]:
    """Tasks that changed, or left the list, since the last request."""
    asked = last_request(facts)
    return tuple(todo for todo in todos if not asked or is_after(todo.source, asked.source))


def dropped(facts: Facts) -> str:
    """Tasks that Claude left out, unticked, of a list that is not finished; those since the last request."""
    left = since_asked(facts, facts.past_todos) if open_tasks(facts) else ()
    gone = in_order(todo for todo in left if todo.status == "left")[::-1]
    named = "; ".join(brief(todo.content, _NAME) for todo in gone[:_NAMED])
    more = f", and {len(gone) - _NAMED} before" if gone[_NAMED:] else ""
    return with_source(f"left out of Claude's list unticked: {named}{more}", gone[0].source) if gone else ""


def open_steps(facts: Facts) -> list[OpenWork]:
    """Unticked steps of the plan in force."""
    plan = plan_in_force(facts)
    if plan is None or facts.todos or facts.past_todos:
        return []
    return [OpenWork(step, plan.source) for step in steps_of(plan, " ")][:_STEPS]


def steps_of(plan: PlanFact, marks: str = " xX>") -> list[str]:
    """The steps of a plan with these marks; by default every one that `open_steps` may name."""
    boxes = _BOX.findall(_FENCED.sub("", plan.content))
    return [brief(step.replace("**", "")) for mark, step in boxes if mark in marks]


def plan_in_force(facts: Facts) -> PlanFact | None:
    return next((plan for plan in reversed(facts.plans) if plan.fate == "approved"), None)


def undecided_plan(facts: Facts) -> PlanFact | None:
    """A later plan without a decision."""
    plan = facts.plans[-1] if facts.plans else None
    return plan if plan is not None and plan.fate in _UNDECIDED else None


def plan_status(plan: PlanFact) -> str:
    """The decision on a plan in a word or two; "" if there is none on record."""
    return _UNDECIDED.get(plan.fate, plan.fate)


def awaited_plan(facts: Facts) -> PlanFact | None:
    """An undecided plan with no request or change after it."""
    plan = undecided_plan(facts)
    if plan is None or worked_since(facts, plan.source, plan.path):
        return None
    asked = any(
        turn.source.line > plan.source.line > 0 for turn in facts.turns if turn.kind != "notification"
    )
    return None if asked else plan


def unfinished_turn(facts: Facts) -> Turn | None:
    """The last turn if it was interrupted, ended with an error, or has no closing message."""
    last = facts.turns[-1] if facts.turns else None
    return last if last is not None and last.end != "answered" else None


def stopped(facts: Facts) -> str:
    """The last turn's interruption or API error: ``the last turn was interrupted (L476)``; else ""."""
    turn = unfinished_turn(facts)  # in one that runs, Claude is at it
    how = _ENDED.get(turn.end) if turn else None
    return with_source(f"the last turn {how}", turn.source) if turn and how else ""


def open_request(facts: Facts) -> UserRequest | None:
    """The request of a last turn without an end, unless it began otherwise or its plan was sent back."""
    turn, plan = unfinished_turn(facts), awaited_plan(facts)
    ask = next(iter(user_requests(facts)), None)
    opened = turn and ask and ask.source.line == turn.source.line
    if ask and ask.turn and ask.turn.kind in quotes.CORRECTIONS and is_question(ask.text):
        # Asked in refusing a step, it is answered once other work follows.
        ask = last_request(facts) if _acted_on(facts, sorted(quotes.work_lines(facts)), ask.source) else ask
    return ask if opened and not (plan and plan.fate == "dismissed") else None


def halted(facts: Facts) -> str:
    """The merge, rebase or pick that waits for conflicts to be resolved; "" for none."""
    run = halted_merge(facts.commands)
    return with_source(f"`{brief(run.text, _NAME)}` stopped at a conflict", run.source) if run else ""


def unanswered(facts: Facts) -> str:
    """A question or plan of Claude's, quoted, that nobody has answered; "" for none."""
    last, turn = facts.last_action, facts.turns[-1] if facts.turns else None
    if turn and turn.end == "answered" and turn.closing and (asked := quotes.last_question(turn.closing)):
        return f'{quotes.source_label("Claude asked", turn.closing.source)} "{asked}"'
    if last is None or last.outcome != "unknown":
        return ""
    if last.tool == "AskUserQuestion":
        return f'{quotes.source_label("Claude asked", last.source)} "{brief(last.target)}"'
    plan = undecided_plan(facts) if last.tool == "ExitPlanMode" else None
    return waiting(plan) if plan else ""


def procedure(facts: Facts) -> list[str]:
    """The steps due in the text of the running command or skill, and its rules; [] if no step is due."""
    text = facts.procedure
    if text is None:
        return []
    turns = [turn for turn in facts.turns if turn.last_line > text.source.line]
    left = (one.end == "interrupted" and tokens(then.ask) >= _GO_ON for one, then in pairwise(turns))
    if any(turn.end == "answered" for turn in turns) or any(left):
        return []
    ran = [run.text for run in facts.commands if did_run(run) and is_after(run.source, text.source)]
    steps, by = [*due(text.text, set(), ran)], {True: "due by", False: "rule in"}
    if not any(is_due for _, is_due in steps):
        return []
    room = max(0, _DUE - sum(is_due for _, is_due in steps))  # for rules
    rules = [step for step, is_due in steps if not is_due][:room]
    return [
        with_source(brief(step.text, _SETTLED), text.source, by=f"{by[is_due]} the command's text")
        for step, is_due in steps
        if is_due or step in rules
    ][:_DUE]


def open_work(facts: Facts) -> list[str]:
    """Open work on record, most urgent first; a question that Claude asked comes last."""
    ask, plan = open_request(facts), awaited_plan(facts)
    found = [halted(facts), ask.quoted(quotes.label_of(facts, ask)) if ask else ""]
    for task in open_tasks(facts):
        since = sum(is_after(command.source, task.source) for command in facts.commands)
        more = f", {counted(since, 'command')} since" if since else ""
        doing = f" (in progress{more})" if task.state == "doing" else ""
        found.append(with_source(f"{task.text}{doing}", task.source))
    found += [waiting(plan)] if plan else []
    found += (step.line for step in open_steps(facts))
    found += [*procedure(facts), unanswered(facts), dropped(facts)]
    return list(dict.fromkeys(filter(None, found)))


STANDING = ("plan", "plan without an answer", "plan sent back")
"""Labels of an undecided plan among the tasks; earlier versions wrote only the first."""


def waiting(plan: PlanFact) -> str:
    return f"{_standing(plan)}: {plan_line(plan)}"


def _standing(plan: PlanFact) -> str:
    return f"plan {plan_status(plan) or 'without an answer'}"


def worked_since(facts: Facts, source: Source, plan: str = "") -> bool:
    """Whether a file but that of the plan was changed, or something committed, after a place."""
    moments = [mark.source for mark in facts.landmarks]
    moments += [later(file.source, file.last) for file in facts.modified_files if file.path != plan]
    return any(is_after(moment, source) for moment in moments)


_SETTLED = 320


class RecordedDecision(NamedTuple):
    """A decision with its reason, as seed 000 writes them: ``decision: reasoning``."""

    decision: str
    reason: str
    source: Source


def recorded_decisions(facts: Facts) -> list[RecordedDecision]:
    """Answers, refusals with words and decided plans, in the order of the session.

    Words that are none of the options offered, and options typed as a number, count if a change followed
    them: others think aloud, and what is said next may drop what was typed. Refusals of steps that were made
    later count if a command went first.
    """
    found, worked = list(_plans(facts)), sorted(quotes.work_lines(facts))
    turned = {turn.source for turn in facts.turns}
    ran = {each.source.line for each in facts.commands if each.outcome == "ok"}
    answers = (
        each
        for each in facts.answers
        if not (each.own or each.source in turned) or _acted_on(facts, worked, each.source)
    )
    for answer in answers:
        chosen = brief(answer.answer, _SETTLED)
        option = f'offered as "{brief(answer.option, _SETTLED)}", ' if answer.option.strip() else ""
        reason = f'{option}the user\'s answer to "{brief(answer.question, _SETTLED)}"'
        found.append(RecordedDecision(chosen, reason, answer.source))
    for ask in user_requests(facts):
        if is_question(ask.line) or not ask.turn:
            continue
        if ask.turn.kind == "comment" or ask.refused.startswith("ExitPlanMode"):
            # Beside the result of another call they are no words on a plan.
            on = max((p.source.line for p in facts.plans if is_after(ask.source, p.source)), default=0)
            beside = not on or any(on < at < ask.source.line for at in worked)
            if ask.turn.kind == "comment" and (beside or any(map(is_question, sentences(ask.text)))):
                continue
            found.append(RecordedDecision(ask.line, "the user's words on a plan", ask.source))
        elif ask.refused.startswith("AskUserQuestion "):
            question = ask.refused.removeprefix("AskUserQuestion ")
            found.append(RecordedDecision(ask.line, f"the user's words on {question}", ask.source))
        elif ask.refused:
            why = f'the user said "{ask.line}"'
            found.append(RecordedDecision(f"{ask.refused} refused", why, ask.source))
        elif ask.turn.kind == "rejection" and next((at for at in worked if at > ask.source.line), 0) in ran:
            before = next((each for each in reversed(facts.turns) if is_after(ask.source, each.source)), None)
            why = ""
            if before and (said := before.closing):
                label = quotes.source_label("announced", said.source)
                why = f' that Claude {label} "{brief(said.text, _SETTLED)}"'
            found.append(RecordedDecision(ask.line, f"the user's words on a step{why}", ask.source))
    return in_order(found)


def _edits(facts: Facts) -> list[int]:
    """The lines of the first and last edit of each file."""
    return sorted(line for file in facts.modified_files for line in (file.source.line, file.last.line))


def _acted_on(facts: Facts, worked: list[int], source: Source) -> bool:
    """Whether a change or command followed in the same turn; `worked` are their sorted lines."""
    turn = next((turn for turn in reversed(facts.turns) if turn.source.line <= source.line), None)
    return turn is not None and bisect_right(worked, turn.last_line) > bisect_right(worked, source.line)


def _plans(facts: Facts) -> Iterator[RecordedDecision]:
    """Approved and refused plans; of several with the same title and fate, only the last one.

    A refusal is left out when a plan with that title was approved later.
    """
    last = {(plan_title(plan), plan.fate): plan for plan in facts.plans}
    at = {(plan_title(plan), plan.fate): number for number, plan in enumerate(facts.plans)}
    for (title, fate), plan in last.items():
        if fate == "approved" or (fate == "rejected" and at[title, fate] > at.get((title, "approved"), -1)):
            decided = "approved" if fate == "approved" else "refused"
            where = f" ({shown_path(plan.path, None)})" if plan.path else ""
            name = f'plan "{brief(title, _SETTLED)}" {decided}{where}'
            yield RecordedDecision(name, f"the user {decided} it", plan.source)


def branch_named(facts: Facts) -> str:
    """The branch now, that of the newest edit, and others; "" if all changed files are outside its folder."""
    files, nowhere = facts.modified_files, ("", "HEAD", "detached HEAD")
    if files and facts.cwd and not any(is_inside(file.path, facts.cwd) for file in files):
        return ""
    named = [each for each in (facts.branch, facts.edited_on) if each not in nowhere] or [facts.branch]
    others = ", ".join(each for each in facts.branches if each not in (*named, *nowhere))
    edited = f"newest edit on {named[-1]}" if named[-1] != named[0] else ""
    notes = "; ".join(filter(None, (edited, others and f"also on record: {others}")))
    return f"{named[0]} ({notes})" if notes else named[0]


_TITLE, _NARROW = 80, 60
_GO_ON = 4  # tokens of a message that is more than a word or two
_ORDER = 24  # tokens of a request that says what to do
_LONG = 75  # tokens of a request that lays out work
_WIDTH = 110  # characters of the newest request in a goal, and of a pull request's title

_DRAFTED = re.compile(rf"^(?P<words>.+?) \((?:{quotes.LAST}|(?:approved|first|plan|title) [A-Za-z ]+)[,)]")
"""A drafted goal; those of earlier versions began with the last request or a pull request's title, too."""

_QUOTED = re.compile(r'^"(.+?)"(?=$| \()')
"""The quotation marks of a request, which its purpose may follow in brackets."""

ONLY_CAPTURE = "only the capture is known: its transcript is gone"
"""Sentence in all documents of a session whose transcript is deleted."""


def goal(facts: Facts) -> str:
    """The plan or the first request, the newest that was worked on, the last one, and the pull request.

    A pull request is no goal by itself, as it may bundle other work.
    """
    plan, aims, asked = plan_in_force(facts) or awaited_plan(facts), _aims(facts), telling_requests(facts)
    label = "first asked" if aims[:1] == asked[-1:] else "first request after others"
    made = [ask.named(label, _FIRST if aims[1:] else 0) for ask in aims[:1]]
    rest = aims[1:]
    if plan:
        made = [plan_line(plan, "approved plan" if plan.fate == "approved" else _standing(plan))]
        rest = [ask for ask in aims if is_after(ask.source, plan.source)]
    if facts.titled.speaker == "user":
        made, rest = [with_source(brief(facts.title, _SETTLED), facts.titled, by="title by the user")], []
    last = last_request(facts)
    runs = [ask.named(quotes.label_of(facts, ask)) for ask in rest if ask == last]
    room = _GOAL - len("".join([*made, *runs]))
    made += [*(ask.named("", max(_WIDTH, room)) for ask in rest if ask != last), *runs]
    if pull := facts.pull_title:
        made.insert(1, with_source(f'pull request "{brief(pull.text, _WIDTH)}"', pull.source))
    return "; ".join(made)


def _aims(facts: Facts) -> list[UserRequest]:
    """The first request that holds, the newest that edits followed, unless it asks or replies, and the last.

    With them the newest that is longer than the last: often the order that this one only goes on with.

    A request does not hold if a later one says it again.
    """
    asked, worked = telling_requests(facts)[::-1], sorted(quotes.work_lines(facts))
    told = {ask.source: then.text for then, ask in pairwise(user_requests(facts))}
    said = [{*ask.text.split()} for ask in asked]

    def holds(at: int) -> bool:
        one, ask = said[at], asked[at]
        again = any(one <= new and len(new) < 2 * len(one) for new in said[at + 1 :])
        return not (again or _is_over(facts, worked, ask, told.get(ask.source, "")))

    begun, edits, runs = next(filter(holds, range(len(asked))), 0), _edits(facts), last_request(facts)
    since = [ask for ask in asked[begun + 1 :] if ask.turn and ask.turn.kind != "queued"]
    acted = [ask for ask in since if _acted_on(facts, edits, ask.source)][-1:]
    newest = [ask for ask in acted if not (ask.question or is_question(ask.text))]
    before = (ask for ask in since[:-5:-1] if ask != runs and ask.turn and ask.turn.end != "interrupted")
    orders = (ask for ask in before if not (re.search("[?？؟]", ask.text) or is_rule(ask.text)))
    longer = (ask for ask in orders if runs and tokens(ask.text) > max(_ORDER, tokens(runs.text)))
    later = sorted({ask.source.line: ask for ask in (*islice(longer, 1), *newest)}.items())
    made = [*asked[begun : begun + 1], *(ask for _, ask in later)]
    goes_on = runs and runs not in made and (runs in asked or (runs.turn and runs.turn.pasted))
    return [*made, runs] if runs and goes_on else made


def _is_over(facts: Facts, worked: list[int], ask: UserRequest, told: str) -> bool:
    """Whether a request that no change followed was a question, an option or an address, or interrupted.

    It is not over if Claude asked back, or what the user said next, `told`, is a word or two.
    """
    turn = ask.turn
    if turn is None or _acted_on(facts, worked, ask.source):
        return False
    if turn.end == "interrupted":
        return not 0 < tokens(told) < _GO_ON
    if turn.end != "answered" or turn.closing is None or is_question(turn.closing.text):
        return False
    picked = any(each.source == ask.source for each in facts.answers)
    return picked or is_question(ask.text) or not (ask.about or says_something(ask.text))


def telling_requests(facts: Facts) -> list[UserRequest]:
    """The user's requests, newest first, without corrections, commands, pasted blocks and single words."""
    found = [ask for ask in user_requests(facts) if not (ask.turn and ask.turn.kind in quotes.CORRECTIONS)]
    typed = ((ask, NAMED.sub("", ask.turn.ask if ask.turn else ask.text)) for ask in found)
    return [ask for ask, words in typed if ask.about or says_something(words)] or found[-1:]


def goal_words(text: str) -> str:
    """The plan's title or the request alone of what `goal` worded; other goals as they are."""
    found = _DRAFTED.match(text)
    return _QUOTED.sub(r"\1", found["words"]) if found else text


def title_of(facts: Facts) -> str:
    """A short name for a session: the title of its plan, its own, its pull request's, else a request.

    That is the first that says what to do, or the one that runs if it lays out work and that was answered.
    Claude's title may be older than that.
    """
    plan, asked = plan_in_force(facts) or awaited_plan(facts), next(iter(_aims(facts)), None)
    picked = {each.source for each in facts.answers}
    own = (ask for ask in telling_requests(facts) if not (ask.question or ask.source in picked))
    runs = next(own, None)
    new = runs and tokens(runs.text) >= _LONG and worked_since(facts, runs.source)
    asked = runs if new and asked and asked.turn and asked.turn.end == "answered" else asked
    older = asked and facts.titled.speaker != "user" and is_after(asked.source, facts.titled)
    pull, work = facts.pull_title.text if facts.pull_title else "", _work_of(asked, facts) if asked else ""
    titles = (plan_title(plan) if plan else "", "" if older else facts.title, pull, work)
    title = next((one_line(each) for each in titles if each.strip()), "")
    asks = [each for each in sentences(title) if is_question(each) and len(each) <= _TITLE // 2]
    return shortened(ends_of(title, _NARROW) if asks and title.endswith(asks[-1]) else title, _TITLE)


def _work_of(ask: UserRequest, facts: Facts) -> str:
    """The request in a message; of a slash command its arguments, else the title of the plan that it read.

    Of a prompt that begins with words about Claude: the paragraph behind them, else the tasks.
    """
    text = ask.text.strip()
    _, _, words = text.partition(" ")
    if ask.about:
        return words if " " in words.strip() else title_in(ask.about) or text
    words = without_persona(text)
    if words != text or "\n\n" not in text or not begins_with_persona(text):
        return words
    return "; ".join(todo.content for todo in facts.todos) or text
