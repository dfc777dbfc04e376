"""Every five minutes, mail owners once when a balance falls to a fifth of the plan's credits, or to 0."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from product import language as languages
from product import mail
from product.context import Context
from product.language import Language, formats
from tableapi import script

PACE_DAYS = 30
FEWEST = 3  # credits in PACE_DAYS; fewer are not enough to predict the future
FARTHEST = timedelta(days=730)
_OPEN = """
    with due as (
        update creditnotice n set mailedon = now() from appuser u
        where n.mailedon is null and u.clientid = n.clientid and u.role = 'client' and u.isdeleted = 0
        returning n.clientid, u.email, u.name, u.language, n.kind, n.threshold
    )
    select due.*, to_jsonb(c) as credits, s.autorenew, s.expirydate, to_jsonb(p) as plan, (
        select -coalesce(sum(delta), 0) from creditledger l
        where l.clientid = c.clientid and l.kind = due.kind and l.reason = 'reveal'
          and l.createdon > now() - make_interval(days => $1)) as spent
    from due join usercredit c using (clientid)
    left join usersubscription s on s.clientid = c.clientid and s.isactive = 1
    left join subscriptionplan p on p.planid = s.planid
"""


@dataclass(frozen=True, slots=True)
class _Open:
    email: str
    name: str
    language: str | None
    kind: str
    threshold: int
    credits: dict[str, int]
    autorenew: int | None
    expirydate: datetime | None
    plan: dict[str, object] | None
    spent: Decimal


@script(every="5m")
async def run(ctx: Context) -> None:
    link = mail.link(ctx, "/dashboard/upgradeplan")
    async with ctx.db.transaction():
        for row in await ctx.db.all(_Open, _OPEN, PACE_DAYS):
            left = row.credits[row.kind] if row.threshold else 0
            if row.threshold and not left:  # used up meanwhile: a separate notice reports it
                continue
            language = languages.of(ctx, row.language)
            values: dict[str, object] = {"name": row.name, "kind": mail.kind(language, row.kind), "left": left}
            values["forecast"] = _forecast(row, left, language)
            await mail.queue(ctx, "lowcredit", row.email, link, language=language, **values)


def _forecast(row: _Open, left: int, language: Language) -> dict[str, object]:
    """Return the pace, the day on which the credits will run out, the renewal, and the remaining share."""
    spent, now, until = int(row.spent), datetime.now(UTC), ""
    if left and spent >= FEWEST and (lasts := timedelta(days=left * PACE_DAYS / spent)) < FARTHEST:
        until = formats.day((now + lasts).date(), language)
    renews = formats.day(row.expirydate.date(), language) if row.autorenew and row.expirydate else ""
    allotted = (row.plan or {}).get(row.kind)
    share = min(100, round(left * 100 / allotted)) if isinstance(allotted, int) and allotted else 0
    return {"spent": formats.number(spent, language), "until": until, "renews": renews, "share": share}
