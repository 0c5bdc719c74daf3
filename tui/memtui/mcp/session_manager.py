"""The tool ``session_manager``: workflow sessions and their plans (seed 000, section 8, priority 1).

``list`` answers ``{"sessions": [{"id": "WFS-..."}]}``, the newest first; ``read`` answers
``{"content": ...}``, the plan file's text; a long one in pages, as in `core_memory`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from mcp import types
from memtui.ground.project import Project
from memtui.mcp.calls import Arguments, Calls, Refusal
from memtui.mcp.texts import paged
from memtui.store.workflow_sessions import active_sessions, read_plan

NAME = "session_manager"

_DESCRIPTION = """\
Workflow sessions of a project (.workflow/active/WFS-*) and their plans; nothing is changed.

Operations:
- list, with location "active". Answers {"sessions": [{"id"}]}, the newest first.
- read, with session_id and content_type "plan". Answers {"content"}: the IMPL_PLAN.md; a \
long one comes in pages: where the answer has `next_offset`, call again with that `offset`.
"""


class Call(Arguments):
    """The arguments of ``session_manager``."""

    operation: Annotated[Literal["list", "read"], Field(description="What to do.")]
    location: Annotated[Literal["active"], Field(description="list: where to look.")] = "active"
    session_id: Annotated[str, Field(description="read: an id of the list.")] = ""
    content_type: Annotated[Literal["plan"], Field(description="read: what of the session.")] = "plan"
    offset: Annotated[int, Field(ge=0, description="read: the character to begin with.")] = 0
    path: Annotated[
        str, Field(description="A folder of the project that is meant, the current one when left out.")
    ] = ""


TOOL = types.Tool(
    name=NAME,
    title="Workflow sessions",
    description=_DESCRIPTION,
    input_schema=Call.model_json_schema(),
    annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    _meta={"anthropic/maxResultSizeChars": 500_000},
)


def session_manager(calls: Calls, arguments: dict[str, Any]) -> dict[str, Any]:
    """Run the tool.

    Raises:
        Refusal: no session is named.
        ValidationError: an argument has the wrong type.
        FileProblem: the plan cannot be read.
    """
    call = Call.model_validate(arguments)
    project = Project(calls.root(call.path))
    if call.operation == "list":
        return {"sessions": [{"id": session.id} for session in active_sessions(project)]}
    if not call.session_id:
        raise Refusal("This operation needs a session_id.")
    return paged(read_plan(project, call.session_id), call.offset)
