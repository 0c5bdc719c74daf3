"""The purpose of a slash command."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.quotes import user_requests
from memtui.documents.work import goal_parts, title_of
from memtui.transcript.turns import description_of, plan_read
from tests.transcripts import Transcript


@pytest.mark.parametrize(
    ("expansion", "described"),
    [
        ("---\nname: kiln\ndescription: Fires the kiln.\n---\n# Kiln\n", "Fires the kiln."),
        ("# Fire the kiln\n\nSlowly.", "Fire the kiln"),
        ("# /pots:kiln\n\nFire the kiln, slowly.\n\n## Usage", "Fire the kiln, slowly."),
        ("Base directory for this skill: /s/kiln\n\n# kiln\n\n焼く。", "焼く。"),
        ("Call the potter.\n", "Call the potter."),
        ("# kiln\n## Heat", "Heat"),
        ("<local-command-caveat>no text</local-command-caveat>", ""),
        ("", ""),
    ],
)
def test_a_command_describes_itself(expansion: str, described: str) -> None:
    assert description_of(expansion, "pots:kiln") == described


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/w/.impl/plan.md", "A kiln, plan file /w/.impl/plan.md"),
        ("/w/kiln-plan.md", "A kiln, plan file /w/kiln-plan.md"),
        ("/w/docs/plans/kiln.md", "A kiln, plan file /w/docs/plans/kiln.md"),
        ("/w/docs/planning/kiln.md", ""),
        ("/w/plants.md", ""),
        ("/w/plan.py", ""),
    ],
)
def test_a_plan_file_is_known_by_its_name(path: str, named: str) -> None:
    assert plan_read(path, "     1→# A kiln\n     2→\n     3→## Clay") == named


def test_a_command_stands_with_the_plan_that_it_read(tmp_path: Path) -> None:
    s = Transcript()
    s.slash("pots:carry-out")
    assert goal_parts(s.facts(tmp_path)) == [
        'first asked (L1): "/pots:carry-out" (Do what pots:carry-out does.)'
    ]
    s.say("Reading the plan.")
    s.tool("Read", "     1→# A kiln\n", file_path="/w/.impl/plan.md")
    s.tool("Read", "     1→# Other\n", file_path="/w/plans/other.md")
    facts = s.facts(tmp_path)
    assert goal_parts(facts) == ['first asked (L1): "/pots:carry-out" (A kiln, plan file /w/.impl/plan.md)']
    assert title_of(facts) == "A kiln"
    # None of it counts as the user's words.
    assert [ask.text for ask in user_requests(facts)] == ["/pots:carry-out"]
