"""Names that a model may use: files in the facts or in its prompt, and lines that contain its words."""

from __future__ import annotations

import ntpath
import re

from memtui.engines.citations import CitedLines, split_sources
from memtui.transcript.facts import Facts
from memtui.transcript.paths import absolute
from memtui.transcript.short_text import one_line, shortened

UNSEEN = "not in the transcript"
"""The mark of a file that only the model mentions."""

_PATH = re.compile(
    r"(?<![\w/.:@~-])(?:~|\.{1,2})?/?(?:[A-Za-z0-9_.@+-]{1,100}/){1,40}[A-Za-z0-9_.@+-]{1,100}?"
    rf"\.[A-Za-z]\w{{0,7}}\b(?![/-])(?! \({UNSEEN}\))"
)


class Known:
    """The known files, and the lines that an answer cites.

    Args:
        facts: the facts of the transcript.
        shown: the whole prompt.
        cited: the lines cited in the answer.
    """

    def __init__(self, facts: Facts, shown: str, cited: CitedLines | None = None) -> None:
        self._shown = shown
        self._cited = cited or CitedLines()
        modified = [file.path for file in facts.modified_files]
        modified += [file.path for file in facts.shell_files]
        self._modified = _index(modified)
        self._all = _index([*modified, *(file.path for file in facts.read_files)])

    def file(self, path: str, root: str) -> str:
        """The absolute path of a file, spelled as in the facts if known."""
        return self._find(self._all, path) or absolute(path.removeprefix("./"), root)

    def is_modified(self, path: str) -> bool:
        """Whether the facts show a change of the file."""
        return self._find(self._modified, path) is not None

    def is_seen(self, path: str) -> bool:
        """Whether the file is in the facts or in the prompt."""
        return self._find(self._all, path) is not None or path in self._shown

    def marked(self, text: str, width: int) -> str:
        """A text on one line, shortened to `width`, with invented files marked."""
        return self._with_marks(shortened(one_line(text), width))

    def item(self, text: str, width: int) -> str:
        """A model's statement on one line, with its valid sources."""
        statement, sources = split_sources(self._cited.checked(one_line(text)))
        return self.marked(statement, width) + sources

    def block(self, text: str, width: int) -> str:
        """The same for a text of several lines."""
        statement, sources = split_sources(self._cited.checked(text))
        return self.marked_block(statement, width) + sources

    def lines(self, text: str, width: int, drafted: str) -> str:
        """The same for notes, each line a statement of its own; titles and the draft's own lines stay."""
        own = set(drafted.split("\n"))
        checked = (line if line in own else self._line(line) for line in text.split("\n"))
        return self.marked_block("\n".join(checked), width)

    def _line(self, line: str) -> str:
        bare = line.strip()
        return line if not bare or bare.startswith(("#", "**")) else self._cited.checked(line.rstrip())

    def marked_block(self, text: str, width: int) -> str:
        """`marked` for a text of several lines, which are kept."""
        return self._with_marks(shortened(text.strip(), width))

    def _with_marks(self, text: str) -> str:
        def mark(match: re.Match[str]) -> str:
            return match[0] if self.is_seen(match[0]) else f"{match[0]} ({UNSEEN})"

        return _PATH.sub(mark, text)

    @staticmethod
    def _find(index: dict[str, list[str]], path: str) -> str | None:
        """The known file that a path means, absolute or relative to some folder."""
        key = key_of(path).removeprefix("./")
        for known in index.get(key.rsplit("/", 1)[-1], ()):
            if key_of(known) == key or key_of(known).endswith(f"/{key}"):
                return known
        return None


def key_of(path: str) -> str:
    """A key common to all spellings of a path."""
    return ntpath.normcase(path).replace("\\", "/") if "\\" in path else path.strip("`")


def _index(paths: list[str]) -> dict[str, list[str]]:
    """The paths by the name of the file."""
    found: dict[str, list[str]] = {}
    for path in dict.fromkeys(paths):
        found.setdefault(key_of(path).rsplit("/", 1)[-1], []).append(path)
    return found
