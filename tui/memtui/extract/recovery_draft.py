"""A draft of the recovery text (seeds 000 and 004), made from facts alone.

The same facts give the same text. Nothing is claimed that the transcript does not show: a decision without a
reason gets none, and says instead who made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.extract.checks import SENTENCE, bare_command, error_line, last_check, worth_telling
from memtui.extract.commands import SHELL_TOOLS
from memtui.extract.facts import Facts
from memtui.extract.inferred import later_requests, unanswered
from memtui.extract.packages import package_changes
from memtui.extract.phrasing import one_line, shortened, telling_line
from memtui.extract.plan import choose_plan
from memtui.extract.plans import plan_title
from memtui.extract.ranking import reference_files, working_files
from memtui.extract.records import Action, Correction, Statement
from memtui.extract.secrets import MASK, masked
from memtui.extract.topics import settled, topic, wish
from memtui.formats.recovery import Plan, Recovery

_OBJECTIVE = 400
_LAST_WORDS = 1_500
_COUNT = 25
"""Items of a list that grows with a session's length: the last ones."""
_TRAIL = 12
_LINE = 320

_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])|\n+")
_REASON = re.compile(
    r"^(?P<decision>.{12,}?)"
    r"(?:\s*[,;—–-]*\s+(?:because|since|so that|as it|in order to|due to|to avoid|to keep|parce que)\s+"
    r"|\s*[，,]?\s*(?:因为|由于|以便|なので|ため[、,]))(?P<reason>.{8,})$",
    re.IGNORECASE | re.DOTALL,
)
_BY = {
    "user": "the user said so",
    "answer": "the user's answer",
    "assistant": "decided in the session",
    "plan": "the user approved it",
}


def draft_recovery(
    facts: Facts, root: Path, *, session_id: str = "", workflow: Plan | None = None
) -> Recovery:
    """The recovery text of a session, all fourteen sections.

    Args:
        facts: what the transcript says.
        root: the project's root.
        session_id: the workflow session (``WFS-...``) that was active, "" when none was.
        workflow: that session's plan.
    """
    top = str(root)
    recovery = Recovery(
        session_id=session_id,
        project_root=top,
        objective=_objective(facts),
        plan=choose_plan(facts, workflow),
        working_files=working_files(facts, top),
        reference_files=reference_files(facts, top),
        last_action=_last_action(facts),
        decisions=_kept(_decisions(facts)),
        constraints=_kept(one_line(each.text) for each in facts.constraints),
        dependencies=package_changes(facts),
        known_issues=_kept(_known_issues(facts)),
        changes=_kept(_changes(facts)),
        pending=_kept(_pending(facts)),
        notes=_notes(facts),
    )
    return _without_secrets(recovery)


def _kept(lines: Iterable[str]) -> tuple[str, ...]:
    unique = tuple(dict.fromkeys(line for line in lines if line.strip()))
    return unique[-_COUNT:]


def _objective(facts: Facts) -> str:
    """What the session is to reach, in the user's words, as whole sentences."""
    asked = wish(facts)
    if facts.prompts and facts.prompts[0].kind == "plan" and facts.plans:
        asked = plan_title(facts.plans[-1])
    about = topic(facts)
    told = _sentences(asked, about)
    return told or shortened(about, _OBJECTIVE) or facts.title


def _sentences(text: str, first: str) -> str:
    """Whole sentences of a text, from the one that says what it is about on."""
    lines = [re.sub(r"^\s*(?:#+|[-*>]|\d+[.)])\s+", "", line).strip() for line in text.split("\n")]
    flat = "\n".join(line for line in lines if line)
    start = flat.find(first) if first else 0
    kept = ""
    for sentence in _SENTENCES.split(flat[max(0, start) :]):
        sentence = one_line(sentence)
        if kept and len(kept) + len(sentence) > _OBJECTIVE:
            break
        kept = f"{kept} {sentence}".strip()
        if len(kept) > _OBJECTIVE // 2:
            break
    return shortened(kept, _OBJECTIVE)


def _last_action(facts: Facts) -> str:
    told = [_action(facts.last_action) if facts.last_action else ""]
    check = last_check(facts)
    if check is not None and (facts.last_action is None or facts.last_action.target != one_line(check.text)):
        how = "passed" if check.outcome == "ok" else f"failed: {one_line(telling_line(check.output))}"
        told.append(f"Last check: `{shortened(bare_command(check.text), 120)}` {shortened(how, SENTENCE)}")
    if facts.last_words:
        told.append(f"The model's last words:\n{_quoted(facts.last_words)}")
    return "\n\n".join(each for each in told if each) or "Nothing was done: no tool was used."


_ENDS = {
    "ok": "succeeded",
    "failed": "failed",
    "rejected": "was rejected by the user",
    "interrupted": "was interrupted",
    "background": "runs in the background",
    "unknown": "has no result in the transcript (unknown)",
}
_BOILERPLATE = re.compile(
    r"The file .* has been (?:updated|created)|File created successfully|Todos have been modified|\s*1→|\d+\t"
)


def _action(action: Action) -> str:
    shell = action.tool in SHELL_TOOLS
    target = shortened(bare_command(action.target) if shell else one_line(action.target), 200)
    told = f"{action.tool} `{target}`" if target else action.tool
    told += f" {_ENDS[action.outcome]}"
    result = _result(action)
    return f"{told}: {shortened(result, SENTENCE)}" if result else told


def _result(action: Action) -> str:
    text = action.result.strip()
    if action.outcome != "ok":
        return one_line(telling_line(text))
    if not text or _BOILERPLATE.match(text) or action.tool in ("Read", "Edit", "Write", "MultiEdit"):
        return ""
    lines = [line for line in text.split("\n") if line.strip()]
    return one_line(lines[-1] if action.tool in SHELL_TOOLS else lines[0])


def _quoted(words: str) -> str:
    """The end of what was said, by whole lines."""
    kept: list[str] = []
    room = _LAST_WORDS
    for line in reversed(words.strip().split("\n")):
        room -= len(line) + 1
        if room < 0 and kept:
            break
        kept.append(line)
    return "\n".join(f"> {line}".rstrip() for line in reversed(kept))


def _decisions(facts: Facts) -> Iterator[str]:
    for decision in facts.decisions:
        text = settled(decision)
        if text:
            yield _with_reason(text, decision)


def _with_reason(text: str, decision: Statement) -> str:
    """``decision: reasoning``, as the seed wants it."""
    if decision.source == "plan":
        return f"{text}: {_BY['plan']}"
    question, arrow, answer = text.rpartition(" → ")
    if arrow:
        return f"{shortened(answer, _LINE)}: the user's answer to “{shortened(question, _LINE)}”"
    if found := _REASON.match(text):
        return f"{found['decision'].rstrip(' ,;—–-')}: {found['reason']}"
    if re.search(r"[:：]\s*\S", text):
        return text
    return f"{text.rstrip('.。 ')}: {_BY[decision.source]}"


def _known_issues(facts: Facts) -> Iterator[str]:
    check = last_check(facts)
    if check is not None and check.outcome == "failed":
        said = one_line(telling_line(check.output))
        yield shortened(f"`{bare_command(check.text)}` failed when it ran last: {said}".rstrip(": "), _LINE)
    open_errors = [error for error in facts.errors if not error.resolved and worth_telling(error)]
    for error in open_errors:
        if check is None or check.outcome != "failed" or error.target != one_line(check.text):
            yield error_line(error, None)


def _changes(facts: Facts) -> Iterator[str]:
    for landmark in facts.landmarks:
        yield f"{landmark.text} (commit {landmark.commit})" if landmark.commit else landmark.text
    for todo in (*facts.past_todos, *facts.todos):
        if todo.status == "completed":
            yield one_line(todo.content)
    if not facts.landmarks and not any(todo.status == "completed" for todo in facts.todos):
        for file in facts.modified_files[-_TRAIL:]:
            yield f"{file.path}: {'created' if file.created else 'changed'}"


def _pending(facts: Facts) -> Iterator[str]:
    if asked := unanswered(facts):
        yield f"The user asked last, and nothing was done about it yet: {shortened(one_line(asked), _LINE)}"
    action = facts.last_action
    if action is not None and action.outcome == "interrupted":
        yield f"Interrupted: {action.tool} {shortened(one_line(action.target), SENTENCE)}"
    for wanted in ("in_progress", ""):
        for todo in facts.todos:
            if todo.status != "completed" and (todo.status == "in_progress") == bool(wanted):
                yield one_line(todo.content) + (" (in progress)" if wanted else "")


def _notes(facts: Facts) -> str:
    groups = (
        ("Causes found", [_cause(each) for each in facts.causes[-_TRAIL:]]),
        ("The user's corrections", list(_corrections(facts.corrections))),
        ("Errors met on the way, and solved", list(_solved(facts))),
        ("Plans that the user refused", list(_refused(facts))),
        ("What the user asked for, in order", list(_requests(facts))),
        ("Session", list(_session(facts))),
    )
    told = (f"**{title}**\n" + "\n".join(f"- {line}" for line in lines) for title, lines in groups if lines)
    return "\n\n".join(told)


def _cause(cause: Statement) -> str:
    return shortened(one_line(cause.text), _LINE)


def _corrections(corrections: tuple[Correction, ...]) -> Iterator[str]:
    for correction in corrections[-_TRAIL:]:
        text = one_line(correction.text)
        if not text:
            continue
        about = shortened(one_line(correction.about), 100)
        yield shortened(text, _LINE) + (f" (about {about})" if about else "")


def _solved(facts: Facts) -> list[str]:
    solved = [error_line(error, None) for error in facts.errors if error.resolved and worth_telling(error)]
    return list(dict.fromkeys(solved))[-6:]


def _refused(facts: Facts) -> Iterator[str]:
    for plan in facts.plans:
        if plan.fate == "rejected":
            yield shortened(plan_title(plan), SENTENCE)


def _requests(facts: Facts) -> list[str]:
    later = [shortened(one_line(prompt.text), _LINE) for prompt in later_requests(facts)]
    return later[-_COUNT:]


def _session(facts: Facts) -> Iterator[str]:
    if facts.session_id:
        yield f"Claude Code session {facts.session_id}, from {facts.started} to {facts.ended}"
    if facts.branch:
        yield f"Branch {facts.branch}"
    if facts.compactions:
        yield f"{len(facts.compactions)} compaction{'s' if len(facts.compactions) > 1 else ''} so far"


def _without_secrets(recovery: Recovery) -> Recovery:
    """The same with its texts masked; paths stay as they are, for they are what the text is for."""
    number = 0

    def mask(text: str) -> str:
        nonlocal number
        text, found = masked(text)
        number += found
        return text

    lists = ("decisions", "constraints", "known_issues", "changes", "pending")
    changes: dict[str, object] = {
        name: tuple(mask(item) for item in getattr(recovery, name)) for name in lists
    }
    changes |= {name: mask(getattr(recovery, name)) for name in ("objective", "last_action", "notes")}
    changes["plan"] = recovery.plan.replace(content=mask(recovery.plan.content))
    if not number:
        return recovery
    told = f"- Masked as {MASK}: {number} secret{'s' if number > 1 else ''} of the transcript"
    changes["notes"] = f"{changes['notes']}\n{told}".strip()
    return recovery.replace(**changes)
