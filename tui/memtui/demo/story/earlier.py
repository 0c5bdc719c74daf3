"""The sessions before the one that is going on: what they were asked, what they left behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from memtui.demo.transcript import TranscriptWriter
from memtui.formats.memory import MemoryFile


@dataclass(frozen=True, slots=True)
class Earlier:
    """A session that was captured once."""

    session: str
    """The session id."""
    branch: str
    captured: timedelta
    """How long before the demo opens the capture was made."""
    prompt: str
    """The first message."""
    play: Callable[[TranscriptWriter, str], None] | None
    """Writes the transcript; None when Claude Code has removed it meanwhile."""
    summary: str = ""
    memory: MemoryFile | None = None
    """What the review produced; None while the capture is pending."""


def _coupon(session: TranscriptWriter, root: str) -> None:
    total = f"{root}/src/checkout/total.ts"
    session.read(total, "export const total = (cart: Cart) => sum(cart) - coupon(cart);\n")
    session.tasks(["Borner le total à zéro", "Ajouter un test", "Vérifier l'arrondi de la TVA"])
    session.task(1, "in_progress")
    session.edit(total, "sum(cart) - coupon(cart)", "Math.max(0, sum(cart) - coupon(cart))")
    session.bash(
        "npm test -- total",
        "Lancer les tests du total",
        " FAIL  tests/total.test.ts > la TVA suit le total réduit\nAssertionError: expected 167 to be 0\n"
        " Tests  1 failed | 6 passed (7)",
        failed=True,
    )
    session.prompt("La TVA doit être calculée sur le total réduit, jamais sur le prix affiché.")
    session.edit(f"{root}/src/checkout/vat.ts", "vatOf(sum(cart))", "vatOf(total(cart))")
    session.bash("npm test -- total", "Lancer les tests du total", " Tests  7 passed (7)")
    session.task(1, "completed")
    session.task(2, "completed")
    session.say(
        "Le total ne descend plus sous zéro et la TVA suit le total réduit. Il reste l'arrondi à vérifier."
    )


def _double_charge(session: TranscriptWriter, root: str) -> None:
    session.read(
        f"{root}/src/webhooks/stripe.ts", "case 'payment_intent.succeeded':\n  await markPaid(event);\n"
    )
    session.write(
        f"{root}/migrations/0039_webhook_events.sql", "CREATE TABLE webhook_events (id text PRIMARY KEY);\n"
    )
    session.edit(
        f"{root}/src/webhooks/stripe.ts",
        "await markPaid(event);",
        "await once(event.id, () => markPaid(event));",
    )
    session.bash("npm test -- webhooks", "Run the webhook tests", " Tests  8 passed (8)")
    session.say("An event that was handled once is now answered with 200 and changes nothing.")


def _stock_import(session: TranscriptWriter, root: str) -> None:
    session.bash(
        "npm run import:stock -- --profile", "Profile the import", "parse 6 s\nupsert 2341 s\ntotal 2347 s"
    )
    session.edit(
        f"{root}/src/stock/import.ts",
        "for (const row of rows) await upsert(row);",
        "await upsertMany(rows, 1000);",
    )
    session.bash(
        "npm run import:stock -- --profile", "Profile the import", "parse 6 s\nupsert 41 s\ntotal 47 s"
    )
    session.say(
        "The import takes 47 seconds instead of 39 minutes: 1,000 rows a statement, one transaction a file."
    )


COUPON = Earlier(
    session="c81f03d2-94be-4a57-8c36-5e1d2f7a6b04",
    branch="coupon-total",
    captured=timedelta(hours=3, minutes=12, seconds=29),
    prompt="Le total du panier est faux quand un bon de réduction dépasse le montant : on affiche −4,00 € "
    "au lieu de 0,00 €. Corrige le calcul et ajoute un test.",
    play=_coupon,
)

DOUBLE_CHARGE = Earlier(
    session="77d2a9be-0c14-4f6b-b1f5-3a9e6d8c2051",
    branch="webhook-idempotency",
    captured=timedelta(days=4, hours=1, minutes=6, seconds=54),
    prompt="Some customers were charged twice on Saturday. Find out why and make it impossible.",
    play=_double_charge,
    summary="Found why customers were charged twice (Stripe repeated a webhook that we had answered too "
    "late) and made every webhook handler run once per event id.",
    memory=MemoryFile(
        title="Charged twice: webhooks run once per event",
        goal="Find out why customers were charged twice on Saturday and make it impossible.",
        learnings=(
            "Stripe repeats an event when the answer takes more than 10 seconds; ours took 14 at night",
            "`webhook_events` has the event id as its key; `once()` runs a handler in the same transaction",
            "A repeated event is answered with 200, otherwise Stripe disables the endpoint after three days",
        ),
        questions=("Should the backup move to 04:00, when hardly anyone buys?",),
        confidence="High — the Saturday events were replayed against staging and charged once",
        key_files=("src/webhooks/stripe.ts", "src/webhooks/once.ts", "migrations/0039_webhook_events.sql"),
    ),
)

STOCK_IMPORT = Earlier(
    session="1e6f5c90-7ab2-4d13-a2c8-90d4b7e3f615",
    branch="faster-import",
    captured=timedelta(days=3, hours=2, minutes=39, seconds=9),
    prompt="The nightly stock import takes 40 minutes and blocks the checkout. Make it fast, lose no row.",
    play=_stock_import,
    summary="The nightly stock import went from 39 minutes to 47 seconds by writing 1,000 rows a statement.",
    memory=MemoryFile(
        title="Stock import in 47 seconds",
        goal="Make the nightly stock import fast enough not to block the checkout.",
        learnings=(
            "Nearly all the time went into one upsert a row; 1,000 rows a statement is the sweet spot",
            "The lock on `stock_levels` was the reason for slow checkouts, not the CPU",
            "The supplier's file is Latin-1 although its header says UTF-8",
        ),
        questions=("Two suppliers send the same article number: which one wins?",),
        confidence="Medium — measured on a copy of the shop's database, not yet on a Monday night",
        key_files=("src/stock/import.ts", "src/stock/upsert.ts", "tests/import.test.ts"),
    ),
)

VAT_RULES = Earlier(
    session="e4a8b6d7-25f1-4c09-9d7e-6b3c1f0a8e42",
    branch="vat-table",
    captured=timedelta(days=2, hours=5, minutes=17, seconds=42),
    prompt="Move the VAT rates out of checkout.ts into a table with dates. Finland changes its rate soon.",
    play=None,
    summary="VAT rates now come from a table with valid-from dates; an order keeps the rate of its own day.",
    memory=MemoryFile(
        title="VAT rates are data with a date",
        goal="Move the VAT rates out of the code before Finland's new rate is due.",
        learnings=(
            "An order keeps the rate of the day it was placed, a refund uses the order's rate",
            "`rateFor(country, date)` is the only reader of `vat_rates`",
        ),
        questions=("Gift cards: taxed when sold or when used?", "Who enters new rates, and who checks them?"),
        confidence="High — all 212 invoices of the last quarter come out the same to the cent",
        key_files=("src/checkout/vat.ts", "migrations/0041_vat_rates.sql"),
    ),
)

EARLIER = (COUPON, VAT_RULES, STOCK_IMPORT, DOUBLE_CHARGE)
"""Newest first."""

BROKEN_AGE = timedelta(days=1, hours=6, minutes=13, seconds=27)
"""How long ago the broken capture was made."""

BROKEN_CAPTURE = """\
# Autocompact Capture

**Status:** pend"""
"""A capture whose writer was killed half way: it has no time and no transcript."""
