"""Commits and pull requests of the project, addresses, reports, modes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.transcript.files import DELETED, removals
from tests.transcripts import Transcript, tool_result, tool_use


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git init && git add -A && git commit -m first", True),
        ("cd /tmp && rm -rf t && mkdir t && cd t && git init && git commit -qm first", False),
        ("cd $(mktemp -d) && git init -q && git commit --allow-empty -m first", False),
        ("git init /tmp/t && git -C /tmp/t commit -m first", False),
        ("cd /work/app/new && git init && git commit -m first", True),
        ("cd /tmp/worktree && git commit -m first", True),
    ],
)
def test_a_repository_that_was_made_to_try_something(tmp_path: Path, command: str, expected: bool) -> None:
    session = Transcript()
    session.tool("Bash", "[main (root-commit) abc1234] first\n 1 file changed", command=command)
    assert bool(session.facts(tmp_path).landmarks) is expected


STAT = "2 files changed, 214 insertions(+), 324 deletions(-)"


@pytest.mark.parametrize(
    ("command", "output", "subjects"),
    [
        ('git add -A && gt create -m "feat: sort links\n\n- more"', STAT, ["feat: sort links"]),
        ("gt create -am 'feat: sort links' --no-interactive 2>&1 | tail -20", STAT, ["feat: sort links"]),
        ("gt create -m \"$(cat <<'EOF'\nfeat: sort links\n\nwhy\nEOF\n)\"", STAT, ["feat: sort links"]),
        ('gt create -m "feat: x"', "No staged changes; creating a branch with no commit.", []),
        ("gt submit --no-interactive", STAT, []),
        ("git commit -qm 'fix: it' && git push", "", ["fix: it"]),
        ("git commit -q -m 'fix: it' | tail -1", "", []),
        ("git commit -m 'fix: it'", "", []),
    ],
)
def test_a_commit_whose_id_was_not_printed(
    tmp_path: Path, command: str, output: str, subjects: list[str]
) -> None:
    session = Transcript()
    session.tool("Bash", output, command=command)
    found = session.facts(tmp_path).landmarks
    assert [(each.kind, each.text, each.commit) for each in found] == [("commit", s, "") for s in subjects]


def test_graphite_changes_its_last_commit(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("Bash", STAT, command='gt create -m "feat: one"')
    session.tool("Bash", STAT, command='gt modify -c -m "feat: two"')
    session.tool("Bash", STAT, command='gt modify -a -m "feat: three"')
    found = session.facts(tmp_path).landmarks
    superseded = {each.text: each.superseded for each in found}
    assert superseded == {"feat: one": "", "feat: two": "amend", "feat: three": ""}


def test_two_commits_with_one_subject_are_two(tmp_path: Path) -> None:
    session = Transcript()
    for commit in ("abc1234", "def5678"):
        session.tool("Bash", f"[main {commit}] wip\n 1 file changed", command="git commit -am wip")
    session.tool("Bash", "[main 1234abc] wip\n 1 file changed", command="git commit --amend --no-edit")
    found = [(mark.commit, mark.superseded) for mark in session.facts(tmp_path).landmarks]
    assert found == [("abc1234", ""), ("1234abc", "")]


PULL = "https://example.org/shop/app/pull/7"
ISSUE = "https://example.org/shop/app/issues/12"


def git(t: Transcript, command: str, output: str = "") -> None:
    t.tool("Bash", output, command=command, description="d")


def commit(t: Transcript, name: str, identity: str, *options: str) -> None:
    git(t, " ".join(("git commit", *options, f"-m '{name}'")), f"[main {identity}] {name}\n 1 file changed")


def test_a_restack_rewrites_the_commits_of_the_branches_that_it_names(tmp_path: Path) -> None:
    t = Transcript()
    t.user("go")
    git(t, "git commit -m 'One'", "[cron 1111111] One\n 1 file changed")
    git(t, "git commit -m 'Two'", "[fix-css 2222222] Two\n 1 file changed")
    git(t, "gt restack", "cron does not need to be restacked on main.\nRestacked fix-css on cron.")
    assert [mark.superseded for mark in t.facts(tmp_path).landmarks] == ["", "rebase"]


def test_the_users_own_shell_counts(tmp_path: Path) -> None:
    t = Transcript()
    t.user("<bash-input>git commit -m 'By hand'</bash-input>")
    t.user("<bash-stdout>[main abc1234] By hand\n 1 file changed</bash-stdout><bash-stderr></bash-stderr>")
    t.user("<bash-input>git push --tags</bash-input>")
    t.user("<bash-stdout></bash-stdout><bash-stderr> * [new tag]   v1.2 -> v1.2\n</bash-stderr>")
    t.user("<bash-input>gh pr create --fill</bash-input>")
    t.user(f"<bash-stdout>{PULL}</bash-stdout><bash-stderr></bash-stderr>")
    facts = t.facts(tmp_path)
    assert [(mark.text, mark.commit, mark.source.line) for mark in facts.landmarks] == [
        ("By hand", "abc1234", 2), ("tag v1.2", "", 4), (PULL, "", 6),
    ]  # fmt: skip
    typed = ("git commit -m 'By hand'", "git push --tags", "gh pr create --fill")
    assert tuple(run.text for run in facts.commands) == typed
    assert {(run.by, run.outcome) for run in facts.commands} == {("user", "unknown")}
    assert facts.commands[0].source.speaker == "user"
    assert facts.asked == ()


def test_an_api_error_ends_a_turn(tmp_path: Path) -> None:
    t = Transcript()
    t.user("go")
    t.line("system", subtype="api_error", error={}, retryAttempt=1, maxRetries=10)
    t.say("API Error: 529 Overloaded", message={"model": "<synthetic>"}, isApiErrorMessage=True)
    t.say("No response requested.", message={"model": "<synthetic>"})
    (turn,) = t.facts(tmp_path).turns
    assert (turn.end, turn.closing) == ("api error", None)


def test_addresses_in_results(tmp_path: Path) -> None:
    t = Transcript()
    t.user("look at it")
    t.tool("Bash", f"open\t{ISSUE}\n{PULL}\n+ // {PULL}0 is why", command="gh pr view", description="d")
    t.broken("Bash", f"Exit code 1\na pull request already exists:\n{PULL}", command="gh pr create --fill")
    linear, jira = "https://linear.app/kiln/issue/ENT-238", "https://kiln.example.net/browse/KILN-7"
    t.tool("mcp__linear__create_issue", f'{{"url":"{linear}/build-it"}}\n{jira}', title="Build it")
    t.tool("WebFetch", "\n".join(f"https://example.org/a/b/issues/{n}" for n in range(50)), url="x")
    facts = t.facts(tmp_path)
    assert [(quote.text, quote.source.line) for quote in facts.addresses] == [
        (ISSUE, 3), (PULL, 5), (linear, 7), (jira, 7),
    ]  # fmt: skip


def test_commits_of_subagents_count_and_a_log_gives_the_ids_that_they_have_since(tmp_path: Path) -> None:
    t = Transcript()
    t.tool("Bash", "[main abc1234] dig\n 1 file changed", command="git commit -am dig")
    t.agent("assistant", tool_use("b1", "Bash", command="git commit -am fire"))
    t.agent("user", tool_result("b1", "[main abc1235] fire\n 1 file changed"))
    t.tool("Bash", "1111111 (HEAD) fire\nabc123456 dig", command="git log main..HEAD --oneline")
    assert [(mark.text, mark.commit) for mark in t.facts(tmp_path).landmarks] == [
        ("dig", "abc1234"), ("fire", "1111111"),
    ]  # fmt: skip
    for log in ("-3 origin/other", "-3 HEAD~1", "--skip=5 -3"):
        t.tool("Bash", "9999999 dig", command=f"git log --oneline {log}")
    t.tool("Bash", "9999999 dig", command="git checkout other && git log --oneline -3")
    assert [mark.commit for mark in t.facts(tmp_path).landmarks] == ["abc1234", "1111111"]
    t.tool(
        "Bash", "abc1234 dig\n2222222 fire\n8888888 dig\n7777777 fire", command="git log --oneline -n 5 | cat"
    )
    assert [mark.commit for mark in t.facts(tmp_path).landmarks] == ["abc1234", "2222222"]


@pytest.mark.parametrize(
    ("command", "superseded"),
    [
        ("git reset --hard HEAD~2", ["", "reset", "reset"]),
        ("git reset --soft HEAD^", ["", "", "reset"]),
        ("git reset --hard 1111111", ["", "reset", "reset"]),
        ("git reset --hard origin/main", ["reset", "reset", "reset"]),
        ("git reset HEAD a.py", ["", "", ""]),
        ("git reset a.py", ["", "", ""]),
        ("git fetch && git rebase origin/main", ["rebase", "rebase", "rebase"]),
        ("git pull --rebase", ["rebase", "rebase", "rebase"]),
        ("git rebase --abort", ["", "", ""]),
        ("git status", ["", "", ""]),
    ],
)
def test_commits_that_were_taken_back_or_replaced(
    tmp_path: Path, command: str, superseded: list[str]
) -> None:
    t = Transcript()
    t.user("go")
    for number in (1, 2, 3):
        commit(t, f"part {number}", str(number) * 7)
    git(t, command, "done")
    facts = t.facts(tmp_path)
    assert [mark.superseded for mark in facts.landmarks] == superseded


def test_a_commit_lives_on_under_the_hash_that_git_names_later(tmp_path: Path) -> None:
    t = Transcript()
    t.user("go")
    for number in (1, 2, 3):
        commit(t, f"part {number}", str(number) * 7)
    git(t, "git reset --hard origin/main")
    git(t, "git cherry-pick 1111111", "[main aaaaaaa] part 1\n 1 file changed")
    logged = "bbbbbbb (HEAD) part 2\naaaaaaa part 1"
    git(t, "git cherry-pick 2222222 >/dev/null && git log --oneline -2", logged)
    git(t, "git log --all --oneline", "3333333 part 3")
    found = {(mark.text, mark.commit, mark.superseded) for mark in t.facts(tmp_path).landmarks}
    assert found == {("part 1", "aaaaaaa", ""), ("part 2", "bbbbbbb", ""), ("part 3", "3333333", "reset")}


def test_a_commit_of_others_is_picked_not_made_and_one_before_a_failure_is_made(tmp_path: Path) -> None:
    t = Transcript()
    t.user("go")
    git(t, "git cherry-pick 1111111", "[main aaaaaaa] theirs\n 1 file changed")
    t.broken("Bash", "Exit code 1\n[main bbbbbbb] ours\nfatal: no", command="git commit -m x && git push")
    facts = t.facts(tmp_path)
    assert [mark.text for mark in facts.landmarks] == ["theirs (cherry-picked)", "ours"]


def test_a_rebase_that_git_refused_replaces_nothing(tmp_path: Path) -> None:
    t = Transcript()
    t.user("go")
    commit(t, "part 1", "1111111")
    git(t, "git rebase origin/main | tail -2", "error: cannot rebase: You have unstaged changes.")
    facts = t.facts(tmp_path)
    assert [mark.superseded for mark in facts.landmarks] == [""]
    assert [command.outcome for command in facts.commands] == ["ok", "failed"]


@pytest.mark.parametrize(
    ("command", "deleted"),
    [
        ("cat > x <<'EOF'\nrm a.py\nEOF\nrm b.py", ["/w/b.py"]),
        ("git commit -m \"$(cat <<'EOF'\nrm a.py\nEOF\n)\" && rm b.py", ["/w/b.py"]),
        ("(cd sub && rm a.py)", ["/w/sub/a.py"]),
        ("pushd sub; rm a.py", ["/w/sub/a.py"]),
        ("git -C sub rm a.py", ["/w/sub/a.py"]),
        ('cd "$HERE" && rm a.py', []),
        ("cd - && rm a.py /abs/b.py", ["/abs/b.py"]),
    ],
)
def test_where_a_file_was_deleted(command: str, deleted: list[str]) -> None:
    found = [each for each in removals(command, "/w") if each.path.startswith("/")]
    assert [(each.path, each.fate) for each in found] == [(path, DELETED) for path in deleted]
