"""Plans and their fates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from memtui.secrets.border import cleared_in
from memtui.transcript.events import PlanReference, Result
from memtui.transcript.records import Fate, PlanFact, Source

_PLAN_FILE = re.compile(r"[\\/]\.claude[\\/]plans[\\/][^\\/]+\.md$")
_CALLED_PLAN = ("plan:", "implementation plan:")
_APPROVED = "User has approved"
"""Beginning of the result of an approved ExitPlanMode call."""
_UNDECIDED: tuple[Fate, ...] = ("unknown", "dismissed")
_LIMIT = 50
_TEXT_LIMIT = 200_000

Origin = Literal["ExitPlanMode", "plan file", "planContent"]


@dataclass(slots=True)
class _Plan:
    origin: Origin
    content: str
    fate: Fate
    path: str
    source: Source


class PlanLog:
    """Keeps the plans in the order in which they were made.

    Versions of one plan follow each other in its file until it is shown to the user; a write to the same file
    after the decision begins the next plan, except for edits of an approved one, which tick items off.
    """

    def __init__(self) -> None:
        self._plans: list[_Plan] = []
        self._files: dict[str, str] = {}
        self._shown: dict[str, _Plan] = {}
        self._unseen: dict[str, Source] = {}

    def resume(self, plans: Iterable[PlanFact]) -> None:
        """Restore plans."""
        for plan in plans:
            self._add(_Plan(plan.origin, plan.content, plan.fate, plan.path, plan.source))
            if plan.path:
                self._files[plan.path] = plan.content

    def wrote(self, path: str, tool: str, arguments: dict[str, Any], detail: Any, source: Source) -> None:
        """Record a successful change of a file; only plan files count."""
        if ".claude" not in path or not _PLAN_FILE.search(path):
            return
        arguments = cleared_in(arguments)
        content = _written(arguments) if tool == "Write" else self._edited(path, arguments, detail)
        if not content:
            return
        self._files[path] = content
        last = self._plans[-1] if self._plans else None
        ticked = tool != "Write" and last is not None and last.fate == "approved"
        if last is not None and last.path in (path, "") and (ticked or last.fate in _UNDECIDED):
            last.content, last.path, last.source = content, path, source
            last.fate = "unknown" if last.fate == "dismissed" else last.fate
        else:
            self._add(_Plan("plan file", content, "unknown", path, source))

    def shown(self, call_id: str, arguments: dict[str, Any], source: Source) -> None:
        """Record an ExitPlanMode call: a plan is shown to the user."""
        path = _string(arguments.get("planFilePath"))
        stated = _string(arguments.get("plan"))
        content = stated or self._files.get(path, "")
        last = self._plans[-1] if self._plans else None
        if last is not None and last.fate in _UNDECIDED and _one_plan(last, path, content):
            last.fate = "unknown"
            last.origin, last.content = "ExitPlanMode" if content else last.origin, content or last.content
            last.source = source if stated else last.source
            last.path = path or last.path
        elif content:
            last = self._add(_Plan("ExitPlanMode", content, "unknown", path, source))
        if last is not None:
            self._shown = {call_id: last}
        else:
            self._unseen = {call_id: source}

    def decided(self, result: Result, fate: Fate) -> None:
        """Record the result of an ExitPlanMode call; `fate` is that of a plan whose call failed."""
        plan = self._shown.pop(result.id, None) or self._stated(result)
        if plan is None:
            return
        if result.failed:
            plan.fate = fate
            return
        if not result.text.startswith(_APPROVED):
            return
        plan.fate = "approved"
        if isinstance(result.detail, dict):
            plan.content = _string(result.detail.get("plan")) or plan.content
            plan.path = _string(result.detail.get("filePath")) or plan.path

    def given(self, content: str, stated: bool, source: Source) -> None:
        """Record a plan given to a fresh context: the result of accepting a plan with `clear context`.

        Args:
            content: the plan.
            stated: whether it came in ``planContent``, not only in the prompt.
            source: where the plan was given.
        """
        content = content[:_TEXT_LIMIT].strip()
        last = self._plans[-1] if self._plans else None
        if last is not None and last.content.strip() == content:
            last.origin, last.fate = "planContent" if stated else last.origin, "approved"
        elif content:
            self._add(_Plan("planContent", content, "approved", "", source))

    def referred(self, reference: PlanReference, source: Source) -> None:
        """Record a plan file attached again after a compaction."""
        last = self._plans[-1] if self._plans else None
        if last is None or (
            last.path != reference.path and last.content.strip() != reference.content.strip()
        ):
            self._add(_Plan("plan file", reference.content, "unknown", reference.path, source))
        self._files[reference.path] = reference.content

    def finish(self) -> tuple[PlanFact, ...]:
        """The plans, oldest first."""
        return tuple(PlanFact(p.origin, p.content, p.fate, p.path, p.source) for p in self._plans)

    def _add(self, plan: _Plan) -> _Plan:
        plan.content = plan.content[:_TEXT_LIMIT]
        self._plans.append(plan)
        del self._plans[:-_LIMIT]
        return plan

    def _stated(self, result: Result) -> _Plan | None:
        """A plan whose file was not written in this transcript: only the approval contains it."""
        source = self._unseen.pop(result.id, None)
        content = _string(result.detail.get("plan")) if isinstance(result.detail, dict) else ""
        if source is None or not content:
            return None
        return self._add(_Plan("ExitPlanMode", content, "unknown", "", source))

    def _edited(self, path: str, arguments: dict[str, Any], detail: Any) -> str:
        before = self._files.get(path)
        if before is None and isinstance(detail, dict):
            before = _string(cleared_in(detail.get("originalFile")))
        edits = arguments.get("edits")
        for edit in edits if isinstance(edits, list) else [arguments]:
            if before and isinstance(edit, dict):
                old, new = _string(edit.get("old_string")), _string(edit.get("new_string"))
                before = (
                    before.replace(old, new, -1 if edit.get("replace_all") is True else 1) if old else before
                )
        return before or ""


def plan_title(plan: PlanFact) -> str:
    """The first line of a plan, without heading marks."""
    first = next((line.strip() for line in plan.content.split("\n") if line.strip()), "")
    title = first.lstrip("# ")
    return title.partition(":")[2].strip() or title if title.casefold().startswith(_CALLED_PLAN) else title


def _one_plan(last: _Plan, path: str, content: str) -> bool:
    """Whether the plan shown is the one written last."""
    if not content or last.content.strip() == content.strip():
        return True
    return bool(last.path) and last.path == path


def _written(arguments: dict[str, Any]) -> str:
    return _string(arguments.get("content"))


def _string(value: Any) -> str:
    return value[:_TEXT_LIMIT] if isinstance(value, str) else ""
