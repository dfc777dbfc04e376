"""Mail the owner about payments: receipts, failed and returned payments, ended plans.

Each mail is queued in the transaction of the change that it reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from product import language as languages
from product import mail
from product.context import Context
from product.language import formats

_OWNER = """
    select u.email, u.name, u.language, p.name as planname,
           (select t.payurl from transactionhistory t where t.clientid = $1 and t.status = 'open'
            order by t.transactiondate desc limit 1) as payurl
    from appuser u
    left join usersubscription s on s.clientid = $1
    left join subscriptionplan p using (planid)
    where u.clientid = $1 and u.role = 'client' and u.isdeleted = 0
    order by s.isactive desc nulls last, s.createdon desc nulls last limit 1
"""
BILLING, PLANS = "/dashboard/settings/billing", "/dashboard/upgradeplan"


@dataclass(frozen=True, slots=True)
class _Owner:
    email: str
    name: str
    language: str | None
    planname: str | None
    payurl: str | None


@dataclass(frozen=True, slots=True)
class Purchase:
    """A payment, as the mails about it name it."""

    clientid: int
    planname: str
    invoicenumber: str
    currency: str


async def receipt(ctx: Context, clientid: int, transactionid: int) -> None:
    """Queue the receipt of a paid invoice, with its PDF."""
    await ctx.later("sendreceipt", clientid=clientid, transactionid=transactionid)


async def payment_failed(ctx: Context, clientid: int, until: datetime) -> None:
    """Tell the owner that a renewal could not be charged, and how long the account keeps working."""
    owner = await ctx.db.first(_Owner, _OWNER, clientid)
    if owner is not None:
        link = owner.payurl or mail.link(ctx, BILLING)
        language = languages.of(ctx, owner.language)
        values = {"name": owner.name, "planname": owner.planname or "", "until": formats.day(until, language)}
        await mail.queue(ctx, "paymentfailed", owner.email, link, language=language, **values)


async def ended(ctx: Context, clientid: int, *, unpaid: bool) -> None:
    """Tell the owner that the plan has ended, by cancellation or because it was not paid."""
    owner = await ctx.db.first(_Owner, _OWNER, clientid)
    if owner is not None:
        values = {"name": owner.name, "planname": owner.planname or "", "unpaid": unpaid}
        language = languages.of(ctx, owner.language)
        await mail.queue(ctx, "planended", owner.email, mail.link(ctx, PLANS), language=language, **values)


async def money_back(ctx: Context, row: Purchase, event: str, amount: int, moved: dict[str, int]) -> None:
    """Tell the owner that a payment was refunded, disputed or restored.

    Args:
        event: payment_refunded, payment_disputed or payment_restored.
        amount: in the smallest unit of the currency.
        moved: the change of each credit balance.
    """
    owner = await ctx.db.first(_Owner, _OWNER, row.clientid)
    if owner is None:
        return
    language = languages.of(ctx, owner.language)
    moved_text = ", ".join(mail.amount(language, kind, abs(count)) for kind, count in moved.items())
    values = {"name": owner.name, "planname": row.planname, "invoicenumber": row.invoicenumber}
    values |= {"event": event, "amount": formats.money(abs(amount), row.currency, language), "credits": moved_text}
    await mail.queue(ctx, "moneyback", owner.email, mail.link(ctx, BILLING), language=language, **values)
