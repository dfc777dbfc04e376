"""Search companies of the directory by name, industry, size and place. Free."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from product import api_keys, call_limits, callers
from product.context import Context
from product.people import search
from product.people.search import CompanyMatch, CompanySearch
from product.people.search_pages import Meta, Page
from product.roles import SESSION, VIEW
from product.sample import answers
from tableapi import script


class Input(CompanySearch, Page):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Output(BaseModel):
    meta: Meta
    resource: list[CompanyMatch]


@script(
    public=True,
    roles=(*SESSION, *VIEW),
    own_key=api_keys.own_key("search"),
    limit=call_limits.SEARCH,
    agents=True,
    tool="search_companies",
    scope="read",
    errors=(402,),
)
@answers.served(answers.searchcompanies, "search", call_limits.SEARCH)
async def run(ctx: Context, input: Input) -> Output:
    caller = await callers.session_or_key(ctx, "search", call_limits.SEARCH)
    meta, matches = await search.companies(ctx, caller, input, input)
    return Output(meta=meta, resource=matches)
