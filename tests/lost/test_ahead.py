"""Before a compaction: how near it is, and what it would take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.ground.project import Project, memtui_home
from memtui.lost.ahead import Measured, lines_of, read_measured, what_would_go, write_measured
from memtui.lost.context_gauge import Limit
from tests.lost.made import session

LIMIT = Limit(155_000, 177_000)
RULE = "never push to main, I do that myself"


@pytest.mark.parametrize(
    ("sizes", "limit", "line"),
    [
        ((), LIMIT, ""),
        ((154_999,), LIMIT, ""),
        ((155_000,), LIMIT, "compacts at 155-177k · any turn now"),
        ((150_000, 155_000, 160_000), LIMIT, "compacts at 155-177k · ~3 turns left"),
        ((150_000, 160_000), LIMIT, "compacts at 155-177k · ~1 turn left"),
        ((190_000, 20_000, 160_000), LIMIT, "compacts at 155-177k · any turn now"),
        ((180_000,), LIMIT, "compacts at 155-177k · any turn now"),
        ((170_000,), Limit(160_000, 160_000), "compacts at 160k · any turn now"),
        ((170_000,), Limit(), ""),
    ],
)
def test_a_near_compaction_is_said_from_the_lower_end_on(
    sizes: tuple[int, ...], limit: Limit, line: str
) -> None:
    assert Measured("", 200_000, sizes, limit).line == line


def test_what_is_measured_is_kept_for_ten_turns() -> None:
    home, measured = memtui_home(), Measured(limit=LIMIT)
    assert read_measured(home, "lake") == Measured()
    for turn in range(20):
        measured = measured.with_size(1_000 * turn, 200_000, "2026-01-02T10:00:00+00:00")
    write_measured(home, "lake", measured)
    assert read_measured(home, "lake") == measured
    assert measured.sizes[-1] == 19_000
    assert len(measured.sizes) == 11
    assert not measured.shrank
    assert measured.with_size(5, 200_000, "").shrank
    (home.state / "mod" / "lake.fill").write_text('{"at": 1, "sizes": null}')
    assert read_measured(home, "lake") == Measured()


def test_what_would_go_by_kind(tmp_path: Path) -> None:
    path = session().write(tmp_path)
    ahead = what_would_go(path, Project(tmp_path))
    assert ahead.line == "a summary has to keep: rules 1, open tasks 1, failures 1"
    assert lines_of(ahead, 1) == [f"{RULE} (L8)"]
    assert RULE not in str(lines_of(what_would_go(path, Project(tmp_path), [RULE]), 9))


@pytest.mark.parametrize("name", ["{}.precompact.json", "{}/precompact.json"])
def test_a_summary_made_ahead_is_compared(tmp_path: Path, name: str) -> None:
    made = session()
    lines = [json.loads(line) for line in made.data.splitlines()]
    task = next(line["uuid"] for line in lines if "TodoWrite" in json.dumps(line))
    last = lines[-1]["uuid"]
    made.user("always ask me before the ferry is moved")  # after the summary: it stays
    path = made.write(tmp_path)
    where = tmp_path / name.format(path.stem)
    where.parent.mkdir(exist_ok=True)
    fields = {"summaryText": f"He said: {RULE}.", "precomputedAtUuid": last, "preserveUuids": [task]}
    where.write_text(json.dumps(fields))
    ahead = what_would_go(path, Project(tmp_path))
    assert ahead.line == "the summary made ahead lacks: failures 1"
    for broken in ("", "[]", '{"summaryText": 1, "preserveUuids": 4}', "{"):
        where.write_text(broken)
        ahead = what_would_go(path, Project(tmp_path))
        assert ahead.line == "a summary has to keep: rules 2, open tasks 1, failures 1"
