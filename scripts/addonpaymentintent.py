"""Begin to buy an add-on (call 56): a payment that the card form of the browser confirms."""

from __future__ import annotations

import secrets
from typing import Any

from pydantic import BaseModel, Field

from scripts._shared.billing import addons, customer, prices
from scripts._shared.context import Context
from scripts._shared.roles import OWNER
from tableapi.endpoints.registry import script


class Input(BaseModel):
    planid: int = Field(ge=1, lt=2**63)


_KEEP = """
    insert into addonpayment (providerid, clientid, planid, amount, currency, status)
    values ($1, $2, $3, $4, $5, 'requires_action') on conflict (providerid) do nothing
"""


@script(roles=OWNER, limit="20/hour per account", seconds=30, repeatable=True)
async def run(ctx: Context, input: Input) -> dict[str, Any]:
    plan = await addons.on_sale(ctx, input.planid)
    clientid, amount = ctx.actor.clientid, prices.cents(plan)
    custid = await customer.customer(ctx, clientid)
    marks = {"clientid": str(clientid), "planid": str(plan["planid"])}
    key = f"intent:{clientid}:{secrets.token_hex(12)}"
    made = await customer.provider(ctx).intent(custid, amount, customer.CURRENCY, marks, key)
    await ctx.db.execute(_KEEP, made.id, clientid, plan["planid"], amount, customer.CURRENCY)
    return {
        "result": {
            "clientsecret": made.secret,
            "paymentintentid": made.id,
            "amount": made.amount,
            "currency": made.currency,
        }
    }
