"""`memtui mod`: what the plugin's mod asks, and what a model's answer comes to."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.project import Home, Project, claude_config, memtui_home, transcript_slug
from memtui.hooks.records import read_runs
from memtui.lost.outbox import NOTE, PINS, RESCUE, Message, Outbox, has_delivery, has_mod
from tests.cli.conftest import Memtui
from tests.lost.made import SUMMARY, session

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
RULES = (
    "Never rename warehouse_north before its seventeen suppliers have answered, whatever demands come.",
    "Only Berta restarts customer_import, because nightly batches overlap with other people's spreadsheets.",
    "Do not archive invoice_2019, which auditors visit until spring; ask legal about older ones.",
)
Ask = Callable[..., Any]


@pytest.fixture
def home() -> Home:
    return memtui_home()


@pytest.fixture
def ask(memtui: Memtui, monkeypatch: pytest.MonkeyPatch, project: Project) -> Ask:
    made = session()
    made.user("Never touch the folder tax_old.\nOnly Ann changes vat_rates.csv.")
    made.user("\n".join(RULES))
    for number in range(5):
        made.user(f"Never touch the table warehouse_{number}, as team {number} owns it.")
    folder = claude_config() / "projects" / transcript_slug(project.root)
    path = str(made.write(folder, f"{SESSION}.jsonl"))

    def asked(event: str, **given: Any) -> Any:
        text = json.dumps({"session": SESSION, "transcript": path, **given})
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        result = memtui("mod", event)
        return json.loads(result.out) if result.code == 0 else result.err

    return asked


def configured(home: Home, text: str) -> None:
    home.config.mkdir(parents=True, exist_ok=True)
    (home.config / "config.toml").write_text(text)


def test_a_start_says_where_hand_overs_wait_and_who_chooses(ask: Ask, home: Home) -> None:
    started = ask("start")
    assert started == {"event": "start", "outbox": str(Outbox(home, SESSION).folder), "way": ""}
    assert has_mod(home, SESSION)
    assert ask("choose", way="small")["way"] == "small"
    assert ask("before")["way"] == "small"
    configured(home, '[compaction]\nchoice = "no"\n')
    assert ask("choose", way="own")["way"] == "no"  # the file counts
    configured(home, '[compaction]\nchoice = "claude"\n')
    assert '[compaction] choice must be "small", "own" or "no"' in ask("start")
    assert "a choice is made by small, own or no" in ask("choose", way="everybody")


def test_only_the_small_model_is_given_the_summary(ask: Ask, home: Home) -> None:
    configured(home, '[compaction]\nchoice = "own"\n')
    before, after = ask("before"), ask("ask", summary=SUMMARY)
    assert SUMMARY.splitlines()[0] in after["prompt"]
    assert SUMMARY.splitlines()[0] not in before["prompt"]
    for asked in (before, after):
        assert "R 4 17 / S 33 / F 8" in asked["prompt"]
        assert ". rule Never touch the table warehouse_4, as team 4 owns it. (L" in asked["prompt"]
        assert asked["prompt"].count("\n") > len(asked["keys"]) > 5


def test_lines_read_together_are_found_again_when_the_summary_has_one_of_them(ask: Ask, home: Home) -> None:
    configured(home, '[compaction]\nchoice = "own"\n')
    question = ask("before")
    reply = {"isAnswered": True, "text": f"R {numbers_of(question['prompt'], 'tax_old')[0]}"}
    assert numbers_of(question["prompt"], "tax_old") == numbers_of(question["prompt"], "vat_rates.csv")
    summary = f"{SUMMARY}\n- Never touch the folder tax_old."
    answer = ask("note", summary=summary, asked={"way": "own", "keys": question["keys"], "reply": reply})
    assert "vat_rates.csv" in answer["note"]
    assert "tax_old" not in answer["note"]


def test_a_model_sees_each_of_the_lines_that_are_read_together(ask: Ask, home: Home) -> None:
    configured(home, '[compaction]\nchoice = "own"\n')
    prompt = ask("before")["prompt"]
    assert len({*numbers_of(prompt, "suppliers", "batches", "auditors")}) == 1


def numbers_of(prompt: str, *words: str) -> list[str]:
    lines = [line for line in prompt.splitlines() if line[:1].isdigit()]
    return [next(line for line in lines if word in line).split(".")[0] for word in words]


@pytest.mark.parametrize(("way", "name"), [("small", "haiku"), ("own", "this session's model")])
def test_what_a_model_chooses_is_quoted_and_nothing_else(ask: Ask, home: Home, way: str, name: str) -> None:
    configured(home, f'[compaction]\nchoice = "{way}"\n')
    summary = f"{SUMMARY}\n- never touch warehouse_3, the table of team 3"
    question = ask("before") if way == "own" else ask("ask", summary=summary)
    words = ("warehouse_1", "warehouse_3") if way == "own" else ("warehouse_1",)
    text = f"R {' '.join(numbers_of(question['prompt'], *words))}"
    usage = {"input_tokens": 11_000, "output_tokens": 4, "cache_read_input_tokens": 900}
    reply = {"isAnswered": True, "text": text, "usage": usage}
    answer = ask("note", summary=summary, asked={"way": way, "keys": question["keys"], "reply": reply})
    assert "warehouse_1" in answer["note"]
    assert "warehouse_3" not in answer["note"]  # the summary has it
    assert "warehouse_4" not in answer["note"]
    assert [row["n"] for row in answer["rows"] if row["handed_over"]]
    assert f"1 handed over, chosen by {name} for 11,004 tokens and 900 of its cache (/lost)" in answer["line"]
    assert has_delivery(home, SESSION, datetime.now(UTC))  # noqa: TID251 - compared with a file's time


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (None, "no answer within 20 seconds"),
        ({"isAnswered": True, "text": "The rules."}, "its answer is no choice"),
        ({"isAnswered": True, "text": "R 1 2 9999"}, "its answer is no choice"),
        ({"isAnswered": True, "text": "R " + "1" * 5_000}, "its answer is no choice"),
        ({"isAnswered": True, "text": ""}, "its answer is no choice"),
        ({"isAnswered": False, "reason": "api-error", "status": 400}, "api-error 400"),
        ({"isAnswered": False, "reason": "aborted"}, "no answer within 20 seconds"),
        ({"reason": "haiku is not allowed"}, "haiku is not allowed"),
        ({"isAnswered": False, "usage": {"input_tokens": "many"}}, "no answer"),
    ],
)
def test_any_other_answer_leaves_the_choice_to_the_structure(ask: Ask, reply: Any, why: str) -> None:
    keys = ask("ask", summary=SUMMARY)["keys"]
    plain = ask("note", summary=SUMMARY)
    answer = ask("note", summary=SUMMARY, asked={"way": "small", "keys": keys, "reply": reply})
    assert plain["note"]
    assert answer["note"] == plain["note"]
    assert f", without haiku: {why} (/lost)" in answer["line"]


def test_none_is_an_answer(ask: Ask) -> None:
    keys = ask("ask", summary=SUMMARY)["keys"]
    reply = {"isAnswered": True, "text": "none"}
    answer = ask("note", summary=SUMMARY, asked={"way": "small", "keys": keys, "reply": reply})
    assert answer["note"] == ""
    assert "0 handed over, chosen by haiku (/lost)" in answer["line"]


def test_what_waits_is_taken_once_and_logged(ask: Ask, home: Home) -> None:
    outbox = Outbox(home, SESSION)
    pins = outbox.put(Message(PINS, "## Pinned by the user", unless="0a1b2c3d"))
    outbox.put(Message(RESCUE, "the ferry is late", rows=2))
    outbox.put(Message(NOTE, "the lake is deep", rows=1))
    text = ask("waiting")["text"]
    assert "the ferry is late" in text
    assert "the lake is deep" in text
    assert "Pinned" not in text  # a hook looks whether they have arrived
    assert [each.path for each in outbox.waiting()] == [pins.path]
    assert ask("waiting")["text"] == ""
    last = read_runs(home.hook_log)[-1]
    assert last.event == "mod"
    assert "handed over 2 chosen lines; handed over 1 line that the summary left out; " in last.detail


def test_a_transcript_that_is_gone_is_named(ask: Ask, tmp_path: Path) -> None:
    said = ask("note", transcript=str(tmp_path / "gone.jsonl"), summary=SUMMARY)
    assert "gone.jsonl" in said
