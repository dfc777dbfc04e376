"""Mail the owner the present plan of the account, with its last invoice if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from product import language as languages
from product import mail
from product.accounts import users
from product.context import Context
from product.language import formats
from tableapi import script


@dataclass(frozen=True, slots=True)
class _Plan:
    email: str
    name: str
    language: str | None
    planname: str
    price: Decimal
    expirydate: datetime
    invoicenumber: str | None


class Input(BaseModel):
    clientid: int | None = None


class Output(BaseModel):
    success: int = 1
    sent: int


_PLAN = """
    select u.email, u.name, u.language, p.name as planname, p.price, s.expirydate, t.invoicenumber
    from usersubscription s join subscriptionplan p using (planid)
    join appuser u on u.clientid = s.clientid and u.role = 'client' and u.isdeleted = 0
    left join transactionhistory t on t.clientid = s.clientid and t.transactionid = s.transactionid
    where s.clientid = $1 and s.isactive = 1
"""


@script(roles=("client", "unverified"), limit="5/hour per account")
async def run(ctx: Context, input: Input) -> Output:
    await users.own(ctx, clientid=input.clientid)
    async with ctx.db.transaction():
        plan = await ctx.db.first(_Plan, _PLAN, ctx.actor.clientid)
        if plan is None:
            return Output(sent=0)
        language = languages.of(ctx, plan.language)
        await mail.queue(
            ctx, "invoice", plan.email, mail.link(ctx, "/dashboard/settings/billing"), language=language,
            name=plan.name, planname=plan.planname, price=float(plan.price),
            invoicenumber=plan.invoicenumber or "", expiry=formats.day(plan.expirydate, language),
        )  # fmt: skip
    return Output(sent=1)
