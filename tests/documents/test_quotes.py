"""Quotes of messages: verbatim, newest first, with their lines."""

from __future__ import annotations

from dataclasses import replace

from memtui.documents.markdown import Section
from memtui.documents.quotes import (
    AT_WORK,
    CLAUDE,
    FIRST_LINE,
    HEADING,
    USER,
    UserRequest,
    quotes_of,
    quotes_section,
    with_fewer_quotes,
    without_source,
)
from memtui.transcript.records import Facts
from memtui.transcript.short_text import ends_of
from tests.documents.made import at, changed, ran, turn

TALK = Facts(
    turns=(
        turn(1, "Paint the lamp red", "Painted red.\n\n## Left\n- dry it", "I look at the lamp."),
        turn(10, "no, keep it green", "Green again."),
    )
)


def test_the_newest_stand_first_and_every_line_names_its_source() -> None:
    (section,) = quotes_section(TALK)
    assert section.heading == HEADING == "IN THEIR OWN WORDS"
    assert section.text == (
        f"{FIRST_LINE}\n"
        "- L11 Claude: Green again.\n"
        "- L10 User: no, keep it green\n"
        "- L1 User: Paint the lamp red"
    )
    told = (turn(1, "Paint it", "Painted red, as the can says. " * 4), *TALK.turns[1:])
    (edited,) = quotes_section(Facts(turns=told, modified_files=(changed("/w/lamp.py", 9),)))
    assert "- L2 Claude, before later edits: Painted red" in edited.text


def test_long_messages_keep_their_ends_and_all_have_a_limit() -> None:
    words = "one two three four five six seven eight nine ten"
    assert ends_of(words, 30) == "one two three … nine ten"
    lines = "first line of it\nsecond line\nthird line\nfourth line\nthe last one of all"
    assert ends_of(lines, 60) == "first line of it\nsecond line\n…\nthe last one of all"
    assert ends_of("a" * 600 + "b" * 600, 100) == "a" * 58 + " … " + "b" * 39
    assert ends_of("One sentence here. " * 300 + "\n\n", 100).startswith("One sentence here.")
    long = Facts(turns=tuple(turn(number * 9, "w " + "w" * 900, "c" * 5_000) for number in range(1, 9)))
    closings, asks = quotes_of(CLAUDE, long), quotes_of(USER, long)
    assert [len(each.text) for each in (*closings, *asks)] == [4_000] + [750] * 5 + [300] * 3
    alone = Facts(turns=(turn(1, "One sentence here. " * 100, "Ok."),))
    assert [len(quote.text) for quote in quotes_of(USER, alone)] == [1_899]
    first_steps = ["Take the old shed.", "STEP 1: Empty it", "STEP 2: Paint it", "STEP 3: Lock it"]
    steps = "\n".join([*first_steps, "Not in rain. " * 40, "Never in rain."])
    assert UserRequest(steps, at(1)).line == " ".join([*first_steps, "…", "Never in rain."])
    first = "\n".join(f"{number}. Paint it {'green ' * 40}" for number in (1, 2, 3))
    assert UserRequest(first, at(1)).line.count("1. Paint") == 1
    assert closings[0].source.line == 73
    wish = "-> handle it by the branch, so that the second lamp does nothing"
    lit = "When two lamps are lit, the new one overwrites the old."
    told = UserRequest(f"{lit} {'It hums. ' * 50}\n\n{wish}", at(1))
    assert told.named("", 126) == f'"{lit} … {wish}" (L1)'
    assert told.named("", 80) == f'"… {wish}" (L1)'
    assert UserRequest(f"{lit}{' ' * 90}\n{wish}", at(1)).named("", 126) == f'"{lit} {wish}" (L1)'


def test_a_long_message_is_cut_between_sentences_or_lines() -> None:
    words = "The lamp is red. It is not the one that I would take. Dry it first! Then paint it green."
    assert ends_of(words, 70) == "The lamp is red. … Then paint it green."
    wide = "灯是红色的。我不会用这一个，因为它不是最好的。先把它晾干，再涂成绿色。"
    assert ends_of(wide, 34) == "灯是红色的。 … 先把它晾干，再涂成绿色。"
    verdict = "Two findings, both old. -> I think that it is handled already, so do nothing here"
    assert ends_of(verdict, 60) == "Two findings, both old. … so do nothing here"
    steps = "Two are left:\n1. the lamp\n   - never red\n   - only green, as it was\n2. the door\n   - dry it"
    assert ends_of(steps, 60) == "Two are left:\n1. the lamp\n…\n2. the door\n   - dry it"


def test_of_claude_what_closed_a_turn_and_the_last_words_are_quoted() -> None:
    turns = (turn(1, "Build", "Built. Shall I paint it?"), turn(5, "yes", "Painted.", "It is wet."))
    assert [each.source.line for each in quotes_of(CLAUDE, Facts(turns=turns))] == [7]
    running = Facts(turns=(*turns, turn(9, "Go on", "It leaks.", "I look.", end="running")))
    assert [each.text for each in quotes_of(AT_WORK, running)] == ["It leaks."]
    assert [each.source.line for each in quotes_of(CLAUDE, running)] == [7]
    assert quotes_of(AT_WORK, replace(running, commands=(ran("make test", 12),))) == []
    stopped = (*turns, turn(9, "Go on", "It leaks.", end="interrupted"))
    assert quotes_of(AT_WORK, Facts(turns=stopped)) == []


def test_a_bare_reply_is_quoted_with_its_question_or_not_at_all() -> None:
    turns = (turn(1, "Build", "Built. Shall I paint it?"), turn(5, "yes", "Painted."), turn(9, "ok", "Dry."))
    asked = [each.text for each in quotes_of(USER, Facts(turns=turns))]
    assert asked == ['yes (after "Shall I paint it?")', "Build"]


def test_blank_lines_of_the_user_stay() -> None:
    facts = Facts(turns=(turn(1, "Print it so:\n\na\n\n\n  b", "Printed:\n\na"),))
    (section,) = quotes_section(facts)
    words = "- L2 Claude: Printed:\n  a\n- L1 User: Print it so:\n\n  a\n\n    b"
    assert section.text == f"{FIRST_LINE}\n{words}"
    assert with_fewer_quotes(section, 1_000).text == section.text


def test_at_need_the_oldest_go_and_the_others_are_shortened() -> None:
    (section,) = quotes_section(TALK)
    newest = f"{FIRST_LINE}\n- L11 Claude: Green again.\n- L10 User: no, keep it green"
    assert with_fewer_quotes(section, 60).text == newest
    long = Section(heading=HEADING, text=f"{FIRST_LINE}\n- L1 User: {'x' * 900}")
    assert len(with_fewer_quotes(long, 1_000).text) < 250


def test_a_source_can_be_taken_off_again() -> None:
    assert without_source("ship it (L10)") == "ship it"
    assert without_source("look at (L10) again") == "look at (L10) again"
