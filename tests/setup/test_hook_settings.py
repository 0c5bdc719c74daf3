"""Our hooks in the text of any settings file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.formats.json_text import add_member, root_of, style_of
from memtui.setup.hook_settings import (
    EVENTS,
    SettingsProblem,
    find_hooks,
    install,
    interpreter_of,
    own_command,
    remove,
    shared_command,
)
from tests.setup.strategies import COMMANDS, MANY, OLDER, SHARED, Style, drafts, files, with_ours, written


def _json(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


def _others(text: str) -> Any:
    """A text as JSON, without our hooks and without what is empty then."""
    value = _json(text)
    hooks = value.get("hooks", {})
    for event, groups in list(hooks.items()):
        hooks[event] = [group for group in groups if not _is_ours(group)]
        if not hooks[event]:
            del hooks[event]
    if not hooks:
        value.pop("hooks", None)
    return value


def _is_ours(group: Any) -> bool:
    return any("memtui.hooks" in hook["command"] for hook in group["hooks"])


@MANY
@given(files)
def test_what_is_installed_is_valid_and_leaves_the_rest_alone(text: str) -> None:
    done = install(text, COMMANDS)
    assert _others(done.text) == _others(text)
    assert [(hook.event, hook.runs, hook.command) for hook in find_hooks(done.text)] == _expected(done.text)
    assert install(done.text, COMMANDS).text == done.text
    # Everything that was there is there still, in its order: only something was put in.
    rest = iter(done.text)
    assert all(character in rest for character in text.replace("{ }", "{}").replace("[ ]", "[]"))


def _expected(text: str) -> list[tuple[str, str, str]]:
    return [(event, EVENTS[event], COMMANDS[event]) for event in _json(text)["hooks"] if event in COMMANDS]


@MANY
@given(files)
def test_what_is_removed_again_leaves_what_was_there(text: str) -> None:
    done = install(text, COMMANDS)
    again = remove(done.text, done.created)
    # The one thing a text does not tell is which blanks stood in what was empty before us.
    tight = text.replace("{ }", "{}").replace("[ ]", "[]")
    assert again.replace("{ }", "{}").replace("[ ]", "[]") == tight
    assert _others(remove(done.text)) == _others(text)
    assert find_hooks(remove(done.text)) == []


@MANY
@given(files, st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), st.booleans())
def test_what_somebody_else_adds_meanwhile_stays(text: str, key: str, first: bool) -> None:
    key = f"they {key}"
    done = install(text, COMMANDS)
    if first:
        at = root_of(done.text) + 1
        theirs = done.text[:at] + f"\n\t{json.dumps(key)} :[1.0 ]," + done.text[at:]
    else:
        theirs = add_member(done.text, root_of(done.text), key, [1.0], style_of(done.text))
    again = remove(theirs, done.created)
    assert _json(again) == {**_json(text), key: [1.0]}
    assert install(theirs, COMMANDS).text == theirs


@MANY
@given(drafts, st.sampled_from([OLDER, SHARED]))
def test_an_older_entry_is_updated_never_doubled(
    draft: tuple[dict[str, Any], Style], older: dict[str, str]
) -> None:
    content, style = draft
    text = written(with_ours(content, older), style)
    done = install(text, COMMANDS)
    for event in EVENTS:
        old = json.dumps(older[event], ensure_ascii=style.ascii)
        text = text.replace(old, json.dumps(COMMANDS[event]))
    assert done == (text, ())


def _of_event(event: str, command: str, timeout: object) -> str:
    handler = {"timeout": timeout, "type": "command", "command": command}
    return json.dumps({"hooks": {event: [{"matcher": "", "hooks": [handler]}]}}, indent=2)


@pytest.mark.parametrize("command", [COMMANDS["PreCompact"], OLDER["PreCompact"]])
def test_the_time_limit_of_an_older_version_is_raised(command: str) -> None:
    commands = {"PreCompact": COMMANDS["PreCompact"]}
    done = install(_of_event("PreCompact", command, 10), commands)
    assert done.text == _of_event("PreCompact", COMMANDS["PreCompact"], 60)
    assert install(done.text, commands) == done


@pytest.mark.parametrize("timeout", [5, 30, 90, "x", 10.0, None])
def test_a_time_limit_that_a_person_chose_stays(timeout: object) -> None:
    text = _of_event("PreCompact", COMMANDS["PreCompact"], timeout)
    assert install(text, {"PreCompact": COMMANDS["PreCompact"]}).text == text


def test_a_time_limit_is_raised_only_in_our_own_entries() -> None:
    theirs = _of_event("PreCompact", "nice memtui-hook pre-compact", 10)
    assert install(theirs, {"PreCompact": COMMANDS["PreCompact"]}).text == theirs
    short = _of_event("SessionEnd", COMMANDS["SessionEnd"], 10)
    assert install(short, {"SessionEnd": COMMANDS["SessionEnd"]}).text == short


def test_doubles_are_removed() -> None:
    double = {"matcher": "", "hooks": [{"type": "command", "command": OLDER["PreCompact"]}]}
    both = {"hooks": [{"type": "command", "command": SHARED["PreCompact"]}, {"command": "theirs"}]}
    text = json.dumps({"hooks": {"PreCompact": [double, both, double]}})
    commands = {"PreCompact": COMMANDS["PreCompact"]}
    done = install(text, commands).text
    assert [hook.command for hook in find_hooks(done)] == [COMMANDS["PreCompact"]]
    assert "theirs" in done


@pytest.mark.parametrize(
    "command",
    [
        "nice memtui-hook pre-compact",
        "memtui-hook pre-compact 2>/tmp/log",
        "/venv/bin/memtui-hook pre-compact",
        "cd /x && python3 -m memtui.hooks pre-compact",
        "./python -I -m memtui.hooks pre-compact",
        "$(evil) -I -m memtui.hooks pre-compact",
        "/bin/$(evil) -I -m memtui.hooks pre-compact",
        "/bin/sh;evil -I -m memtui.hooks pre-compact",
        "/usr/bin/python3 -I -m  memtui.hooks pre-compact",
    ],
)
def test_a_persons_own_words_count_and_are_left_alone(command: str) -> None:
    text = json.dumps({"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": command}]}]}})
    (hook,) = find_hooks(text)
    assert (hook.runs, hook.ours) == ("pre-compact", False)
    done = install(text, COMMANDS).text
    assert [hook.command for hook in find_hooks(done) if hook.event == "PreCompact"] == [command]
    assert _json(remove(done)) == _json(text)


def test_a_command_without_a_shell_counts_too() -> None:
    handler = {"type": "command", "command": "/v/bin/python", "args": ["-m", "memtui.hooks", "session-end"]}
    text = json.dumps({"hooks": {"SessionEnd": [{"hooks": [handler]}]}})
    assert [(hook.runs, hook.ours) for hook in find_hooks(text)] == [("session-end", False)]


@pytest.mark.parametrize("command", ["memtui-hook pre-compaction", "memtui-hooks pre-compact", "memtui hook"])
def test_lookalikes_of_our_entry_do_not_count(command: str) -> None:
    text = json.dumps({"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": command}]}]}})
    assert find_hooks(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("// mine\n{}", "is not valid JSON (line 1)"),
        ('{\n  "a": 1\n]', "is not valid JSON (line 3)"),
        ('{"a": NaN}', "is not valid JSON"),
        ("[]", "is not a JSON object"),
        ('"hooks"', "is not a JSON object"),
        ('{"hooks": []}', "has 'hooks' that are not an object"),
        ('{"hooks": null}', "has 'hooks' that are not an object"),
        ('{"hooks": {"PreCompact": {}}}', "has hooks of PreCompact that are not a list"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_texts_that_claude_code_rejects_are_refused(text: str, reason: str) -> None:
    with pytest.raises(SettingsProblem) as caught:
        install(text, COMMANDS)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "text",
    [
        '{"hooks": {"PreCompact": [1, null, {"hooks": 2}, {"hooks": [3, {"command": 4}]}]}}',
        '{"hooks": {"Stop": "x"}}',
        '{"hooks": {"Stop": 1}, "hooks": {}}',
        '{"n": ' + "9" * 5_000 + "}",
    ],
)
def test_unknown_content_elsewhere_is_kept(text: str) -> None:
    done = install(text, COMMANDS)
    assert remove(done.text, done.created) == text


def test_a_shadowed_key_does_not_come_up_when_ours_goes() -> None:
    text = '{"hooks": {"Stop": []}, "hooks": {}}'
    assert json.loads(remove(install(text, COMMANDS).text))["hooks"] == {}


@pytest.mark.parametrize("text", ["", "\n", "\ufeff"])
def test_an_empty_file_becomes_one(text: str) -> None:
    done = install(text, {"PreCompact": shared_command("pre-compact")})
    assert done.text == (
        '{\n  "hooks": {\n    "PreCompact": [\n      {\n        "matcher": "",\n        "hooks": [\n'
        '          {\n            "type": "command",\n            "command": "if command -v memtui-hook '
        '>/dev/null 2>&1; then exec memtui-hook pre-compact; fi",\n            "timeout": 60\n          }\n'
        "        ]\n      }\n    ]\n  }\n}\n"
    )


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20))
def test_any_interpreter_can_be_quoted_and_found_again(name: str) -> None:
    command = own_command(f"/{name}", "session-start")
    assert interpreter_of(command) == f"/{name}"
    text = install("{}", {"SessionStart": command}).text
    assert [hook.ours for hook in find_hooks(text)] == [True]
    assert json.loads(remove(text)) == {}
