"""Files that commands deleted, moved or put back, and their fates in the drafts."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import draft_session_state
from memtui.documents.recovery import draft_recovery, reference_files, working_files
from memtui.ground.project import Project
from memtui.transcript.facts import read_facts
from memtui.transcript.files import DELETED, PUT_BACK, removals
from tests.transcripts import Transcript

ROOT = "/work/app"


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("rm -rf a.py old/", [("/w/a.py", DELETED), ("/w/old", DELETED)]),
        ("cd sub && rm ../a.py 2>/dev/null", [("/w/a.py", DELETED)]),
        ("git rm --cached a.py", []),
        ("git rm a.py && git mv b.py c.py", [("/w/a.py", DELETED), ("/w/b.py", "moved to /w/c.py")]),
        ("mv a.py b.py lib/", [("/w/a.py", "moved to /w/lib/a.py"), ("/w/b.py", "moved to /w/lib/b.py")]),
        ("mv a.py lib", [("/w/a.py", "moved to /w/lib/a.py")]),
        ("mv lib src/lib", [("/w/lib", "moved to /w/src/lib")]),
        ("git checkout -- \\\n  a.py \\\n  b.py", [("/w/a.py", PUT_BACK), ("/w/b.py", PUT_BACK)]),
        ("git restore a.py; git restore --staged b.py", [("/w/a.py", PUT_BACK)]),
        ("git checkout main; git checkout -- .", []),
        ("rm $TMP/a.py; rm -rf *; rm ~/x; rm .", []),
        ("echo 'rm a.py' && grep rm a.py", []),
        ("git commit -m 'rm a.py'", []),
    ],
)
def test_effects_of_a_command(command: str, found: list[tuple[str, str]]) -> None:
    assert [(each.path.rstrip("/"), each.fate) for each in removals(command, "/w")] == found


def session() -> Transcript:
    s = Transcript(cwd=ROOT)
    s.user("Tidy the shop up, so that every module has one name and nothing is there twice.")
    for name in ("main.py", "old.py", "draft.py", "lib/a.py", "lib/b.py", "kept.py", "again.py"):
        for _ in range(1 if name == "kept.py" else 4):
            s.edit(f"{ROOT}/{name}")
    s.tool("Read", file_path=f"{ROOT}/types/gone.d.ts")
    s.tool("Read", file_path=f"{ROOT}/model.py")
    s.tool("Bash", command=f"cat > notes.txt <<E\nx\nE\nrm {ROOT}/again.py")
    s.tool("Bash", command="git mv old.py new.py && rm draft.py notes.txt types/gone.d.ts && rm -r lib")
    s.tool("Bash", command="mkdir -p models && mv model.py models/")
    s.tool("Bash", command="git checkout -- main.py")
    s.edit(f"{ROOT}/again.py")
    return s


def test_the_drafts_say_what_became_of_files(tmp_path: Path) -> None:
    facts = session().facts(tmp_path)
    result = ((file.path.removeprefix(f"{ROOT}/"), file.role) for file in working_files(facts, ROOT))
    roles = [(path, role.rpartition(", L")[0]) for path, role in result]
    assert sorted(roles[:5]) == [
        ("again.py", "implementation, most edited, 5 edits"),
        ("kept.py", "implementation"),
        ("lib/a.py", "implementation, 4 edits"),
        ("lib/b.py", "implementation, 4 edits"),
        ("main.py", "entry point, 4 edits, later put back with git"),
    ]
    assert sorted(roles[5:]) == [
        ("draft.py", "implementation, 4 edits, later deleted"),
        ("lib", "path, deleted by a command"),
        ("old.py", f"implementation, 4 edits, later moved to {ROOT}/new.py"),
    ]
    assert [file.path for file in reference_files(facts, ROOT)] == [f"{ROOT}/models/model.py"]
    changes = draft_recovery(facts, Path(ROOT)).changes
    assert f"changed {ROOT}/draft.py, later deleted (L18)" in changes
    assert any(line.startswith(f"changed {ROOT}/again.py (L") for line in changes)


def test_a_file_that_comes_back_stands(tmp_path: Path) -> None:
    s = Transcript(cwd=ROOT)
    s.edit(f"{ROOT}/a.py")
    s.edit(f"{ROOT}/b.py")
    s.edit(f"{ROOT}/c.py")
    s.tool("Bash", command="mv a.py x.py && mv b.py y.py && rm c.py")
    s.edit(f"{ROOT}/d.py")
    s.tool("Bash", command="mv x.py a.py; mv y.py z.py\ncat > c.py <<E\nx\nE")
    s.tool("Bash", command="cat > notes.txt <<E\nx\nE")
    s.tool("Bash", command="rm d.py && cp ../backup/d.py . && cp -r ../backup/d.py d.py; cp a.py notes.txt")
    facts = s.facts(tmp_path)
    assert [(file.path, file.fate) for file in facts.modified_files] == [
        (f"{ROOT}/a.py", ""),
        (f"{ROOT}/b.py", f"moved to {ROOT}/z.py"),
        (f"{ROOT}/c.py", ""),
        (f"{ROOT}/d.py", ""),
    ]
    assert [file.path for file in facts.shell_files] == [f"{ROOT}/notes.txt"]


@pytest.mark.parametrize(
    "command",
    ["rm -rf lib", "rm lib/*.py", "rm lib/?.py", "git rm -r lib", "mv lib old", "git restore lib"],
)
def test_only_a_path_that_is_named_is_gone(tmp_path: Path, command: str) -> None:
    s = Transcript(cwd=ROOT)
    s.edit(f"{ROOT}/lib/a.py")
    s.tool("Bash", command=command)
    assert [file.fate for file in s.facts(tmp_path).modified_files] == [""]
    s.tool("Bash", command="rm -f lib/a.py")
    assert [file.fate for file in s.facts(tmp_path).modified_files] == [DELETED]


def test_many_files_are_shown_by_their_number(tmp_path: Path) -> None:
    s = Transcript(cwd=ROOT)
    for number in range(15):
        s.edit(f"{ROOT}/src/part{number}.py")
    changes = draft_recovery(s.facts(tmp_path), Path(ROOT)).changes
    assert changes[-1] == "3 other files, all named under Working Files and in the notes"


def test_files_that_no_tool_had_touched(tmp_path: Path) -> None:
    s = Transcript(cwd=ROOT)
    s.tool("Read", file_path=f"{ROOT}/pool/pool.go")
    s.tool("Read", file_path=f"{ROOT}/view.tsx")
    s.edit(f"{ROOT}/view.tsx")
    s.tool("Bash", command="cd pool && sed -i 's/1/5/' pool.go && go test ./...")
    s.tool("Bash", command="git rm -q old/far.go && git mv pool/pool.go pool/conn.go; rm -rf *.tmp")
    s.tool("Bash", command="mv view.tsx View.tsx && mv View.tsx ui/View.tsx")
    s.tool("Bash", command="rm notes.txt")
    s.tool("Bash", command="tee notes.txt < draft")
    facts = s.facts(tmp_path)
    assert [(file.path, file.fate) for file in facts.shell_files] == [
        (f"{ROOT}/old/far.go", DELETED),
        (f"{ROOT}/pool/conn.go", ""),
        (f"{ROOT}/notes.txt", ""),
    ]
    assert [file.fate for file in facts.modified_files] == [f"moved to {ROOT}/ui/View.tsx"]
    assert reference_files(facts, ROOT) == ()
    state = draft_session_state(facts, Project(Path(ROOT)))
    assert "Deleted or moved by commands: old/far.go (deleted)" in state.working.technical_state
    notes = compaction_notes(facts, state, Path(ROOT))
    assert "view.tsx (moved to ui/View.tsx), old/far.go (deleted)" in notes


@pytest.mark.parametrize(
    ("commands", "left"),
    [
        (("rm a",), [("a", DELETED)]),
        (("rm a", "rm -f a"), [("a", DELETED)]),
        (("rm a", "cp /bak/a a"), []),
        (("rm a", "cp /bak/a a", "rm a"), [("a", DELETED)]),
        (("rm a", "mv /bak/a a"), [("/bak/a", f"moved to {ROOT}/a")]),
        (("rm a", "git restore a"), []),
        (("tee a < b", "rm a", "rm -f a"), []),
        (("tee a < b", "mv a c", "rm -f a"), [("c", "")]),
        (("mv a b", "mv b a"), []),
        (("mv a b", "mv b c"), [("a", f"moved to {ROOT}/c")]),
        (("mv a b", "rm b", "rm -f b"), [("a", DELETED)]),
        (("mv a b", "tee a < c"), [("a", "")]),
        (("mv known b", "rm b", "rm -f b"), []),
        (("mv a b.py", "python3 -c \"open('b.py').write(x)\""), [("a", f"moved to {ROOT}/b.py")]),
    ],
)
def test_the_fate_of_a_file_after_several_commands(
    tmp_path: Path, commands: tuple[str, ...], left: list[tuple[str, str]]
) -> None:
    s = Transcript(cwd=ROOT)
    s.edit(f"{ROOT}/known")
    for command in commands:
        s.tool("Bash", command=command)
    path = s.write(tmp_path)
    found = read_facts(path).shell_files
    assert [(file.path.removeprefix(f"{ROOT}/"), file.fate) for file in found] == left
