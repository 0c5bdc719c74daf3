"""The quality checklist of a recovery text (seed 000, section 6): thirteen points with verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from memtui.documents import recovery
from memtui.documents.markdown import fenced, heading, is_none, parse_items
from memtui.documents.recovery import LONG_OBJECTIVE, MOST_FILES, RoleFile, is_unknown, parse_recovery
from memtui.ground.text import counted, file_text
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


class CheckedText:
    """A recovery text that is being checked."""

    def __init__(self, text: str) -> None:
        self.recovery = parse_recovery(text)
        self._document = recovery.read_document(text)[1]
        self._lines = file_text(text).split("\n")

    def has(self, title: str) -> bool:
        return title in self._document.bodies

    def line(self, title: str, said: str = "") -> int | None:
        """The line of some words in a section, 1-based; without words its first one with text."""
        lines, plan = self._lines, range(*recovery.plan_span(self._lines))
        inside = fenced([*lines[: plan.start], *[""] * len(plan), *lines[plan.stop :]])
        sections = (at for at, line in enumerate(lines) if heading(line) is not None)
        heads = [at for at in sections if at not in plan and not inside[at]]
        start = next((at for at in heads if recovery.section_of(lines[at]) == title), None)
        if start is None:
            return None
        end = next((at for at in heads if at > start), len(lines))
        words = said.partition("\n")[0]
        found = (at for at in range(start + 1, end) if lines[at].strip() and words in lines[at])
        return next(found, min(start + 1, len(lines) - 1)) + 1

    def items(self, title: str) -> list[str]:
        """The items of a section, except ``(none)`` and ``N/A``."""
        items = parse_items(self._document.lines(title))
        return [item for item in items if not is_none(item) and not is_unknown(item)]

    def files(self, title: str) -> list[RoleFile]:
        return [recovery.role_file(item) for item in self.items(title)]


_SOURCES = ("workflow", "todo", "user-stated", "inferred")
_SHOWN = 60

_SESSION, _PLAN = "Session ID", "Execution Plan"
_WORKING, _REFERENCE = "Working Files (Modified)", "Reference Files (Read-Only)"
_DECISIONS, _ISSUES = "Decisions", "Known Issues"
_LISTS = (_DECISIONS, "Constraints", "Dependencies", _ISSUES, "Changes Made", "Pending")

_PASS, _WARN, _FAIL = Verdict.PASS, Verdict.WARN, Verdict.FAIL
_Answer = tuple[Verdict, str, str, str]
"""Verdict, message, and the section with some words of it, see `CheckedText.line`."""
_Check = Callable[[CheckedText], tuple[Verdict, str] | _Answer]


def check_recovery(text: str) -> tuple[Point, ...]:
    """The points of the checklist in the seed's order."""
    checked = CheckedText(text)
    points = []
    for name, (title, check) in _POINTS.items():
        verdict, message, *where = check(checked)
        points.append(Point(name, verdict, one_line(message), checked.line(*(where or [title]))))
    return tuple(points)


def _session_id(text: CheckedText) -> tuple[Verdict, str]:
    given = text.recovery.session_id
    if given.startswith("WFS-"):
        return _PASS, f"workflow session {shortened(given, _SHOWN)}"
    if given:
        return _WARN, "is neither a workflow session (WFS-...) nor (none)"
    if text.recovery.plan.source == "workflow":
        return _FAIL, "the plan is a workflow's, and its session is not named"
    if not text.has(_SESSION):
        return _WARN, "there is no such section; (none) says that no workflow session was active"
    return _PASS, "no workflow session was active"


def _project_root(text: CheckedText) -> tuple[Verdict, str]:
    root = text.recovery.project_root.strip("`")
    if is_absolute(root):
        return _PASS, "is absolute"
    return _FAIL, f"is not absolute: {shortened(root, _SHOWN)}" if root else "is not named"


def _objective(text: CheckedText) -> tuple[Verdict, str]:
    objective = text.recovery.objective
    if not objective:
        return _FAIL, "is not said"
    if re.fullmatch(r"/\S*", objective) or not says_something(objective):
        return _WARN, "is one word; it should say what is to be reached"
    if _is_template(objective):
        return _FAIL, "is the template's own words"
    if len(objective) > LONG_OBJECTIVE:
        return _WARN, f"has {len(objective):,} characters; one or two sentences are enough"
    return _PASS, "is said"


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


def _plan(text: CheckedText) -> tuple[Verdict, str] | _Answer:
    lines = [line for line in text.recovery.plan.content.split("\n") if line.strip()]
    if not lines or is_none("\n".join(lines).strip()):
        return _FAIL, "there is none"
    for line, inside in zip(lines, fenced(lines), strict=True):
        if not inside and _LEFT_OUT.match(line):
            return _WARN, "something seems to be left out here; the plan has to be complete", _PLAN, line
    return _PASS, f"{len(lines):,} lines, nothing seems to be left out"


def _plan_source(text: CheckedText) -> tuple[Verdict, str]:
    source = text.recovery.plan.source
    known = [name for name in _SOURCES if re.search(rf"\b{name}\b", source, re.IGNORECASE)]
    if not source:
        return _FAIL, f"is not said: {' | '.join(_SOURCES)}"
    if len(known) > 1:
        return _FAIL, f"names several; it is one of {', '.join(_SOURCES)}"
    return (_PASS, known[0]) if known else (_WARN, f"is none of {', '.join(_SOURCES)}")


_STEP = re.compile(r"\s*(?:[-*+]|\d+[.)]|#{1,6})\s+\S")
_STATUS = re.compile(r"\s*(?:[-*+]|\d+[.)]|#{1,6})\s+.{0,4}?(?:\[[ xX>✓✔~-]\]|[✓✔✅☑☐❌⏳🔄]|~~)")


def _plan_details(text: CheckedText) -> tuple[Verdict, str]:
    lines = text.recovery.plan.content.split("\n")
    steps = sum(1 for each in lines if _STEP.match(each))
    marked = sum(1 for each in lines if _STATUS.match(each))
    if not any(each.strip() for each in lines):
        return _FAIL, "there is no plan"
    if not steps:
        return _WARN, "the plan has no steps: no list, no headings"
    if text.recovery.plan.source.startswith("todo") and not marked:
        return _FAIL, "a todo list without status markers: [x] done, [>] in progress, [ ] pending"
    return _PASS, f"{steps} steps and headings, {marked or 'none'} with a status"


_RELATIVE_START = re.compile(r"`?(?P<path>[\w.@-]+(?:[\\/][\w.@+-]+)+\.\w{1,8})`?(?=$|[:\s,])")


def _absolute_paths(text: CheckedText) -> tuple[Verdict, str] | _Answer:
    files = [(title, file.path) for title in (_WORKING, _REFERENCE) for file in text.files(title)]
    wrong = [each for each in files if not is_absolute(each[1]) and "://" not in each[1]]
    if wrong:
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        return _FAIL, f"relative: {shortened(wrong[0][1], _SHOWN)}{more}", *wrong[0]
    for title in _LISTS:
        for item in text.items(title):
            if found := _RELATIVE_START.match(item):
                return _WARN, f"relative: {shortened(found['path'], _SHOWN)}", title, item
    return _PASS, f"{len(files)} files, all absolute"


def _working_files(text: CheckedText) -> tuple[Verdict, str] | _Answer:
    files = text.files(_WORKING)
    if not text.has(_WORKING):
        return _FAIL, "there is no such section; (none) or N/A says that no change is known"
    if not files:
        return _PASS, "none is named"
    if len(files) > MOST_FILES and all(file.role for file in files):
        return _WARN, f"{len(files)} files; the most important have to stand first (3 to 8 say most)"
    return _roles(text, _WORKING)


def _reference_files(text: CheckedText) -> tuple[Verdict, str] | _Answer:
    if text.files(_REFERENCE):
        return _roles(text, _REFERENCE)
    if any(is_unknown(file.path) for file in text.recovery.reference_files):
        return _PASS, "none is known"
    return _WARN, "none: CLAUDE.md, types and configuration save a new session's search"


def _roles(text: CheckedText, title: str) -> tuple[Verdict, str] | _Answer:
    files = text.files(title)
    bare = [file.path for file in files if not file.role]
    if bare:
        return _WARN, f"{len(bare)} of {counted(len(files), 'file')} without (role: ...)", title, bare[0]
    return _PASS, f"{counted(len(files), 'file')} with roles"


_RESULT = re.compile(
    r"succe|fail|pass(?:ed|es|ing)|error|\bok\b|done\b|complete|finish|created|updated|fixed|broken"
    r"|rejected|interrupted|running|blocked|result|exit(?:ed)? |unknown|background|approved|answered"
    r"|→|[✓✔✗✅❌]|成功|失败|失敗|完成|通过|通過|错误|错|报错|エラー|完了|修正|성공|실패|완료|réussi|échou|terminé|erreur",
    re.IGNORECASE,
)


def _last_action(text: CheckedText) -> tuple[Verdict, str]:
    action = text.recovery.last_action
    if not action:
        return _FAIL, "is not said"
    if _is_template(action):
        return _FAIL, "is the template's own words"
    if not _RESULT.search(action):
        return _WARN, "does not say how it ended (success or failure)"
    return _PASS, "says how it ended"


_REASON = re.compile(
    r"[:：—–](?!//)\s*\S|\s->\s|→|\b(?:because|since|so that|due to|as it|in order to"
    r"|to (?:avoid|keep|prevent|allow|catch|make)|parce que|weil|damit|instead of|rather than|over|vs)\b"
    r"|因为|由于|以便|避免|ため|ので|から",
    re.IGNORECASE,
)
_UNFILLED = "[Decision]: [Reasoning]"


def _decisions(text: CheckedText) -> tuple[Verdict, str] | _Answer:
    decisions = text.items(_DECISIONS)
    if not text.has(_DECISIONS):
        return _WARN, "there is no such section"
    if _UNFILLED in decisions:
        return _FAIL, "is the template's own words", _DECISIONS, _UNFILLED
    if bare := [item for item in decisions if not _REASON.search(item)]:
        return _WARN, f"{len(bare)} of {len(decisions)} without a reason", _DECISIONS, bare[0]
    return _PASS, f"{len(decisions)}, each with its reason" if decisions else "none is named"


def _known_issues(text: CheckedText) -> tuple[Verdict, str] | _Answer:
    issues, found = text.items(_ISSUES), text.recovery
    if not text.has(_ISSUES):
        return _WARN, "there is no such section; (none) says that no bug was put off"
    pending = {_key(item) for item in found.pending}
    for item in issues:
        if _key(item) in pending:
            return _WARN, "is pending, too: is it put off, or is it next?", _ISSUES, item
    return _PASS, f"{counted(len(issues), 'issue')} put off" if issues else "none is named"


def _key(item: str) -> str:
    return re.sub(r"^\[[ x>]\]\s*", "", item.casefold()).strip()


def _notes(text: CheckedText) -> tuple[Verdict, str]:
    if text.recovery.notes:
        return _PASS, "there are some"
    if text.items(_ISSUES):
        return _WARN, "something is not solved, and there is no word on what was thought of it"
    return _PASS, "none, and nothing unsolved that would need some"


_POINTS: dict[str, tuple[str, _Check]] = {
    "Session ID": (_SESSION, _session_id),
    "Project Root": ("Project Root", _project_root),
    "Objective": ("Objective", _objective),
    "Execution Plan": (_PLAN, _plan),
    "Plan Source": (_PLAN, _plan_source),
    "Plan Details": (_PLAN, _plan_details),
    "Absolute Paths": ("", _absolute_paths),
    "Working Files": (_WORKING, _working_files),
    "Reference Files": (_REFERENCE, _reference_files),
    "Last Action": ("Last Action", _last_action),
    "Decisions": (_DECISIONS, _decisions),
    "Known Issues": (_ISSUES, _known_issues),
    "Notes": ("Notes", _notes),
}
