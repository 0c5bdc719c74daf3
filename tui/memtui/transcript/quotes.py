"""Texts of a transcript that are kept as quotes, with their lines."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

from memtui.secrets.border import cleared
from memtui.transcript.events import Result
from memtui.transcript.records import PermissionMode, Quote, Source
from memtui.transcript.turns import TEXT, quoted

_RESULTS = 50
_ERRORS = 50
_MODES = 200
_ADDRESSES = 100
_AT_ONCE = 10
"""The most addresses in one result; more are a list that the session only looked at."""
_LOOKED_AT = 100_000
_ADDRESS = re.compile(
    r"https://[\w.-]{1,100}/(?:[\w./-]{1,200}?/(?:pull|issues|merge_requests)/\d{1,9}"
    r"|(?:[\w-]{1,100}/){0,2}(?:issue|browse)/[A-Z][A-Z0-9]{1,9}-\d{1,9})\b"
)
"""Of GitHub, Gitea and GitLab; of Linear and Jira."""
_PARTS = ("/pull/", "/issues/", "/merge_requests/", "/issue/", "/browse/")
"""A quick pre-filter: every such address has one of them."""
_HANDLE = "agentId: "
"""Beginning of the block that Claude Code appends to a subagent's report."""
_REPORT = re.compile(r"<result>(.*)</result>", re.DOTALL)


class QuoteLog:
    """Keeps the last reports of subagents, addresses, API errors and permission modes."""

    def __init__(self) -> None:
        self.reports: deque[Quote] = deque(maxlen=_RESULTS)
        self.api_errors: deque[Quote] = deque(maxlen=_ERRORS)
        self.modes: deque[PermissionMode] = deque(maxlen=_MODES)
        self._addresses: dict[str, Quote] = {}
        self._mode = ""

    def resume(
        self,
        reports: Iterable[Quote],
        addresses: Iterable[Quote],
        api_errors: Iterable[Quote],
        modes: Iterable[PermissionMode],
    ) -> None:
        """Restore the quotes."""
        self.reports.extend(reports)
        self._addresses.update((each.text, each) for each in addresses)
        self.api_errors.extend(api_errors)
        self.modes.extend(modes)
        self._mode = self.modes[-1].mode if self.modes else ""

    @property
    def addresses(self) -> tuple[Quote, ...]:
        """Addresses of pull requests and issues, in the order in which they were last seen."""
        return tuple(self._addresses.values())

    def reported(self, result: Result, source: Source) -> None:
        """Record the result of a subagent's call; one still running in the background has no report yet."""
        content = result.content
        if isinstance(result.detail, dict) and result.detail.get("status") == "async_launched":
            return
        if isinstance(content, list):
            content = [block for block in content if not _is_handle(block)]
        self._add_report(result._replace(content=content).text, source)

    def notified(self, notice: str, source: Source) -> None:
        """Record a notification: that of a background subagent contains its report."""
        if "<result>" in notice and (report := _REPORT.search(notice)):
            self._add_report(report[1], source)

    def seen(self, text: str, source: Source) -> None:
        """Record the addresses in a result."""
        if "https://" not in text or not any(part in text for part in _PARTS):
            return
        found = dict.fromkeys(_ADDRESS.findall(cleared(text)[:_LOOKED_AT]))
        for address in found if len(found) <= _AT_ONCE else ():
            self._addresses.pop(address, None)
            self._addresses[address] = Quote(address, source, len(address))
            if len(self._addresses) > _ADDRESSES:
                del self._addresses[next(iter(self._addresses))]

    def api_error(self, text: str, source: Source) -> None:
        """Record Claude Code's message about an API error; "" if it only retries."""
        if text.strip():
            self.api_errors.append(quoted(text.strip(), source, TEXT))

    def mode(self, mode: str, source: Source) -> None:
        """Record a permission mode."""
        if mode != self._mode:
            self._mode = mode
            self.modes.append(PermissionMode(mode[:100], source))

    def _add_report(self, text: str, source: Source) -> None:
        if text.strip():
            self.reports.append(quoted(text.strip(), source, TEXT))


def _is_handle(block: object) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return isinstance(text, str) and text.startswith(_HANDLE)
