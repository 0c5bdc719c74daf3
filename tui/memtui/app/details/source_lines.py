"""Source lines in a document (``L476``): enter opens the transcript there."""

from __future__ import annotations

import re

from memtui.app.widgets.document import ASIDE, Document, Line

_SOURCE = re.compile(r"\bL([1-9]\d{0,7})\b", re.ASCII)


def linked(document: Document) -> Document:
    """The document with every line that names a source line leading to the first that it names."""
    return Document(map(_linked, document.lines))


def _linked(line: Line) -> Line:
    found = None if line.link else _SOURCE.search(line.text)
    return line._replace(link=ASIDE + found[1]) if found else line
