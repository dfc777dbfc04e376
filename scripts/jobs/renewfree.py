"""Every hour, renew the free plans that have reached the end of their month."""

from __future__ import annotations

from dataclasses import dataclass

from product.billing import plans
from product.context import Context
from tableapi import script

_DUE = """
    select s.clientid from usersubscription s join subscriptionplan p using (planid)
    where s.isactive = 1 and s.autorenew = 1 and p.sku = $1 and s.expirydate <= now() limit 1000
"""


@dataclass(frozen=True, slots=True)
class _Due:
    clientid: int


@script(every="1h")
async def run(ctx: Context) -> None:
    for row in await ctx.db.all(_Due, _DUE, plans.FREE_SKU):
        async with ctx.db.transaction():
            await plans.renew_free(ctx, row.clientid)
