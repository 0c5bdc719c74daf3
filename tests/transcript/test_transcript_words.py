"""The words in user lines by their shape; whole sessions are in tests/transcript/test_prompts.py."""

from __future__ import annotations

import pytest

from memtui.transcript.events import agent_of, events
from memtui.transcript.words import queued_words, text_words, user_words


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("<command-name>/compact</command-name>", "machine", "/compact"),
        ("<command-name>/clear</command-name><command-args>all</command-args>", "machine", "/clear all"),
        (
            "<command-name>/compact</command-name><command-args>ids</command-args>",
            "local command",
            "/compact ids",
        ),
        ("<command-message>fix</command-message><command-name>fix</command-name>", "command", "/fix"),
        (
            "<command-message>x</command-message><command-name>/x</command-name><skill-format>",
            "command",
            "/x",
        ),
        ("<command-message>x</command-message><command-name>x</command-name><skill-format>", "machine", ""),
        ("<command-message>x</command-message><command-name>/x", "machine", ""),
        ("<bash-input></bash-input>", "shell", ""),
    ],
)
def test_tagged_texts(text: str, kind: str, words: str) -> None:
    assert text_words(text) == (kind, words)


@pytest.mark.parametrize(
    ("text", "words"), [("/compact", ""), ("/compact ids", "/compact ids"), ("/clear x", "")]
)
def test_queued_commands_of_the_program_itself_have_no_words(text: str, words: str) -> None:
    assert queued_words(text) == words


def test_a_notification_is_the_text_of_its_blocks() -> None:
    record = {"origin": {"kind": "task-notification"}, "message": {"content": [_text("a"), 5, _text("b")]}}
    assert user_words(record) == ("notification", "a\nb")


@pytest.mark.parametrize(
    ("agent", "name"), [("a1", "a1"), ("", "subagent"), (5, "subagent"), (None, "subagent")]
)
def test_a_subagent_without_a_name_is_one_all_the_same(agent: object, name: str) -> None:
    assert agent_of({"isSidechain": True, "agentId": agent}) == name
    message = {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
    }
    data = {"type": "agent_progress", "agentId": agent, "message": message}
    (event,) = events({"type": "progress", "data": data})
    assert event.agent == name  # type: ignore[union-attr]
