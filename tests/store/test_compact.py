"""A session to a recovery text, and a text to its id."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.documents.recovery import parse_recovery
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Places, Project, transcript_slug
from memtui.store.compact import active_sessions, draft, drafted, read_plan
from memtui.store.sessions import session_root
from memtui.transcript.records import Facts, FileFact
from tests.documents.made import turn
from tests.transcripts import Transcript


@pytest.fixture
def places(tmp_path: Path) -> Places:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    home = Home(*(tmp_path / "home" / name for name in ("data", "cache", "state", "config")))
    return Places(Project(root), home, tmp_path / "claude")


def add_session(places: Places, name: str, words: str, age: int = 0) -> Path:
    session = Transcript(cwd=str(places.project.root), session_id=name)
    session.user(words)
    session.edit(f"{places.project.root}/src/{name}.py")
    folder = places.claude / "projects" / transcript_slug(places.project.root)
    path = session.write(folder, f"{name}.jsonl")
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def add_workflow(
    places: Places, name: str = "WFS-tax", plan: str = "## Phase 1\n- [ ] round", age: int = 0
) -> None:
    folder = places.project.root / ".workflow" / "active" / name
    folder.mkdir(parents=True)
    (folder / "IMPL_PLAN.md").write_text(plan)
    for path in (folder / "IMPL_PLAN.md", folder):
        os.utime(path, (1_000_000 - age, 1_000_000 - age))


def test_the_active_workflow_is_that_of_the_newest_session(places: Places) -> None:
    add_session(places, "old", "Do the old thing now", age=10)
    add_session(places, "new", "Do the new thing now")
    add_workflow(places)
    recovery = parse_recovery(draft(places).text)
    assert (recovery.session_id, recovery.plan.source) == ("WFS-tax", "workflow")
    assert recovery.plan.content == "## Phase 1\n- [ ] round"
    assert parse_recovery(draft(places, session="old").text).session_id == ""


@pytest.mark.parametrize(
    "facts",
    [
        Facts(turns=(turn(1, "go on with WFS-tax"),)),
        Facts(read_files=(FileFact("/w/.workflow/active/WFS-tax/IMPL_PLAN.md", 1, False),)),
    ],
)
def test_an_earlier_session_has_the_workflow_that_it_names(places: Places, facts: Facts) -> None:
    add_workflow(places)
    assert drafted(facts, places.project, current=False)[0].session_id == "WFS-tax"
    assert drafted(Facts(), places.project, current=False)[0].session_id == ""


def test_a_plan_that_cannot_be_read_is_said(places: Places) -> None:
    (places.project.root / ".workflow" / "active" / "WFS-x" / "IMPL_PLAN.md").mkdir(parents=True)
    recovery, note = drafted(Facts(), places.project, current=True)
    assert (recovery.session_id, recovery.plan.source) == ("WFS-x", "inferred")
    assert note.startswith("without the workflow's plan: ")


def test_the_next_workflow_serves_where_the_newest_has_no_plan(places: Places) -> None:
    add_workflow(places)
    active = places.project.root / ".workflow" / "active"
    (active / "WFS-empty").mkdir()
    for age, name in enumerate(("WFS-empty", "WFS-tax/IMPL_PLAN.md")):
        os.utime(active / name, (1_000_000 - age, 1_000_000 - age))
    os.utime(active / "WFS-tax", (1, 1))
    recovery, _ = drafted(Facts(), places.project, current=True)
    assert (recovery.session_id, recovery.plan.content) == ("WFS-tax", "## Phase 1\n- [ ] round")


def test_a_session_that_worked_elsewhere_belongs_to_the_project(places: Places) -> None:
    path = add_session(places, "one", "Do it now, please")
    path.write_text(path.read_text().replace(str(places.project.root), "/elsewhere"))
    assert (draft(places).root, draft(places, transcript=path).root) == (
        places.project.root,
        Path("/elsewhere"),
    )


def test_the_root_is_the_projects_unless_the_session_worked_elsewhere(places: Places, tmp_path: Path) -> None:
    root = places.project.root

    def at(*folders: Path | str) -> Path:
        return session_root(Facts(cwds=tuple(map(str, folders))), places.project)

    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / "src").mkdir()
    link = tmp_path / "link"
    link.symlink_to(root)
    assert at() == at(root) == at(root / "src") == at("/gone", root) == at(link) == root
    assert at(other / "src") == other
    assert at(f"{root}-two") == Path(f"{root}-two")
    assert at(r"C:\app") == Path(r"C:\app")


def test_the_workflow_changed_last_comes_first(places: Places) -> None:
    for name, age in (("WFS-b", 10), ("WFS-a", 5), ("WFS-c", 20)):
        add_workflow(places, name, age=age)
    active = places.project.root / ".workflow" / "active"
    (active / "WFS-file").write_text("no folder")
    (active / "other").mkdir()
    assert active_sessions(places.project) == ["WFS-a", "WFS-b", "WFS-c"]
    os.utime(active / "WFS-c" / "IMPL_PLAN.md", (2_000_000, 2_000_000))
    assert active_sessions(places.project)[0] == "WFS-c"


@pytest.mark.parametrize(
    "name", ["WFS-b", "", "..", "WFS-a/../WFS-a", "WFS-a/", "WFS-\0", "../WFS-a", "WFS-x"]
)
def test_no_such_workflow(places: Places, name: str, tmp_path: Path) -> None:
    add_workflow(places, "WFS-a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "IMPL_PLAN.md").write_text("secret")
    (places.project.root / ".workflow" / "active" / "WFS-x").symlink_to(tmp_path / "outside")
    with pytest.raises(FileProblem):
        read_plan(places.project, name)


def test_a_plan_that_is_far_too_large(places: Places) -> None:
    add_workflow(places, "WFS-a", "x" * ((1 << 20) + 1))
    with pytest.raises(FileProblem, match="larger than"):
        read_plan(places.project, "WFS-a")
