"""The thirteen points of the checklist: what passes, what warns, what fails, and on which line."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.checklist import Point, Verdict, check_recovery

GOOD = (Path(__file__).parents[1] / "data" / "recovery" / "good.md").read_text("utf-8")
NAMES = [
    "Session ID", "Project Root", "Objective", "Execution Plan", "Plan Source", "Plan Details",
    "Absolute Paths", "Working Files", "Reference Files", "Last Action", "Decisions", "Known Issues",
    "Notes",
]  # fmt: skip
PASS, WARN, FAIL = Verdict.PASS, Verdict.WARN, Verdict.FAIL


def point(text: str, name: str) -> Point:
    return next(each for each in check_recovery(text) if each.name == name)


def section(title: str, body: str) -> str:
    """The good text with another body in one section."""
    before, _, rest = GOOD.partition(f"## {title}\n")
    assert rest
    return (
        f"{before}## {title}\n{body}\n\n## {rest.partition('## ')[2]}" if "\n## " in rest else before + body
    )


def without(title: str) -> str:
    before, _, rest = GOOD.partition(f"## {title}\n")
    below = rest.partition("\n## ")[2]
    return f"{before}## {below}" if below else before


def plan(source: str, content: str) -> str:
    before, _, rest = GOOD.partition("### Source: ")
    after = rest.partition("</details>")[2]
    summary = "<summary>Full Execution Plan (Click to expand)</summary>"
    return f"{before}### Source: {source}\n\n<details>\n{summary}\n\n{content}\n\n</details>{after}"


@pytest.mark.parametrize(
    ("title", "body", "name", "verdict", "line"),
    [
        ("Session ID", "WFS-auth", "Session ID", PASS, 2),
        ("Session ID", "5e55-1d", "Session ID", WARN, 2),
        ("Project Root", "work/app", "Project Root", FAIL, 5),
        ("Project Root", "~/app", "Project Root", FAIL, 5),
        ("Project Root", "", "Project Root", FAIL, 5),
        ("Project Root", r"D:\Claude_dms3", "Project Root", PASS, 5),
        ("Project Root", r"\\server\share\app", "Project Root", PASS, 5),
        ("Project Root", "`/work/app`", "Project Root", PASS, 5),
        ("Objective", "", "Objective", FAIL, 8),
        ("Objective", "/compact", "Objective", WARN, 8),
        ("Objective", "[High-level goal]", "Objective", FAIL, 8),
        ("Objective", "word " * 200, "Objective", WARN, 8),
        ("Objective", "添加分类字段", "Objective", PASS, 8),
        ("Working Files (Modified)", "- src/a.py (role: code)", "Absolute Paths", FAIL, 29),
        ("Working Files (Modified)", "- /a.py (role: x)\n- b.py (role: y)", "Absolute Paths", FAIL, 30),
        ("Reference Files (Read-Only)", "- `CLAUDE.md` (instructions)", "Absolute Paths", FAIL, 34),
        ("Changes Made", "- done\n- src/auth/a.ts: made", "Absolute Paths", WARN, 62),
        ("Changes Made", "- a.ts: made", "Absolute Paths", PASS, None),
        ("Working Files (Modified)", "(none)", "Working Files", PASS, 29),
        ("Working Files (Modified)", "- /a.py", "Working Files", WARN, 29),
        (
            "Working Files (Modified)",
            "\n".join(f"- /f{n}.py (role: code)" for n in range(9)),
            "Working Files",
            WARN,
            29,
        ),
        ("Reference Files (Read-Only)", "(none)", "Reference Files", WARN, 34),
        ("Reference Files (Read-Only)", "- /x.md (role: notes)\n- /y.md", "Reference Files", WARN, 35),
        ("Last Action", "", "Last Action", FAIL, 40),
        ("Last Action", "[Last significant action and its result/status]", "Last Action", FAIL, 40),
        ("Last Action", "[build] passed", "Last Action", PASS, 40),
        ("Last Action", "Wrote some code", "Last Action", WARN, 40),
        ("Last Action", "成功测试所有命令", "Last Action", PASS, 40),
        ("Decisions", "- Use SQLite: one file\n- Use Redis", "Decisions", WARN, 49),
        ("Decisions", "- 参考https://example.org", "Decisions", WARN, 48),
        ("Decisions", "- Use SQLite because it is one file", "Decisions", PASS, 48),
        ("Decisions", "- Use SQLite: fast\n- [Decision]: [Reasoning]", "Decisions", FAIL, 49),
        ("Decisions", "(none)", "Decisions", PASS, 48),
        ("Known Issues", "- Test two tabs", "Known Issues", PASS, 58),
        ("Known Issues", "- Test two tabs (in progress)", "Known Issues", WARN, 58),
    ],
)
def test_a_section(title: str, body: str, name: str, verdict: Verdict, line: int | None) -> None:
    found = point(section(title, body), name)
    assert (found.verdict, found.line) == (verdict, line), found


@pytest.mark.parametrize(
    ("title", "name", "verdict"),
    [
        ("Session ID", "Session ID", WARN), ("Project Root", "Project Root", FAIL),
        ("Objective", "Objective", FAIL), ("Execution Plan", "Execution Plan", FAIL),
        ("Execution Plan", "Plan Source", FAIL), ("Execution Plan", "Plan Details", FAIL),
        ("Working Files (Modified)", "Working Files", FAIL),
        ("Reference Files (Read-Only)", "Reference Files", WARN), ("Last Action", "Last Action", FAIL),
        ("Decisions", "Decisions", WARN), ("Known Issues", "Known Issues", WARN), ("Notes", "Notes", PASS),
    ],
)  # fmt: skip
def test_a_missing_section(title: str, name: str, verdict: Verdict) -> None:
    found = point(without(title), name)
    assert (found.verdict, found.line) == (verdict, None)


@pytest.mark.parametrize(
    ("source", "content", "name", "verdict", "line"),
    [
        ("todo (TodoWrite)", "- [x] a b\n- [>] c d\n- [ ] e", "Plan Details", PASS, 11),
        ("todo (TodoWrite)", "- a b\n- c d", "Plan Details", FAIL, 11),
        ("inferred", "1. a\n2. b", "Plan Details", PASS, 11),
        ("inferred", "first this, then that", "Plan Details", WARN, 11),
        ("user-stated", "## Phase 1\nx\n## Phase 2\ny", "Plan Details", PASS, 11),
        ("user-stated", "", "Execution Plan", FAIL, 11),
        ("user-stated", "- a\n- ... 12 more\n- b", "Execution Plan", WARN, 17),
        ("user-stated", "- a\n…\n- b", "Execution Plan", WARN, 17),
        ("user-stated", "- a\n```\n...\n```\n- b", "Execution Plan", PASS, 11),
        ("user-stated", "- wait … then go\n- b", "Execution Plan", PASS, 11),
        ("Inferred from the talk", "- a", "Plan Source", PASS, 11),
        ("[workflow | todo | user-stated | inferred]", "- a", "Plan Source", FAIL, 11),
        ("my own", "- a", "Plan Source", WARN, 11),
        ("", "- a", "Plan Source", FAIL, 11),
        ("workflow (IMPL_PLAN.md)", "- [x] a", "Session ID", FAIL, 2),
    ],
)
def test_a_plan(source: str, content: str, name: str, verdict: Verdict, line: int) -> None:
    found = point(plan(source, content), name)
    assert (found.verdict, found.line) == (verdict, line), found


def test_an_issue_wants_a_note() -> None:
    text = section("Known Issues", "- npm test fails")
    assert point(text[: text.index("## Notes")], "Notes").verdict is WARN
