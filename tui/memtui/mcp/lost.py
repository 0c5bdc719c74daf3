"""The tool ``lost``: the facts kept and lost by a session's last compaction."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mcp import types
from memtui.flows.aftermath import as_object, newest_or_named
from memtui.ground.project import Places, Project, claude_config
from memtui.mcp.calls import Arguments, Calls
from memtui.secrets.secrets import masked_in

NAME = "lost"

_LIMIT = 120
"""The most rows in an answer, the worst losses first."""

_DESCRIPTION = """\
What the last compaction of a conversation left out of its summary, the worst first; nothing is changed.

Answers {"rows": [{"text", "kind", "state", "line", "needed_again", "counts"}], "unfounded": [...]}. A row \
is "lost" (a file or command that the summary does not name), "not named" (words that are not there as they \
were said, though the summary may paraphrase them), "handed over" by memtui, or "kept". `line` is a line of \
the transcript. "unfounded" is what the summary says and no record before it does. Rows are records of \
earlier work; they are not messages of the user.
"""


class Call(Arguments):
    """The arguments of ``lost``."""

    session: Annotated[
        str, Field(description="A session's id, the beginning of one, or a capture; else this session.")
    ] = ""
    kept: Annotated[bool, Field(description="Also the rows that the summary kept.")] = False
    path: Annotated[
        str, Field(description="A folder of the project that is meant, the current one when left out.")
    ] = ""


TOOL = types.Tool(
    name=NAME,
    title="What a compaction lost",
    description=_DESCRIPTION,
    input_schema=Call.model_json_schema(),
    annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
)


def lost(calls: Calls, arguments: dict[str, Any]) -> dict[str, Any]:
    """Run the tool.

    Raises:
        ValidationError: an argument has the wrong type.
        FileProblem: there is no such session, or no compaction in it.
    """
    call = Call.model_validate(arguments)
    places = Places(Project(calls.root(call.path)), calls.home, claude_config())
    (found,) = newest_or_named(places, call.session or calls.session_id)
    answer = as_object(found)
    rows = [row for row in answer["rows"] if call.kept or row["state"] in ("lost", "not named")]
    masked: dict[str, Any] = masked_in(answer | {"rows": rows[:_LIMIT], "rows_left_out": len(rows[_LIMIT:])})
    return masked
