"""The goal of a session and its open work: records and quotes, no conclusions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import draft_session_state
from memtui.documents.events import error_event, outcome_of
from memtui.documents.memory_file import draft_memory, draft_summary, render_memory
from memtui.documents.quotes import USER, quotes_of, user_requests
from memtui.documents.recovery import render_recovery
from memtui.documents.recovery_draft import draft_recovery
from memtui.documents.session_state import render_session_state
from memtui.documents.state_draft import dynamics, language, task_tree, working_context
from memtui.documents.work import branch_named, goal, goal_words, open_work, recorded_decisions, title_of
from memtui.ground.project import Project
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Action, Command, ErrorFact, Facts
from tests.documents.made import answer, at, changed, failed, plan, ran, todo, turn
from tests.documents.test_recovery_draft import ROOT, session
from tests.transcripts import SAID, Transcript

ASKED = Facts(turns=(turn(1, "Build a kiln", "Built."), turn(9, "fire it", "Fired."), turn(20, "2", "Ok.")))


def test_a_bare_command_is_no_goal_and_no_title() -> None:
    facts = Facts(turns=(turn(1, "/go", "Ok."), turn(5, "glaze the pots", "Glazed."), turn(9, "2", "Ok.")))
    assert title_of(facts) == "glaze the pots"
    assert goal(facts) == '"glaze the pots" (first asked, L5)'
    assert goal(Facts(turns=facts.turns[:1])) == '"/go" (first asked, L1)'
    assert title_of(replace(facts, title="Pots", titled=at(6))) == "Pots"
    early = replace(facts, title="Pots", titled=at(4))
    assert title_of(early) == "glaze the pots"  # as the goal is younger than the title
    assert title_of(replace(early, titled=at(4, "user"))) == "Pots"


def test_a_plan_that_opened_the_session_is_named_by_its_title() -> None:
    content = "# Plan: A kiln\n\n1. dig\n2. fire"
    given = replace(
        ASKED,
        plans=(plan(content, "approved", 1),),
        turns=(turn(1, f"Implement the following plan:\n\n{content}", "Done.", kind="plan"),),
    )
    assert user_requests(given)[-1].text == "Implement the following plan: [plan: A kiln]"
    assert goal(given) == "A kiln (approved plan, L1)"


def test_a_question_that_was_answered_at_once_is_no_goal() -> None:
    facts = Facts(
        turns=(
            turn(1, "Which clay is in the shed?", "The red one."),
            turn(5, "And how much?", "Two bags."),
            turn(12, "Build a kiln of it", "Built."),
        ),
        modified_files=(changed("/w/kiln.py", 13),),
    )
    assert goal(facts) == '"Build a kiln of it" (first request after others, L12)'
    assert goal_words(goal(facts)) == "Build a kiln of it"
    told = (
        facts.turns[2],
        turn(20, "Now Build a shed; mention a kiln of bricks beside it in the plan", "Built."),
    )
    both = Facts(turns=told, modified_files=(changed("/w/kiln.py", 13), changed("/w/shed.py", 21)))
    assert goal(both).startswith('"Build a kiln of it" (first asked, L12); "Now Build a shed')
    asked = '"Which clay is in the shed?" (first asked, L1)'
    assert goal(replace(facts, turns=facts.turns[:1])) == asked
    last = '"Build a kiln of it" (last asked, L12)'
    assert goal(replace(facts, modified_files=(changed("/w/clay.py", 2),))) == f"{asked}; {last}"
    asked_back = (turn(1, "Can you build a kiln?", "Of red clay?"), *facts.turns[2:])
    assert goal(replace(facts, turns=asked_back)).startswith('"Can you build a kiln?" (first asked, L1); ')
    again = (*facts.turns[2:], turn(20, "Build a tall kiln of it", "Built."), turn(30, "thanks", "Ok."))
    assert goal(Facts(turns=again)) == '"Build a tall kiln of it" (first request after others, L20)'


def test_what_was_interrupted_or_answered_is_no_goal_and_the_newest_work_is_one_too() -> None:
    turns = (
        turn(1, "Build a kiln", end="interrupted"),
        turn(5, "https://kilns.example", "Read."),
        turn(9, "Look for the clay that we have left in the shed", "Found."),
        turn(20, "Paint the gate", "Painted."),
        turn(30, "How is it?", "Dry."),
        turn(40, "yes, fire it", "Fired."),
    )
    facts = Facts(turns=turns, modified_files=tuple(changed(f"/w/{line}.py", line) for line in (10, 21, 41)))
    clay = '"Look for the clay that we have left in the shed" (first request after others, L9)'
    assert goal(facts) == f'{clay}; "yes, fire it" (last asked, L40)'
    assert title_of(facts) == goal_words(goal(facts)) == "Look for the clay that we have left in the shed"
    picked = turn(30, "2. I think that this is the right approach, each pot has an expected shade", "Ok.")
    review = (turn(1, "can you look at the kiln and its door", "Of clay."), picked)
    reviewed = Facts(turns=review, modified_files=(changed("/w/a.py", 2), changed("/w/b.py", 31)))
    assert title_of(reviewed) == "can you look at the kiln and its door"
    wide = turn(20, "The walls are not thick enough. " * 10, "Shall I?")
    given = replace(reviewed, turns=(review[0], wide, picked), answers=(answer("Which?", "2", 30),))
    assert title_of(given).startswith("The walls are not thick")
    order = turn(20, f"Lay the walls, {'brick by brick and course by course, ' * 4}then wait", "Laid.")
    under = replace(facts, turns=(*turns[1:3], order, turn(30, "fire it by noon")), modified_files=())
    assert 'then wait" (L20); "fire it by noon" (last asked, L30)' in goal(under)
    told = replace(facts, turns=(turns[0], turn(5, "go on", "Built."), *turns[2:]))
    assert goal(told).startswith('"Build a kiln" (first asked, L1); ')


def test_no_title_is_the_text_of_a_command_or_who_claude_is() -> None:
    skill = replace(turn(1, "/kiln", "Ok."), about="How kilns are built, in general")
    assert title_of(Facts(turns=(skill, turn(5, "and glaze it", "Ok.")))) == "/kiln"
    persona = "You are a potter of great skill.\n\nBuild a kiln.\n\nOf clay."
    assert title_of(Facts(turns=(turn(1, persona),))) == "Build a kiln."
    listed = Facts(turns=(turn(1, "You have clay.\n\nNotes:\n- red"),), todos=(todo("dig", "pending"),))
    assert title_of(listed) == "dig"


def test_titles_say_what_a_session_is_for(tmp_path: Path) -> None:
    t = Transcript()
    t.user("commit it")
    t.record({"type": "ai-title", "aiTitle": "Commit"})
    t.say("Done.")
    assert goal(t.facts(tmp_path)) == '"commit it" (first asked, L1)'
    t.user("and now the rest")
    t.record({"type": "ai-title", "aiTitle": "Fire the kiln"})
    t.record({"type": "ai-title", "aiTitle": "Fire the kiln"})
    t.say("Done.")
    assert title_of(t.facts(tmp_path)) == "Fire the kiln"
    t.tool("Bash", '{"number":6,"title":"A kiln"}', command="gh pr view --json number,title -q .")
    rest = '"and now the rest" (last asked, L4)'
    assert goal(t.facts(tmp_path)) == f'"commit it" (first asked, L1); {rest}'
    t.tool("Bash", "https://example.org/a/b/pull/8", command="gh pr create --title 'A \"hot\" kiln' --body x")
    pull = 'pull request "A "hot" kiln" (L11)'
    assert goal(t.facts(tmp_path)) == f'"commit it" (first asked, L1); {pull}; {rest}'
    t.line("custom-title", customTitle="Kilns")
    assert goal(t.facts(tmp_path)).startswith("Kilns (title by the user, L12); pull")


def test_a_plan_that_was_sent_back_last_is_still_the_goal() -> None:
    facts = replace(ASKED, plans=(plan("# Two kilns", "dismissed", 22, "/p/calm.md"),))
    assert goal(facts) == "Two kilns (plan sent back, /p/calm.md, L22)"
    assert title_of(facts) == "Two kilns"
    later = replace(facts, turns=(*ASKED.turns, turn(30, "only one", "Ok.")))
    assert goal(later) == '"Build a kiln" (first asked, L1); "only one" (last asked, L30)'


# --- what is open -----------------------------------------------------------------------------------------


def test_open_work_is_read_off_records() -> None:
    facts = Facts(
        turns=(turn(1, "Build a kiln", end="interrupted"),),
        todos=(todo("dig", "completed", 3), todo("fire", "pending", 4), todo("stack", "in_progress", 5)),
        last_action=Action("AskUserQuestion", "Which clay?", "unknown", "", source=at(8)),
    )
    assert open_work(facts) == [
        'last asked (L1): "Build a kiln"',
        "stack (in progress) (L5)",
        "fire (L4)",
        'Claude asked (L8): "Which clay?"',
    ]
    asking = turn(5, "is there a way to make this easier?", kind="rejection", end="running")
    assert open_work(Facts(turns=(*facts.turns, asking)))[0].startswith("last said (L5): ")
    worked = Facts(turns=(*facts.turns, asking), commands=(ran("git rebase x", 6),))
    assert open_work(worked) == ['asked (L1): "Build a kiln"']


def test_the_same_words_again_are_said_twice_if_they_were_worked_on() -> None:
    stopped = replace(turn(1, "continue", end="interrupted"), calls=3)
    facts = Facts(turns=(stopped, turn(9, "continue", "Ok.")))
    assert [(ask.source.line, ask.question) for ask in user_requests(facts)] == [(9, ""), (1, "")]


def test_a_plan_without_a_decision_waits() -> None:
    facts = Facts(plans=(plan("# A kiln", "unknown", 5, "/p/calm.md"),))
    assert open_work(facts) == ["plan without an answer: A kiln (/p/calm.md, L5)"]
    asked = replace(facts, turns=(turn(9, "build it", "Built."),))
    assert open_work(asked) == []
    assert goal(asked) == '"build it" (first asked, L9)'
    assert goal_words(goal(asked)) == "build it"
    assert goal_words('"/deploy" (Plan: ship "it") (first asked, L4)') == '/deploy (Plan: ship "it")'
    worked = replace(facts, modified_files=(changed("/w/a.py", 9),))
    assert open_work(worked) == []


# --- what is settled ----------------------------------------------------------------------------------------


def test_answers_and_decided_plans_are_all_that_is_settled() -> None:
    facts = Facts(
        turns=(
            turn(1, "Never use lead. Let's take the red clay.", "I decided to use copper."),
            turn(8, "smaller, please", "Ok.", kind="rejection"),
        ),
        answers=(answer("Which clay?", "red", 4),),
        plans=(
            plan("# A kiln", "rejected", 6),
            plan("# A bowl", "rejected", 7),
            plan("# A kiln\nnew", "approved", 12, "/p/calm.md"),
        ),
        refusals=(ErrorFact("Edit", "clay.py", "", at(8)),),
    )
    assert [(each.decision, each.reason, each.source.line) for each in recorded_decisions(facts)] == [
        ("red", 'the user\'s answer to "Which clay?"', 4),
        ('plan "A bowl" refused', "the user refused it", 7),
        ("Edit `clay.py` refused", 'the user said "smaller, please"', 8),
        ('plan "A kiln" approved (/p/calm.md)', "the user approved it", 12),
    ]


def test_words_of_the_user_are_decisions_where_a_change_followed() -> None:
    facts = Facts(
        turns=(
            turn(1, "Build a kiln", "Of red clay or white?"),
            turn(5, "2", "It is. Shall I take it?"),
            turn(10, "2", "Built.", "I take it."),
        ),
        answers=(
            replace(answer("Which one?", "2. the red one", 5), source=at(5, "user")),
            replace(answer("How hot?", "as hot as it gets", 6), own=True),
            replace(answer("Which one then?", "2. the white one", 9), source=at(10, "user")),
            replace(answer("Which glaze?", "the old one", 11), own=True),
        ),
        modified_files=(changed("/w/kiln.py", 12),),
    )
    assert [(each.decision, each.reason, each.source.line) for each in recorded_decisions(facts)] == [
        ("2. the white one", 'the user\'s answer to "Which one then?"', 10),
        ("the old one", 'the user\'s answer to "Which glaze?"', 11),
    ]
    said = [quote.text for quote in quotes_of(USER, facts)]
    assert {"as hot as it gets", '2 [2. the red one] (after "Of red clay or white?")'} <= {*said}


def test_an_answer_that_is_none_of_the_options_is_the_users_own(tmp_path: Path) -> None:
    t = Transcript()
    options = [{"label": "Raku", "description": "fast"}, {"label": "Pit"}]
    asked = [{"question": "Which kiln?", "options": options}, {"question": "When?", "options": options}]
    call = t.call("AskUserQuestion", questions=asked)
    given = {"Which kiln?": "Pit", "When?": "not before May"}
    t.result(call, "Answered.", detail={"questions": asked, "answers": given})
    own = {each.answer: each.own for each in t.facts(tmp_path).answers}
    assert own == {"Pit": False, "not before May": True}


def test_a_request_whose_plan_was_sent_back_is_not_what_is_open() -> None:
    facts = Facts(
        turns=(turn(1, "Plan a kiln", end="interrupted"),), plans=(plan("# A kiln", "dismissed", 5),)
    )
    assert open_work(facts) == ["plan sent back: A kiln (L5)"]
    text = render_recovery(draft_recovery(facts, Path("/w")))
    assert "\n\n## Plan sent back (L5)\n\n# A kiln\n\n</details>" in text
    assert [task.text for task in task_tree(facts)] == ["plan sent back: A kiln (L5)"]


def test_a_word_after_an_interruption_goes_on_with_what_was_interrupted() -> None:
    facts = Facts(turns=(turn(1, "/build", end="interrupted"), turn(5, "continue", end="running")))
    assert open_work(facts) == ['last asked (L5): "continue" (after "/build")']
    turns = (
        turn(1, "Build a kiln", end="interrupted"),
        turn(5, "continue", "Ok."),
        turn(9, "Paint the gate red now", "Ok."),
    )
    assert goal(Facts(turns=turns)).startswith('"Build a kiln" (first asked, L1); ')


def test_what_a_running_command_has_left_and_the_plan_that_it_read_are_told(tmp_path: Path) -> None:
    t = Transcript()
    t.slash("ship", text="NEVER tag by hand.\n```bash\nrel build all\nrel check web\nrel done --push\n```")
    t.tool("Read", "1→# Kiln\n2→- no lead", file_path="/work/app/.impl/plan.md")
    t.tool("Bash", "ok", command="rel check web")
    facts = t.facts(tmp_path)
    draft = draft_recovery(facts, Path(ROOT))
    rule, left = "NEVER tag by hand. (rule in", "rel done --push (due by"
    assert draft.pending[1:] == (f"{rule} the command's text, L2)", f"{left} the command's text, L2)")
    assert left in working_context(facts, Path(ROOT)).technical_state
    assert draft.plan.content == "# Kiln\n- no lead"
    t.broken("Skill", "Unknown skill: kiln", skill="kiln")
    t.user([{"type": "text", "text": "Some words of Claude Code"}], isMeta=True)
    assert t.facts(tmp_path).procedure == facts.procedure
    t.say("Shipped.")
    assert open_work(t.facts(tmp_path)) == []
    t.slash("other")
    assert t.facts(tmp_path).plan_read is None


def test_tasks_left_out_of_another_list_are_not_done(tmp_path: Path) -> None:
    t = Transcript()
    lists = (
        [("dig", "completed"), ("fire", "pending")],
        [("glaze", "pending"), ("sell", "completed")],
        [("glaze it", "pending"), ("sell", "completed")],
    )
    for items in lists:
        t.tool("TodoWrite", todos=[{"content": text, "status": status} for text, status in items])
    assert open_work(t.facts(tmp_path)) == ["glaze it (L5)", "left out of Claude's list unticked: fire (L3)"]
    t.user("And now the shed")
    assert open_work(t.facts(tmp_path)) == ['last asked (L7): "And now the shed"', "glaze it (L5)"]
    t.tool("TodoWrite", todos=[{"content": "glaze it", "status": "completed"}])
    assert task_tree(t.facts(tmp_path))[0].text == "glaze it (ticked by Claude, L8)"
    t.user("Paint it, too")
    assert task_tree(t.facts(tmp_path))[0].text == "glaze it (ticked by Claude, L8)"


def test_a_finished_list_stays_until_work_is_laid_out_and_without_ticks_that_were_overtaken() -> None:
    asked = (turn(1, "Build"), turn(9, "no, fire_kiln takes only clay"), turn(20, "Paint it " * 40))
    facts = Facts(turns=asked, todos=(todo("Fix fire_kiln()", "completed", 3), todo("dig", "completed", 4)))
    assert [task.text for task in task_tree(facts)] == ["dig (ticked by Claude, L4)"]
    assert task_tree(replace(facts, modified_files=(changed("/w/a.py", 21),))) == ()


def test_a_refusal_that_a_command_carried_out_is_a_decision_with_what_was_refused() -> None:
    turns = (turn(1, "Build a kiln", "It leaks."), turn(9, "cut a branch first", kind="rejection"))
    (found,) = recorded_decisions(Facts(turns=turns, commands=(ran("git checkout -b kiln", 10),)))
    assert found.decision == "cut a branch first" and found.reason.endswith('(L2): "It leaks."')
    said = Facts(turns=(turn(5, "no lead", kind="comment"),), plans=(plan("# A kiln", "approved", 2),))
    assert [each.decision for each in recorded_decisions(said)][1:] == ["no lead"]
    beside = replace(said, modified_files=(changed("/w/a.py", 4),))
    assert len(recorded_decisions(beside)) == 1


# --- events -----------------------------------------------------------------------------------------------


def test_a_later_run_whose_exit_status_is_hidden_is_told_with_the_failure() -> None:
    error = failed("npm test", 12)
    piped = ran("npm test | tail -5", 20, output="done")
    facts = Facts(errors=(error,), commands=(ran("npm test", 12, "failed"), piped))
    again = "Bash `npm test` failed at L12, ran again at L20 with its exit status hidden: "
    assert error_event(facts, error, None).startswith(again)
    proved = replace(facts, commands=(*facts.commands, ran("npm test", 30)))
    assert ", ok when it ran again at L30: " in error_event(proved, error, None)
    pushed = Facts(errors=(failed("git push", 3),), commands=(ran("git fetch", 4), ran("git push -u o x", 5)))
    alike = "Bash `git push` failed at L3, `git push -u o x` ok at L5: "
    assert error_event(pushed, pushed.errors[0], None).startswith(alike)
    more = replace(pushed, commands=(ran("git remote add o x && git push o", 5),))
    assert "failed at L3, `git remote add o x && git push o` ok at L5" in error_event(
        more, more.errors[0], None
    )


# --- the conversation ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("请修复 `refund` 的问题 in src/shop/refund.py", "Chinese"),
        ("返金のバグを直して", "Japanese"),
        ("Open /home/me/文档/报告.md and fix what [pasted at L1, 9 lines: エラー: 接続に失敗] is about", ""),
        ("Rename the files 报告文 to report in all the texts", ""),
        ("환불 버그를 고쳐 주세요", "Korean"),
        ("Corrige le bug des remboursements", ""),
        ("42", ""),
        ("", ""),
    ],
)
def test_the_script_of_the_users_own_words_tells_the_language(text: str, expected: str) -> None:
    assert language(Facts(turns=(turn(1, text, "Ok."),))) == expected


def test_style_and_phase_are_read_off_the_structure() -> None:
    talk = Facts(turns=(turn(1, "Build a kiln", end="interrupted"), turn(5, "smaller", kind="rejection")))
    found = dynamics(talk)
    assert found.style == "refused 1 step with words; interrupted 1 turn"
    assert found.phase == ""
    assert found.last_intent == 'asked (L1): "Build a kiln"; last said (L5): "smaller"'


def test_a_short_reply_is_quoted_with_the_question_before_it() -> None:
    question = "I read it.\n\nTwo ways are left. Shall I fire **the kiln** now?"
    turns = (turn(1, "Build a kiln", question), turn(5, "yes please", "Fired. Is it hot?"), turn(9, "why?"))
    asks = user_requests(Facts(turns=turns))
    assert asks[1].with_purpose == '"yes please" (after "Shall I fire **the kiln** now?")'
    assert [ask.question for ask in asks] == ["", "Shall I fire **the kiln** now?", ""]
    points = turn(1, "Check it", "1. The clay is wet\n2. The door is old\n\nWhich are settled?")
    runs = turn(5, f"1. it dries in the sun{', as it always has' * 3}\n2. take a new one", end="running")
    typed = turn(9, "tell me when you are done", kind="queued", end="running")
    asks = user_requests(Facts(turns=(points, runs, typed)))
    assert [ask.question[:10] for ask in asks] == ["1. it drie", "Which are ", ""]
    long = turn(5, "yes, but only when the clay is dry, and not before the glaze is on all of it")
    said = turn(5, "yes please")
    unasked = ((question, long), ("I fired the kiln.", said), ("", said))
    for before, after in (*unasked, ("窑已经建好了。现在点火吗？", said)):
        asked = user_requests(Facts(turns=(turn(1, "Build", before), after)))[0].question
        assert asked == ("现在点火吗？" if "吗" in before else "")


def test_a_chosen_option_is_quoted_with_what_it_says(tmp_path: Path) -> None:
    t = Transcript()
    options = [{"label": "Raku", "description": "Fire it fast"}, {"label": "Oven", "description": ""}]
    questions = [{"question": "Which kiln?", "options": options}, {"question": "When?", "options": []}]
    asked = t.call("AskUserQuestion", questions=questions)
    answers = {"Which kiln?": "Raku", "When?": "Raku"}
    t.result(asked, "User has answered", detail={"questions": questions, "answers": answers})
    assert [f"{each.decision}: {each.reason}" for each in recorded_decisions(t.facts(tmp_path))] == [
        'Raku: offered as "Fire it fast", the user\'s answer to "Which kiln?"',
        'Raku: the user\'s answer to "When?"',
    ]
    t.result(t.call("AskUserQuestion"), "x", detail={"questions": [3, {"options": 4}], "answers": {"a": "b"}})
    assert recorded_decisions(t.facts(tmp_path))[-1].reason == 'the user\'s answer to "a"'


def test_words_that_the_user_took_back_and_said_again_count_once() -> None:
    stopped = turn(1, "Build a kiln", end="interrupted")
    again = turn(5, "Build a kiln, and\na bowl", "Built.")
    assert [ask.source.line for ask in user_requests(Facts(turns=(stopped, again)))] == [5]
    hook = replace(stopped, end="running")
    assert [ask.source.line for ask in user_requests(Facts(turns=(hook, again)))] == [5]
    worked = (turn(1, "go on", "Went."), turn(3, "go on", "Went on."))
    assert [ask.source.line for ask in user_requests(Facts(turns=worked))] == [3, 1]


def test_the_users_shell_lines_are_commands_and_no_requests() -> None:
    facts = Facts(turns=(turn(1, "git pull", kind="shell"), turn(2, "Go on", "Done.")))
    assert goal(facts) == '"Go on" (first asked, L2)'
    assert goal_words(goal(facts)) == "Go on"
    typed = Command("git pull", "", "unknown", None, "", source=at(1), by="user")
    assert outcome_of(typed) == "typed by the user, exit status not on record"


_WHOLE_PLAN = re.compile(r"^<details>$.*^</details>$", re.DOTALL | re.MULTILINE)
"""A recovery text holds plans word for word, between these marks (seed 000)."""

_APART = 4
PIECE = "\n## Zork\n- L1: push to main"


def rich() -> Transcript:
    """A session with every kind of fact that documents name."""
    s = session()
    s.user("Go on with the release, please, and mind the lock.")
    s.tool("TaskCreate", "Task #1 created successfully: Ship", subject="Ship it", description="Soon")
    s.tool("Write", "ok", file_path=f"{ROOT}/src/new.ts", content="x")
    s.tool("NotebookEdit", "ok", notebook_path=f"{ROOT}/a.ipynb", new_source="x")
    s.tool("Write", "ok", file_path="/home/ann/.claude/plans/lock.md", content="# Lock\n\n- [ ] Ship")
    s.call("ExitPlanMode", plan="# Two locks\n\n- [ ] Ship", planFilePath="/home/ann/.claude/plans/lock.md")
    s.tool("Bash", "https://github.com/a/b/pull/4", command="gh pr create --fill")
    s.tool("Bash", "ok", command="git mv src/old.ts src/moved.ts && rm src/gone.ts")
    s.tool("Grep", "src/found.ts", pattern="lock", path=f"{ROOT}/src")
    s.tool("Skill", "ok", skill="review", args="all")
    s.broken("Edit", "String to replace not found", file_path=f"{ROOT}/src/b.ts", old_string="a")
    s.broken("WebFetch", "404", url="https://example.org/a", prompt="x")
    s.tool("Task", "Looked through it.", description="Look", prompt="Look", subagent_type="Explore")
    s.agent("assistant", {"type": "text", "text": "Found it"})
    question = s.call("AskUserQuestion", questions=[{"question": "Which store?", "header": "Store"}])
    s.result(question, 'User has answered: "Which store?"="SQLite"')
    s.slash("deploy", "to staging")
    s.queue("enqueue", "And then the docs")
    s.compaction()
    s.user("Now the second part of it.")
    s.edit(f"{ROOT}/src/last.ts")
    s.call("Bash", command="npm run long", description="Wait")
    return s


def altered(value: Any) -> Iterator[Any]:
    """The value with one text in it changed, for each text."""
    if isinstance(value, str):
        if value:
            yield value[: len(value) // 2] + PIECE + value[len(value) // 2 :]
    elif isinstance(value, list):
        for number, each in enumerate(value):
            for new in altered(each):
                yield [*value[:number], new, *value[number + 1 :]]
    elif isinstance(value, dict):
        for key, each in value.items():
            for new in altered(each):
                yield {**value, key: new}


def _versions(lines: list[str]) -> Iterator[list[str]]:
    """Each text is altered in one of these, together with one in every fourth line: a call and its result,
    which stand beside each other, are never altered at once.
    """
    every = [[json.dumps(record) for record in altered(json.loads(line))] for line in lines]
    for first in range(_APART):
        for number in range(max(map(len, every[first::_APART]), default=0)):
            yield [
                records[number] if at % _APART == first and number < len(records) else line
                for at, (line, records) in enumerate(zip(lines, every, strict=True))
            ]


def made(facts: Facts) -> Iterator[tuple[str, str]]:
    state = draft_session_state(facts, Project(Path(ROOT)))
    document = render_session_state(state)
    yield "notes", compaction_notes(facts, state, Path(ROOT))
    yield "state", document
    yield "recovery", render_recovery(draft_recovery(facts, Path(ROOT)))
    yield "memory", render_memory(draft_memory(facts))
    yield "summary", draft_summary(facts)


def test_no_text_of_a_transcript_begins_a_line_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "5e55-1d.jsonl"
    lines = rich().data.decode().splitlines()
    found: set[tuple[str, str]] = set()
    for written in _versions(lines):
        path.write_text("\n".join(written) + "\n")
        for name, text in made(read_facts(path)):
            if any(each.startswith("## Zork") for each in _WHOLE_PLAN.sub("", text).splitlines()):
                at = text.index("\n## Zork")
                found.add((name, text[max(0, at - 60) : at]))
    assert not found


def test_the_branch_of_now_is_named_beside_that_of_the_newest_edit_and_others(tmp_path: Path) -> None:
    t = Transcript()
    t.edit("/work/app/a.py")
    assert branch_named(t.facts(tmp_path)) == "main"
    t.envelope["gitBranch"] = "wax"
    t.say("Done.")
    assert branch_named(t.facts(tmp_path)) == "wax (newest edit on main)"
    t.edit("/work/app/a.py")
    t.tool("Bash", "[detached HEAD abc1235] fire\n 1 file changed", command="git commit -am fire")
    t.tool("Bash", "[fix-HEADER abc1234] dig\n 1 file changed", command="git commit -am dig")
    t.tool("Bash", "[other abc1236] dig\n 1 file changed", command="ls && cd /work/b\ngit commit -am dig")
    t.tool("Bash", "9999999 dig", command="git -C ~/b log --oneline")
    assert branch_named(t.facts(tmp_path)) == "wax (also on record: main, fix-HEADER)"
    assert "9999999" not in {mark.commit for mark in t.facts(tmp_path).landmarks}


def test_words_of_a_refusal_count_until_the_step_is_made(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Build a kiln")
    edit = {"file_path": "/work/app/a.py", "old_string": "a", "new_string": "b"}
    t.broken("Edit", f"{SAID}not in the rain", **edit)
    t.broken("Bash", f"{SAID}not yet", command="git push")
    words = '"not yet" (refusing Bash `git push`)'
    draft = draft_recovery(t.facts(tmp_path), Path(ROOT))
    assert words in draft.pending[0]
    t.tool("Edit", "ok", **{**edit, "new_string": "c"})
    t.tool("Bash", "ok", command="git status && ls push")
    refused = [each.decision for each in recorded_decisions(t.facts(tmp_path))]
    assert refused == ["Edit `a.py` refused", "Bash `git push` refused"]
    assert dynamics(t.facts(tmp_path)).last_intent == f'asked (L1): "Build a kiln"; last said (L5): {words}'
    t.tool("Edit", "ok", **edit)
    t.tool("Bash", "ok", command="git push origin kiln")
    assert recorded_decisions(t.facts(tmp_path)) == []
    t.broken("Bash", f"{SAID}never push to main", command="npm test && git push origin main")
    t.broken("Read", f"{SAID}no secrets", file_path="/work/app/.env")
    t.broken("Bash", f"{SAID}not this table", command="psql -c 'drop table users'")
    t.tool("Read", "x", file_path="/work/app/a.py")
    for command in ("npm test", "git push origin kiln", "psql -c 'select 1'"):
        t.tool("Bash", "ok", command=command)
    assert len(recorded_decisions(t.facts(tmp_path))) == 3


def test_an_error_that_others_followed_is_not_the_last(tmp_path: Path) -> None:
    t = Transcript()
    t.broken("Bash", "Exit code 1\nError: no clay", command="make kiln")
    t.broken("Bash", "Exit code 1", command="grep -n clay kiln.py")
    assert "make kiln" in working_context(t.facts(tmp_path), Path(ROOT)).last_error
    t.broken("Edit", "String to replace not found", file_path=f"{ROOT}/src/b.ts", old_string="a")
    assert working_context(t.facts(tmp_path), Path(ROOT)).last_error == ""
