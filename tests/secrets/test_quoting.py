"""Claude Code's own tags are removed from quoted text, however they are spelled."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.secrets.folding import folded
from memtui.secrets.quoting import fenced, harmless
from tests.documents.checks import ends_soon

NAMES = [
    "system-reminder",
    "system_reminder",
    "system",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "teammate-message",
    "agent-message",
    "agent-notification",
    "cross-session-message",
    "channel",
    "tick",
    "channel-message",
    "fork-boilerplate",
    "mcp-resource-update",
    "mcp-polling-update",
    "github-webhook-activity",
    "background-task",
    "background-task-output",
    "new-diagnostics",
    "tool_use_error",
    "user-memory-input",
    "persisted-output",
    "user-prompt-submit-hook",
    "session-start-hook",
    "ide_selection",
    "ide_opened_file",
    "function_calls",
    "function_results",
    "claude-mem-context",
    "memtui-notes",
    "antml:invoke",
    "tool_result",
]
_PAIRS = (("<", ">"), ("\uff1c", "\uff1e"), ("\u3008", "\u3009"), ("\u2039", "\u203a"), ("\u300a", "\u300b"),
          ("&lt;", "&gt;"), ("&#60;", "&#62;"), ("&amp;lt;", "&amp;gt;"), ("\\u003c", "\\u003e"),
          ("\u276e", "\u276f"),
          ("\ufe64", "\ufe65"), ("%3C", "%3E"), ("\u27e8", "\u27e9"),
          ("\xab", "\xbb"), ("\u02c2", "\u02c3"))  # fmt: skip
_DASHES = "-\u2010\u2011\u2013\u2212\uff0d"


def spelled(name: str, number: int) -> str:
    """The name's tag in one of many spellings that are read as the same."""
    chance = random.Random(f"{name} {number}")
    opening, closing = chance.choice(_PAIRS)
    name = "".join(chance.choice(_DASHES) if char == "-" else char for char in name)
    kind = chance.randrange(6)
    if kind == 0:
        name = "".join(chance.choice((char, char.upper())) for char in name)
    elif kind == 1:
        name = "".join(chr(ord(char) + 0xFEE0) if char.isascii() else char for char in name)
    elif kind == 2:
        at = chance.randrange(1, len(name))
        hidden = chance.choice(
            ["\u200b", "\u200c", "\u2060", "\u2063", "\U000e0041", "\ufe0f", "\U000e0107", "\u034f", "\u3164"]
        )
        name = name[:at] + hidden + name[at:]
    elif kind == 3:
        name = name.translate(str.maketrans("aeocps", "\u0430\u0435\u043e\u0441\u0440\u0455"))
    elif kind == 4:
        name = "".join(
            chr(0x1D5BA + ord(char) - 97) if char.isalpha() and char.islower() else char for char in name
        )
    slash = chance.choice(("", "", "/", " / "))
    return f"{opening}{slash}{name}{chance.choice(('', '', ' ', ' a=b'))}{closing}"


@pytest.mark.parametrize("name", NAMES)
def test_every_spelling_of_a_tag_is_taken_out(name: str) -> None:
    for number in range(40):
        tag = spelled(name, number)
        assert harmless(f"a{tag}b") == "a[tag]b", tag


@pytest.mark.parametrize("tag", ["<\u017fystem-reminder>", "<tas\u212a-notification>", "<t\u0131ck>"])
def test_letters_with_an_ascii_capital_hide_no_tag(tag: str) -> None:
    assert harmless(tag) == "[tag]"


@pytest.mark.parametrize(
    "text",
    [
        "1 < 2 <b> List<String> <invoke> <T extends Channel>", "#include <system.h> if a <system && b",
        "\u300a\u7ea2\u697c\u68a6\u300b \xabsyst\xe8me\xbb ma\xf1ana na\xefve",
        "<div class='tick'>", "Map<String, Channel>",
        "100% & more \\n &nbsp; caf\xe9", "the system-reminder tag", "a <- b -> c <= d >= e << f >> g",
    ],
)  # fmt: skip
def test_other_text_stays(text: str) -> None:
    assert harmless(text) == text


@given(st.text())
def test_harmless_text_stays_as_it_is(text: str) -> None:
    once = harmless(text)
    assert harmless(once) == once


@given(st.text())
def test_folded_text_knows_where_it_comes_from(text: str) -> None:
    fold = folded(text)
    places = [fold.origin(at) for at in range(len(fold.text) + 1)]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)


@pytest.mark.parametrize("text", ["x", "```\nx\n```", "`````\n````", "a ``` b"])
def test_no_text_closes_its_fence(text: str) -> None:
    first, *inside, last = fenced(text).split("\n")
    assert first == last + "text"
    assert "\n".join(inside) == text
    assert not re.search(f"^{last}$", text, re.MULTILINE)


@pytest.mark.parametrize("piece", ["<", "<system-", "<a-", "&lt;", "<system ", "< ", "&amp;", "\uff1c"])
def test_many_beginnings_take_no_time(piece: str) -> None:
    ends_soon(harmless, piece * 10_000)
