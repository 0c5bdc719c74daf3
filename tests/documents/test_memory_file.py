from __future__ import annotations

import pytest
from hypothesis import given

from memtui.documents.format import Section
from memtui.documents.memory_file import MemoryFile, parse_memory, render_memory
from memtui.ground.text import FormatError
from tests.documents.checks import settled
from tests.documents.data import golden
from tests.documents.strategies import hostile, memory_files, nearly

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
            "one\nlazy",
            "two\n\nwith a paragraph",
            "three\n- nested",
            "A sentence.",
            "1. first",
            "2. second",
            "four",
        ),
        key_files=("src/a b.ts", "`src/c.ts` - the client"),
        extra=(Section(heading="Next", text="- order"),),
    )


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
