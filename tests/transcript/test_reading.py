"""A transcript that is read as it grows gives the same facts as when it is read at once."""

from __future__ import annotations

from pathlib import Path

from memtui.documents.compactor import members, next_state
from memtui.documents.session_state import SessionState, TaskKind, render_session_state
from memtui.ground.project import Project
from memtui.transcript.facts import Reading, read_facts
from memtui.transcript.records import Facts
from memtui.transcript.short_text import key_of
from tests.transcripts import SAID, STOP, Transcript, tool_result, tool_use

SHOP = Project(Path("/work/app"))


def session() -> Transcript:
    """A session with all that refers to earlier lines: calls, tasks, errors, plans, the queue, options."""
    t = Transcript()
    t.user("Make refunds give the stock back. Never touch the public API.")
    t.say("I see three ways:\n\nA) a ledger\nB) a trigger\n\nWhich one?")
    t.user("A")
    made = t.call("TaskCreate", subject="write the ledger", description="d")
    t.result(
        made, "Task #1 created successfully", detail={"task": {"id": "1", "subject": "write the ledger"}}
    )
    made = t.call("TaskCreate", subject="migrate the stock")
    t.result(
        made, "Task #2 created successfully", detail={"task": {"id": "2", "subject": "migrate the stock"}}
    )
    t.tool("TaskUpdate", "Updated task #1", taskId="1", status="in_progress")
    t.edit("/work/app/ledger.py")
    t.broken("Bash", "Exit code 1\nran 3\nError: duplicate key", command="npm test", description="test")
    t.queue("enqueue", "let's keep the old table as well")
    t.queue("remove")
    t.tool("Read", "text", file_path="/work/app/stock.py")
    t.edit("/work/app/stock.py")
    t.tool("TaskUpdate", "Updated task #1", taskId="1", status="completed")
    t.tool("Bash", "3 passed", command="npm test", description="test")
    t.compaction()
    plan = "# Plan: refunds\n1. write it\n2. ship it"
    t.tool("Write", "File created", file_path="/home/me/.claude/plans/calm-sea.md", content=plan)
    shown = t.call("ExitPlanMode", plan=plan, planFilePath="/home/me/.claude/plans/calm-sea.md")
    t.result(shown, "User has approved your plan. You can now start coding.")
    t.tool("TaskUpdate", "Updated task #2", taskId="2", status="in_progress", subject="migrate all stock")
    refused = t.call("Bash", command="npm publish")
    t.result(refused, STOP, failed=True, detail="User rejected tool use")
    t.user("do not publish before Friday")
    t.assistant(
        {"type": "text", "text": "I decided to batch the writes because the lock is slow."},
        tool_use("both1", "Edit", file_path="/work/app/batch.py", old_string="a", new_string="b"),
        tool_use("both2", "Bash", command="npm run dev -- --port 5173", run_in_background=True),
    )
    t.user([tool_result("both1")], toolUseResult={"filePath": "/work/app/batch.py"})
    t.user([tool_result("both2", "Command running")], toolUseResult={"backgroundTaskId": "b1"})
    asked = t.call("AskUserQuestion", questions=[{"question": "Ship today?"}])
    t.result(
        asked,
        'User has answered: "Ship today?"="On Friday"',
        detail={"answers": {"Ship today?": "On Friday"}},
    )
    commit = "[main abc1234] fix: refunds give the stock back\n 3 files changed"
    t.tool("Bash", commit, command="git commit -am 'fix: refunds give the stock back'")
    wrong = t.call("Edit", file_path="/work/app/other.py", old_string="x", new_string="y")
    t.result(wrong, f"{SAID}use the helper instead", failed=True, detail="Error: rejected")
    t.tool("Bash", "Successfully installed", command="npm install zod")
    t.say("All done. Shall I open the pull request?")
    return t


def steps(path: Path, data: bytes, cuts: list[int]) -> tuple[SessionState, Facts]:
    """The last version when a transcript is read up to each cut, and then to its end."""
    state: SessionState | None = None
    reading, before = Reading(path), None
    for cut in (*cuts, len(data)):
        path.write_bytes(data[:cut])
        facts = reading.read()
        state = next_state(state, facts, SHOP, before=before) or state
        before = facts
    assert state is not None
    assert facts == read_facts(path)
    return state, facts


def said(state: SessionState) -> set[str]:
    return {key_of(text) for decision in state.decisions for text in members(decision)}


def test_reading_on_from_the_start_is_reading(tmp_path: Path) -> None:
    path = session().write(tmp_path)
    reading = Reading(path)
    assert reading.read() == reading.read() == read_facts(path)
    assert reading.offset == path.stat().st_size


def test_cut_after_any_line_the_document_is_the_same(tmp_path: Path) -> None:
    transcript = session()
    path = transcript.write(tmp_path)
    data = transcript.data
    whole, facts = steps(path, data, [])
    assert [task.text for task in whole.tasks if task.kind is TaskKind.DONE] == ["write the ledger (L20)"]
    at = 0
    for line in data.split(b"\n")[:-1]:
        at += len(line) + 1
        state, _ = steps(path, data, [at])
        assert said(state) == said(whole)
        assert render_session_state(
            state.replace(
                version=1, decisions=(), dynamics=whole.dynamics
            )  # a phase stays until another is known
        ) == render_session_state(whole.replace(version=1, decisions=())), line[:300]
    assert facts.todos[1].content == "migrate all stock"


def test_cut_within_lines_and_often(tmp_path: Path) -> None:
    transcript = session()
    path = transcript.write(tmp_path)
    whole, _ = steps(path, transcript.data, [])
    cuts = list(range(100, len(transcript.data), 777))
    state, _ = steps(path, transcript.data, cuts)
    assert said(state) == said(whole)
    assert state.working == whole.working
    assert [(task.kind, task.text) for task in state.tasks] == [
        (task.kind, task.text) for task in whole.tasks
    ]


def test_a_line_that_is_being_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Fix the race")
    path = transcript.write(tmp_path)
    transcript.edit("/work/app/a.py")
    path.write_bytes(transcript.data[:-30])
    reading = Reading(path)
    facts = reading.read()
    assert (facts.modified_files, facts.lines, facts.skipped_lines) == ((), 3, 1)
    path.write_bytes(transcript.data)
    facts = reading.read()
    assert [file.path for file in facts.modified_files] == ["/work/app/a.py"]
    assert (facts.lines, facts.skipped_lines) == (3, 0)


def test_what_a_subagent_did_is_read_once(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Fix the race")
    path = transcript.write(tmp_path)
    agent = Transcript()
    agent.edit("/work/app/deep.py")
    own = path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    agent.write(own.parent, own.name)
    reading = Reading(path)
    reading.read()
    agent.edit("/work/app/deep.py")
    agent.write(own.parent, own.name)
    facts = reading.read()
    assert [(file.path, file.times) for file in facts.modified_files] == [("/work/app/deep.py", 2)]
    facts = reading.read()
    assert [(file.path, file.times) for file in facts.modified_files] == [("/work/app/deep.py", 2)]


def test_a_check_that_a_subagent_ran_counts_wherever_the_reading_stopped(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Make the tests pass")
    t.broken("Bash", "Exit code 1\nE   assert 1 == 2", command="pytest -q", description="d")
    task = t.call("Task", description="fix them", prompt="Make the tests pass")
    for number, command in enumerate(("ls src", "uv run pytest tests")):
        t.agent("assistant", tool_use(f"t{number}", "Bash", command=command))
        t.agent("user", tool_result(f"t{number}", "3 passed"))
    t.result(task, "They pass.")
    path = t.write(tmp_path)
    whole, facts = steps(path, t.data, [])
    assert [each.text for each in facts.agent_checks] == ["uv run pytest tests"]
    assert [each.text for each in facts.commands] == ["pytest -q"]
    assert whole.working.last_compile == "SUCCESS: uv run pytest tests (L7)"
    at = 0
    for line in t.data.split(b"\n")[:-1]:
        at += len(line) + 1
        state, _ = steps(path, t.data, [at])
        assert state.working == whole.working, line[:300]


def test_up_to_a_line_only_what_came_before_it_is_read(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Fix the race")
    agent = Transcript()
    agent.edit("/work/app/early.py")
    transcript.moment = agent.moment
    transcript.say("Done.")
    end = len(transcript.data)
    agent.moment = transcript.moment
    agent.edit("/work/app/late.py")
    transcript.moment = agent.moment
    transcript.user("And the other one")
    path = transcript.write(tmp_path)
    agent.write(path.with_suffix("") / "subagents", "agent-a1.jsonl")
    reading = Reading(path)
    known = reading.read(end)
    assert [turn.ask for turn in known.turns] == ["Fix the race"]
    assert [file.path for file in known.modified_files] == ["/work/app/early.py"]
    assert reading.read() == read_facts(path)
