"""Blocks that a user pasted into a message, recognised by structure alone.

The signs are fences, escape codes, diffs, code, lines with a common beginning as in a program's output, and
length; never particular words. Lists count as the user's own: the steps of a plan begin alike, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, takewhile

from memtui.ground.text import counted
from memtui.transcript.records import Pasted, Source
from memtui.transcript.short_text import GAP, one_line

_SHORTEST = 120  # minimum length of a message with pasted blocks, in characters
_FENCED = 4  # minimum lines between fences; a shorter example stays
_RUN = 3  # minimum number of consecutive lines that look like output
_INDENTED = 6
_GAP = 2  # maximum lines between two lines of output that belong to it; `_BLANK` for blank lines
_BLANK = 4
_CODED = 4  # minimum lines of code without a fence; a shorter example stays
_SIGNED = 2  # minimum of added and removed lines in a diff without a header
_REPLY = 1  # maximum lines of the user's own reply between two pasted blocks
_LONGEST = 2_000  # longest typed paragraph in characters; a list may have twice as many
_LINES = 12  # maximum lines of a paragraph that is not a list
_ASKED = 500
_WHOLE = 8_000  # longest typed message in characters
_KEPT = 1_000  # number of characters kept from the beginning of a longer one
_NAME = 80
_SAYS = re.compile(r"\w\w")
_FAILED = re.compile(
    r"[\W\d]{0,80}(?:[\w.]{0,80}(?:Error|Exception):|npm (?:ERR!|error)\s|(?:error|fatal|panic)(?:\[\w+\])?: "
    r"|(?:ERROR|FAIL(?:ED)?)(?::? |$))|\s*[✗✘]\s*\w"
)
"""How lines begin that programs print on failure."""
NAMED = re.compile(r"^\[pasted at L\d+, .*\]$", re.MULTILINE)
"""A line that names a pasted block, see `_named`."""
_FENCE = re.compile(r"[ \t]*(```|~~~|\"\"\"$)")
_QUOTES = '"' * 3  # people fence with these, too; the end may stand behind the last line
_SURE = frozenset({"escape", "time", "place"})
_IN_DIFF = re.compile(r"[-+ @\\]|diff --git |index [0-9a-f]|new file|deleted file|similarity|rename |$")
_FRAME = 4  # minimum number of box-drawing characters in a line of a program
_LIST = re.compile(
    r"[ \t]*(?:[-*•+](?:\s|$)|[(（]?\d{1,3}(?:\.\d{1,2})*[.)）、．:]?(?:\s|$)"
    r"|[(（]?\d{1,2}[.)）、．]|[a-zA-Z][.)]\s|#{1,6}\s)"
)
_TAG = re.compile(r"\s*(\[[^\]\n]{1,40}\]|\w[\w.-]{0,30}[:>|](?=\s)|at\s+\S+\s*\()")
_DRAWN = re.compile(r"[\u2500-\u259f]")
_RULE = re.compile(r"([^\w\s])\1{7}")  # rules and boxes that programs draw
_SECONDS = re.compile(r"\s*(\d+\.\d+)\s")
_DIGITS = re.compile(r"\d+")
_FORMS = (
    ("time", re.compile(r"\W*\d{1,4}[-/:.]\d\d[-/:.]\d\d")),
    ("mark", re.compile(r"\s*([^\w\s\"'“‘«»(（「『/@`#*.¿¡-][^\w\s]*)(?:\s|$)")),
    ("place", re.compile(r"\s*[\w./\\-]+\.\w{1,6}:\d+\b")),
    ("code", re.compile(r"\s*(?://|/\*)|.*[;{}]\s*$")),
    ("indent", re.compile(r"    |\t")),
    ("progress", re.compile(r".*(?:\.\.\.|…)\s*$")),
)


def without_pasted(text: str, source: Source) -> tuple[str, tuple[Pasted, ...]]:
    """A message with each pasted block replaced by a line that names it, and the blocks."""
    if len(text) < _SHORTEST or (len(text) <= _LONGEST and text.count("\n") < _RUN - 1):
        return text, ()
    lines = text.split("\n")
    kept: list[str] = []
    found: list[Pasted] = []
    at = 0
    for start, end in _blocks(lines):
        kept += lines[at:start]
        at = end
        block = lines[start:end]
        first = next((line.strip() for line in block if line.strip(' \t`~"')), "")[:_NAME]
        last = next((line.strip() for line in reversed(block) if _SAYS.search(line)), "")[:_NAME]
        last = "" if last == first else last
        failed = tuple(dict.fromkeys(one_line(line)[:_NAME] for line in block if _FAILED.match(line)))
        size = sum(map(len, block)) + len(block) - 1
        pasted = Pasted(first, len(block), size, source, last, (*failed[:2], *failed[2:][-1:]))
        found.append(pasted)
        kept.append(_named(pasted))
    return "\n".join(kept + lines[at:]), tuple(found)


def _named(pasted: Pasted) -> str:
    more = [line for line in pasted.failed if line != pasted.first_line] or [pasted.last_line]
    ends = GAP.join(filter(None, (pasted.first_line, *more)))
    ends = ends.replace("[", "(").replace("]", ")")
    size = f"{counted(pasted.lines, 'line')}, {pasted.characters:,} characters"
    return f"[pasted at L{pasted.source.line}, {size}: {ends}]"


def _blocks(lines: list[str]) -> list[tuple[int, int]]:
    """First line, and the line after the last, of each block; in order, without overlap."""
    taken = [False] * len(lines)
    for spans in (_fenced, _diffs, _outputs, _long, _between, _beside):
        for start, end in list(spans(lines, taken)):
            taken[start:end] = [True] * (end - start)
    blocks: list[tuple[int, int]] = []
    for at, inside in enumerate(taken):
        if inside and blocks and blocks[-1][1] == at:
            blocks[-1] = (blocks[-1][0], at + 1)
        elif inside:
            blocks.append((at, at + 1))
    return blocks


def _beside(lines: list[str], taken: list[bool]) -> Iterator[tuple[int, int]]:
    """Lines that look like output above the first and below the last block of such a message."""
    if not any(taken) or not _is_mostly_pasted(lines, taken):
        return
    first, behind = taken.index(True), len(taken) - taken[::-1].index(True)
    above = list(takewhile(lambda at: not lines[at].strip() or _kind_of(lines[at]), range(first - 1, 0, -1)))
    if len(shown := [at for at in above if lines[at].strip()]) > 1:
        yield shown[-1], first
    end = behind
    for at in range(behind, len(lines)):
        if _is_printed(lines, taken, at):
            end = at + 1
        elif sum(1 for line in lines[end : at + 1] if line.strip()) > _REPLY:
            break
    yield behind, end


def _is_mostly_pasted(lines: list[str], taken: list[bool]) -> bool:
    pasted = sum(len(line) for line, inside in zip(lines, taken, strict=True) if inside)
    return 2 * pasted > sum(map(len, lines))


def _is_printed(lines: list[str], taken: list[bool], at: int) -> bool:
    """Whether a line looks like output. One that opens a paragraph at the margin may be typed: ``NB: no``."""
    kind = _kind_of(lines[at])
    inside = lines[at][:1].isspace() or (lines[at - 1].strip() and not taken[at - 1])
    return kind not in ("", "progress", "indent", "code") and bool(
        inside or kind in _SURE or "\x1b" in lines[at] or len(_DRAWN.findall(lines[at])) >= _FRAME
    )


def _between(lines: list[str], taken: list[bool]) -> Iterator[tuple[int, int]]:
    """Lines between blocks that make up most of a message: output, too, except a reply of one line."""
    if not _is_mostly_pasted(lines, taken):
        return
    inside = [at for at, is_taken in enumerate(taken) if is_taken]
    often = Counter(lines)
    for before, after in pairwise(inside):
        between = lines[before + 1 : after]
        own = [line for line in between if line.strip()]
        touches = between and (between[0].strip() or between[-1].strip())
        if len(own) != _REPLY or touches or own[0][0].isspace() or often[own[0]] > 1:
            yield before + 1, after


def _fenced(lines: list[str], taken: list[bool]) -> Iterator[tuple[int, int]]:
    opened: tuple[int, str] | None = None
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if opened is None:
            opened = (at, fence[1]) if fence is not None else None
        elif (fence and opened[1] == fence[1]) or (opened[1] == _QUOTES and line.endswith(_QUOTES)):
            if at - opened[0] > _FENCED:
                yield opened[0], at + 1
            opened = None
    if opened is not None and len(lines) - opened[0] > _FENCED:
        yield opened[0], len(lines)


def _diffs(lines: list[str], taken: list[bool]) -> Iterator[tuple[int, int]]:
    """Hunks, and without a header added lines next to removed lines."""
    at = 0
    while at < len(lines):
        start = at
        while at < len(lines) and not taken[at] and _IN_DIFF.match(lines[at]):
            at += 1
        run = lines[start:at]
        signs = Counter(line[:1] for line in run)
        many = min(signs["+"], signs["-"]) >= _SIGNED or (signs["@"] and signs["+"] + signs["-"] >= _RUN)
        if many or any(line.startswith("@@ -") for line in run):
            end = at
            while not lines[start].strip():
                start += 1
            while not lines[end - 1].strip():
                end -= 1
            yield start, end
        at = max(at, start + 1)


def _outputs(lines: list[str], taken: list[bool]) -> Iterator[tuple[int, int]]:
    """Runs of lines that look like a program's output or indented code."""
    kinds = ["" if taken[at] else _kind_of(line) for at, line in enumerate(lines)]
    at = 0
    while at < len(lines):
        if not kinds[at]:
            at += 1
            continue
        start = last = at
        blank = True
        while at < len(lines) and at - last <= (_BLANK if blank else _GAP):
            if kinds[at]:
                last, blank = at, True
            elif lines[at].strip():
                blank = False
                if at - last > _GAP:
                    break
            at += 1
        if kinds[last] not in kinds[start:last] and not _is_printed(lines, taken, last):
            kinds[last] = ""
            last = max((at for at in range(start, last) if kinds[at]), default=start)
        run = [kind for kind in kinds[start : last + 1] if kind not in ("", "progress")]
        # A decimal number that changes from line to line numbers a list.
        often = Counter(run)
        run = [kind for kind in run if not kind[0].isdigit() or often[kind] >= _RUN]
        printed = [kind for kind in run if kind not in ("indent", "code")]
        alike = max(Counter(printed).values(), default=0)
        marks = sum(kind in ("escape", "time", "mark", "place") for kind in printed)
        if max(alike, marks) >= _RUN or len(run) >= _INDENTED or run.count("code") >= _CODED:
            yield start, last + 1
        at = last + 1


def _long(lines: list[str], taken: list[bool]) -> Iterator[tuple[int, int]]:
    """Paragraphs, and finally whole messages, that are too long to be typed."""
    start, left = 0, 0
    for at, line in enumerate((*lines, "")):
        if at < len(lines) and not taken[at] and line.strip():
            continue
        paragraph = lines[start:at]
        prose = [each for each in paragraph if not _LIST.match(each)]
        size = sum(map(len, paragraph)) + len(paragraph)
        if sum(map(len, prose)) > _LONGEST or size > 2 * _LONGEST or len(prose) > _LINES:
            # The first line may be the user's comment on the rest.
            yield start + (start == 0 and len(paragraph) > 1 and len(paragraph[0]) < _ASKED), at
        else:
            left += size
        start = at + 1
    size = 0
    for at, line in enumerate(lines) if left > _WHOLE else ():  # all after the first paragraphs
        size += 0 if taken[at] else len(line) + 1
        if size > _KEPT and at:
            yield at, len(lines)
            return


def _kind_of(line: str) -> str:
    """The kind of output a line looks like, "" if it does not."""
    if "\x1b" in line or "\x08" in line:
        return "escape"
    if (not line.isascii() and _DRAWN.search(line)) or _RULE.search(line):
        return "mark"
    if seconds := _SECONDS.match(line):
        return seconds[1]
    if not line.strip() or _LIST.match(line):
        return ""
    if tag := _TAG.match(line):
        return "frame" if tag[1].startswith("at") and tag[1].endswith("(") else _DIGITS.sub("0", tag[1])
    return next((kind for kind, form in _FORMS if form.match(line)), "")
