"""Shortening transcript texts to lines for people."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
GAP = " … "  # the mark between the head and the tail of a text; beside the end of a line, without that space
_BREAK = re.compile(
    r"\n+|(?<=[.!?…])(?<!\d\.)[\"')\]”’*_]*[ \t]+(?=[^\s\da-z])|(?<=[。！？；])(?![」』”’）])"
)
"""Between two lines or sentences."""
_KEY = re.compile(
    r"[^\W_]+|(?<=\w)[#+]+|[=≠≤≥≈±%$€£]|!(?==)|[<>](?=\s*[\d=])|(?<=\d)[.,:/-](?=\d)|(?<![\w-])[-+](?=\d)"
)
LINE_END = " ⏎ "  # mark of a line's end within a command
_CONTINUED = re.compile(r"\\\r?\n")
_ADDRESSED = re.compile(r"(?:you|du|tu|vous|usted|eres|você|voce|вы|ты)\b|你|您|あなた|당신", re.IGNORECASE)
"""Words about Claude itself: a prompt may begin with who it is and what it has."""
_PLAIN = re.compile(r"(?![#>|`\s]|[-*+•\d])(?!\w[\w ]{0,30}[:：])(?:.|\n)*[^:：\s]\s*$")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def one_line(text: str) -> str:
    """A text on one line: white space becomes single spaces, colour codes are removed."""
    return " ".join((_COLOURS.sub("", text) if "\x1b" in text else text).split())


def command_line(text: str) -> str:
    """A command on one line, with a mark for each end of a line: a space there would change what it does."""
    lines = (one_line(line) for line in _CONTINUED.sub(" ", text).split("\n"))
    return LINE_END.join(line for line in lines if line)


def begins_with_persona(text: str) -> bool:
    """Whether a prompt begins with words about Claude itself."""
    return _ADDRESSED.match(text) is not None


def without_persona(text: str) -> str:
    """A prompt, or the paragraph behind one about Claude itself, if that is a plain one."""
    _, *behind = re.split(r"\n\s*\n", text, maxsplit=2)
    return behind[0] if behind and begins_with_persona(text) and _PLAIN.match(behind[0]) else text


def shortened(text: str, width: int) -> str:
    """At most `width` characters; a longer text is cut at a word and ends with ``…``."""
    if len(text) <= width:
        return text
    cut = text[: width - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > width * 2 // 3 else cut).rstrip(" ,;:") + "…"


def brief(text: str, width: int = 240) -> str:
    """The beginning of a text, on one line."""
    return shortened(one_line(text), width)


def ends_of(text: str, width: int) -> str:
    """At most `width` characters: head and tail (40 %) of a longer text, of whole sentences or lines.

    Half a sentence may say the opposite: cut at words is only where no sentence ends.
    """
    if len(text) <= width:
        return text
    width -= len(GAP)
    tail = width - width * 6 // 10
    breaks = [found.span() for found in _BREAK.finditer(text)]
    if not breaks:
        return f"{_beginning_of(text, width - tail)}{GAP}{_beginning_of(text[::-1], tail)[::-1]}"
    starts = [end for _, end in breaks if len(text) - tail <= end < len(text)]
    last = [end for _, end in breaks if len(text) - width * 4 // 5 <= end < len(text)][-1:]
    within = [len(text) - len(_beginning_of(text[::-1], tail))]
    lines = [start for start in starts if text[start - 1] == "\n"]
    start = next((line for line in lines if not text[line].isspace()), (lines or starts or last or within)[0])
    room = width - (len(text) - start)
    outside = (at for at, _ in breaks if at <= room and text.count("```", 0, at) % 2 == 0)  # of code
    end = max(outside, default=0)
    first = text[:end].rstrip() if end else _beginning_of(text, room)
    gap = "…".join("\n" if text[at] == "\n" else " " for at in (len(first), start - 1))
    return f"{first}{gap}{text[start:]}".rstrip()


def whole_sentences(text: str, width: int) -> str:
    """The last sentence or line, which often says what to do, behind as many of the first ones as fit.

    If the last one alone is too long, only the first ones; if the first one is, too, its beginning.
    """
    starts = [0, *(found.end() for found in _BREAK.finditer(text)), len(text)]
    parts = [part for start, end in pairwise(starts) if (part := one_line(text[start:end]))]
    # Not a mere fence or thanks.
    tells = len(parts) > 1 and len(parts[-1]) <= width and says_something(parts[-1])
    last = parts.pop() if tells else ""
    fits = sum(end - 1 <= width - len(last) for end in accumulate(len(part) + 1 for part in parts))
    first, gap = " ".join(parts[:fits]), " " if fits == len(parts) else GAP
    if last and not first and width > 2 * len(last):
        first = _beginning_of(parts[0], width - len(last))
    return gap.join((first, last)).strip() if first or last else shortened(text, width)


def _beginning_of(text: str, width: int) -> str:
    """At most `width` characters, up to the end of a word if one ends in the last third."""
    cut = text.rfind(" ", 0, width + 1)
    return text[: cut if cut > width * 2 // 3 else width].rstrip()


def key_of(text: str) -> str:
    """Key by which two wordings of one text are equal: letters, digits and significant signs.

    ``C++`` is not ``C``, ``1.5`` not ``15``, ``x <= 3`` not ``x >= 3``; quotes, list marks and final
    punctuation do not matter. A text of nothing else is its own key.
    """
    folded = text.casefold()
    return "".join(_KEY.findall(folded)) or "".join(folded.split())


def is_bare_command(text: str) -> bool:
    return text.startswith("/") and " " not in text


def says_something(sentence: str) -> bool:
    """Whether a sentence has several words, or enough letters in a script without spaces."""
    return " " in sentence.strip() or len(_WIDE.findall(sentence)) > 2


_TELLING = re.compile(
    r"error|exception|(?<![\w-])FAIL(?![\w-])|failed|failure|fatal|\bconflict"
    r"|cannot|can't|could not|couldn't|not found|no such|denied|refused|(?<![\w-])missing|invalid"
    r"|undefined|unexpected|expected|(?<!\()unknown|permission|panic|issues? found",
    re.IGNORECASE,
)
_RULED = re.compile(
    r"[\W_]*|% Total.*|Dload\s.*|[\d.:kMG\s-]+|Exit code \d+|[=\-#*]{3,}.*[=\-#*]{3,}|hint: .*"
    r"|=== (?:RUN|PAUSE|CONT|NAME)\b.*|--- (?:PASS|SKIP): .*|PASS(?:ED)?\b.*|ok\s+\S+\s.*|[✓✔✅•] .*"
    r"|\[[\w:.-]+\] \$ .*|(?:\d+ +)+[|│].*"
)
"""Rules, progress bars, hints, numbered source, and successes reported next to failures."""
_EMPTY_WORDS = re.compile(
    r"\[?[\w:.-]*\]? ?ERROR task failed|npm warn.*|make: \*\*\*.*|error: Recipe .* failed.*"
    r"|npm (?:ERR!|error)(?: (?:code|errno|syscall|path|dest|command|signal|Lifecycle|A complete log)\b.*)?"
    r"|Traceback \(most recent call last\):|(?:FAIL|FAILED|Error|ERROR)[.:!]?"
    r"|.*\b0 (?:errors?|failed|failures?)\b.*|.*\b(?:no|0) issues? found\b.*",
    re.IGNORECASE,
)
_LINE_ENDS = re.compile(r"[\r\n]+")  # line ends in program output: progress overwrites its line
_ASSERTED = re.compile(r"(?:E +|\W*Error\W+)AssertionError\b")
"""What a test says of its failure; the lines before it are its source."""
_CAUSE = re.compile(r"^[ \t]*Caused by:\s+(?:\d+: )?(\S.*)$", re.MULTILINE)
_PLACE = re.compile(r"[^\s:]:\d+: ?\S|[^\s:]:\d+:\d+")
_PLACED = re.compile(r"^[^\s:]+:\d+:(?:\d+:)? \S", re.MULTILINE)
"""A finding with its place, as compilers and linters print it: ``src/a.go:12:3: undefined: x``."""
_RAISED = re.compile(r"[\w.]*(?:Error|Exception|Exit|Interrupt)\b.*")


def telling_line(output: str) -> str:
    """The line of an output that best explains the failure, else the first meaningful line.

    That is the last cause named, the exception at the end of a traceback, or the first line that looks like
    an error and is not just a runner's report that something failed, or source that a linter shows.
    """
    if causes := _CAUSE.findall(output):
        return f"Caused by: {causes[-1]}"
    found = _LINE_ENDS.split(output)
    if _PLACED.search(output):
        found = [line for line in found if not line[:1].isspace() or _PLACE.search(line)]
    lines = [line.strip() for line in found]
    lines = [line for line in lines if not _RULED.fullmatch(line)]
    if any(line.startswith("Traceback (") for line in lines):
        raised = [line for line in lines if _RAISED.match(line)]
        if raised:
            return raised[-1]
    asserted = [line for line in lines if _ASSERTED.match(line)]
    telling = asserted or [line for line in lines if _TELLING.search(line)]
    return next((line for line in telling if not _EMPTY_WORDS.fullmatch(line)), (telling or lines or [""])[0])


_WIDE_TOKEN = re.compile(
    r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_LETTERS = 4  # characters of a token in scripts with spaces; in Chinese, Japanese and Korean it is about one


def tokens(text: str) -> int:
    """The estimated number of tokens of a text, rather too high."""
    wide = 0 if text.isascii() else len(_WIDE_TOKEN.findall(text))
    return wide + -(-(len(text) - wide) // _LETTERS)
