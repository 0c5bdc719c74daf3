"""The session that is going on in the demo: partial refunds have to give the stock back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from memtui.demo.transcript import TranscriptWriter

SESSION = "5b0c7e1a-3f42-4d8e-9a61-c2f0d7b8e913"
BRANCH = "partial-refunds"
LASTED = timedelta(hours=2, minutes=4, seconds=12)
"""How long the session has been going on when the demo opens."""
COMPACTED = timedelta(minutes=21, seconds=33)
"""How long ago its first compaction was."""

FIRST_PROMPT = """\
Partial refunds have to give the stock back. Today, refunding one item out of three leaves the \
stock as it was, and support corrects it by hand every morning.
Keep the public API of /refunds as it is, the mobile app depends on it."""

PLAN = """\
# Give the stock back on partial refunds

1. Store refund lines: `migrations/0042_refund_lines.sql`, one row per order line and refund
2. `src/stock/ledger.ts`: a `returned` entry, idempotent by refund line
3. `src/refunds/service.ts`: write the refund and the ledger entries in one transaction
4. Bundles give back their parts
5. `charge.refunded` of Stripe arrives twice: the second one changes nothing

Not in this change: refunds of shipping costs."""

TASKS = (
    "Store refund lines (migration 0042)",
    "Ledger entry `returned`, idempotent by refund line",
    "Refund and ledger entries in one transaction",
    "Bundles give back their parts",
    "Ignore the second charge.refunded of Stripe",
    "Backfill the refunds since release 4.2",
)

SUMMARY = """\
This session is being continued from a previous conversation that ran out of context. The summary below \
covers the earlier portion of the conversation.

Summary:
1. Primary Request and Intent:
   Partial refunds have to give the stock back; the public API of /refunds stays as it is.

2. Key Technical Concepts:
   - Stock ledger: append-only entries, stock levels are derived
   - Refund lines, integer cents

3. Files and Code Sections:
   - src/refunds/service.ts: refund and ledger entries in one transaction
   - src/stock/ledger.ts: `returned` entries, unique by refund line
   - migrations/0042_refund_lines.sql

4. Errors and fixes:
   - `expected 3 to be 4`: the ledger wrote the bundle, not its parts. Fixed in `partsOf`.

5. Problem Solving:
   Bundles are split before the ledger is written.

6. All user messages:
   - Partial refunds have to give the stock back ...
   - Never write to stock_levels directly, always through the ledger. And integer cents everywhere.

7. Pending Tasks:
   - Ignore the second charge.refunded of Stripe
   - Backfill the refunds since release 4.2

8. Current Work:
   The webhook handler in src/webhooks/stripe.ts.

9. Optional Next Step:
   Make the handler idempotent by the refund's id.
"""

_SERVICE = """\
export async function refund(order: Order, lines: RefundLine[]): Promise<Refund> {
  const amount = lines.reduce((sum, line) => sum + line.cents, 0);
  const refund = await payments.refund(order.chargeId, amount);
  await db.insert('refunds', { id: refund.id, order: order.id, cents: amount });
  return refund;
}"""

_LEDGER = """\
export type Entry = { sku: string; change: number; reason: 'sold' | 'received' | 'counted' };

export async function append(tx: Tx, entry: Entry): Promise<void> {
  await tx.insert('stock_ledger', entry);
}"""

_MIGRATION = """\
CREATE TABLE refund_lines (
  refund_id   text    NOT NULL REFERENCES refunds (id),
  order_line  bigint  NOT NULL REFERENCES order_lines (id),
  quantity    integer NOT NULL CHECK (quantity > 0),
  cents       integer NOT NULL CHECK (cents >= 0),
  PRIMARY KEY (refund_id, order_line)
);
"""

_RED = """\
 FAIL  tests/refunds.test.ts > a partial refund of a bundle gives its parts back
AssertionError: expected 3 to be 4
 Tests  1 failed | 11 passed (12)"""

_GREEN = """\
 ✓ tests/refunds.test.ts (12 tests) 418ms
 Tests  12 passed (12)"""


def before_compaction(session: TranscriptWriter, root: str) -> Iterator[None]:
    """What the first capture covers: from the request to a working transaction, scene by scene."""
    service, ledger = f"{root}/src/refunds/service.ts", f"{root}/src/stock/ledger.ts"
    session.prompt(FIRST_PROMPT)
    session.say("I'll look at how refunds and the stock are connected today before I propose a plan.")
    session.read(service, _SERVICE)
    session.read(ledger, _LEDGER)
    session.read(
        f"{root}/CLAUDE.md", "# harbor\n\nMoney is integer cents. Run `npm test` before every commit.\n"
    )
    session.plan(PLAN, f"{root}/.claude/plans/tidy-mooring-line.md")
    session.tasks(TASKS)
    session.task(1, "in_progress")
    yield
    session.wait(minutes=6)
    session.write(f"{root}/migrations/0042_refund_lines.sql", _MIGRATION)
    session.bash("npm run migrate", "Apply the migration", "0042_refund_lines.sql applied")
    session.task(1, "completed")
    session.task(2, "in_progress")
    yield
    session.edit(ledger, "'sold' | 'received' | 'counted'", "'sold' | 'received' | 'counted' | 'returned'")
    session.wait(minutes=9)
    session.ask(
        "A customer returns one part of a bundle. What goes back into the stock?",
        "Bundles",
        {
            "The parts": "Each part gets its own ledger entry",
            "The bundle": "Only whole bundles can be returned",
        },
        "The parts",
    )
    session.task(2, "completed")
    session.task(3, "in_progress")
    session.edit(
        service,
        "await db.insert('refunds'",
        "await db.transaction(async (tx) => {\n    await tx.insert('refunds'",
    )
    session.bash("npm test -- refunds", "Run the refund tests", _RED, failed=True)
    yield
    session.wait(minutes=14)
    session.prompt(
        "Never write to stock_levels directly, always through the ledger. And use integer cents everywhere."
    )
    session.edit(ledger, "await tx.insert('stock_ledger', entry);", "for (const part of partsOf(entry)) {")
    session.bash("npm test -- refunds", "Run the refund tests", _GREEN)
    session.task(3, "completed")
    session.task(4, "in_progress")
    session.say(
        "Refund and ledger entries are now written in one transaction. I decided to make the ledger entry "
        "unique by refund line, because a retry must not give the stock back twice."
    )
    yield


def after_compaction(session: TranscriptWriter, root: str) -> Iterator[None]:
    """From the first compaction to the moment the demo opens, scene by scene."""
    webhook = f"{root}/src/webhooks/stripe.ts"
    session.prompt("Go on with the webhook: Stripe sends charge.refunded twice when our answer is slow.")
    session.task(4, "completed")
    session.task(5, "in_progress")
    session.read(webhook, "case 'charge.refunded':\n  await refund(order, linesOf(event));\n  break;")
    session.edit(
        webhook, "await refund(order, linesOf(event));", "await refundOnce(event.id, order, linesOf(event));"
    )
    yield
    session.wait(minutes=18)
    session.bash(
        "npm test -- webhooks",
        "Run the webhook tests",
        " FAIL  tests/webhooks.test.ts > a second charge.refunded changes nothing\n"
        'Error: duplicate key value violates unique constraint "refund_lines_pkey"\n'
        " Tests  1 failed | 8 passed (9)",
        failed=True,
    )
    yield


def step(session: TranscriptWriter, number: int, root: str) -> None:
    """What session step `number` (0, 1, ...) adds to the transcript while the demo runs."""
    webhook, backfill = f"{root}/src/webhooks/stripe.ts", f"{root}/scripts/backfill-refunds.ts"
    steps = (
        lambda: session.edit(
            webhook, "await refundOnce(", "// A repeated event is a success.\n  await refundOnce("
        ),
        lambda: session.bash("npm test -- webhooks", "Run the webhook tests", " Tests  9 passed (9)"),
        lambda: session.task(5, "completed"),
        lambda: session.task(6, "in_progress"),
        lambda: session.write(backfill, "// Gives the stock of every refund since release 4.2 back, once.\n"),
        lambda: session.bash(
            "npm run backfill -- --dry-run", "Try the backfill", "214 refunds, 231 ledger entries"
        ),
        lambda: session.prompt(
            "Looks right. Never write more than 20 at once, support checks them by hand. Run it for the "
            "first 20 and show me the difference."
        ),
        lambda: session.bash(
            "npm run backfill -- --limit 20", "Backfill the first 20", "20 refunds, 23 ledger entries written"
        ),
    )
    steps[number % len(steps)]()
