"""Source lines in a document (``L476``), as links to the transcript."""

from __future__ import annotations

import re

from memtui.app.widgets.document import ASIDE, Document, Line

_SOURCE = re.compile(r"\bL([1-9]\d{0,7})\b", re.ASCII)


def linked(document: Document) -> Document:
    """The document with each line that cites sources linked to its first source."""
    return Document(map(_linked, document.lines))


def _linked(line: Line) -> Line:
    found = None if line.link else _SOURCE.search(line.text)
    return line._replace(link=ASIDE + found[1]) if found else line
