from __future__ import annotations

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.commands import add_command, compact_summary, parse_active_commands, remove_commands
from memtui.ground.text import FormatError
from tests.documents.data import golden
from tests.documents.strategies import command_files

GOLDEN = golden("session-state.json")
OLD = golden("session-state-old.json")


def test_the_commands_are_read() -> None:
    found = parse_active_commands(GOLDEN)
    assert [command.name for command in found.commands] == ["babysit", "research/ask"]
    assert found.commands[0].activated_at == datetime.fromisoformat("2026-02-04T08:22:48.581Z")
    assert found.commands[1].state == {"step": 2}
    assert [command.place for command in found.commands] == [0, 1]
    assert found.broken == ()


def test_an_old_file_has_at_most_one_command() -> None:
    (command,) = parse_active_commands(OLD).commands
    assert (command.name, command.place) == ("babysit", None)
    cleared = remove_commands(OLD, ["babysit"])
    assert cleared == OLD.replace('"babysit"', "null").replace('"2025-12-22T02:16:52.089Z"', "null")
    assert parse_active_commands(cleared).commands == ()
    assert remove_commands(OLD, ["other"]) == OLD
    assert remove_commands('{"active_command": "babysit"}', None) == '{"active_command": null}'


def test_a_command_under_both_keys_is_one_and_goes_from_both() -> None:
    text = '{"active_command": {"name": "a"}, "active_commands": [{"name": "a"}, {"name": "b"}]}'
    assert [command.name for command in parse_active_commands(text).commands] == ["a", "b"]
    assert (
        remove_commands(text, {"a"})
        == '{"active_command": {"name": null}, "active_commands": [{"name": "b"}]}'
    )


def test_what_is_no_list_goes_only_with_everything() -> None:
    for text in ('{"active_commands": "a"}', '{"active_commands": null}'):
        assert remove_commands(text, ["a"]) == text
    assert remove_commands('{"active_commands": "a"}', None) == '{"active_commands": []}'
    assert remove_commands('{"active_commands": null}', None) == '{"active_commands": null}'


@given(command_files(), st.data())
def test_what_was_removed_comes_back(text: str, data: st.DataObject) -> None:
    commands = parse_active_commands(text).commands
    chosen = [command for command in commands if data.draw(st.booleans())]
    left = remove_commands(text, [command.name for command in chosen])
    assert [command.name for command in parse_active_commands(left).commands] == [
        command.name for command in commands if command not in chosen
    ]
    assert _others(left) == _others(text)
    for command in chosen:
        left = add_command(left, command.entry, index=command.place)
    again = {command.name: command.entry for command in parse_active_commands(left).commands}
    assert again == {command.name: command.entry for command in commands}


@pytest.mark.parametrize(
    ("value", "names", "broken"),
    [
        ("null", [], []),
        ('"babysit"', [], ["active_commands is not a list"]),
        ('["babysit", {"name": "b"}]', ["babysit", "b"], []),
        ("[1]", [], ["entry 1 has no name"]),
        (
            '[{"name": ""}, {"name": 5}, ""]',
            [],
            ["entry 1 has no name", "entry 2 has no name", "entry 3 has no name"],
        ),
        ('[{"name": "a", "state": [], "activated_at": 7}]', ["a"], []),
    ],
)
def test_entries_that_cannot_be_used_are_reported(value: str, names: list[str], broken: list[str]) -> None:
    text = f'{{"active_commands": {value}}}'
    found = parse_active_commands(text)
    assert [command.name for command in found.commands] == names
    assert list(found.broken) == broken
    assert parse_active_commands(remove_commands(text, None)).broken == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not valid JSON"),
        ('{\n"a": }', "not valid JSON.*line 2"),
        ("[]", "not a JSON object"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a": "\ud800"}', "not valid UTF-8"),
    ],
)
def test_non_objects_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        parse_active_commands(text)


ENTRY = '{\n      "name": "epic"\n    }'
FLAT = '{"name": "epic"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '{\n  "active_commands": [\n    ENTRY\n  ]\n}\n'),
        ("{}", '{\n  "active_commands": [\n    ENTRY\n  ]\n}'),
        ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "active_commands": [\n    ENTRY\n  ]\n}\n'),
        ('\ufeff{\n\t"a": 1\n}', '\ufeff{\n\t"a": 1,\n\t"active_commands": [\n\t\t"x"\n\t]\n}'),
        ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "active_commands": [\r\n    "x"\r\n  ]\r\n}'),
        ('{"a": 1}', '{"a": 1, "active_commands": [FLAT]}'),
        ('{"a":1}', '{"a":1,"active_commands":["x"]}'),
        ('{\n  "active_commands": null\n}', '{\n  "active_commands": [\n    ENTRY\n  ]\n}'),
        ('{\n  "active_commands": "x"\n}', '{\n  "active_commands": [\n    ENTRY\n  ]\n}'),
    ],
)
def test_a_missing_list_is_made_in_the_files_style(text: str, expected: str) -> None:
    entry = "x" if '"x"' in expected else {"name": "epic"}
    assert add_command(text, entry) == expected.replace("ENTRY", ENTRY).replace("FLAT", FLAT)


def _others(text: str) -> str:
    """Everything but our list, spelling of numbers and all."""
    found = json.loads(text.removeprefix("\ufeff"), parse_float=str, object_pairs_hook=lambda pairs: pairs)
    return repr([pair for pair in found if pair[0] != "active_commands"])


SUMMARY = "## Compact Summary\n\n**ROLE**: Mentor. Use AskUserQuestion."


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_summary_stands_between_the_markers(line_end: str) -> None:
    assert compact_summary(golden("command.md").replace("\n", line_end)) == SUMMARY


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("<!-- COMPACT_SUMMARY_START -->\nx\n<!-- COMPACT_SUMMARY_END -->", "x"),
        ("\ufeff<!-- COMPACT_SUMMARY_START -->x<!-- COMPACT_SUMMARY_END -->", "x"),
        ("a\n  <!--COMPACT_SUMMARY_START (kept)-->x<!--COMPACT_SUMMARY_END (kept)-->\nb", "x"),
        ("<!-- COMPACT_SUMMARY_START -->\n\n<!-- COMPACT_SUMMARY_END -->", ""),
        ("<!-- COMPACT_SUMMARY_START -->\nx", None),
        ("x\n<!-- COMPACT_SUMMARY_END -->", None),
        ("<!-- COMPACT_SUMMARY_END -->\n<!-- COMPACT_SUMMARY_START -->", None),
        ("<!-- COMPACT_SUMMARY_START", None),
        ("Write `<!-- COMPACT_SUMMARY_START -->` and\n`<!-- COMPACT_SUMMARY_END -->` around it.", None),
        ("<!-- COMPACT_SUMMARY_STARTED -->\nx\n<!-- COMPACT_SUMMARY_END -->", None),
        ("", None),
    ],
)
def test_markers_in_every_shape(text: str, summary: str | None) -> None:
    assert compact_summary(text) == summary
