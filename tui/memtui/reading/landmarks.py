"""Work that was put on record: commits and pull requests, as git and gh tell of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memtui.formats.transcript_events import Result
from memtui.reading.records import Landmark, Source

_COMMITTED = re.compile(
    r"^\[(?P<branch>[^\]\n]{1,200}?) (?P<first>\(root-commit\) )?"
    r"(?P<commit>[0-9a-f]{7,40})\] (?P<subject>.+)$",
    re.MULTILINE,
)
_IN_TEMP = re.compile(
    r"(?:\bcd|\bgit -C|\bgit init)\s+[\"']?(?:(?:/private)?/(?:tmp|var/folders)\b|\$[({]?\w*te?mp)",
    re.IGNORECASE,
)
_PULL = re.compile(
    r"https://[\w.-]+/[\w./-]+/(?:pull|merge_requests)/\d+|https://app\.graphite\.\w+/github/pr/[\w./-]+"
)
_SUBMITS = ("gh pr create", "glab mr create", "gt submit", "gt ss")
_COUNT_LIMIT = 200
_TEXT_LIMIT = 200
_OUTPUT_LIMIT = 20_000
_COMMAND = 2_000


class LandmarkLog:
    """Keeps the last commits and pull requests; a commit that is made anew (``--amend``) counts once."""

    def __init__(self, known: Iterable[Landmark] = ()) -> None:
        self._found: dict[str, Landmark] = {each.text: each for each in known}

    def ran(self, command: str, result: Result, source: Source) -> None:
        """Take a shell command that went well."""
        if "git" in command and "commit" in command:
            for match in _COMMITTED.finditer(result.text[:_OUTPUT_LIMIT]):
                if not (match["first"] and _is_tried_out(command[:_COMMAND])):
                    self._add(Landmark(match["subject"].strip()[:_TEXT_LIMIT], match["commit"], source))
        if any(submits in command for submits in _SUBMITS):
            for match in _PULL.finditer(result.text[:_OUTPUT_LIMIT]):
                self._add(Landmark(match[0], "", source))

    def finish(self) -> tuple[Landmark, ...]:
        """The landmarks, oldest first."""
        return tuple(self._found.values())

    def _add(self, landmark: Landmark) -> None:
        self._found.pop(landmark.text, None)
        self._found[landmark.text] = landmark
        if len(self._found) > _COUNT_LIMIT:
            del self._found[next(iter(self._found))]


def _is_tried_out(command: str) -> bool:
    """Whether a repository was made in a temporary folder: its first commit is none of the project."""
    return "git init" in command and _IN_TEMP.search(command) is not None
