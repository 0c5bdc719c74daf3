"""The goal of a session, what is open, and what was decided, by the record alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from memtui.documents import quotes
from memtui.documents.quotes import UserRequest, citation, last_request, plan_line, user_requests, with_source
from memtui.ground.text import counted
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import OPEN, plan_title, stated_plan
from memtui.transcript.records import NOWHERE, Answer, Facts, PlanFact, Source, Turn, in_order, is_after
from memtui.transcript.sentences import is_question
from memtui.transcript.short_text import (
    begins_with_persona,
    brief,
    is_bare_command,
    one_line,
    says_something,
    shortened,
    without_persona,
)
from memtui.transcript.turns import title_in

_STEPS = 8

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_BOX = re.compile(r"^[ \t]*[-*+][ \t]+\[([ xX>])\][ \t]+(\S.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^(?:#{2,4}[ \t]+\D{0,12})?[(（]?(\d{1,2})[.)）．:：、][ \t]*(\S.*)$", re.MULTILINE)

_ENDED = {"interrupted": "was interrupted", "api error": "ended with an API error"}


_UNDECIDED = {"unknown": "", "dismissed": "sent back"}
"""By fate: of the first nothing is on record, the second was rejected without words."""


class OpenWork(NamedTuple):
    """Unfinished work on record."""

    text: str
    source: Source
    state: Literal["doing", "due", "left"] = "due"
    """`left` if a new list took its place: it need not be what comes next."""

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
    left = (todo for todo in facts.past_todos if todo.status == "left")
    note = "(left open by a new list)"
    found += [OpenWork(f"{brief(todo.content)} {note}", todo.source, "left") for todo in left]
    return sorted(found, key=lambda work: work.state != "doing")


def open_steps(facts: Facts) -> list[OpenWork]:
    """Unticked steps of the plan in force; without boxes, all of them if no work was done since."""
    plan = plan_in_force(facts)
    if plan is None or facts.todos or facts.past_todos:
        return []
    text = _FENCED.sub("", plan.content)
    boxes = _BOX.findall(text)
    steps = [step for mark, step in boxes if mark == " "]
    if not steps and not any(mark in "xX" for mark, _ in boxes) and not _worked_since(facts, plan):
        steps = numbered_steps(text)
    return [OpenWork(_step(step), plan.source) for step in steps[:_STEPS]]


def steps_of(plan: PlanFact) -> list[str]:
    """Every step of a plan that `open_steps` may name."""
    text = _FENCED.sub("", plan.content)
    ticked = [line for _, line in _BOX.findall(text)]
    return [_step(step) for step in (*ticked, *numbered_steps(text))]


def numbered_steps(text: str) -> list[str]:
    """The items of the first unindented list numbered from 1, or headings numbered in this way."""
    steps: list[str] = []
    for number, step in _NUMBERED.findall(text):
        if int(number) == len(steps) + 1:
            steps.append(step)
        elif steps and int(number) == 1 and len(steps) > 1:
            break
    return steps if len(steps) > 1 else []


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
    if plan is None or _worked_since(facts, plan):
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
    return (
        with_source(f"the last turn {_ENDED[turn.end]}", turn.source) if turn and turn.end in _ENDED else ""
    )


def open_request(facts: Facts) -> UserRequest | None:
    """The request of a last turn without an end, unless it began otherwise or its plan was sent back.

    Nor is one that was followed by tasks, all of which are done.
    """
    turn, ask = unfinished_turn(facts), last_request(facts)
    opened = turn and ask and ask.source.line == turn.source.line
    plan = awaited_plan(facts)
    since = [todo for todo in facts.todos if ask and is_after(todo.source, ask.source)]
    done = bool(since) and not open_tasks(facts)
    return ask if opened and not done and not (plan and plan.fate == "dismissed") else None


def unanswered(facts: Facts) -> str:
    """A question or plan of Claude's, quoted, whose call has no result; "" for none."""
    last = facts.last_action
    if last is None or last.outcome != "unknown":
        return ""
    if last.tool == "AskUserQuestion":
        return f'{quotes.source_label("Claude asked", last.source)} "{brief(last.target)}"'
    plan = undecided_plan(facts) if last.tool == "ExitPlanMode" else None
    return waiting(plan) if plan else ""


def open_work(facts: Facts) -> list[str]:
    """Open work on record, most urgent first; a question that Claude asked comes last."""
    ask, plan = open_request(facts), awaited_plan(facts)
    found = [ask.quoted(LAST)] if ask else []
    for task in open_tasks(facts):
        since = sum(is_after(command.source, task.source) for command in facts.commands)
        more = f", {counted(since, 'command')} since" if since else ""
        doing = f" (in progress{more})" if task.state == "doing" else ""
        found.append(with_source(f"{task.text}{doing}", task.source))
    found += [waiting(plan)] if plan else []
    found += [*(step.line for step in open_steps(facts)), unanswered(facts)]
    return list(dict.fromkeys(filter(None, found)))


STANDING = ("plan", "plan without an answer", "plan sent back")
"""What stands before an undecided plan among the tasks; the first one in earlier versions."""


def waiting(plan: PlanFact) -> str:
    return f"{_standing(plan)}: {plan_line(plan)}"


def _standing(plan: PlanFact) -> str:
    return f"plan {plan_status(plan) or 'without an answer'}"


def _worked_since(facts: Facts, plan: PlanFact) -> bool:
    """Whether a file was changed or committed after the plan."""
    moments = [mark.source for mark in facts.landmarks]
    moments += [file.source for file in facts.modified_files if file.path != plan.path]
    return any(is_after(source, plan.source) for source in moments)


def _step(text: str) -> str:
    return brief(text.replace("**", ""))


_SETTLED = 320
_SIGN = 12  # characters of a reply that only picks an option
_WORD = re.compile(r"\w+")


class RecordedDecision(NamedTuple):
    """A decision with its reason, as seed 000 writes them: ``decision: reasoning``."""

    decision: str
    reason: str
    source: Source


_SAID_ON = {"rejection": "the user's words on refusing a step", "comment": "the user's words on a plan"}


def recorded_decisions(facts: Facts) -> list[RecordedDecision]:
    """Answers, replies to questions, refusals with words and decided plans, in the order of the session.

    Words that are none of the options offered count if a change followed them: others think aloud.
    """
    found = list(_plans(facts))
    answers = [answer for answer in facts.answers if not answer.own or _acted_on(facts, answer.source)]
    for answer in answers:
        chosen = brief(answer.answer, _SETTLED)
        if ask := _overruled(facts, answer):
            reason = f'said after "{chosen}", the answer to "{brief(answer.question)}"'
            found.append(RecordedDecision(ask.line, reason, ask.source))
            continue
        option = f'offered as "{brief(answer.option, _SETTLED)}", ' if answer.option.strip() else ""
        reason = f'{option}the user\'s answer to "{brief(answer.question, _SETTLED)}"'
        found.append(RecordedDecision(chosen, reason, answer.source))
    given = {answer.source for answer in answers}
    for ask in user_requests(facts):
        if (ask.source in given and len(ask.line) < _SIGN) or is_question(ask.line):
            continue
        if ask.turn and ask.turn.kind in _SAID_ON:
            found.append(RecordedDecision(ask.line, _SAID_ON[ask.turn.kind], ask.source))
        elif is_question(ask.question) and _acted_on(facts, ask.source):
            found.append(RecordedDecision(ask.line, f'the user\'s reply to "{ask.question}"', ask.source))
    return in_order(found)


def _overruled(facts: Facts, answer: Answer) -> UserRequest | None:
    """A later message most of whose words are those of an option that was not chosen."""
    mine, *others = (set(_WORD.findall(text.casefold())) for text in (answer.answer, *answer.others))
    for ask in user_requests(facts):
        said = set(_WORD.findall(ask.text.casefold()))
        alike = max((len(said & other - mine) for other in others), default=0)
        if len(said) > 1 and alike * 3 >= len(said) * 2 and is_after(ask.source, answer.source):
            return ask
    return None


def _acted_on(facts: Facts, source: Source) -> bool:
    """Whether a file was changed, or something committed, behind a place and within its turn."""
    turn = next((turn for turn in reversed(facts.turns) if turn.source.line <= source.line), None)
    files = (*facts.modified_files, *facts.shell_files)
    lines = [mark.source.line for mark in facts.landmarks]
    lines += [place.line for file in files for place in (file.source, file.last)]
    return turn is not None and any(source.line < line <= turn.last_line for line in lines)


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
    """The branch by Claude Code's records; beside it the one that git named where these never do."""
    named = facts.committed_on
    if named is None or named.text in facts.branches:
        return facts.branch
    return f"{facts.branch or 'none'} by Claude Code, {with_source(f'{named.text} by git', named.source)}"


_TITLE = 80
_OPENING = 30  # characters in which a request that is worded anew begins like the first
_QUESTION = 120  # longest question that is no task

LAST = "last asked"
_DRAFTED = re.compile(rf"^(?P<words>.+?) \((?:{LAST}|(?:approved|first|plan|title) [A-Za-z ]+)[,)]")
"""A drafted goal; those of earlier versions began with the last request or a pull request's title, too."""

_QUOTED = re.compile(r'^"(.+?)"(?=$| \()')
"""The quotation marks of a request, which its purpose may follow in brackets."""

ONLY_CAPTURE = "only the capture is known: its transcript is gone"
"""Sentence in all documents of a session whose transcript is deleted."""


def goal(facts: Facts) -> str:
    """The goal of the session: its plan's title, else the request for its work, and the pull request for it.

    A pull request is no goal by itself, as it may bundle other work.
    """
    if plan := plan_in_force(facts) or awaited_plan(facts):
        return plan_line(plan, "approved plan" if plan.fate == "approved" else _standing(plan))
    ask, label = _asked(facts)
    text, source = ask.with_purpose if ask else "", ask.source if ask else NOWHERE
    if facts.turns and facts.titled.line > facts.turns[0].last_line:
        by = "the user" if facts.titled.speaker == "user" else "Claude"
        text, label, source = brief(facts.title, _SETTLED), f"title by {by}", facts.titled
    where, pull = citation(source), facts.pull_title
    aim = f"{text} ({label}{f', {where}' if where else ''})" if text else ""
    made = with_source(f'pull request "{brief(pull.text, _SETTLED)}"', pull.source) if pull else ""
    return "; ".join(filter(None, (aim, made)))


def _asked(facts: Facts) -> tuple[UserRequest | None, str]:
    """The user's own plan, or the first request that was no question answered at once, as worded last."""
    asked, stated = telling_requests(facts)[::-1], stated_plan(facts.asked)
    for ask in asked[1:]:
        if ask.text.strip() == stated:
            return ask, "plan as asked"
    if not asked:
        return None, ""
    work = [ask for ask in asked if says_something(ask.text) and not _is_answered(facts, ask)]
    first = work[0] if work and _is_answered(facts, asked[0]) else asked[0]
    words = one_line(first.text)
    opening = words[: max(_OPENING, len(words) // 2)]
    again = [ask for ask in asked[asked.index(first) + 1 :] if one_line(ask.text).startswith(opening)]
    if again and len(words) >= _OPENING:
        return again[-1], "first request, as worded last"
    return first, "first asked" if first is asked[0] else "first request after questions"


def _is_answered(facts: Facts, ask: UserRequest) -> bool:
    """Whether a bare question was answered in its turn: nothing was changed, and nothing asked back."""
    turn = ask.turn
    if turn is None or turn.end != "answered" or turn.closing is None or is_question(turn.closing.text):
        return False
    return len(ask.text) <= _QUESTION and is_question(ask.text) and not _acted_on(facts, turn.source)


def telling_requests(facts: Facts) -> list[UserRequest]:
    """The user's requests, newest first, without bare commands and signs typed to choose from a list."""
    found = user_requests(facts)
    told = [
        ask
        for ask in found
        if ask.about or (not is_bare_command(ask.line) and sum(map(str.isalpha, ask.line)) > 1)
    ]
    return told or found[-1:]


def goal_words(text: str) -> str:
    """The plan's title or the request alone of what `goal` worded; other goals as they are."""
    found = _DRAFTED.match(text)
    return _QUOTED.sub(r"\1", found["words"]) if found else text


def title_of(facts: Facts) -> str:
    """A short name for a session: the title of its plan, its own, its pull request's, else the request.

    Claude's title may be older than the request.
    """
    plan, (asked, _) = plan_in_force(facts) or awaited_plan(facts), _asked(facts)
    older = facts.titled.speaker != "user" and asked and is_after(asked.source, facts.titled)
    named = _work_of(asked, facts) if asked else ""
    candidates = (
        plan_title(plan) if plan else "",
        "" if older else facts.title,
        facts.pull_title.text if facts.pull_title else "",
        named,
        *(_work_of(ask, facts) for ask in reversed(user_requests(facts))),
    )
    lines = [one_line(text) for text in candidates if text.strip()]
    # A bare command that did nothing is no goal: any words are better.
    worked = asked is not None and asked.about != ""
    telling = (line for line in lines if not is_bare_command(line) or (worked and line == named))
    return shortened(next(telling, (lines or [""])[0]), _TITLE)


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
