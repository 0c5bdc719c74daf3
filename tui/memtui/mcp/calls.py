"""The common path of all client calls: the project, the thread, and error reporting."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio
from anyio import to_thread
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from mcp import types
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.clean import clean_line
from memtui.ground.failures import FailureLog, explain
from memtui.ground.project import Home, find_root, memtui_home
from memtui.store.base import Filter
from memtui.store.freshness import note_on
from memtui.store.memories import MemoryStore

EVERYWHERE = "*"
"""Accepted instead of a project's folder: all projects."""

_THREADS = 8

_NEWEST = 10
"""The most memories tried to find a readable one."""

_Result = TypeVar("_Result")


class Refusal(Exception):  # noqa: N818 - as FileProblem: what the client sees is a problem
    """An invalid call; ``str()`` is one sentence."""


class Arguments(BaseModel):
    """Arguments of a tool. A null argument counts as left out; an unknown one is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class Calls:
    """The server's environment, and the boundary of every call."""

    store: MemoryStore
    start: Path
    """The folder of the default project."""
    log: FailureLog
    home: Home = field(default_factory=memtui_home)
    """memtui's own folders."""
    session_id: str = ""
    """Claude Code's session id, if known."""
    _threads: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_THREADS))

    def root(self, path: str = "") -> Path:
        """The root of the project that a folder belongs to.

        Raises:
            Refusal: there is no such folder.
        """
        if not path:
            return find_root(self.start)
        try:
            folder = self.start / Path(path).expanduser()
            if folder.is_dir():
                return find_root(folder)
        except (OSError, ValueError, RuntimeError):  # too long, a NUL, nobody's home folder
            pass
        raise Refusal(f"There is no folder '{clean_line(path)}'.")

    def project(self, path: str = "") -> str:
        """A project's root for the store's filter; "" for all projects. Raises as `root` does."""
        return "" if path == EVERYWHERE else str(self.root(path))

    def memory(self, beginning: str, path: str = "") -> StoredMemory:
        """A memory by its id or the beginning of it; without an id, the newest of a project.

        Raises:
            Refusal: the project has none.
            FileProblem: see `MemoryStore.find` and `MemoryStore.get`.
        """
        if beginning.strip():
            root = self.root("" if path == EVERYWHERE else path)
            return self.store.get(self.store.find(beginning, project=str(root)))
        project = self.project(path)
        page = self.store.list(Filter(project=project), limit=_NEWEST)
        newest = next((listed for listed in page.items if not listed.problem), None)
        if newest is None:
            raise Refusal(f"No memory is stored for {clean_line(project) or 'any project'}.")
        return self.store.get(newest.meta.id)

    def note_on(self, memory: StoredMemory) -> str:
        """A note that files which a memory names have changed since; "" if none has."""
        return note_on(memory, self.root())

    async def run(self, doing: str, call: Callable[[], _Result]) -> _Result:
        """Run a call in a thread, to its end, while others are served.

        Raises:
            Refusal: it failed, with the message that the command line would print. Unexpected errors are
            recorded in `log`.
        """
        try:
            return await to_thread.run_sync(call, limiter=self._threads)
        except Refusal:
            raise
        except ValidationError as error:
            raise Refusal(_in_words(error)) from error
        except Exception as error:
            raise Refusal(clean_line(explain(self.log, doing, error))) from error

    async def finished(self) -> None:
        """Wait until no call is running."""
        for _ in range(_THREADS):
            await self._threads.acquire_on_behalf_of(object())

    async def tool(self, name: str, call: Callable[[], Mapping[str, Any]]) -> types.CallToolResult:
        """Run a tool's call; a failure is returned as a result that the model reads."""
        try:
            value = dict(await self.run(f"calling {name}", call))
        except Refusal as refusal:
            return types.CallToolResult(content=[_text(str(refusal))], is_error=True)
        written = json.dumps(value, ensure_ascii=False)
        return types.CallToolResult(content=[_text(written)], structured_content=value)

    async def request(self, doing: str, call: Callable[[], _Result]) -> _Result:
        """Run any other call.

        Raises:
            MCPError: it failed; see `run`.
        """
        try:
            return await self.run(doing, call)
        except Refusal as refusal:
            raise MCPError(code=types.INVALID_PARAMS, message=str(refusal)) from refusal


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _in_words(error: ValidationError) -> str:
    """The first problem with a tool's arguments, as a sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = clean_line(".".join(map(str, first["loc"]))) or "the arguments"
    reasons = {"missing": "is missing", "extra_forbidden": "is not an argument of this tool"}
    reason = reasons.get(first["type"])
    return f"{where}: {clean_line(first['msg'])}." if reason is None else f"'{where}' {reason}."
