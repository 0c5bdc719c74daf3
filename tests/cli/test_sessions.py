"""``memtui sessions`` lists sessions and the days until Claude Code deletes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.ground.project import claude_config, transcript_slug
from tests.app.widgets.records import said, text, user, write
from tests.cli.conftest import Memtui


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("p", "q"):
        (tmp_path / name / ".git").mkdir(parents=True)
        folder = claude_config() / "projects" / transcript_slug(tmp_path / name)
        folder.mkdir(parents=True)
        write(folder / f"{_ids(name)}.jsonl", user(f"Ask {name}", cwd=str(tmp_path / name)), said(text("x")))
    return tmp_path / "p"


def _ids(name: str) -> str:
    return f"0b6d3c1e-0000-4000-8000-00000000000{'pq'.index(name)}"


def test_the_sessions_of_the_project_are_listed(memtui: Memtui, project: Path) -> None:
    out = memtui("sessions", "--root", str(project)).out
    assert "Ask p" in out and "Ask q" not in out
    assert "Ask q" in memtui("sessions", "--all", "--root", str(project)).out
    (project.parent / "empty" / ".git").mkdir(parents=True)
    assert "has no session here" in memtui("sessions", "--root", str(project.parent / "empty")).out


def test_where_a_session_ran_is_said_if_it_was_not_the_projects_root(memtui: Memtui, project: Path) -> None:
    assert "ran in" not in memtui("sessions", "--root", str(project)).out
    folder = claude_config() / "projects" / transcript_slug(project)
    for number, cwd in enumerate((project / "docs" / "api", project.parent / "old" / "shop")):
        name = f"0b6d3c1e-0000-4000-8000-10000000000{number}.jsonl"
        write(folder / name, user(f"Ask {cwd.name}", cwd=str(cwd)), said(text("x")))
    rows = memtui("sessions", "--root", str(project)).out.splitlines()
    ends = {row.split()[2]: row.split()[-1] for row in rows if "Ask" in row}
    assert (ends["api"], ends["shop"]) == ("docs/api", "old/shop")


def test_ids_are_as_long_as_it_takes_to_tell_them_apart(
    memtui: Memtui, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = claude_config() / "projects" / transcript_slug(project)
    for end in "12":
        said_alone = said(text("x"), gitBranch="develop")
        write(folder / f"0b6d3c1e-0000-4000-8000-2000000000{end}.jsonl", said_alone)
    out = memtui("sessions", "--root", str(project)).out
    found = [row.split()[0] for row in out.splitlines() if "nothing asked on develop" in row]
    assert sorted(found) == ["0b6d3c1e-0000-4000-8000-20000000001", "0b6d3c1e-0000-4000-8000-20000000002"]
    problem = memtui("transcript", "0b6d3c1e-0000-4000-8000-2", "--root", str(project)).err
    assert f"like this: 0b6d3c1e-0000-4000-8000-2: {', '.join(sorted(found))}." in problem
    monkeypatch.setattr("memtui.cli.sessions.is_terminal", lambda: True)
    out = memtui("sessions", "--root", str(project)).out
    assert sorted(row.split("\t")[0] for row in out.splitlines())[1:] == ["0b6d3c1e…0001", "0b6d3c1e…0002"]
    assert memtui("transcript", "0b6d3c1e…0001", "--root", str(project)).code == 0


def test_json_has_every_field(memtui: Memtui, project: Path) -> None:
    (listed,) = json.loads(memtui("sessions", "--json", "--root", str(project)).out)
    assert listed["id"] == _ids("p")
    assert (listed["turns"], listed["first_ask"], listed["days_left"]) == (1, "Ask p", 30)
    assert listed["resume"] == f"claude --resume {_ids('p')}"
    assert "waiting" not in listed


@pytest.mark.parametrize("name", ["--dangerously-skip-permissions", "s; rm x"])
def test_a_file_that_is_not_named_by_an_id_has_no_command(memtui: Memtui, project: Path, name: str) -> None:
    transcript = next(claude_config().rglob(f"{_ids('p')}.jsonl"))
    transcript.rename(transcript.with_name(f"{name}.jsonl"))
    (listed,) = json.loads(memtui("sessions", "--json", "--root", str(project)).out)
    assert (listed["id"], listed["resume"]) == (name, "")
