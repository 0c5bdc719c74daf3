"""Our MCP server in the text of any `.mcp.json`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.formats.json_text import add_member, member, root_of, style_of
from memtui.setup.hook_settings import SettingsProblem
from memtui.setup.mcp_entry import (
    NAME,
    Kind,
    find_server,
    own_server,
    register,
    shared_server,
    unregister,
)
from tests.setup.strategies import MANY, server_files

OWN = own_server("/opt/my tools/python'3")
entries = st.sampled_from([(OWN, Kind.OWN), (shared_server(), Kind.SHARED)])


def _json(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


def _tight(text: str) -> str:
    # The one thing a text does not tell is which blanks stood in what was empty before us.
    return text.replace("{ }", "{}").replace("[ ]", "[]")


@MANY
@given(server_files, entries)
def test_a_registered_server_can_be_removed(text: str, entry: tuple[dict[str, Any], Kind]) -> None:
    wanted, kind = entry
    done = register(text, wanted)
    found = find_server(done.text)
    assert found is not None and found.kind is kind
    assert _json(done.text)["mcpServers"][NAME] == wanted
    others = _json(done.text)
    del others["mcpServers"][NAME]
    assert others == {**_json(text), "mcpServers": _json(text).get("mcpServers", {})}
    assert register(done.text, wanted) == (done.text, ())
    assert _tight(unregister(done.text, done.created, kind)) == _tight(text)
    without = _json(unregister(done.text, None, kind))
    assert without == {key: value for key, value in _json(text).items() if value or key != "mcpServers"}


@MANY
@given(server_files, st.booleans())
def test_what_somebody_else_adds_meanwhile_stays(text: str, inside: bool) -> None:
    done = register(text, OWN)
    servers = member(done.text, root_of(done.text), "mcpServers")
    assert servers is not None
    at = servers.value.start if inside else root_of(done.text)
    theirs = add_member(done.text, at, "they added", [1.0], style_of(done.text))
    expected = _json(text)
    (expected.setdefault("mcpServers", {}) if inside else expected)["they added"] = [1.0]
    assert _json(unregister(theirs, done.created, Kind.OWN)) == expected


@MANY
@given(server_files)
def test_another_interpreter_takes_the_place_of_the_old_one(text: str) -> None:
    old = register(text, own_server("/old/python3"))
    new = register(old.text, OWN)
    assert _json(new.text) == _json(register(text, OWN).text)
    assert _tight(unregister(new.text, old.created, Kind.OWN)) == _tight(text)


def test_a_team_entry_takes_the_place_of_ones_own_and_not_the_other_way_round() -> None:
    own = register("{}", OWN).text
    shared = register(own, shared_server()).text
    assert _json(shared) == {"mcpServers": {NAME: {"command": "memtui", "args": ["mcp"]}}}
    assert register(shared, OWN) == (shared, ())
    assert unregister(shared, None, Kind.OWN) == shared
    assert unregister(own, None, Kind.SHARED) == own


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/usr/bin/python3", "args": ["-m", "memtui", "mcp"]},
        {"command": "/usr/bin/python3", "args": ["-I", "-m", "memtui", "mcp"], "env": {}},
        {"command": "python3", "args": ["-I", "-m", "memtui", "mcp"]},
        {"command": "memtui", "args": ["mcp", "--more"]},
        {"type": "http", "url": "https://example.com"},
        {"command": 3, "args": "mcp"},
        "memtui",
        None,
    ],
)
def test_a_persons_own_words_are_left_alone(entry: object) -> None:
    text = json.dumps({"mcpServers": {NAME: entry}})
    if entry is None:
        assert find_server(text) is None
        return
    found = find_server(text)
    assert found is not None and found.kind is Kind.THEIRS
    assert register(text, OWN) == (text, ())
    assert unregister(text, None, Kind.OWN) == unregister(text, None, Kind.SHARED) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("// mine\n{}", "is not valid JSON (line 1)"),
        ('{"mcpServers": {},}', "is not valid JSON (line 1)"),
        ("[]", "is not a JSON object"),
        ('{"mcpServers": []}', "has 'mcpServers' that are not an object"),
        ('{"mcpServers": null}', "has 'mcpServers' that are not an object"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_texts_that_claude_code_rejects_are_refused(text: str, reason: str) -> None:
    with pytest.raises(SettingsProblem) as caught:
        register(text, OWN)
    assert str(caught.value) == reason


@pytest.mark.parametrize("text", ["", "\n", "\ufeff"])
def test_an_empty_file_becomes_one(text: str) -> None:
    assert register(text, shared_server()).text == (
        '{\n  "mcpServers": {\n    "memtui": {\n      "command": "memtui",\n      "args": [\n'
        '        "mcp"\n      ]\n    }\n  }\n}\n'
    )


def test_only_our_lines_are_added() -> None:
    text = '{\n\t"mcpServers": {\n\t\t"a": {"command": "x", "env": {"N": 1.50}}\n\t}\n}'
    done = register(text, shared_server()).text
    assert done == (
        '{\n\t"mcpServers": {\n\t\t"a": {"command": "x", "env": {"N": 1.50}},\n\t\t"memtui": {\n'
        '\t\t\t"command": "memtui",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t}\n}'
    )
