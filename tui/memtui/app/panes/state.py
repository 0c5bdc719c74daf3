"""Pane 4: the session state at a glance (seed 003); its versions, its next one, and other sessions."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events, work
from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.app.base import RESTORES, TASK_SIGNS, reported
from memtui.app.listings import StateView, View
from memtui.app.panes.pane import Detail, Pane, PaneId, Progress, Subject
from memtui.app.project import ProjectModel
from memtui.app.screens.asking import BUSY, ModelQuestion, reason_not_used
from memtui.app.widgets.document import EMPTY, Document, Line, concat, line, plain, styled
from memtui.app.widgets.row_list import row
from memtui.ground.clean import clean_line
from memtui.ground.clock import age, local_minute
from memtui.ground.files import FileProblem
from memtui.transcript import ReadingCancelledError

if TYPE_CHECKING:
    from memtui.documents.session_state import SessionState, Task
    from memtui.store.states import StoredState

_NONE = "No session yet.\n\nStart Claude Code in this folder: the state of its session shows here."
_READING = "Reading the transcript …"
_NO_SESSION = "There is no session yet: start Claude Code in this folder."
_MODEL = "let a model word the next version (claude -p)"
_ASKING = "asking claude · esc cancels"
_CHART, _NEXT_COMPACTION = "context", "ahead"
"""The folds of the chart, and of what the next compaction would take."""
_NEXT = 3
_SOURCE_WITHIN = 200  # the last characters of a row, in which its source is looked for: a goal may be long
_WORDS = r"(?i)(?:last (?=asked)|Claude (?=said last))(asked|said)(?: last)?(?: \([^)]*\))?: "
"""Before words that a state quotes below a task: the last that the person or Claude said."""
_RESOLVED = r"(?i)\s*\((?:resolved|fixed|solved)\b[^()]*\)\.?\s*$|, ok when it ran (?:again|as)\b"
"""After an error that is over: the file format's "+ resolution if fixed" (seed 003), or a later run."""


class _Row(NamedTuple):
    label: str
    text: str
    style: str


class StatePane(Pane):
    """The overview: the goal, the task in progress, the next one, the last error, the phase."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "versions", "versions", id="versions", tooltip="versions, and their differences"),
        Binding("n", "update", "update", id="update", tooltip="write a new version of the session state now"),
        Binding("m", "ask_model", "model", id="model", tooltip=_MODEL),
        Binding("Y", "copy_notes", "copy text", id="copy_prompt", tooltip=RESTORES),
        Binding("[", "switch(-1)", "newer", id="newer", tooltip="the newer session, turn or group before"),
        Binding("]", "switch(1)", "older", id="older", tooltip="the older session, turn or group after"),
    ]
    pane_id = PaneId.STATE
    number = 4
    title = "Session state"
    views = (StateView,)
    signs = TASK_SIGNS | {"v": "version; the key v shows all", "quiet": "how long nothing was said"}
    detail_signs: ClassVar[Mapping[str, str]] = TASK_SIGNS | {
        "▸": "a task in progress; before a title: folded, enter opens it",
        "▾": "open: enter folds it",
        "▼": "a compaction",
    }
    about = "Where the newest session stands: goal, tasks, decisions, errors."

    def __init__(self, model: ProjectModel) -> None:
        super().__init__(model)
        self.view = StateView(reading=True)
        self.trouble = ""
        self.doing = self.at_rest = ""
        """The subtitle of its border: a running action, or `at_rest` while none runs."""
        self._glance: dict[str, _Row] = {}
        self._wanted = 0
        """Number of rows that it asks room for."""
        self._called: str | None = ""
        """The session's name; None until its transcript is read."""
        self._ages = ""
        self.question = ModelQuestion()

    def let_time_pass(self) -> None:
        super().let_time_pass()
        if self._ages != (ages := self._head().text):
            self._ages = ages
            self.post_message(self.Changed(self))  # the detail begins with them

    def apply(self, view: View) -> None:
        assert isinstance(view, StateView)
        if view.session_id != self.view.session_id:
            self._called = None if view.transcript else ""
        self.view, self.unread = view, view.reading or self._called is None
        self._show()
        if view.transcript is not None:
            self._read_name(view.transcript)

    def _show(self) -> None:
        state = None if self.unread else self.view.state
        rows = list(_glance(state, self._called or "")) if state else []
        self._wanted = len(rows)
        rows += _more(state) if state else []
        # Keys by meaning, so that the selection stays on "next" when a task is done.
        met = Counter[str]()
        self._glance = {}
        for glance in rows:
            met[glance.label] += 1
            self._glance[f"{glance.label} {met[glance.label]}"] = glance
        self.show_rows()
        self.post_message(self.Changed(self))

    @work(group="name", exclusive=True, exit_on_error=False)
    async def _read_name(self, transcript: Path) -> None:
        await self.app.painted.wait()
        name = ""
        with suppress(OSError, FileProblem):
            name = await asyncio.to_thread(self.model.readings.name, transcript)
        if name != self._called:
            self._called, self.unread = name, self.view.reading
            self._show()

    @property
    def nothing(self) -> str:
        if self.unread:
            return _READING
        bare = "Neither a goal nor a task yet: enter shows the document."
        return clean_line(self.view.problem) or (bare if self.view.state else _NONE)

    def all_keys(self) -> Sequence[str]:
        return tuple(self._glance)

    def count(self) -> str:
        if self.view.state is None:
            return ""
        return "drafted" if self.view.drafted else f"v{self.view.state.version}"

    def count_in_border(self) -> str:
        quiet = self.quiet.replace(" for", "")  # a border has little room
        return " · ".join(part for part in (self.count(), self._session, quiet) if part)

    @property
    def _session(self) -> str:
        return f"session {self.place}" if self.place else ""

    @property
    def place(self) -> str:
        sessions = self.view.sessions
        if len(sessions) < 2 or self.view.session_id not in sessions:
            return ""
        return f"{sessions.index(self.view.session_id) + 1}/{len(sessions)}"

    @property
    def quiet(self) -> str:
        """The idle time of the session: `quiet for 2 h`; "" while it is active."""
        active, now = self.view.active, self.clock()
        if active is None or now - active < timedelta(minutes=5):
            return ""
        return f"quiet for {age(active, now).removesuffix(' ago')}"

    def on_click(self, event: events.Click) -> None:
        if event.y == 0 and self.styles.border_top[0] and not self.filter_text:
            self.call_later(self.app.run_action, "app.sessions")

    def wanted_height(self, width: int) -> int:
        return super().wanted_height(width) - len(self.rows[self._wanted :])

    def text_of(self, key: str) -> str:
        glance = self._glance[key]
        return f"{glance.label} {glance.text}"

    def line_of(self, key: str) -> str:
        glance = self._glance[key]
        return "" if glance.label in ("…", "✓", "phase", "session") else glance.text

    def draw_row(self, key: str, width: int) -> Content:
        glance = self._glance[key]
        text = clean_line(glance.text)
        if cell_len(f"{glance.label} {text}") > width:  # the detail names the source
            start = max(0, len(text) - _SOURCE_WITHIN)
            text = text[:start] + re.sub(r" \([^()]*\bL\d+\b[^()]*\)$", "", text[start:])
        return row([(glance.label, glance.style), " ", text], "", width)

    @property
    def detail(self) -> Detail:
        """The state, whatever row of it is selected."""
        view = self.view
        key = f"state {view.session_id}"
        if view.state is None:
            message = view.problem or (_READING if view.reading else _NONE)
            document = plain(message, "warn" if view.problem else "dim")
            if view.text:
                document = concat(document, Line(""), plain(view.text))
            return Detail(key, self._session.capitalize() or "Session state", document)
        version = "drafted" if view.drafted else f"version {view.state.version}"
        number = self._session.capitalize() or "Session"
        title = " · ".join(part for part in (number, version, clean_line(self._called or "")) if part)
        from memtui.app.details.session import state_document  # the first paint has no state

        head, text = self._head(), state_document(view.text)
        # Where there is no room, the chart is folded at first.
        folded = self.screen.has_class("-short") != (_CHART in self.toggled)
        unfolded = _NEXT_COMPACTION in self.toggled
        transcript = view.transcript
        if transcript is None:
            return Detail(key, title, concat(head, Line(""), text))

        def with_course(progress: Progress) -> Document:
            history = self._context_history(transcript, progress, folded=folded)
            return concat(head, Line(""), history, self._ahead(transcript, unfolded=unfolded), text)

        return Detail(key, title, concat(head, Line(""), text), with_course)

    @property
    def words_in_detail(self) -> str:
        label, text, _ = self._glance.get(self.selected or "", ("", "", ""))
        known = {"…": "TASK TREE", "✓": "TASK TREE", "goal": "Session goal"}
        return known.get(label, text.replace("`", "")[:40])

    def _head(self) -> Document:
        view, now = self.view, self.clock()
        when = f"{local_minute(view.written)} · {age(view.written, now)}" if view.written else "time unknown"
        when += f" · {view.session_id[:8]}" if view.session_id else ""
        if view.drafted:
            lines = [styled(("drafted", "warn"), " from the transcript", (f" · {when}", "dim"))]
        else:
            lines = [styled(("stored", "good"), (f" · {when}", "dim"))]
        behind = f"some {view.since}k tokens since this version" if view.since else ""
        quiet = f"{self.quiet}, since {local_minute(view.active)}" if view.active and self.quiet else ""
        if behind or quiet:
            lines.append(styled((" · ".join(part for part in (quiet, behind) if part), "dim")))
        if self.trouble:
            lines.append(styled(("No version could be written: ", "bad"), self.trouble))
        return Document(lines)

    def _context_history(self, transcript: Path, progress: Progress, *, folded: bool) -> Document:
        from memtui.app.details.memory import fold
        from memtui.app.details.session import context_chart

        try:
            facts = self.model.readings.facts(transcript, None, progress.cancelled)
        except (OSError, ReadingCancelledError):
            return EMPTY
        chart = context_chart(facts.context_sizes, facts.compactions)
        if not chart:
            return EMPTY
        (title, *inner), open_folds = chart.lines, () if folded else (_CHART,)
        name, _, now = title.text.partition(" · ")
        return Document([*fold(_CHART, name, now, inner, open_folds), Line("")])

    def _ahead(self, transcript: Path, *, unfolded: bool) -> Document:
        """Candidates of the next compaction, read only when the part is unfolded, as that takes a while."""
        from memtui.app.details.memory import fold
        from memtui.secrets.secrets import masked

        remark, lines = "what it would take", []
        if unfolded:
            from memtui.lost.ahead import lines_of

            try:
                ahead = self.model.readings.ahead(transcript)
                remark, lines = ahead.line, lines_of(ahead, 20)
            except OSError as error:
                remark = str(error)
        inner = [line(f"  · {masked(each)}", hang=4) for each in lines]
        opened = fold(_NEXT_COMPACTION, "Next compaction", remark, inner, (_NEXT_COMPACTION,) * unfolded)
        return Document([*opened, Line("")])

    @property
    def subject(self) -> Subject:
        view = self.view
        if not view.session_id:
            return Subject(file=_NO_SESSION, transcript=_NO_SESSION)
        return Subject(
            no_recovery_id="A session state has no Recovery ID.",
            file=view.path or "This state is drafted from the transcript: there is no file of it to edit.",
            transcript=view.transcript or "The transcript of this session no longer exists.",
        )

    @property
    def idle_keys(self) -> frozenset[str]:
        view = self.view
        idle = [] if view.session_id else ["versions", "update", "ask_model", "copy_notes"]
        idle += ["switch(-1)"] if view.session_id in ("", *view.sessions[:1]) else []
        return frozenset([*idle, *(["switch(1)"] if view.session_id in ("", *view.sessions[-1:]) else [])])

    def action_switch(self, step: int) -> None:
        """Show another session. At the newest one, always follow the newest."""
        sessions = self.view.sessions
        if not self.place:
            none = "This project has no other session."
            self.app.warn(none if self.view.session_id else _NO_SESSION)
            return
        wanted = sessions.index(self.view.session_id) + step
        if not 0 <= wanted < len(sessions):
            self.app.warn(f"This is the {'newest' if step < 0 else 'oldest'} session.")
            return
        session = sessions[wanted]
        chosen = "" if session == sessions[0] else session
        self.hold(self.index > 0)
        self.model.show_session(chosen)
        self.apply(StateView(session_id=session, sessions=sessions, reading=True, chosen=chosen))
        self.app.hint("states")

    def action_versions(self) -> None:
        from memtui.app.screens.versions import VersionsScreen, state_versions

        view = self.view
        if not view.session_id:
            self.app.warn(_NO_SESSION)
        elif view.path is None:
            self.app.warn("No version of this state is stored yet: n writes the first one.")
        else:
            read = partial(state_versions, self.model.states, view.session_id)
            self.app.push_screen(VersionsScreen(view.session_id[:8], read, self.clock))

    @reported("making the notes", group="copy")
    async def action_copy_notes(self) -> None:
        from memtui.flows.restore import restore_session

        session, model = self.view.session_id, self.model
        if not session:
            self.app.warn(_NO_SESSION)
            return
        notes = await asyncio.to_thread(restore_session, model.places, model.clock, session=session)
        self.app.copy_text(notes.text, name=f"the text that restores session {clean_line(session)[:8]}")

    @work(group="update", exclusive=True, exit_on_error=False)
    async def action_update(self) -> None:
        """Write a new version of the current session, from the words said since the last one."""
        transcript, model = self._transcript(), self.model
        if transcript is None:
            return
        from memtui.store.state_updates import update_state

        self._show_doing("reading the transcript …")
        try:
            with self.app.reporting("updating the session state"):
                stored = await asyncio.to_thread(update_state, model.places, transcript=transcript)
                self.app.hint("states")
                if stored is None:
                    self.app.say(f"Nothing new to say since {self.count()}.")
                else:
                    self.app.say(f"Version {stored.version} is written: v shows what has changed.")
        finally:
            self._show_doing("")

    @work(group="model", exit_on_error=False)
    async def action_ask_model(self) -> None:
        """Let `claude -p` word the next version; if that fails, the facts-only version is written."""
        if self.question.is_open:
            self.app.warn(BUSY)
            return
        transcript, model = self._transcript(), self.model
        if transcript is None:
            return
        from memtui.engines.drafts import update_by_claude

        def ask(cancelled: Callable[[], bool]) -> tuple[StoredState | None, str]:
            return update_by_claude(model.places, transcript=transcript, cancelled=cancelled)

        self._show_doing(_ASKING)
        self.app.say("Asking claude for the next version: that may take some minutes. esc cancels.")
        try:
            with self.app.reporting("asking claude"):
                stored, problem = await self.question.ask(ask)
                self.app.hint("states")
                version = f"version {stored.version}" if stored else ""
                if problem:
                    stands = f"{version} is made from the facts" if version else f"{self.count()} stands"
                    self.app.warn(f"{reason_not_used(problem)}: {stands}.")
                else:
                    self.app.say(f"Claude wrote {version}." if version else "Claude had nothing to add.")
        finally:
            self._show_doing("")

    def _show_doing(self, text: str) -> None:
        self.doing = text or (_ASKING if self.question.is_open else "")
        self.border_subtitle = Content(self.doing or self.at_rest)

    def _transcript(self) -> Path | None:
        if self.view.transcript is None:
            gone = "The transcript of this session no longer exists: nothing can be added to its state."
            self.app.warn(gone if self.view.session_id else _NO_SESSION)
        return self.view.transcript

    def kept(self, problem: str) -> None:
        if problem and problem != self.trouble:
            self.app.warn(f"The session state is not kept: {problem}")
        self.trouble = problem
        self.app.hint("states")
        self.post_message(self.Changed(self))


def _glance(state: SessionState, name: str) -> Iterator[_Row]:
    from memtui.documents.session_state import TaskKind
    from memtui.documents.work import goal_words

    goal = goal_words(state.identity.goal or "")
    # A session that is named after its first request has the same text as goal.
    if name and not goal.startswith(name.rstrip("…")):
        yield _Row("session", name, "$quiet")
    if goal:
        yield _Row("goal", goal, "bold")
    for task in state.tasks:
        if task.kind is TaskKind.IN_PROGRESS:
            yield _Row("asked" if task.text.startswith('"') else "▸", task.text, "bold $accent")
            yield from _children(task)
    coming = [task for task in state.tasks if task.kind in (TaskKind.NEXT, TaskKind.OPEN, TaskKind.LATER)]
    for task in coming[:_NEXT]:
        yield _Row("○", task.text, "$quiet")
    if len(coming) > _NEXT:
        yield _Row("…", f"{len(coming) - _NEXT} more to do", "$quiet")
    done = sum(1 for task in state.tasks if task.kind is TaskKind.DONE)
    if done:
        yield _Row("✓", f"{done} done", "$success")
    if error := state.working.last_error:
        over = re.search(_RESOLVED, error)
        yield _Row("resolved", error[: over.start()], "$quiet") if over else _Row("error", error, "$warning")
    if state.dynamics.phase:
        yield _Row("phase", state.dynamics.phase, "$quiet")


def _more(state: SessionState) -> Iterator[_Row]:
    """Rows for the rest of the pane: the last words, decisions, finished tasks, as in the detail."""
    from memtui.documents.session_state import TaskKind

    for task in state.tasks:
        if words := re.match(_WORDS, task.text):
            yield _Row(words[1].lower(), task.text[words.end() :], "$quiet")
    yield from (_Row("decided", each.text, "$quiet") for each in state.decisions)
    yield from (_Row("done", each.text, "$quiet") for each in state.tasks if each.kind is TaskKind.DONE)


def _children(task: Task) -> Iterator[_Row]:
    from memtui.documents.session_state import TaskKind
    from memtui.documents.state_draft import NO_BLOCKER

    nothing = ("", "none", "n/a", NO_BLOCKER.casefold())
    for child in task.children:
        if child.kind is TaskKind.BLOCKER:
            if child.text.casefold() not in nothing:
                yield _Row("  blocker", child.text, "$warning")
        elif words := re.match(_WORDS, child.text):
            yield _Row(words[1].lower(), child.text[words.end() :], "$quiet")
        else:
            yield _Row("  ·", child.text, "$quiet")
