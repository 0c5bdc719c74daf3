"""The top line: project, branch, and the live mark."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.app.model.live_updates import Liveness, Mark
from memtui.app.model.sharing import SyncStatus
from memtui.ground.clean import clean_line
from memtui.ground.named import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.lost.context_gauge import Gauge

_CELLS = 8
_NAMED = 80
"""Width in columns from which on the remote is named."""
_LEAST = 5
"""Minimum width of the remotes' mark."""
_WIDE, _ROOMY = 100, 60
"""Widths in columns from which on the bar, and the pace, are shown."""

_MARKS = {
    Mark.LIVE: ("● live", "$success"),
    Mark.POLLING: ("◐ polling", "$warning"),
    Mark.LOST: ("○ lost", "$error"),
}


class StatusBar(Widget):
    """One line: ` my-app  main                ● live`."""

    project: reactive[str] = reactive("")
    branch: reactive[str] = reactive("")
    note: reactive[str] = reactive("")
    """A word on this run, for example that it is the demo."""
    health: reactive[tuple[str, str]] = reactive(("", ""))
    """The health of captures: one quiet line and its colour."""
    context: reactive[tuple[Gauge, str] | None] = reactive(None)
    """The fill level of the session's context, and its colour; None without a session."""
    alarm: reactive[str] = reactive("")
    """A problem around compactions, in red."""
    receipt: reactive[tuple[str, str]] = reactive(("", ""))
    """Whether Claude received the facts after the last compaction, with its colour."""
    remotes: reactive[SyncStatus] = reactive(SyncStatus())
    """The time of the last exchange of memories, or why it failed."""
    liveness: reactive[Liveness | None] = reactive(None)

    def render(self) -> Content:
        """The left part is cut before the mark: a stale screen must say so at any width."""
        width = self.size.width
        mark = self._mark(width)
        left = Content.assemble(
            " ",
            (clean_line(self.project), "bold"),
            ("  " + clean_line(self.branch) if self.branch else "", "$quiet"),
            ("  " + self.alarm if self.alarm else "", "$error"),
            *(context_line(*self.context, width) if self.context else ()),
            ("  " + self.receipt[0] if self.receipt[0] else "", self.receipt[1]),
            ("  " + self.note if self.note else "", "$accent"),
            ("  " + self.health[0] if self.health[0] else "", self.health[1]),
        )
        room = max(0, width - mark.cell_length - 2)
        left = left.truncate(room, ellipsis=True) if left.cell_length > room else left
        return Content.assemble(
            left, " " * max(0, width - left.cell_length - mark.cell_length - 1), mark, " "
        )

    def _mark(self, width: int) -> Content:
        mark = live_mark(self.liveness)
        remotes = self.remotes.long if width >= _NAMED else self.remotes.short
        room = width // 2 - mark.cell_length - 2
        if remotes and room >= _LEAST:
            said = Content.styled(remotes, self.remotes.colour)
            said = said.truncate(room, ellipsis=True) if said.cell_length > room else said
            return Content.assemble(" ", said, "  ", mark)
        return mark.truncate(max(10, width // 2), ellipsis=True) if mark.cell_length > width // 2 else mark


def context_line(gauge: Gauge, colour: str, width: int) -> tuple[tuple[str, str], ...]:
    """``  ctx ▮▮▮▮▮▯▯▯ 137k/200k · ~9 turns``, shorter if room is short; ``?`` means unknown."""
    if not gauge.tokens:
        return (("  ctx ?", "$quiet"),)
    limit = short_tokens(gauge.limit) if gauge.limit else "?"
    full = min(_CELLS, round(_CELLS * gauge.percent / 100))
    bar = f"{'▮' * full}{'▯' * (_CELLS - full)} " if gauge.limit and width >= _WIDE else ""
    pace = "" if gauge.turns is None else f" · ~{gauge.turns} turn{'' if gauge.turns == 1 else 's'}"
    return (
        ("  ctx ", "$quiet"),
        (f"{bar}{short_tokens(gauge.tokens)}/{limit}", colour),
        (pace if width >= _ROOMY else "", "$quiet"),
    )


def short_tokens(tokens: int) -> str:
    """A number of tokens in at most five characters: ``950``, ``12k``, ``1.2M``."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_500:
        return f"{round(tokens / 1_000)}k"
    return f"{tokens / 1_000_000:.1f}M"


def live_mark(liveness: Liveness | None) -> Content:
    """The live mark with its reason; None means that the first listing is not finished."""
    if liveness is None:
        return Content.styled("◌ reading", "$quiet")
    text, colour = _MARKS[liveness.mark]
    reason = f": {clean_line(liveness.reason)}" if liveness.reason else ""
    return Content.styled(text + reason, colour)
