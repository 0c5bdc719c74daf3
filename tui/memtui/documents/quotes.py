"""The words of the user and of Claude, quoted with the transcript line that they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from memtui.documents.markdown import Section, name_of, parse_items, render_items
from memtui.ground.clock import parse_iso, to_local
from memtui.secrets.secrets import masked
from memtui.transcript import records
from memtui.transcript.checks import bare_command, is_lookup, last_check
from memtui.transcript.pasted import NAMED
from memtui.transcript.paths import shown_path
from memtui.transcript.plans import plan_title
from memtui.transcript.records import NOWHERE, WITHOUT_WORDS, Facts, PlanFact, Quote, Source, Turn, in_order
from memtui.transcript.sentences import is_question
from memtui.transcript.shell import SHELL_TOOLS
from memtui.transcript.short_text import ends_of, one_line, says_something, shortened, tokens, whole_sentences
from memtui.transcript.turns import options_in

_CITED = r"\s*\((?:[^()]{0,40}, )?(?:agent-[\w-]{1,100} )?L\d{1,9}(?: \d\d:\d\d)?(?:, [^()]{0,40})?\)$"


def citation(source: Source, *, clock: bool = False) -> str:
    """``L476``; with `clock`, for people, ``L476 14:53`` in local time; "" if the line is unknown.

    A line of a subagent's own transcript is ``agent-a1b2c3 L12``.
    """
    where = f"L{source.line}" if source.line else source.agent_line
    moment = parse_iso(source.timestamp) if clock and where else None
    return f"{where} {to_local(moment):%H:%M}" if moment is not None else where


TICKED = "ticked by Claude"


def with_source(text: str, source: Source, *, clock: bool = False, by: str = "") -> str:
    """``text (L476)``, or ``text (by, L476)``; the text alone if the line is unknown."""
    where = citation(source, clock=clock)
    return f"{text} ({', '.join(filter(None, (by, where)))})" if where else text


def source_label(label: str, source: Source) -> str:
    """``label (L476):``, to precede the content of that line."""
    return f"{with_source(label, source)}:"


def without_source(text: str) -> str:
    return re.sub(_CITED, "", text)


_WIDTH = 400
LAST = "last asked"
CORRECTIONS = ("rejection", "comment")  # turns that begin with words on a call or a plan of Claude's
_STEPS = 3  # a long request is shortened to its numbered steps if it has at least so many
_BARE = 20  # tokens of an earlier closing message that only says that something is done
_REPLY = 15  # longest reply that says little without its question, in tokens
_QUESTION, _LOOKED_AT, _CALL = 120, 500, 80
_SENTENCES = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？：])(?=.)|\n")  # ends of sentences


class UserRequest(NamedTuple):
    """The user's words that opened a turn."""

    text: str
    """The words, with pasted blocks replaced by their names."""
    source: Source
    about: str = ""
    """Purpose of a slash command, see `Turn.about`; not the user's words."""
    question: str = ""
    """Claude's preceding question or the interrupted request, if the words are unclear without it."""
    turn: Turn | None = None
    refused: str = ""
    """The call that the words refused, if it was not made later."""

    @property
    def line(self) -> str:
        """The words on one line; of a long message the steps that it numbers, else whole sentences."""
        return _gist(self.text, _WIDTH)

    @property
    def after(self) -> str:
        """In brackets, the question before, or what was refused."""
        if self.refused:
            return f" (refusing {self.refused})"
        return f' (after "{self.question}")' if self.question else ""

    @property
    def is_clear(self) -> bool:
        """Whether the words say something: a bare “yes” does not without its question."""
        return bool(self.about or self.after) or says_something(self.text) or self.text.startswith("/")

    def quoted(self, label: str) -> str:
        """``label (L476): "words"``."""
        return f"{source_label(label, self.source)} {self.with_purpose}"

    def named(self, label: str, width: int = 0) -> str:
        """``"words" (label, L476)``, the words alone and shortened if there is a `width`."""
        words = f'"{_gist(self.text, width)}"' if width else self.with_purpose
        return f"{words} ({', '.join(filter(None, (label, citation(self.source))))})"

    @property
    def with_purpose(self) -> str:
        """``"words"``, and in brackets the purpose of a slash command or the question before."""
        return f'"{self.line}"{f" ({self.about})" if self.about else self.after}'


def _gist(text: str, width: int) -> str:
    """A text on one line; a long one as its first line, numbered steps and last line, or whole sentences."""
    text = text.strip()
    if len(text) <= width:
        return one_line(text)
    steps = [each[0].strip() for each in options_in(text).values()]
    if len(steps) < _STEPS:
        return one_line(whole_sentences(text, width))
    lines = [line for each in text.split("\n") if (line := each.strip())]
    told = {lines[0], *steps, lines[-1]}
    room, found = width // len(told), list[str]()
    for line in lines:
        if line in told:
            found.append(shortened(line, room))
        elif found[-1] != "…":
            found.append("…")
    return one_line(" ".join(found))


def named_call(facts: Facts, call: records.Action | records.ErrorFact, root: Path | None, width: int) -> str:
    """``Bash `npm test```: a call's tool and target."""
    shell = call.tool in SHELL_TOOLS
    target = bare_command(call.target, facts.cwd) if shell else one_line(shown_path(call.target, root))
    return f"{call.tool} `{shortened(target, width)}`" if target else call.tool


def user_requests(facts: Facts) -> list[UserRequest]:
    """The user's requests, newest first; for a plan given to a fresh context only its title."""
    found: list[UserRequest] = []
    later = ""
    refused = {each.source.line: named_call(facts, each, Path(facts.cwd), _CALL) for each in facts.refusals}
    for at, turn in reversed(list(enumerate(facts.turns))):
        if turn.kind in WITHOUT_WORDS or not turn.ask.strip():
            continue
        words = one_line(turn.ask)
        # The user took the words back when they follow once more, or with more of them.
        taken_back = turn.end == "interrupted" or not (turn.calls or turn.closing)
        if not (later.startswith(words) and taken_back) or (later == words and turn.calls):
            question = _question(turn, facts.turns[:at])
            call = refused.get(turn.source.line, "")
            found.append(UserRequest(_words(turn, facts), turn.source, turn.about, question, turn, call))
        later = words
    if found or not facts.first_prompt.strip():
        return found
    # Of a capture only the first words are known; a subagent's transcript begins with its task.
    first = facts.turns[0] if facts.turns else None
    source = first.source._replace(speaker="user") if first is not None and first.kind == "start" else NOWHERE
    return [UserRequest(facts.first_prompt, source)]


def _question(turn: Turn, before: tuple[Turn, ...]) -> str:
    """Claude's question before a short or numbered reply; the request that a message interrupts or joins."""
    reply, last = NAMED.sub("", turn.ask).strip(), before[-1] if before else None
    is_short = turn.kind == "typed" and tokens(reply) <= _REPLY and not is_question(reply)
    if last and turn.kind == "queued" and last.end == "running":
        orders = (each.ask for each in reversed(before) if each.kind not in ("queued", *CORRECTIONS))
        return one_line(ends_of(next(orders, "").strip(), _QUESTION))
    if last and is_short and last.end == "interrupted" and last.ask.strip() != reply:
        return one_line(ends_of(last.ask.strip(), _QUESTION))
    if last is None or last.closing is None or last.end != "answered" or turn.kind != "typed":
        return ""
    points = options_in(reply).keys()
    answers = len(points) > 1 and points <= options_in(last.closing.text).keys()
    return last_question(last.closing) if is_short or answers else ""


def last_question(said: Quote) -> str:
    """The question that ends a message; "" for none."""
    last = _SENTENCES.split(said.text.rstrip()[-_LOOKED_AT:])[-1]
    return ends_of(one_line(last), _QUESTION) if is_question(last) else ""


def last_request(facts: Facts) -> UserRequest | None:
    """The request that runs: words on refusing a call, or on a plan, correct it."""
    asked = user_requests(facts)
    return next((ask for ask in asked if not (ask.turn and ask.turn.kind in CORRECTIONS)), None)


def label_of(facts: Facts, ask: UserRequest) -> str:
    """``last asked``; ``last said`` of words on a call or plan; ``asked`` if newer words or answers exist."""
    newest = [asked.source for asked in user_requests(facts)[:1]] + [each.source for each in facts.answers]
    if any(records.is_after(each, ask.source) for each in newest):
        return "asked"
    return "last said" if ask.turn and ask.turn.kind in CORRECTIONS else LAST


def _words(turn: Turn, facts: Facts) -> str:
    if chosen := [each.answer for each in facts.answers if each.source == turn.source]:
        return f"{turn.ask} [{chosen[0]}]"
    if turn.kind != "plan":
        return turn.ask
    for plan in facts.plans:
        content = plan.content.strip()
        if content and content in turn.ask:
            before = turn.ask.partition(content)[0]
            return f"{before.rstrip()} [plan: {plan_title(plan)}]".lstrip()
    return turn.ask


def plan_line(plan: PlanFact, label: str = "") -> str:
    """A plan on one line: its title, what it is, its file, its line."""
    where = ", ".join(part for part in (label, shown_path(plan.path, None), citation(plan.source)) if part)
    return f"{shortened(one_line(plan_title(plan)), _WIDTH)}{f' ({where})' if where else ''}"


HEADING = "IN THEIR OWN WORDS"
FIRST_LINE = "Newest first; what is newer holds."

_ROOM = 100  # minimum room for another quote, in characters

CLAUDE, AT_WORK, USER = "Claude", "Claude, at work", "User"
_LIMITS = {CLAUDE: (4_000, 4_000), AT_WORK: (500, 1_000), USER: (750, 4_000)}
"""Maximum length of one quote of a speaker, unless there is room, and of all of them, in characters."""
_OLD, _OLDER = 300, 12  # length of the user's words before those, and number of them


def quotes_section(facts: Facts) -> tuple[Section, ...]:
    """The section, with secrets masked; empty without any known words."""
    found = [(said, who) for who in _LIMITS for said in quotes_of(who, facts)]
    found.sort(key=lambda each: (each[0].source.line, each[0].source.timestamp), reverse=True)
    edited = max((records.later(file.source, file.last).line for file in facts.modified_files), default=0)
    old = f"{CLAUDE}, before later edits"
    named = ((said, old if who == CLAUDE and said.source.line < edited else who) for said, who in found)
    items = [f"{citation(said.source)} {who}: {masked(said.text)}".lstrip() for said, who in named]
    return (Section(heading=HEADING, text=f"{FIRST_LINE}\n{render_items(items)}"),) if items else ()


def quotes_of(who: str, facts: Facts) -> list[Quote]:
    """Words of a speaker, newest first, as many as fit.

    Claude's are the newest message that closed a turn, longer ones before it, and the last words of a turn
    that runs, unless a check that ran after them may have refuted them.
    """
    said: Sequence[Quote | UserRequest] = _words_of_user(facts) if who == USER else ()
    closed = [turn.closing for turn in facts.turns[::-1] if turn.closing and turn.end == "answered"]
    if who == CLAUDE:
        said = [*closed[:1], *(each for each in closed[1:] if tokens(each.text) > _BARE)]
    elif who == AT_WORK:
        check = last_check(facts)
        told = [turn.closing for turn in facts.turns[-1:] if turn.closing and turn.end == "running"]
        said = [each for each in told if not (check and records.is_after(check.source, each.source))]
    width, room = _LIMITS[who]
    after = [each.after if isinstance(each, UserRequest) else "" for each in said]
    spare = max(0, room - sum(min(len(each.text), width) for each in said) - sum(map(len, after)))
    kept: list[Quote] = []
    for number, each in enumerate(said):
        text = ends_of(each.text.strip(), width + spare)
        spare -= max(0, len(text) - width)
        words = "\n".join(map(str.rstrip, text.split("\n")))
        words += after[number] if words else ""
        shows = who == USER or "```" in words  # blank lines, too, as they are to be printed
        bare = re.sub(r"\s*\n\s*\n", "\n\n" if shows else "\n", words)
        room -= len(bare)
        if room < 0:
            older = said[number : number + _OLDER if who == USER else 0]
            return kept + [Quote(ends_of(one_line(old.text), _OLD), old.source) for old in older]
        kept.extend([Quote(bare, each.source)] if bare else [])
    return kept


def work_lines(facts: Facts) -> Iterator[int]:
    """The lines of the first and last change of each file, of commits, and of commands that do something."""
    for file in (*facts.modified_files, *facts.shell_files):
        yield from (file.source.line, file.last.line)
    yield from (mark.source.line for mark in facts.landmarks)
    yield from (command.source.line for command in facts.commands if not is_lookup(command.text))


def _words_of_user(facts: Facts) -> list[Quote | UserRequest]:
    """The user's requests and answers that were none of the options, newest first."""
    own = (Quote(answer.answer, answer.source) for answer in facts.answers if answer.own)
    asked = user_requests(facts)
    words: list[Quote | UserRequest]
    words = [*(ask for ask in asked[::-1] if ask.is_clear or ask is asked[-1]), *own]
    return in_order(words)[::-1]


def with_fewer_quotes(section: Section, room: int) -> Section:
    """The section with its newest quotes, shortened, in as many characters."""
    kept: list[str] = []
    for item in parse_items(section.text.split("\n")[1:]):
        kept.append(ends_of(item, max(_ROOM, room // 5)))
        room -= len(kept[-1])
        if room < 0:
            del kept[-1]
            break
    return replace(section, text="\n".join(filter(None, (FIRST_LINE, render_items(kept)))))


def is_quotes(section: Section) -> bool:
    """Whether a section is the one that `quotes_section` makes."""
    return name_of(section.heading) == name_of(HEADING)


def with_new_quotes(sections: Iterable[Section], quotes: Iterable[Section]) -> tuple[Section, ...]:
    """A document's additional sections with the newest quotes in place of earlier ones."""
    return (*(each for each in sections if not is_quotes(each)), *quotes)
