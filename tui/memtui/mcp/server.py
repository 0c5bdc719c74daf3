"""The server and its tools, with the calls and answers of seed 000 (sections 5 and 8).

``core_memory`` exports a text exactly as it was stored, except for masked secrets and invalid UTF-8, which a
`note` mentions; it also says that a memory is stale. Times are ISO 8601 with their offset; `total` counts all
matches, also those left out of the answer.
"""

from __future__ import annotations

import json
import os
import signal
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BeforeValidator, Field, ValidationError

from mcp import types
from memtui import __version__
from memtui.documents.memory import tags_of
from memtui.flows.aftermath import as_object, newest_or_named
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock, system_clock
from memtui.ground.logs import FailureLog, explain
from memtui.ground.project import Home, Places, Project, claude_config, find_root
from memtui.secrets.secrets import MASK, masked, masked_in
from memtui.store.compact import active_sessions, read_plan
from memtui.store.freshness import note_on
from memtui.store.memories import Listed, MemoryStore
from memtui.store.search import NOT_ALL_SEARCHED, Group, Scope, Searcher, not_found, row_of
from memtui.store.search_query import KINDS, Kind, parse_search
from memtui.transcript.short_text import shortened

EVERYWHERE = "*"
"""Accepted instead of a project's folder: all projects."""

_QUERY = 2_000
"""Maximum length of a query in characters."""
RESULT_BYTES = 45_000
"""Bytes of JSON in one result: fewer than 20,000 tokens in every script (estimated at 2.3 bytes a token)."""

_WIDTH = 300
"""Maximum length of a description or a tag in a list."""
_LOST = 120
"""The most rows of `lost`, the worst first."""
_MASKED = "Secrets in it are masked; `memtui memory export` gives the text as it was stored."
_NOT_EXACT = "The text is not valid UTF-8; `memtui memory export` gives its bytes."
# A long recovery text is worth its tokens: without this, Claude Code cuts results (Claude Code fact).
_LONG = {"anthropic/maxResultSizeChars": 500_000}


_Operation = Annotated[Literal["list", "import", "export"], Field(description="What to do.")]
_Text = Annotated[str, Field(description="import: the recovery text; it is kept as it is.")]
_Id = Annotated[str, Field(description="export: a Recovery ID; its beginning will do if it is unique.")]
_Path = Annotated[
    str,
    Field(
        description='A folder of the project that is meant, the current one when left out; "*" for all where '
        "something is listed or searched."
    ),
]
_Description = Annotated[str, Field(description="import: what the session was about, in one line.")]
_Tags = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda tags: tags_of(tags) if isinstance(tags, str) else tags, list[str]),
    Field(description="import: tags to give; list: only memories that have all of them."),
]
_Offset = Annotated[int, Field(ge=0, description="The character to begin with.")]
_Limit = Annotated[int, Field(ge=1, le=100, description="How many at most; of each kind, in a search.")]
_Kinds = Annotated[
    tuple[Literal["sessions", "memories", "claude", "files", "captures", "states", "pins"], ...],
    Field(description="Only these; all when left out."),
]
_Session = Annotated[
    str, Field(description="A session's id, the beginning of one, or a capture; else this session.")
]


def _text(name: str) -> str:
    """What the client is told about the server, or a tool."""
    return Path(__file__).with_name("texts").joinpath(f"{name}.md").read_text("utf-8")


class Refusal(ToolError):  # noqa: N818 - as FileProblem: what the client sees is a problem
    """An invalid call; ``str()`` is one sentence."""


class Surroundings:
    """What the server works on.

    Claude Code fact: a server's environment names the project (2.1.139) and the session (2.1.163).
    """

    def __init__(self, home: Home, clock: Clock, env: Mapping[str, str] = os.environ) -> None:
        named = env.get("CLAUDE_PROJECT_DIR", "")
        # An unset variable is passed on literally: ${CLAUDE_PROJECT_DIR}
        self.start = Path(named) if named and os.path.isdir(named) else Path()  # noqa: PTH112 - may hold anything
        self.home, self.session_id = home, env.get("CLAUDE_CODE_SESSION_ID", "")
        self.store, self.log = MemoryStore(home, clock), FailureLog(home.failure_log, clock)

    def places(self, path: str = "") -> Places:
        """The project that a folder belongs to, the default one for ``*``; refused without such a folder."""
        return Places(Project(self.root("" if path == EVERYWHERE else path)), self.home, claude_config())

    def root(self, path: str) -> Path:
        """The root of the project that a folder belongs to. Raises as `places` does."""
        if not path:
            return find_root(self.start)
        with suppress(OSError, ValueError, RuntimeError):  # too long, a NUL, nobody's home folder
            folder = self.start / Path(path).expanduser()
            if folder.is_dir():
                return find_root(folder)
        raise Refusal(f"There is no folder '{clean_line(path)}'.")


class Server(MCPServer[Any]):
    """The library's server, whose every problem is one sentence."""

    def __init__(self, log: FailureLog) -> None:
        super().__init__(
            "memtui",
            title="memtui: memories of sessions",
            instructions=_text("instructions"),
            version=__version__,
            log_level="CRITICAL",
        )
        self._log = log

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call a tool. A null argument counts as left out; an unknown one is refused."""
        given = {key: value for key, value in arguments.items() if value is not None}
        known = {each.name: each.input_schema["properties"] for each in await self.list_tools()}
        try:
            if name not in known:
                raise Refusal(f"There is no tool '{clean_line(name)}'; there are {', '.join(known)}.")
            for unknown in given.keys() - known[name].keys():
                raise Refusal(f"'{clean_line(unknown)}' is not an argument of this tool.")
            return await super().call_tool(name, given, context)
        except ToolError as error:
            said = clean_line(self._sentence(error, name))
            return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)

    def _sentence(self, error: ToolError, name: str) -> str:
        cause = error if isinstance(error, Refusal) else error.__cause__
        if isinstance(cause, Refusal):
            return str(cause)
        if isinstance(cause, ValidationError):
            first = cause.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            return f"'{where}' is missing." if first["type"] == "missing" else f"{where}: {first['msg']}."
        return explain(self._log, f"calling {name}", cause if isinstance(cause, Exception) else error)


def make_server(here: Surroundings) -> Server:
    server = Server(here.log)
    reads = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    stores = types.ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    )

    @server.tool(
        title="Memories of sessions", description=_text("core_memory"), annotations=stores, meta=_LONG
    )
    def core_memory(
        operation: _Operation,
        text: _Text = "",
        id: _Id = "",  # noqa: A002 - the seed's name
        path: _Path = "",
        description: _Description = "",
        tags: _Tags = (),
        offset: _Offset = 0,
        limit: _Limit = 20,
    ) -> types.CallToolResult:
        def listed() -> dict[str, Any]:
            page = here.store.list("" if path == EVERYWHERE else str(here.root(path)), tags, limit=limit)
            return {"memories": rows_that_fit([row(each) for each in page.items]), "total": page.total}

        done = {
            "import": lambda: _imported(here, text, path, description, tags),
            "export": lambda: _exported(here, _needed(id, "an id"), path, offset),
            "list": listed,
        }[operation]()
        return answer({"operation": operation, **done})

    @server.tool(title="What a compaction lost", description=_text("lost"), annotations=reads)
    def lost(
        session: _Session = "",
        kept: Annotated[bool, Field(description="Also the rows that the summary kept.")] = False,
        path: _Path = "",
    ) -> types.CallToolResult:
        (found,) = newest_or_named(here.places(path), session or here.session_id)
        whole = as_object(found)
        rows = [each for each in whole["rows"] if kept or each["state"] in ("lost", "maybe")]
        return answer(masked_in(whole | {"rows": rows[:_LOST], "rows_left_out": len(rows[_LOST:])}))

    @server.tool(title="Search earlier sessions", description=_text("search"), annotations=reads)
    def search(
        query: Annotated[str, Field(description="A question, or words and filters.", max_length=_QUERY)],
        kinds: _Kinds = (),
        path: _Path = "",
        limit: _Limit = 10,
    ) -> types.CallToolResult:
        wanted = parse_search(query)
        wanted = wanted._replace(kinds=tuple(each for each in KINDS if each in kinds)) if kinds else wanted
        scope = Scope.EVERYWHERE if path == EVERYWHERE else Scope.PROJECT
        groups = Searcher(here.places(path)).search(wanted, scope, limit=limit, budget=20.0)
        whole = all(group.complete for group in groups)
        note = " ".join(filter(None, (*wanted.unread, not_found(groups), "" if whole else NOT_ALL_SEARCHED)))
        found = {
            "results": [row for group in groups for row in _results(group)],
            "totals": {str(group.kind): group.total for group in groups if group.total},
        }
        return answer(masked_in(found | ({"note": note} if note else {})))

    @server.tool(
        title="Workflow sessions", description=_text("session_manager"), annotations=reads, meta=_LONG
    )
    def session_manager(
        operation: Annotated[Literal["list", "read"], Field(description="What to do.")],
        location: Annotated[Literal["active"], Field(description="list: where to look.")] = "active",
        session_id: Annotated[str, Field(description="read: an id of the list.")] = "",
        content_type: Annotated[Literal["plan"], Field(description="read: what of the session.")] = "plan",
        offset: _Offset = 0,
        path: _Path = "",
    ) -> types.CallToolResult:
        project = here.places(path).project
        if operation == "list":
            return answer({"sessions": [{"id": session} for session in active_sessions(project)]})
        return answer(paged(read_plan(project, _needed(session_id, "a session_id")), offset))

    return server


def run_server(home: Home) -> None:
    """Serve one client until it disconnects, or until SIGTERM or SIGINT: files are written whole, or not."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    anyio.run(make_server(Surroundings(home, system_clock)).run_stdio_async)


def _imported(
    here: Surroundings, text: str, path: str, description: str, tags: tuple[str, ...]
) -> dict[str, Any]:
    if not text.strip():
        raise Refusal("There is no text to import.")
    project = str(here.root(path))
    made = here.store.create(
        text.encode(), project, description=description, tags=tags, session_id=here.session_id, source="mcp"
    ).id
    return {"id": made, "message": f"Created memory: {made}"}


def _exported(here: Surroundings, name: str, path: str, offset: int) -> dict[str, Any]:
    memory = here.store.get(here.store.find(name, project=str(here.places(path).project.root)))
    written = memory.body.decode("utf-8", "replace")
    text = masked(written)
    notes = [note_on(memory, here.root(""))]
    if MASK in text and MASK not in written:
        notes.append(_MASKED)
    elif written.encode() != memory.body:
        notes.append(_NOT_EXACT)
    note = " ".join(filter(None, notes))
    # The note comes first: it says how far the text holds.
    return {"id": memory.meta.id, **({"note": note} if note else {}), **paged(text, offset)}


def _needed(value: str, what: str) -> str:
    if not value.strip():
        raise Refusal(f"This operation needs {what}.")
    return value


def _results(group: Group) -> Iterator[dict[str, Any]]:
    """The rows of a group, those of a session with the command that prints what is around."""
    for first, *more in group.results:
        found = {"kind": str(group.kind), **row_of(first, *more)}
        found.pop("transcript", None)
        if group.kind is Kind.SESSION:
            found["read"] = f"memtui transcript {quote(first.agent or first.name)} --at {first.line}"
        yield found


def answer(value: dict[str, Any]) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(value, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=value)


def paged(text: str, start: int = 0) -> dict[str, Any]:
    """A text as fields of an answer, or the page of it that begins at a character."""
    part = text[start : start + RESULT_BYTES]
    fits = bisect_right(range(len(part) + 1), RESULT_BYTES, key=lambda end: _bytes(part[:end])) - 1
    after = start + fits
    if start == 0 and after >= len(text):
        return {"content": text}
    found = {"content": part[:fits], "offset": start, "total_characters": len(text)}
    return found if after >= len(text) else {**found, "next_offset": after}


def rows_that_fit(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    size = 0
    for number, each in enumerate(rows):
        size += _bytes(each)
        if size > RESULT_BYTES:
            return rows[:number]
    return rows


def _bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def row(listed: Listed) -> dict[str, Any]:
    meta = listed.meta
    if listed.problem:
        return {"id": meta.id, "problem": clean_line(listed.problem)}
    return {
        "id": meta.id,
        "description": shortened(masked(clean_line(listed.title)), _WIDTH),
        "project": clean_line(meta.project),
        "created": meta.created.isoformat(),
        "updated": meta.updated.isoformat(),
        "tags": [shortened(clean_line(tag), _WIDTH) for tag in meta.tags[:20]],
    }
