"""The subagents shown below their sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memtui.store.session_list import Agent, Session


class AgentRows:
    """The rows of the subagents of unfolded sessions, by key."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[Session, Agent]] = {}

    def unfold(self, session: Session, agents: Iterable[Agent]) -> None:
        """Show the subagents of a session."""
        self._rows |= {str(each.path): (session, each) for each in agents}

    def fold(self, session: Session) -> None:
        """Hide them again."""
        self._rows = {key: row for key, row in self._rows.items() if row[0].path != session.path}

    def agent(self, key: str) -> Agent | None:
        """The subagent of a row; None for a session's row."""
        return self._rows[key][1] if key in self._rows else None

    def owner(self, key: str) -> str:
        """The session's row for any row: itself, or that of the subagent's session."""
        return str(self._rows[key][0].path) if key in self._rows else key

    def rows(self, sessions: Iterable[Session]) -> Iterator[str]:
        """All rows: each session, followed by its visible subagents."""
        for session in sessions:
            yield str(session.path)
            yield from (key for key, row in self._rows.items() if row[0].path == session.path)
