"""A second session, in another terminal: it is compacted while the demo runs, and its capture arrives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from memtui.demo.transcript import TranscriptWriter

SESSION = "a2d94f17-6e0b-4b8a-8f35-d71c09e5b268"
BRANCH = "forgiving-search"
LASTED = timedelta(minutes=18, seconds=20)
"""How long the session has been going on when the demo opens."""

PROMPT = """\
Customers who type "lifejaket" find nothing. Make the search forgive typos, but keep it under 50 ms.
Do not change the order of exact hits."""

SUMMARY = """\
This session is being continued from a previous conversation that ran out of context. The summary below \
covers the earlier portion of the conversation.

Summary:
1. Primary Request and Intent:
   The search forgives typos, stays under 50 ms and keeps the order of exact hits.

3. Files and Code Sections:
   - src/search/fuzzy.ts: trigram similarity, only when nothing matches exactly

7. Pending Tasks:
   - Measure with the 2,000 most frequent queries of last month
"""


def play(session: TranscriptWriter, root: str) -> Iterator[None]:
    """Everything up to the compaction, scene by scene."""
    query, fuzzy = f"{root}/src/search/query.ts", f"{root}/src/search/fuzzy.ts"
    session.prompt(PROMPT)
    session.read(query, "export const search = (text: string) => exact(tokens(text));\n")
    session.tasks(
        ["Similar words by trigrams", "Only when nothing matches exactly", "Measure 2,000 real queries"]
    )
    session.task(1, "in_progress")
    session.write(fuzzy, "export const similar = (word: string) => trigrams(word).limit(5);\n")
    session.bash(
        "npm test -- search",
        "Run the search tests",
        " FAIL  tests/search.test.ts > 'bouy' finds 'buoy'\nAssertionError: expected [] to include 'buoy'\n"
        " Tests  1 failed | 33 passed (34)",
        failed=True,
    )
    yield
    session.wait(minutes=12)
    session.ask(
        "Short words have too few trigrams. How should 'bouy' find 'buoy'?",
        "Short words",
        {"Swapped letters": "Also try neighbours swapped", "Lower limit": "More hits, more noise"},
        "Swapped letters",
    )
    session.edit(fuzzy, "trigrams(word).limit(5)", "union(trigrams(word), swapped(word)).limit(5)")
    session.bash("npm test -- search", "Run the search tests", " Tests  34 passed (34)")
    session.task(1, "completed")
    session.task(2, "in_progress")
    session.edit(query, "exact(tokens(text))", "orElse(exact(tokens(text)), () => forgiving(tokens(text)))")
    session.prompt("Log the words that found nothing, without the customer's id.")
    session.edit(query, "orElse(exact", "logged(orElse)(exact")
    session.task(2, "completed")
    session.task(3, "in_progress")
    session.say(
        "Typos are forgiven when nothing matches exactly. What is left is to measure 2,000 real queries."
    )
    yield
