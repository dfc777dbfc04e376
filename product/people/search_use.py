"""Limit the pages and people shown to an account per day (UTC), to prevent copying the directory.

Every call that returns a person, the name, title or company of one, or the kinds of data that exist, counts the people
here. Values that were paid for need no limit: credits are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from product.billing.live import LIVE
from product.context import Context
from tableapi import TooMany

# An account without a live subscription has the limits of the smallest plan.
_ALLOWED = f"""
    select coalesce(max(p.searchpages), (select min(searchpages) from subscriptionplan where isaddon = 0)) as pages,
           coalesce(max(p.searchpeople), (select min(searchpeople) from subscriptionplan where isaddon = 0)) as people
    from usersubscription s join subscriptionplan p using (planid) where s.clientid = $1 and {LIVE}
"""  # noqa: S608
_COUNT = """
    insert into searchuse as u (clientid, day, pages) values ($1, $2, $3)
    on conflict (clientid, day) do update set pages = u.pages + excluded.pages where u.pages < $4 and u.people < $5
    returning u.pages, u.people
"""
_PEOPLE = """
    with seen as (
        insert into searchseen (clientid, day, personid) select $1, $2, unnest($3::bigint[]) on conflict do nothing
        returning personid
    )
    update searchuse set people = people + (select count(*) from seen) where clientid = $1 and day = $2
"""
_NO_LIMIT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Allowed:
    pages: int
    people: int


async def page(ctx: Context, clientid: int) -> None:
    """Count a page. Raises TooMany, unless RATE_LIMITS is off."""
    await _admit(ctx, clientid, 1)


async def people(ctx: Context, clientid: int, ids: Iterable[int]) -> None:
    """Count the distinct people of a page, or of values that were paid for."""
    if ctx.settings.rate_limits is not False:
        # Sorted, because concurrent calls wait for each other's rows.
        await ctx.db.execute(_PEOPLE, clientid, datetime.now(UTC).date(), sorted(set(ids)))


async def shown(ctx: Context, clientid: int, ids: Iterable[int]) -> None:
    """Count people that a call shows outside a search. Call it outside any transaction.

    Runs the same statements for every number of people, so that its time does not tell whether there are any.

    Raises TooMany, unless RATE_LIMITS is off.
    """
    await _admit(ctx, clientid, 0)
    await people(ctx, clientid, ids)


async def _admit(ctx: Context, clientid: int, pages: int) -> None:
    if ctx.settings.rate_limits is False:
        return
    allowed = await ctx.db.one(_Allowed, _ALLOWED, clientid)
    now = datetime.now(UTC)
    limits = (allowed.pages if pages else _NO_LIMIT, allowed.people)
    row = await ctx.db.fetchrow(_COUNT, clientid, now.date(), pages, *limits) if min(limits) > 0 else None
    if row is None:
        tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        raise TooMany(
            f"Your plan allows {allowed.pages:,} pages and {allowed.people:,} people per day. Continue tomorrow, or "
            "upgrade.",
            context={"pages": allowed.pages, "people": allowed.people},
            headers={"Retry-After": str(int((tomorrow - now).total_seconds()) + 1)},
            reason="search_limit",
        )
