"""The project's transcripts among those of all projects, and checks of transcript paths."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memtui.ground.project import Project, transcript_slug
from memtui.store.transcripts import TranscriptProblem, TranscriptStore, check_transcript


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "my.app"
    (root / "sub").mkdir(parents=True)
    return Project(root)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "claude"


@pytest.fixture
def store(project: Project, config: Path) -> TranscriptStore:
    return TranscriptStore(project, config)


def add(config: Path, folder: str, session: str, cwd: Path | None, mtime: int = 1000) -> Path:
    """A transcript, like Claude Code's: the first lines may say nothing of a folder."""
    lines: list[dict[str, object]] = [{"type": "file-history-snapshot", "snapshot": {}}]
    if cwd is not None:
        lines.append({"type": "user", "cwd": str(cwd), "sessionId": session, "message": {"content": "hi"}})
        lines.append({"type": "user", "cwd": "/elsewhere/now", "sessionId": session})
    path = config / "projects" / folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(path, (mtime, mtime))
    return path


def ids(store: TranscriptStore) -> list[str]:
    return [each.session_id for each in store.entries()]


def test_the_folder_of_a_long_path_is_one_that_can_be(config: Path) -> None:
    deep = TranscriptStore(Project(Path("/", *["a" * 90] * 4)), config)
    assert not deep.folder().exists()


def test_finds_the_projects_own_last_written_first(
    store: TranscriptStore, project: Project, config: Path
) -> None:
    slug = transcript_slug(project.root)
    assert store.folder() == config / "projects" / slug
    path = add(config, slug, "older", project.root, 1000)
    add(config, slug, "newest", project.root, 3000)
    add(config, slug, "middle", None, 2000)  # has only begun
    add(config, slug, "agent-1234", project.root, 4000)
    (path.parent / "older").mkdir()
    (path.parent / "notes.txt").touch()
    assert ids(store) == ["newest", "middle", "older"]
    newest = store.entries()[0]
    status = newest.path.stat()
    assert newest.signature == (3000 * 10**9, status.st_size, status.st_ino)


def test_sessions_of_sub_folders_belong_to_the_project(
    store: TranscriptStore, project: Project, config: Path, tmp_path: Path
) -> None:
    add(config, transcript_slug(project.root / "sub"), "sub", project.root / "sub")
    add(config, transcript_slug(tmp_path / "my.app-2"), "neighbour", tmp_path / "my.app-2")
    add(config, transcript_slug(project.root / "unknown"), "unknown", None)
    assert ids(store) == ["sub"]


def test_a_folder_of_several_projects(store: TranscriptStore, project: Project, config: Path) -> None:
    assert store.projects_below() == []
    one, other = project.root / "sub", project.root / "other"
    (other / ".git").mkdir(parents=True)
    add(config, transcript_slug(one), "one", one, 1000)
    assert store.projects_below() == []
    add(config, transcript_slug(other), "other", other / "deep", 2000)
    assert store.projects_below() == [other, one]
    own = add(config, store.folder().name, "starting", None)
    assert store.projects_below() == []
    own.unlink()
    (project.root / "package.json").touch()
    store.entries = None  # type: ignore[assignment, method-assign]  # would read all of them
    assert store.projects_below() == []


def test_another_project_of_the_same_slug_is_left_out(
    store: TranscriptStore, project: Project, config: Path, tmp_path: Path
) -> None:
    slug = transcript_slug(project.root)
    assert slug == transcript_slug(tmp_path / "my-app")
    add(config, slug, "ours", project.root)
    add(config, slug, "theirs", tmp_path / "my-app")
    assert ids(store) == ["ours"]


def test_what_ran_before_the_project_was_moved_is_in_its_folder(
    store: TranscriptStore, project: Project, config: Path, tmp_path: Path
) -> None:
    add(config, transcript_slug(project.root), "before", tmp_path / "old" / "shop")
    add(config, f"{transcript_slug(project.root)}-2", "theirs", tmp_path / "old" / "shop")
    assert ids(store) == ["before"]


def test_long_slugs_are_cut(config: Path, tmp_path: Path) -> None:
    project = Project(tmp_path.joinpath(*["a-rather-long-folder-name"] * 9))
    slug = transcript_slug(project.root)
    assert len(slug) > 220
    add(config, f"{slug[:200]}-x7k2p", "ours", project.root)
    add(config, f"{slug[:200]}-q9z1m", "theirs", tmp_path / "other")
    assert ids(TranscriptStore(project, config)) == ["ours"]


def test_a_renamed_folder_is_found_by_what_its_lines_say(
    store: TranscriptStore, project: Project, config: Path
) -> None:
    add(config, "my-name-for-it", "ours", project.root)
    add(config, "another", "theirs", Path("/somewhere"))
    add(config, "silent", "silent", None)
    assert ids(store) == ["ours"]


def test_a_project_reached_through_a_link_has_its_transcripts(
    project: Project, config: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(project.root)
    add(config, transcript_slug(project.root), "real", project.root, 1000)
    add(config, transcript_slug(tmp_path / "link"), "linked", tmp_path / "link", 2000)
    assert ids(TranscriptStore(Project(tmp_path / "link"), config)) == ["linked", "real"]


def test_a_session_that_has_begun_is_looked_at_again(
    store: TranscriptStore, project: Project, config: Path
) -> None:
    slug = transcript_slug(project.root / "sub")
    path = add(config, slug, "new", None)
    assert ids(store) == []
    with path.open("a") as file:
        file.write(json.dumps({"type": "user", "cwd": str(project.root / "sub")}) + "\n")
    assert ids(store) == ["new"]


def test_odd_files_are_no_transcripts_of_ours(store: TranscriptStore, project: Project, config: Path) -> None:
    folder = add(config, transcript_slug(project.root / "sub"), "x", None).parent
    (folder / "binary.jsonl").write_bytes(b'"cwd": "\\ud800\xff"' + bytes(range(256)))
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "empty.jsonl").touch()
    (folder / "number.jsonl").write_text('{"cwd": 5}')
    (folder / "relative.jsonl").write_text('{"cwd": "../.."}')
    (config / "projects" / (transcript_slug(project.root) + "-file")).touch()
    assert ids(store) == []


def test_accepts_a_transcript_of_claude_codes(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = add(config, "p", "s", None)
    assert check_transcript(str(path), config) == path
    assert check_transcript(f" {config}/projects/../projects/p/s.jsonl ", config) == path
    (tmp_path / "link").symlink_to(config)
    assert check_transcript(tmp_path / "link" / "projects" / "p" / "s.jsonl", config) == path
    monkeypatch.setenv("HOME", str(tmp_path))
    assert check_transcript("~/claude/projects/p/s.jsonl", config) == path
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    assert check_transcript(path) == path


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is not named in the capture"),
        ("a\0.jsonl", "is not named in the capture"),
        ("projects/p/s.jsonl", "is not the path of a transcript"),
        ("{config}/projects/p/s.txt", "is not the path of a transcript"),
        ("{config}/projects/p/gone.jsonl", "is gone; Claude Code deletes transcripts after 30 days"),
        ("{config}/projects/p/folder.jsonl", "is not a regular file"),
        ("{config}/projects/p/pipe.jsonl", "is not a regular file"),
        ("{config}/projects/p/out.jsonl", "is not opened, because it lies outside"),
        ("{config}/projects/p/settings.jsonl", "is not opened"),
        ("{config}/../secret.jsonl", "is not opened, because it lies outside"),
        ("{config}-2/x.jsonl", "is not opened, because it lies outside"),
        ("/etc/passwd", "is not the path of a transcript"),
    ],
)
def test_says_why_a_path_is_not_accepted(config: Path, tmp_path: Path, name: str, reason: str) -> None:
    folder = add(config, "p", "s", None).parent
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    (tmp_path / "secret.jsonl").touch()
    (folder / "out.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (folder / "settings.jsonl").symlink_to(config / "settings.json")
    (config / "settings.json").touch()
    with pytest.raises(TranscriptProblem, match=reason):
        check_transcript(name.format(config=config), config)
