"""The quality checklist of a recovery text (seed 000, section 6): thirteen points with verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from memtui.documents.format import is_none, numbered_items
from memtui.documents.recovery import (
    LONG_OBJECTIVE,
    MOST_FILES,
    Recovery,
    RoleFile,
    is_unknown,
    parse_recovery,
    section_lines,
)
from memtui.transcript.paths import is_absolute
from memtui.transcript.short_text import one_line, says_something, shortened


class Verdict(StrEnum):
    """Verdict on a point of the checklist."""

    PASS = "pass"  # noqa: S105 - a verdict
    WARN = "warn"
    FAIL = "fail"


class Point(NamedTuple):
    """One point of the checklist."""

    name: str
    verdict: Verdict
    message: str
    """One line for a person."""
    line: int | None
    """Line of the text, 1-based; None for the text as a whole."""


class CheckedText(NamedTuple):
    """A text being checked, with line numbers."""

    recovery: Recovery
    sections: dict[str, list[tuple[int, str]]]

    def has(self, title: str) -> bool:
        """Whether the section exists, even empty."""
        return title in self.sections

    def line(self, title: str) -> int | None:
        """First line of a section with text, else the line below its heading."""
        lines = self.sections.get(title, [])
        filled = (number for number, line in lines if line.strip())
        return next(filled, lines[0][0] if lines else None)

    def items(self, title: str) -> Iterator[tuple[int, str]]:
        """The items of a section with their lines, except ``(none)``."""
        lines = self.sections.get(title, [])
        for index, item in numbered_items([line for _, line in lines]):
            if not is_none(item) and not is_unknown(item):
                yield lines[index][0], item

    def files(self, title: str) -> Iterator[tuple[int, RoleFile]]:
        """The files of a section with their lines."""
        for line, item in self.items(title):
            yield line, RoleFile(path=item)


_SOURCES = ("workflow", "todo", "user-stated", "inferred")
_SHOWN = 60


_Answer = tuple[Verdict, str, int | None]

_SESSION, _ROOT, _OBJECTIVE, _PLAN = "Session ID", "Project Root", "Objective", "Execution Plan"
_WORKING, _REFERENCE = "Working Files (Modified)", "Reference Files (Read-Only)"
_LAST, _DECISIONS, _ISSUES, _NOTES = "Last Action", "Decisions", "Known Issues", "Notes"
_LISTS = (_DECISIONS, "Constraints", "Dependencies", _ISSUES, "Changes Made", "Pending")


def check_recovery(text: str) -> tuple[Point, ...]:
    """The points of the checklist in the seed's order.

    Raises:
        FormatError: the text holds none of the sections of a recovery text.
    """
    checked = CheckedText(parse_recovery(text), section_lines(text))
    points = ((name, *check(checked)) for name, check in _POINTS)
    return tuple(Point(name, verdict, one_line(message), line) for name, verdict, message, line in points)


def _session_id(text: CheckedText) -> _Answer:
    line, given = text.line(_SESSION), text.recovery.session_id
    if given.startswith("WFS-"):
        return Verdict.PASS, f"workflow session {shortened(given, _SHOWN)}", line
    if given:
        return Verdict.WARN, "is neither a workflow session (WFS-...) nor (none)", line
    if text.recovery.plan.source == "workflow":
        return Verdict.FAIL, "the plan is a workflow's, and its session is not named", line
    if not text.has(_SESSION):
        return Verdict.WARN, "there is no such section; (none) says that no workflow session was active", None
    return Verdict.PASS, "no workflow session was active", line


def _project_root(text: CheckedText) -> _Answer:
    line, root = text.line(_ROOT), text.recovery.project_root.strip("`")
    if not root:
        return Verdict.FAIL, "is not named", line
    if not is_absolute(root):
        return Verdict.FAIL, f"is not absolute: {shortened(root, _SHOWN)}", line
    return Verdict.PASS, "is absolute", line


def _objective(text: CheckedText) -> _Answer:
    line, objective = text.line(_OBJECTIVE), text.recovery.objective
    if not objective:
        return Verdict.FAIL, "is not said", line
    if re.fullmatch(r"/\S*", objective) or not says_something(objective):
        return Verdict.WARN, "is one word; it should say what is to be reached", line
    if _is_template(objective):
        return Verdict.FAIL, "is the template's own words", line
    if len(objective) > LONG_OBJECTIVE:
        return Verdict.WARN, f"has {len(objective):,} characters; one or two sentences are enough", line
    return Verdict.PASS, "is said", line


def _is_template(text: str) -> bool:
    """Whether the seed's bracketed placeholders are still in the text."""
    return re.fullmatch(r"\[.*\](?: \(no source\))?", text, re.DOTALL) is not None


_LEFT_OUT = re.compile(
    r"\s*(?:[-*]\s+|\d+[.)]\s+)?\W?(?:(?:\.\.\.|…)\s*(?:$|\(|\[|and\b|\d+ more|more\b|etc|rest\b|other"
    r"|continue)|(?:and so on|(?:the )?rest (?:is )?(?:omitted|unchanged)"
    r"|remaining (?:steps|phases|tasks) omitted"
    r"|truncated|plan omitted|see above|同上|以下省略|省略|以下略)\W*$)",
    re.IGNORECASE,
)


def _plan(text: CheckedText) -> _Answer:
    line, content = text.line(_PLAN), text.recovery.plan.content
    if not content.strip() or is_none(content.strip()):
        return Verdict.FAIL, "there is none", line
    fenced = False
    for number, said in text.sections[_PLAN]:
        if said.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and _LEFT_OUT.match(said):
            return Verdict.WARN, "something seems to be left out here; the plan has to be complete", number
    lines = sum(1 for each in content.split("\n") if each.strip())
    return Verdict.PASS, f"{lines:,} lines, nothing seems to be left out", line


def _plan_source(text: CheckedText) -> _Answer:
    source, line = text.recovery.plan.source, None
    for number, said in text.sections.get(_PLAN, []):
        if "source" in said.casefold() and said.lstrip().startswith(("#", "**")):
            line = number
            break
    known = [name for name in _SOURCES if re.search(rf"\b{name}\b", source, re.IGNORECASE)]
    if not source:
        return Verdict.FAIL, f"is not said: {' | '.join(_SOURCES)}", text.line(_PLAN)
    if len(known) > 1:
        return Verdict.FAIL, "names several; it is one of " + ", ".join(_SOURCES), line
    if not known:
        return Verdict.WARN, f"is none of {', '.join(_SOURCES)}", line
    return Verdict.PASS, known[0], line


_STEP = re.compile(r"\s*(?:[-*+]|\d+[.)]|#{1,6})\s+\S")
_STATUS = re.compile(r"\s*(?:[-*+]|\d+[.)]|#{1,6})\s+.{0,4}?(?:\[[ xX>✓✔~-]\]|[✓✔✅☑☐❌⏳🔄]|~~)")
_PHASE = re.compile(r"#{1,6}\s*\**(?:Phase|Step|Stage|Task|阶段|步骤|フェーズ)\s*(\d{1,3})\b", re.IGNORECASE)


def _plan_details(text: CheckedText) -> _Answer:
    line, lines = text.line(_PLAN), text.recovery.plan.content.split("\n")
    steps = sum(1 for each in lines if _STEP.match(each))
    marked = sum(1 for each in lines if _STATUS.match(each))
    if not any(each.strip() for each in lines):
        return Verdict.FAIL, "there is no plan", line
    if not steps:
        return Verdict.WARN, "the plan has no steps: no list, no headings", line
    phases = sorted({int(found[1]) for each in lines if (found := _PHASE.match(each))})
    gap = next((number for number in phases[:-1] if number + 1 not in phases), None)
    if gap is not None:
        return Verdict.WARN, f"number {gap + 1} of the plan's phases is missing", line
    if text.recovery.plan.source == "todo" and not marked:
        return (
            Verdict.FAIL,
            "a todo list without status markers: [x] done, [>] in progress, [ ] pending",
            line,
        )
    marks = f"{marked} with a status" if marked else "none with a status"
    return Verdict.PASS, f"{steps} steps and headings, {marks}", line


_RELATIVE_START = re.compile(r"`?(?P<path>[\w.@-]+(?:[\\/][\w.@+-]+)+\.\w{1,8})`?(?=$|[:\s,])")


def _absolute_paths(text: CheckedText) -> _Answer:
    number = 0
    wrong: list[tuple[int, str]] = []
    for title in (_WORKING, _REFERENCE):
        for line, file in text.files(title):
            number += 1
            if not is_absolute(file.path) and "://" not in file.path:
                wrong.append((line, file.path))
    if wrong:
        line, path = wrong[0]
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        return Verdict.FAIL, f"relative: {shortened(path, _SHOWN)}{more}", line
    for title in _LISTS:
        for line, item in text.items(title):
            if found := _RELATIVE_START.match(item):
                return Verdict.WARN, f"relative: {shortened(found['path'], _SHOWN)}", line
    return Verdict.PASS, f"{number} files, all absolute", None


def _working_files(text: CheckedText) -> _Answer:
    files = list(text.files(_WORKING))
    line = text.line(_WORKING)
    if not text.has(_WORKING):
        return Verdict.FAIL, "there is no such section; (none) or N/A says that no change is known", None
    if not files:
        return Verdict.PASS, "none is named", line
    bare = _without_role(files)
    if bare is not None:
        return bare
    if len(files) > MOST_FILES:
        return (
            Verdict.WARN,
            f"{len(files)} files; the most important have to stand first (3 to 8 say most)",
            line,
        )
    return Verdict.PASS, f"{_counted(len(files), 'file')} with roles", line


def _reference_files(text: CheckedText) -> _Answer:
    files = list(text.files(_REFERENCE))
    line = text.line(_REFERENCE)
    if not files and any(is_unknown(file.path) for file in text.recovery.reference_files):
        return Verdict.PASS, "none is known", line
    if not files:
        return Verdict.WARN, "none: CLAUDE.md, types and configuration save a new session's search", line
    return _without_role(files) or (Verdict.PASS, f"{_counted(len(files), 'file')} with roles", line)


def _without_role(files: list[tuple[int, RoleFile]]) -> _Answer | None:
    bare = [line for line, file in files if not file.role]
    if not bare:
        return None
    return Verdict.WARN, f"{len(bare)} of {_counted(len(files), 'file')} without (role: ...)", bare[0]


_RESULT = re.compile(
    r"succe|fail|pass(?:ed|es|ing)|error|\bok\b|done\b|complete|finish|created|updated|fixed|broken"
    r"|rejected|interrupted|running|blocked|result|exit(?:ed)? |unknown|background|approved|answered"
    r"|→|[✓✔✗✅❌]|成功|失败|失敗|完成|通过|通過|错误|错|报错|エラー|完了|修正|성공|실패|완료|réussi|échou|terminé|erreur",
    re.IGNORECASE,
)


def _last_action(text: CheckedText) -> _Answer:
    line, action = text.line(_LAST), text.recovery.last_action
    if not action:
        return Verdict.FAIL, "is not said", line
    if _is_template(action):
        return Verdict.FAIL, "is the template's own words", line
    if not _RESULT.search(action):
        return Verdict.WARN, "does not say how it ended (success or failure)", line
    return Verdict.PASS, "says how it ended", line


_REASON = re.compile(
    r"[:：—–](?!//)\s*\S|\s->\s|→|\b(?:because|since|so that|due to|as it|in order to"
    r"|to (?:avoid|keep|prevent|allow|catch|make)|parce que|weil|damit|instead of|rather than|over|vs)\b"
    r"|因为|由于|以便|避免|ため|ので|から",
    re.IGNORECASE,
)


def _decisions(text: CheckedText) -> _Answer:
    decisions = list(text.items(_DECISIONS))
    if not text.has(_DECISIONS):
        return Verdict.WARN, "there is no such section", None
    if unfilled := [line for line, item in decisions if item == "[Decision]: [Reasoning]"]:
        return Verdict.FAIL, "is the template's own words", unfilled[0]
    bare = [line for line, item in decisions if not _REASON.search(item)]
    if bare:
        return Verdict.WARN, f"{len(bare)} of {len(decisions)} without a reason", bare[0]
    if not decisions:
        return Verdict.PASS, "none is named", text.line(_DECISIONS)
    return Verdict.PASS, f"{len(decisions)}, each with its reason", text.line(_DECISIONS)


_FAILED = re.compile(
    r"\bfail(?:ed|s|ing|ure)\b|\berror\b(?! ?free)|失败|失敗|エラー|échou|실패", re.IGNORECASE
)
_WELL = re.compile(
    r"success|passed|\bok\b|\bfixed\b|resolved|\b(?:0|no) (?:fail|error)|成功|修复|完了|[✓✔✅]", re.IGNORECASE
)


def _known_issues(text: CheckedText) -> _Answer:
    line, recovery = text.line(_ISSUES), text.recovery
    if not text.has(_ISSUES):
        return Verdict.WARN, "there is no such section; (none) says that no bug was put off", None
    pending = {_key(item) for item in recovery.pending}
    for number, item in text.items(_ISSUES):
        if _key(item) in pending:
            return Verdict.WARN, "is pending, too: is it put off, or is it next?", number
    issues = [item for _, item in text.items(_ISSUES)]
    if not issues and _ended_badly(recovery.last_action):
        return Verdict.WARN, "the last action failed, and no issue says so", line
    if not issues:
        return Verdict.PASS, "none is named", line
    return Verdict.PASS, f"{_counted(len(issues), 'issue')} put off", line


def _ended_badly(action: str) -> bool:
    return bool(_FAILED.search(action)) and not _WELL.search(action)


def _key(item: str) -> str:
    return re.sub(r"^\[[ x>]\]\s*", "", item.casefold()).strip()


def _notes(text: CheckedText) -> _Answer:
    line, recovery = text.line(_NOTES), text.recovery
    if recovery.notes:
        return Verdict.PASS, "there are some", line
    if any(text.items(_ISSUES)) or _ended_badly(recovery.last_action):
        return Verdict.WARN, "something is not solved, and there is no word on what was thought of it", line
    return Verdict.PASS, "none, and nothing unsolved that would need some", line


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


_POINTS: tuple[tuple[str, Callable[[CheckedText], _Answer]], ...] = (
    ("Session ID", _session_id),
    ("Project Root", _project_root),
    ("Objective", _objective),
    ("Execution Plan", _plan),
    ("Plan Source", _plan_source),
    ("Plan Details", _plan_details),
    ("Absolute Paths", _absolute_paths),
    ("Working Files", _working_files),
    ("Reference Files", _reference_files),
    ("Last Action", _last_action),
    ("Decisions", _decisions),
    ("Known Issues", _known_issues),
    ("Notes", _notes),
)
