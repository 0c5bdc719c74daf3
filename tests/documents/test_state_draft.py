"""What a session state says of a session: learned from reading documents beside their transcripts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtui.documents.compactor import next_state
from memtui.documents.state_draft import draft_session_state
from memtui.documents.state_tasks import closing_question, done_tasks, gist, steps_of
from memtui.formats.session_state import SessionState, Task, TaskKind
from memtui.project import Project
from memtui.reading.facts import Facts, read_on
from memtui.reading.records import Answer, Command, FileFact, PlanFact, Prompt, Source, Statement, Todo
from memtui.reading.requests import asked, is_paste, is_routine, last_intent
from memtui.reading.sizes import tokens
from memtui.reading.statements import settled_in
from tests.transcripts import SAID, Transcript

APP = Project(Path("/work/app"))

LOG = """❯ ./run.sh
🐳 Building container image...
[+] Building 1.3s (1/2)
=> [internal] load .dockerignore
=> [1/9] FROM docker.io/node
=> CACHED [2/9] WORKDIR /srv
=> ERROR [3/9] RUN npm install
------
npm error code E404"""


def state(facts: Facts) -> SessionState:
    return draft_session_state(facts, APP)


def typed(*texts: str) -> tuple[Prompt, ...]:
    return tuple(Prompt(text, "typed", Source(timestamp=str(at))) for at, text in enumerate(texts))


def of(transcript: Transcript, folder: Path) -> SessionState:
    return state(transcript.facts(folder))


def technical(drafted: SessionState) -> list[str]:
    return [line.removeprefix("- ") for line in drafted.working.technical_state.split("\n")]


# --- what was asked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "ok, go ahead",
        "Commit.",
        "push it",
        "好的",
        "继续",
        "コミットしてプッシュして",
        "はい",
        "d'accord",
        "LGTM!",
    ],
)
def test_words_that_only_let_the_work_go_on(text: str) -> None:
    assert is_routine(text)


@pytest.mark.parametrize(
    "text", ["commit only the tests", "no, use the ledger", "PRあげて", "继续做库存", "push to staging"]
)
def test_words_that_say_more(text: str) -> None:
    assert not is_routine(text)


def test_a_pasted_log_is_told_by_what_went_wrong() -> None:
    assert is_paste(LOG)
    assert not is_paste(f"the build does not find the package any more:\n{LOG}")
    assert not is_paste("Fix this.\n" * 3)
    drafted = state(Facts(prompts=typed("Get the container running", LOG)))
    assert drafted.tasks[-1].text == "Pasted output: => ERROR [3/9] RUN npm install"
    assert drafted.dynamics.phase == "debugging"
    assert drafted.working.last_error == "shown by the user: => ERROR [3/9] RUN npm install (open)"
    passed = Facts(
        prompts=typed("Get it running", LOG),
        commands=(Command("npm test", "", "ok", 0, "", Source(timestamp="2")),),
    )
    assert state(passed).working.last_error == ""
    assert state(passed).dynamics.phase != "debugging"


def test_what_is_asked_below_a_pasted_log_is_told_with_it() -> None:
    output = (
        "g requirement: left-pad<2,>=1 (from app) (1.3)\n✓ Docker\n[2/4] Starting all services\n"
        "Starting the shop\nStarting the stock\n✗ The shop failed to start\n[3/4] Waiting\nStarting a tunnel"
    )
    facts = Facts(prompts=typed("Get the container running", f"{output}\nfix these"))
    assert last_intent(facts) == "Pasted output: ✗ The shop failed to start; fix these"
    assert state(facts).dynamics.phase == "debugging"
    said = f"the build does not find it:\n{output}\nfix these"
    assert last_intent(Facts(prompts=typed(said))).startswith("the build does not find it")


def test_a_request_is_its_prose() -> None:
    text = (
        "https://example.com/docs\nuse context7\nCan we keep it in git?\n```\ncode\n```\nI prefer Markdown."
    )
    assert asked(text) == "Can we keep it in git? I prefer Markdown."


def test_what_was_asked_in_between_is_not_forgotten() -> None:
    facts = Facts(
        prompts=typed("Add refunds", "log each of them", "yes", "https://example.com/docs", "test it well")
    )
    drafted = state(facts)
    assert technical(drafted) == ["Asked before: log each of them"]
    assert drafted.tasks[-1].text == "test it well"


def test_a_short_answer_is_told_with_what_it_was_about() -> None:
    facts = Facts(prompts=typed("Rename the ledger table everywhere", "yes"))
    assert last_intent(facts) == "yes (after: Rename the ledger table everywhere)"
    assert (
        last_intent(replace(facts, answers=(Answer("Which name?", "journal", Source(timestamp="9")),)))
        == "Which name? → journal"
    )


def test_where_the_first_words_only_let_go_on_the_title_says_what_for() -> None:
    facts = Facts(prompts=typed("コミットして"), first_prompt="コミットして", title="PRマージの準備")
    assert state(facts).identity.goal == "コミットして: PRマージの準備"


def test_an_approved_plan_is_part_of_the_goal() -> None:
    plan = PlanFact(
        "ExitPlanMode", "# Plan: one ledger for all\n", "approved", "/p/calm-sea.md", Source(timestamp="1")
    )
    facts = Facts(prompts=typed("Look at the ledgers"), first_prompt="Look at the ledgers", plans=(plan,))
    assert state(facts).identity.goal == "Look at the ledgers (plan: one ledger for all)"
    assert technical(state(facts))[0] == "Plan (approved): one ledger for all: /p/calm-sea.md"


# --- what is settled ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("let's store it in metadata, can you give a full example?", "let's store it in metadata"),
        ("no remove this again, somebody takes it for a stable link", None),
        ("I think by file is too much", None),
        ("ok, do nothing", None),
    ],
)
def test_decisions_in_passing(text: str, decision: str | None) -> None:
    assert settled_in(text) == ([decision or text], [])


def test_a_line_that_announces_a_list_settles_nothing() -> None:
    assert settled_in("Do not skip these steps:\n- one\n- two") == ([], [])
    assert settled_in("never edit package.json by hand;") == ([], ["never edit package.json by hand"])


def test_what_was_said_of_a_refused_step_is_told_with_the_step(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Write the design down")
    for command, words in (
        ("git add docs/design.md", "don't check this in"),
        ("git push", "Never push to the main branch, it is what everybody else builds from: open a branch."),
    ):
        refused = transcript.call("Bash", command=command)
        transcript.result(refused, f"{SAID}{words}", failed=True, detail="Error: rejected")
    transcript.user("never mention it")
    assert [decision.text for decision in of(transcript, tmp_path).decisions] == [
        "don't check this in (about Bash: git add docs/design.md)",
        "Never push to the main branch, it is what everybody else builds from: open a branch.",
        "never mention it",
    ]


def test_an_option_that_was_a_question_is_told_as_taken() -> None:
    taken = Statement("Deepen the tests of the ledger?", "I think 2 is right", "answer", "1")
    asked = Statement("Which name? → Journal?", "Which name?", "answer", "2")
    told = state(Facts(decisions=(taken, asked))).decisions
    assert [each.text for each in told] == ["Deepen the tests of the ledger", "Which name? → Journal?"]


def test_decisions_and_constraints_stand_in_their_order(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Never touch the public API.")
    transcript.user("let's use the ledger")
    transcript.user("请不要修改数据库结构")
    assert [each.text for each in of(transcript, tmp_path).decisions] == [
        "Never touch the public API.",
        "let's use the ledger",
        "请不要修改数据库结构",
    ]


# --- what the model said ------------------------------------------------------------------------------------


def test_the_gist_of_an_answer_is_more_than_an_exclamation() -> None:
    assert (
        gist("🎯 **Perfect!**\n\n- `a.py` was changed in two places\n\nThe race is fixed now.")
        == "The race is fixed now."
    )
    assert gist("## Done\n\n1. **Auth** - the check is back in place") == "Auth - the check is back in place"
    assert gist("修复完成。") == "修复完成。"
    assert gist("Done!") == ""


def test_what_announces_a_list_is_told_rather_than_its_first_item() -> None:
    items = "\n- the `ledger` (a table of its own)\n- the stock and all that hangs on it"
    assert gist(f"Fixed. The flag now wins in all three places:{items}") == (
        "The flag now wins in all three places: the `ledger` (a table of its own)"
    )
    assert gist(f"Here's the summary of the work:{items}") == "the `ledger` (a table of its own)"
    assert (
        gist(f"Good.\n\nRefunds now reach:{items}") == "Refunds now reach: the `ledger` (a table of its own)"
    )
    assert gist("<summary>The stock counts again.</summary>") == "The stock counts again."


def test_only_a_question_at_the_end_waits_for_an_answer() -> None:
    assert closing_question("Why? Because.") == ""
    assert (
        closing_question("All pass. Ready to continue with **Task 2**?") == "Ready to continue with Task 2?"
    )
    assert closing_question("どちらにしますか？") == "どちらにしますか？"


def test_an_interrupted_session_says_that_it_was_stopped(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Rename the ledger table")
    transcript.edit("/work/app/a.py")
    transcript.user([{"type": "text", "text": "[Request interrupted by user]"}])
    drafted = of(transcript, tmp_path)
    assert drafted.tasks[-1].children[-1].text.startswith("the user stopped the work")
    transcript.user("go on, but only in the tests folder")
    assert of(transcript, tmp_path).tasks[-1].children[-1].text == "None"


def test_what_was_committed_before_the_list_stays_done(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Ship it well")
    commit = "[main abc1234] fix: the ledger\n 1 file changed"
    transcript.tool("Bash", commit, command="git commit -qam 'fix: the ledger'")
    for status in ("in_progress", "completed"):
        transcript.tool("TodoWrite", todos=[{"content": "write the stock", "status": status}])
    commit = "[main def5678] feat: the stock\n 1 file changed"
    transcript.tool("Bash", commit, command="git commit -qam 'feat: the stock'")
    facts = transcript.facts(tmp_path)
    assert done_tasks(facts) == ["fix: the ledger (committed)", "write the stock"]
    path = transcript.write(tmp_path)
    first = path.read_bytes().split(b"\n")[:3]
    path.write_bytes(b"\n".join(first) + b"\n")
    before, carry = read_on(path)
    assert done_tasks(before) == ["fix: the ledger (committed)"]
    path.write_bytes(transcript.data)
    assert done_tasks(read_on(path, carry)[0]) == done_tasks(facts)


def test_a_task_that_was_skipped_is_not_done() -> None:
    todos = (Todo("seed it", "completed", "SKIPPED: no data"), Todo("ship it", "completed", "to the shop"))
    facts = Facts(prompts=typed("Ship it well"), todos=todos)
    assert done_tasks(facts) == ["ship it"]
    seed = Task(kind=TaskKind.NEXT, text="seed it")
    merged = next_state(SessionState(version=1, tasks=(seed,)), facts, APP)
    assert merged is not None
    assert [task.text for task in merged.tasks] == ["ship it", "Ship it well"]


@pytest.mark.parametrize(
    ("after", "phase"),
    [
        ("", "review"),
        ("commit", "review"),
        ("what does the ledger say now?", "review"),
        ("the flag does not change the settings", "execution"),
    ],
)
def test_work_that_is_asked_for_when_the_list_is_done_is_no_review(after: str, phase: str) -> None:
    edited = FileFact("/work/app/a.py", 1, subagent=False)
    facts = Facts(
        prompts=(
            Prompt("Write the ledger", "typed", Source(timestamp="1")),
            *((Prompt(after, "typed", Source(timestamp="3")),) if after else ()),
        ),
        todos=(Todo("write it", "completed"),),
        todos_changed="2",
        modified_files=(edited,),
    )
    assert state(facts).dynamics.phase == phase


def test_a_plan_that_was_sent_back_is_planned_anew(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Look at the ledger")
    transcript.edit("/work/app/ledger.py")
    shown = transcript.call("ExitPlanMode", plan="# Plan: refunds\n1. write it")
    transcript.result(shown, f"{SAID}smaller, please", failed=True, detail="Error: rejected")
    assert of(transcript, tmp_path).dynamics.phase == "planning"


def test_the_steps_of_a_plan_are_those_it_numbers_or_lists_as_such() -> None:
    def steps(text: str) -> list[str]:
        return steps_of(PlanFact("ExitPlanMode", text, "approved", ""))

    assert steps("# Plan\n- a context\n## Steps\n- **one**\n- two\n  - detail\n## Risks\n- three") == [
        "one",
        "two",
    ]
    assert steps("# Plan\n1. one\n```yaml\n- name: x\n```\n2. two") == ["one", "two"]
    assert steps("# 计划\n## 步骤\n- 第一步\n- 第二步") == ["第一步", "第二步"]
    assert steps("# Plan\n## Files\n- a.py\n- b.py") == []


# --- the conversation ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("请修复退款的问题", "Chinese"),
        ("返金のバグを直して", "Japanese"),
        ("환불 버그를 고쳐 주세요", "Korean"),
        ("Corrige le bug des remboursements, s'il te plaît", "French"),
        ("Bitte behebe den Fehler und schreib einen Test für die Rückgabe", "German"),
        ("Por favor, haz que el reembolso devuelva los productos con una prueba", "Spanish"),
        ("Please fix the refund bug", "English"),
        ("fix", "English"),
        ("", ""),
    ],
)
def test_the_language_of_the_users_own_words(text: str, language: str) -> None:
    assert state(Facts(prompts=typed(text))).dynamics.language == language


def test_wide_characters_count_as_tokens() -> None:
    assert tokens("退款 fix") == 2 + 1
    assert tokens("") == 0
