"""Who chooses what goes back after a compaction: a small model, the session's own, or nobody.

A model answers with the numbers of quotes and the letters of headings only, so it can invent nothing. After
any other answer the note is chosen by structure.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem, private_parents, read_within, write_atomic
from memtui.ground.project import Home, config_path, config_sections
from memtui.lost.notes import ChoiceError, Comparison, parse_choice, quoted
from memtui.secrets.quoting import fenced, safe

Way = Literal["small", "own", "no", ""]
WAYS: tuple[Way, ...] = ("small", "own", "no")
"""`small`: a small model with the summary; `own`: the session's own, which has the conversation before it."""

_FILE = "choice"
_NAMES = {"small": "haiku", "own": "this session's model"}
_LATE = "no answer within 20 seconds"
_MOST = 200
"""The most candidates that a model is shown."""
_SUMMARY = 40_000


class Choice(NamedTuple):
    """What a model's answer has come to."""

    numbers: dict[str, list[int]] | None = None
    """By heading; None for a choice by structure."""
    way: str = ""
    """Who was asked: ``haiku``; "" for nobody."""
    problem: str = ""
    """Why its answer does not count."""
    cost: str = ""
    """``11,904 tokens``; "" if nothing was charged."""


def way_of(home: Home) -> Way:
    """Who chooses: ``[compaction] choice`` of config.toml, else what was last chosen; "" if never.

    A `FileProblem` if config.toml cannot be read, or names somebody else.
    """
    given = config_sections(home).get("compaction", {}).get("choice", "")
    if given not in (*WAYS, ""):
        raise FileProblem(config_path(home), '[compaction] choice must be "small", "own" or "no"')
    if not given:
        with suppress(FileProblem):
            given = read_within(home.state / _FILE, home.state, limit=1024).decode("utf-8", "replace").strip()
    return next((way for way in WAYS if way == given), "")


def choose_way(home: Home, way: Way) -> None:
    """Remember who chooses; a `FileProblem` if that fails."""
    with suppress(OSError):  # writing the file reports why
        private_parents(home.state)
    write_atomic(home.state / _FILE, f"{way}\n".encode())


def prompt_for(way: str, compared: Comparison, summary: str) -> str:
    """The prompt for `small`, with the summary, or for `own`, whose model has the conversation."""
    text = Path(__file__).with_name("prompts").joinpath(f"{way}.md").read_text("utf-8")
    numbered = "\n".join(
        f"{number}. {row.kind} {quoted(row)} (L{row.source.line})"
        for number, row in enumerate(compared.rows[:_MOST], 1)
    )
    parts = [text.strip(), *(("SUMMARY", fenced(safe(summary[:_SUMMARY]))) if way == "small" else ())]
    return "\n\n".join((*parts, "CANDIDATES", fenced(numbered)))


def keys_of(compared: Comparison) -> list[str]:
    """The keys of the lines that a prompt numbers: their numbers differ once there is a summary."""
    return [" ".join(row.keys) for row in compared.rows[:_MOST]]


def choice_of(compared: Comparison, asked: Any) -> Choice:
    """A model's choice, without what the summary has.

    `asked` has the `way`, the `keys` of what it was shown, and its `reply` as Claude Code gives it
    (`isAnswered`, `text`, `usage`, `reason`, `status`), None if none came in time. `asked` is None if no
    model was asked.
    """
    if not isinstance(asked, dict) or asked.get("way") not in _NAMES:
        return Choice()
    way, reply, keys = _NAMES[asked["way"]], asked.get("reply"), asked.get("keys")
    if not isinstance(reply, dict):
        return Choice(way=way, problem=_LATE)
    cost = _cost(reply.get("usage"))
    if reply.get("isAnswered") is not True:
        status = f" {reply['status']}" if isinstance(reply.get("status"), int) else ""
        reason = clean_line(str(reply.get("reason", "")))[:60].replace("aborted", _LATE)
        return Choice(way=way, problem=f"{reason}{status}" or "no answer", cost=cost)
    shown = keys if isinstance(keys, list) else []
    try:
        chosen = parse_choice(str(reply.get("text", "")), len(shown))
    except ChoiceError:
        return Choice(way=way, problem="its answer is no choice", cost=cost)
    return Choice(_renumbered(compared, shown, chosen), way, "", cost)


def said_by(choice: Choice, handed: int) -> str:
    """What was handed over, for the person: ``6 handed over, chosen by haiku for 11,904 tokens``."""
    said = f"{handed} handed over"
    if choice.way and choice.numbers is not None:
        said += f", chosen by {choice.way}{f' for {choice.cost}' if choice.cost else ''}"
    elif choice.way:
        spent = f", {choice.cost} spent" if choice.cost else ""
        said += f", without {choice.way}: {choice.problem}{spent}"
    return said


def _renumbered(
    compared: Comparison, shown: Sequence[object], chosen: dict[str, list[int]]
) -> dict[str, list[int]]:
    numbered = [*enumerate(compared.rows, 1)]
    now = {key: number for number, row in reversed(numbered) for key in row.keys}
    return {
        letter: [
            *dict.fromkeys(now[key] for each in numbers for key in str(shown[each - 1]).split() if key in now)
        ]
        for letter, numbers in chosen.items()
    }


def _cost(usage: Any) -> str:
    if not isinstance(usage, dict):
        return ""
    counts = {name: size for name, size in usage.items() if type(size) is int and name.endswith("_tokens")}
    cached = counts.pop("cache_read_input_tokens", 0)
    paid = sum(counts.values())
    if not paid and not cached:
        return ""
    return f"{paid:,} tokens{f' and {cached:,} of its cache' if cached else ''}"
