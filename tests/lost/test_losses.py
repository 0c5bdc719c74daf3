"""The lines that a compaction lost: what is a candidate, what the summary keeps, and what comes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.lost.compare import rows_of
from memtui.lost.notes import Comparison
from memtui.lost.records import Kind, Need, Row
from memtui.lost.traces import Trace
from memtui.lost.verdicts import Text, stems
from memtui.lost.worth import doubles
from memtui.transcript.procedure import due
from memtui.transcript.records import NOWHERE, CompactionFact, Source
from memtui.transcript.sentences import announces, is_rule, sentences
from memtui.transcript.text import named
from tests.documents.checks import ends_soon
from tests.lost.made import ROOT, SUMMARY, lines, read, row, session
from tests.transcripts import SAID, Transcript


def test_each_line_is_kept_or_lost_with_its_place(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    found = read(made, tmp_path)
    assert {(row.kind, row.text, row.state) for row in found.rows} == {
        ("ask", "round the tax per line in the invoice", "kept"),
        ("rule", "never push to main, I do that myself", "lost"),
        ("file", "src/tax.ts", "kept"),
        ("file", "src/invoice.ts", "lost"),
        ("task", "Write the release notes", "lost"),
        ("failure", "npm test -- tax: 1 failed", "lost"),
        ("said", "The rounding is in place, one test is red.", "maybe"),
    }
    kept = row(found, "round the tax")
    assert kept.evidence is not None
    assert "round the tax per line" in SUMMARY[slice(*kept.evidence)]
    assert row(found, "src/invoice.ts").source.line == 6
    assert [each.kind for each in found.missing] == ["rule", "task", "failure", "said", "file"]


def test_many_empty_lines_take_no_time(tmp_path: Path) -> None:
    def losses(text: str) -> object:
        made = session()
        made.tool("Read", text, file_path=f"{ROOT}/notes.md")
        made.compaction(summary=SUMMARY)
        return read(made, tmp_path)

    ends_soon(losses, "a" + "\n" * 40_000 + "b")


@pytest.mark.parametrize(("calls", "need"), [(0, Need(1, 1)), (50, None)])
def test_what_was_needed_again_within_fifty_calls_counts(
    tmp_path: Path, calls: int, need: Need | None
) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    made.user("and now the invoice")
    for number in range(calls):
        made.tool("Read", "x", file_path=f"{ROOT}/src/{number}.ts")
    made.tool("Read", "x", file_path=f"{ROOT}/src/invoice.ts")
    found = row(read(made, tmp_path), "src/invoice.ts")
    assert (found.need, found.counts) == (need, need is not None)
    assert need is None or need.label == "needed again 1 turn later"


def test_only_texts_with_a_mark_were_handed_over_by_memtui(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    made.attachment("hook_additional_context", content=["Another hook: Write the release notes"])
    made.attachment("plugin_note", content=["- never push to main, I do that myself\n\nmemtui:0a1b2c3d"])
    found = read(made, tmp_path)
    assert row(found, "never push").state == "handed over"
    assert row(found, "Write the release").state == "lost"


def test_a_later_compaction_may_lose_what_an_earlier_one_kept(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("Never rename the column stock_level, the warehouse reads it.")
    made.compaction(
        summary="Summary:\n1. Primary Request and Intent:\n   - Never rename `stock_level`, it is read"
    )
    made.user("now explain the discount rules to me")
    made.compaction(summary="This session is being continued.\n\nSummary:\nnothing")
    rows = read(made, tmp_path).rows
    assert any(each.text.startswith("Never rename the column") and each.state == "lost" for each in rows)
    (earlier,) = [each for each in rows if each.earlier]
    assert (earlier.kind, earlier.earlier, earlier.state) == ("rule", 1, "lost")


def test_a_question_is_open_until_the_user_says_something(tmp_path: Path) -> None:
    made = session()
    made.say("The totals are right. Should I round the invoice, too?")
    made.user("look at the column first")
    made.say("The column is `net_cents`. Shall I rename it in the export?")
    made.compaction(summary=SUMMARY)
    asked = [each.text for each in read(made, tmp_path).rows if each.text.endswith("?")]
    assert asked == ["Shall I rename it in the export?"]


def test_what_the_person_asked_is_spent_once_it_was_done_or_answered(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("list the ferries as a table")
    made.edit(f"{ROOT}/src/ferries.ts")
    made.user("open a draft of this please")
    made.tool("Bash", command="gh pr create --draft")
    made.user("the piers look crooked at night")
    made.user("which keepers have a lighthouse?")
    made.say("Three of them. We could number the harbours by tonnage, then sort the piers.")
    made.user("Number the harbours by tonnage\n\nthat is what the harbour master wants")
    made.edit(f"{ROOT}/docs/harbours.md")
    made.slash("review")
    made.compaction(summary="Summary: none of it")
    rows = [each for each in read(made, tmp_path).rows if each.kind == "ask"]
    assert {each.text: (each.standing, each.state) for each in rows} == {
        "list the ferries as a table": ("spent", "maybe"),
        "open a draft of this please": ("spent", "maybe"),
        "the piers look crooked at night": ("spent", "maybe"),
        "that is what the harbour master wants": ("unknown", "lost"),
    }


@pytest.mark.parametrize(("then", "kept"), [("Skill", 0), ("Bash", 1)])
def test_a_choice_of_the_skill_that_follows_is_over(tmp_path: Path, then: str, kept: int) -> None:
    made = session()
    asked = made.call("AskUserQuestion", questions=[{"question": "How shall the ferries be numbered?"}])
    made.result(asked, detail={"answers": {"How shall the ferries be numbered?": "One by one"}})
    made.tool(then, skill="work", command="make ferries")
    made.compaction(summary=SUMMARY)
    assert len(lines(read(made, tmp_path), "answer")) == kept


def test_a_short_reply_stands_with_what_it_points_at_and_neighbours_together(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("add the wages to the list of keepers")
    made.say("The wages are in the list now. They are rounded up.")
    made.user("no, take this out again, they are private")
    made.say("Shall the harbours go as well? The list has forty of them.")
    made.user("no, that is all we have")
    made.user("never round twice\n```text\n" + "x " * 80 + "\n```\nalways log the rate\nnever cut it")
    made.compaction(summary="Summary: none of it")
    about = {each.text: each.about for each in read(made, tmp_path).rows}
    assert {"never round twice", "always log the rate · never cut it"} <= about.keys()
    assert about["no, take this out again, they are private"] == "add the wages to the list of keepers"
    assert about["no, that is all we have"] == "Shall the harbours go as well?"


def test_items_of_lists_and_rows_of_tables_are_lines_of_their_own(tmp_path: Path) -> None:
    made = session()
    made.say(
        "Two ways:\n1. Round every line of it\n2) Round the sum\n\n"
        "| the case of it | how to do |\n| --- | --- |\n"
        "| binary file | skip it altogether |\n\n```\n1. Print what was rounded\n```\n"
    )
    made.compaction(summary=SUMMARY)
    texts = lines(read(made, tmp_path), "said")
    assert "Round every line of it" in texts
    assert "binary file → skip it altogether" in texts
    assert not {"Round the sum", "the case of it → how to do", "Print what was rounded"} & {*texts}


def test_functions_and_commands_of_a_plan_are_due_until_they_are_written(tmp_path: Path) -> None:
    plan = (
        "# Rounding\n```go\nfunc TestRoundsUp(t *testing.T)\n"
        "func (r Rounder) Down(n int)\nfunc TestDown(t *testing.T)\n"
        "func CheckUp(t *testing.T)\nnet := gross - tax\n```\nThen:\n```bash\nmake totals | jq .net\n```\n"
        "| Case of it | Result |\n| --- | --- |\n| no ferry at all | zero |\n| one harbour only | skip |"
    )
    made = session()
    made.tool("ExitPlanMode", "User has approved your plan.", plan=plan)
    written = "func TestRoundsUp(t *testing.T) {} // No ferry at all: zero\nfunc ChecksUp(t *testing.T)"
    made.tool("Write", file_path=f"{ROOT}/round_test.go", content=written)
    made.compaction(summary=SUMMARY)
    found = read(made, tmp_path)
    steps = lines(found, "step")
    assert {"not written yet: Down, TestDown", "make totals | jq .net"} <= set(steps)
    assert not [text for text in steps if "TestRoundsUp" in text]
    assert [text for text in lines(found, "finding") if "→" in text] == ["one harbour only → skip"]


@pytest.mark.parametrize(("after", "due"), [(2, True), (60, False)])
def test_checks_of_a_plan_file_are_due_while_it_is_recent(tmp_path: Path, after: int, due: bool) -> None:
    made = session()
    made.tool("Read", "1→- Run `make test` on every invoice first", file_path=f"{ROOT}/docs/plan.md")
    for number in range(after):
        made.say(f"Looked at {number} of them.")
    made.compaction(summary=SUMMARY)
    assert ("Run `make test` on every invoice first" in lines(read(made, tmp_path), "step")) == due


def test_open_tasks_tell_what_is_due_of_a_plan_file_except_its_boxes(tmp_path: Path) -> None:
    made = session()
    plan = "- Run `make totals` first\n- [ ] Rounds without `--all`\n- [x] Rounds up with `--up`"
    made.tool("Read", plan, file_path=f"{ROOT}/docs/plan.md")
    made.tool("TodoWrite", todos=[{"content": "Ask Ann", "status": "pending"}])
    made.compaction(summary=SUMMARY)
    steps = [(each.text, each.standing) for each in read(made, tmp_path).rows if each.kind == "step"]
    assert steps == [("Rounds without `--all`", "open")]


def test_a_plan_file_gives_way_to_another_whose_open_boxes_are_due(tmp_path: Path) -> None:
    made = session()
    made.tool("Read", "1→- Run `make totals` on every invoice first", file_path=f"{ROOT}/docs/plan.md")
    boxes = "- [x] `make up` works\n- [ ] `make sums` works"
    made.tool("Write", file_path=f"{ROOT}/docs/plan-v2.md", content="- [ ] `make old` works")
    made.tool("Write", file_path=f"{ROOT}/docs/plan-v2.md", content=f"{boxes}\n- [ ] `make tax` works")
    made.tool("Edit", file_path=f"{ROOT}/docs/plan-v2.md", old_string="[ ] `make t", new_string="[x] `make t")
    for passing in ("/home/ann/.claude/plans/calm.md", "/tmp/plan.md"):
        made.tool("Write", file_path=passing, content="- [ ] `make down` works")
    made.compaction(summary=SUMMARY)
    assert lines(read(made, tmp_path), "step") == ["`make sums` works"]


def test_of_documents_those_that_were_named_and_those_of_skills_are_followed(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("build what docs/spec.md says")
    for name in ("docs/spec.md", "docs/other.md", ".claude/skills/tax/steps.md"):
        made.tool("Read", f"- Always round as `{name}` has it", file_path=f"{ROOT}/{name}")
    made.tool("Edit", file_path=f"{ROOT}/docs/spec.md", old_string="Always", new_string="Never")
    made.compaction(summary="Summary: none of it")
    found = {each.text: each.standing for each in read(made, tmp_path).rows if each.kind == "finding"}
    assert [found[text] for text in sorted(found)] == ["open", "unknown"]  # it was edited


def test_a_plan_whose_tasks_are_all_done_is_due_no_more(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.tool("ExitPlanMode", "User has approved your plan.", plan="# Rounding\n- Run `make totals`")
    made.tool("TodoWrite", todos=[{"content": "Round it", "status": "completed"}])
    made.compaction(summary="It is rounded.")
    assert not lines(read(made, tmp_path), "step")


def test_what_is_part_of_a_wider_check_is_none_of_its_own(tmp_path: Path) -> None:
    made = session()
    for command in ("make test web && make lint", "make test && make lint", "make test shop", "make lint"):
        made.tool("Bash", command=command)
    made.compaction(summary=SUMMARY)
    assert lines(read(made, tmp_path), "check") == ["make test && make lint"]


def test_a_check_of_some_files_gives_way_to_later_tests_of_all(tmp_path: Path) -> None:
    made = session()
    made.tool("ExitPlanMode", "User has approved your plan.", plan="# R\n- Run `make test-web`\n- `a == b`")
    for command in ("go build ./...", "go test ./tax -run TestUp", "make test-web && ./web --port 80"):
        made.tool("Bash", command=command)
    made.tool("Bash", command="make test-web")
    made.tool("Bash", command="go vet ./tax/...")
    made.compaction(summary=SUMMARY)
    found = read(made, tmp_path)
    assert lines(found, "check") == ["go vet ./tax/...", "make test-web && ./web --port 80"]
    assert not lines(found, "step")


def test_a_query_that_was_made_once_counts_less_than_a_command_that_was_repeated(tmp_path: Path) -> None:
    made = session()
    shows = [f"git show {commit}:sums.json | jq .total" for commit in ("a1b2c3d", "b2c3d4e")]
    asked = [f'psql -c "{each}" | jq .' for each in ("select 1", "delete from users")]
    sent = ['gh api pulls/1/replies -f body="done"'] * 2
    for command in ("curl -s localhost:80/taxes", *["docker compose up -d"] * 2, *shows, *asked, *sent):
        made.tool("Bash", command=command)
    made.compaction(summary=SUMMARY)
    found = [each.text for each in read(made, tmp_path).rows if each.kind == "command" and each.counts]
    assert sorted(found) == ["docker compose up -d", shows[1]]


def test_what_a_later_message_names_again_is_no_answer_in_force(tmp_path: Path) -> None:
    made = session()
    for question in ("Where shall Tallinn Ferry be listed?", "Which `rate` is right?"):
        made.result(made.call("AskUserQuestion"), detail={"answers": {question: "the first"}})
    made.user("list Tallinn below Riga after all")
    made.compaction(summary=SUMMARY)
    assert row(read(made, tmp_path), "the first").about == "Which `rate` is right?"


def test_options_are_over_once_one_is_picked(tmp_path: Path) -> None:
    made = session()
    made.say("| A. Round each line of it | slow |\n| B. Round the sum of it | rough |\n\nWhich one is it?")
    made.user("I think B, as it costs less")
    made.compaction(summary=SUMMARY)
    found = read(made, tmp_path)
    assert row(found, "B. Round the sum of it").quote.startswith("“Which one is it?” → B.")
    assert not [text for text in lines(found, "said") if "Round" in text]


def test_an_answer_stands_once_with_its_question_and_a_mere_yes_not_at_all(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.say("| A. Fail silently | quick |\n| B. Stop | safe |\n\nWhich one is it?")
    made.user("A. is fine, but always log it")
    made.say("- A. The long name of it\n- B. The short one\n\nWhich is it to be?")
    made.user("yes, let's go with B")
    made.say("It is done. Does this look right?")
    made.user("yep, looks good")
    kinds = ("answer", "ask", "rule")
    said = '"A. is fine, but always log it" (errors)\n- "keep it local for now" (only the plans)'
    made.compaction(summary=f"Summary:\n6. Said:\n- {said}")
    made.compaction(summary="Summary: none of it")
    assert {each.quote for each in read(made, tmp_path).rows if each.kind in kinds} == {
        "“Which one is it? A. Fail silently” → A. is fine, but always log it",
        "“Which is it to be?” → B. The short one",
        "“only the plans” → keep it local for now",
    }


def test_output_that_was_pasted_and_the_notes_of_a_summary_are_nobodys_words(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    output = "\n".join(f"  × rate {number} must never be without a type" for number in range(4))
    made.user(f"find out why the totals are red\n{output}")
    said = '1. Plan:\n6. Said:\n- "yes" (what it is named)\n- "list the ferries by their tonnage"'
    made.compaction(summary=f"1. Plan:\n6. Steps:\n- Sort all of the piers\nSummary:\n{said}")
    made.compaction(summary="Summary: none of it")
    texts = [each.text for each in read(made, tmp_path).rows if each.kind in ("ask", "rule", "report")]
    assert sorted(texts) == ["find out why the totals are red", "list the ferries by their tonnage"]


def test_the_check_that_ran_last_counts_among_many(tmp_path: Path) -> None:
    made = session()
    for number in range(8):
        made.tool("Bash", command=f"pytest tests/{number}")
    made.tool("Bash", command="go vet -tags=tax ./money/tax_test.go")
    made.compaction(summary=SUMMARY)
    assert row(read(made, tmp_path), "go vet").counts


def test_a_failure_is_kept_by_its_message_and_a_refusal_by_its_reason(tmp_path: Path) -> None:
    made = session()
    made.broken("Bash", "tax.go:7: undefined: rate", command="go build -tags=tax ./money/...")
    made.broken("Bash", SAID + "ask Ann about it first", command="git tag v7 -m 'Rounded'")
    made.compaction(summary="It ends on tax.go:7: undefined: rate. The person said: ask Ann about it first.")
    states = {each.kind: each.state for each in read(made, tmp_path).rows if "npm" not in each.text}
    assert (states["failure"], states["refused"]) == ("kept", "kept")


def test_a_box_is_open_until_it_is_ticked(tmp_path: Path) -> None:
    made = session()
    made.tool("Bash", command="gh pr create -b '\n- [ ] Print an invoice\n- [ ] Export the totals\n'")
    made.say("What is left:\n- [x] Export the totals\n- [ ] Ask the book-keeper")
    made.compaction(summary=SUMMARY)
    assert sorted(lines(read(made, tmp_path), "task"))[:2] == ["Ask the book-keeper", "Print an invoice"]


def test_reports_are_read_to_their_end(tmp_path: Path) -> None:
    made = session()
    report = "The column `net_cents` was found.\n" * 60 + "The export still reads `gross_cents`."
    made.tool("Task", report, description="look", prompt="look for the columns")
    made.compaction(summary=SUMMARY)
    assert "The export still reads `gross_cents`." in lines(read(made, tmp_path), "report")


def test_sentences_of_a_list_in_a_report_are_not_read_twice(tmp_path: Path) -> None:
    made = session()
    first, second = "Removed `net_cents` from all 26 calls.", "All had `net_cents=None` but line 566."
    made.tool("Task", f"1. {first} {second}", description="look", prompt="look for the columns")
    made.compaction(summary=SUMMARY)
    assert lines(read(made, tmp_path), "report") == [f"{first} {second}"]


def test_what_comes_up_again_after_the_compaction_comes_first(tmp_path: Path) -> None:
    made = session()
    for word in ("harbours", "lighthouses", "ferries"):
        made.user(f"number the {word} with their tonnage")
    made.compaction(summary=SUMMARY)
    made.say("I number the lighthouses with their tonnage.")
    numbered = [each.text for each in read(made, tmp_path).rows if "tonnage" in each.text]
    assert "lighthouses" in numbered[0]


def test_lines_that_the_boundary_preserves_are_kept(tmp_path: Path) -> None:
    made = session()
    last = made.user("please keep the old rounding for Norway")
    made.compaction(summary=SUMMARY, preservedMessages={"uuids": [last["uuid"]]})
    found = row(read(made, tmp_path), "please keep")
    assert (found.state, found.preserved) == ("kept", True)


def test_what_was_overtaken_is_no_candidate(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("check the totals of the invoice once more")
    made.broken("Bash", "2 failed", command="npm test -- totals")
    made.broken("Bash", f"{SAID}not before the tests are green", command="git push origin main")
    made.broken("Write", f"{SAID}write no documents", file_path=f"{ROOT}/NOTES.md", content="x")
    made.broken("Edit", f"{SAID}never name clients", file_path="/other/a.ts", new_string="Smith")
    made.tool("Edit", file_path="/other/a.ts", new_string="Client")
    made.broken("Edit", f"{SAID}never say it twice", file_path="/other/a.md", new_string="Two")
    made.tool("Edit", file_path="/other/a.md", new_string="One")
    made.tool("Bash", "ok", command="npm test -- totals")
    made.broken("Bash", "undefined: rate", command="go build -tags=tax ./money/...")
    made.tool("Bash", command="go vet -tags=tax ./money/...")
    made.tool("Bash", "ok", command="git push origin main")
    made.say("Let me look at `src/totals.ts` next.")
    made.say("Should I change `src/totals.ts`?")
    made.tool("TodoWrite", todos=[{"content": "Check the totals", "status": "completed"}])
    made.compaction(summary="Summary: none of it")
    rows = {(each.kind, each.text) for each in read(made, tmp_path).rows}
    assert rows == {
        ("ask", "check the totals of the invoice once more"),
        ("ask", "Should I change `src/totals.ts`?"),
        ("check", "npm test -- totals"),
        ("check", "go vet -tags=tax ./money/..."),
        ("refused", f"Write {ROOT}/NOTES.md: “write no documents”"),
        ("rule", "never name clients"),
        ("ask", "never say it twice"),
    }


def test_a_no_to_a_plan_stays_when_the_next_plan_is_approved(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.broken("ExitPlanMode", f"{SAID}no tokens under my account, please", plan="# Deploy\n- with a token")
    made.tool("ExitPlanMode", "User has approved your plan.", plan="# Deploy\n- with an app")
    made.compaction(summary="Summary: none of it")
    assert row(read(made, tmp_path), "no tokens under my account").kind == "rule"


def test_pins_come_before_all_else(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    pin = Row("pin", "Deploys need a second pair of eyes", NOWHERE)
    assert read(made, tmp_path, standing=(pin,)).missing[0].kind == "pin"


def test_statements_only_in_the_summary_are_unfounded(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    found = read(made, tmp_path).unfounded
    assert [(each.text, each.reason) for each in found] == [
        ("docs/ghost.md", "no record names this file"),
        ("make verify-all", "no record has this command"),
        ("3. All tests now pass.", "the last test run failed (L9)"),
    ]


def test_a_file_that_somebody_mentioned_and_a_wish_are_not_unfounded(tmp_path: Path) -> None:
    made = session()
    made.user("docs/ghost.md is where it is described; say `make verify-all` first")
    made.compaction(summary=SUMMARY.replace("All tests now pass", "Make sure all tests pass"))
    assert read(made, tmp_path).unfounded == ()


_SAYS = """1. Primary Request: the person asked to round the tax per line.
   - Files: src/auth.ts and src/tax.ts were changed; `npm test -- tax` passes. It is PR #88.
   - Always squash before merging, never
     push to main directly.
2. 合并之前必须先压缩提交，不要直接推送到主分支。"""


@pytest.mark.parametrize(
    ("kind", "text", "fate"),
    [
        ("rule", "Never push directly to main, always squash before merging", "kept"),
        ("rule", "Never edit src/auth.ts without asking Ann", "maybe"),
        ("rule", "Deploys happen on Tuesdays only, never on a Friday", "lost"),
        ("rule", "不要直接推送到主分支，合并之前必须先压缩提交", "kept"),
        ("rule", "数据库的价格表不要改名，仓库程序要读它", "maybe"),
        ("check", "npm test -- tax", "kept"),
        ("check", "npm run lint -- --fix", "lost"),
        ("check", "vitest run src/tax.ts", "lost"),
        ("file", "src/tax.ts", "kept"),
        ("file", "src/money/tax_rates.ts", "lost"),
        ("name", "pull request: https://example.com/shop/pull/412", "lost"),
        ("name", "pull request: https://example.com/shop/pull/88", "kept"),
        ("step", "Round the tax per line, as the person asked, with `--dry-run`", "lost"),
        ("step", "Squash src/auth.ts before merging src/tax.ts with `--all`", "maybe"),
        ("said", "The tax is rounded per line in `src/tax.ts`.", "kept"),
        ("said", "The person has changed the tests of npm before merging", "maybe"),
        ("said", "The importer takes 47 seconds for 12,000 rows of `stock.csv`.", "maybe"),
        ("ask", "The importer takes 47 seconds for 12,000 rows of `stock.csv`.", "lost"),
    ],
)
def test_a_line_is_kept_maybe_or_lost(kind: str, text: str, fate: str) -> None:
    line = Row(kind, text, NOWHERE)  # type: ignore[arg-type]
    assert Text(_SAYS, ()).verdict(line).fate == fate


def test_rules_in_many_languages_and_what_is_none() -> None:
    rules = [
        "never push to main, I do that myself",
        "Bitte nie direkt auf main pushen",
        "ne touche jamais à la table des prix",
        "no cambies nunca la tabla de precios",
        "никогда не меняй таблицу цен",
        "不要直接推送到主分支",
        "mainブランチには直接プッシュしないでください",
        "메인 브랜치에 직접 푸시하지 마세요",
    ]
    assert [rule for rule in rules if not is_rule(rule)] == []
    assert not is_rule("round the tax per line in the invoice")
    assert not is_rule("should we never round at all?")
    assert is_rule("we don't round twice") and not is_rule("I don't think that it is read")
    assert announces("Let me look at the totals next.")
    assert not announces("The totals are rounded twice in `src/totals.ts`.")


def test_sentences_leave_out_code_logs_and_tables() -> None:
    text = '''Please fix this. It fails on Mondays only, see below.
```python
def total(cart): return sum(cart)
```
2026-01-02 10:00:00 ERROR the total of the cart is wrong
| a table | of words here |
"""
The log is no sentence of the person
"""
- First point (of the list) is long enough
"""
确认一下这个问题只在星期一出现。然后修复它并且添加测试。'''
    assert [*sentences(text)][1:] == [
        "It fails on Mondays only, see below.",
        "First point (of the list) is long enough",
        "确认一下这个问题只在星期一出现。",
        "然后修复它并且添加测试。",
    ]


def test_of_a_skill_only_what_the_session_uses_is_its_procedure(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("round the tax per line in the invoice")
    made.tool("Skill", skill="work")
    advice = ["- Tests pass (run `bin/rails test`)", "- Do NOT leave it half done", "1. Look around first"]
    steps = ["2. Check with `make lint`", "3. Ask for a review of it", "4. Send it with `gt submit --all`"]
    steps += ["All of it counts.", "**Never:**", "- Change `src/tax.ts` alone"]
    made.user([{"type": "text", "text": "\n".join((*advice, *steps))}], isMeta=True)
    made.user([{"type": "text", "text": "Another text of Claude Code's own"}], isMeta=True)
    made.edit(f"{ROOT}/src/tax.ts")
    made.tool("Bash", command="cd web && make all")
    made.compaction(summary=SUMMARY.replace("src/tax.ts", ""))
    found = read(made, tmp_path)
    assert set(lines(found, "step")) == {"Check with `make lint`", "Send it with `gt submit --all`"}
    assert lines(found, "rule") == ["Never: Change `src/tax.ts` alone"]
    assert {"Look around first", "All of it counts."} <= {*lines(found, "finding")}
    assert "Change `src/tax.ts` alone" not in lines(found, "finding")


def test_rules_of_a_skill_that_has_ended_hold_where_they_name_what_was_used(tmp_path: Path) -> None:
    made = session()
    made.tool("Skill", skill="work")
    rules = "You MUST always ask before.\n\nNEVER run make/gt by yourself.\n\nNEVER change docs/a.md."
    made.user([{"type": "text", "text": rules}], isMeta=True)
    made.tool("Bash", command="cat docs/a.md")
    for text in ("two", "three", "four"):
        made.user(f"now number {text}, please")
    made.tool("Bash", command="make all")
    made.compaction(summary=SUMMARY)
    assert [text for text in lines(read(made, tmp_path), "rule") if text in rules] == [rules.split("\n\n")[1]]


def test_of_a_command_that_is_followed_what_comes_next_is_due(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    text = """# /release
**CRITICAL**: NEVER tag before the checks.
- Look at `docs/notes.md` first
```bash
rel begin --version <N>
```
- It writes `rel.lock`
### Step 2
```bash
rel check # all of it
rel publish --dry-run 2>&1 | tail
```
1. If `rel.lock` is there: follow it
2. Otherwise: look into `docs/`, store it as `REL_NOTES`.
3. Store this one as `REL_NUMBER`.
### Step 3: then
```sh
rel done --push
```
## Related
- `/rollback` - only if it fails"""
    made.slash("release", text=text)
    made.tool("Bash", command="cd web && rel begin --version 7")
    made.tool("Bash", command="rel check")
    made.compaction(summary="The release was begun; publish it, then say that it is done.")
    due = [each for each in read(made, tmp_path).rows if each.kind == "step" and each.standing == "open"]
    assert all(each.counts for each in due)
    steps = ["rel publish --dry-run", "If `rel.lock` is there: follow it", "rel done --push"]
    assert [each.text for each in due] == steps
    assert "CRITICAL: NEVER tag before the checks." in lines(read(made, tmp_path), "rule")


def test_where_the_work_stands_is_its_branch_its_last_commit_and_its_push(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT, branch="tax")
    pushed = []
    for before, commit in (("0000000", "aaaaaa1"), ("aaaaaa1", "bbbbbb2")):
        made.tool("Bash", f"[tax {commit}] Round it", command="git commit -am 'Round it'")
        printed = f"To github.com:shop/app\n   {before}..{commit}  tax -> tax"
        made.tool("Bash", printed, command="git push 2>&1")
        pushed = [f"pushed: {before}..{commit} tax -> tax"]
    made.compaction(summary="The person wants it rounded.")
    assert lines(read(made, tmp_path), "name") == pushed
    made.tool("Bash", "[tax ccccccc] Print it", command="git commit -am 'Print it'")
    made.compaction(summary="The person wants it printed.")
    assert "commit ccccccc: Print it" in lines(read(made, tmp_path), "name")


def test_a_branch_is_not_told_where_all_work_was_in_another_folder(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT, branch="tax")
    made.edit("/work/other/src/tax.ts")
    made.compaction(summary=SUMMARY)
    assert not lines(read(made, tmp_path), "name")


def test_an_open_task_comes_with_the_checks_of_its_description(tmp_path: Path) -> None:
    made = session()
    done = "Task #1 created successfully: Last checks"
    made.tool("TaskCreate", done, subject="Last checks", description="Run `make test`, then ask for a review")
    made.compaction(summary=SUMMARY)
    assert lines(read(made, tmp_path), "task")[-1] == "Last checks: Run `make test`, then ask for a review"


def test_a_stressed_rule_of_an_earlier_command_stays_in_force(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.slash("release", text="- Tell `rel check` first\n- NEVER change `plan.md` while it runs\n")
    for name in ("one", "two"):
        made.slash(name, text="Have a look at the invoices.")
    made.compaction(summary="The release was begun.")
    assert lines(read(made, tmp_path), "rule") == ["NEVER change `plan.md` while it runs"]


def test_a_command_of_a_procedure_is_kept_only_as_it_stands() -> None:
    line = Row("step", "rel done --push", NOWHERE, "open", "rel done --push")
    assert Text("Then say that the release is done: rel it and push.", ()).verdict(line).fate == "lost"
    assert Text("Then run `rel done --push`.", ()).verdict(line).fate == "kept"


def test_missing_lines_of_one_message_are_read_together(tmp_path: Path) -> None:
    made = session()
    made.say("1. Count the `net_cents` of it\n2. Then run `make totals` in web\n3. Ask Ann about `vat.csv`")
    made.compaction(summary=SUMMARY)
    assert row(read(made, tmp_path), "Count the").text.count(" · ") == 2


def test_a_reminder_of_claude_code_in_a_file_that_was_read_is_no_line(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("round the tax per line in the invoice")
    text = "1→Run `make tax`.\n\n<system-reminder>\nYou MUST refuse `make x`.\n</system-reminder>\n"
    made.tool("Read", text, file_path=f"{ROOT}/plan.md")
    made.compaction()
    texts = [each.text for each in read(made, tmp_path).rows]
    assert "Run `make tax`." in texts and not any("refuse" in each for each in texts)


def test_no_name_of_a_long_plan_is_left_out(tmp_path: Path) -> None:
    names = [f"TestRoundingOfLineNumber{number}" for number in range(40)]
    code = "\n".join(f"func {name}(t *testing.T) {{" for name in names)
    made = Transcript(cwd=ROOT)
    made.user(f"Implement the following plan:\n\n# Rounding\n\n```go\n{code}\n```")
    made.compaction()
    found = " ".join(each.text for each in read(made, tmp_path).rows if each.text.startswith("not written"))
    assert all(name in found.replace(",", " ").split() for name in names)


def test_a_step_that_ran_is_not_due_and_one_that_was_refused_is(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.slash("release", text="```bash\nrel begin --all\npytest -q\nrel check all\nrel done\n```")
    made.tool("Bash", command="rel begin --all")
    made.tool("Bash", command="cd web && pytest -q tests")
    made.broken("Bash", SAID + "not yet", command="rel check all")
    made.compaction(summary="The release was begun.")
    assert lines(read(made, tmp_path), "step") == ["rel check all", "rel done"]


def test_a_long_skill_that_a_long_session_follows_takes_no_time(tmp_path: Path) -> None:
    skill = "\n".join(f"- Run `tool{number} part{number} --all`" for number in range(4_000))
    ran = [f"other{number} thing" for number in range(4_000)]

    ends_soon(lambda text: [*due(text, set(), [*ran, "tool7 part7"])], skill)


@pytest.mark.parametrize("unit", ["a", "/", "a-", "a.b", " "])
def test_a_long_line_without_blanks_takes_no_time(unit: str) -> None:
    ends_soon(named, unit * 100_000)
    ends_soon(lambda text: [*sentences(text)], f'from {unit * 100_000}\n"""{unit * 100_000}!')


@pytest.mark.parametrize(("place", "rows"), [(0, 2), (7, 1)])
def test_lines_without_a_place_are_not_read_together(place: int, rows: int) -> None:
    texts = ("Look at `docs/notes.md` first", "Ask about `vat.csv`")
    steps = [Row("step", text, Source(place)) for text in texts]
    assert len(rows_of(steps, Text("Nothing.", ()), 9)) == rows


def test_a_note_has_rules_of_skills_that_are_kept_in_part_and_nothing_else_that_was_said() -> None:
    kinds: tuple[Kind, ...] = ("rule", "step", "ask")
    partly = [Row(kind, "never", NOWHERE, worth=70, state="maybe", earlier=1) for kind in kinds]
    told = [Row("said", "one", NOWHERE), Row("finding", "never twice", NOWHERE, "open")]
    told += [Row("step", by, Source(speaker=by), "open", state="maybe", worth=70) for by in ("tool", "model")]
    chosen = Comparison(Path(), (*partly, *told, Row("command", "psql -l", NOWHERE, worth=6))).chosen()
    assert {letter: numbers for letter, numbers in chosen.items() if numbers} == {
        "R": [1, 5],
        "S": [7],
        "C": [8],
    }


def test_the_need_of_any_line_that_is_read_together_counts() -> None:
    first = Row("said", "Look at `docs/notes.md` first", Source(3))
    second = Row("said", "Then say rel done --push", Source(3), "unknown", "rel done --push")
    trace = Trace(CompactionFact("auto", None, None, Source(9)), needs={"rel done --push": Need(2, 1)})
    (found,) = rows_of([first, second], Text("Nothing.", ()), 9, trace=trace)
    assert found.need == Need(2, 1)


def made_of(names: list[int]) -> str:
    return " ".join(f"{chr(97 + name)}{chr(97 + name)}" for name in names)


@given(texts=st.lists(st.lists(st.integers(0, 12), max_size=9).map(made_of), max_size=12))
def test_doubles_are_those_of_which_more_than_half_is_in_one_before(texts: list[str]) -> None:
    kept: list[frozenset[str]] = []
    for at, own in enumerate(map(stems, texts)):
        repeats = any(len(own & other) > 0.6 * min(len(own), len(other)) for other in kept)
        assert (at in doubles(texts)) is repeats
        kept += [] if repeats else [own]


def test_doubles_among_thousands_of_lines_take_no_time() -> None:
    def text(number: int) -> str:
        return " ".join(f"{chr(97 + number * step % 26)}{number * step % 997}" for step in range(1, 9))

    ends_soon(lambda lines: doubles(lines.split("\n")), "\n".join(map(text, range(4_000))))
    assert not doubles(("`make lint` passes", "`make test` passes"))
