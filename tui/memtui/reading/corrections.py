"""Where the user stopped the model, refused a step, or put something right."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from memtui.reading.records import Correction

_COUNT_LIMIT = 500
_TEXT_LIMIT = 2_000

_GO_ON = re.compile(
    r"\W*(?:now |please |just |and )*(?:continue|go on|go ahead|keep going|proceed|carry on|resume|ok(?:ay)?"
    r"|yes|try again|again|sorry|continuez?|vas-y|weiter|mach weiter|sigue|continúa|продолжай"
    r"|계속(?:해\s?(?:줘|주세요))?|继续|接着|繼續|続けて|つづけて|続行(?:して)?)"
    r"\W*(?:please|from where you left off|s'il (?:te|vous) pla[iî]t|\w+ing(?: [\w ]{0,20})?)?\W*",
    re.IGNORECASE,
)
_OBJECTION = re.compile(
    r"\s*(?:no+[,.! ](?!worries|problem|need)|nope\b|wrong\b|that(?:['’]?s| is) (?:not|wrong)|not what i"
    r"|i meant\b|actually[, ]|wait\b|stop\b|undo\b|revert\b|non[, ]|arrête|pas ça|en fait[, ]"
    r"|nein[, ]|não[, ]|нет[, ]|стоп\b|아니[요,. ]|잠깐|멈춰|그게 아니"
    r"|不对|不是|错了|等等|停|違う|違います|ちがう|いや[、,]|待って|やめて)",
    re.IGNORECASE,
)
_LONGEST_GO_ON = 100
_LONGEST_OBJECTION = 600
_ALIKE = 24


def is_objection(text: str) -> bool:
    """Whether words object to what was done, by how they begin."""
    return len(text) <= _LONGEST_OBJECTION and _OBJECTION.match(text) is not None


def is_going_on(text: str) -> bool:
    """Whether words only let the work go on: ``yes``, ``continue please``."""
    return len(text) <= _LONGEST_GO_ON and _GO_ON.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class CorrectionMemory:
    """What a correction log has to know of the lines before those that it reads."""

    stopped: tuple[str, str, bool] | None = None
    """What was stopped and waits for the user's words: about, when, and whether it was refused."""
    said: str = ""


class CorrectionLog:
    """Joins what was stopped with the words that followed."""

    def __init__(self) -> None:
        self._corrections: deque[Correction] = deque(maxlen=_COUNT_LIMIT)
        self._stopped: tuple[str, str, bool] | None = None
        self._said = ""

    def resume(self, corrections: Iterable[Correction], memory: CorrectionMemory) -> None:
        """Go on from corrections of before."""
        self._corrections.extend(corrections)
        self._stopped, self._said = memory.stopped, memory.said

    def memory(self) -> CorrectionMemory:
        """What a log of the lines behind has to know."""
        return CorrectionMemory(self._stopped, self._said[:_TEXT_LIMIT])

    def rejected(self, about: str, words: str, timestamp: str) -> None:
        """A tool call was refused."""
        if words:
            self._stopped = None
            self._add(about, words, timestamp)
        else:
            self._flush()
            self._stopped = (about, timestamp, True)

    def interrupted(self, about: str, timestamp: str) -> None:
        """The user pressed Escape; a refusal without words is followed by this, too."""
        if self._stopped is None:
            self._stopped = (about, timestamp, False)

    def prompt(self, text: str, timestamp: str) -> None:
        """The next words of the user."""
        said, self._said = self._said, text
        stopped, self._stopped = self._stopped, None
        if stopped is not None:
            about, when, refused = stopped
            if not is_going_on(text) and (len(text) > _LONGEST_GO_ON or not _alike(said, text)):
                self._add(about, text, timestamp)
            elif refused:
                self._add(about, "", when)
        elif is_objection(text):
            self._add("", text, timestamp)

    def finish(self) -> tuple[Correction, ...]:
        """All corrections, first to last."""
        self._flush()
        return tuple(self._corrections)

    def _flush(self) -> None:
        """A refusal that no words followed."""
        if self._stopped is not None and self._stopped[2]:
            self._add(self._stopped[0], "", self._stopped[1])
        self._stopped = None

    def _add(self, about: str, words: str, timestamp: str) -> None:
        self._corrections.append(Correction(about, words[:_TEXT_LIMIT], timestamp))


def _alike(one: str, other: str) -> bool:
    """Whether the user only said the same again, better."""
    one, other = (" ".join(text[: 2 * _ALIKE].casefold().split())[:_ALIKE] for text in (one, other))
    return bool(one) and one == other
