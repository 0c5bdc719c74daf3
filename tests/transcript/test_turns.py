"""The turns of a session, the source line of every quote, the purpose of commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript.records import Facts, Source
from memtui.transcript.turns import description_of, plan_read
from tests.transcripts import SAID, STOP, Transcript, tool_result

NOTICE = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status></task-notification>"


def kinds(facts: Facts) -> list[tuple[str, str, str]]:
    return [(turn.kind, turn.ask, turn.end) for turn in facts.turns]


def closings(facts: Facts) -> list[str]:
    return [turn.closing.text if turn.closing else "" for turn in facts.turns]


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]


@lru_cache(maxsize=1)
def lines_of(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def stands(source: Source, text: str, data: bytes) -> bool:
    """Whether the record named by a source, by line and by offset, contains a text."""
    line = lines_of(data)[source.line - 1]
    assert data[source.offset : source.offset + len(line) + 1] in (line, line + b"\n"), source
    found = "\n".join(strings(json.loads(line)))
    return all(part.strip() in found for part in text.split(" … "))


def check_sources(facts: Facts, data: bytes) -> None:
    for turn in facts.turns:
        quotes = [*turn.texts, *([turn.closing] if turn.closing else [])]
        assert turn.source.line <= turn.last_line <= len(lines_of(data))
        assert all(stands(quote.source, quote.text, data) for quote in quotes), turn
        if turn.kind != "command":
            assert stands(turn.source, turn.ask, data), turn


def test_events_that_open_a_turn(tmp_path: Path) -> None:
    t = Transcript()
    t.say("Welcome back.")
    t.slash("fix", "the race")
    t.say("Fixed.")
    t.builtin("model", "opus")
    t.user("<bash-input>git status</bash-input>")
    t.user("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>")
    t.user(NOTICE)
    t.say("The build went well.")
    t.user("done", origin={"kind": "task-notification"})
    t.user("Implement the following plan:\n\n# Plan\n1. one", planContent="# Plan\n1. one")
    refused = t.call("Bash", command="npm publish")
    t.result(refused, f"{SAID}not before Friday", failed=True, detail="Error: rejected")
    t.queue("enqueue", "and the changelog")
    t.queue("remove")
    t.attachment("queued_command", prompt="also the readme", commandMode="prompt")
    t.user([tool_result("x"), {"type": "text", "text": "fine, but shorter"}])
    facts = t.facts(tmp_path)
    assert kinds(facts) == [
        ("start", "", "answered"),
        ("command", "/fix the race", "answered"),
        ("shell", "git status", "running"),
        ("notification", "", "answered"),
        ("notification", "", "running"),
        ("plan", "Implement the following plan:\n\n# Plan\n1. one", "running"),
        ("rejection", "not before Friday", "running"),
        ("queued", "and the changelog", "running"),
        ("queued", "also the readme", "running"),
        ("comment", "fine, but shorter", "running"),
    ]
    assert [turn.number for turn in facts.turns] == list(range(1, 11))
    assert facts.turns[0].source.speaker == facts.turns[3].source.speaker == "claude code"
    check_sources(facts, t.data)


def test_how_a_turn_ends(tmp_path: Path) -> None:
    t = Transcript()
    t.user("one")
    t.say("Let me see.")
    t.call("Bash", command="sleep 900")
    t.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    t.user("two")
    t.say("Working.")
    t.line("system", subtype="api_error", error={}, retryAttempt=1, maxRetries=10)
    t.user("three")
    t.line("system", subtype="api_error", error={}, retryAttempt=1, maxRetries=10)
    t.say("Done after all.")
    t.user("four")
    message = {"model": "<synthetic>"}
    t.say("API Error: 529 Overloaded", message=message, isApiErrorMessage=True)
    t.user("five")
    t.say("I begin.")
    t.call("Read", file_path="/work/app/a.py")
    facts = t.facts(tmp_path)
    assert [turn.end for turn in facts.turns] == [
        "interrupted", "api error", "answered", "api error", "running",
    ]  # fmt: skip
    assert closings(facts) == ["Let me see.", "Working.", "Done after all.", "", "I begin."]


def test_older_turns_keep_less(tmp_path: Path) -> None:
    t = Transcript()
    for number in range(60):
        t.user(f"request {number}")
        for part in range(12):
            t.say(f"{number}.{part} " + "word " * 1_000)
    facts = t.facts(tmp_path)
    assert [len(turn.texts) for turn in facts.turns] == [0] * 49 + [10] * 11
    assert facts.turns[-1].texts[0].text.startswith("59.1 ")
    assert max(len(turn.closing.text) for turn in facts.turns if turn.closing) <= 4_000
    check_sources(facts, t.data)


STEPS = st.lists(
    st.sampled_from(["user", "say", "long", "call", "edit", "stop", "error", "slash", "builtin", "bang",
                     "notice", "queue", "remove", "attached", "refuse", "blank", "junk", "compact"]),
    max_size=25,
)  # fmt: skip


def session(steps: list[str]) -> Transcript:
    t = Transcript()
    for n, step in enumerate(steps):
        take_step(t, n, step)
    return t


def take_step(t: Transcript, n: int, step: str) -> None:
    actions: dict[str, Callable[[], object]] = {
        "user": lambda: t.user(f"words {n}"),
        "say": lambda: t.say(f"text {n}"),
        "long": lambda: t.say(f"{n} " + "long " * 2_000),
        "call": lambda: t.call("Bash", command="make"),
        "edit": lambda: t.edit(f"/work/app/{n}.py"),
        "stop": lambda: t.user([{"type": "text", "text": "[Request interrupted by user]"}]),
        "error": lambda: t.say("API Error", message={"model": "<synthetic>"}, isApiErrorMessage=True),
        "slash": lambda: t.slash("fix", f"it {n}"),
        "builtin": lambda: t.builtin("model", "opus"),
        "bang": lambda: t.user("<bash-input>git pull</bash-input>"),
        "notice": lambda: t.user(NOTICE),
        "queue": lambda: t.queue("enqueue", f"queued {n}"),
        "remove": lambda: t.queue("remove"),
        "attached": lambda: t.attachment("queued_command", prompt=f"queued {n - 2}"),
        "refuse": lambda: t.result(t.call("Bash", command="rm x"), f"{SAID}no", failed=True),
        "blank": lambda: t.raw(b""),
        "junk": lambda: t.raw(b"not json"),
        "compact": t.compaction,
    }
    actions[step]()


@given(steps=STEPS)
def test_every_source_is_its_line(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    t = session(steps)
    check_sources(t.facts(tmp_path_factory.mktemp("t")), t.data)


def test_a_command_that_claude_code_carries_out_opens_none(tmp_path: Path) -> None:
    t = Transcript()
    t.user("<command-name>/deploy</command-name>\n<command-args>now</command-args>")
    facts = t.facts(tmp_path)
    assert [turn.ask for turn in facts.turns] == ["/deploy now"]
    assert facts.first_prompt == "/deploy now"
    t.user("<local-command-stdout>done</local-command-stdout>")
    assert t.facts(tmp_path).turns == ()


def test_the_words_of_a_refusal_open_a_turn_once(tmp_path: Path) -> None:
    t = Transcript()
    t.user("publish it")
    t.say("I look.")
    t.tool("Bash", command="ls")
    t.say("I think that it is ready.")
    refused = t.call("Bash", command="npm publish")
    t.result(refused, STOP, failed=True, detail="User rejected tool use")
    t.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    t.user("not before Friday")
    turns = t.facts(tmp_path).turns
    ended = {turn.ask: turn.end for turn in turns}
    assert ended == {"publish it": "interrupted", "not before Friday": "running"}
    first = turns[0]  # without what led to the refused call
    assert (first.closing, [each.text for each in first.texts]) == (None, ["I look."])


def sourced_session() -> Transcript:
    t = Transcript()
    t.user("Fix the race")
    plan = "# Plan\n1. lock\n2. test"
    shown = t.call("ExitPlanMode", plan=plan)
    t.result(shown, "User has approved your plan. You can now start coding.")
    t.tool("TodoWrite", todos=[{"content": c, "status": "pending"} for c in ("lock", "test")])
    t.edit("/work/app/lock.py")
    t.broken("Bash", "Exit code 1\nError: two at once", command="make test", description="d")
    t.edit("/work/app/lock.py")
    done = [{"content": "lock", "status": "completed"}, {"content": "test", "status": "pending"}]
    t.tool("TodoWrite", todos=done)
    t.tool("Bash", "[main abc1234] Hold the lock\n 1 file changed", command="git commit -m 'Hold the lock'")
    t.compaction()
    made = t.call("TaskCreate", subject="ship it")
    t.result(made, "Task #1 created successfully")
    asked = t.call("AskUserQuestion", questions=[{"question": "Ship today?"}])
    t.result(asked, 'User has answered: "Ship today?"="On Friday"')
    t.call("Bash", command="npm publish")
    return t


def test_records_name_their_lines(tmp_path: Path) -> None:
    t = sourced_session()
    facts = t.facts(tmp_path)
    (plan,), (file,), (error,) = facts.plans, facts.modified_files, facts.errors
    (commit,), (answer,), (compaction,) = facts.landmarks, facts.answers, facts.compactions
    assert facts.last_action is not None
    quotes = [
        (plan.source, plan.content),
        (file.source, file.path),
        (error.source, "two at once"),
        (commit.source, commit.text),
        (answer.source, answer.answer),
        (compaction.source, "Conversation compacted"),
        (compaction.summary_source, compaction.summary),
        (facts.last_action.source, facts.last_action.target),
        (facts.asked[0].source, facts.asked[0].ask),
        *((command.source, command.text) for command in facts.commands),
        *((todo.source, todo.content) for todo in facts.todos),
    ]
    assert all(stands(source, text, t.data) for source, text in quotes)
    assert (file.source.line, file.times) == (6, 2)
    speakers = [each.source.speaker for each in (plan, error, commit, answer, compaction)]
    assert speakers == ["model", "tool", "tool", "user", "claude code"]


@pytest.mark.parametrize(
    ("expansion", "described"),
    [
        ("# Fire the kiln\n\nSlowly.", "Slowly."),
        ("# /pots:kiln\n\nFire the kiln, slowly.\n\n## Usage", "Fire the kiln, slowly."),
        ("Base directory for this skill: /s/kiln\n\n# kiln\n\n焼く。", "焼く。"),
        ("Call the potter.\n", "Call the potter."),
        ("<local-command-caveat>no text</local-command-caveat>", ""),
        ("", ""),
    ],
)
def test_a_command_describes_itself(expansion: str, described: str) -> None:
    assert description_of(expansion) == described


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


@pytest.mark.parametrize(
    ("said", "typed", "answer", "question"),
    [
        ("Which one?\n1. **Round** each line\n2. Round the sum", "2", "2. Round the sum", "Which one?"),
        ("## Next steps\n\n1) Ship it\n2) Wait for Ann", "1\nand tell her", "1. Ship it", "Next steps"),
        ("A. Keep the table\nB. Drop the old table", "b.", "b. Drop the old table", ""),
        ("Which?\n1. Keep it\n   1. for now\n2. Drop it\n   1. for good", "1", "1. Keep it", "Which?"),
        ("Which one?\n1. Keep it\n2. Drop it\n\n1.5 GB are used.", "1", "1. Keep it", "Which one?"),
        ("1. I read it\n2. I ran it\n\n## Next\n1. Ship it\n2. Wait", "2", "2. Wait", "Next"),
        ("Which?\n\n**Option 1:** Keep it\n\n**Option 2:** Drop it", "try option 2.", "2. Drop it", "Which?"),
    ],
)
def test_a_typed_number_chooses_from_the_list_before_it(
    tmp_path: Path, said: str, typed: str, answer: str, question: str
) -> None:
    made = Transcript()
    made.user("how do we round?")
    made.say(said)
    made.user(typed)
    (found,) = made.facts(tmp_path).answers
    assert (found.answer, found.question) == (answer, question)


@pytest.mark.parametrize("typed", ["3", "2 of them", "no", "C", "not 1.", "1. a\n2. b", "1. Round each line"])
def test_other_words_choose_nothing(tmp_path: Path, typed: str) -> None:
    made = Transcript()
    made.user("how do we round?")
    made.say("I did:\n1. a\n2. b\n3. c\n\nNext:\n1. Round each line\n2. Round the sum")
    made.user(typed)
    assert made.facts(tmp_path).answers == ()
