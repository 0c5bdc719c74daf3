"""Memories as resources (``memory://CMEM-...``), and the prompt that goes on from one."""

from __future__ import annotations

from base64 import b64encode

from mcp import types
from memtui.clean import clean_line
from memtui.mcp.calls import Calls, Refusal
from memtui.mcp.texts import decoded, restore_prompt
from memtui.store.base import Filter, Listed

SCHEME = "memory://"
PAGE = 50
"""Resources that are listed at once."""

_MARKDOWN = "text/markdown"

TEMPLATE = types.ResourceTemplate(
    name="memory",
    title="A stored memory",
    uri_template=f"{SCHEME}{{id}}",
    description="The recovery text of a Recovery ID, exactly as it was stored.",
    mime_type=_MARKDOWN,
)

RESTORE = types.Prompt(
    name="restore",
    title="Go on with an earlier session",
    description="Restores a session from its stored recovery text.",
    arguments=[
        types.PromptArgument(
            name="id",
            description="A Recovery ID (CMEM-...); without one, the newest memory of this project.",
            required=False,
        )
    ],
)


def resources(calls: Calls, cursor: str | None) -> types.ListResourcesResult:
    """This project's memories, newest first.

    Raises:
        Refusal: the cursor is none of ours.
        FileProblem: see `MemoryBackend.list`.
    """
    start = _offset(cursor)
    page = calls.store.list(Filter(project=calls.project()), limit=PAGE, offset=start)
    after = start + len(page.items)
    return types.ListResourcesResult(
        resources=[_resource(listed) for listed in page.items if not listed.problem],
        next_cursor=str(after) if page.items and after < page.total else None,
    )


def resource(calls: Calls, uri: str) -> types.ReadResourceResult:
    """The text of a memory; one that is no UTF-8 comes as bytes.

    Raises:
        Refusal: the address is none of a memory.
        FileProblem: see `MemoryBackend.get`.
    """
    name = uri[len(SCHEME) :].strip("/")
    if uri[: len(SCHEME)].lower() != SCHEME or not name:
        raise Refusal(f"'{clean_line(uri)}' is not the address of a memory; those are {SCHEME}CMEM-...")
    body = calls.memory(name).body
    text, exact = decoded(body)
    content: types.TextResourceContents | types.BlobResourceContents
    if exact:
        content = types.TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=text)
    else:
        blob = b64encode(body).decode()
        content = types.BlobResourceContents(uri=uri, mime_type="application/octet-stream", blob=blob)
    return types.ReadResourceResult(contents=[content])


def prompt(calls: Calls, name: str, arguments: dict[str, str]) -> types.GetPromptResult:
    """The prompt that restores a session.

    Raises:
        Refusal: there is no prompt of this name, or no memory to restore.
        FileProblem: see `MemoryBackend.get`.
    """
    if name != RESTORE.name:
        raise Refusal(f"There is no prompt '{clean_line(name)}'; there is '{RESTORE.name}'.")
    memory = calls.memory(arguments.get("id", ""))
    said = types.TextContent(type="text", text=restore_prompt(memory))
    return types.GetPromptResult(
        description=f"Go on from {memory.meta.id}", messages=[types.PromptMessage(role="user", content=said)]
    )


def _resource(listed: Listed) -> types.Resource:
    meta = listed.meta
    return types.Resource(
        name=meta.id,
        title=clean_line(listed.title),
        uri=SCHEME + meta.id,
        description=clean_line(f"{meta.created:%Y-%m-%d %H:%M} {' '.join(meta.tags)}"),
        mime_type=_MARKDOWN,
        annotations=types.Annotations(last_modified=meta.updated.isoformat()),
    )


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 9:
        raise Refusal("The cursor is not one that this server has given.")
    return int(cursor)
