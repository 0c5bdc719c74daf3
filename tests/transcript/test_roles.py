"""Roles of files in a session, and their order."""

from __future__ import annotations

import pytest

from memtui.documents.recovery import reference_files, working_files
from memtui.transcript.paths import folder_of, inside_of, name_of, name_under_test, role_of, stem_of
from memtui.transcript.records import Facts, FileFact, Source

ROOT = "/work/app"


def file(path: str, times: int = 1, *, created: bool = False, subagent: bool = False) -> FileFact:
    return FileFact(
        path if path.startswith("/") or ":" in path else f"{ROOT}/{path}", times, subagent, created
    )


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/auth/refresh.ts", "implementation"),
        ("src/auth/refresh.test.ts", "tests"),
        ("tests/test_auth.py", "tests"),
        ("pkg/lock_test.go", "tests"),
        ("src/AuthTest.java", "tests"),
        ("e2e/login.spec.ts", "end-to-end tests"),
        ("tests/integration/db.py", "integration tests"),
        ("tests/fixtures/user.json", "test data"),
        ("tests/fake_clock.py", "test code"),
        ("cmd/tool/cli/report.go", "implementation"),
        ("notes/change.diff", "file"),
        ("tests/conftest.py", "test setup"),
        ("CLAUDE.md", "project instructions"),
        (".claude/CLAUDE.md", "project instructions"),
        (".claude/commands/ship.md", "slash command"),
        (".claude/skills/x/SKILL.md", "skill"),
        ("README.md", "readme"),
        ("CHANGELOG.md", "changelog"),
        ("ARCHITECTURE.md", "architecture documentation"),
        ("docs/notes.md", "documentation"),
        ("docs/plans/lock.md", "plan"),
        ("package.json", "dependencies"),
        ("pyproject.toml", "dependencies"),
        ("requirements-dev.txt", "dependencies"),
        ("package-lock.json", "lock file"),
        ("tsconfig.build.json", "TypeScript configuration"),
        (".eslintrc.json", "linter configuration"),
        (".github/workflows/ci.yml", "CI workflow"),
        ("Dockerfile", "container build"),
        ("Makefile", "build script"),
        (".env.example", "environment"),
        (".gitignore", "ignore list"),
        ("knip.json", "configuration"),
        ("src/settings.py", "configuration"),
        ("src/settings.tsx", "UI component"),
        ("data/users.json", "data"),
        ("src/types/user.ts", "type definitions"),
        ("src/global.d.ts", "type definitions"),
        ("db/migrations/001_init.sql", "database migration"),
        ("prisma/schema.prisma", "database schema"),
        ("api/user.proto", "interface definition"),
        ("src/models/user.py", "model"),
        ("src/app.css", "styles"),
        ("src/components/Button.tsx", "UI component"),
        ("src/pages/index.astro", "page"),
        ("src/hooks/useUser.ts", "React hook"),
        ("app/routes/events.ts", "API routes"),
        ("src/services/mail.py", "service"),
        ("src/utils/text.py", "helper functions"),
        ("cmd/tool/main.go", "entry point"),
        ("src/pkg/__init__.py", "exports"),
        ("scripts/deploy", "script"),
        ("run.sh", "script"),
        ("analysis.ipynb", "notebook"),
        ("logo.png", "asset"),
        ("/tmp/x.py", "scratch file"),
        ("/private/tmp/claude-501/out.txt", "scratch file"),
        ("/home/me/.claude/plans/a.md", "plan"),
        ("/home/me/.claude/projects/-w/memory/MEMORY.md", "memory of Claude Code"),
        ("/home/me/.claude/projects/-w/s/tool-results/b1.txt", "tool output"),
        (r"D:\app\src\api\handler.ts", "API routes"),
        (r"D:\app\tests\file1.test.ts", "tests"),
        (r"C:\Users\me\AppData\Local\Temp\x.py", "scratch file"),
    ],
)
def test_a_role(path: str, role: str) -> None:
    assert role_of(file(path).path, ROOT).text == role


def test_the_name_of_the_projects_folder_does_not_matter() -> None:
    assert role_of("/tmp/tests/fixtures/lock.py", "/tmp/tests/fixtures").text == "implementation"
    assert role_of(r"D:\docs\tests\lock.py", r"d:\Docs\tests").text == "implementation"


def test_parts_of_paths() -> None:
    assert inside_of("/work/app/src/a.py", "/work/app/") == "src/a.py"
    assert inside_of("/work/apple/a.py", "/work/app") == "/work/apple/a.py"
    assert inside_of(r"D:\App\src\a.ts", r"d:\app") == r"src\a.ts"
    assert (name_of(r"D:\App\a.ts"), folder_of(r"D:\App\a.ts")) == ("a.ts", r"D:\App")
    assert (stem_of("/w/a.b.ts"), name_under_test("/w/test_a.py"), name_under_test("/w/a.test.ts")) == (
        "a.b",
        "a",
        "a",
    )


def named(files: tuple[FileFact, ...], *shell: str) -> list[tuple[str, str]]:
    found = working_files(Facts(modified_files=files, shell_files=tuple(map(file, shell))), ROOT)
    return [(each.path.removeprefix(f"{ROOT}/"), each.role) for each in found]


def test_source_before_tests_before_documents_and_all_are_named() -> None:
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
        ("src/other.py", "implementation, created"),
        ("src/types/lock.ts", "type definitions, by a subagent"),
        ("tests/test_lock.py", "tests of lock.py, 2 edits"),
        ("README.md", "readme, 3 edits"),
        ("logo.png", "asset"),
        ("/tmp/try.py", "scratch file, most edited, 9 edits"),
        ("src/gen.py", "implementation, written by a command"),
    ]


def test_of_two_alike_the_later_one_comes_first() -> None:
    assert [path for path, _ in named((file("src/a.py"), file("src/b.py")))] == ["src/b.py", "src/a.py"]


def test_windows_paths_stay_as_they_are() -> None:
    found = working_files(Facts(modified_files=(file(r"D:\app\src\a.ts"),)), r"D:\app")
    assert (found[0].path, found[0].role) == (r"D:\app\src\a.ts", "implementation")


def test_a_file_names_its_line() -> None:
    source = Source(12)
    facts = Facts(
        modified_files=(FileFact(f"{ROOT}/a.py", 2, False, source=source),),
        read_files=(FileFact(f"{ROOT}/b.py", 1, False, source=source),),
    )
    assert working_files(facts, ROOT)[0].role == "implementation, most edited, 2 edits, L12"
    assert reference_files(facts, ROOT)[0].role == "related module, L12"


def test_of_two_with_as_many_edits_neither_is_the_most_edited() -> None:
    assert named((file("src/a.py", 3), file("src/b.py", 3))) == [
        ("src/b.py", "implementation, 3 edits"),
        ("src/a.py", "implementation, 3 edits"),
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
        ("tests/test_lock.py", "tests of lock.py"),
        ("docs/guide.md", "documentation"),
        ("lib/far.py", "implementation"),
        ("/usr/lib/python3/json.py", "implementation"),
    ]


def test_references_are_few_and_never_changed_ones() -> None:
    read = tuple(file(f"src/m{number}.py") for number in range(40))
    assert len(references(read)) == 12
    windows = (file(r"D:\App\a.ts"), file(r"D:\App\b.ts"))
    found = reference_files(Facts(modified_files=(file(r"d:\app\A.ts"),), read_files=windows), r"D:\App")
    assert [each.path for each in found] == [r"D:\App\b.ts"]


def test_only_a_file_named_as_a_test_is_one_of_another() -> None:
    helpers = (file("e2e/env.go", 2), file("tests/env.go"))
    assert [role for _, role in named(helpers)] == ["test code", "end-to-end tests, most edited, 2 edits"]
