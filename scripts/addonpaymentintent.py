"""Create a payment intent for an add-on, which the card form in the browser confirms."""

from __future__ import annotations

import secrets

from pydantic import BaseModel, Field

from product.billing import addons, customer, prices
from product.context import Context
from product.roles import OWNER
from tableapi import script


class Input(BaseModel):
    planid: int = Field(ge=1, lt=2**63)


_KEEP = """
    insert into addonpayment (providerid, clientid, planid, amount, currency, status)
    values ($1, $2, $3, $4, $5, 'requires_action') on conflict on constraint addonpayment_pkey do nothing
"""


@script(roles=OWNER, limit="20/hour per account", seconds=30, repeatable=True)
async def run(ctx: Context, input: Input) -> dict[str, object]:
    plan = await addons.on_sale(ctx, input.planid)
    clientid, amount = ctx.actor.clientid, prices.cents(plan)
    custid = await customer.customer(ctx, clientid)
    metadata = {"clientid": str(clientid), "planid": str(plan.planid)}
    key = f"intent:{clientid}:{secrets.token_hex(12)}"
    intent = await customer.provider(ctx).intent(custid, amount, customer.CURRENCY, metadata, key)
    await ctx.db.execute(_KEEP, intent.id, clientid, plan.planid, amount, customer.CURRENCY)
    return {
        "result": {
            "clientsecret": intent.secret,
            "paymentintentid": intent.id,
            "amount": intent.amount,
            "currency": intent.currency,
        }
    }
