"""Create a payment intent for an add-on, which the card form in the browser confirms."""

from __future__ import annotations

import secrets

from pydantic import BaseModel, Field

from product.billing import addons, customer, prices
from product.context import Context
from product.roles import OWNER
from product.vendors.money import Intent
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
    metadata = {"clientid": str(clientid), "planid": str(plan.planid)}

    async def create(custid: str) -> Intent:
        key = f"intent:{clientid}:{secrets.token_hex(12)}"
        return await customer.provider(ctx).intent(custid, amount, customer.CURRENCY, metadata, key)

    intent = await customer.known(ctx, clientid, create)
    await ctx.db.execute(_KEEP, intent.id, clientid, plan.planid, amount, customer.CURRENCY)
    return {
        "result": {
            "clientsecret": intent.secret,
            "paymentintentid": intent.id,
            "amount": intent.amount,
            "currency": intent.currency,
        }
    }
