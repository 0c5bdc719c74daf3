from __future__ import annotations

import pytest
from hypothesis import given

from memtui.documents.format import Section
from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    parse_session_state,
    render_session_state,
)
from memtui.ground.text import FormatError
from tests.documents.checks import settled
from tests.documents.data import golden
from tests.documents.strategies import hostile, nearly, session_states

GOLDEN = golden("session-state.md")
STATE = SessionState(
    version=7,
    identity=Identity(
        project="shop (/home/user/shop)",
        branch="feature/tax",
        goal="Move the checkout to the new tax service",
    ),
    tasks=(
        Task(kind=TaskKind.DONE, text="Write the client"),
        Task(
            kind=TaskKind.IN_PROGRESS,
            text="Switch the checkout",
            children=(
                Task(
                    kind=TaskKind.SUB,
                    text="map the error codes",
                    children=(Task(kind=TaskKind.SUB, text="4xx first"),),
                ),
                Task(kind=TaskKind.BLOCKER, text="None"),
            ),
        ),
        Task(kind=TaskKind.NEXT, text="Refunds"),
        Task(kind=TaskKind.LATER, text="Remove the old client"),
        Task(kind=TaskKind.OPEN, text="Tell support"),
        Task(kind=TaskKind.NOTE, text="Earlier: completed 4 tasks including the spike"),
    ),
    decisions=(
        Decision(text="Round per line (the service does)"),
        Decision(kind="constraint", text="Never touch legacy/"),
    ),
    working=WorkingContext(
        files_modified="src/checkout/tax.ts, src/checkout/tax.test.ts",
        last_compile="FAILURE\nTS2339: Property 'rate' does not exist",
        technical_state="sandbox reachable",
    ),
    dynamics=Dynamics(
        language="English",
        style="direct",
        phase="execution",
        last_intent="wanted the error codes mapped",
    ),
)


def test_the_golden_file_is_read_and_written_to_the_character() -> None:
    assert parse_session_state(GOLDEN) == STATE
    assert render_session_state(STATE) == GOLDEN


@given(session_states)
def test_a_state_comes_back_as_it_was(state: SessionState) -> None:
    text = render_session_state(state)
    assert parse_session_state(text) == state
    assert render_session_state(parse_session_state(text)) == text


@given(nearly(session_states, render_session_state) | hostile())
def test_any_text_is_refused_or_understood(text: str) -> None:
    settled(text, parse_session_state, render_session_state)


FOREIGN = """\
Here is the updated state:

```
===SESSION STATE V12===
Kept since noon.

## Identity
* **Project**: `shop`
* Branch: n/a
* Ticket: SHOP-12

## Mood
good

## Task Tree:
- [X] one
- [>] two
    * sub: deep
      goes on

      after a blank line
\t- Blocker: N/A
- [ ] in progress: three
- [ ] **NEXT:** four
a line of its own
- [ ] LATER: five

Free text.

## KEY DECISIONS
- Decision: use `x`
- **Constraint**: no y
- we agreed on z
- Decision: N/A

## Working Context
- Files modified:
  - a.py
  - b.py
- Last error: boom
  - at line 3
=== end state ===
```
Anything else?"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_models_spelling_is_read_without_its_chatter(line_end: str) -> None:
    assert parse_session_state(FOREIGN.replace("\n", line_end)) == SessionState(
        version=12,
        preamble="Kept since noon.",
        identity=Identity(project="`shop`", extra=("Ticket: SHOP-12",)),
        tasks=(
            Task(kind=TaskKind.DONE, text="one"),
            Task(
                kind=TaskKind.IN_PROGRESS,
                text="two",
                children=(
                    Task(kind=TaskKind.SUB, text="deep\ngoes on\n\nafter a blank line"),
                    Task(kind=TaskKind.BLOCKER, text="N/A"),
                ),
            ),
            Task(kind=TaskKind.IN_PROGRESS, text="three"),
            Task(kind=TaskKind.NEXT, text="four\na line of its own"),
            Task(kind=TaskKind.LATER, text="five"),
            Task(kind=TaskKind.NOTE, text="Free text."),
        ),
        decisions=(
            Decision(text="use `x`"),
            Decision(kind="constraint", text="no y"),
            Decision(text="we agreed on z"),
        ),
        working=WorkingContext(files_modified="- a.py\n- b.py", last_error="boom\n- at line 3"),
        extra=(Section(heading="Mood", text="good"),),
    )


def _read(identity: str, decisions: str = "") -> SessionState:
    return parse_session_state(
        f"=== SESSION STATE ===\n## IDENTITY\n{identity}\n## KEY DECISIONS\n{decisions}\n=== END STATE ===\n"
    )


def test_lines_like_the_first_and_the_last_are_text() -> None:
    section = Section(heading="Mood", text="=== END STATE ===\nx")
    state = STATE.replace(preamble="=== SESSION STATE v9 ===\nx", extra=(section,))
    assert parse_session_state(render_session_state(state)) == state


def test_a_value_that_is_a_list_stands_under_its_label() -> None:
    text = render_session_state(parse_session_state(FOREIGN))
    assert "- Files modified:\n  - a.py\n  - b.py\n- Last compile: N/A\n" in text


def test_a_line_of_a_task_that_looks_like_an_item_comes_back() -> None:
    state = SessionState(tasks=(Task(kind=TaskKind.NEXT, text="one\n- a\\b - c\n\\- d"),))
    assert parse_session_state(render_session_state(state)) == state


def test_levels_beyond_the_twelfth_are_put_on_it() -> None:
    lines = "\n".join("  " * depth + f"- {depth}" for depth in range(20))
    state = parse_session_state(f"## TASK TREE\n{lines}\n")
    assert render_session_state(state).count("\n" + "  " * 11 + "- ") == 9


@pytest.mark.parametrize("text", ["", "## Goal\nx", "=== SESSION STATE v9999999999 ===\n"])
def test_invalid_session_states_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match="neither a SESSION STATE line nor a section"):
        parse_session_state(text)
