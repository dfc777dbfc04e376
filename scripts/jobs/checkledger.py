"""Every night: is the sum of the ledger the balance, for every client and kind? What is not is told to the log."""

from __future__ import annotations

import structlog

from scripts._shared.context import Context
from tableapi.endpoints.registry import script

log = structlog.get_logger(__name__)

_WRONG = """
    select c.clientid, b.kind, b.balance, coalesce(l.total, 0) as total
    from usercredit c
    cross join lateral (values ('contactcredit', c.contactcredit), ('bus_email_credits', c.bus_email_credits),
                               ('personal_email_credits', c.personal_email_credits)) b (kind, balance)
    left join lateral (select sum(delta) as total from creditledger
                       where clientid = c.clientid and kind = b.kind) l on true
    where b.balance <> coalesce(l.total, 0)
"""


@script(every="1d")
async def run(ctx: Context) -> int:
    """Out: how many balances do not fit."""
    wrong = await ctx.db.fetch(_WRONG)
    for row in wrong:
        log.error("ledger_does_not_fit", **dict(row))
    return len(wrong)
