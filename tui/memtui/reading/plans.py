"""Plans and what became of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from memtui.formats.transcript_events import PlanReference, Result
from memtui.reading.records import Fate, PlanFact

_PLAN_FILE = re.compile(r"[\\/]\.claude[\\/]plans[\\/][^\\/]+\.md$")
_CALLED_PLAN = ("plan:", "implementation plan:")
_LIMIT = 50
_TEXT_LIMIT = 200_000

Source = Literal["ExitPlanMode", "plan file", "planContent"]


@dataclass(slots=True)
class _Plan:
    source: Source
    content: str
    fate: Fate
    path: str
    timestamp: str


class PlanLog:
    """Keeps the plans in the order in which they were made.

    Versions of one plan follow each other in its file until it is put before the user; what is written to the
    same file after a decision is the next plan, except for edits of an approved one, which tick items off.
    """

    def __init__(self) -> None:
        self._plans: list[_Plan] = []
        self._files: dict[str, str] = {}
        self._shown: dict[str, _Plan] = {}
        self._unseen: dict[str, str] = {}

    def resume(self, plans: Iterable[PlanFact]) -> None:
        """Go on from plans of before."""
        for plan in plans:
            self._add(_Plan(plan.source, plan.content, plan.fate, plan.path, plan.timestamp))
            if plan.path:
                self._files[plan.path] = plan.content

    def wrote(self, path: str, tool: str, arguments: dict[str, Any], detail: Any, timestamp: str) -> None:
        """Take a successful change of a file; only plan files count."""
        if ".claude" not in path or not _PLAN_FILE.search(path):
            self._carried_out()
            return
        content = _written(arguments) if tool == "Write" else self._edited(path, arguments, detail)
        if not content:
            return
        self._files[path] = content
        last = self._plans[-1] if self._plans else None
        ticked = tool != "Write" and last is not None and last.fate == "approved"
        if last is not None and last.path in (path, "") and (ticked or last.fate == "unknown"):
            last.content, last.path = content, path
        else:
            self._add(_Plan("plan file", content, "unknown", path, timestamp))

    def shown(self, call_id: str, arguments: dict[str, Any], timestamp: str) -> None:
        """Take an ExitPlanMode call: a plan is put before the user."""
        path = _string(arguments.get("planFilePath"))
        content = _string(arguments.get("plan")) or self._files.get(path, "")
        last = self._plans[-1] if self._plans else None
        if last is not None and last.fate == "unknown" and _one_plan(last, path, content):
            last.source, last.content = "ExitPlanMode" if content else last.source, content or last.content
            last.path = path or last.path
        elif content:
            last = self._add(_Plan("ExitPlanMode", content, "unknown", path, timestamp))
        if last is not None:
            self._shown = {call_id: last}
        else:
            self._unseen = {call_id: timestamp}

    def decided(self, result: Result, rejected: bool) -> None:
        """Take the result of an ExitPlanMode call."""
        plan = self._shown.pop(result.id, None) or self._stated(result)
        if plan is None:
            return
        if result.failed:
            # A hook's error decides nothing.
            plan.fate = "rejected" if rejected else plan.fate
            return
        plan.fate = "approved"
        if isinstance(result.detail, dict):
            plan.content = _string(result.detail.get("plan")) or plan.content
            plan.path = _string(result.detail.get("filePath")) or plan.path

    def given(self, content: str, stated: bool, timestamp: str) -> None:
        """Take a plan that was given to a fresh context: that is how a plan is accepted with `clear context`.

        Args:
            content: the plan.
            stated: whether ``planContent`` held it, and not the prompt alone.
            timestamp: when.
        """
        content = content[:_TEXT_LIMIT].strip()
        last = self._plans[-1] if self._plans else None
        if last is not None and last.content.strip() == content:
            last.source, last.fate = "planContent" if stated else last.source, "approved"
        elif content:
            self._add(_Plan("planContent", content, "approved", "", timestamp))

    def referred(self, reference: PlanReference, timestamp: str) -> None:
        """Take a plan file attached again after a compaction."""
        last = self._plans[-1] if self._plans else None
        if last is None or (
            last.path != reference.path and last.content.strip() != reference.content.strip()
        ):
            self._add(_Plan("plan file", reference.content, "unknown", reference.path, timestamp))
        self._files[reference.path] = reference.content

    def finish(self) -> tuple[PlanFact, ...]:
        """The plans, oldest first."""
        return tuple(PlanFact(p.source, p.content, p.fate, p.path, p.timestamp) for p in self._plans)

    def _add(self, plan: _Plan) -> _Plan:
        plan.content = plan.content[:_TEXT_LIMIT]
        self._plans.append(plan)
        del self._plans[:-_LIMIT]
        return plan

    def _stated(self, result: Result) -> _Plan | None:
        """A plan whose file was written elsewhere: only the approval states it."""
        timestamp = self._unseen.pop(result.id, None)
        content = _string(result.detail.get("plan")) if isinstance(result.detail, dict) else ""
        if timestamp is None or not content:
            return None
        return self._add(_Plan("ExitPlanMode", content, "unknown", "", timestamp))

    def _carried_out(self) -> None:
        """Other files change: a plan that nobody decided on is being carried out."""
        if self._plans and self._plans[-1].fate == "unknown" and self._plans[-1].source == "ExitPlanMode":
            self._plans[-1].fate = "approved"

    def _edited(self, path: str, arguments: dict[str, Any], detail: Any) -> str:
        before = self._files.get(path)
        if before is None and isinstance(detail, dict):
            before = _string(detail.get("originalFile"))
        edits = arguments.get("edits")
        for edit in edits if isinstance(edits, list) else [arguments]:
            if before and isinstance(edit, dict):
                old, new = _string(edit.get("old_string")), _string(edit.get("new_string"))
                before = (
                    before.replace(old, new, -1 if edit.get("replace_all") is True else 1) if old else before
                )
        return before or ""


def plan_title(plan: PlanFact) -> str:
    """The first line of a plan, without its mark of a heading."""
    first = next((line.strip() for line in plan.content.split("\n") if line.strip()), "")
    title = first.lstrip("# ")
    return title.partition(":")[2].strip() or title if title.casefold().startswith(_CALLED_PLAN) else title


def _one_plan(last: _Plan, path: str, content: str) -> bool:
    """Whether what is shown is the plan last written."""
    if not content or last.content.strip() == content.strip():
        return True
    return bool(last.path) and last.path == path


def _written(arguments: dict[str, Any]) -> str:
    return _string(arguments.get("content"))


def _string(value: Any) -> str:
    return value[:_TEXT_LIMIT] if isinstance(value, str) else ""
