"""Saved searches: check their filters, and count the matches that are new since the last visit."""

from __future__ import annotations

from pydantic import BaseModel

from product.context import Context
from product.people import search
from product.people.search import CompanySearch, PeopleSearch
from product.people.search_pages import EXACT
from tableapi import validate

MODELS: dict[str, type[BaseModel]] = {"people": PeopleSearch, "companies": CompanySearch}
_SEARCHES = """
    select savedsearchid, filters, seenupto from savedsearch
    where clientid = $1 and (appuserid = $2 or shared = 1) and kind = 'people' order by savedsearchid limit $3
"""
_OPENED = """
    update savedsearch set seenupto = coalesce((select max(personid) from person), 0)
    where savedsearchid = $1 and clientid = $2 and appuserid = $3 returning savedsearchid
"""
MOST = 50


def checked(kind: str, filters: dict[str, object]) -> dict[str, object]:
    """Return filters in stored form, without empty ones. Raises Invalid (422)."""
    return validate(MODELS[kind], filters).model_dump(by_alias=True, exclude_defaults=True)


async def news(ctx: Context) -> list[dict[str, object]]:
    """Return the number of new matches for each people search visible to the caller, up to 50 searches."""
    rows = await ctx.db.fetch(_SEARCHES, ctx.actor.clientid, ctx.actor.appuserid, MOST)
    counts = []
    for row in rows:
        query = search.people_query(PeopleSearch.model_validate(row["filters"]))
        new = await search.count_new(ctx, query, row["seenupto"])
        estimated = new > EXACT
        counts.append({"savedsearchid": row["savedsearchid"], "new": min(new, EXACT), "estimated": estimated})
    return counts


async def opened(ctx: Context, savedsearchid: int) -> bool:
    """Record that the caller has seen the matches of its own search; return whether the search exists."""
    ident = await ctx.db.fetchval(_OPENED, savedsearchid, ctx.actor.clientid, ctx.actor.appuserid)
    return ident is not None
