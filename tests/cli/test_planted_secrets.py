"""Secrets at any place of long messages reach no document, no answer, no note and no file."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path

import pytest

from memtui.ground.project import Project, memtui_home, transcript_slug
from memtui.hooks.records import Report, parse_payload
from memtui.hooks.run import handle
from tests.cli.conftest import Memtui
from tests.transcripts import Transcript

SESSION = "90dd90a0-1111-4222-8333-444455556666"
_SECRETS, _PART = 150, 9
"""As many secrets; so many characters of one in a row are too many."""
_WORDS = """
release harbor lantern meadow ferry compass plaster window carpet engine copper violin garden basket mountain
whisper saddle pepper island candle the a of to in and with before after because while
"""
_FORMS = (
    "gh" + "p_{}", "sk-" + "ant-api03-{}", "password: {}", "DB_PASSWORD={}", "the password is {}",
    "Passwort: {}",
    "db:\n  password: {}\n  port: 5432", "postgres://app:{}@db.example.org/shop", "Authorization: Bearer {}",
    '{{"api_key": "{}"}}', "| user | password |\n|---|---|\n| me | {} |", "user,password\nme,{}",
    "-----BEGIN PRIVATE " + "KEY-----\n{}\n-----END PRIVATE KEY-----", "login --password {} --force",
)  # fmt: skip


class Planter:
    """Makes long texts, each with a secret somewhere in them."""

    def __init__(self, seed: int) -> None:
        self.values: list[str] = []
        self.pieces: set[str] = set()
        self._chance = random.Random(seed)

    def text(self, length: int) -> str:
        chance = self._chance
        form = _FORMS[len(self.values) % len(_FORMS)]
        value = "".join(chance.choices(string.ascii_letters + string.digits, k=40)) + "a1B2"
        if "BEGIN" in form:
            value = "\n".join("".join(chance.choices(string.ascii_letters, k=64)) for _ in range(400))
        self.values.append(value)
        self.pieces |= {piece for line in value.split("\n") for piece in _pieces(line)}
        before = chance.randrange(length)
        return f"{self._prose(before)}\n{form.format(value)}\n{self._prose(length - before)}".strip()

    def _prose(self, length: int) -> str:
        chance, lines, size = self._chance, list[str](), 0
        while size < length:
            lines.append(" ".join(chance.choices(_WORDS.split(), k=chance.randrange(4, 14))) + ".")
            size += len(lines[-1])
        return "\n".join(lines)[: max(0, length)]


def _session(planter: Planter, cwd: str) -> Transcript:
    made = Transcript(session_id=SESSION, cwd=cwd)
    lengths = (40, 300, 1_000, 3_000, 9_000)
    at = 0
    while len(planter.values) < _SECRETS:
        at += 1
        length = lengths[at % len(lengths)]
        made.user(planter.text(length))
        made.say(planter.text(length))
        made.tool("Bash", planter.text(length), command=f"make it && echo '{planter.text(length)}'")
        made.broken("Bash", f"Exit code 1\n{planter.text(length)}", command="make test")
        made.tool("TodoWrite", todos=[{"content": planter.text(200), "status": "pending", "activeForm": "x"}])
        made.tool("Task", planter.text(length), description="look", prompt=planter.text(length))
        made.tool("Write", "File created", file_path=f"{cwd}/plans/plan.md", content=planter.text(length))
        made.tool("ExitPlanMode", "User has approved your plan", plan=planter.text(length))
        made.tool("AskUserQuestion", f'"{planter.text(60)}"="{planter.text(60)}"', questions=[])
        made.queue("enqueue", planter.text(length))
        made.say(planter.text(length))
        if at in (2, 5):
            made.compaction(summary="Summary:\nSome work on the harbor release.")
    made.user("Remember: never push to main.")
    return made


def _leaks(planter: Planter, text: str) -> list[str]:
    return [
        f"{piece}: {text[max(0, text.find(piece) - 60) : text.find(piece) + 20]!r}"
        for piece in planter.pieces & _pieces(text)
    ]


def _pieces(text: str) -> set[str]:
    return {text[at : at + _PART] for at in range(len(text) - _PART + 1)}


@pytest.fixture
def planted(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planter:
    """A project with one session full of secrets."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "memtui"))
    planter = Planter(7)
    folder = tmp_path / "claude" / "projects" / transcript_slug(project.root)
    _session(planter, str(project.root)).write(folder, f"{SESSION}.jsonl")
    return planter


_COMMANDS = (
    "compact --print", "compact --force", "state show", "state update", "state history", "transcript --turns",
    "transcript --facts", "transcript --facts --json", "transcript", "transcript --json", "lost --all",
    "lost --json", "sessions", "sessions --json", "search harbor", "search password", "search release --json",
    "export --for codex -o -", f"export {SESSION} -o -", f"export {SESSION} --md -o -",
    "captures --backfill --yes", "captures", "review --yes", "memory list", "memory list --json",
)  # fmt: skip


def test_no_secret_is_printed_or_written(
    planted: Planter, memtui: Memtui, project: Project, tmp_path: Path
) -> None:
    assert len(planted.values) >= _SECRETS
    transcript = next(tmp_path.glob("claude/projects/*/*.jsonl"))
    leaks, codes = list[str](), dict[str, int]()
    payload = {"session_id": SESSION, "transcript_path": str(transcript), "cwd": str(project.root)}
    for event, fields in (
        ("pre-compact", {"trigger": "auto", "hook_event_name": "PreCompact", "custom_instructions": ""}),
        ("post-compact", {"trigger": "auto", "hook_event_name": "PostCompact"}),
        ("session-start", {"source": "compact", "hook_event_name": "SessionStart"}),
        ("user-prompt-submit", {"prompt": "go on", "hook_event_name": "UserPromptSubmit"}),
    ):
        report = Report()
        report.event = event
        given = parse_payload(json.dumps({**payload, **fields}).encode())
        printed = handle(given, project, memtui_home(), report)
        leaks += [f"{event}: {each}" for each in _leaks(planted, printed)]
    for words in _COMMANDS:
        done = memtui(*words.split())
        codes[words] = done.code
        leaks += [f"{words}: {each}" for each in _leaks(planted, done.out + done.err)]
    for path in tmp_path.rglob("*"):
        if path.is_file() and path != transcript and "archive" not in path.parts:
            leaks += [
                f"{path}: {each}" for each in _leaks(planted, path.read_bytes().decode("utf-8", "replace"))
            ]
    assert leaks == []
    assert {words: code for words, code in codes.items() if code} == {}
