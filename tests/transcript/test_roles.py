"""Roles of files in a session, and their order."""

from __future__ import annotations

import pytest

from memtui.documents.recovery_draft import reference_files, working_files
from memtui.transcript.paths import project_of, role_of
from memtui.transcript.records import Facts, FileFact

ROOT = "/work/app"


def file(path: str, times: int = 1, *, created: bool = False, subagent: bool = False) -> FileFact:
    return FileFact(
        path if path.startswith("/") or ":" in path else f"{ROOT}/{path}", times, subagent, created
    )


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/auth/refresh.ts", "implementation"), ("src/auth/refresh.test.ts", "tests"),
        ("tests/test_auth.py", "tests"), ("pkg/lock_test.go", "tests"), ("src/AuthTest.java", "tests"),
        ("e2e/login.spec.ts", "end-to-end tests"), ("tests/integration/db.py", "integration tests"),
        ("tests/fixtures/user.json", "test data"), ("tests/fake_clock.py", "test code"),
        ("cmd/tool/cli/report.go", "implementation"), ("notes/change.diff", "file"),
        ("tests/conftest.py", "test setup"), ("CLAUDE.md", "project instructions"),
        (".claude/CLAUDE.md", "project instructions"), (".claude/commands/ship.md", "slash command"),
        (".claude/skills/x/SKILL.md", "skill"), ("README.md", "readme"), ("docs/notes.md", "documentation"),
        ("docs/plans/lock.md", "plan"), ("package.json", "dependencies"), ("pyproject.toml", "dependencies"),
        ("requirements-dev.txt", "dependencies"), ("package-lock.json", "lock file"),
        ("tsconfig.build.json", "TypeScript configuration"), (".eslintrc.json", "linter configuration"),
        (".github/workflows/ci.yml", "CI workflow"), ("Dockerfile", "container build"),
        ("Makefile", "build script"), (".env.example", "environment"), (".gitignore", "ignore list"),
        ("knip.json", "configuration"), ("config/routes", "configuration"),
        ("src/settings.py", "implementation"), ("data/users.json", "data"),
        ("src/types/user.ts", "type definitions"), ("src/global.d.ts", "type definitions"),
        ("db/migrations/001_init.sql", "database schema"), ("prisma/schema.prisma", "database schema"),
        ("api/user.proto", "interface definition"), ("src/models/user.py", "model"),
        ("src/app.css", "implementation"), ("src/pages/index.astro", "implementation"),
        ("cmd/tool/config.go", "implementation"), ("scripts/deploy", "file"), ("logo.png", "asset"),
        ("/tmp/x.py", "scratch file"), ("/private/tmp/claude-501/out.txt", "scratch file"),
        ("/home/me/.claude/plans/a.md", "plan"),
        ("/home/me/.claude/projects/-w/memory/MEMORY.md", "memory of Claude Code"),
        ("/home/me/.claude/projects/-w/s/tool-results/b1.txt", "tool output"),
        (r"D:\app\src\api\handler.ts", "implementation"), (r"D:\app\tests\file1.test.ts", "tests"),
        (r"C:\Users\me\AppData\Local\Temp\x.py", "scratch file"),
    ],
)  # fmt: skip
def test_a_role(path: str, role: str) -> None:
    assert role_of(file(path).path, ROOT).text == role


def named(files: tuple[FileFact, ...], *shell: str) -> list[tuple[str, str]]:
    found = working_files(Facts(modified_files=files, shell_files=tuple(map(file, shell))), ROOT)
    return [(each.path.removeprefix(f"{ROOT}/"), each.role) for each in found]


def test_the_most_edited_stand_first_then_source_and_all_are_named() -> None:
    files = (
        file("README.md", 3),
        file("tests/test_lock.py", 2),
        file("/tmp/try.py", 9),
        file("src/lock.py", 4),
        file("src/other.py", created=True),
        file("src/types/lock.ts", subagent=True),
        file("logo.png"),
    )
    assert named(files, f"{ROOT}/src/gen.py", "/tmp/out.txt") == [
        ("src/lock.py", "implementation, 4 edits"),
        ("README.md", "readme, 3 edits"),
        ("tests/test_lock.py", "tests, 2 edits"),
        ("src/other.py", "implementation, created"),
        ("logo.png", "asset"),
        ("src/types/lock.ts", "type definitions, by a subagent"),
        ("/tmp/try.py", "scratch file, 9 edits"),
        ("src/gen.py", "implementation, written by a command"),
    ]


def references(read: tuple[FileFact, ...], changed: tuple[FileFact, ...] = ()) -> list[tuple[str, str]]:
    found = reference_files(Facts(modified_files=changed, read_files=read), ROOT)
    return [(each.path.removeprefix(f"{ROOT}/"), each.role) for each in found]


def test_references_by_the_seeds_priorities() -> None:
    changed = (file("src/auth/lock.py"),)
    read = (
        file("docs/guide.md"),
        file("lib/far.py"),
        file("tests/test_lock.py"),
        file("src/auth/token.py"),
        file("src/types/token.ts"),
        file("package.json"),
        file("CLAUDE.md"),
        file("/tmp/out.txt"),
        file("/usr/lib/python3/json.py"),
    )
    assert references(read, changed) == [
        ("src/types/token.ts", "type definitions"),
        ("package.json", "dependencies"),
        ("CLAUDE.md", "project instructions"),
        ("src/auth/token.py", "related module"),
        ("lib/far.py", "implementation"),
        ("tests/test_lock.py", "tests"),
        ("docs/guide.md", "documentation"),
        ("/usr/lib/python3/json.py", "implementation"),
    ]


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("/work/shop", "shop"), ("/work/shop/.worktrees/2", "shop"),
        ("/work/shop/.worktrees/anna/fix-tax", "shop"),
        ("/home/anna/.tool/repos/shop/worktrees/shop-slot-51", "shop"),
        ("/home/anna/code/worktrees/shop", "shop"), ("/work/shop/.claude/worktrees/fix", "shop"),
        ("C:\\work\\shop\\.worktrees\\2", "shop"), ("/home/anna/.worktrees/shop", "shop"), ("/", "/"),
    ],
)  # fmt: skip
def test_a_worktree_is_called_by_its_repository(root: str, name: str) -> None:
    assert project_of(root) == name
