"""Count the values of one filter in a search of people or companies.

Only people and companies that the other filters match are counted.

Names are left out: the values that one person has would tell what `searchpeople` counts against the plan.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal

from asyncpg import Record
from pydantic import BaseModel

from product.context import Context
from product.people import term_index
from product.people.search import CompanySearch, PeopleSearch, company_query, people_query
from product.people.search_pages import COMPANIES, PEOPLE, Query, Target, condition

SAMPLE = 10_000  # people of a large directory that are read; the counts are then scaled
MAX_VALUES = 300

Field = Literal[
    "title", "seniority", "function", "company", "company_size", "industry", "country", "city", "has", "verification"
]
CompanyField = Literal["company_size", "industry", "country", "city"]

_COLUMNS: Mapping[str, str] = {
    "title": "title", "seniority": "seniority", "function": "jobfunction", "company": "company",
    "company_size": "company_size", "industry": "industry", "country": "country", "city": "city",
    "verification": "verification",
    "has": """unnest(array_remove(array[case when phonecipher is not null then 'directdial' end,
        case when businesscipher is not null then 'businessemail' end,
        case when personalcipher is not null then 'personalemail' end], null))""",
}  # fmt: skip
_COMPANY_COLUMNS: Mapping[str, str] = {
    "company_size": "company_size", "industry": "industry", "country": "unnest(countries)",
}  # fmt: skip


class Value(BaseModel):
    """A value of a filter, and the number of its people or companies."""

    value: str
    count: int


class Facet(BaseModel):
    """The values of a filter, the most frequent first. `estimated`: counted in a sample of the people."""

    resource: list[Value]
    estimated: bool = False


async def of_people(ctx: Context, search: PeopleSearch, field: Field, text: str) -> Facet:
    """Return the values of a filter that contain a text. The filter itself and the name are not applied."""
    unset = {"name": "", field: "" if field == "title" else []}
    without = search.model_copy(update=unset | {"not_": search.not_.model_copy(update={"name": [], field: []})})
    query = people_query(without)
    found = await term_index.find(ctx, query.included, query.excluded)
    if found is None:
        return _facet(await _values(ctx, PEOPLE, query, _COLUMNS[field], text, None))
    matches = term_index.count(found)
    ids = await asyncio.to_thread(_sample, found)
    rows = await _values(ctx, PEOPLE, query, _COLUMNS[field], text, ids)
    return _facet(rows, matches / len(ids) if len(ids) < matches else 1)


async def of_companies(ctx: Context, search: CompanySearch, field: CompanyField, text: str) -> Facet:
    """Return the values like `of_people`, with the number of companies."""
    unset: dict[str, object] = {"name": "", field: []}
    without = search.model_copy(update=unset | {"not_": search.not_.model_copy(update={field: []})})
    if field == "city":  # only people have one
        people = PeopleSearch.model_validate(without.model_dump(by_alias=True, exclude={"order"}))
        counted = "count(distinct lower(company))"
        return _facet(await _values(ctx, PEOPLE, people_query(people), "city", text, None, counted))
    return _facet(await _values(ctx, COMPANIES, company_query(without), _COMPANY_COLUMNS[field], text, None))


def _sample(found: term_index.Bits) -> list[int]:
    """Return up to `SAMPLE` ids, the same number of each block."""
    each = max(SAMPLE // max(len(found), 1), 1)
    return [
        ident
        for block, bits in found.items()
        for ident in islice(term_index.ids_in_order({block: bits}, descending=True, after=None), each)
    ]


async def _values(
    ctx: Context,
    target: Target,
    query: Query,
    column: str,
    text: str,
    ids: Sequence[int] | None,
    counted: str = "count(*)",
) -> Sequence[Record]:
    sql = f"""
        select value, {counted} as count from (
            select {column} as value, company from {target.table}
            where ({condition(target, query)}) is true and ($2::bigint[] is null or {target.key} = any($2::bigint[]))
        ) found
        where value <> '' and position(lower($3::text) in lower(value)) > 0
        group by value order by count desc, value limit {MAX_VALUES}
    """  # noqa: S608 - every part is a constant
    rows: Sequence[Record] = await ctx.db.fetch(sql, query.terms, ids, text)
    return rows


def _facet(rows: Sequence[Record], scale: float = 1) -> Facet:
    values = [Value(value=row["value"], count=round(row["count"] * scale)) for row in rows]
    return Facet(resource=values, estimated=scale != 1)
