"""A session as HTML or Markdown: complete, and it never runs or loads anything."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memtui.documents.session_page import code_span, contained, fenced, session_html, transcript_markdown
from memtui.transcript.blocks import Block, blocks
from memtui.transcript.lines import read_lines
from tests.app.hostile import PAYLOADS
from tests.app.widgets.records import call, result, said, text, user, write

_VOID = {"meta", "br", "hr"}
_ALLOWED = re.compile(
    r"html|head|title|style|body|header|main|nav|section|div|p|h[1-6]|details|summary|pre|code|span|b|a|time|mark"
    r"|ol|ul|li|strong|em|table|thead|tbody|tr|th|td|blockquote|meta|br|hr"
)
_ATTRIBUTES = re.compile(r"lang|charset|http-equiv|content|name|dir|class|id|href|open|start")


class Checker(HTMLParser):
    """Elements close in their order, and only known ones with known attributes occur."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert _ALLOWED.fullmatch(tag), tag
        for name, value in attrs:
            assert _ATTRIBUTES.fullmatch(name), name
            if name == "href":
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")
        if tag not in _VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.stack:
            self.words.append(data)


def page(path: Path) -> tuple[str, Checker]:
    found = ((line.number, block) for line in read_lines(path) for block in blocks(line))
    made = "".join(session_html("The name", ["A note"], found))
    checker = Checker()
    checker.feed(made)
    checker.close()
    assert checker.stack == []
    assert len(set(checker.ids)) == len(checker.ids)
    return made, checker


@pytest.mark.parametrize("payload", [*PAYLOADS.values(), "</pre></details><script>alert(1)</script>"])
def test_no_text_becomes_an_element(tmp_path: Path, payload: str) -> None:
    path = write(
        tmp_path / "t.jsonl",
        user(payload),
        said(text(payload), {"type": "thinking", "thinking": payload}),
        said(call(payload, command=payload, **{payload: payload})),
        result(payload, failed=True),
        said(call("Edit", file_path=payload, old_string="a", new_string=payload)),
        result(payload),
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": payload}},
        said({"type": "image", "source": {"data": "x", "media_type": payload}}),
    )
    page(path)


def test_a_page_loads_and_runs_nothing(tmp_path: Path) -> None:
    words = "![p](https://e.com/p.png) [a](javascript:alert(1)) [b](https://e.com) [c](file:///p) <img src=x>"
    words += "\nb\n\n---"
    made, checker = page(write(tmp_path / "t.jsonl", user("go"), said(text(words))))
    assert set(checker.links) == {"#L1", "#L2", "https://e.com", "https://e.com/p.png"}
    assert "src=" not in re.sub(r"&lt;[^<]*&gt;", "", made)
    style = re.search(r"<style>(.*?)</style>", made, re.DOTALL)
    assert style is not None
    name = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{name}'; base-uri 'none'" in made
    assert "url(" not in style[1] and "@import" not in style[1]


def test_everything_that_was_said_and_done_is_there(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.jsonl",
        user("どうして <b> & so\nשלום עולם"),
        said({"type": "thinking", "thinking": "I think"}, text("**Yes**, `x < y`")),
        said(call("Edit", file_path="/p/src/a.py", old_string="the old word", new_string="the new word")),
        result("updated"),
        said({**call("Bash", command="make test\nmake lint"), "id": "b"}),
        {**result("Exit code 2\nbroken", failed=True, toolUseResult="Error: Exit code 2")},
        user("And then?", timestamp="2026-01-03T10:15:00.000Z"),
    )
    made, checker = page(path)
    words = "".join(checker.words)
    for part in (
        "どうして <b> & so\nשלום עולם",
        "I think",
        "Yes, x < y",
        "src/a.py",
        "make test\nmake lint",
        "broken",
    ):
        assert part in words
    assert '<span class="del">-the old word\n</span>' in made
    assert '<span class="add">+the new word\n</span>' in made
    assert re.findall(r'class="day">([^<]*)', made) == ["Fri 02 Jan 2026", "Sat 03 Jan 2026"]
    assert '<a href="#L7">And then?</a>' in made
    assert "2 asks" in words


def test_secrets_are_masked_in_every_place(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    edit = call("Edit", file_path=f"/p/{secret}", old_string=f"a {secret}", new_string=f"b {secret}")
    path = write(
        tmp_path / "t.jsonl",
        user(secret),
        said(text(secret), {"type": "thinking", "thinking": secret}, edit),
        result(secret),
        said(call("Bash", command=f"x={secret}\nls")),
        result(secret, failed=True),
        said(call("Task", prompt=secret, other=[secret])),
        {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": secret}},
    )
    made, _ = page(path)
    assert "ghp_" not in made
    assert made.count("[masked: github token]") > 10
    assert path.read_text().count(secret) > 10


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
