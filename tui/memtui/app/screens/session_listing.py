"""The list of the sessions screen: its rows, their order, and their look."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from memtui.app.details.session_rows import Column, agent_row, columns_in, heading, matches, ordered, row
from memtui.app.screens.session_agents import AgentRows
from memtui.store.session_list import Agent, Session


class SessionListing:
    """The sessions by key, filtered and sorted, with the subagents of unfolded ones."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._column = Column.WHEN
        self._branches = False
        """Whether there are sessions of several branches."""
        self._matching = 0
        """The sessions that the filter lets through; counted by `rows`."""
        self.agents = AgentRows()
        self.filter = ""
        self.everywhere = False
        """Whether sessions of all projects are listed."""

    def replace(self, sessions: Iterable[Session]) -> None:
        """Replace all sessions."""
        self._sessions = {str(each.path): each for each in sessions}

    def put(self, session: Session) -> None:
        """Add a session, or replace it."""
        self._sessions[str(session.path)] = session

    def drop(self, session: Session) -> None:
        """Remove a session."""
        self._sessions.pop(str(session.path), None)

    def sort(self, step: int) -> None:
        """Sort by another column."""
        columns = list(Column)
        self._column = columns[(columns.index(self._column) + step) % len(columns)]

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all sessions, including those hidden by the filter."""
        return frozenset(self._sessions)

    def rows(self) -> list[str]:
        """The keys of the visible rows, in order."""
        branches = {each.summary.branch for each in self._sessions.values() if each.summary.branch}
        self._branches = len(branches) > 1
        matching = [each for each in self._sessions.values() if matches(each, self.filter)]
        self._matching = len(matching)
        return list(self.agents.rows(ordered(matching, self._column)))

    def session(self, key: str) -> Session | None:
        """The session of a row, which may be a subagent's."""
        return self._sessions.get(self.agents.owner(key))

    def agent(self, key: str) -> Agent | None:
        """The subagent of a row; None for a session's row."""
        return self.agents.agent(key)

    def title(self, marked: int) -> Content:
        """The number of sessions, their projects, and the number of marked ones."""
        total = len(self._sessions)
        count = f'{self._matching}/{total} · "{self.filter}" ✕' if self.filter else f"{total}"
        count += f" · {marked} marked" if marked else ""
        where = " of all projects" if self.everywhere else ""
        return Content.assemble("Sessions ", (count, "$accent"), (where, "$quiet"))

    def heading(self, width: int) -> Content:
        """The names of the columns."""
        return heading(width, self._column, self._columns(width), project=self.everywhere)

    def draw(self, key: str, width: int) -> Content:
        """One row."""
        if (agent := self.agents.agent(key)) is not None:
            return agent_row(agent, width)
        session = self._sessions.get(key)
        return row(session, width, self._columns(width), project=self.everywhere) if session else Content("")

    def _columns(self, width: int) -> tuple[Column, ...]:
        return columns_in(width, self._column, branches=self._branches)
