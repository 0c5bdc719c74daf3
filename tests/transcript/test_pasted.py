"""Pasted blocks are named, never quoted, and a list of steps does not count as pasted."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript.pasted import without_pasted
from memtui.transcript.records import Source

AT = Source(12, 3_000, "", "user")
ASK = "Please look at this, it fails since yesterday:"

DIFF = """diff --git a/src/lock.py b/src/lock.py
index 1234567..89abcde 100644
--- a/src/lock.py
+++ b/src/lock.py
@@ -1,4 +1,4 @@
 def lock():
-    return None
+    return Lock()

 # end"""
LOG = "\n".join(f"2026-01-02T10:00:0{n}Z worker {n} said something of no great interest" for n in range(6))
TRACE = """TypeError: x is undefined
    at Object.<anonymous> (/srv/app/index.js:3:11)
    at Module._compile (node:internal/modules/cjs/loader:1105:14)
    at Module.load (node:internal/modules/cjs/loader:981:32)"""
CODE = "\n".join(["```python", *(f"value_{n} = {n}" for n in range(20)), "```"])
TERMINAL = "\n".join(f"\x1b[32mok\x1b[0m step {n}" for n in range(5))
SCREEN = (
    "❯ ./run.sh\n[+] Building 1.3s\n => [internal] load\n => => sending context and other things of length"
)
NPM = "\n".join(f"npm: ERR code E40{n} while something was being installed" for n in range(5))
MANUAL = "The first thing to know about locks is that they are held by somebody. " * 60


HUNK = """-    const decoder = new TextDecoder();
-    let sentDone = false;
+    const decoder = new TextDecoder();
+    let buffer = "";
@@
-        const chunk = decoder.decode(value);"""
RUNS = """> check
> npm run db:generate && biome check . && npm run typecheck


> db:generate
> npm run db:generate:main"""
FRAME = """app/auth.ts:35:11 lint/suspicious ━━━━━━━━━━━━
    34 │     if (!response.ok) {
  > 35 │       let details;
    36 │       try {"""
SECONDS = "\n".join(
    f"158.6 npm error {text}" for text in ("Exit handler never called!", "It is npm itself.", "A log:")
)
UNFENCED = """// Current:
this.sendToSession(session, "message", content);

// Should verify the signature:
this.sendToSession(session, "message", { content });"""


@pytest.mark.parametrize(
    "block", [DIFF, LOG, CODE, TERMINAL, SCREEN, NPM, MANUAL, HUNK, RUNS, FRAME, SECONDS, UNFENCED]
)
def test_a_pasted_block_is_named_by_its_first_line_its_length_and_its_line(block: str) -> None:
    text, (pasted,) = without_pasted(f"{ASK}\n\n{block}\n\nWhat is wrong?", AT)
    first = next(line for line in block.split("\n") if line.strip("`")).strip()
    assert pasted.source == AT
    assert (pasted.lines, pasted.characters) == (block.rstrip().count("\n") + 1, len(block))
    before, name, after = text.split("\n\n")
    assert (before, after) == (ASK, "What is wrong?")
    assert name.startswith(f"[pasted at L12, {pasted.lines} line")
    assert f"{pasted.characters:,} characters: {first[:20].replace('[', '(').replace(']', ')')}" in name


def test_between_blocks_that_are_most_of_a_message_only_a_line_is_the_users() -> None:
    listing = "\n".join(["LOCAL:", *(f"  Service {n} listens somewhere" for n in range(4))])
    stop = "Press a key to stop"
    text, pasted = without_pasted(f"{LOG}\n\n{listing}\n\n{LOG}\n\nand then\n\n{LOG}\n\n{stop}\n{LOG}", AT)
    assert "Service" not in text
    assert stop not in text
    twice = f"{LOG}\n\nNow read this\n\n{LOG}\n\nNow read this\n\n{LOG}"
    assert "Now read this" not in without_pasted(twice, AT)[0]
    assert "\nand then\n" in text
    assert len(pasted) == 2


def test_lines_of_output_behind_a_block_are_not_the_users() -> None:
    end = "\n  × Some errors were emitted.\n  \n\nFound 4 errors.\nError: Process completed with exit code 1."
    text, (pasted,) = without_pasted(f"{ASK}\n{LOG}\n\n  i Safe fix\n\n{LOG}\n{end}", AT)
    assert text.startswith(f"{ASK}\n[pasted at L12, ") and "\n" not in text[len(ASK) + 1 :]
    assert text.endswith(" … Error: Process completed with exit code 1.]")
    assert pasted.lines == 21
    for own in ("NB: keep it short", "👍 go on", "Found it.\n\nUse this:\n\n    run(a)"):
        assert without_pasted(f"{ASK}\n{LOG}\n\n{own}", AT)[0].endswith(f"]\n\n{own}")


def test_three_quotation_marks_are_a_fence() -> None:
    shown = "--- FAIL: one\nit said no\nthen nothing, as it never does\nthe end of it\nFAIL"
    text, _ = without_pasted(f'{ASK}\n"""\n{shown}"""\nfix it', AT)
    assert text.startswith(f"{ASK}\n[pasted at L12, 6 lines, ") and text.endswith('… FAIL"""]\nfix it')


@pytest.mark.parametrize(
    "text",
    [
        "Fix the lock",
        "Here's my plan:\n" + "\n".join(f"{n}. do the thing number {n} in a good way" for n in range(1, 20)),
        "Please:\n" + "\n".join(f"- change the colour of panel {n} to blue" for n in range(20)),
        "Please:\n" + "\n".join(f"    - change the colour of panel {n} to blue" for n in range(20)),
        "我的计划是:\n" + "\n".join(f"{n}、修改第{n}个模块并且运行所有的测试" for n in range(1, 20)),
        "The name is wrong.\nThe size is wrong.\nThe colour is wrong.\nThe place is wrong. " * 3,
        "Use it like this, and write a test for each case that you find:\n```\nrun(a)\n```\nThat is all.",
        "I do not like it. " * 100,
        "It should say this; that is what I mean:\nfirst the one;\nthen the other;\nand last; that is all. "
        + "It is. " * 9,
        "Sections:\n1.1 the first part\n1.2 the second part\n2.1 the third part, long enough to look at. "
        * 2,
    ],
)
def test_words_and_lists_are_the_users_own(text: str) -> None:
    assert without_pasted(text, AT) == (text, ())


def test_of_a_very_long_message_the_beginning_is_kept() -> None:
    paragraphs = "\n\n".join(f"Paragraph {n} of a manual. " + "It says things. " * 30 for n in range(60))
    text, (pasted,) = without_pasted(f"{ASK}\n\n{paragraphs}", AT)
    assert text.startswith(ASK)
    assert len(text) < 2_000
    assert pasted.characters > 20_000


BLOCKS = "\n".join((DIFF, LOG, CODE, TRACE)).split("\n")
OTHERS = ["", "some words", "1. one", "- two", "\x1b[1m", "    x = 1"]
LINES = st.lists(st.sampled_from([*BLOCKS, *OTHERS]) | st.text(max_size=30))


@given(LINES)
def test_kept_text_and_named_blocks_make_up_the_message(lines: list[str]) -> None:
    message = "\n".join(lines)
    text, found = without_pasted(message, AT)
    rows = message.split("\n")
    kept = [row for row in text.split("\n") if not row.startswith("[pasted at L12, ")]
    assert len(kept) + sum(pasted.lines for pasted in found) == len(rows)
    left = iter(rows)
    assert all(row in left for row in kept)
    assert all(pasted.first_line in message for pasted in found)


def test_it_takes_time_in_proportion() -> None:
    text = "\n".join(f"[{n:x}] at x ({n}" for n in range(20_000)) + "\n\n" + "a b " * 20_000
    started = time.process_time()
    without_pasted(text, AT)
    assert time.process_time() - started < 5
