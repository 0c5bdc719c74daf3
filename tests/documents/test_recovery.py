from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.markdown import Section
from memtui.documents.recovery import Plan, Recovery, RoleFile, parse_recovery, render_recovery
from memtui.ground.text import FormatError, normal
from tests.documents.checks import settled
from tests.documents.data import golden
from tests.documents.strategies import NASTY, hostile, nearly, recoveries

GOLDEN = golden("recovery.txt")
FOREIGN = golden("recovery-foreign.md")
PLAN = """\
## Phase 1: Client
- [x] Write the client
  - Created /home/user/shop/src/tax/client.ts

## Working Files (Modified)
What this section will list: see below.

<details>
<summary>Sketch</summary>

```ts
## not a heading
</details>

## Phase 2: Switch
```
- [ ] Switch the checkout
</details>"""
RECOVERY = Recovery(
    session_id="WFS-tax",
    project_root="/home/user/shop",
    objective="Move the checkout to the new tax service.",
    plan=Plan(source="workflow", content=PLAN),
    working_files=(
        RoleFile(path="/home/user/shop/src/checkout/tax.ts", role="main implementation"),
        RoleFile(path="/home/user/shop/src/(tax)/rates (1).json", role="unit tests"),
    ),
    reference_files=(RoleFile(path="/home/user/shop/CLAUDE.md"),),
    last_action="make test: 214 passed, 1 failed\n- tax.test.ts: rounding",
    decisions=("Round per line: the service does",),
    known_issues=("Sandbox keys expire\nevery Monday",),
    changes=("client.ts: new",),
    pending=("[ ] Switch the checkout",),
    notes="The rounding differs by a cent at most.",
)


def test_the_golden_file_is_read_and_written_to_the_character() -> None:
    assert parse_recovery(GOLDEN) == RECOVERY
    assert render_recovery(RECOVERY) == GOLDEN


@given(recoveries)
def test_a_recovery_comes_back_as_it_was(recovery: Recovery) -> None:
    text = render_recovery(recovery)
    assert parse_recovery(text) == recovery
    assert render_recovery(parse_recovery(text)) == text


@given(st.lists(st.sampled_from(NASTY), max_size=12))
def test_a_plan_stands_in_its_text_line_for_line(lines: list[str]) -> None:
    plan = normal("\n".join(lines))
    text = render_recovery(RECOVERY.replace(plan=Plan(source="todo", content=plan)))
    assert (
        f"(Click to expand)</summary>\n\n{plan}\n\n</details>\n\n## Working Files (Modified)\n- /home" in text
    )
    assert parse_recovery(text).plan == Plan(source="todo", content=plan)


@given(nearly(recoveries, render_recovery) | hostile())
def test_any_text_is_refused_or_understood(text: str) -> None:
    settled(text, parse_recovery, render_recovery)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_text_that_a_model_wrote_freely_is_read(line_end: str) -> None:
    assert parse_recovery(FOREIGN.replace("\n", line_end)) == Recovery(
        preamble="# Recovery: 税务服务迁移\n\n**Date:** 2026-02-01",
        objective="将结账迁移到新的税务服务。",
        plan=Plan(
            source="inferred",
            content='The user asked: "move the checkout"\n\n## Phase 1\n1. Client\n2. Checkout',
        ),
        working_files=(
            RoleFile(path="src\\checkout\\tax.ts", role="expanded: 166→199"),
            RoleFile(path="src\\checkout\\tax.test.ts", role="单元测试"),
        ),
        reference_files=(RoleFile(path="Everything under docs/."),),
        last_action="成功：\n- make test ✅",
        decisions=("Took the new service because:\nit is cheaper", "Round per line\n- not per order"),
        pending=("(none - 全部完成)",),
        notes="**Key:**\n- a\n\n---\n\nTo resume: read this.",
        extra=(
            Section(heading="Risks", text="- The old service stops in March\n```\n## not a section\n```"),
        ),
    )


@pytest.mark.parametrize("name", ["recovery.txt", "recovery-foreign.md"])
def test_no_line_of_a_text_is_lost(name: str) -> None:
    text = golden(name)
    written = render_recovery(parse_recovery(text)).replace("(role: ", "(")
    for line in text.split("\n"):
        bare = line.strip().removeprefix("* ").replace("`", "").replace("(role: ", "(")
        if bare and not line.startswith("## "):
            assert bare in written.replace("`", "")


def test_an_open_details_ends_at_the_working_files() -> None:
    recovery = parse_recovery("## Execution Plan\n<details>\n## a\n```\nb\n\n## Working Files\n- c\n")
    assert recovery.plan.content == "## a\n```\nb"
    assert recovery.working_files == (RoleFile(path="c"),)
    at_once = "## Execution Plan\n<details>\n## Working Files (Modified)\n- c\n\n## Notes\n</details>\n"
    assert parse_recovery(at_once).working_files == (RoleFile(path="c"),)


def test_text_beside_the_details_belongs_to_the_plan() -> None:
    recovery = parse_recovery("## Execution Plan\n<details>\na\n</details>\nb\n\n## Working Files\n")
    assert recovery.plan.content == "a\n\nb"


def test_an_unknown_section_behind_the_plan_is_no_part_of_it() -> None:
    text = GOLDEN.replace(
        "</details>\n\n## Working Files (Modified)\n- ",
        "</details>\n\n## Risk\nnone\n\n## Working Files (Modified)\n- ",
    )
    recovery = parse_recovery(text)
    assert recovery.extra == (Section(heading="Risk", text="none"),)
    assert recovery.plan.content == PLAN
    assert render_recovery(recovery) == f"{GOLDEN}\n\n## Risk\nnone"


def _comes_back(recovery: Recovery) -> bool:
    return parse_recovery(render_recovery(recovery)) == recovery


def test_other_texts_cannot_end_the_plan() -> None:
    quoted = "```\n</details>\n\n## Working Files (Modified)\n- x\n```"
    assert _comes_back(RECOVERY.replace(notes=quoted))
    assert _comes_back(RECOVERY.replace(plan=Plan(content="a\n</details>\n\n## Notes\nb")))
    assert _comes_back(RECOVERY.replace(decisions=(quoted,), last_action=f"{quoted}\n## Working files"))


@pytest.mark.parametrize(
    ("entry", "path", "role"),
    [
        ("/a/b.py (role: tests)", "/a/b.py", "tests"),
        ("/a/b.py (role: )", "/a/b.py", ""),
        ("`/a/b c` (x)", "/a/b c", "x"),
        ("a.py (created)", "a.py", "created"),
        ("/a/report (1)", "/a/report (1)", ""),
        ("C:\\Program Files (x86)", "C:\\Program Files (x86)", ""),
        ("`C:\\Program Files (x86)\\x.exe`", "C:\\Program Files (x86)\\x.exe", ""),
        ("a.py (role: x (role: y))", "a.py", "x (role: y)"),
        ("` ` (x)", "` ` (x)", ""),
    ],
)
def test_a_file_and_its_role(entry: str, path: str, role: str) -> None:
    recovery = parse_recovery(f"## Working Files (Modified)\n- {entry}")
    assert [(file.path, file.role) for file in recovery.working_files] == [(path, role)]


def test_other_texts_than_recovery_texts_are_refused() -> None:
    with pytest.raises(FormatError, match="none of the sections"):
        parse_recovery("# Title\n\n## Chapter\ntext\n")
