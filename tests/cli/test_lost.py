"""`memtui lost`."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

from memtui.ground.project import Project
from tests.cli.conftest import Memtui
from tests.lost.made import SUMMARY, session
from tests.transcripts import Transcript


def _path(folder: Path) -> str:
    made = session()
    made.user("Never change the tax of Norway: src/tax.ts is right.")
    made.compaction(summary=SUMMARY)
    made.user("go on then, please")
    made.compaction(summary="Summary:\nnothing of it")
    return str(made.write(folder))


def test_the_newest_compaction_worst_first(memtui: Memtui, project: Project) -> None:
    result = memtui("lost", _path(project.root), "--all")
    assert (result.code, result.err) == (0, "")
    first, second = result.out.split("\n\n2026-")
    assert first.startswith(
        "2026-01-02 09:00  session 5e55-1d  155k  3 lost, 1 of less weight, 2 maybe, 2 kept"
    )
    assert "- ✗ 1. never push to main, I do that myself (L8)\n- ✗ 2. Write the release notes (L11)\n" in first
    assert ". src/invoice.ts (L6)\n" in first
    assert "Maybe: the summary has some of it:\n- ? 5. Never change the tax of Norway" in first
    assert first.index("- ⚠ docs/ghost.md: no record names this file") < first.index("of less weight:")
    assert "Kept: Files changed:\n- ✓ src/tax.ts (L4)" in first
    assert "go on then, please" in second
    few, folded, rest = f"2026-{second}".partition("Lost, of less weight:")
    assert folded and rest.count("\n- ") == 5
    assert memtui("lost", _path(project.root)).out.startswith(f"{few}5 more lines: --all prints")


def test_nothing_that_counts(memtui: Memtui, project: Project) -> None:
    made = Transcript()
    made.user("hello there")
    made.compaction(summary="Summary:\nnothing of it")
    assert "Nothing that counts was lost." in memtui("lost", str(made.write(project.root))).out


def test_what_is_kept_is_shown_with_all(memtui: Memtui, project: Project) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    path = str(made.write(project.root))
    assert "Kept: " not in memtui("lost", path).out and "Kept: " in memtui("lost", path, "--all").out


def test_ten_lines_are_shown_at_first(memtui: Memtui, project: Project) -> None:
    made = session()
    nos = "push;merge at night;touch vendor;print secrets;drop tables;rename fields;use floats;skip reviews"
    for each in (*nos.split(";"), "add packages", "edit fixtures"):
        made.user(f"never {each}")
    made.compaction(summary="Summary:\nnothing of it")
    path = str(made.write(project.root))
    few, all_of_them = memtui("lost", path).out, memtui("lost", path, "--all").out
    assert few.count("\n- ") == 10
    assert all_of_them.startswith(few.partition(" more lines")[0].rpartition("\n\n")[0])
    rest = all_of_them.count("\n- ") - 10
    assert few.endswith(
        f"\n\n{rest} more lines: --all prints every line of every compaction of the session.\n"
    )


def test_json_has_the_evidence(memtui: Memtui, project: Project) -> None:
    first = json.loads(memtui("lost", _path(project.root), "--all", "--json").out)[0]
    kept = next(row for row in first["rows"] if row["text"] == "src/tax.ts")
    assert (kept["state"], kept["line"]) == ("kept", 4)
    assert "src/tax.ts was changed" in kept["evidence"]["text"]
    assert first["losses"] == 3


def test_a_session_without_compaction_is_said_so(memtui: Memtui, project: Project) -> None:
    path = session().write(project.root)
    result = memtui("lost", str(path))
    said = f"memtui: Session {path.stem[:8]} has no compaction with a summary yet.\n"
    assert (result.code, result.err) == (1, said)


def test_without_a_name_it_is_the_compaction_that_the_project_had_last(
    memtui: Memtui, transcripts: Path
) -> None:
    for number, compacted in enumerate((True, True, False)):
        made = session()
        made.moment += timedelta(days=number)
        made.user(f"never ship part {number} on a Friday")
        if compacted:
            made.compaction(summary="Summary: none of it")
        path = made.write(transcripts, f"5e55-{number}.jsonl")
        os.utime(path, (number, number))
    assert "never ship part 1" in memtui("lost").out
