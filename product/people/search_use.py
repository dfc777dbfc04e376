"""Limit an account's searched pages and people per day (UTC), to prevent copying of the directory."""

from __future__ import annotations

from collections.abc import Sequence
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
_PAGE = """
    insert into searchuse as u (clientid, day, pages) values ($1, $2, 1)
    on conflict (clientid, day) do update set pages = u.pages + 1 where u.pages < $3 and u.people < $4
    returning u.pages, u.people
"""
_PEOPLE = """
    with seen as (
        insert into searchseen (clientid, day, personid) select $1, $2, unnest($3::bigint[]) on conflict do nothing
        returning personid
    )
    update searchuse set people = people + (select count(*) from seen) where clientid = $1 and day = $2
"""


class SearchLimit(TooMany):
    """The plan allows no more pages or people today (429)."""

    reason = "search_limit"


@dataclass(frozen=True, slots=True)
class _Allowed:
    pages: int
    people: int


async def page(ctx: Context, clientid: int) -> None:
    """Count a page. Raises SearchLimit, unless RATE_LIMITS is off."""
    if ctx.settings.rate_limits is False:
        return
    allowed = await ctx.db.one(_Allowed, _ALLOWED, clientid)
    now = datetime.now(UTC)
    limits = (allowed.pages, allowed.people)
    row = await ctx.db.fetchrow(_PAGE, clientid, now.date(), *limits) if min(limits) > 0 else None
    if row is None:
        tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        raise SearchLimit(
            f"Your plan allows {limits[0]:,} pages and {limits[1]:,} people in searches per day. Continue tomorrow, "
            "or upgrade.",
            context={"pages": limits[0], "people": limits[1]},
            headers={"Retry-After": str(int((tomorrow - now).total_seconds()) + 1)},
        )


async def people(ctx: Context, clientid: int, ids: Sequence[int]) -> None:
    """Count the distinct people on a page."""
    if ids and ctx.settings.rate_limits is not False:
        await ctx.db.execute(_PEOPLE, clientid, datetime.now(UTC).date(), list(ids))
