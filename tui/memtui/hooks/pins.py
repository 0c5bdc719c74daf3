"""The pins for the summariser and for sessions: word for word, in order."""

from __future__ import annotations

import os

from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks.report import Report
from memtui.hooks.sections import size_of

FOR_SUMMARISER = "## Pinned by the user: every line has to stand in the summary, word for word"
FOR_SESSION = "## Pinned by the user"


def pins_text(project: Project, home: Home, title: str, report: Report) -> str:
    """The pins under a title; "" without any.

    Args:
        project: the project.
        home: where the user's own pins are.
        title: `FOR_SUMMARISER` or `FOR_SESSION`.
        report: receives read problems.
    """
    return titled_list(title, pin_texts(project, home, report), report)


def titled_list(title: str, lines: list[str], report: Report) -> str:
    """Lines as a list under a title, as many as fit; "" for none."""
    if not lines:
        return ""
    from memtui.lost.pins import ROOM
    from memtui.secrets.quoting import fenced

    kept: list[str] = []
    room = ROOM
    for line in lines:
        room -= size_of(line)
        if room < 0:
            report.problem(f"pins have {ROOM:,} characters together: {len(lines) - len(kept)} were left out")
            break
        kept.append(f"- {line}")
    return f"{title}\n\n{fenced(chr(10).join(kept))}" if kept else ""


def pin_texts(project: Project, home: Home, report: Report) -> list[str]:
    """The texts of the pins, masked and cleaned, in order, without repetitions.

    Lines of the project's file that this user has neither written nor confirmed are left out.
    """
    found: dict[str, None] = {}
    for path, root in ((project.pins, project.root), (home.pins, home.data)):
        if not os.path.lexists(path):
            continue
        # Imported here: most projects have no pins.
        from memtui.documents.pins import parse_pins
        from memtui.lost.pins import read_pins_file
        from memtui.secrets.quoting import safe
        from memtui.store.confirmed_pins import Confirmed

        try:
            pins = parse_pins(read_pins_file(path, root)[0])
            confirmed = Confirmed(home) if pins and path == project.pins else None
        except FileProblem as problem:
            report.problem(problem)
            continue
        known = [pin.text for pin in pins if confirmed is None or pin.text in confirmed]
        if len(known) < len(pins):
            report.add_work(f"left out {len(pins) - len(known)} pins from the repository, not confirmed")
        found.update((line, None) for text in known if (line := clean_line(safe(text))))
    return list(found)
