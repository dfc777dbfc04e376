"""Find the people named in a call: by profile address, or as the first results of a search."""

from __future__ import annotations

from collections.abc import Sequence

from product.callers import Caller
from product.context import Context
from product.people import directory, profile_url, search, search_pages, search_use
from product.people.directory import Person
from product.people.search import PeopleSearch
from product.people.search_pages import PEOPLE, Page

Asked = tuple[str, Person | None, bool]  # the address, the person, and whether it is the address of a profile


async def find(
    ctx: Context, caller: Caller, linkedinurls: Sequence[str], query: PeopleSearch | None, first: int
) -> list[Asked]:
    """Return the people at some addresses, or the first results of a search, which count as one page.

    `purchase.quote` counts the people. May call the vendor: never call it inside a transaction.
    """
    if query is not None:
        await search_use.page(ctx, caller.clientid)
        page = Page(order=query.order, limit=first)
        _, rows = await search_pages.find(ctx, PEOPLE, search.people_query(query), page)
        keys = [row["profilekey"] for row in rows]
        persons = await directory.find_many(ctx, keys)
        return [(key, persons[key], True) for key in keys if key in persons]
    keyed: list[tuple[str, str | None]] = []
    for url in linkedinurls:
        try:
            keyed.append((url, profile_url.key_of(url, ctx.settings.profile_host)))
        except profile_url.NotAProfile:
            keyed.append((url, None))
    persons = await directory.find_many(ctx, [key for _, key in keyed if key is not None])
    return [(key or url, persons.get(key) if key else None, key is not None) for url, key in keyed]
