"""The objective of a recovery text."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.objective import objective
from memtui.reading.facts import Facts
from memtui.reading.records import Prompt, Source, Todo
from tests.transcripts import Transcript


def of(text: str, *later: str, **facts: object) -> str:
    prompts = tuple(
        Prompt(each, "typed", Source(timestamp=str(at))) for at, each in enumerate((text, *later))
    )
    return objective(Facts(prompts=prompts, first_prompt=text, **facts))  # type: ignore[arg-type]


WISH = "The basket should keep its articles when the page is loaded again, on every device that we support."
PLAN = "\n1. read the store\n2. write it\n3. test it"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{WISH} And do not use cookies for it. My plan:{PLAN}", f"{WISH} And do not use cookies for it."),
        (f"Do this to the basket:{PLAN}", "Do this to the basket: read the store; write it; test it"),
        (f"{WISH}\n2026-03-01T10:00:11Z ERROR worker died\nWhy is that?", f"{WISH} Why is that?"),
        (f"{WISH}\n```\nprint(1)\n```\nAdd **tests** - many.", f"{WISH} Add tests - many."),
        (f"You are a build agent for the shop. {WISH}", f"You are a build agent for the shop. {WISH}"),
        (f"You are an expert in building shops. {WISH}", WISH),
        (f"/fix-issue 42 {WISH}", f"/fix-issue 42 {WISH}"),
    ],
)
def test_sentences_of_the_first_request(text: str, told: str) -> None:
    assert of(text) == told


@pytest.mark.parametrize(
    ("text", "later", "told"),
    [
        (
            "コミットして",
            ["プッシュして", "mainにPR経由でマージしたい"],
            " — then: mainにPR経由でマージしたい",
        ),
        (
            "look at the flaky login test",
            ["look at the flaky test", "and tell me why it fails at night"],
            " — then: and tell me why it fails at night",
        ),
        ("スライドのページはどう作られている？", ["毎日一回実行したいです"], ""),
    ],
)
def test_a_few_words_are_told_with_what_came_next(text: str, later: list[str], told: str) -> None:
    assert of(text, *later) == f"{text}{told}"


def test_a_bare_command_is_told_with_its_first_task() -> None:
    told = of("/ship", todos=(Todo("Hold the lock", "pending"), Todo("Test it", "pending")), branch="lock")
    assert told == "/ship (branch lock) — its first task: Hold the lock"


def test_of_a_subagents_transcript_it_is_the_task(tmp_path: Path) -> None:
    s = Transcript()
    s.envelope |= {"isSidechain": True, "agentId": "a1"}
    s.user(
        [
            {
                "type": "text",
                "text": "Find out how the scheduler picks its jobs, and report the order of checks.",
            }
        ]
    )
    s.tool("Read", file_path="/work/app/jobs.py")
    s.user("more for the subagent")
    facts = s.facts(tmp_path)
    assert objective(facts) == "Find out how the scheduler picks its jobs, and report the order of checks."
    assert facts.prompts == ()


def test_a_session_after_a_subagents_lines_has_no_task(tmp_path: Path) -> None:
    s = Transcript()
    s.user("the subagent's task", isSidechain=True, agentId="a1")
    s.say("Hello")
    assert s.facts(tmp_path).first_prompt == ""
