"""The stored memories of the demo: what earlier sessions were saved as, under their Recovery IDs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from memtui.demo.story import earlier, refunds


@dataclass(frozen=True, slots=True)
class Saved:
    """A session as its recovery text tells it; paths are relative to the project."""

    age: timedelta
    """How long before the demo opens it was stored."""
    description: str
    tags: tuple[str, ...]
    objective: str
    plan: str = ""
    working: tuple[tuple[str, str], ...] = ()
    """Modified files and their roles."""
    reference: tuple[tuple[str, str], ...] = ()
    """Files that were only read, and their roles."""
    last_action: str = ""
    decisions: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    known_issues: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    notes: str = ""
    session: str = ""
    """The session id, where the story knows it."""
    project: str = "harbor"
    """The name of its project's folder, beside which the others lie."""
    archived: bool = False
    pinned: bool = False


MEMORIES = (
    Saved(
        age=timedelta(minutes=57, seconds=41),
        description="partial refunds: ledger entry works, bundles next",
        tags=("refunds", "stock"),
        session=refunds.SESSION,
        objective="Partial refunds give the stock back without changing the public API of /refunds.",
        plan=refunds.PLAN,
        working=(
            ("src/refunds/service.ts", "refund and ledger in one transaction"),
            ("src/stock/ledger.ts", "the `returned` entry"),
            ("migrations/0042_refund_lines.sql", "refund lines"),
        ),
        reference=(
            ("CLAUDE.md", "project instructions"),
            ("src/orders/bundle.ts", "what a bundle consists of"),
            ("src/webhooks/once.ts", "the pattern to follow"),
        ),
        last_action="`npm test -- refunds`: 1 failed, 11 passed (a bundle gives back 3 parts instead of 4).",
        decisions=(
            "Ledger entries are unique by refund line: a retry must not give the stock back twice",
            "Bundles give back their parts: support counts parts, not bundles",
        ),
        constraints=("The public API of /refunds stays as it is: the mobile app depends on it",),
        known_issues=("Refunds of shipping costs have no order line",),
        changes=("Migration 0042 applied", "Ledger knows `returned`"),
        pending=("Split bundles into parts", "Ignore the second charge.refunded", "Backfill"),
        notes="`partsOf` returns the parts without their quantity; that is probably the missing one.",
    ),
    Saved(
        age=timedelta(days=2, hours=4, minutes=23, seconds=11),
        description="VAT rates as data with valid-from dates",
        tags=("vat", "checkout"),
        session=earlier.VAT_RULES.session,
        objective="Move the VAT rates out of the code before Finland's new rate is due.",
        plan="- [x] Table `vat_rates`: country, rate, valid_from\n- [x] `rateFor(country, date)`\n- [ ] Form",
        working=(
            ("src/checkout/vat.ts", "the only reader of the table"),
            ("migrations/0041_vat_rates.sql", "rates"),
        ),
        last_action="Compared 212 invoices of the last quarter: the same to the cent.",
        decisions=("An order keeps the rate of the day it was placed: that is what the invoice says",),
        dependencies=("none added",),
        pending=("Admin form for new rates", "Ask accounting about gift cards"),
        notes="Northern Ireland is XI, not GB, in the rates of the EU.",
    ),
    Saved(
        age=timedelta(days=2, hours=22, minutes=28, seconds=43),
        description="商品搜索:修复中文分词,结果按销量排序",
        tags=("search", "i18n"),
        objective="让中文顾客能用两个字的词搜到商品,例如“缆绳”和“航灯”。",
        plan="- [x] 复现:搜索“缆绳”没有结果\n- [x] 用二元分词建立索引\n- [ ] 把旧索引切换到新索引",
        working=(("src/search/tokenize.ts", "二元分词"), ("src/search/index.ts", "建立索引")),
        last_action="`npm test -- search`:34 个测试全部通过。",
        decisions=("采用二元分词而不是词典:商品名里有太多品牌词",),
        constraints=("搜索必须在 50 毫秒内返回",),
        known_issues=("繁体字和简体字还没有互相匹配",),
        changes=("新增 tokenize.ts", "搜索结果按最近 30 天的销量排序"),
        pending=("在夜间切换索引", "询问客服最常见的搜索词"),
    ),
    Saved(
        age=timedelta(days=3, hours=2, minutes=6, seconds=6),
        description="stock import: 39 minutes to 47 seconds",
        tags=("stock", "performance"),
        session=earlier.STOCK_IMPORT.session,
        objective="Make the nightly stock import fast enough not to block the checkout.",
        working=(
            ("src/stock/import.ts", "reads the supplier's file"),
            ("src/stock/upsert.ts", "1,000 rows a statement"),
        ),
        reference=(("src/stock/ledger.ts", "where every change of the stock goes through"),),
        last_action="Profiled import: 47 s in all, 41 s in the database.",
        decisions=("One transaction a file: half an import is worse than none",),
        known_issues=("Two suppliers send the same article number",),
        pending=("Watch Monday night's run",),
    ),
    Saved(
        age=timedelta(days=4, minutes=55, seconds=36),
        description="double charges: webhooks run once per event",
        tags=("payments", "incident"),
        session=earlier.DOUBLE_CHARGE.session,
        objective="Find out why customers were charged twice on Saturday and make it impossible.",
        working=(
            ("src/webhooks/once.ts", "runs a handler once"),
            ("src/webhooks/stripe.ts", "all handlers use it"),
        ),
        last_action="Replayed Saturday's 1,204 events against staging: nobody was charged twice.",
        decisions=(
            "Answer a repeated event with 200: after three days of errors Stripe disables the endpoint",
        ),
        changes=("Migration 0039: webhook_events",),
        pending=("Move the backup to 04:00?",),
        pinned=True,
    ),
    Saved(
        age=timedelta(days=6, hours=3, minutes=9, seconds=25),
        description="注文確認メールの文字化けを修正",
        tags=("mail", "i18n"),
        objective="日本のお客様に届く注文確認メールの件名が文字化けする問題を直す。",
        plan="1. 件名を MIME でエンコードする\n2. 全角の住所を正しく折り返す\n3. 実機で確認する",
        working=(("src/mail/subject.ts", "件名のエンコード"), ("tests/mail.test.ts", "全角と絵文字のテスト")),
        last_action="テスト用アカウント 3 つに送信し、件名と住所が正しく表示されることを確認した。",
        decisions=("本文は常に UTF-8 で送る:古い携帯電話への対応はやめる",),
        pending=("絵文字を含む商品名の件名を確認する",),
        notes="件名の折り返しは 75 バイトごと。文字の途中で切ってはいけない。",
    ),
    Saved(
        age=timedelta(days=8, hours=6, minutes=40, seconds=5),
        description="rate limit for the public catalogue",
        tags=("api", "ops"),
        objective="Keep scrapers from slowing down the catalogue for customers.",
        working=(("src/http/limit.ts", "token bucket in Redis"),),
        last_action="Load test: 400 requests a second from one address get 429, others stay under 80 ms.",
        decisions=("Limit by address and key, not by user agent: scrapers lie about it",),
        dependencies=("ioredis 5",),
        pending=("Exempt the price comparison sites we have a contract with",),
    ),
    Saved(
        age=timedelta(days=11, hours=1, minutes=35, seconds=15),
        description="migration to Node 24, all services",
        tags=("ops",),
        objective="Run every service on Node 24 before support for 20 ends.",
        plan="- [x] harbor\n- [x] harbor-mail\n- [ ] harbor-admin: waits for the image library",
        last_action="harbor has been running on Node 24 in production for two days without a restart.",
        known_issues=("The image library of harbor-admin has no build for it yet",),
        pending=("harbor-admin",),
        project="harbor-infra",
    ),
    Saved(
        age=timedelta(days=13, hours=9, minutes=5, seconds=7),
        description="wishlists: design decided, nothing built yet",
        tags=("wishlist", "design"),
        objective="Let customers keep a list without an account and take it along when they register.",
        decisions=(
            "A signed cookie holds the list's id: no table of anonymous visitors",
            "Lists are merged at registration, the newer entry wins",
        ),
        constraints=("No tracking of visitors without consent",),
        pending=("Tell the design team about the empty state",),
        notes="Hypothesis: most lists hold fewer than five articles, so one row with an array is enough.",
    ),
    Saved(
        age=timedelta(days=15, hours=4, minutes=30, seconds=28),
        description="flaky checkout test was a time zone",
        tags=("tests", "checkout"),
        objective="Find out why tests/checkout.test.ts fails one night out of five.",
        working=(("tests/checkout.test.ts", "clock is fixed now"),),
        reference=(("src/checkout/vat.ts", "asks for today's rate"),),
        last_action="Ran the test 500 times over a faked midnight in Lisbon: green.",
        decisions=("Tests get their clock from `fixedClock()`; `new Date()` is banned by the linter",),
    ),
    Saved(
        age=timedelta(days=18, hours=2, minutes=7, seconds=17),
        description="admin: order search by customer name",
        tags=("admin", "search"),
        objective="Support finds an order by any part of the customer's name in under a second.",
        working=(
            ("admin/src/orders/search.tsx", "the search box"),
            ("src/orders/search.ts", "trigram index"),
        ),
        last_action="Searching 1.9 million orders takes 120 ms.",
        decisions=("pg_trgm instead of a search server: one thing less to run",),
        project="harbor-admin",
    ),
    Saved(
        age=timedelta(days=24, hours=5, minutes=8, seconds=37),
        description="spike: queue in PostgreSQL instead of RabbitMQ",
        tags=("spike", "ops"),
        objective="Find out whether SKIP LOCKED can replace the message broker.",
        last_action="4,000 jobs a second on the staging database, CPU at 30 %.",
        decisions=("Not now: the broker works, and the team has other worries",),
        archived=True,
    ),
)
"""Newest first."""

ARRIVING = Saved(
    age=timedelta(0),
    description="partial refunds: webhook is idempotent, backfill left",
    tags=("refunds", "stock", "payments"),
    session=refunds.SESSION,
    objective="Partial refunds give the stock back without changing the public API of /refunds.",
    plan=refunds.PLAN,
    working=(
        ("src/refunds/service.ts", "refund and ledger in one transaction"),
        ("src/stock/ledger.ts", "the `returned` entry, bundles split into parts"),
        ("src/webhooks/stripe.ts", "a repeated charge.refunded changes nothing"),
        ("migrations/0042_refund_lines.sql", "refund lines"),
    ),
    reference=(("CLAUDE.md", "project instructions"), ("src/webhooks/once.ts", "the pattern to follow")),
    last_action="`npm test -- webhooks`: 9 passed.",
    decisions=(
        "Ledger entries are unique by refund line: a retry must not give the stock back twice",
        "Bundles give back their parts: support counts parts, not bundles",
        "A repeated event is a success, not an error",
    ),
    constraints=(
        "The public API of /refunds stays as it is: the mobile app depends on it",
        "stock_levels is never written directly, always through the ledger",
        "Money is integer cents everywhere",
    ),
    known_issues=("Refunds of shipping costs have no order line",),
    changes=("Migration 0042 applied", "Ledger knows `returned`", "Webhook handler is idempotent"),
    pending=("Backfill the refunds since release 4.2",),
    notes="The dry run of the backfill says 214 refunds and 231 ledger entries; support counted 229 by hand.",
)
"""The memory that is stored while the demo runs."""
