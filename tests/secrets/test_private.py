"""Private parts are left out, however their marks are spelled."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.secrets import private
from memtui.secrets.private import line_may_hold_private, split_private, without_private, without_private_in
from tests.documents.checks import ends_soon

SECRET = "the-word-nobody-may-read"
COUNT = 500

_WIDE = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
_CYRILLIC = str.maketrans("piae", "\u0440\u0456\u0430\u0435")
_OPEN = ("<", "\uff1c", "\u3008", "\u2039", "\u300a", "\xab", "\u27e8", "\u276e", "&lt;",
         "&LT;", "&#60;", "&#x3c;", "&#0060", "&amp;lt;", "\\u003c", "\\x3C", "%3C", "\ufe64")  # fmt: skip
_CLOSE = (">", "\uff1e", "\u3009", "\u203a", "\u300b", "\xbb", "\u27e9", "\u276f", "&gt;",
          "&GT;", "&#62;", "&#x3e;", "&#0062;", "&amp;gt;", "\\u003e", "\\x3E", "%3E", "\ufe65")  # fmt: skip
_SLASH = ("/", "\uff0f", "\u2044", "\u2215", "&sol;", "&#47;", "/ ")
_GAPS = ("", "", " ", "\u200b", "\xad", "\u2060", "\t", "\n", "\U000e0100", "\ufeff", "  \u200d ")
_ATTRIBUTES = ("", "", ' reason="a > b"', " x=1", " class='a' id=b", "\u3000lang=de", "\nnote", " hidden ")


def _word(chance: random.Random) -> str:
    word = "private"
    kind = chance.randrange(9)
    if kind == 0:
        return word.upper()
    if kind == 1:
        return "".join(chance.choice((char, char.upper())) for char in word)
    if kind == 2:
        return word.translate(_WIDE)
    if kind == 3:
        return word.translate(_CYRILLIC)
    if kind == 4:
        return "".join(f"&#{ord(char)};" for char in word)
    if kind == 5:
        return chance.choice("\u200b\u200d\xad\u2060\ufe0f\U000e0101").join(word)
    if kind == 6:
        return "".join(chr(0x1D41A + ord(char) - 97) for char in word)
    return word


def _tag(chance: random.Random, closing: bool) -> str:
    at = chance.randrange(len(_OPEN))
    slash = chance.choice(_SLASH) if closing else ""
    inner = _word(chance) + ("" if closing else chance.choice(_ATTRIBUTES))
    return _OPEN[at] + chance.choice(_GAPS) + slash + inner + chance.choice(_GAPS) + _CLOSE[at]


def form(number: int) -> tuple[str, str, str]:
    """A text with a private part, and the words before and behind it ("" when it has no end)."""
    chance = random.Random(number)
    before, behind = (
        chance.choice(("before ", "vor: ", "\u524d\u9762 ", "x")),
        chance.choice((" behind", "\nafter", "z")),
    )
    inside = SECRET
    if chance.random() < 0.3:
        inside = f"{_tag(chance, False)}{chance.choice((SECRET, 'x'))}{_tag(chance, True)} {SECRET}"
    if chance.random() < 0.2:
        return f"{before}{_tag(chance, False)}{inside}{behind}", before, ""
    return f"{before}{_tag(chance, False)}{inside}{_tag(chance, True)}{behind}", before, behind


@pytest.mark.parametrize("first", range(0, COUNT, 50))
def test_no_form_gets_through(first: int) -> None:
    for number in range(first, first + 50):
        text, before, behind = form(number)
        rest = without_private(text)
        assert SECRET not in rest, number
        assert rest.startswith(before), number
        assert rest.endswith(behind or "[private]"), number
        assert without_private_in({"message": [text]}) == {"message": [rest]}
        assert line_may_hold_private(text.encode()), number


@pytest.mark.parametrize(
    "text",
    [
        "private final int x = a < b;", "</private> only the end", "class A { private List<String> a; }",
        "Task<Private> Load(string id); // and the rest", "a Map<Private, int> b",
        "std::vector<Private> items;", "unique_ptr<Private>(x)", "vector<Private> items;",
        "<Private />\n<Other/>", "List<Private>, ok",
        "<privately>x</privately>", "<private-key>x</private-key>", "if (a <private_b) {}", "<p>rivate</p>",
        "\u300a\u8d44\u6cbb\u901a\u9274\u300b \xab\u041f\u0440\u0438\u0432\u0435\u0442\xbb &lt;b&gt; %20",
        "\\u001b[2m", "",
    ],
)  # fmt: skip
def test_other_text_stays(text: str) -> None:
    assert without_private(text) == text


@pytest.mark.parametrize(
    "word",
    ["pr\u0131vate", "PR\u0130VATE", "\u13e2\u13a1\u13a5\u13d9\u13aa\u13a2\u13ac", "\uabb2rivate",
     "\u03c1\u0433\u0456\u03bd\u03b1\u03c4\u03b5"],
)  # fmt: skip
def test_letters_of_other_scripts_hide_nothing(word: str) -> None:
    text = f"before <{word}>{SECRET}</{word}>"
    assert without_private(text) == "before [private]"
    assert line_may_hold_private(text.encode())


@pytest.mark.parametrize(
    "tag",
    [
        "<\x1b[31mprivate\x1b[0m>", "\x1b[1m<private>\x1b[m", "<pri\x1b[38;5;9mvate>", "<\x9b1mprivate>",
        "<prx\bivate>", "<pxy\b\brivate>", "<\u241b[31mprivate>", "<\x1b]8;;x\x07private>", "<p\bprivate>",
    ],
)  # fmt: skip
def test_colour_codes_and_backspaces_hide_no_tag(tag: str) -> None:
    text = f"before {tag}{SECRET}</private>, behind"
    assert SECRET not in without_private(text)
    assert without_private(text).endswith("</private>, behind") is False
    assert without_private(text).endswith(", behind")
    assert line_may_hold_private(json.dumps({"text": text}).encode())


@pytest.mark.parametrize(
    "text",
    [
        "word<Private>x",
        "a word<Private> the x",
        "Foo<Private>x",
        "see<Private>\nx",
        "Foo<private>x",
        "see <Private>x",
        "Foo<Private>x</private>",
        "<private/>x</private>",
    ],
)
def test_tags_that_only_look_like_code_are_private(text: str) -> None:
    assert "x" not in without_private(text)


def test_a_message_that_is_private_as_a_whole_is_empty() -> None:
    assert without_private(" <private>a</private>\n<PRIVATE>b") == ""


def test_an_open_part_reaches_into_the_next_piece() -> None:
    assert split_private("a <private>b") == ("a [private]", 1)
    assert split_private("c</private> d", 1) == (" d", 0)
    blocks = [
        {"type": "text", "text": "a <private>b"},
        {"type": "image"},
        {"type": "text", "text": "c </private>d"},
    ]
    assert without_private_in(blocks) == [
        {"type": "text", "text": "a [private]"}, {"type": "image"}, {"type": "text", "text": "d"},
    ]  # fmt: skip


@given(st.text())
def test_the_rest_has_no_private_parts(text: str) -> None:
    rest = without_private(text)
    assert without_private(rest) == rest


@pytest.mark.parametrize(
    "text",
    [
        "private List<String> a, b", "<p>private</p> <b>", "a < b && private", "</private>",
        "\u001b[2m 100 % private \u2192",
    ],
)  # fmt: skip
def test_a_line_without_a_tag_is_not_looked_through(text: str) -> None:
    assert not line_may_hold_private(json.dumps(text, ensure_ascii=False).encode())


@given(
    st.lists(st.sampled_from([*_OPEN, *_GAPS, *"privateP/ >%&\\x", "&#112;", "\u0440", "private", "privat"])),
    st.booleans(),
)  # fmt: skip
def test_no_line_with_a_tag_is_passed_over(pieces: list[str], plain: bool) -> None:
    text = "".join(pieces)
    line = json.dumps({"text": text}, ensure_ascii=plain).encode()
    assert line_may_hold_private(line) or without_private(text) == text


@pytest.mark.parametrize(
    "piece",
    ["<", "< ", "&lt;", "<private ", "</private", "&amp;", "\xab\u200b", "%25", "<\u200b", "ab<Private>"],
)
def test_many_beginnings_take_no_time(piece: str) -> None:
    ends_soon(without_private, piece * 10_000)


_FRAGMENTS = (
    "<", "&lt;", "%3C", "\uff1c", "\\u003c", "\u2039", "private", "PRI", "vate", "\uff50rivate", "&#112;",
    "%70", "\\x70", "\x1b[0m", "\x08", "q\x08", "\u200b", "\x00", "\u0440", ">", " ", "\n", "\\", "&", "%",
    "/", "\x1b]8;;x\x07", "\\u0070", "\\\\u003c", "&amp;", "\u00e9", "\u2713", "text",
)  # fmt: skip


def _checked_in_full(line: bytes) -> bool:
    line = private._without_controls(line)
    return private._may_begin_tag(line) and private._may_spell_word(line)


@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=12).map("".join), st.booleans())
def test_the_quick_check_of_a_line_misses_nothing(text: str, ascii_only: bool) -> None:
    line = json.dumps({"text": text}, ensure_ascii=ascii_only).encode()
    assert line_may_hold_private(line) == _checked_in_full(line)
    if without_private(text) != text:
        assert line_may_hold_private(line)


def test_the_quick_check_passes_every_hostile_form() -> None:
    for number in range(COUNT):
        text, _, _ = form(number)
        for ascii_only in (True, False):
            line = json.dumps({"text": text}, ensure_ascii=ascii_only).encode()
            assert line_may_hold_private(line), text
