"""Entries of the settings that do a job of the plugin's hooks: found, left to, taken out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui import __version__
from memtui.documents.pins import Pin
from memtui.hooks.settings import find_entries, split_settings
from memtui.lost.pins import Pins
from tests.hooks.world import World

OURS = ["memtui-hook pre-compact", "'/opt/my tools/python3' -I -m memtui.hooks pre-compact"]


def _hook(command: str, event: str = "PreCompact") -> dict[str, Any]:
    return {"hooks": {event: [{"matcher": "", "hooks": [{"type": "command", "command": command}]}]}}


def _put(world: World, settings: dict[str, Any]) -> None:
    world.put(".claude/settings.json", json.dumps(settings))


def _run(world: World, event: str, **fields: Any) -> str:
    env = {**world.environment, "MEMTUI_PLUGIN": fields.pop("version", __version__)}
    done = world.run(event, environment=env, **fields)
    assert (done.code, done.err) == (0, "")
    return done.out


@pytest.mark.parametrize(
    ("command", "job"),
    [
        *((command, "all") for command in OURS),
        ("bash scripts/precompact-context.sh", "rules"),
        (".claude/hooks/precompact-capture.sh", "capture"),
        ("node 'scripts/clear-active-command.js'", "clearing"),
        ("echo memtui-hook", ""),
        ("bash precompact-context.sh.bak-tool", "rules"),
        ("bash my-precompact-capture.shell", ""),
    ],
)
def test_what_an_entry_does(world: World, command: str, job: str) -> None:
    _put(world, _hook(command))
    found = find_entries(world.claude, world.project.root)
    assert [each.job for each in found] == ([job] if job else [])


@pytest.mark.parametrize("command", OURS)
def test_an_entry_of_ours_does_it_and_the_plugin_does_not(world: World, command: str) -> None:
    _put(world, _hook(command))
    assert _run(world, "pre-compact", trigger="auto") == "" and world.captures == []
    assert world.runs[-1].detail.endswith(".claude/settings.json has an entry that does it")
    assert _run(world, "session-start", source="startup") == ""
    assert "entry" not in world.runs[-1].detail
    world.run("pre-compact", trigger="auto")  # the entry itself
    assert len(world.captures) == 1


def test_the_capture_is_left_to_the_script_of_the_seed(world: World) -> None:
    _put(world, _hook(".claude/hooks/precompact-capture.sh"))
    assert "PROJECT CONTEXT" in _run(world, "pre-compact", trigger="auto")
    assert world.captures == []


def test_the_rules_are_left_to_agileflow_and_pins_are_not(world: World) -> None:
    _put(world, _hook("bash scripts/precompact-context.sh"))
    world.command("babysit", "Ask first")
    world.activate("babysit")
    Pins(world.project, world.home).add(Pin("never push to main"))
    printed = _run(world, "pre-compact", trigger="auto")
    assert "never push to main" in printed and "Ask first" not in printed
    assert len(world.captures) == 1


def test_clearing_is_left_to_agileflow(world: World) -> None:
    _put(world, _hook("node scripts/clear-active-command.js", "SessionStart"))
    state = world.activate("babysit")
    _run(world, "session-start", source="startup")
    assert "babysit" in state.read_text()
    _put(world, {})
    _run(world, "session-start", source="startup")
    assert "babysit" not in state.read_text()


def test_a_plugin_of_another_version_is_named_at_the_start_and_works(world: World) -> None:
    state = world.activate("babysit")
    said = json.loads(_run(world, "session-start", source="startup", version="0.0.9"))
    assert said["systemMessage"].startswith(f"memtui is {__version__}, its plugin 0.0.9: update one")
    assert "babysit" not in state.read_text()
    assert "the plugin is of version 0.0.9" in world.runs[-1].detail
    Pins(world.project, world.home).add(Pin("never push to main"))
    printed = _run(world, "session-start", source="clear", version="0.0.9")
    assert "never push" in printed and "systemMessage" not in printed


_LEAF = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
_HANDLER = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from([*OURS, "ls", "say é"])}
)
_GROUP = st.fixed_dictionaries({"hooks": st.lists(_HANDLER | _LEAF, max_size=3)}) | _LEAF
_HOOKS = st.dictionaries(st.sampled_from(["PreCompact", "Stop"]), st.lists(_GROUP, max_size=3) | _LEAF)
_SETTINGS = st.fixed_dictionaries({}, optional={"hooks": _HOOKS | _LEAF, "model": _LEAF})


@given(_SETTINGS)
def test_without_them_everything_else_stays(settings: dict[str, Any]) -> None:
    before = json.dumps(settings)
    left = split_settings(settings)[0]
    assert json.dumps(settings) == before and "memtui" not in json.dumps(left)
    assert split_settings(left)[0] == left
    if "memtui" not in before:
        assert left == settings
    assert json.dumps(left).count('"say') == before.count('"say')
