"""Memories as resources (``memory://CMEM-...``), and the prompt that restores one."""

from __future__ import annotations

from base64 import b64encode

from mcp import types
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.clean import clean_line
from memtui.mcp.calls import Calls, Refusal
from memtui.mcp.texts import RESULT_BYTES, cut_note, decoded, page, restore_prompt
from memtui.secrets.secrets import MASK
from memtui.store.base import Filter, Listed
from memtui.transcript.short_text import shortened

SCHEME = "memory://"
PAGE = 50
"""Resources per page."""

_MARKDOWN = "text/markdown"

TEMPLATE = types.ResourceTemplate(
    name="memory",
    title="A stored memory",
    uri_template=f"{SCHEME}{{id}}",
    description="The recovery text of a Recovery ID, as it was stored; a long one is cut.",
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
        Refusal: the cursor was not issued by this server.
        FileProblem: see `MemoryStore.list`.
    """
    start = _offset(cursor)
    listing = calls.store.list(Filter(project=calls.project()), limit=PAGE, offset=start)
    after = start + len(listing.items)
    return types.ListResourcesResult(
        resources=[_resource(listed) for listed in listing.items if not listed.problem],
        next_cursor=str(after) if listing.items and after < listing.total else None,
    )


def resource(calls: Calls, uri: str) -> types.ReadResourceResult:
    """The text of a memory, cut if it is too long; invalid UTF-8 is sent as bytes.

    Raises:
        Refusal: the address is not that of a memory, or it has too many bytes.
        FileProblem: see `MemoryStore.get`.
    """
    name = uri[len(SCHEME) :].strip("/")
    if uri[: len(SCHEME)].lower() != SCHEME or not name:
        raise Refusal(f"'{clean_line(uri)}' is not the address of a memory; those are {SCHEME}CMEM-...")
    memory = calls.memory(name)
    text, exact = decoded(memory.body)
    return types.ReadResourceResult(
        contents=[_text(uri, memory, text) if exact or MASK in text else _blob(uri, memory)]
    )


def _text(uri: str, memory: StoredMemory, text: str) -> types.TextResourceContents:
    shown = page(text)
    rest = "" if shown.after is None else f"\n{cut_note(memory.meta.id, shown.after)}\n"
    return types.TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=shown.text + rest)


def _blob(uri: str, memory: StoredMemory) -> types.BlobResourceContents:
    blob = b64encode(memory.body).decode()
    if len(blob) > RESULT_BYTES:
        name = memory.meta.id
        raise Refusal(
            f"{name} is not text, and too long to send; `memtui memory export {name}` gives its bytes."
        )
    return types.BlobResourceContents(uri=uri, mime_type="application/octet-stream", blob=blob)


def prompt(calls: Calls, name: str, arguments: dict[str, str]) -> types.GetPromptResult:
    """The prompt that restores a session.

    Raises:
        Refusal: there is no prompt of this name, or no memory to restore.
        FileProblem: see `MemoryStore.get`.
    """
    if name != RESTORE.name:
        raise Refusal(f"There is no prompt '{clean_line(name)}'; there is '{RESTORE.name}'.")
    memory = calls.memory(arguments.get("id", ""))
    said = types.TextContent(type="text", text=restore_prompt(memory, calls.note_on(memory)))
    return types.GetPromptResult(
        description=f"Go on from {memory.meta.id}", messages=[types.PromptMessage(role="user", content=said)]
    )


def _resource(listed: Listed) -> types.Resource:
    meta = listed.meta
    return types.Resource(
        name=meta.id,
        title=shortened(clean_line(listed.title), 300),
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
