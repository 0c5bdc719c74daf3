"""The session state of the demo's session, version by version (seed 003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memtui.demo.story.refunds import TASKS


@dataclass(frozen=True, slots=True)
class Moment:
    """What differs from one version to the next."""

    current: int
    """The task in progress, by its place in `TASKS`; those before it are done."""
    subs: tuple[str, ...]
    last_compile: str
    last_error: str
    technical: str
    phase: str
    intent: str


GOAL = "partial refunds give the stock back, without changing the public API of /refunds"

DECISIONS: tuple[tuple[int, Literal["decision", "constraint"], str], ...] = (
    (1, "constraint", "the public API of /refunds stays as it is (the mobile app depends on it)"),
    (2, "decision", "one row per order line and refund (a refund can cover several lines)"),
    (3, "decision", "bundles give back their parts (support counts parts, not bundles)"),
    (4, "decision", "ledger entries are unique by refund line (a retry must not give the stock back twice)"),
    (4, "constraint", "never write to stock_levels directly, always through the ledger"),
    (4, "constraint", "integer cents everywhere"),
    (
        7,
        "decision",
        "a repeated charge.refunded is a success, not an error (Stripe would disable the endpoint)",
    ),
    (9, "decision", "the backfill runs in batches of 20 (support wants to check the first ones by hand)"),
)
"""(first version that has it, kind, text); never removed once there."""

FILES: tuple[tuple[int, str], ...] = (
    (2, "migrations/0042_refund_lines.sql"),
    (3, "src/stock/ledger.ts"),
    (4, "src/refunds/service.ts"),
    (5, "src/orders/bundle.ts"),
    (6, "src/webhooks/stripe.ts"),
    (9, "scripts/backfill-refunds.ts"),
)
"""(first version that has it, modified file)."""

_BUNDLE = "`expected 3 to be 4`: the ledger wrote the bundle, not its parts (fixed in `partsOf`)"
_TWICE = 'duplicate key value violates unique constraint "refund_lines_pkey" on the second charge.refunded'

MOMENTS = (
    Moment(
        0,
        ("read service.ts and ledger.ts", "Blocker: None"),
        "N/A",
        "N/A",
        "nothing changed yet",
        "planning",
        "approve the plan",
    ),
    Moment(
        0,
        ("migration written, not applied", "Blocker: None"),
        "SUCCESS",
        "N/A",
        "local database at migration 0041",
        "execution",
        "start with the migration",
    ),
    Moment(
        1,
        ("`returned` entry added", "Blocker: bundles, asked"),
        "SUCCESS",
        "N/A",
        "local database at migration 0042",
        "execution",
        "the parts of a bundle go back",
    ),
    Moment(
        2,
        ("service.ts writes both in one transaction", "Blocker: None"),
        "FAILURE: 1 of 12 refund tests",
        "`expected 3 to be 4` (open)",
        "local database at migration 0042",
        "debugging",
        "go through the ledger only",
    ),
    Moment(
        3,
        ("12 of 12 refund tests pass", "Blocker: None"),
        "SUCCESS",
        _BUNDLE,
        "local database at migration 0042",
        "execution",
        "finish the bundles",
    ),
    Moment(
        4,
        ("failing test written", "Blocker: None"),
        "FAILURE: 1 of 9 webhook tests",
        f"{_TWICE} (open)",
        "webhook replay against localhost:4242",
        "debugging",
        "go on with the webhook",
    ),
    Moment(
        4,
        ("handler answers a repeated event with 200", "Blocker: None"),
        "SUCCESS",
        f"{_TWICE} (fixed: a repeated event is a success)",
        "webhook replay against localhost:4242",
        "execution",
        "go on with the webhook",
    ),
    Moment(
        5,
        ("dry run prepared", "Blocker: None"),
        "SUCCESS",
        "none since the webhook",
        "webhooks done, 9 of 9 tests",
        "execution",
        "backfill, dry run first",
    ),
    Moment(
        5,
        ("dry run: 214 refunds, 231 ledger entries", "Blocker: support checks the first 20"),
        "SUCCESS",
        "none since the webhook",
        "staging has a copy of production",
        "review",
        "run it for the first 20 and show the difference",
    ),
    Moment(
        5,
        ("first 20 written: 23 ledger entries", "Blocker: None"),
        "SUCCESS",
        "none since the webhook",
        "staging has a copy of production",
        "review",
        "run it for the first 20 and show the difference",
    ),
    Moment(
        5,
        ("all 214 written on staging", "Blocker: None"),
        "SUCCESS",
        "none since the webhook",
        "staging agrees with the count by hand",
        "review",
        "compare with the count of support",
    ),
    Moment(
        6,
        (),
        "SUCCESS",
        "none since the webhook",
        "staging agrees with the count by hand",
        "review",
        "open the pull request",
    ),
)
"""Version 1 is the first; a demo opens at version `STORED`."""

STORED = 6
"""How many versions lie there when the demo opens."""


def tasks_of(moment: Moment) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """The tasks of a version: those done, the one in progress ("" at the end), those to come."""
    done, rest = TASKS[: moment.current], TASKS[moment.current :]
    return done, rest[0] if rest else "", rest[1:]
