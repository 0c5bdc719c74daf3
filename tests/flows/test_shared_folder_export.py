"""Memories in the project's own folder: what is written there, who sees it, and what hostile files do."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memtui.flows.shared_folder_export import share_here
from memtui.flows.sharing_out import SecretsFoundError
from memtui.formats.shared_record import render_record
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.store.base import New
from memtui.store.memory_files import FilesBackend
from tests.disk import left_over
from tests.flows.here import THEIRS, clock, machine, new, notes, put, texts
from tests.flows.machines import SECRET
from tests.share.records import record


def test_it_is_written_with_relative_paths_and_without_the_session(
    home: Home, project: Project, tmp_path: Path
) -> None:
    text = (
        f"## Session ID\nWFS-1\n\n## Project Root\n{project.root}\n\n- {project.root}/src/a.py, s-12345678\n"
    )
    mine = new(home, project, text.encode(), session_id="s-12345678", tags=("cart",))
    path = share_here(project, home, clock, mine)
    assert path == project.root / ".memtui" / "shared" / f"{mine}@desk-9f.md"
    assert not (path.parent / ".gitignore").exists()
    written = path.read_text()
    assert written.endswith("## Session ID\nN/A\n\n## Project Root\n.\n\n- src/a.py, N/A\n")
    assert str(tmp_path) not in written and "s-12345678" not in written
    assert notes(project, home) == []
    assert texts(home) == {mine: text.encode()}  # one's own stays as it is
    other = machine(tmp_path, "laptop-1a")
    assert notes(project, other) == []
    assert list(texts(other)) == [f"{mine}@desk-9f"]
    meta = FilesBackend(other, clock).get(f"{mine}@desk-9f").meta
    assert (meta.project, meta.tags, meta.session_id) == ("shop", ("cart",), "")
    assert meta.author.endswith(" (project)")


def test_a_secret_stays_until_its_line_is_let_pass_and_that_is_recorded(home: Home, project: Project) -> None:
    mine = new(home, project, f"one\n{SECRET}\n".encode())
    with pytest.raises(SecretsFoundError, match=r"\(line 2\)"):
        share_here(project, home, clock, mine)
    assert not project.shared.exists()
    share_here(project, home, clock, mine, [2])
    (line,) = home.allowed_log.read_text().splitlines()
    noted = json.loads(line)
    assert (noted["memory"], noted["line"], bool(noted["kind"])) == (mine, 2, True)


def test_what_a_killed_process_left_does_not_stay_in_the_project(home: Home, project: Project) -> None:
    mine = new(home, project, b"x")
    left = left_over(share_here(project, home, clock, mine).parent)
    share_here(project, home, clock, mine)
    assert not left.exists()


def test_what_is_of_another_project_or_another_person_is_not_written(home: Home, project: Project) -> None:
    elsewhere = new(home, Project(Path("/elsewhere")), b"x")
    with pytest.raises(FileProblem, match="of another project"):
        share_here(project, home, clock, elsewhere)
    put(project, record())
    notes(project, home)
    with pytest.raises(FileProblem, match="not yours to share"):
        share_here(project, home, clock, THEIRS)


def test_files_that_change_go_and_come_back_are_followed(home: Home, project: Project) -> None:
    path = put(project, record(body=b"one"))
    notes(project, home)
    assert texts(home) == {THEIRS: b"one"}
    put(project, record(body=b"two, longer"))
    notes(project, home)
    assert texts(home) == {THEIRS: b"two, longer"}
    path.unlink()
    notes(project, home)
    assert texts(home) == {}
    put(project, record(body=b"three"))
    notes(project, home)
    assert texts(home) == {THEIRS: b"three"}


def test_local_changes_and_deletions_stay(home: Home, project: Project) -> None:
    put(project, record(body=b"one"))
    put(project, record(1, body=b"one"))
    notes(project, home)
    store = FilesBackend(home, clock)
    other = "CMEM-20260102-000001@laptop-1a2b"
    store.rewrite(THEIRS, b"mine")
    store.delete(other)
    put(project, record(body=b"two, longer"))
    put(project, record(1, body=b"two, longer"))
    assert notes(project, home) == [f"{THEIRS} was changed here, too: its text stays."]
    assert texts(home) == {THEIRS: b"mine"}


def test_files_cannot_replace_own_memories_or_those_from_elsewhere(home: Home, project: Project) -> None:
    mine = new(home, project, b"mine")
    FilesBackend(home, clock).create(New(b"by the team", id=THEIRS))
    put(project, record(body=b"forged", memory=f"{mine}@desk-9f", machine="desk-9f"))
    put(project, record(5, body=b"forged", memory="CMEM-20260102-000005@desk-9f", machine="desk-9f"))
    put(project, record(body=b"forged"))
    assert notes(project, home) == []
    assert texts(home) == {mine: b"mine", THEIRS: b"by the team"}


def test_hostile_files_are_named_and_harmless(home: Home, project: Project, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_bytes(render_record(record(2, body=b"from outside")))
    good = put(project, record(body=b"good \x1b]0;title\x07"))
    (good.parent / "CMEM-20260102-000002@laptop-1a2b.md").symlink_to(secret)
    os.mkfifo(good.parent / "CMEM-20260102-000003@laptop-1a2b.md")
    (good.parent / "CMEM-20260102-000004@laptop-1a2b.md").mkdir()
    (good.parent / "CMEM-20260102-000005@laptop-1a2b.md").write_bytes(b"x" * (5 << 20))
    (good.parent / "CMEM-20260102-000006@laptop-1a2b.md").write_text("no front matter")
    put(project, record(7), "CMEM-20260102-000008@laptop-1a2b.md")  # of another name than it says
    (good.parent / "..CMEM-20260102-000009@laptop-1a2b.md").write_text("x")
    found = notes(project, home)
    assert len(found) == 6
    assert all("\x1b" not in note for note in found)
    assert list(texts(home)) == [THEIRS]
    assert notes(project, home) == []  # once is enough


def test_a_folder_that_leads_out_of_the_project_is_not_read(
    home: Home, project: Project, tmp_path: Path
) -> None:
    outside = Project(tmp_path / "outside")
    put(outside, record())
    (project.root / ".memtui").symlink_to(outside.root / ".memtui")
    (note,) = notes(project, home)
    assert "leads out of the project" in note
    assert texts(home) == {}
    mine = new(home, project, b"mine")
    with pytest.raises(FileProblem):
        share_here(project, home, clock, mine)


def test_only_so_many_are_read(home: Home, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.flows.shared_folder_import._MOST", 2)
    for number in range(3):
        put(project, record(number))
    (note,) = notes(project, home)
    assert note.endswith("has 3 memories; the newest 2 are read.")
    assert len(texts(home)) == 2


def test_who_added_it_is_asked_of_git_and_nothing_of_the_repository_is_run(
    home: Home, project: Project, tmp_path: Path
) -> None:
    def git(*words: str) -> None:
        settings = ("-c", "user.name=Dana Diaz", "-c", "user.email=d@x", "-c", "core.hooksPath=/dev/null")
        subprocess.run(["git", *settings, "-C", str(project.root), *words], check=True, timeout=60)

    git("init", "--quiet")
    put(project, record(author="somebody else"))
    git("add", ".")
    git("commit", "--quiet", "-m", "Add")
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "gpg.program", "core.pager", "diff.external", "core.sshCommand"):
        git("config", key, str(program))
    git("config", "log.showSignature", "true")
    notes(project, home)
    assert FilesBackend(home, clock).get(THEIRS).meta.author == "Dana Diaz (project)"
    assert not ran.exists()
    git("status")
    assert ran.exists()
