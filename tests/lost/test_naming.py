from __future__ import annotations

import pytest

from memtui.lost.naming import SearchedText, Span, words

SUMMARY = """Files:
- `src/tax.ts` was changed, and src/{sum.ts, vat.ts} were read.
- lib/other/session.py did not exist.
Next: run `npm test -- tax` and fix the rounding of each line
税込みの丸めを行ごとに直す"""


@pytest.mark.parametrize(
    ("path", "name", "kept_by"),
    [
        ("src/tax.ts", "tax.ts", "src/tax.ts"),
        ("web/src/tax.ts", "tax.ts", "src/tax.ts"),
        ("src/sum.ts", "sum.ts", "- `src/tax.ts` was changed, and src/{sum.ts, vat.ts} were read."),
        ("app/sum.ts", "", ""),
        ("src/x.ts", "x.ts", ""),
        ("core/session.py", "session.py", ""),
    ],
)
def test_a_file_is_named_by_its_path_or_unique_name(path: str, name: str, kept_by: str) -> None:
    searched = SearchedText(SUMMARY)
    assert _words(searched.file(path, name)) == kept_by


@pytest.mark.parametrize(
    ("text", "kept_by"),
    [
        ("Fix the rounding of each line!", "Next: run `npm test -- tax` and fix the rounding of each line"),
        ("Fix the rounding of every total", ""),
        ("丸めを行ごとに直す", "税込みの丸めを行ごとに直す"),
        ("行ごとの税率を調べる", ""),
    ],
)
def test_a_text_is_named_by_most_of_its_words_in_one_line(text: str, kept_by: str) -> None:
    assert _words(SearchedText(SUMMARY).find_text(text)) == kept_by


def test_of_a_command_the_program_has_to_be_among_the_words() -> None:
    searched = SearchedText("- cmd/entire/cli/checkpoint/checkpoint.go was changed")
    assert searched.find_text("go build ./cmd/entire/cli/checkpoint") is not None
    assert searched.command("go build ./cmd/entire/cli/checkpoint") is None
    assert SearchedText(SUMMARY).command("npm test -- tax") is not None


def test_of_several_lines_the_one_with_most_words_is_the_evidence() -> None:
    text = "add a test for the tax\nadd a test for the tax of Spain"
    assert SearchedText(text).find_text("add a test for the tax of Spain") == Span(23, len(text))


def test_runs_of_characters_without_spaces_are_pairs() -> None:
    assert words("税込み a") == {"税込", "込み", "a"}


def _words(span: Span | None) -> str:
    return SUMMARY[span.start : span.end] if span else ""
