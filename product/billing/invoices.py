"""Store invoices of subscriptions in transactionhistory and grant the credits of a paid invoice, once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import NotRequired, TypedDict

from product.billing.rows import PlanRow
from product.context import Context
from product.credits.ledger import KINDS, end_plan_credits, grant
from product.language import DEFAULT, Language, formats
from product.language.texts import translator
from product.vendors.money import Invoice, Line, Subscription

_ADDON = re.compile(r"(\d+) Cell Numbers")  # the name of an add-on that the product ships
_STATUS = {"open": "open", "paid": "paid", "void": "failed", "uncollectible": "failed"}

# Returns a row only if the invoice is new or has changed to paid, which is when its credits are granted.
_BOOK = """
    insert into transactionhistory as t (clientid, planid, invoicenumber, transactiondate, periodstart, expirydate,
        planname, isaddon, price, tax, currency, status, lines, payurl, providerid)
    values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11, $12, $13, $14)
    on conflict on constraint transactionhistory_providerid_key do update set
        status = excluded.status, transactiondate = excluded.transactiondate,
        price = excluded.price, payurl = excluded.payurl
    where t.status <> excluded.status and t.status not in ('paid', 'refunded')
    returning transactionid, status
"""
_LATER = """
    select exists (select 1 from transactionhistory where clientid = $1 and isaddon = 0 and periodstart > $3
                   and status in ('paid', 'refunded') and providerid is not null and providerid <> $2)
"""


@dataclass(frozen=True, slots=True)
class _Book:
    transactionid: int
    status: str


class StoredLine(TypedDict):
    """A line of an invoice, as stored in transactionhistory.lines."""

    description: str
    quantity: NotRequired[int]
    amount: int
    proration: NotRequired[bool]
    planname: NotRequired[str]
    start: NotRequired[str]
    end: NotRequired[str]


def _rows(invoice: Invoice, plans: dict[str, PlanRow]) -> list[StoredLine]:
    return [
        {"description": line.description, "planname": plan_name(line, plans), "quantity": line.quantity,
         "amount": line.amount, "proration": line.proration, "start": f"{line.start:%Y-%m-%d}",
         "end": f"{line.end:%Y-%m-%d}"}
        for line in invoice.lines
    ]  # fmt: skip


def plan_name(line: Line, plans: dict[str, PlanRow]) -> str:
    """Return the name of the plan in an invoice line, or "" if the line is not about a plan."""
    return plans[line.priceid].name if line.priceid in plans else ""


def described(line: StoredLine, language: Language) -> str:
    """Describe a line. The provider's description is in English; in other languages the plan is named.

    Args:
        line: description, amount, and for the line of a plan `planname` and `proration`.
    """
    name, description = line.get("planname"), line["description"]
    if language == DEFAULT:
        return description
    t = translator(language, "documents", "invoice")
    if not name:
        addon = _ADDON.fullmatch(description)
        return t("addon", number=formats.number(int(addon[1]), language)) if addon else description
    if not line.get("proration"):
        return name
    return t("unused" if line["amount"] < 0 else "remaining", planname=name)


async def book(
    ctx: Context, clientid: int, invoice: Invoice, sub: Subscription, plans: dict[str, PlanRow]
) -> int | None:
    """Store an invoice and return its transactionid if it has just become paid, else None.

    Requires a transaction with the lock on usercredit.

    Args:
        plans: the row of subscriptionplan of each price id.
    """
    status = _STATUS.get(invoice.status)
    lines = [line for line in invoice.lines if line.priceid in plans]
    if status is None or not lines:
        return None
    main = _main(lines)
    plan = plans[main.priceid]
    amount = invoice.paid if status == "paid" else invoice.total
    row = await ctx.db.first(
        _Book, _BOOK,
        clientid, plan.planid, invoice.number, invoice.date, main.start, max(line.end for line in lines),
        plan.name, Decimal(amount) / 100, invoice.tax, invoice.currency, status, _rows(invoice, plans),
        invoice.payurl if status == "open" else None, invoice.id,
    )  # fmt: skip
    if row is None or row.status != "paid":
        return None
    await _credit(ctx, clientid, invoice, sub, plans, lines)
    return row.transactionid


def _main(lines: list[Line]) -> Line:
    """Return the line that an invoice is about: that of the latest period, else the one that costs most."""
    return max(lines, key=lambda line: (not line.proration, line.start, line.amount))


async def _credit(
    ctx: Context, clientid: int, invoice: Invoice, sub: Subscription, plans: dict[str, PlanRow], lines: list[Line]
) -> None:
    """Grant the credits of a paid invoice.

    A new period grants all credits of the plan; changes within a period grant the rest of the differences.
    """
    main = _main(lines)
    if not main.proration:
        if not await ctx.db.first_value(bool, _LATER, clientid, invoice.id, main.start):
            await end_plan_credits(ctx, clientid, f"invoice:{invoice.id}")
            plan = plans[main.priceid]
            # The planid keeps the source unique: a plan changed right after payment starts two periods in one second.
            source = f"{sub.id}:{int(main.start.timestamp())}:{plan.planid}"
            amounts = {kind: amount * main.quantity for kind, amount in plan.credits.items()}
            await grant(ctx, clientid, amounts, reason="plan", source="plan", source_id=source)
        return
    added = {kind: Fraction(0) for kind in KINDS}
    for line in lines:
        part = rest(line, sub) * line.quantity * (-1 if line.amount < 0 else 1)
        for kind, amount in plans[line.priceid].credits.items():
            added[kind] += part * amount
    amounts = {kind: max(0, ceil(amount)) for kind, amount in added.items()}
    await grant(ctx, clientid, amounts, reason="upgrade", source="upgrade", source_id=invoice.id)


def rest(line: Line, sub: Subscription) -> Fraction:
    """Return the part of its period that a prorated line covers, from 0 to 1."""
    length = sub.end - sub.start
    whole = length if line.end == sub.end else timedelta(days=30 if length < timedelta(days=60) else 365)
    return min(Fraction(1), Fraction(int((line.end - line.start).total_seconds()), int(whole.total_seconds())))


def difference(old: PlanRow, new: PlanRow, part: Fraction) -> dict[str, int]:
    """Return the credits that an upgrade adds: the part of the difference between the plans, rounded up."""
    return {kind: max(0, ceil((new.credits[kind] - old.credits[kind]) * part)) for kind in KINDS}
