"""Reads a conversation message by message, and yields the lines that a summary may lose."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from memtui.lost.records import PLAN, QUOTE, Kind, Row, Standing
from memtui.secrets.secrets import masked
from memtui.transcript.checks import is_check, is_lookup
from memtui.transcript.events import (
    Call,
    Event,
    Expansion,
    Queue,
    Queued,
    Result,
    Said,
    Words,
    events_of,
    is_ask,
    said_with_rejection,
)
from memtui.transcript.lines import read_lines
from memtui.transcript.outcomes import outcome_of, target_of
from memtui.transcript.pasted import without_pasted
from memtui.transcript.paths import Kind as FileKind
from memtui.transcript.paths import name_of, role_of
from memtui.transcript.plans import edited
from memtui.transcript.procedure import advice, due, is_stressed
from memtui.transcript.records import Source
from memtui.transcript.sentences import announces, is_question, is_rule, sentences
from memtui.transcript.shell import AGENT_TOOLS, EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS
from memtui.transcript.short_text import ends_of, is_bare_command, one_line, shortened
from memtui.transcript.text import COMMAND, IDENTIFIER, SHELLS, commands_in, fenced, named, unfenced, words
from memtui.transcript.turns import chosen_of, options_in
from memtui.transcript.words import queued_words, without_blocks

_COUNTED = re.compile(
    r"\b\d+ (?:\w+ )?(?:passed|failed|tests?|files?|errors?|warnings?|skipped|lines)\b", re.I
)
"""Counts of a run, which the next run overtakes."""
_PLAN_FILE = re.compile(
    r"^(?!.*/(?:commands|skills)/)(?:.*/)?"
    r"(?:(?:plans?|todos?|tasks?)/(?:[^/]+/)*[^/]+|[^/]*(?:plan|todo|task|roadmap)[^/]*)\.(?:md|txt)$",
    re.I,
)
_GUIDE = re.compile(r"(?:^|/)(?:AGENTS|CONTRIBUTING|GEMINI)(?:\.\w+)*\.md$", re.I)
"""Not CLAUDE.md, which Claude Code hands over again after each compaction."""
_NUMBERED_LINE = re.compile(r"^ *\d+(?:→|\t)", re.MULTILINE)
"""The number before a line that is read (Claude Code fact)."""
_ASKS_FOR = re.compile(r"(?:can|could|would|will) (?:you|we|i)\b|`[^`]+`\W*$", re.I)
"""The beginning of a request, which is no rule; or a line that only quotes a program's message."""
_TALKS = ("ExitPlanMode", "AskUserQuestion")
"""Tools by which Claude asks the person."""
_LIMITS = re.compile(r"^(?:no|never|not|do not|don't|without|only|kein|nicht|pas de|sin|не|不|禁止)\b", re.I)
_HANDLE = "agentId: "  # beginning of the block that Claude Code appends to a subagent's report
_RECEIPT = re.compile(r"[^\n]{1,80}\n\s*agent_?id: ", re.IGNORECASE)
"""The beginning of what Claude Code says when a subagent was only started."""
_NOTICE = re.compile(r"<result>(.*)</result>", re.DOTALL)
_REPORT = 80
"""The most sentences of one report."""
_MESSAGE = 60
"""The most sentences of one message."""
_PASTED = 800
"""The middle of a longer message of the person is rather pasted than said."""
_PASTE = re.compile(r"^\[pasted at .*", re.MULTILINE)
_SHORT, _ABOUT = 200, 160
_YES, _CHOICE = 3, 6
"""The most words of a mere yes to a question, and of a reply that only chooses, which is an answer."""
_AGREES = re.compile(
    r"\W*(?:(?:y|yes|yeah|yep|yup|ok|okay|sure|fine|good|great|perfect|agreed|right|correct|exactly|please|lgtm"
    r"|go (?:on|ahead|for)|do (?:it|that|so)|proceed|continue|sounds|looks|ja|jo|genau|gut|passt|mach|weiter"
    r"|oui|d'accord|vas-y|si|sí|vale|claro|sim|да|ок|давай|хорошо)\b|[好行是对對嗯]|可以|继续|はい|うん|お願い|네|응|좋)",
    re.I,
)
_MORE = re.compile(
    r"\b(?:and|but|with(?! (?:option )?[A-H1-9]\b)|without|also|plus"
    r"|except|only|instead|rather|first|later|not?|stop|wait|use|take|und|aber|mit|ohne|nur|nicht"
    r"|erst|et|mais|avec|sans|pas|pero|con|sin|и|но|не)\b|n't\b|[但并並不别別先]|けど|でも|ない",
    re.I,
)
"""Words by which a yes or a choice says more than that, as “yes, but …”."""
_POINTS = re.compile(
    r"(?:[^\w\n]*[^\W_]+[^\w\n]+){0,3}(?:this|that|these|those|it|them|das|dies\w*|cela|ça|eso|esto|это)\b"
    r"|\W?[A-Za-z1-9][.):,]\s|[^\n]{0,6}(?:[这那]|これ|それ)",
    re.I,
)
"""A beginning that points at what was said before, or the letter of an option."""
_PERSONA = re.compile(r"you are (?:an?|the) ", re.I)
_BEGINNING = 40  # characters by which a line is found in its text
_ALIKE = 4  # characters by which functions are of one kind: Test, test
_PUSHED = re.compile(r"^\s*(?:\S+\.\.\S+|\* \[new branch\])\s+\S+ -> \S+", re.MULTILINE)
"""Git's line about a branch that was pushed."""
RECENT = 0.5
"""Part of a transcript whose failures and plan files count as open no more: there was work since."""
_IN_USE, _REMEMBERED = 2, 4
"""The last commands and skills, whose steps may still be due; and those whose rules may be in force."""
_PROPER = re.compile(r"(?<=[a-z,] )[A-Z]\w{2,}|[A-Z]\w{2,}(?= [A-Z])|`[^`\n]+`")
"""A name within a sentence."""
_PROGRAM = re.compile(r"(?:^|[;&|(`])\s*([a-z][\w./-]*)\s", re.MULTILINE)
"""The programs of a shell's line, and those of commands that are quoted."""
_BOX = re.compile(r"^[ \t]*[-*+][ \t]+\[([ xX])\][ \t]+(\S.*)$", re.MULTILINE)
_TABLE_ROW = re.compile(
    r"^[ \t]*\|((?!\s*:?-{2,})[^\n]{12,}?)\|[ \t\r]*$(?!\n[ \t]*\|[ \t]*:?-{2,})", re.MULTILINE
)
ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.+)$", re.MULTILINE)
_NUMBERED_ITEM = re.compile(r"^[ \t]*\d{1,2}[.)]\s+(.+)$", re.MULTILINE)
_WORDS = re.compile(r"\w+")
_REASON = 8
"""The least words of a sentence of Claude's that names nothing."""
_REQUEST_URL = re.compile(r"https?://\S+/(?:pull|merge_requests|issues)/\d+")
_DECLARED = re.compile(
    r"\s*(?:async )?(?:func|def|fn|class|it|test|describe|fun|public \w+)\b\s*(?:\([^()]*\) )?"
    r"\(?[\"'`]?\s*(\w+).{3,}"
)


def spoken(conversation: Conversation, transcript: Path, stop: int | None) -> Iterator[Row]:
    """Read a transcript up to a byte offset; the candidates in it, in the order of their lines."""
    for line in read_lines(transcript, stop=stop):
        for record in line.records:
            if record.get("isSidechain") is not True:
                stamp = str(record.get("timestamp") or "")
                source = Source(line.number, line.offset, stamp, "user")
                for event in events_of(record):
                    yield from conversation.take(event, source)
    yield from conversation.end()


class Conversation:
    """Reads the events of a conversation in order."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._expansions: dict[str, tuple[str, Source]] = {}
        """The text of commands and skills, by name."""
        self._ran: list[tuple[int, str]] = []
        """Commands, each with its line."""
        self._used: dict[str, int] = {}
        """Programs and identifiers that calls were made with, or that the person has named: where last."""
        self._refused: dict[str, list[Row]] = {}
        self._boxes: dict[str, Row] = {}
        """Boxes that nobody has ticked."""
        self._documents: dict[str, tuple[str, Source]] = {}
        """Plans, guides and what Claude was told to read, by path: text and where."""
        self._plan = ""
        """The path of the plan file that was read last."""
        self._written: list[tuple[int, str, str]] = []
        self._queued = self._name = ""
        self._line = 0
        self.pushed: Row | None = None
        """The last push, as git printed it."""
        self._text = self._last = ""
        self._told: list[Row] = []
        """Claude's last text, its last sentence, and its lines with its question until somebody goes on."""
        self._answered = 0
        """The line at which the person spoke or answered, until the next call."""
        self.begun: set[int] = set()
        """Such lines of which a skill or changes were the outcome: what was chosen there has been done."""
        self._asks = ""
        """The last question of Claude's last text."""
        self._heard = ""
        """Claude's words since the person's last message, without punctuation."""
        self._asked: list[Row] = []
        self._held: list[Row] = []
        """The lines of the person's last message, and requests of the one before, while they are open."""
        self._changed = False
        """Whether code was changed since, or a command has done more than look or check."""
        self._messages: list[tuple[int, str]] = []
        """The person's messages, each with its line."""

    def take(self, event: Event, source: Source) -> Iterator[Row]:
        self._line = source.line
        if isinstance(event, Words | Queued | Queue):
            yield from self._person(event, source)
        elif isinstance(event, Expansion) and self._name:
            self._expansions.pop(self._name, None)
            self._expansions[self._name], self._name = (event.text, source), ""
        elif isinstance(event, Said) and not event.agent:
            source = source._replace(speaker="model")
            yield from self._flush()
            self._text, self._told = event.text, [*_said(event.text, source)]
            told = [*sentences(masked(event.text))]
            self._last = told[-1] if told else self._last
            self._asks = next(filter(is_question, reversed(told)), "")
            self._tick("" if self._asks else event.text, source)  # boxes of a proposal are not due
            self._heard += f" {bare(event.text)} "
            asked = Row("ask", shortened(self._last, QUOTE), source, "open")
            self._told += [asked] if is_question(self._last) else []
        elif isinstance(event, Call) and event.agent:
            self._use(target_of(event))
            if event.name in SHELL_TOOLS:
                self._ran.append((source.line, one_line(target_of(event))))
        elif isinstance(event, Call):
            self._calls[event.id] = event
            self._use(f"{target_of(event)}\n{event.input.get('prompt', '')}")
            if event.name == "Skill":
                self._name = str(event.input.get("skill", ""))
                self.begun.add(self._answered)
            self._answered = 0
        elif isinstance(event, Result) and (call := self._calls.pop(event.id, None)):
            if call.name in SHELL_TOOLS and outcome_of(event) != "rejected":
                self._ran.append((source.line, one_line(target_of(call))))
            yield from self._result(call, event, source._replace(speaker="tool"))

    def _use(self, text: str) -> None:
        self._used |= dict.fromkeys((*_PROGRAM.findall(text), *named(text)), self._line)

    def _result(self, call: Call, result: Result, source: Source) -> Iterator[Row]:
        target = target_of(call)
        if call.name in _TALKS:
            self._answered = source.line
        # What was done in the end was not refused for good; but an edit was then made as the person said.
        said = self._refused.pop(_aim(call), [])[1:]
        made = outcome_of(result) not in ("rejected", "failed")
        obeyed = made and role_of(target).kind is FileKind.DOCS  # by a text that has it
        said = [replace(each, kind="ask", standing="spent") if obeyed else each for each in said]
        yield from said if call.name in EDIT_TOOLS else ()
        if outcome_of(result) in ("rejected", "failed"):
            if reason := said_with_rejection(result):
                by = source._replace(speaker="user")
                words = [*_of_person(reason, by)]
                if call.name in _TALKS:  # in force, even if a later plan was approved
                    yield from words
                rules = [] if call.name in _TALKS else [each for each in words if each.kind == "rule"]
                self._refused[_aim(call)] = [_refused(call, reason, by), *rules]
        elif call.name in READ_TOOLS:
            self._open(target, result.text, source)
        elif call.name in EDIT_TOOLS:
            self._write(call, target, source)
        elif call.name in AGENT_TOOLS:
            yield from _read(_report_of(result), source)
        elif call.name in SHELL_TOOLS:
            self._tick(str(call.input.get("command", "")), source)
            self._run(target, result.text, source)

    def _open(self, path: str, text: str, source: Source) -> None:
        """Note a file that was read, if it tells what to do."""
        self._plan = path if _PLAN_FILE.search(path) else self._plan
        if path == self._plan or _GUIDE.search(path) or self._is_told(path):
            self._documents[path] = _prose(text), source

    def _write(self, call: Call, target: str, source: Source) -> None:
        self._changed = self._changed or role_of(target).kind < FileKind.DOCS
        self._written.append((source.line, target, "\n".join(map(str, call.input.values()))))
        is_plan = _PLAN_FILE.search(target)
        if "content" in call.input and (is_plan or target in self._documents):
            self._documents[target] = masked(str(call.input["content"])), source
        elif target in self._documents:
            text, begun = self._documents[target]
            self._documents[target] = masked(edited(text, call.input)), begun
        if is_plan and "/.claude/plans/" not in target and role_of(target).kind is not FileKind.SCRATCH:
            self._plan = target

    def _is_told(self, path: str) -> bool:
        """Whether a file belongs to a skill, or is a document that the person, a command or a skill names."""
        if "/skills/" in path.replace("\\", "/"):
            return path.endswith((".md", ".txt"))
        name, expanded = name_of(path), (text for text, _ in self._expansions.values())
        said = itertools.chain((text for _, text in self._messages), expanded)
        return role_of(path).kind is FileKind.DOCS and any(name in text for text in said)

    def _run(self, command: str, output: str, source: Source) -> None:
        """Note a command that went well."""
        self._changed = self._changed or not (is_lookup(command) or is_check(command))
        if "push" in command and (found := _PUSHED.search(output)):
            self.pushed = Row("name", f"pushed: {one_line(found[0])}", source)

    def _tick(self, text: str, source: Source) -> None:
        """Note the boxes in a text of Claude's."""
        for box, item in _BOX.findall(text):
            item = shortened(one_line(masked(item)).replace("**", ""), QUOTE)
            self._boxes.pop(item, None)
            if box == " " and len(words(item)) > 1:
                self._boxes[item] = Row("task", item, source)

    def written_after(self, line: int, but: str = "") -> str:
        """What was written into files after a line, without one of them."""
        return "\n".join(text for at, path, text in self._written if at > line and path != but)

    def names_later(self, text: str, line: int) -> bool:
        """Whether the person has named after a line what a text names."""
        later = [said for at, said in self._messages if at > line]
        return any(name in said for name in _PROPER.findall(text) for said in later)

    def _person(self, event: Words | Queued | Queue, source: Source) -> Iterator[Row]:
        text = event.text
        if isinstance(event, Words):
            self._name = text.split(maxsplit=1)[0] if event.kind == "command" and text else ""
            if event.kind == "notification":
                yield from _read(_report_in(text), source._replace(speaker="tool"))
            if not is_ask(event) or text == self._queued:
                return
        elif isinstance(event, Queue):
            if event.operation != "enqueue":
                return
            text = self._queued = queued_words(text)
        self._answered = source.line
        if self._changed and self._messages:
            self.begun.add(self._messages[-1][0])
        self._messages.append((source.line, text))
        self._use(text)
        text = "" if is_bare_command(text) else text
        offered = options_in(self._text) if self._asks else {}
        options = (f"{sign}. {offered[sign.casefold()]['text']}" for sign in chosen_of(text, offered))
        chosen = masked(" ".join(one_line(each.partition(" | ")[0]) for each in options))
        # What “this” is stands in Claude's question or, without one, in what the person said before.
        question = shortened(self._asks, _ABOUT // 2) if chosen else self._asks
        before = f"{question} {chosen}".strip() or " ".join(row.text for row in self._asked) or self._last
        points = len(text) <= _SHORT and (chosen or _POINTS.match(text))
        yield from self._spent()
        over = " ".join(bare(each[0]) for sign, each in offered.items() if chosen or sign.isalpha())
        least = _CHOICE if chosen else _YES if _AGREES.match(text) else 0
        least = least if self._asks and not _MORE.search(text) else 0
        yield from self._flush(over)
        self._asked = own = [
            row
            for row in placed(_of_person(text, source), masked(text))
            if f" {bare(row.text)} " not in self._heard
            if row.kind != "ask" or named(row.text) or len(words(row.text)) > least
        ]
        if points and own:
            own[0] = replace(own[0], about=shortened(before.replace("**", ""), _ABOUT))
            if chosen and own[0].kind == "rule":  # it has the answer
                self.begun.add(source.line)
        self._heard, self._changed = "", False

    def _flush(self, over: str = "") -> Iterator[Row]:
        """What Claude said last, without its question and the options that are over."""
        yield from (row for row in self._told if row.kind != "ask" and bare(row.text) not in over)
        self._told = []

    def _spent(self) -> Iterator[Row]:
        """The last message's lines but open requests, and the requests that are spent by now.

        A request is spent once work followed it, or a question beside it was answered, or two more messages
        were sent.
        """
        if not (self._asked or self._changed):  # after a mere “go on”, what waits goes on waiting
            return
        requests = [row for row in self._asked if row.kind == "ask"]
        spent = self._changed or any(is_question(row.text) for row in self._asked)
        over, self._held = ([*self._held, *requests], []) if spent else (self._held, requests)
        yield from (replace(row, standing="spent") for row in over)
        yield from (row for row in self._asked if row.kind != "ask")

    def end(self) -> Iterator[Row]:
        """The steps of the last commands and skills, what stayed refused, and an unanswered question."""
        yield from (*self._told, *self._held, *self._asked)
        latest = [*reversed(self._expansions.values())][:_REMEMBERED]
        for number, (text, source) in enumerate(latest):
            ran = [command for line, command in self._ran if line > source.line]
            source = source._replace(speaker="claude code")
            # The third message of the person after a command or skill was begun ends it.
            over = next(iter([line for line, _ in self._messages if line > source.line][2:]), 0)
            for step, is_due in due(text, {*self._used}, ran):
                kind: Kind = "rule" if step.rule else "step"
                quote = shortened(step.text, QUOTE)
                each = Row(kind, quote, source, "open" if is_due else "unknown", step.command)
                parts = {part for name in named(each.text) for part in (name, *name.split("/"))}
                if over and each.kind == "rule" and all(self._used.get(part, 0) < over for part in parts):
                    continue  # of a procedure that has ended
                if number == 0 or is_stressed(each.text) or (number < _IN_USE and each.kind == "step"):
                    yield each
            for told in sorted(advice(text), key=is_stressed, reverse=True) if number < _IN_USE else ():
                holds: Standing = "open" if number == 0 and not over and is_rule(told) else "unknown"
                yield Row("finding", shortened(told, QUOTE), source, holds)
        yield from self._boxes.values()
        for found in self._refused.values():
            yield from found
        for path, (text, source) in self._documents.items():
            yield from self._of_document(path, text, source)

    def _of_document(self, path: str, text: str, source: Source) -> Iterator[Row]:
        text = _BOX.sub(lambda box: box[0] if box[1] == " " else "", text)
        unticked = {one_line(item).replace("**", "") for box, item in _BOX.findall(text) if box == " "}
        plan = path == self._plan
        given = (plan or not _PLAN_FILE.search(path)) and path not in {each for _, each, _ in self._written}
        written = self.written_after(source.line, path) if plan else ""
        in_use = plan and source.line >= RECENT * self._line  # else its steps may be done
        lines = itertools.islice(plan_lines(text, source, written), None if plan else _REPORT)
        for row in placed(lines, text):
            # The file still has them: only commands and boxes are worth more than a look into it.
            if in_use and row.text in unticked:
                yield replace(row, kind="step", standing="open")
            elif in_use and row.kind == "step" and runs_check(row.text):
                yield row
            else:
                due = row.text in unticked and not plan
                holds = given and (due or is_rule(row.text))  # nobody has changed it
                yield replace(row, kind="finding", target="", standing="open" if holds else "unknown")


def runs_check(text: str) -> bool:
    """Whether one of the commands that a text quotes is a check."""
    return any(is_check(each.strip("`")) for each in COMMAND.findall(text))


def bare(text: str) -> str:
    """The words of a text in their order, without signs."""
    return " ".join(_WORDS.findall(text.casefold()))


def _of_person(text: str, source: Source) -> Iterator[Row]:
    own = _PASTE.sub("", without_pasted(masked(text), source)[0])
    said = [*sentences(own), *commands_in(own)]
    for number, sentence in enumerate(said):
        if _PERSONA.match(sentence) and not is_rule(sentence):
            continue
        told = _LIMITS.search(sentence) or COMMAND.search(sentence)
        rule = is_rule(sentence) or (told is not None and not announces(sentence))
        rule = rule and _ASKS_FOR.match(sentence) is None
        if rule or len(text) <= _PASTED or number < 3 or number >= len(said) - 3:
            kind: Kind = "rule" if rule and len(text) <= _PASTED else "ask"
            yield Row(kind, ends_of(sentence, QUOTE), source)
        elif _tells(sentence):
            yield Row("report", ends_of(sentence, QUOTE), source)


def _refused(call: Call, reason: str, source: Source) -> Row:
    """A call that the person refused, with the reason given."""
    aim = "" if call.name in _TALKS else target_of(call).partition("$(cat")[0]
    what = shortened(f"{call.name} {one_line(masked(aim))}".strip(), 100)
    return Row("refused", f"{what}: “{shortened(one_line(masked(reason)), QUOTE)}”", source, "refused")


def _read(text: str, source: Source) -> Iterator[Row]:
    """The telling sentences of a text that was read."""
    text = _prose(text)
    known = {each for item in _listed(text) for each in sentences(item)}
    said = (each for each in sentences(text) if each not in known and (_tells(each) or is_rule(each)))
    told = (*_listed(text), *said)
    telling = (each for each in told if not _COUNTED.search(each))
    rows = (Row("report", shortened(each, QUOTE), source) for each in itertools.islice(telling, _REPORT))
    yield from placed(rows, text)


def placed(rows: Iterable[Row], text: str) -> list[Row]:
    """Rows with their places in a text, in its order."""
    flat = one_line(text).replace("**", "")
    found = [replace(row, at=flat.find(row.text[:_BEGINNING])) for row in rows]
    return sorted(found, key=lambda row: row.at or 0)


def _prose(text: str) -> str:
    """The result of a tool, masked, without line numbers and without Claude Code's own reminders."""
    return masked(_NUMBERED_LINE.sub("", without_blocks(text)))


def _aim(call: Call) -> str:
    """What a call is after: a file, or the program with its first words."""
    return f"{call.name} {' '.join(target_of(call).split()[:3])}"


def _said(text: str, source: Source) -> Iterator[Row]:
    text = masked(text)
    rows = [Row("said", shortened(line, QUOTE), source) for line in (*commands_in(text), *_listed(text))]
    for number, sentence in enumerate(sentences(text)):
        reasons = len(words(sentence)) >= _REASON and not announces(sentence)
        if number < _MESSAGE and len(sentence) <= QUOTE and (_tells(sentence) or reasons):
            kind: Kind = "finding" if is_rule(sentence) else "said"
            kind = "name" if _REQUEST_URL.search(sentence) else kind
            rows.append(Row(kind, shortened(sentence, QUOTE), source))
    yield from placed(rows, text)


def _listed(text: str) -> Iterator[str]:
    """The items of numbered lists and the rows of tables in a text."""
    text = unfenced(text)
    for item in _NUMBERED_ITEM.findall(text):
        if len(words(item)) > 3 and not item.rstrip("* ").endswith((":", "：")):
            yield one_line(item).replace("**", "")
    for row in _TABLE_ROW.findall(text):
        yield _cells(row)


def _cells(row: str) -> str:
    return " → ".join(cell.strip().replace("**", "") for cell in row.split("|"))


def _tells(sentence: str) -> bool:
    return IDENTIFIER.search(sentence) is not None and not announces(sentence)


def unwritten(text: str, source: Source, written: str) -> Iterator[Row]:
    """The functions that a plan's text declares and that were not written since."""
    declared = (_DECLARED.match(line) for language, line in fenced(text) if language not in SHELLS)
    planned = list(dict.fromkeys(match[1] for match in declared if match))
    other = {found[1] for line in written.split("\n") if (found := _DECLARED.match(line))} - {*planned}
    alike = {name[:_ALIKE] for name in other}  # written in its stead, as far as names tell
    due = ", ".join(name for name in planned if name not in written and name[:_ALIKE] not in alike)
    for names in textwrap.wrap(due, QUOTE - 20):
        yield Row("step", f"not written yet: {names}", source, target=PLAN)


def plan_lines(text: str, source: Source, written: str) -> Iterator[Row]:
    """The lines of a plan's text, but those whose words all were written into files since."""
    for line in commands_in(text):
        yield Row("step", shortened(line, QUOTE), source, target=PLAN)
    prose = unfenced(text)
    cells = [_cells(row) for row in _TABLE_ROW.findall(prose)]  # cases rather than steps or limits
    lines = [one_line(item).replace("**", "") for item in ITEM.findall(prose)] + cells
    lines += [each for each in sentences(text) if is_rule(each) or _tells(each)]
    telling = (line for line in lines if COMMAND.search(line) or len(words(IDENTIFIER.sub(" ", line))) > 1)
    done = words(written)
    for line in list(dict.fromkeys(telling))[:80]:  # the most lines of a plan
        if words(line) <= done and not COMMAND.search(line):  # all of it was written into files since
            continue
        kind: Kind = "finding" if line in cells else "rule" if _LIMITS.search(line) else "step"
        yield Row(kind, shortened(line, QUOTE), source, target=PLAN)


def _report_of(result: Result) -> str:
    """The report in the result of a subagent's call; "" while it runs in the background."""
    content = result.content
    if result.fields.get("status", "completed") != "completed":
        return ""
    if isinstance(content, list):
        texts = (block.get("text") if isinstance(block, dict) else None for block in content)
        handles = [isinstance(text, str) and text.startswith(_HANDLE) for text in texts]
        content = [block for block, is_handle in zip(content, handles, strict=True) if not is_handle]
    text = result._replace(content=content).text
    return "" if _RECEIPT.match(text) else text


def _report_in(notice: str) -> str:
    found = _NOTICE.search(notice) if "<result>" in notice else None
    return found[1] if found else ""
