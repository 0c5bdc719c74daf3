from __future__ import annotations

from pathlib import Path

from memtui.lost.fact_rows import StandingRule
from memtui.lost.records import Need
from tests.lost.made import ROOT, SUMMARY, read, row, session
from tests.transcripts import Transcript


def test_each_fact_is_kept_lost_or_not_named_with_its_line(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    found = read(made, tmp_path)
    assert {(row.kind, row.text, row.state) for row in found.rows} == {
        ("ask", "round the tax per line in the invoice", "kept"),
        ("ask", "never push to main, I do that myself", "not named"),
        ("file", "src/tax.ts", "kept"),
        ("file", "src/invoice.ts", "lost"),
        ("read", "src/sum.ts", "lost"),
        ("check", "npm test -- tax", "lost"),
        ("task", "Write the release notes", "not named"),
        ("closing", "The rounding is in place, one test is red.", "not named"),
        ("error", "1 failed", "not named"),
    }
    kept = row(found, "round the tax")
    assert kept.evidence is not None
    assert SUMMARY[slice(*kept.evidence)].startswith("1. Primary Request")
    assert row(found, "src/invoice.ts").source.line == 6


def test_facts_needed_again_come_first(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    made.tool("Bash", "ok", command=f"cd {ROOT} && npm test -- tax 2>&1 | tail -5")
    made.user("and now the invoice")
    made.tool("Read", "x", file_path=f"{ROOT}/src/invoice.ts")
    found = read(made, tmp_path)
    assert row(found, "npm test").need == Need(1, 0)
    needed = row(found, "src/invoice.ts").need
    assert needed == Need(2, 1)
    assert (needed.label, Need(1, 0).label) == ("needed again 1 turn later", "needed again 1 call later")
    assert [each.text for each in found.missing][:3] == [
        "npm test -- tax",
        "src/invoice.ts",
        "Write the release notes",
    ]
    assert {each.text for each in found.counted_losses} == {
        "npm test -- tax",
        "src/invoice.ts",
        "Write the release notes",
        "never push to main, I do that myself",
    }


def test_more_than_fifty_calls_later_is_not_again(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    for number in range(50):
        made.tool("Read", "x", file_path=f"{ROOT}/src/{number}.ts")
    made.tool("Read", "x", file_path=f"{ROOT}/src/invoice.ts")
    assert row(read(made, tmp_path), "src/invoice.ts").need is None


def test_only_texts_with_a_mark_were_handed_over_by_memtui(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    made.attachment("hook_additional_context", content=["Changed: src/invoice.ts\n\nmemtui:0a1b2c3d"])
    made.attachment("hook_additional_context", content=["Another hook read src/sum.ts"])
    found = read(made, tmp_path)
    assert row(found, "src/invoice.ts").state == "handed over"
    assert row(found, "src/sum.ts").state == "lost"


def test_a_second_compaction_concerns_what_came_since_the_first(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    made.user("now explain the discount rules to me")
    made.edit(f"{ROOT}/src/tax.ts")
    made.compaction(summary="This session is being continued.\n\nSummary:\nnothing")
    texts = {each.text for each in read(made, tmp_path).rows}
    assert texts == {"now explain the discount rules to me", "src/tax.ts", "Write the release notes"}


def test_lines_that_the_boundary_preserves_are_kept(tmp_path: Path) -> None:
    made = session()
    last = made.user("please keep the old rounding for Norway")
    made.compaction(summary=SUMMARY, preservedMessages={"uuids": [last["uuid"]]})
    found = row(read(made, tmp_path), "please keep")
    assert (found.state, found.preserved) == ("kept", True)


def test_a_name_that_two_files_have_names_neither_for_certain(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.edit(f"{ROOT}/a/index.ts")
    made.edit(f"{ROOT}/b/index.ts")
    made.compaction(summary="Summary: index.ts was changed")
    assert {each.state for each in read(made, tmp_path).rows} == {"not named"}


def test_short_words_and_repeated_ones_are_no_rows(tmp_path: Path) -> None:
    made = Transcript(cwd=ROOT)
    made.user("yes")
    for _ in range(2):
        made.user("check the totals once more please")
    made.compaction(summary="Summary: none of it")
    assert [each.text for each in read(made, tmp_path).rows] == ["check the totals once more please"]


def test_pins_come_before_all_else(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    made.tool("Bash", "ok", command="npm test -- tax")
    found = read(made, tmp_path, standing=(StandingRule("pin", "Deploys need a second pair of eyes"),))
    assert found.missing[0].kind == "pin"


def test_statements_only_in_the_summary_are_unfounded(tmp_path: Path) -> None:
    made = session()
    made.compaction(summary=SUMMARY)
    found = read(made, tmp_path).unfounded
    assert [(each.text, each.reason) for each in found] == [
        ("docs/ghost.md", "no record names this file"),
        ("make verify-all", "no record has this command"),
        ("3. All tests now pass.", "the last test run failed (L9)"),
    ]
    assert [SUMMARY[slice(*each.evidence)] for each in found] == [each.text for each in found]


def test_a_file_that_somebody_mentioned_and_a_wish_are_not_unfounded(tmp_path: Path) -> None:
    made = session()
    made.user("docs/ghost.md is where it is described; say `make verify-all` first")
    made.compaction(summary=SUMMARY.replace("All tests now pass", "Make sure all tests pass"))
    assert read(made, tmp_path).unfounded == ()
