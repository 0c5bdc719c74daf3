"""Finding the compact summaries of commands, safely."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.files import FileProblem
from memtui.ground.project import Project
from tests.store.commands.conftest import Store


def add_file(project: Project, folder: int, name: str, text: str) -> Path:
    path = project.command_folders[folder] / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def summary_of(text: str) -> str:
    return f"# Command\n\n<!-- COMPACT_SUMMARY_START\n(kept) -->\n{text}\n<!-- COMPACT_SUMMARY_END -->\n"


@pytest.mark.parametrize(
    "name", ["babysit", "/babysit", "agileflow:babysit", "/agileflow:babysit", " babysit "]
)
def test_finds_the_summary_in_the_first_folder_that_has_the_file(
    store: Store, project: Project, name: str
) -> None:
    for folder in (2, 1, 0):
        path = add_file(project, folder, "babysit", summary_of(f"from {folder}"))
        summary = store.summary(name)
        assert (summary.path, summary.text) == (path, f"from {folder}")
        assert summary.shown == str(path.relative_to(project.root))


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "a/../../secret",
        "..",
        ".",
        "",
        "/",
        "//etc/passwd",
        "a//b",
        "a/./b",
        "a b",
        "a\0b",
        "a\n",
        "ä",
        "a\\b",
        "~/x",
        "$HOME",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(store: Store, project: Project, name: str) -> None:
    (project.root / ".agileflow").mkdir()
    (project.root / ".agileflow" / "secret.md").write_text(summary_of("secret"))
    with pytest.raises(FileProblem, match=r"is no name of a command file|is neither in") as caught:
        store.summary(name)
    assert "secret" not in caught.value.reason


def test_a_file_without_markers_has_no_summary(store: Store, project: Project) -> None:
    path = add_file(project, 1, "epic", "# Epic\n")
    add_file(project, 2, "epic", summary_of("older"))
    with pytest.raises(FileProblem, match="has no line <!-- COMPACT_SUMMARY_START -->") as caught:
        store.summary("epic")
    assert caught.value.path == path


def test_no_link_leads_out_of_the_command_folders(store: Store, project: Project, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text(summary_of("secret"))
    folder = project.command_folders[1]
    folder.mkdir(parents=True)
    (folder / "file.md").symlink_to(secret / "key.md")
    (folder / "sub").symlink_to(secret)
    (folder / "cousin.md").symlink_to(add_file(project, 2, "own", summary_of("own")))
    project.command_folders[0].parent.mkdir(parents=True)
    project.command_folders[0].symlink_to(secret)
    for name in ("file", "sub/key", "cousin", "key"):
        with pytest.raises(FileProblem, match="leads out of"):
            store.summary(name)
