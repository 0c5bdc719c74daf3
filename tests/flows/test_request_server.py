"""Serving the hooks' requests: in order, one process at a time, whatever a request does."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.flows import request_server
from memtui.flows.request_server import serve
from memtui.ground.files import FileProblem, lock
from memtui.ground.project import Home, Places, Project, memtui_home
from memtui.hooks import requests
from memtui.hooks.log import Run, read_runs
from memtui.hooks.payload import Payload
from memtui.hooks.requests import Request, is_open, leave_request, requests_folder
from tests.disk import DEAD_PID, age, names

Update = Callable[[Places, Request], str]


class Asked:
    """A project whose hooks ask, and a server."""

    def __init__(self, base: Path) -> None:
        self.project = Project(base / "harbor")
        self.project.root.mkdir()
        self.claude = base / "claude"
        self.home: Home = memtui_home({"MEMTUI_HOME": str(base / "memtui")})
        self.served: list[str] = []

    def ask(self, session_id: str, at: int = 0) -> None:
        transcript = self.claude / "projects" / "-harbor" / f"{session_id}.jsonl"
        transcript.parent.mkdir(parents=True, exist_ok=True)
        transcript.touch()
        payload = Payload(session_id=session_id, transcript_path=str(transcript))
        assert leave_request(payload, self.project, self.home)
        os.utime(self.folder / f"{session_id}.json", (1000 + at, 1000 + at))

    @property
    def folder(self) -> Path:
        return requests_folder(self.home)

    def serve(self, update: Update | None = None) -> list[Run]:
        serve(self.home, self.claude, lambda: datetime(2026, 1, 2, 10, 15, tzinfo=UTC), update or self.update)
        return read_runs(self.home.hook_log)

    def update(self, places: Places, request: Request) -> str:
        assert places == Places(self.project, self.home, self.claude)
        assert request.transcript.name == f"{request.session_id}.jsonl"
        self.served.append(request.session_id)
        return f"served {request.session_id}"


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return Asked(tmp_path)


def test_all_are_served_and_the_oldest_first(asked: Asked) -> None:
    for number, session in enumerate(("c", "a", "b")):
        asked.ask(session, number)
    runs = asked.serve()
    assert asked.served == ["c", "a", "b"]
    assert [(run.event, run.outcome, run.detail) for run in runs] == [
        ("compactor", "ok", f"served {session}") for session in ("c", "a", "b")
    ]
    assert runs[0].project == str(asked.project.root)
    assert names(asked.folder) == [".gitignore"]
    asked.serve()
    assert asked.served == ["c", "a", "b"]


def test_without_requests_nothing_is_created(asked: Asked) -> None:
    assert asked.serve() == []
    assert not asked.home.state.exists()


def test_asked_twice_is_asked_once(asked: Asked) -> None:
    asked.ask("a")
    asked.ask("a")
    asked.serve()
    assert asked.served == ["a"]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (FileProblem("/x.jsonl", "is gone"), "/x.jsonl is gone"),
        (ZeroDivisionError("oh"), "ZeroDivisionError: oh"),
    ],
)
def test_an_error_is_on_record_and_the_next_one_is_served(
    asked: Asked, error: Exception, outcome: str
) -> None:
    def update(places: Places, request: Request) -> str:
        if request.session_id == "a":
            raise error
        return asked.update(places, request)

    asked.ask("a")
    asked.ask("b", 1)
    runs = asked.serve(update)
    assert runs[0].outcome.startswith(outcome)
    assert [run.session_id for run in runs] == ["a", "b"]
    assert names(asked.folder) == [".gitignore"]


def test_one_without_end_is_given_up(asked: Asked) -> None:
    def update(places: Places, request: Request) -> str:
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= request_server._LIMIT_SECONDS
        if request.session_id == "a":
            signal.raise_signal(signal.SIGALRM)
        return asked.update(places, request)

    asked.ask("a")
    asked.ask("b", 1)
    runs = asked.serve(update)
    assert [run.outcome.partition(":")[0] for run in runs] == ["TookTooLongError", "ok"]


def test_a_request_begun_by_a_killed_server_is_served_again(asked: Asked) -> None:
    class Killed(BaseException):
        pass

    def update(places: Places, request: Request) -> str:
        asked.update(places, request)
        raise Killed

    asked.ask("a")
    for left in ("a.begun", "a.again"):
        with pytest.raises(Killed):
            asked.serve(update)
        assert names(asked.folder) == [".gitignore", left]
        assert is_open("a", asked.home)
    (run,) = asked.serve(update)
    assert asked.served == ["a", "a"]
    assert "a.again is dropped" in run.outcome
    assert not is_open("a", asked.home)


def test_a_request_made_during_service_is_served_again(asked: Asked) -> None:
    def update(places: Places, request: Request) -> str:
        if not asked.served:
            asked.ask("a")
        return asked.update(places, request)

    asked.ask("a")
    asked.serve(update)
    assert asked.served == ["a", "a"]


def test_another_server_at_work_is_left_to_it(asked: Asked) -> None:
    asked.ask("a")
    with lock(asked.folder / "server"):
        asked.serve()
    assert asked.served == []
    assert is_open("a", asked.home)


def test_a_dead_servers_lock_is_none(asked: Asked) -> None:
    asked.ask("a")
    (asked.folder / "server.lock").touch()
    asked.serve()
    assert asked.served == ["a"]
    assert names(asked.folder) == [".gitignore"]


def test_a_last_moment_request_is_served(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_more(home: Home) -> requests.Claimed | None:
        claimed = requests.claim(home)
        if claimed is None and not is_open("b", home) and "b" not in asked.served:
            asked.ask("b")
            asked.serve()  # the other hook's server finds the lock held
            assert "b" not in asked.served
        return claimed

    monkeypatch.setattr(request_server, "claim", nothing_more)
    asked.ask("a")
    asked.serve()
    assert asked.served == ["a", "b"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"session_id": 1, "transcript": "x", "root": "y"}',
     b'{"session_id": "a", "transcript": "", "root": "y"}',
     b'{"session_id": "a", "transcript": "x", "root": "\\u0000"}',
     b"[" * 100_000, b" " * 100_000],
)  # fmt: skip
def test_a_broken_request_is_given_up(asked: Asked, content: bytes) -> None:
    asked.ask("a")
    (asked.folder / "broken.json").write_bytes(content)
    os.utime(asked.folder / "broken.json", (1, 1))
    runs = asked.serve()
    assert "is dropped" in runs[0].outcome
    assert asked.served == ["a"]
    assert names(asked.folder) == [".gitignore"]


def test_other_files_than_requests_stay(asked: Asked, tmp_path: Path) -> None:
    asked.ask("a")
    (asked.folder / "folder.json").mkdir()
    (asked.folder / "notes.txt").touch()
    (tmp_path / "secret").write_text(json.dumps({"session_id": "s", "transcript": "/x", "root": "/y"}))
    (asked.folder / "link.json").symlink_to(tmp_path / "secret")
    asked.serve()
    assert asked.served == ["a"]
    assert names(asked.folder) == [".gitignore", "folder.json", "link.json", "notes.txt"]


def test_a_killed_hooks_temporary_file_is_swept(asked: Asked) -> None:
    asked.ask("a")
    (asked.folder / f".memtui-{DEAD_PID}-0123456789ab.tmp").touch()
    age(asked.folder)
    asked.serve()
    assert names(asked.folder) == [".gitignore"]


@pytest.mark.parametrize(
    "payload",
    [
        Payload(session_id="", transcript_path="{transcript}"),
        Payload(session_id="../a", transcript_path="{transcript}"),
        Payload(session_id="a", transcript_path="{transcript}", agent_id="x"),
        Payload(session_id="a", transcript_path="/etc/passwd"),
        Payload(session_id="a", transcript_path="{transcript}.gone.jsonl"),
        Payload(session_id="a"),
    ],
)
def test_nothing_is_asked_for_where_there_is_nothing_to_tell(asked: Asked, payload: Payload) -> None:
    asked.ask("other")
    asked.serve()
    transcript = str(asked.claude / "projects" / "-harbor" / "other.jsonl")
    filled = payload._replace(transcript_path=payload.transcript_path.format(transcript=transcript))
    assert not leave_request(filled, asked.project, asked.home)
    assert names(asked.folder) == [".gitignore"]
