"""Parts that their writer marked as private are left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.secrets.private import line_may_hold_private, split_private, without_private, without_private_in
from tests.documents.checks import ends_soon

SECRET = "the-word-nobody-may-read"
FORMS = [
    f"<private>{SECRET}</private>",
    f"<PRIVATE>{SECRET}</Private>",
    f"< private reason='x'\n>{SECRET}< / private >",
    f"\uff1cprivate\uff1e{SECRET}\uff1c/private\uff1e",
    f"<private>a <private>{SECRET}</private> {SECRET}</private>",
    f"Foo<Private>{SECRET}</private>",
    f"<private/>{SECRET}</private>",
]
UNCLOSED = [f"<private>{SECRET}", f"\n<Private>{SECRET}", f"x<private>{SECRET}", f"<private {SECRET}"]


@pytest.mark.parametrize("form", [*FORMS, *UNCLOSED])
def test_no_form_gets_through(form: str) -> None:
    rest = without_private(f"before {form} behind")
    assert SECRET not in rest
    assert rest.startswith("before ")
    assert rest.endswith("[private] behind" if form in FORMS else "[private]")
    assert SECRET not in repr(without_private_in({f"before {form}": [{"text": form}, form, "a"]}))
    for ascii_only in (True, False):
        assert line_may_hold_private(json.dumps(form, ensure_ascii=ascii_only).encode())


@pytest.mark.parametrize(
    "text",
    [
        "private final int x = a < b;", "</private> only the end", "class A { private List<String> a; }",
        "Task<Private> Load(string id); // and the rest", "a Map<Private, int> b",
        "std::vector<Private> items;", "unique_ptr<Private>(x)", "<Private />\n<Other/>", "List<Private>, ok",
        "<privately>x</privately>", "<private-key>x</private-key>", "if (a <private_b) {}", "",
    ],
)  # fmt: skip
def test_other_text_stays(text: str) -> None:
    assert without_private(text) == text


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


@given(st.lists(st.sampled_from(["<", "</", "private", "PRIVATE", ">", "/>", " ", "x", "\n"])).map("".join))
def test_the_rest_has_no_private_parts(text: str) -> None:
    rest = without_private(text)
    assert without_private(rest) == rest


@pytest.mark.parametrize("piece", ["<", "< ", "<private ", "</private", "ab<Private>"])
def test_many_beginnings_take_no_time(piece: str) -> None:
    ends_soon(without_private, piece * 10_000)
