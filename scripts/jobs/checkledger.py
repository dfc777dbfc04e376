"""Every night, compare each balance with the sum of its ledger rows, and log every difference."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import structlog

from product.context import Context
from tableapi import script

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


@dataclass(frozen=True, slots=True)
class _Wrong:
    clientid: int
    kind: str
    balance: int
    total: int


@script(every="1d")
async def run(ctx: Context) -> int:
    """Return the number of balances that differ from their ledger."""
    differences = await ctx.db.all(_Wrong, _WRONG)
    for row in differences:
        log.error("ledger_does_not_fit", **asdict(row))
    return len(differences)
