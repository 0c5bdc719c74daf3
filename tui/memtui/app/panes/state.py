"""Pane 4: the session state at a glance (seed 003)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from memtui.app.browser import Browser
from memtui.app.commands import PaneId
from memtui.app.panes.pane import Detail, Pane, Subject, row
from memtui.app.views import StateView, View
from memtui.app.widgets.document import Line, concat, from_markdown, plain, styled
from memtui.clean import clean_line
from memtui.clock import age, local_minute

if TYPE_CHECKING:
    from memtui.formats.session_state import SessionState, Task

_NONE = "No session yet.\n\nStart Claude Code in this folder: the state of its session shows here."
_BARE = "Neither a goal nor a task yet: enter shows the document."
_NEXT = 3
"""Upcoming tasks shown at a glance."""


class _Row(NamedTuple):
    label: str
    text: str
    style: str


class StatePane(Pane):
    """What one wants at a glance: the goal, the task in progress, what is next, the last error, the phase."""

    pane_id = PaneId.STATE
    number = 4

    def __init__(self, browser: Browser) -> None:
        super().__init__(browser, empty=_NONE)
        self.view = StateView()
        self._glance: dict[str, _Row] = {}

    def apply(self, view: View) -> None:
        """Show a newer state."""
        if isinstance(view, StateView):
            self.view = view
            rows = list(_glance(view.state)) if view.state else []
            # Keys by meaning, so that the selection stays on "next" when a task is done.
            self._glance = {f"{number} {glance.label}": glance for number, glance in enumerate(rows)}
            self.say_when_empty(clean_line(view.problem) or (_BARE if view.state else _NONE))
            self.show_rows()

    def all_keys(self) -> Sequence[str]:
        """Every key, in the order shown."""
        return tuple(self._glance)

    def count(self) -> str:
        """What stands behind the title."""
        if self.view.state is None:
            return ""
        return "drafted" if self.view.drafted else f"v{self.view.state.version}"

    def text_of(self, key: str) -> str:
        """What the filter looks in."""
        glance = self._glance.get(key)
        return f"{glance.label} {glance.text}" if glance else key

    def draw_row(self, key: str, width: int) -> Content:
        """One row."""
        glance = self._glance.get(key)
        if glance is None:
            return Content("")
        return row([(glance.label, glance.style), " ", clean_line(glance.text)], "", width)

    def detail(self, key: str | None) -> Detail:
        """What the detail shows."""
        view = self.view
        if view.state is None:
            return Detail(
                "", "Session state", plain(view.problem or _NONE, "warn" if view.problem else "dim")
            )
        now = self.clock()
        when = f"{local_minute(view.written)} · {age(view.written, now)}" if view.written else "time unknown"
        session = f" · session {view.session_id[:8]}" if view.session_id else ""
        if view.drafted:
            head = styled(("drafted", "warn"), f" from the transcript{session}", (f" · {when}", "dim"))
        else:
            head = styled(("stored", "good"), session, (f" · {when}", "dim"))
        title = f"Session state v{view.state.version}" + (" drafted" if view.drafted else "")
        return Detail(f"state {view.session_id}", title, concat(head, Line(""), from_markdown(view.text)))

    def subject(self, key: str | None) -> Subject:
        """What keys can act on."""
        view = self.view
        return Subject(
            no_recovery_id="A session state has no Recovery ID.",
            file=view.path,
            no_file="This state is drafted from the transcript: there is no file of it to edit.",
            transcript=view.transcript,
            no_transcript="The transcript of this session is not there any more.",
        )


def _glance(state: SessionState) -> Iterator[_Row]:
    from memtui.formats.session_state import TaskKind

    if state.identity.goal:
        yield _Row("goal", state.identity.goal, "$quiet")
    for task in state.tasks:
        if task.kind is TaskKind.IN_PROGRESS:
            yield _Row("▸ IN PROGRESS:", task.text, "bold $accent")
            yield from _children(task)
    coming = [task for task in state.tasks if task.kind in (TaskKind.NEXT, TaskKind.OPEN, TaskKind.LATER)]
    for task in coming[:_NEXT]:
        yield _Row("next", task.text, "$quiet")
    if len(coming) > _NEXT:
        yield _Row("…", f"{len(coming) - _NEXT} more to do", "$quiet")
    done = sum(1 for task in state.tasks if task.kind is TaskKind.DONE)
    if done:
        yield _Row("✓", f"{done} done", "$success")
    if state.working.last_error:
        yield _Row("error", state.working.last_error, "$error")
    if state.dynamics.phase:
        yield _Row("phase", state.dynamics.phase, "$quiet")


def _children(task: Task) -> Iterator[_Row]:
    from memtui.formats.session_state import TaskKind

    for child in task.children:
        if child.kind is TaskKind.BLOCKER and child.text.casefold() in ("", "none", "n/a"):
            continue
        label = "  blocker" if child.kind is TaskKind.BLOCKER else "  ·"
        yield _Row(label, child.text, "$error" if child.kind is TaskKind.BLOCKER else "$quiet")
