"""Blocks as Markdown: no text breaks what stands around it, and no secret passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memtui.documents.session_page import (
    as_it_is,
    block_markdown,
    code_span,
    contained,
    fenced,
    transcript_markdown,
)
from memtui.transcript.blocks import Block, blocks
from memtui.transcript.lines import read_lines
from tests.app.widgets.records import call, result, said, text, user, write

_PIECES = st.sampled_from(
    [
        "```",
        "````",
        "~~~",
        "`",
        "\n",
        "\n\n",
        "    ",
        "- ",
        "> ",
        "<!--",
        "<pre>",
        "<div>",
        "# ",
        "a",
        "1. ",
        "|",
    ]
)
TEXTS = st.lists(_PIECES, max_size=12).map("".join)


def parsed(markdown: str) -> list[tuple[str, int, str]]:
    return [(each.type, each.level, each.content) for each in MarkdownIt("commonmark").parse(markdown)]


@given(TEXTS)
def test_text_after_a_contained_text_is_unaffected(words: str) -> None:
    for made in (contained(words), fenced(words)):
        assert parsed(f"{made}\n\nbehind it\n")[-2] == ("inline", 1, "behind it")


@given(TEXTS)
def test_a_fence_holds_its_text(words: str) -> None:
    (found,) = parsed(fenced(words))
    assert found[0] == "fence"
    assert found[2].strip("\n").split() == words.split()


@given(st.text("`a b", min_size=1).filter(str.strip))
def test_a_code_span_holds_its_line(line: str) -> None:
    inline = MarkdownIt("commonmark").parse(code_span(line))[1]
    assert inline.children is not None
    assert [each.type for each in inline.children] == ["code_inline"]
    assert inline.children[0].content.strip() == " ".join(line.split())


_HTML = st.sampled_from(
    ["<script>", "</script>", "<img src=x onerror=alert(1)>", "<!--", "-->", "<?php", "<![CDATA[", "<b", ">"]
)


@given(st.lists(st.one_of(_PIECES, _HTML), max_size=12).map("".join))
def test_no_html_is_left_for_readers_that_allow_it(words: str) -> None:
    def kinds(tokens: list[Token]) -> set[str]:
        return {each.type for token in tokens for each in (token, *(token.children or ()))}

    read = kinds(MarkdownIt("commonmark").parse(contained(words)))
    assert not read & {"html_block", "html_inline"}


def test_html_is_text_outside_code_alone(tmp_path: Path) -> None:
    told = "See <img src=x onerror=alert(1)> and `<b>`:\n\n```\n<script>x</script>\n```\n\n<script>y</script>"
    thought = {"type": "thinking", "thinking": told, "signature": ""}
    blocks_of = all_blocks(write(tmp_path / "t.jsonl", user(told), said(text(told), thought)))
    page = MarkdownIt("commonmark").render(transcript_markdown(blocks_of))
    assert "<script" not in page and "<img" not in page and "<code>&lt;b&gt;</code>" in page
    assert page.count("&lt;script&gt;x&lt;/script&gt;") == 3
    assert "`<b>`" in transcript_markdown(blocks_of) and "\n<script>x</script>" in transcript_markdown(
        blocks_of
    )


def all_blocks(path: Path) -> list[Block]:
    return [block for line in read_lines(path) for block in blocks(line)]


@pytest.fixture
def session(tmp_path: Path) -> list[Block]:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc"
    return all_blocks(
        write(
            tmp_path / "t.jsonl",
            user("Use ghp_" + "a1B2" * 9),
            said(text("An open fence:\n\n```py\nx = 1")),
            said(call("Edit", file_path="/p/a`b.py", old_string="old", new_string=f"new\n{key}\nrest")),
            result(f"the log\n{key}"),
            said(text("The end")),
        )
    )


def test_secrets_are_masked_before_texts_are_taken_apart(session: list[Block]) -> None:
    made = transcript_markdown(session)
    assert "ghp_" not in made and "MIIEow" not in made
    assert parsed(made)[-2] == ("inline", 1, "The end")
    assert "``/p/a`b.py``" in made


def test_secrets_stay_where_a_person_says_so(session: list[Block]) -> None:
    made = "\n\n".join(block_markdown(each, as_it_is) for each in session)
    assert "ghp_" in made and made.count("MIIEow") == 2
