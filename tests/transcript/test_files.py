"""Files that a session modified, read, deleted or moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.recovery_draft import draft_recovery, reference_files, working_files
from memtui.transcript.facts import read_facts
from memtui.transcript.files import DELETED, IN_PROGRAM, PUT_BACK, removals
from memtui.transcript.paths import absolute
from memtui.transcript.records import Facts, to_json
from memtui.transcript.session import agent_transcripts
from tests.transcripts import SIBLING, STOP, Transcript, tool_result, tool_use


def modified(facts: Facts) -> list[str]:
    return [file.path for file in facts.modified_files]


def read(facts: Facts) -> list[str]:
    return [file.path for file in facts.read_files]


def test_failed_refused_and_unfinished_calls_change_nothing(tmp_path: Path) -> None:
    session = Transcript()
    unread = "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>"
    session.broken("Edit", unread, file_path="/work/app/a.py")
    session.broken("Write", STOP, file_path="/work/app/b.py")
    session.broken("Edit", SIBLING, file_path="/work/app/c.py")
    session.tool("Edit", unread, file_path="/work/app/d.py")  # an error by its text alone
    session.broken("Read", "File does not exist.", file_path="/work/app/e.py")
    session.call("Edit", file_path="/work/app/f.py")
    facts = session.facts(tmp_path)
    assert (modified(facts), read(facts)) == ([], [])


def test_read_and_never_modified(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("Read", file_path="/work/app/a.py")
    session.tool("Read", file_path="/work/app/b.py", offset=3)
    session.edit("/work/app/a.py")
    session.tool("Read", file_path="/work/app/b.py")
    session.tool("Grep", pattern="x", path="/work/app/c.py")
    facts = session.facts(tmp_path)
    assert (modified(facts), read(facts)) == (["/work/app/a.py"], ["/work/app/b.py"])
    assert to_json(facts)["modified_files"] == ["/work/app/a.py"]
    assert to_json(facts)["read_files"] == ["/work/app/b.py"]


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("/a/b.py", "/work", "/a/b.py"), ("/a/./x/../b.py", "/work", "/a/b.py"), ("/a//b.py", "", "/a/b.py"),
        ("/a/.hidden/..data", "/work", "/a/.hidden/..data"), ("b.py", "/work", "/work/b.py"),
        ("b.py", "", "b.py"), ("C:\\a\\b.py", "/work", "C:\\a\\b.py"), ("c:/a/b.py", "", "c:/a/b.py"),
        ("src\\b.py", "C:\\a", "C:\\a\\src\\b.py"), ("..\\b.py", "C:\\a\\c", "C:\\a\\b.py"),
        ("\\\\server\\share\\b.py", "C:\\a", "\\\\server\\share\\b.py"),
    ],
)  # fmt: skip
def test_absolute(path: str, cwd: str, expected: str) -> None:
    assert absolute(path, cwd) == expected


def test_subagents_in_progress_lines_and_beside_them(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("Task", "done", description="refactor", prompt="do it")
    session.agent("assistant", tool_use("t1", "Edit", file_path="/work/app/a.py"))
    session.agent("user", tool_result("t1"))
    session.agent("assistant", tool_use("t2", "Write", file_path="/work/app/b.py", content=""))
    session.agent("user", tool_result("t2", STOP, failed=True))
    session.agent("assistant", tool_use("t3", "Read", file_path="/work/app/c.py"))
    session.agent("user", tool_result("t3"))
    session.agent("assistant", tool_use("t4", "Edit", file_path="/work/app/own.py"))
    session.agent("user", tool_result("t4"))
    session.edit("/work/app/own.py")
    path = session.write(tmp_path)
    before = read_facts(path)
    assert modified(before) == ["/work/app/a.py", "/work/app/own.py"]
    assert [(file.subagent, file.times) for file in before.modified_files] == [(True, 1), (False, 2)]
    assert [(file.path, file.subagent) for file in before.read_files] == [("/work/app/c.py", True)]
    assert before.commands == ()

    # The same work again in the subagent's own file, and some that only that file shows.
    agent = Transcript()
    agent.envelope |= {"isSidechain": True, "agentId": "a1"}
    agent.user("do it")
    agent.assistant(tool_use("t1", "Edit", file_path="/work/app/a.py"))
    agent.user([tool_result("t1")])
    agent.assistant(tool_use("t9", "Edit", file_path="late.py"))
    agent.user([tool_result("t9")])
    agent.broken("Bash", "no", command="false")
    agent.write(tmp_path / "5e55-1d" / "subagents", "agent-a1.jsonl")
    after = read_facts(path)
    times = {file.path: file.times for file in after.modified_files}
    assert times == {"/work/app/a.py": 1, "/work/app/late.py": 1, "/work/app/own.py": 2}
    assert (after.asked, after.commands, after.errors) == (before.asked, before.commands, before.errors)


def test_subagents_files_of_older_versions_lie_beside_the_session(tmp_path: Path) -> None:
    session = Transcript()
    call = session.call("Task", description="look", prompt="look")
    session.result(call, detail={"status": "completed", "agentId": "a41f3dc", "totalTokens": 3})
    call = session.call("Task", description="look", prompt="look")
    session.result(call, detail={"status": "completed", "agentId": "../outside"})
    for name, file in (("agent-a41f3dc", "mine.py"), ("agent-b000000", "others.py")):
        agent = Transcript()
        agent.edit(f"/work/app/{file}")
        agent.write(tmp_path, f"{name}.jsonl")
        agent.write(tmp_path / "agent-..", "outside.jsonl")
    facts = session.facts(tmp_path)
    assert [(file.path, file.subagent) for file in facts.modified_files] == [("/work/app/mine.py", True)]


def test_subagents_transcripts_beside_a_session_name_it(tmp_path: Path) -> None:
    session = tmp_path / "s1.jsonl"
    for name, content in (("named", b'{"sessionId":"s1"}\n'), ("other", b'{"sessionId":"s2"}'), ("no", b"")):
        (tmp_path / f"agent-{name}.jsonl").write_bytes(content)
    assert [agent for agent, _ in agent_transcripts(session, ())] == ["named"]


def test_files_that_shell_commands_wrote_are_kept_apart(tmp_path: Path) -> None:
    session = Transcript()
    session.edit("/work/app/edited.py")
    commands = (
        "cat > new.py <<'EOF'\nprint('a > b')\nEOF",
        "cat <<EOF >> /work/app/log.txt\nx\nEOF",
        "cd web && sed -i '' 's/a/b/' index.html && npm test",
        "sed -i -e s/a/b/ edited.py",
        "echo x | tee -a notes.md",
        "grep 'a > b' x.py 2>/dev/null",
        "make > /dev/null",
    )
    for command in commands:
        session.tool("Bash", command=command)
    session.broken("Bash", "Exit code 1\nno", command="cat > failed.py <<EOF\nEOF")
    facts = session.facts(tmp_path)
    assert modified(facts) == ["/work/app/edited.py"]
    found = {file.path.removeprefix("/work/app/"): file.source.line for file in facts.shell_files}
    assert found == {"new.py": 3, "log.txt": 5, "web/index.html": 7, "notes.md": 11}


def test_what_a_subagents_commands_did_to_files(tmp_path: Path) -> None:
    session = Transcript()
    session.agent("assistant", tool_use("t1", "Write", file_path="/work/app/old.py", content=""))
    session.agent("user", tool_result("t1"))
    session.agent("assistant", tool_use("t2", "Bash", command="rm old.py && tee new.py < draft"))
    session.agent("user", tool_result("t2"))
    session.agent("assistant", tool_use("t3", "Bash", command="rm kept.py; mv /work/app/old.py there.py"))
    session.agent("user", tool_result("t3", "Exit code 1", failed=True))
    facts = session.facts(tmp_path)
    assert [(file.path, file.fate) for file in facts.modified_files] == [("/work/app/old.py", "deleted")]
    assert [(file.path, file.subagent) for file in facts.shell_files] == [("/work/app/new.py", True)]
    assert (facts.commands, facts.agent_checks) == ((), ())


def test_a_file_that_a_program_names_may_have_changed(tmp_path: Path) -> None:
    program = "cd src && python3 - <<'EOF'\np = open('{}')\ntext = p.read()\n{}\nEOF"
    session = Transcript()
    for name in ("a.py", "b.py", "package.json"):
        session.tool("Read", "1: x", file_path=f"/work/app/src/{name}")
    session.tool("Bash", "", command=program.format("b.py", "print(text)") + "\nnpm install zod")
    session.agent("assistant", tool_use("t1", "Bash", command=program.format("a.py", "out.write(text)")))
    session.agent("user", tool_result("t1"))
    session.tool("Bash", "", command=program.format("never_read.py", "out.write(text)"))
    facts = session.facts(tmp_path)
    assert [(file.path, file.fate) for file in facts.shell_files] == [("/work/app/src/a.py", IN_PROGRAM)]
    assert [file.path for file in reference_files(facts, "/work/app")] == ["/work/app/src/b.py"]
    (working,) = working_files(facts, "/work/app")
    assert working.role == "implementation, named in a program that ran, L9"


ROOT = "/work/app"


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("rm -rf a.py old/", [("/w/a.py", DELETED), ("/w/old", DELETED)]),
        ("cd sub && rm ../a.py 2>/dev/null", [("/w/a.py", DELETED)]), ("git rm --cached a.py", []),
        ("git rm a.py && git mv b.py c.py", [("/w/a.py", DELETED), ("/w/b.py", "moved to /w/c.py")]),
        ("mv a.py b.py lib/", [("/w/a.py", "moved to /w/lib/a.py"), ("/w/b.py", "moved to /w/lib/b.py")]),
        ("mv a.py lib", [("/w/a.py", "moved to /w/lib/a.py")]),
        ("mv lib src/lib", [("/w/lib", "moved to /w/src/lib")]),
        ("git checkout -- \\\n  a.py \\\n  b.py", [("/w/a.py", PUT_BACK), ("/w/b.py", PUT_BACK)]),
        ("git restore a.py; git restore --staged b.py", [("/w/a.py", PUT_BACK)]),
        ("git checkout main; git checkout -- .", []), ("rm $TMP/a.py; rm -rf *; rm ~/x; rm .", []),
        ("echo 'rm a.py' && grep rm a.py", []), ("git commit -m 'rm a.py'", []),
    ],
)  # fmt: skip
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
        ("again.py", "implementation, 5 edits"),
        ("kept.py", "implementation"),
        ("lib/a.py", "implementation, 4 edits"),
        ("lib/b.py", "implementation, 4 edits"),
        ("main.py", "implementation, 4 edits, later put back"),
    ]
    assert sorted(roles[5:]) == [
        ("draft.py", "implementation, 4 edits, later deleted"),
        ("lib", "path, deleted by a command"),
        ("model.py", f"model, moved to {ROOT}/models/model.py by a command"),
        ("old.py", f"implementation, 4 edits, later moved to {ROOT}/new.py"),
        ("types/gone.d.ts", "type definitions, deleted by a command"),
    ]
    assert reference_files(facts, ROOT) == ()
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
    s.tool("Bash", command="rm d.py && git restore d.py")
    facts = s.facts(tmp_path)
    assert [(file.path, file.fate) for file in facts.modified_files] == [
        (f"{ROOT}/a.py", ""),
        (f"{ROOT}/b.py", f"moved to {ROOT}/z.py"),
        (f"{ROOT}/c.py", ""),
        (f"{ROOT}/d.py", "put back"),
    ]
    assert [file.path for file in facts.shell_files] == [f"{ROOT}/notes.txt"]


@pytest.mark.parametrize(
    "command", ["rm -rf lib", "rm lib/*.py", "rm lib/?.py", "git rm -r lib", "mv lib old", "git restore lib"]
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
    assert changes[-1] == "changed 3 other files"


@pytest.mark.parametrize(
    ("commands", "left"),
    [
        (("rm a",), [("a", DELETED)]), (("rm a", "rm -f a"), [("a", DELETED)]),
        (("rm a", "mv /bak/a a"), [("/bak/a", f"moved to {ROOT}/a")]), (("rm a", "git restore a"), []),
        (("tee a < b", "rm a", "rm -f a"), []), (("tee a < b", "mv a c", "rm -f a"), [("c", "")]),
        (("mv a b", "mv b a"), []), (("mv a b", "mv b c"), [("a", f"moved to {ROOT}/c")]),
        (("mv a b", "rm b", "rm -f b"), [("a", DELETED)]), (("mv a b", "tee a < c"), [("a", "")]),
        (("mv known b", "rm b", "rm -f b"), []),
        (("mv a b.py", "python3 -c \"open('b.py').write(x)\""), [("a", f"moved to {ROOT}/b.py")]),
    ],
)  # fmt: skip
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


def test_edits_that_git_took_back_do_not_count_any_more(tmp_path: Path) -> None:
    session = Transcript()
    for command in ("git checkout --ours src/a.py", "git restore src/a.py", "git checkout -- src/a.py"):
        session.edit("/work/app/src/a.py")
        session.edit("/work/app/src/a.py")
        session.tool("Bash", "", command=command)
    assert [file.fate for file in session.facts(tmp_path).modified_files] == [PUT_BACK]
    session.edit("/work/app/src/a.py")
    again = session.facts(tmp_path).modified_files[0]
    assert (again.times, again.fate, again.source.line) == (1, "", 19)


def test_an_edit_that_another_one_took_back_left_nothing(tmp_path: Path) -> None:
    t = Transcript()
    for old, new, before in (("a", "a\nb", "a\nz"), ("a\nb", "a", "a\nb\nz"), ("z", "y", "a\nz")):
        detail = {"originalFile": before, "oldString": old, "newString": new}
        path = {"file_path": "/work/app/a.py", "old_string": old, "new_string": new}
        t.result(t.call("Edit", **path), "ok", detail=detail)
        fates = [file.fate for file in t.facts(tmp_path).modified_files]
        assert fates == [PUT_BACK if new == "a" else ""]
        if new == "y":
            t.tool("Bash", "[main abc1234] dig", command="git commit -am dig")
    detail = {"originalFile": "a\ny", "oldString": "y", "newString": "z"}
    t.result(t.call("Edit", **{**path, "old_string": "y", "new_string": "z"}), "ok", detail=detail)
    (file,) = t.facts(tmp_path).modified_files
    assert file.fate == ""  # the commit has the other text
