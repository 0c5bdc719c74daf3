"""Memory files, and their draft: records and quotes for a person to edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from memtui.documents.markdown import Section
from memtui.documents.memory_file import MemoryFile, draft_memory, draft_summary, parse_memory, render_memory
from memtui.ground.text import FormatError
from memtui.transcript.records import Action, Facts
from tests.documents.checks import settled
from tests.documents.data import golden
from tests.documents.made import answer, at, changed, commit, ran, todo, turn
from tests.documents.strategies import hostile, memory_files, nearly
from tests.transcripts import Transcript

GOLDEN = golden("memory.md")
MEMORY = MemoryFile(
    title="Tax service migration",
    goal="Move the checkout to the new tax service without touching legacy/.",
    learnings=(
        "The service rounds per line, the old one per order",
        "Sandbox keys expire every Monday:\n```\n## renew\nmake keys\n```",
    ),
    questions=("Refunds still use the old service",),
    confidence="Medium — the nightly run was not seen",
    key_files=("src/checkout/tax.ts", "src/checkout/tax.test.ts"),
)


def test_the_golden_file_is_read_and_written_to_the_character() -> None:
    assert parse_memory(GOLDEN) == MEMORY
    assert render_memory(MEMORY) == GOLDEN


@given(memory_files)
def test_a_memory_comes_back_as_it_was(memory: MemoryFile) -> None:
    text = render_memory(memory)
    assert parse_memory(text) == memory
    assert render_memory(parse_memory(text)) == text


@given(nearly(memory_files, render_memory) | hostile())
def test_any_text_is_refused_or_understood(text: str) -> None:
    settled(text, parse_memory, render_memory)


FOREIGN = """\
# Tax service migration

Written by hand.

## GOAL:
Move it.

```md
## Learnings
- not one
```

## Learnings (2)
* one
lazy
* two

  with a paragraph

- three
  - nested

A sentence.
1. first
2. second

## Next
- order

## Open questions
## Key files
- `src/a b.ts`
- `src/c.ts` - the client
## Learnings
- four"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_another_tools_memory_is_read(line_end: str) -> None:
    assert parse_memory(FOREIGN.replace("\n", line_end)) == MemoryFile(
        title="Tax service migration",
        preamble="Written by hand.",
        goal="Move it.\n\n```md\n## Learnings\n- not one\n```",
        learnings=(
            "one\nlazy", "two\n\nwith a paragraph", "three\n- nested",
            "A sentence.", "1. first", "2. second", "four",
        ),
        key_files=("src/a b.ts", "`src/c.ts` - the client"),
        extra=(Section(heading="Next", text="- order"),),
    )  # fmt: skip


def test_a_title_or_a_section_is_enough() -> None:
    assert parse_memory("# Memory: x\nBy hand.\n") == MemoryFile(title="x", preamble="By hand.")
    assert parse_memory("## Goal\nMove it.\n") == MemoryFile(title="", goal="Move it.")
    assert parse_memory("## Goal\nMove it.\n## Goal\nAll of it.\n").goal == "Move it.\n\nAll of it."


def test_an_unclosed_fence_swallows_nothing() -> None:
    memory = parse_memory("# Memory: x\n\n## Goal\n```\nunclosed\n\n## Confidence Level\nLow\n")
    assert (memory.goal, memory.confidence) == ("```\nunclosed", "Low")


def test_invalid_memories_are_refused() -> None:
    with pytest.raises(FormatError, match="neither a title nor a section"):
        parse_memory("just text\n\n## Chapter\n")


KILN = Facts(
    lines=40,
    cwd="/work/kiln",
    turns=(turn(1, "Build a kiln, never with lead", "Built. All tests pass."),),
    todos=(todo("dig", "completed", 5), todo("fire", "completed", 6)),
    commands=(ran("pytest -q", 8),),
    modified_files=(changed("/work/kiln/a.py", 4), changed("/work/kiln/b.py", 5, times=3)),
)


WELL, DONE = "the last check went well: pytest -q (L8)", "2 of 2 tasks ticked by Claude (L6)"
SINCE = f"{WELL[:-1]}; at least 1 file changed since)"


def test_the_draft_quotes_and_names_its_lines() -> None:
    facts = replace(KILN, answers=(answer("Which clay?", "red", 3),), landmarks=(commit("dig", 7),))
    memory = draft_memory(facts)
    assert memory.title == "Build a kiln, never with lead"
    assert memory.goal == '"Build a kiln, never with lead" (first asked, L1)'
    assert memory.learnings == (
        'red: the user\'s answer to "Which clay?" (L3)',
        "committed dig (abc1234) (L7)",
        "Ticked by Claude: dig (L5); fire (L6)",
        "No command on record pushes",
        "`pytest -q`: ok (L8)",
    )
    assert memory.questions == ()
    asked = replace(facts, turns=(turn(1, "Build a kiln", "Built. Shall I fire it?"),))
    assert draft_memory(asked).questions == ('Claude asked (L2): "Shall I fire it?"',)
    stopped = replace(facts, turns=(turn(1, "Build a kiln", end="interrupted"),))
    assert draft_memory(stopped).questions == (
        "The last turn was interrupted (L1)",
        'asked (L1): "Build a kiln"',
    )
    running = replace(facts, turns=(*asked.turns, turn(9, "yes, fire it", end="running")))
    asking = 'last asked (L9): "yes, fire it" (after "Shall I fire it?")'
    assert draft_memory(running).questions == (asking,)
    more = replace(stopped, turns=(*asked.turns, turn(9, "yes, fire it", end="interrupted")))
    assert draft_memory(more).questions == ("The last turn was interrupted (L9)", asking)
    assert memory.key_files == ("b.py", "a.py")
    assert memory.extra[0].text.endswith(
        "- L2 Claude, before later edits: Built. All tests pass.\n- L1 User: Build a kiln, never with lead"
    )
    assert parse_memory(render_memory(memory)) == memory


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, f"High — {WELL}; {DONE}"),
        ({"commands": ()}, f"Medium — {DONE}"),
        ({"todos": ()}, f"Medium — {WELL}"),
        ({"todos": (todo("dig", "pending", 9),)}, f"Medium — {WELL}; 1 task or step open (L9)"),
        (
            {"commands": (ran("pytest -q", 8, "failed", "Error: no clay"),)},
            f'Low — the last check failed: pytest -q (L8): output "Error: no clay"; {DONE}',
        ),
        (
            {"turns": (turn(1, "Build", end="interrupted"),)},
            f"Low — the last turn was interrupted (L1); {WELL}; {DONE}",
        ),
        ({"turns": (turn(1, "Build", end="running"),)}, f"Medium — {WELL}; {DONE}"),
        ({"modified_files": (changed("/work/kiln/a.py", 9),)}, f"Medium — {SINCE}; {DONE}"),
        (
            {"modified_files": (replace(changed("/work/kiln/a.py", 3, 2), last=at(9)),)},
            f"Medium — {SINCE}; {DONE}",
        ),
        (
            {"last_action": Action("Bash", "make", "background", "", source=at(9))},
            f"Medium — {WELL}; {DONE}",
        ),
    ],
)
def test_confidence_follows_its_rule(changes: dict[str, object], expected: str) -> None:
    assert draft_memory(replace(KILN, **changes)).confidence == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "level"),
    [
        ("git checkout -- edited.py", "Medium"),
        ("sed -i s/a/b/ edited.py", "Medium"),
        ("mv edited.py gone.py", "Medium"),
        ("sed -i s/a/b/ written.py", "Medium"),
        ("rm read.py", "Medium"),
        ("rm unseen.py", "Medium"),
        ("cat edited.py", "High"),
    ],
)
def test_a_command_that_changes_a_file_after_the_check_is_seen(
    tmp_path: Path, command: str, level: str
) -> None:
    s = Transcript()
    s.user("Make it fast")
    s.tool("TodoWrite", todos=[{"content": "Make it fast", "status": "completed"}])
    s.tool("Read", file_path="/work/app/read.py")
    s.edit("/work/app/edited.py")
    s.tool("Bash", command="tee written.py < draft.py")
    s.tool("Bash", "3 passed", command="pytest -q")
    s.tool("Bash", command=command)
    s.say("Done.")
    assert draft_memory(s.facts(tmp_path)).confidence.partition(" ")[0] == level


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Move the tax rates", "Move the tax rates"),
        (
            "Let the nightly import of the stock run in minutes and no more",
            "Let the nightly import of the stock run in minutes and no…",
        ),
    ],
)
def test_a_long_title_is_cut_at_a_word(said: str, title: str) -> None:
    assert draft_memory(Facts(title=said)).title == title


def test_the_summary_says_what_was_done_in_the_words_of_commits_and_never_of_tasks() -> None:
    back = replace(changed("src/b.ts", 7, fate="put back"), last=at(9))
    facts = Facts(
        title="Migrate the tax",
        todos=(todo("Round per line", "completed"), todo("Renew the keys", "pending")),
        landmarks=(commit("one", 5, superseded="rebase"), *(commit(t, 6) for t in ("two", "three", "four"))),
        modified_files=(changed("src/tax.ts"), changed("/home/u/.claude/plans/tax.md"), back),
    )
    assert draft_summary(facts) == ("Migrate the tax. Last committed: two; three; four.")
    assert draft_summary(replace(facts, landmarks=())) == "Migrate the tax. Changed 2 files."
    assert draft_memory(facts).key_files == ("src/tax.ts",)
