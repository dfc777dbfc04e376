"""Search people by name, title, company and place. Free; no contact values."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from product import api_keys, call_limits, callers
from product.context import Context
from product.people import search
from product.people.search import Match, PeopleSearch
from product.people.search_pages import Meta, Page
from product.roles import SESSION, VIEW
from product.sample import answers
from tableapi import script


class Input(PeopleSearch, Page):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Output(BaseModel):
    meta: Meta
    resource: list[Match]


@script(
    public=True,
    roles=(*SESSION, *VIEW),
    own_key=api_keys.own_key("search"),
    limit=call_limits.SEARCH,
    agents=True,
    tool="search_people",
    scope="read",
    errors=(402,),
)
@answers.served(answers.searchpeople, "search", call_limits.SEARCH)
async def run(ctx: Context, input: Input) -> Output:
    caller = await callers.session_or_key(ctx, "search", call_limits.SEARCH)
    meta, matches = await search.people(ctx, caller, input, input)
    return Output(meta=meta, resource=matches)
